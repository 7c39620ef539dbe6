"""The glossary and its documentation say the same."""

from __future__ import annotations

from foretell.numerics import axes


def test_every_axis_is_explained_and_every_explanation_is_of_an_axis() -> None:
    assert axes.__doc__ is not None
    explained = {line.split()[0] for line in axes.__doc__.splitlines() if line.startswith("    ")}
    assert explained == axes.AXES


def test_axis_names_are_words() -> None:
    assert all(name.isalpha() and name.islower() for name in axes.AXES)
