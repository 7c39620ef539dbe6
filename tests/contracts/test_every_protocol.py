"""Every protocol can be asked for by name, plans purely, and can be built again from its record."""

from __future__ import annotations

import dataclasses
import json

import pytest

from foretell.core import Protocol
from foretell.core.question import Outcome
from foretell.plain import catalogue
from foretell.plain.canonical import canonical_json
from foretell.protocols._asking import Request

PROTOCOLS = catalogue.entries("protocols")
SETTINGS = {field.name for field in dataclasses.fields(Request)}


@pytest.mark.parametrize("entry", PROTOCOLS, ids=lambda entry: entry.name)
@pytest.mark.parametrize("budget", ["smoke", "cpu", "gpu"])
def test_every_protocol_keeps_its_promises(entry: catalogue.Entry, budget: str) -> None:
    own = {"gap": "boolean:degree=2,sparsity=2,T=6", "unseen-symbols": "template:aba-abb"}
    what = own.get(entry.name, "binary-majority")
    request = Request(what=what, protocol=entry.name, budget=budget)  # type: ignore[arg-type]
    assert entry.load().reads <= SETTINGS
    question, protocol = request.question(), request.build_protocol()
    assert isinstance(protocol, Protocol)
    assert protocol.name == entry.name
    assert tuple(name for name, _ in entry.sections) == catalogue.SECTIONS
    assert all(f"{verdict}:" in protocol.rule for verdict in ("yes", "no", "undecided"))
    settings = json.loads(canonical_json(protocol.as_json()))
    assert settings.pop("name") == entry.name
    assert type(protocol)(**settings) == protocol
    assert Outcome.read(question.outcome.as_json()) == question.outcome
    plan = protocol.plan(question, request.seed_list())
    assert plan.hash == protocol.plan(question, request.seed_list()).hash
