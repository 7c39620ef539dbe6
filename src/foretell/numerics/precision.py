"""Which type the arithmetic uses; weights and optimiser state stay float32."""

from __future__ import annotations

import jax.numpy as jnp
from jax.typing import DTypeLike

COMPUTE: dict[str, DTypeLike] = {"float32": jnp.float32, "bfloat16": jnp.bfloat16}
