"""Every sandbox documents itself, claims before it measures, measures what it claims, and draws."""

from __future__ import annotations

import json
import re

import pytest

from foretell.plain import catalogue
from foretell.protocols._asking import Budget
from foretell.reports.sandboxes.figures import sandbox_figure
from foretell.reproductions._sandboxed import comparisons, run_sandbox, sandbox_cell
from foretell.sandboxes import load

SANDBOXES = catalogue.entries("sandboxes")
ONE_OF_MANY = re.compile(r"(?:^|, |: )1 [a-z]+s\b")  # "1 layers"


@pytest.mark.parametrize("entry", SANDBOXES, ids=lambda entry: entry.name)
def test_it_documents_itself_and_its_claims_come_from_formulas(entry: catalogue.Entry) -> None:
    assert tuple(name for name, _ in entry.sections) == catalogue.SECTIONS
    assert all(text.strip() for _, text in entry.sections)
    sandbox = load(entry.name)
    assert sandbox.name == entry.name
    assert sandbox.title and sandbox.lesson and sandbox.caveat
    for budget in (Budget.SMOKE, Budget.CPU):
        settings = sandbox.settings(budget)
        assert json.loads(json.dumps(settings)) == settings
        claims = sandbox.claims(settings)
        assert claims
        assert len({claim.quantity for claim in claims}) == len(claims)
        assert claims == sandbox.claims(settings)
        assert not any(ONE_OF_MANY.search(claim.quantity) for claim in claims)


@pytest.mark.parametrize("entry", SANDBOXES, ids=lambda entry: entry.name)
def test_a_small_run_measures_every_claim_and_can_be_drawn_from_what_is_stored(
    entry: catalogue.Entry,
) -> None:
    cell = sandbox_cell(load(entry.name), entry.path.parent.name, Budget.SMOKE)
    stored = json.loads(json.dumps(run_sandbox(cell, lambda progress: None)))
    assert len(comparisons(stored)) == len(stored["claims"])
    drawn = sandbox_figure(entry.name, stored["curves"], "a heading")
    assert drawn.startswith("<svg") and 'aria-label="a heading"' in drawn
