"""Every program and every Python example of the C-RASP guide does what the guide says."""

import re
from pathlib import Path

import pytest

import foretell as ft
from foretell.core.alphabet import RESERVED
from foretell.crasp import tree

GUIDE = (Path(__file__).parents[2] / "docs" / "crasp.md").read_text(encoding="utf-8")
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(text, kind):
    return re.findall(rf"```{kind}\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize("text", blocks(GUIDE, "crasp"))
def test_the_programs_parse_and_print(text):
    program = ft.Program.parse(text)
    assert ft.Program.parse(program.show()) == program


def test_the_python_example_runs():
    (code,) = blocks(GUIDE, "python")
    names = {}
    exec(code, names)
    assert names["program"].run("abba") is True


def test_the_readme_program_is_the_one_it_says():
    text = README.split("$ cat contains-ab.crasp\n")[1].split("$ foretell")[0]
    program = ft.Program.parse(text)
    assert (program.run("abba"), program.run("bbaa")) == (True, False)


def test_programs_and_models_mean_the_same_tokens():
    assert set(tree.FRAME) == set(RESERVED) - {"<sep>"}
