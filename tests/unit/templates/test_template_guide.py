"""Every example of the guide to templates does what the guide says, and the table is complete."""

import doctest
from pathlib import Path

import pytest

from foretell.templates.built_in import BUILT_INS

GUIDE = Path(__file__).parents[3] / "docs" / "templates.md"


def test_the_examples_run():
    text = GUIDE.read_text(encoding="utf-8").replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, "templates.md", str(GUIDE), 0)
    assert len(examples.examples) > 10
    result = doctest.DocTestRunner().run(examples)
    assert result.failed == 0


@pytest.mark.parametrize("name", BUILT_INS)
def test_every_built_in_task_is_in_the_table(name):
    assert f"`{name}" in GUIDE.read_text(encoding="utf-8")
