"""What must be said to JAX before it starts."""

from __future__ import annotations

import hashlib
import os
import platform
from pathlib import Path


def prepare_jax() -> None:
    """Keep compiled programs between commands, apart for each kind of processor."""
    import jax

    if os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        return
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / "foretell" / "compiled" / _processor()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # a cache is a convenience: without a place for it, compile again
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


def _processor() -> str:
    """Machine code for one processor may be wrong on another that shares the home folder."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = [platform.processor()]
    kept = sorted({line for line in lines if line.startswith(("model name", "flags"))} or lines)
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()[:12]
