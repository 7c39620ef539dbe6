"""What every positional encoding in the folder must do, whatever it is."""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import foretell.models.positional as positional
from foretell.core.architecture import Architecture
from foretell.models.transformer import Transformer
from foretell.numerics.keys import root_key
from foretell.plain.catalogue import SECTIONS, find
from foretell.plain.errors import BadInput

FOLDER = Path(positional.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))
SHIPPED = {"nope", "rotary", "alibi", "t5", "ape", "sinusoidal", "local"}
TOKENS, BATCH, LENGTH, CONTEXT = 6, 2, 12, 400


@eqx.filter_jit
def run(model: Transformer, *inputs: jax.Array) -> jax.Array:
    return model(*inputs)


def create(name: str) -> Transformer:
    """A model with weights ten times those at the start, so that positions show."""
    architecture = Architecture(
        layers=2, heads=3, width=24, positional=name.replace("_", "-"), context=CONTEXT
    )
    model = Transformer.create(architecture, TOKENS, TOKENS, root_key(0))
    return jax.tree.map(lambda leaf: 10 * leaf if leaf.ndim > 1 else leaf, model)


def inputs() -> tuple[jax.Array, jax.Array]:
    tokens = jax.random.randint(root_key(1), (BATCH, LENGTH), 0, TOKENS)
    return tokens, jnp.broadcast_to(jnp.arange(LENGTH), tokens.shape)


def test_the_folder_and_the_names_agree():
    assert {name.replace("_", "-") for name in NAMES} == set(positional.names())
    assert set(NAMES) >= SHIPPED


def test_an_unknown_name_is_met_with_the_nearest():
    with pytest.raises(BadInput, match="did you mean nope") as problem:
        positional.load("none")
    assert "sinusoidal" in str(problem.value)


@pytest.mark.parametrize("name", NAMES)
def test_it_loads_and_is_documented(name):
    encoding = positional.load(name)
    assert issubclass(encoding, positional.Positional) and encoding.__final__
    entry = find(name.replace("_", "-"), ("positionals",))
    sections = dict(entry.sections)
    assert entry.title.endswith(".")
    assert tuple(sections) == SECTIONS and all(sections.values())
    assert ">>>" in sections["Example"]


@pytest.mark.parametrize("name", NAMES)
def test_logits_and_gradients_are_finite(name):
    tokens, positions = inputs()

    def loss(model: Transformer) -> jax.Array:
        return jax.nn.log_softmax(model(tokens, positions))[..., 0].mean()

    value, slope = jax.jit(jax.value_and_grad(loss))(create(name))
    assert jnp.isfinite(value)
    assert all(jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(slope))
    assert all(leaf.any() for leaf in jax.tree.leaves(slope.positional))


@pytest.mark.parametrize("name", NAMES)
def test_it_keeps_the_model_causal(name):
    model, (tokens, positions) = create(name), inputs()
    changed = tokens.at[:, 7:].set((tokens[:, 7:] + 1) % TOKENS)
    before, after = run(model, tokens, positions), run(model, changed, positions)
    np.testing.assert_allclose(before[:, :7], after[:, :7], atol=1e-4)
    assert jnp.abs(before[:, 7:] - after[:, 7:]).max() > 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_only_absolute_encodings_notice_a_shift(name):
    model, (tokens, positions) = create(name), inputs()
    difference = jnp.abs(run(model, tokens, positions) - run(model, tokens, positions + 57)).max()
    # training shifts positions exactly where a shift can be noticed
    assert (difference > 1e-2) == positional.load(name).random_offsets, difference


@pytest.mark.parametrize("name", sorted(SHIPPED - {"nope"}))
def test_it_tells_distances_apart(name):
    model, (tokens, positions) = create(name), inputs()
    assert jnp.abs(run(model, tokens, positions) - run(model, tokens, 2 * positions)).max() > 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_it_works_far_beyond_training_lengths(name):
    tokens = jax.random.randint(root_key(2), (1, CONTEXT), 0, TOKENS)
    logits = run(create(name), tokens, jnp.arange(CONTEXT)[None], jnp.array([[50, 399]]))
    assert jnp.isfinite(logits).all()


@pytest.mark.parametrize("name", NAMES)
def test_queries_and_members_change_nothing(name):
    tokens, positions = inputs()
    models = [jax.tree.map(lambda leaf, n=n: leaf * n, create(name)) for n in (1, 1.5)]
    fleet = jax.tree.map(lambda *leaves: jnp.stack(leaves), *models)
    queries = jnp.array([[3, 11], [0, 7]])
    each = jax.vmap(lambda model, queries: model(tokens, positions, queries), (0, None))
    together = jax.jit(each)(fleet, queries)
    for member, model in enumerate(models):
        whole = run(model, tokens, positions)
        expected = jnp.take_along_axis(whole, queries[:, :, None], axis=1)
        np.testing.assert_allclose(together[member], expected, rtol=1e-3, atol=1e-3)
