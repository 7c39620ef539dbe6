"""A number without the run behind it is not a result."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest

from foretell.core.measurement import Interval, Measurement
from foretell.core.task import Fact
from foretell.plain.errors import BadInput

Build = Callable[..., Measurement]


@pytest.mark.parametrize(
    ("low", "high"), [(1.0, 0.0), (0.5, math.nextafter(0.5, 0)), (math.nan, 1), (0, math.nan)]
)
def test_a_reversed_interval_is_refused(low: float, high: float) -> None:
    with pytest.raises(BadInput, match="reversed"):
        Interval(low, high)


def test_an_interval_may_be_a_point() -> None:
    assert Interval(0.5, 0.5).low == 0.5


@pytest.mark.parametrize("missing", ["versions", "device", "seeds"])
def test_provenance_is_complete(measurement: Build, missing: str) -> None:
    whole = {"versions": {}, "device": "cpu", "seeds": [0]}
    del whole[missing]
    with pytest.raises(BadInput, match="provenance") as caught:
        measurement(provenance=whole)
    assert caught.value.seen == missing


def test_no_provenance_at_all_names_everything_missing(measurement: Build) -> None:
    with pytest.raises(BadInput) as caught:
        measurement(provenance={})
    assert caught.value.seen == "versions, device, seeds"


@pytest.mark.parametrize("field", ["rule", "reason"])
def test_rule_and_reason_are_stated(measurement: Build, field: str) -> None:
    with pytest.raises(BadInput, match="decision rule and its reason"):
        measurement(**{field: ""})


def test_json_has_the_promised_keys(measurement: Build) -> None:
    described = measurement().as_json()
    assert {"protocol", "architecture", "values", "verdict", "provenance"} <= set(described)
    assert json.loads(json.dumps(described, allow_nan=False)) == described
    (value,) = json.loads(json.dumps(described["values"]))
    assert {"size_range", "seeds", "mean", "interval"} <= set(value)
    assert value["size_range"] == [51, 100] and value["interval"] == [0.8, 1.0]
    assert value["seeds"] == [1.0, 0.9] and value["mean"] == 0.95


def test_a_fact_needs_a_source() -> None:
    with pytest.raises(BadInput, match="source"):
        Fact("crasp", "yes", "")
