"""What every command that computes needs: JAX prepared, Ctrl-C and full memory made clear."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from foretell.plain.errors import BadInput


@contextlib.contextmanager
def computing() -> Iterator[None]:
    """Run a command's work; say what happened on Ctrl-C (130) or when memory runs out (2)."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        print(
            f"foretell: {str(stopped) or 'interrupted; what was saved is intact'}", file=sys.stderr
        )
        sys.stderr.flush()
        # XLA's threads may still compute; an ordinary exit would tear things down under them
        os._exit(130)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "RESOURCE_EXHAUSTED" not in str(error):
            raise
        raise BadInput(
            "there is not enough memory",
            why=(str(error).splitlines() or ["the system refused"])[0][:200],
            hint="a smaller --width, fewer --layers or --samples, or shorter sizes",
        ) from None


def require_folder(path: Path | None) -> None:
    """Before the work starts: can the file that was asked for be there at all?"""
    if path is None:
        return
    if path.is_dir():
        raise BadInput("a file name is needed, this is a folder", seen=path, hint=f"{path}/name")
    if not path.parent.is_dir():
        raise BadInput("there is no such folder", seen=path.parent, hint=f"mkdir -p {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise BadInput("cannot write in that folder", seen=path.parent)


def require_place(folder: Path | None) -> None:
    """The same for a folder that files are written to."""
    if folder is None:
        return
    if folder.exists() and not folder.is_dir():
        raise BadInput("a folder is needed, this is a file", seen=folder, hint=f"{folder.parent}")
    require_folder(folder / "file")


def prepare_jax(budget: str | None = None) -> None:
    """Keep compiled programs between commands, apart for each kind of processor.

    And let float32 be float32: an accelerator's usual product of such numbers keeps ten bits, with
    which a conserved quantity of a sandbox drifted by 1 %. Models in bfloat16 ask for their own.
    """
    import jax

    if jax.default_backend() != "cpu":  # which has no other product
        jax.config.update("jax_default_matmul_precision", "highest")
    elif budget == "gpu":  # JAX falls back without a word where an accelerator cannot be had
        print("foretell: no accelerator here; the budget gpu will take long", file=sys.stderr)
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
