"""Read templates from the text after `template:`: a built-in name, or the template language."""

from __future__ import annotations

from foretell.plain.errors import BadInput
from foretell.templates.built_in import built_in
from foretell.templates.notation import ARROWS
from foretell.templates.parsing import EXAMPLE
from foretell.templates.template_set import TemplateSet

_SIGNS = (*ARROWS, ";", "\n", '"')  # no name of a built-in task has one of these


def read_templates(text: str) -> TemplateSet:
    """The labelled templates that the text names or writes out.

    >>> print(read_templates("ab->-1;aa->+1"))
    ab -> -1; aa -> +1
    >>> len(read_templates("distribution-of-3").templates)
    144
    """
    if not text.strip():
        hint = f"{EXAMPLE} or majority,length=4"
        raise BadInput("no template is given", seen="template:", hint=hint)
    if any(sign in text for sign in _SIGNS):
        return TemplateSet.parse(text)
    return built_in(text.strip())
