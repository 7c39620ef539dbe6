"""The kinds of numbers that formulas take and give, as annotations."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from jaxtyping import Float

Real: TypeAlias = int | float
Numbers: TypeAlias = Float[np.ndarray, "..."] | np.floating  # NumPy turns arrays of one into these
