"""Figures of the sandboxes: one file each, named after its sandbox, drawn from what is stored."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from foretell.reports.plots import STYLE, as_svg


def sandbox_figure(name: str, curves: Mapping[str, Any], heading: str) -> str:
    """The figure of one sandbox as SVG."""
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    with matplotlib.rc_context(STYLE):
        drawn: Figure = module.draw(curves)
        return as_svg(drawn, heading)
