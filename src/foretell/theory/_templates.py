"""What kernel theory says about a set of templates, for each kind of model it speaks about.

A kind is stood for by a kernel. `patterns` holds what the kernel between strings without a common
symbol is (N) and what it is between a string and itself, for every template.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Int

from foretell.core.prediction import Assumption, Certificate, Checked, Standing
from foretell.kernels.duals import RELU
from foretell.kernels.infinite_diversity import ideal_error, samples_needed
from foretell.kernels.random_features import RandomFeatures
from foretell.kernels.template_matrix import Form, template_matrix
from foretell.numerics.precision import double_precision
from foretell.templates.overlapping import overlapping
from foretell.templates.substituting import encode
from foretell.templates.template_set import TemplateSet

PAPER = "Boix-Adserà et al., When can transformers reason with abstract symbols?"
BETA, GAMMA = 10.0, 1.0  # how sharply the stand-in attends, and how much to places
RIDGE = 1e-3
POINTS = 2**12  # enough for an interval of a few percent, in seconds
STEADY = 0.1  # by so much of the best constant's loss a check may find another error


@final
@dataclass(frozen=True)
class Patterns:
    """What kernel regression knows of templates on unseen symbols."""

    how: str
    matrix: Float[np.ndarray, "label label"]  # N
    own: Float[np.ndarray, " label"]  # a string with itself
    smallest: float  # eigenvalue of N
    interval: tuple[float, float]
    rank: str
    reason: str

    def loss(self, templates: TemplateSet, samples: int) -> float:
        """Mean squared error on unseen symbols after so many samples, of many symbols."""
        return ideal_error(
            self.matrix,
            self.own,
            np.array(templates.labels, float),
            float(samples),
            RIDGE,
            probabilities=templates.probabilities,
            noise=templates.noise,
        )

    def samples_for(self, templates: TemplateSet, loss: float) -> int | None:
        """The fewest samples with at most that loss; nothing if no number is enough."""
        return samples_needed(
            self.matrix,
            self.own,
            np.array(templates.labels, float),
            loss,
            RIDGE,
            probabilities=templates.probabilities,
            noise=templates.noise,
        )


def transformer_patterns(templates: TemplateSet, seed: int = 0) -> Patterns:
    """Of a one-layer transformer with random features: sampled, the smallest eigenvalue too."""
    kernel = RandomFeatures(BETA, GAMMA, RELU)
    found = template_matrix(kernel, forms(templates), points=POINTS, seed=seed)
    how = f"a random-features transformer (beta {BETA:g}, gamma {GAMMA:g}, ReLU)"
    return Patterns(
        how, found.matrix, found.own, found.smallest, found.interval, found.rank, found.reason
    )


def mlp_patterns(templates: TemplateSet) -> Patterns:
    """Of an MLP on one-hot tokens: strings without a common symbol share regular tokens only."""
    codes = np.asarray(encode(templates).places)
    shared = (codes[:, None] == codes[None]) & (codes[:, None] >= 0)
    inner = shared.sum(axis=-1)
    lengths = np.full(len(codes), codes.shape[1])
    return _exact("an infinitely wide MLP on one-hot tokens", inner, lengths)


def gram_patterns(templates: TemplateSet) -> Patterns:
    """Of an MLP that is also given which places hold the same token."""
    codes = np.asarray(encode(templates).places)
    shared = ((codes[:, None] == codes[None]) & (codes[:, None] >= 0)).sum(axis=-1)
    equal = codes[:, :, None] == codes[:, None, :]
    flat = equal.reshape(len(codes), -1).astype(int)
    inner = shared + flat @ flat.T
    own = codes.shape[1] + flat.sum(axis=1)
    return _exact("an MLP on one-hot tokens and on which places are equal", inner, own)


def _exact(
    how: str, inner: Int[np.ndarray, "label label"], own: Int[np.ndarray, " label"]
) -> Patterns:
    """N from whole numbers of shared features; equal rows make it singular, beyond rounding."""
    sizes = own.astype(float)
    with double_precision():
        matrix = np.asarray(RELU.dual(sizes[:, None], sizes[None], inner.astype(float)))
        itself = np.asarray(RELU.dual(sizes, sizes, sizes))
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    rounding = 1e-10 * float(np.abs(matrix).max()) * len(matrix)
    keys = [(tuple(row.tolist()), int(length)) for row, length in zip(inner, own, strict=True)]
    twin = next((place for place, key in enumerate(keys) if key in keys[:place]), None)
    if twin is not None:
        first = keys.index(keys[twin])
        rank, reason = "singular", f"templates {first + 1} and {twin + 1} look the same to it"
    elif smallest > rounding:
        rank, reason = "nonsingular", f"its smallest eigenvalue is {smallest:.3g}, exactly known"
    else:
        rank, reason = "not resolved", f"its smallest eigenvalue, {smallest:.1g}, may be rounding"
    return Patterns(how, matrix, itself, smallest, (smallest, smallest), rank, reason)


def confused(patterns: Patterns, templates: TemplateSet) -> tuple[int, int] | None:
    """Two templates with different labels and equal rows of N: no sample tells them apart."""
    if patterns.rank != "singular":
        return None
    matrix, labels = patterns.matrix, templates.labels
    for second in range(len(labels)):
        for first in range(second):
            alike = np.allclose(matrix[first], matrix[second], rtol=1e-9, atol=1e-12)
            if alike and labels[first] != labels[second]:
                return first, second
    return None


def forms(templates: TemplateSet) -> tuple[Form, ...]:
    """Templates as the kernels take them: regular tokens from 0 on, wildcards below 0."""
    _ = templates.length  # which refuses different ones
    return tuple(tuple(row) for row in encode(templates).places.tolist())


def disjoint(templates: TemplateSet) -> Assumption:
    """No string matches two templates; decided exactly."""
    found = next(iter(overlapping(templates.templates)), None)
    if found is not None:
        first, second, both = found
        word = " ".join(both.word)
        text = f"templates are disjoint: {word} is of both {first + 1} and {second + 1}"
        return Assumption(text, Standing.VIOLATED)
    return Assumption("templates are disjoint", Standing.CHECKED)


@final
@dataclass(frozen=True)
class PatternsCertificate(Certificate):
    """The matrix N and the loss that follows; a check computes both again, from other draws."""

    kind: str
    templates: TemplateSet
    samples: int
    trivial: float
    loss: float
    rank: str
    interval: tuple[float, float]

    @property
    def summary(self) -> str:
        """In a few words."""
        low, high = self.interval
        return f"N is {self.rank}, smallest eigenvalue in [{low:.3g}, {high:.3g}]"

    def check(self) -> Checked:
        """Once more, with another seed where anything is sampled."""
        found = patterns_of(self.kind, self.templates, seed=1)
        loss = found.loss(self.templates, self.samples)
        same_rank = found.rank == self.rank
        meets = found.interval[0] <= self.interval[1] and self.interval[0] <= found.interval[1]
        near = abs(loss - self.loss) <= STEADY * self.trivial
        how = (
            f"N again with other draws: {found.rank}, smallest eigenvalue in "
            f"[{found.interval[0]:.3g}, {found.interval[1]:.3g}], loss {loss:.3g}"
        )
        return Checked(same_rank and meets and near, how)

    def as_json(self) -> dict[str, object]:
        """Everything that a check needs."""
        return {
            "type": "template-matrix",
            "kind": self.kind,
            "templates": self.templates.text,
            "samples": self.samples,
            "beta": BETA,
            "gamma": GAMMA,
            "ridge": RIDGE,
            "rank": self.rank,
            "smallest_eigenvalue": list(self.interval),
            "loss": self.loss,
        }


@functools.lru_cache(maxsize=64)  # a sampled kernel takes seconds; questions differ in samples
def patterns_of(kind: str, templates: TemplateSet, seed: int = 0) -> Patterns:
    """By the kernel that stands for the kind."""
    if kind == "mlp":
        return mlp_patterns(templates)
    if kind in ("mlp+gram", "transformer+kq", "transformer+kq+vo"):
        return gram_patterns(templates)
    return transformer_patterns(templates, seed)
