"""Which settings a protocol reads: what it does not read is refused, not passed over in silence."""

from __future__ import annotations

import dataclasses
from typing import Any

from foretell.plain import catalogue
from foretell.plain.errors import BadInput

ALWAYS = {"what", "alphabet", "protocol", "budget", "seeds"}  # every protocol's
SHAPED = {"layers", "heads", "width", "context", "precision", "norm", "activation"}
SHAPED |= {"attention_scale", "kind", "positional"}  # what `Request.trained_shape` reads
OF_ONE_FAMILY = ("gap", "unseen-symbols")  # no use to tasks of other families


def protocol_class(name: str) -> Any:
    """The protocol of that name; its `reads` are the settings that mean something to it."""
    return catalogue.find(name, ("protocols",)).load()


def refuse_unread(request: Any, any_protocol: bool) -> None:
    """Refuse settings that were given and are not read, with a protocol that reads all of them.

    `any_protocol`: may the task be asked about by another?
    """
    reads = protocol_class(request.protocol).reads
    given = {
        field.name
        for field in dataclasses.fields(request)
        if field.name not in ALWAYS and getattr(request, field.name) != field.default
    }
    if given <= reads:
        return
    others = catalogue.entries("protocols") if any_protocol else ()
    fitting = [
        other.name
        for other in others
        if other.name not in OF_ONE_FAMILY and given <= other.load().reads
    ]
    raise BadInput(
        f"the protocol {request.protocol} has no "
        + " and no ".join(sorted(given - reads)).replace("_", " "),
        seen=request.what,
        why=f"it has {', '.join(sorted(reads)).replace('_', ' ')}",
        hint=f"--protocol {' or '.join(fitting)}" if fitting else "leave that out",
    )
