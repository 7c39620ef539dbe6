"""Figures of a page as files: those with a name, in order, nothing else."""

from pathlib import Path

from foretell.reports.figures_apart import NAMED, write_figures

FIGURE = '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{}"><path d="M0 0"/></svg>'
SMALL = '<svg class="curve" viewBox="0 0 1 1"><path d="M0 0"/></svg>'


def test_each_named_figure_is_a_file_and_small_curves_are_none(tmp_path: Path) -> None:
    first, second = FIGURE.format("one"), FIGURE.format("two")
    page = (
        f"<main><div>{first}</div><table><td>{SMALL}</td></table><figure>{second}</figure></main>"
    )
    found = write_figures(page, tmp_path, "it")
    assert [path.name for path in found] == ["it-1.svg", "it-2.svg"]
    assert [path.read_text(encoding="utf-8").strip() for path in found] == [first, second]


def test_a_page_without_figures_writes_nothing(tmp_path: Path) -> None:
    assert write_figures(f"<p>{SMALL}</p>", tmp_path, "it") == ()
    assert not list(tmp_path.iterdir())


def test_every_kept_gallery_has_its_figures() -> None:
    """Pages frame figures in several ways; none is forgotten."""
    results = Path(__file__).parents[3] / "results"
    for page, count in (("sandboxes/learning-cpu.html", 25), ("length-figure/h200.html", 1)):
        text = (results / page).read_text(encoding="utf-8")
        assert len(NAMED.findall(text)) == count
