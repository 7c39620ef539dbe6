"""The predictor for unseen symbols: what each kind of model is predicted to do, and why."""

import dataclasses

import numpy as np
import pytest

from foretell.core import Architecture
from foretell.core.prediction import NotApplicable, Standing, Strength
from foretell.core.question import Question, Verdict
from foretell.tasks.lookup import find_task
from foretell.templates.outcome import asked_of
from foretell.templates.template_set import TemplateSet
from foretell.theory._templates import gram_patterns, mlp_patterns, patterns_of
from foretell.theory.template_kernel import TemplateKernel

SAME = "aa->+1;ab->-1"


def ask(text, kind="transformer", samples=64, layers=2):
    task = find_task(f"template:{text}", samples)
    shape = Architecture(layers=layers, heads=4, width=64, positional="ape", context=8, kind=kind)
    return TemplateKernel().predict(Question(task, shape, asked_of(task.templates, samples)))


@pytest.mark.parametrize("samples", [64, 8_192])
def test_an_mlp_never_handles_unseen_symbols(samples):
    said = ask(SAME, "mlp", samples)
    assert (said.verdict, said.strength) == (Verdict.NO, Strength.CONDITIONAL)
    assert "singular" in said.reason and "whatever the samples" in said.reason
    assert said.certificate.loss == pytest.approx(1.0)
    assert said.bound is None  # a predicted loss is no bound
    assert said.certificate.check().holds


def test_a_transformer_does_with_enough_samples():
    few, many = ask(SAME, samples=16), ask(SAME, samples=1_024)
    assert few.verdict is Verdict.NO and many.verdict is Verdict.YES
    assert many.strength is Strength.CONDITIONAL
    assert "nonsingular" in many.reason and "takes 17" in many.reason
    assert many.certificate.interval[0] > 0
    assert many.certificate.check().holds
    assert many.certificate.as_json()["templates"] == "aa -> +1; ab -> -1"


def test_the_identity_is_a_heuristic_and_needs_a_layer_below():
    helped = ask(SAME, "transformer+kq")
    assert (helped.verdict, helped.strength) == (Verdict.YES, Strength.HEURISTIC)
    shallow = ask(SAME, "transformer+kq", layers=1)
    assert shallow.verdict is Verdict.UNDECIDED
    assert Standing.VIOLATED in {each.standing for each in shallow.assumptions}


def test_a_wrong_certificate_does_not_hold():
    certificate = ask(SAME, "mlp+gram").certificate
    assert certificate.check().holds
    for change in ({"loss": 0.9}, {"rank": "singular"}, {"interval": (5.0, 6.0)}):
        assert not dataclasses.replace(certificate, **change).check().holds


def test_overlapping_templates_leave_it_undecided():
    said = ask("aS->+1;ab->+1;bb->-1", "mlp+gram")
    assert said.verdict is Verdict.UNDECIDED
    assert any("is of both" in each.text for each in said.assumptions)


def test_copying_a_symbol():
    plain, helped = ask("a->a"), ask("a->a", "transformer+vo")
    assert (plain.verdict, helped.verdict) == (Verdict.NO, Verdict.YES)
    # 64 of 264 symbols: [1/m] / [(1/n)(1 - 1/m) 2 - (1 - 1/n)/m]
    rate = (1 / 264) / (2 * (1 - 1 / 264) / 64 - (1 - 1 / 64) / 264)
    assert f"{rate:.3g} for each unit" in plain.reason
    assert isinstance(ask("aS->a"), NotApplicable)


@pytest.mark.parametrize("kind", ["rnn", "lstm"])
def test_recurrent_models_are_not_covered(kind):
    assert isinstance(ask(SAME, kind), NotApplicable)


def test_another_length_is_not_covered():
    assert isinstance(ask("aa->+1;aba->-1", "mlp"), NotApplicable)


def test_matrices_count_shared_features():
    found = mlp_patterns(TemplateSet.parse("aaS -> 1; aaT -> 2; abS -> 3"))
    assert found.rank == "singular"  # which wildcards are equal does not show
    assert np.allclose(found.matrix[0], found.matrix[2])
    assert mlp_patterns(TemplateSet.parse("aaS -> 1; aaT -> 2")).rank == "nonsingular"
    equal = gram_patterns(TemplateSet.parse("aba -> 1; abb -> -1"))
    strings = [np.array([0, 1, 0]), np.array([2, 3, 3])]  # no common token
    grams = [np.equal.outer(x, x).astype(float).ravel() for x in strings]
    inner, sizes = grams[0] @ grams[1], [3 + gram.sum() for gram in grams]
    angle = np.arccos(inner / np.sqrt(sizes[0] * sizes[1]))
    wanted = (
        np.sqrt(sizes[0] * sizes[1])
        / (2 * np.pi)
        * (np.sin(angle) + (np.pi - angle) * np.cos(angle))
    )
    assert equal.matrix[0, 1] == pytest.approx(wanted, abs=1e-12)


def test_more_samples_never_predict_a_larger_loss():
    templates = TemplateSet.parse("aba -> +1; abb -> -1; abc -> 0")
    found = patterns_of("mlp+gram", templates)
    losses = [found.loss(templates, samples) for samples in (4, 16, 64, 256)]
    assert losses == sorted(losses, reverse=True)
    needed = found.samples_for(templates, 0.01)
    assert found.loss(templates, needed) <= 0.01 < found.loss(templates, needed - 1)
