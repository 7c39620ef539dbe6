"""The figures of a page as files of their own, for papers, slides and read-mes."""

from __future__ import annotations

import re
from pathlib import Path

from foretell.plain.files import write_atomically

FRAMED = re.compile(r'<div class="plot[^"]*">(<svg\b.*?</svg>)', re.DOTALL)  # as every page does it


def write_figures(page: str, folder: Path, name: str) -> tuple[Path, ...]:
    """One SVG a figure, `name-1.svg` and so on in the page's order; each looks the same alone."""
    found = []
    for number, drawing in enumerate(FRAMED.findall(page), 1):
        path = folder / f"{name}-{number}.svg"
        write_atomically(path, drawing + "\n")
        found.append(path)
    return tuple(found)
