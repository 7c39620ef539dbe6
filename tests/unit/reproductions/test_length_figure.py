"""The rows of the published figure, and the numbers printed for them."""

import pytest

from foretell.plain import catalogue
from foretell.protocols._asking import Budget, published
from foretell.protocols._settings import searched, setting_for
from foretell.reproductions.length_causes import LengthCauses
from foretell.reproductions.length_figure import GROUPS, LengthFigure

# As in the authors' released logs: training range, 51-100, 101-150.
APE = {
    "binary-majority": (100, 100, 100),
    "binary-majority-interleave": (100, 96.8, 84.7),
    "majority": (100, 99.6, 97.8),
    "sort": (100, 100, 99.4),
    "copy-unique": (100, 99.9, 98.7),
    "copy-repeat": (100, 25.6, 0),
    "parity": (100, 83.0, 62.1),
    "addition": (99.7, 26.8, 0),
    "tomita-3": (60.5, 7.7, 0),
    "tomita-4": (100, 85.4, 84.4),
    "tomita-5": (54.4, 0, 0),
    "tomita-6": (59.6, 0, 0),
    "tomita-7": (100, 94.2, 93.2),
    "aa-star": (100, 100, 100),
    "aaaa-star": (100, 92.3, 86.7),
    "abab-star": (100, 89.4, 82.3),
    "ab-d-bc": (100, 99.8, 98.5),
    "012-star-02": (99.7, 24.4, 1.2),
    "dyck-1": (100, 100, 100),
    "anbn": (100, 99.4, 92.3),
    "anbncn": (100, 91.2, 87.4),
}
NOPE = {
    "binary-majority": (100, 100, 100),
    "binary-majority-interleave": (96.2, 68.8, 39.5),
    "majority": (100, 99.9, 98.5),
    "sort": (100, 99.8, 80.6),
    "copy-unique": (100, 18.0, 0),
    "copy-repeat": (100, 28.0, 0),
    "parity": (97.5, 74.5, 63.3),
    "addition": (99.5, 27.7, 0),
    "tomita-3": (21.1, 0, 0),
    "tomita-4": (100, 16.5, 0),
    "tomita-5": (7.1, 0, 0),
    "tomita-6": (2.4, 0, 0),
    "tomita-7": (100, 87.5, 76.2),
    "aa-star": (100, 0, 0),
    "aaaa-star": (100, 0, 0),
    "abab-star": (100, 0, 0),
    "ab-d-bc": (100, 99.8, 98.5),
    "012-star-02": (18.2, 11.2, 0),
    "dyck-1": (100, 100, 100),
    "anbn": (100, 100, 100),
    "anbncn": (100, 100, 100),
}
PERFECT = ("tomita-1", "tomita-2", "d-2", "d-3", "d-4", "d-12", "abcde")
PUBLISHED = {
    "ape": APE | dict.fromkeys(PERFECT, (100, 100, 100)),
    "nope": NOPE | dict.fromkeys(PERFECT, (100, 100, 100)),
}
LINES = LengthFigure().lines(Budget.GPU)


def encoding(line):
    return line.asked.question.architecture.positional


def test_every_task_twice_ape_before_nope():
    assert len(LINES) == 58
    for first, second in zip(LINES[::2], LINES[1::2], strict=True):
        assert first.label == second.label
        assert (encoding(first), encoding(second)) == ("ape", "nope")
    counts = [sum(line.group == group for line in LINES) for group in GROUPS.values()]
    assert counts == [16, 36, 6]


def test_every_task_is_in_the_catalogue():
    known = {entry.name for kind in ("tasks", "languages") for entry in catalogue.entries(kind)}
    for line in LINES:
        assert line.label in known
        assert line.asked.question.task.name == line.label


def test_published_numbers_are_those_of_the_logs():
    for line in LINES:
        if line.label == "parity-language":
            assert line.published is None  # that row was not published
        else:
            shares = [100 * share for share in line.published]
            wanted = PUBLISHED[encoding(line)][line.label]
            assert [round(share, 6) for share in shares] == list(wanted)


def test_published_shapes_and_rates_are_used():
    for line in LINES:
        known = published(line.label, encoding(line))
        shape, settings = line.asked.question.architecture, line.asked.protocol.as_json()
        if known is None:
            assert "no published configuration" in line.note
        else:
            assert (shape.layers, shape.heads, shape.width) == (
                known.layers,
                known.heads,
                known.width,
            )
            assert (settings["learning_rate"], settings["steps"]) == (
                known.learning_rate,
                known.steps,
            )


def test_twelve_layers_run_with_one_seed_and_say_so():
    deep = [line for line in LINES if line.asked.question.architecture.layers == 12]
    names = [(line.label, encoding(line)) for line in deep]
    assert names == [
        ("binary-majority-interleave", "nope"),
        ("parity", "nope"),
        ("addition", "ape"),
        ("addition", "nope"),
    ]
    assert all(len(line.asked.seeds) == 1 and "one seed" in line.note for line in deep)
    assert all(len(line.asked.seeds) == 5 for line in LINES if line not in deep)


@pytest.mark.slow
def test_small_budgets_run_every_row_with_all_seeds():
    for line in LengthFigure().lines(Budget.SMOKE):
        assert len(line.asked.seeds) == 3
        assert line.asked.question.architecture.precision == "float32"
        assert "one seed" not in (line.note or "")


def test_models_of_16_wide_compute_in_float32_and_the_others_do_not():
    for line in LINES:
        shape = line.asked.question.architecture
        assert shape.precision == ("float32" if shape.width == 16 else "bfloat16")


def test_shapes_of_counter_languages_are_those_of_the_search():
    for line in LINES[-6:]:
        known = searched(line.label, encoding(line))
        shape, rate = line.asked.question.architecture, line.asked.protocol.learning_rate
        assert (shape.layers, shape.heads, shape.width, rate) == (1, 1, 16, known.learning_rate)
        # nothing of it is cut down for a CPU, so its rate stays as well
        assert setting_for(line.label, encoding(line), Budget.CPU).learning_rate == rate
    assert setting_for("d-2", "nope", Budget.CPU).learning_rate == 1e-3  # 1e-4 at twice the width


def test_notes_say_how_many_published_runs_fit():
    noted = {(line.label, encoding(line)): line.note for line in LINES if "of 16" in str(line.note)}
    assert list(noted) == [("majority", "nope")]
    assert "over the 5 of 16 runs that fit" in noted["majority", "nope"]


def test_causes_share_the_runs_of_the_figure():
    figure = {(line.asked.question.hash, line.asked.plan.hash) for line in LINES}
    causes = LengthCauses().lines(Budget.GPU)
    shared = [line for line in causes if (line.asked.question.hash, line.asked.plan.hash) in figure]
    assert {line.setting for line in shared} == {"bfloat16", "float32"}
    assert len(shared) == len(causes) // 4  # each row stands in the figure in one way
