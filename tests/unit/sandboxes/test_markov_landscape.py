"""The point where a layer forgets the last symbol: the specification's numbers, by enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Findings, compare
from foretell.sandboxes.learning.markov_landscape import LENGTH, MarkovLandscape, sequences
from foretell.worlds.binary_chain import entropy, entropy_rate, require_chain

SANDBOX = MarkovLandscape()
DEGENERATE = (0.4, 0.6)


PREDICTED = {
    claim.quantity: claim.predicted for claim in SANDBOX.claims(SANDBOX.settings(Budget.CPU))
}


@pytest.fixture(scope="module")
def findings() -> Findings:
    """Everything at once. The Hessians take long to compile, hence slow."""
    return SANDBOX.measure(SANDBOX.settings(Budget.CPU), lambda progress: None)


@pytest.mark.slow
def test_every_claim_holds(findings: Findings) -> None:
    rows = compare(SANDBOX.claims(SANDBOX.settings(Budget.CPU)), findings)
    assert [row for row in rows if not row.agrees] == []


def _eigenvalues(findings: Findings, p: float, q: float, kind: str) -> np.ndarray:
    chain = next(each for each in findings.curves["chains"] if (each["p"], each["q"]) == (p, q))
    values = np.array(chain[kind]["eigenvalues"])
    return np.sort(values[np.abs(values) > 1e-8])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chain", "bends", "bias"),
    [((0.5, 0.8), 0.142012, 0.236686), ((0.2, 0.3), -0.24, 0.24), ((0.9, 0.9), 0.4, 0.25)],
)
def test_tied_the_embedding_bends_four_times_alike(
    findings: Findings, chain: tuple[float, float], bends: float, bias: float
) -> None:
    expected = np.sort([bends] * 4 + [bias])
    np.testing.assert_allclose(_eigenvalues(findings, *chain, "tied"), expected, atol=1e-6)


@pytest.mark.slow
def test_separate_it_bends_as_far_up_as_down(findings: Findings) -> None:
    expected = np.sort([0.071006] * 4 + [-0.071006] * 4 + [0.236686])
    np.testing.assert_allclose(_eigenvalues(findings, 0.5, 0.8, "separate"), expected, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tied", "separate"])
def test_without_memory_only_the_bias_bends(findings: Findings, kind: str) -> None:
    np.testing.assert_allclose(_eigenvalues(findings, *DEGENERATE, kind), [0.24], atol=1e-8)
    assert findings.values["p=0.4, q=0.6: loss above the entropy rate"] == pytest.approx(0)


@pytest.mark.parametrize(
    ("quantity", "value"),
    [
        ("p=0.5, q=0.8: tied: smallest eigenvalue", 0.0),
        ("p=0.5, q=0.8: tied: second largest eigenvalue", 0.142012),
        ("p=0.5, q=0.8: tied: downhill directions", 0),
        ("p=0.5, q=0.8: separate: smallest eigenvalue", -0.071006),
        ("p=0.5, q=0.8: separate: downhill directions", 4),
        ("p=0.2, q=0.3: tied: smallest eigenvalue", -0.24),
        ("p=0.2, q=0.3: tied: downhill directions", 4),
        ("p=0.9, q=0.9: tied: second largest eigenvalue", 0.4),
        ("p=0.4, q=0.6: separate: downhill directions", 0),
        ("p=0.4, q=0.6: tied: second largest eigenvalue", 0.0),
    ],
)
def test_what_is_claimed_are_the_numbers_of_the_specification(quantity: str, value: float) -> None:
    assert PREDICTED[quantity] == pytest.approx(value, abs=1e-6)


def test_the_loss_at_the_point_is_that_of_the_specification() -> None:
    assert entropy(0.5 / 1.3) == pytest.approx(0.6662784424, abs=1e-10)
    assert entropy_rate(0.5, 0.8) == pytest.approx(0.6190145817, abs=1e-10)


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.8), (0.2, 0.3)])
def test_all_words_with_their_probabilities(p: float, q: float) -> None:
    words, chances = sequences(p, q)
    assert words.shape == (2 ** (LENGTH + 1), LENGTH + 1)
    assert chances.sum() == pytest.approx(1)
    np.testing.assert_allclose(chances @ words, p / (p + q))
    moved = chances @ ((words[:, :-1] == 0) & (words[:, 1:] == 1))
    np.testing.assert_allclose(moved, p * q / (p + q))


@pytest.mark.parametrize(
    ("p", "q", "name"),
    [(0.0, 0.5, "p"), (1.0, 0.5, "p"), (0.5, 1.0, "q"), (0.5, -0.1, "q"), (0.5, float("nan"), "q")],
)
def test_a_probability_that_is_none_is_refused(p: float, q: float, name: str) -> None:
    with pytest.raises(BadInput, match=f"{name} is no switching probability"):
        require_chain(p, q)
    settings = {**SANDBOX.settings(Budget.SMOKE), "chains": [[p, q]]}
    with pytest.raises(BadInput, match=f"{name} is no switching probability"):
        SANDBOX.claims(settings)
