from __future__ import annotations

import dataclasses
import math

from foretell.core.question import Verdict
from foretell.core.scoreboard import Record, Row
from foretell.reports import phrases


def test_only_a_perfect_score_reads_as_one() -> None:
    assert phrases.score(1999 / 2000) == "0.999"
    assert phrases.score(0.99999, 2) == "0.99"
    assert phrases.score(1.0, 2) == "1.00"
    assert phrases.score(math.nan) == "–"


def test_verdict_line_names_prediction_and_agreement(majority: Row, failing: Row) -> None:
    assert phrases.verdict_line(majority) == (
        "length-generalizes: yes   (prediction: yes, conditional → agrees)"
    )
    assert phrases.verdict_line(failing).endswith("no   (prediction: no, conjecture → agrees)")


def test_verdict_line_without_one_of_the_two(majority: Row, hostile: Row) -> None:
    unmeasured = dataclasses.replace(majority, measurement=None)
    unasked = dataclasses.replace(majority, predictions=())
    assert phrases.verdict_line(unmeasured) == (
        "length-generalizes: not measured   (prediction: yes, conditional)"
    )
    assert phrases.verdict_line(unasked) == "length-generalizes: yes   (no theory was asked)"
    assert phrases.verdict_line(hostile) == "length-generalizes: no   (no theory applies)"


def test_hit_rate_has_wilsons_interval() -> None:
    assert phrases.hit_rate(Record("t", "theorem", Verdict.YES, 1, 1, 5)) == "0.50 [0.09, 0.91]"
    assert phrases.hit_rate(Record("t", "theorem", Verdict.NO, 0, 0, 5)) == "nothing settled yet"


def test_largest_value_is_of_the_deciding_probe(failing: Row) -> None:
    value = phrases.largest_value(failing.measurement)
    assert value is not None
    assert (value.probe, value.sizes.high) == ("members", 150)
