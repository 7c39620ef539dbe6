"""Errors that teach: what happened, the value seen, why it is refused, what to try."""

from __future__ import annotations


class BadInput(Exception):
    """Something the user gave cannot be used. The command line prints it and exits with 2.

    >>> print(BadInput("unknown task", seen="majorty", why="no such name", hint="majority"))
    unknown task
      seen: majorty
      why:  no such name
      try:  majority
    """

    def __init__(
        self, what: str, *, seen: object = None, why: str | None = None, hint: str | None = None
    ) -> None:
        self.what, self.seen, self.why, self.hint = what, seen, why, hint
        lines = [what]
        if seen is not None:
            lines.append(f"  seen: {seen}")
        if why is not None:
            lines.append(f"  why:  {why}")
        if hint is not None:
            lines.append(f"  try:  {hint}")
        super().__init__("\n".join(lines))

    def as_json(self) -> dict[str, object]:
        """The same message for scripts (`--json`)."""
        seen = None if self.seen is None else str(self.seen)
        return {"error": self.what, "seen": seen, "why": self.why, "try": self.hint}


class MachineProblem(BadInput):
    """The machine contradicts itself, so that none of its answers can be kept. Exits with 1."""


class StoreProblem(BadInput):
    """The run store cannot be read or written: a full or read-only disk, a damaged file."""


class Busy(BadInput):
    """Another process holds it: nothing is wrong, and waiting helps."""
