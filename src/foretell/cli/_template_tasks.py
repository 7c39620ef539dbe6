"""The template tasks that have a name, read from the source text: importing it would load JAX."""

from __future__ import annotations

import ast
from pathlib import Path

from foretell.plain.catalogue import ROOT, Entry, suggest
from foretell.plain.errors import BadInput

PREFIX = "template:"
SOURCE = ROOT / "templates" / "built_in.py"
LIMITS = (
    "settings follow the name after commas; other templates are written out: "
    'foretell predict "template:aa -> +1; ab -> -1"'
)
PAPER = "When can transformers reason with abstract symbols, Sections 1 and 5, Appendix B"


def template_tasks() -> tuple[Entry, ...]:
    """An entry for every named template task, in the order of the table.

    >>> [each.name for each in template_tasks()][:2]
    ['template:same-different', 'template:aba-abb']
    """
    module = ast.parse(SOURCE.read_text(encoding="utf-8"))
    assigned = _assigned(module)
    texts = {
        name: node.value
        for name, node in assigned.items()
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    table = next(node for node in ast.walk(assigned["BUILT_INS"]) if isinstance(node, ast.Dict))
    return tuple(
        _entry(module, texts, str(key.value), value)
        for key, value in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(value, ast.Call)
    )


def find_template_task(text: str) -> Entry:
    """The entry of that name; settings after it do not matter, what they mean is the same."""
    name = text.removeprefix(PREFIX).split(",")[0].strip()
    known = {each.name.removeprefix(PREFIX): each for each in template_tasks()}
    if name not in known:
        raise BadInput(
            "unknown template task",
            seen=name or "nothing",
            why="only those that have a name are explained",
            hint=suggest(name, known)
            or f"foretell list tasks, or foretell predict '{PREFIX}{name}'",
        )
    return known[name]


def _entry(module: ast.Module, texts: dict[str, str], name: str, call: ast.Call) -> Entry:
    title, made = str(ast.literal_eval(call.args[0])), call.args[1]
    settings = ast.literal_eval(call.args[2]) if len(call.args) > 2 else {}
    asked = ",".join((PREFIX + name, *(f"{key}={value}" for key, value in settings.items())))
    definition = _explained(module, made) if isinstance(made, ast.Name) else _text(made, texts)
    sections = (
        ("What", title),
        ("Definition", definition),
        ("Example", f'foretell predict "{asked}"'),
        ("Known limits", LIMITS),
        ("Sources", PAPER),
    )
    return Entry(PREFIX + name, "tasks", SOURCE, title, sections)


def _assigned(module: ast.Module) -> dict[str, ast.expr]:
    """What the names at the top of the file are assigned."""
    found: dict[str, ast.expr] = {}
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = value
    return found


def _text(node: ast.expr, texts: dict[str, str]) -> str:
    """The text that an expression of texts stands for: itself, with names in it, or replaced."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(part, texts) for part in parts)
        case ast.FormattedValue(value=ast.Name(id=name)):
            return texts[name]
        case ast.Call(func=ast.Attribute(value=inner, attr="replace"), args=[old, new]):
            return _text(inner, texts).replace(_text(old, texts), _text(new, texts))
    raise ValueError(f"no text that can be read without running it: {ast.unparse(node)}")


def _explained(module: ast.Module, made: ast.Name) -> str:
    """What the function says of itself that makes the templates."""
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and made.id in {each.name for each in node.names}:
            path = Path(*(node.module or "").split(".")[1:]).with_suffix(".py")
            source = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            for function in source.body:
                if isinstance(function, ast.FunctionDef) and function.name == made.id:
                    said = ast.get_docstring(function) or ""
                    return said.split(">>>")[0].strip()
    raise ValueError(f"nothing says what {made.id} makes")
