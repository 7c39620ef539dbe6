"""The protocol for unseen symbols: what it asks, what it decides, and that it tells kinds apart."""

import dataclasses

import pytest

from foretell.core.question import Outcome, Verdict
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Request
from foretell.protocols._running import measure
from foretell.protocols.unseen_symbols import UnseenSymbols, question_about
from foretell.templates.outcome import HandlesUnseenSymbols, asked_of, best_constant_loss
from foretell.templates.template_set import TemplateSet
from foretell.training.record import SymbolMemberRecord, SymbolRecord
from foretell.training.store import Store

SAME = "template:ab->-1;aa->+1"
MEMBER = SymbolMemberRecord(0, 1e-3, "not fitted", 100, 50, 0.0, 0.1, 0.1, 0.1, 0.0, 0.0)
PROVENANCE = {"versions": {}, "device": "none"}


def decided(*losses, what=SAME):
    request = Request(what=what, budget="smoke")
    question, protocol = request.question(), request.build_protocol()
    members = tuple(
        dataclasses.replace(MEMBER, seed=seed, test=loss) for seed, loss in enumerate(losses)
    )
    plan = protocol.plan(question, tuple(range(len(losses))))
    return protocol.read(question, plan, SymbolRecord(members, (), 1.0), PROVENANCE).verdict


def test_the_rule():
    assert decided(0.1, 0.02, 0.0) is Verdict.YES
    assert decided(0.1001, 0.02, 0.0) is Verdict.UNDECIDED
    assert decided(0.51, 0.9, 1.4) is Verdict.NO
    assert decided(0.49, 0.9, 1.4) is Verdict.UNDECIDED
    assert decided(0.3, 0.2) is Verdict.UNDECIDED


def test_the_bar_is_a_tenth_of_what_the_best_constant_loses():
    labels = TemplateSet.parse("aa -> 3; ab -> 1")
    assert best_constant_loss(labels) == pytest.approx(1.0)
    uneven = TemplateSet.parse("aa -> 1 @ 0.9; ab -> -1 @ 0.1")
    assert best_constant_loss(uneven) == pytest.approx(0.36)
    assert asked_of(uneven, 8).bar == pytest.approx(0.036)
    symbols = TemplateSet.parse("tokens T F; aa -> T; ab -> F; aSS -> a; aTT -> \\F")
    assert best_constant_loss(symbols) == pytest.approx(0.5)
    with pytest.raises(BadInput, match="same label"):
        asked_of(TemplateSet.parse("aa -> 1; ab -> 1"), 8)


def test_templates_choose_it_and_a_size_is_an_alphabet():
    request = Request(what=SAME, samples=300)
    assert request.protocol == "unseen-symbols"
    question = request.question()
    assert question.task.longest == question.outcome.symbols == question.outcome.samples == 300
    assert Outcome.read(question.outcome.as_json()) == question.outcome
    declared = Request(what="template:symbols 7; aa -> 1; ab -> -1", samples=50).question()
    assert (declared.outcome.symbols, declared.outcome.samples) == (7, 50)


def test_there_is_one_positional_encoding_and_there_are_several_kinds():
    with pytest.raises(BadInput, match="unseen-symbols has no positional"):
        Request(what=SAME, positional="ape")
    kinds = ("transformer", "transformer+kq", "mlp", "mlp+gram", "rnn", "lstm")
    assert len({Request(what=SAME, kind=kind).question().hash for kind in kinds}) == len(kinds)
    published = Request(what="template:aba-abb", budget="gpu").question().architecture
    assert (published.layers, published.heads, published.width) == (2, 16, 128)


def test_bad_input_is_refused():
    with pytest.raises(BadInput, match="kind of model"):
        Request(what="majority", kind="mlp")
    with pytest.raises(BadInput, match="unknown kind"):
        Request(what=SAME, kind="perceptron").question()
    with pytest.raises(BadInput, match="only templates"):
        Request(what="majority", protocol="unseen-symbols").question()
    with pytest.raises(BadInput, match="one alphabet"):
        HandlesUnseenSymbols(type(question_about("aba-abb", 8, "mlp").outcome.sizes)(4, 8), 8)
    with pytest.raises(BadInput, match="learning rate"):
        UnseenSymbols(steps=10, check_every=10, learning_rate=2.0)


@pytest.mark.parametrize(("kind", "verdict"), [("mlp+gram", Verdict.YES), ("mlp", Verdict.NO)])
def test_equalities_make_the_difference(kind, verdict, tmp_path):
    """The smallest pair of models of which one can work on unseen symbols and one cannot."""
    protocol = UnseenSymbols(steps=300, check_every=50, learning_rate=1e-2)
    question = question_about("aba-abb", 32, kind, 3, 1, 64)
    found = measure(question, protocol, (0, 1, 2), Store(tmp_path))
    assert found.verdict is verdict, found.reason
    test = next(value for value in found.values if value.probe == "unseen symbols")
    assert test.baseline == pytest.approx(1.0)
    again = measure(question, protocol, (0, 1, 2), Store(tmp_path))
    assert again.values == found.values


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "verdict"), [("transformer+kq", Verdict.YES), ("transformer", Verdict.NO)]
)
def test_an_identity_in_keys_and_queries_is_what_a_transformer_lacks(kind, verdict, tmp_path):
    request = Request(what=SAME, kind=kind)
    store = Store(tmp_path)
    found = measure(request.question(), request.build_protocol(), request.seed_list(), store)
    assert found.verdict is verdict, found.reason
