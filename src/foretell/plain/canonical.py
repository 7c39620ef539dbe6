"""One text for one value: canonical JSON and content hashes."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """Sorted keys, no spaces, no NaN: equal values give equal text on every machine.

    >>> canonical_json({"b": 1, "a": (2, 3)})
    '{"a":[2,3],"b":1}'
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False
    )


def content_hash(value: Any) -> str:
    """First 16 hex digits of the SHA-256 of the canonical JSON; names files, joins tables."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:16]
