"""What stood behind a number: versions, device, commit, seeds, time."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import jax

PACKAGES = ("foretell", "jax", "jaxlib", "equinox", "optax", "numpy")


def version_of(package: str) -> str:
    """Installed version, or `source` where the package runs from its source tree."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "source"


def git_commit() -> str | None:
    """Commit of the source tree this code runs from, marked when `src` has local changes."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():  # installed somewhere inside another project's repository
        return None
    commit = _git(root, "rev-parse", "--short=12", "HEAD")
    # untracked files count: a new task is a new file
    changed = _git(root, "status", "--porcelain", "--", "src")
    return f"{commit}-dirty" if commit and changed else commit or None


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def describe_machine() -> dict[str, Any]:
    """Versions and device of this process."""
    device = jax.devices()[0]
    return {
        "versions": {name: version_of(name) for name in PACKAGES}
        | {"python": platform.python_version()},
        "device": f"{device.platform}: {device.device_kind}, {platform.machine()}",
        "commit": git_commit(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
