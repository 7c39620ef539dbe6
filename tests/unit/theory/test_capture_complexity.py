"""Above the cost of a pass: no, conditionally. Otherwise undecided, and never yes."""

import dataclasses
import json
from pathlib import Path

import pytest

from foretell.core import Architecture, Question, SizeRange
from foretell.core.prediction import NotApplicable, Prediction, Standing, Strength
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.core.task import Fact
from foretell.plain import catalogue
from foretell.plain.canonical import canonical_json
from foretell.tasks.capture.induction_heads import InductionHeads
from foretell.tasks.capturing import CapturesAlgorithm
from foretell.tasks.complexity import Order
from foretell.tasks.lookup import find_task
from foretell.theory._complexity import REGIMES, CostCertificate, Shape, degree, inference
from foretell.theory.capture_complexity import CaptureComplexity

TASKS = ["induction-heads", "sorting", "string-matching", "multi-hop", "shortest-path", "min-cut"]
TASKS += ["majority", "copy-unique", "copy-repeat"]  # controls
COUNTED = Path(__file__).parents[3] / "results" / "performance" / "solvers-cpu.json"


@dataclasses.dataclass(frozen=True)
class Declared(InductionHeads):
    """A task that declares whatever a test wants."""

    def __init__(self, order):
        super().__init__(64)
        object.__setattr__(self, "facts", (Fact("heuristic-complexity", order, "this test"),))


def ask(task, kind="transformer", outcome=None):
    shape = Architecture(
        layers=2, heads=4, width=64, positional="rotary", context=task.width(64), kind=kind
    )
    outcome = outcome or CapturesAlgorithm(16, (32, 64))
    return CaptureComplexity().predict(Question(task, shape, outcome))


@pytest.mark.parametrize("name", TASKS)
def test_no_task_here_is_excluded_for_a_transformer_and_none_is_promised(name):
    said = ask(find_task(name, 64))
    assert isinstance(said, Prediction)
    assert said.verdict is Verdict.UNDECIDED
    assert said.certificate.check().holds
    assert "excludes nothing" in said.reason


@pytest.mark.parametrize(
    ("order", "kind", "verdict"),
    [
        ("T^2", "transformer", Verdict.UNDECIDED),
        ("T^2 log^3 T", "transformer", Verdict.UNDECIDED),
        ("T^(9/4)", "transformer", Verdict.NO),
        ("T^3", "transformer", Verdict.NO),
        ("2^T", "transformer", Verdict.NO),
        ("T log T", "lstm", Verdict.UNDECIDED),
        ("T^(3/2)", "lstm", Verdict.NO),
        ("1", "rnn", Verdict.UNDECIDED),
    ],
)
def test_the_verdict_follows_the_comparison(order, kind, verdict):
    said = ask(Declared(order), kind)
    assert said.verdict is verdict
    assert said.strength is Strength.CONDITIONAL
    assert said.certificate.above is (verdict is Verdict.NO)
    assert said.certificate.check().holds
    assert order in said.reason
    canonical_json(said.as_json())


def test_a_no_says_that_the_lower_bound_is_assumed():
    said = ask(Declared("T^3"))
    assumed = [each.text for each in said.assumptions if each.standing is Standing.ASSUMED]
    assert any("no heuristic" in text and "from above only" in text for text in assumed)
    assert any("log T samples" in text for text in assumed)


def test_it_is_silent_about_other_questions_and_tasks():
    task = find_task("induction-heads", 64)
    length = GeneralizesInLength(SizeRange(4, 16), (SizeRange(17, 64),))
    assert isinstance(ask(task, outcome=length), NotApplicable)
    assert "declares no complexity" in ask(find_task("addition", 64)).reason
    assert "one length" in ask(task, kind="mlp").reason


def test_a_certificate_that_was_changed_does_not_hold():
    good = CostCertificate.of(Shape("transformer", 2, 4, 64), "forward pass", Order.parse("T^3"))
    assert good.check().holds
    wrong = [
        dataclasses.replace(good, bound="T"),
        dataclasses.replace(good, above=False),
        dataclasses.replace(good, declared="T"),
        dataclasses.replace(good, exponent=2.5),
        dataclasses.replace(good, operations=(1, *good.operations[1:])),
        dataclasses.replace(good, shape=Shape("transformer", 3, 4, 64)),
        dataclasses.replace(good, regime="kernel by Monte Carlo"),
    ]
    assert not any(each.check().holds for each in wrong)


@pytest.mark.parametrize("width", [16, 64, 1024])
def test_orders_by_regime_do_not_depend_on_the_shape(width):
    found = [str(inference(Shape("lstm", 3, 2, width), regime)) for regime in REGIMES]
    assert found == ["T^3", "T^2", "T", "T"]


def test_degrees():
    assert [degree(lambda length, k=k: 7 * length**k + 5) for k in range(1, 5)] == [1, 2, 3, 4]
    assert degree(lambda length: 3) == 0
    with pytest.raises(ArithmeticError, match="no polynomial"):
        degree(lambda length: 2**length)


def test_every_task_of_capture_is_asked_about_here():
    own = {
        entry.name for entry in catalogue.entries("tasks") if entry.path.parent.name == "capture"
    }
    assert own <= set(TASKS)


def test_solvers_were_counted_for_every_task_and_need_what_is_declared():
    """The kept counts go with the facts of today; T log T looks like a larger power of T."""
    rows = {row["task"]: row for row in json.loads(COUNTED.read_text())["rows"]}
    assert set(rows) == set(TASKS) - {"copy-repeat"}  # copied as distinct symbols are
    for name, row in rows.items():
        fact = find_task(name).fact("heuristic-complexity")
        assert fact.source
        order, (low, high) = Order.parse(fact.value), row["interval"]
        assert row["declared"] == fact.value
        assert low <= float(order.power) + 0.2 * float(order.logs)
        assert high >= float(order.power) - 0.1
