"""Two numbers a head for a HuggingFace GPT-2: multiples of the identity beside its weights.

A head of GPT-2 compares places by a product of keys and queries and moves what a product of values
and outputs lets through. Here each head also compares the places themselves, and moves them as they
are. With x the normalized stream that the attention of a layer reads, q, k, v and W_O those of a
head, s its scale (1/√d for parts of d numbers), and two learned numbers a and b for each head:

    logit of place i on place j   =   s q_i · k_j + a x_i · x_j
    what the head adds at i       =   Σ_j share_ij (v_j W_O + b x_j)

Both numbers start at 0, where the model is the plain one. The first is not divided by √d, so it is
a multiple of √d times the identity next to keys × queries: like this it was in the code of the
published results, and like this it is in `foretell.models.symbols.transformer`. Under an optimiser
that moves all parameters equally fast, a divided one would amount to √d times less. The causal
mask, padding, and dropout of attention hold for the new terms as for the old.

Attention is computed in full here (a share for every pair of places), whether the model was made
for `eager` or for `sdpa`; other implementations do not hand over the mask that this needs.

PyTorch and transformers are optional: `pip install 'foretell[torch]'`.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxtyping import Bool, Float, Int
from safetensors import SafetensorError, safe_open

from foretell.plain.errors import BadInput

INSTALLED = find_spec("torch") is not None and find_spec("transformers") is not None
if TYPE_CHECKING or INSTALLED:
    import torch
    import transformers
    from torch import Tensor, nn
    from transformers.models.gpt2.modeling_gpt2 import GPT2Attention, GPT2PreTrainedModel
else:
    Tensor, GPT2Attention = Any, object

KEY_QUERY, VALUE_OUTPUT = "key_query_identity", "value_output_identity"
DIAGONAL = "identity_diagonal"  # in the model's configuration, which is saved with the weights
POSITION = "cache_position"
IMPLEMENTATIONS = ("eager", "sdpa")
OLDEST = 5  # version of transformers; before it, blocks called their attention in other ways


class IdentityAttention(GPT2Attention):
    """The attention of one layer of GPT-2 with the two numbers; made by `add_identities`."""

    key_query_identity: Any  # Parameter, one number a head
    value_output_identity: Any
    diagonal: bool

    def forward(  # type: ignore[override, unused-ignore]
        self,
        hidden_states: Float[Tensor, "batch query width"],
        *,
        past_key_values: Any = None,
        attention_mask: Any = None,
        **rest: Any,
    ) -> tuple[Float[Tensor, "batch query width"], Float[Tensor, "batch head query key"]]:
        """What the heads add to the stream, and their shares; names are those of GPT-2."""
        _check_call(self, rest)
        stream = hidden_states
        queries, keys, values = self.c_attn(stream).split(self.embed_dim, dim=-1)
        # Counted before the cache grows: some caches count in place.
        begin = 0 if past_key_values is None else past_key_values.get_seq_length(self.layer_idx)
        places = begin + torch.arange(stream.shape[1], device=stream.device)
        streams = stream
        if past_key_values is not None:
            # Older versions say here where a cache of fixed size is to write.
            where = [{POSITION: rest[POSITION]}] if POSITION in rest else []
            keys, values, streams = self._remember(past_key_values, keys, values, stream, *where)
        products = self._split(queries) @ self._split(keys).transpose(-1, -2)
        # Never in half precision: a sum of squares may be beyond it, and 0 times that is not 0.
        exact = torch.promote_types(stream.dtype, torch.float32)
        alike = stream.to(exact) @ streams.to(exact).transpose(-1, -2)
        if not self.diagonal:
            others = torch.arange(streams.shape[1], device=stream.device) != places[:, None]
            alike = alike * others
        weight = self.key_query_identity.to(exact)[:, None, None]
        logits = _scale(self) * products.to(exact) + weight * alike[:, None]
        shares = self.attn_dropout(_shares(logits, attention_mask, places).to(values.dtype))
        moved = (shares @ self._split(values)).transpose(1, 2).flatten(2)
        kept = torch.einsum("h,bhqk->bqk", self.value_output_identity.to(shares.dtype), shares)
        found = self.c_proj(moved) + kept @ streams.to(shares.dtype)
        return self.resid_dropout(found), shares

    def _split(
        self, joined: Float[Tensor, "batch length width"]
    ) -> Float[Tensor, "batch head length part"]:
        return joined.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def _remember(
        self, cache: Any, keys: Any, values: Any, stream: Any, *where: Any
    ) -> tuple[Any, Any, Any]:
        """All keys, values and streams so far.

        The cache holds two arrays a layer; the stream lies beside the keys, all heads as one.
        """
        layers = cache.layers
        held = layers[self.layer_idx].keys if self.layer_idx < len(layers) else None
        if held is not None and held.numel() and held.shape[1::2] != (1, 2 * self.embed_dim):
            raise BadInput(
                "this cache is from a model without identities",
                seen=f"keys of shape {tuple(held.shape)}",
                why="it does not hold the stream, which later tokens are compared with",
                hint="begin with an empty cache, or with past_key_values=None",
            )
        joined = torch.cat([keys, stream.to(keys.dtype)], dim=-1)
        joined, values = cache.update(joined[:, None], values[:, None], self.layer_idx, *where)
        keys, streams = joined[:, 0].split(self.embed_dim, dim=-1)
        return keys, values[:, 0], streams


def add_identities(model: Any, *, diagonal: bool = True) -> Any:
    """Give every head of a GPT-2 its two numbers, at 0; the model itself is changed and returned.

    The new weights are `h.LAYER.attn.key_query_identity` and `h.LAYER.attn.value_output_identity`,
    all other names stay. Without `diagonal` no place is compared with itself.
    """
    blocks = _blocks(model)
    config = model.config
    if config.add_cross_attention:
        raise BadInput(
            "identities are for self-attention only",
            seen="a GPT-2 with cross-attention",
            hint="add_cross_attention=False",
        )
    _check_implementation(config)
    if any(type(block.attn) is not GPT2Attention for block in blocks):
        seen = type(blocks[0].attn).__name__
        why = "the numbers are there already" if seen == "IdentityAttention" else None
        hint = "remove_identities(model)" if why else "a model as transformers makes it"
        raise BadInput("this attention cannot be given identities", seen=seen, why=why, hint=hint)
    for block in blocks:
        attention, like = block.attn, block.attn.c_attn.weight
        # The same object with another forward: weights, their names, hooks and devices all stay.
        attention.__class__ = IdentityAttention
        attention.diagonal = diagonal
        for name in (KEY_QUERY, VALUE_OUTPUT):
            zeros = torch.zeros(attention.num_heads, dtype=like.dtype, device=like.device)
            attention.register_parameter(name, nn.Parameter(zeros))
    setattr(config, DIAGONAL, diagonal)
    return model


def remove_identities(model: Any) -> Any:
    """The plain GPT-2 again: the numbers and what they did are gone; returns the model."""
    for attention in _attentions(model).values():
        for name in (KEY_QUERY, VALUE_OUTPUT, "diagonal"):
            delattr(attention, name)
        attention.__class__ = GPT2Attention
    if hasattr(model.config, DIAGONAL):
        delattr(model.config, DIAGONAL)
    return model


def identity_parameters(model: Any) -> dict[str, Any]:
    """The numbers by name, `h.0.attn.key_query_identity` and so on; empty for a plain model."""
    return {
        f"h.{layer}.attn.{name}": getattr(attention, name)
        for layer, attention in _attentions(model).items()
        for name in (KEY_QUERY, VALUE_OUTPUT)
    }


def load_identities(model: Any, folder: str | Path) -> Any:
    """Add identities with the numbers that `model.save_pretrained(folder)` has written.

    `from_pretrained` knows plain GPT-2 only and leaves the numbers out (it warns): call this after.
    """
    _blocks(model)
    found = _stored(Path(folder))
    add_identities(model, diagonal=getattr(model.config, DIAGONAL, True))
    wanted = identity_parameters(model)
    shapes = {name: tuple(parameter.shape) for name, parameter in wanted.items()}
    if {name: tuple(value.shape) for name, value in found.items()} != shapes:
        remove_identities(model)
        raise BadInput(
            "this folder has no identities for this model",
            seen=f"{folder}: {len(found)} such entries",
            why=f"the model has {len(wanted)}, of {model.config.n_head} numbers each",
            hint="a folder written by save_pretrained of a model of this shape with identities",
        )
    with torch.no_grad():
        for name, parameter in wanted.items():
            parameter.copy_(found[name])
    return model


def _stored(folder: Path) -> dict[str, Any]:
    """The numbers in the files of a folder; there are several files where a model is large."""
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(file, framework="pt") as stored:
                for name in stored.keys():  # noqa: SIM118 - a file, not a dictionary
                    if name.endswith((KEY_QUERY, VALUE_OUTPUT)):
                        found[name.removeprefix("transformer.")] = stored.get_tensor(name)
        except SafetensorError as problem:
            why = str(problem)
            raise BadInput("this file of weights is damaged", seen=file, why=why) from problem
    return found


def _blocks(model: Any) -> Any:
    """The layers, once all is there that they need."""
    if not INSTALLED:
        raise BadInput(
            "a HuggingFace GPT-2 needs torch and transformers",
            why="they are optional, and at least one of them is not installed",
            hint="install foretell[torch]: pip install 'foretell[torch]'",
        )
    if int(transformers.__version__.split(".")[0]) < OLDEST:
        raise BadInput(
            "this version of transformers is too old",
            seen=transformers.__version__,
            why="its attention is called in another way",
            hint=f"transformers {OLDEST} or newer",
        )
    if not isinstance(model, GPT2PreTrainedModel):
        raise BadInput(
            "identities are for a GPT-2 of transformers",
            seen=type(model).__name__,
            hint="a GPT2LMHeadModel or GPT2Model, not wrapped in anything",
        )
    return model.base_model.h


def _attentions(model: Any) -> dict[int, Any]:
    """Those with identities, by layer."""
    found = {layer: block.attn for layer, block in enumerate(_blocks(model))}
    return {layer: each for layer, each in found.items() if isinstance(each, IdentityAttention)}


def _check_implementation(config: Any) -> None:
    if config._attn_implementation not in IMPLEMENTATIONS:
        raise BadInput(
            "identities do not work with this implementation of attention",
            seen=config._attn_implementation,
            why="it keeps logits and mask to itself",
            hint="attn_implementation='eager' or 'sdpa'",
        )


def _check_call(attention: Any, rest: dict[str, Any]) -> None:
    """Refuse what would be silently left out; the implementation may be changed at any time."""
    _check_implementation(attention.config)
    for name in ("encoder_hidden_states", "head_mask"):
        if rest.get(name) is not None:
            raise BadInput("attention with identities has no such option", seen=name)


def _scale(attention: Any) -> float:
    """What GPT-2 multiplies products of keys and queries by."""
    config = attention.config
    scale = float(attention.head_dim) ** -0.5 if config.scale_attn_weights else 1.0
    return scale / (attention.layer_idx + 1 if config.scale_attn_by_inverse_layer_idx else 1)


def _shares(
    logits: Float[Tensor, "batch head query key"],
    mask: Float[Tensor, "#batch #head query key"] | Bool[Tensor, "#batch #head query key"] | None,
    places: Int[Tensor, " query"],
) -> Float[Tensor, "batch head query key"]:
    """Softmax over keys; without a mask, over those that are not later."""
    if mask is not None and mask.dtype != torch.bool:
        return (logits + mask).softmax(dim=-1)
    if mask is None:
        mask = torch.arange(logits.shape[-1], device=logits.device) <= places[:, None]
    # Rows of padding may see nothing at all: no share then, as in PyTorch's own attention, not NaN.
    lowest = torch.finfo(logits.dtype).min
    return logits.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)
