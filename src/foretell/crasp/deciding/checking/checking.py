"""`check_document`: does a certificate, read as JSON, hold?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from foretell.core.prediction import Checked
from foretell.crasp.deciding.checking.differences import check_differences
from foretell.crasp.deciding.checking.flows import check_flows
from foretell.crasp.deciding.checking.potentials import check_potentials
from foretell.crasp.deciding.checking.solutions import check_solutions
from foretell.crasp.deciding.checking.table import Refuted, Table
from foretell.plain.errors import BadInput

CHECKERS: dict[str, Callable[[Table, Mapping[str, Any]], str]] = {
    "flows": check_flows,
    "differences": check_differences,
    "potentials": check_potentials,
    "pair-solutions": check_solutions,
}

ANSWERS = {"flows": "no", "differences": "no", "potentials": "yes", "pair-solutions": "yes"}


def check_document(document: Mapping[str, Any]) -> Checked:
    """Recompute everything a certificate states; what is missing or misshapen does not hold."""
    try:
        kind = document["kind"]
        if kind not in CHECKERS:
            return Checked(False, f"no such kind of certificate: {kind!r}")
        if document["answer"] != ANSWERS[kind]:
            return Checked(False, f"evidence of this kind shows a {ANSWERS[kind]}")
        return Checked(True, CHECKERS[kind](Table.read(document), document))
    except Refuted as found:
        return Checked(False, str(found))
    except BadInput as found:
        return Checked(False, f"the certificate holds something unusable: {found.what}")
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as found:
        return Checked(False, f"the certificate is misshapen: {type(found).__name__}: {found}")
