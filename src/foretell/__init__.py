"""Will a transformer learn this, and will it still work on longer inputs?

>>> import foretell as ft
>>> said = ft.predict("parity", positional="ape")
>>> {each.predictor: each.verdict.value for each in said if isinstance(each, ft.Prediction)}
{'crasp-length': 'no', 'rasp-l-conjecture': 'undecided'}

Names load when first used, so that `import foretell` stays fast.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Alphabet": "core.alphabet",
    "Architecture": "core.architecture",
    "BadInput": "plain.errors",
    "Certificate": "core.prediction",
    "DFA": "languages.dfa",
    "Measurement": "core.measurement",
    "Prediction": "core.prediction",
    "Program": "crasp.program",
    "Question": "core.question",
    "RegularLanguage": "languages.regular",
    "Scoreboard": "core.scoreboard",
    "Store": "training.store",
    "Task": "core.task",
    "build_scoreboard": "reports.scoreboard",
    "check": "reports.asked",
    "find_task": "tasks.lookup",
    "measure": "reports.asked",
    "predict": "reports.asked",
    "query": "training.queries",
    "represent": "reports.representation.represent",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'foretell' has no attribute {name!r}")
    return getattr(importlib.import_module(f"foretell.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
