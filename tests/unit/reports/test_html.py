from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser

import pytest

from foretell.core.prediction import Certificate, Checked
from foretell.core.scoreboard import Row, Scoreboard
from foretell.plain.errors import StoreProblem
from foretell.reports._markup import ENDED_BY_THE_NEXT
from foretell.reports.html import row_page, rows_page
from foretell.reports.scoreboard_page import scoreboard_page

VOID = {"meta", "br", "hr", "img", "link", "input"} | ENDED_BY_THE_NEXT
PROBLEM = StoreProblem("damaged", seen="runs/<b>", why="1 < 2")


class Reader(HTMLParser):
    """Checks that elements close in order; collects ids, links and what would be fetched."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.names: set[str] = set()
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.look(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.look(tag, attrs)

    def look(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "xlink:href"):
                self.links.append(value or "")
            if name in ("src", "srcset", "data", "action"):
                self.fetched.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def pages(board: Scoreboard) -> list[str]:
    return [*map(row_page, board.rows), rows_page(board.rows), scoreboard_page(board, [PROBLEM])]


def test_pages_are_well_formed_and_stand_alone(board: Scoreboard) -> None:
    for page in pages(board):
        read = Reader(page)
        assert read.fetched == []
        assert not read.names & {"script", "link", "iframe", "img", "object", "embed"}
        assert all(link.startswith("#") for link in read.links)
        assert {link[1:] for link in read.links} <= set(read.ids)
        assert len(read.ids) == len(set(read.ids))
        assert not re.search(r"@import|url\((?!#)", page)
        outside = re.findall(r"https?://[^\s\"'<]+", page)
        assert set(outside) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_names_are_escaped_everywhere(hostile: Row, board: Scoreboard) -> None:
    for page in (row_page(hostile), rows_page(board.rows), scoreboard_page(board, [PROBLEM])):
        assert "<script" not in page
        assert "regex:(&lt;script&gt;|[ab]&amp;%)*" in page
    assert "runs/&lt;b&gt;" in scoreboard_page(board, [PROBLEM])


def test_row_page_tells_everything(failing: Row) -> None:
    page = row_page(failing)
    assert failing.measurement is not None
    for part in ("Prediction", "Measurement", "Values", "Decision rule", "Certificate", "Sources"):
        assert part in page
    for text in (
        "prefers-color-scheme: dark",
        "near-non-members",
        "None: the verdict rests on facts declared by its sources",
        "kernel does not apply",
        "3 of 4 runs fit the training range perfectly",
        "6 min 52 s",
        failing.question.hash,
    ):
        assert text in page


class Hostile(Certificate):
    summary = "<i>bad</i>"

    def check(self) -> Checked:
        return Checked(False, "<i>bad</i>")

    def as_json(self) -> dict[str, object]:
        return {"states": "</pre><script>"}


def test_a_certificate_is_shown_and_escaped(majority: Row) -> None:
    certified = dataclasses.replace(majority.stated[0], certificate=Hostile())
    page = row_page(dataclasses.replace(majority, predictions=(certified,)))
    assert "&lt;i&gt;bad" in page
    assert "&lt;/pre&gt;&lt;script&gt;" in page


@pytest.mark.parametrize("left_out", [{"measurement": None}, {"predictions": ()}])
def test_half_a_row_is_a_page_too(majority: Row, left_out: dict[str, object]) -> None:
    Reader(row_page(dataclasses.replace(majority, **left_out)))  # type: ignore[arg-type]


def test_an_empty_scoreboard_is_a_page() -> None:
    page = scoreboard_page(Scoreboard(()), [])
    Reader(page)
    assert "Nothing measured yet." in page
