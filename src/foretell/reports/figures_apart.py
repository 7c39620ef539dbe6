"""The figures of a page as files of their own, for papers, slides and read-mes."""

from __future__ import annotations

import re
from pathlib import Path

from foretell.plain.files import write_atomically

# A figure has a name that is read aloud; the small curves in tables have none.
NAMED = re.compile(r'<svg\b[^>]*\baria-label="[^>]*>.*?</svg>', re.DOTALL)


def write_figures(page: str, folder: Path, name: str) -> tuple[Path, ...]:
    """One SVG a figure, `name-1.svg` and so on in the page's order; each looks the same alone."""
    found = []
    for number, drawing in enumerate(NAMED.findall(page), 1):
        path = folder / f"{name}-{number}.svg"
        write_atomically(path, drawing + "\n")
        found.append(path)
    return tuple(found)
