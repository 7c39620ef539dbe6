"""Every kind of reproduction has a page, and every page is of some kind."""

from foretell.plain import catalogue
from foretell.reports.reproduced.pages import PAGES
from foretell.reproductions import Reproduction, load


def test_every_kind_of_reproduction_has_a_page():
    found = (load(entry.name) for entry in catalogue.entries("reproductions"))
    assert {each.about for each in found if isinstance(each, Reproduction)} == set(PAGES)
