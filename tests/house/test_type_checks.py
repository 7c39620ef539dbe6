"""Types are checked at the first calls of a function, again in every test: tests/conftest.py."""

import jaxtyping
import numpy as np
import pytest

from foretell.numerics.growth import Curve, fit_growth
from foretell.tasks.lookup import find_task


@pytest.mark.parametrize("turn", [1, 2])  # the second after many calls in the first
def test_wrong_types_and_shapes_are_noticed_in_every_test(turn: int) -> None:
    with pytest.raises(jaxtyping.TypeCheckError):
        find_task(3)
    with pytest.raises(jaxtyping.TypeCheckError, match="size"):
        fit_growth(16, np.arange(3.0), np.ones((2, 4)))
    with pytest.raises(jaxtyping.TypeCheckError):
        Curve("power", "16", 1.0, 0.5, (0.4, 0.6), 0.0, 0.0)
    for _ in range(50):
        find_task("parity")
        Curve("power", 16.0, 1.0, 0.5, (0.4, 0.6), 0.0, 0.0)
