"""Named template tasks can be found: what the source text says is what importing it gives."""

import json

import pytest
from typer.testing import CliRunner

from foretell.cli import app
from foretell.cli._template_tasks import find_template_task, template_tasks
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task
from foretell.templates.built_in import BUILT_INS


def said(entry, section):
    return dict(entry.sections)[section]


def test_every_built_in_is_listed_with_what_it_asks():
    found = {entry.name.removeprefix("template:"): entry for entry in template_tasks()}
    assert list(found) == list(BUILT_INS)
    for name, entry in found.items():
        assert entry.title == BUILT_INS[name].what
        made = BUILT_INS[name].made
        if isinstance(made, str):
            assert said(entry, "Definition") == made
        else:
            assert said(entry, "Definition").splitlines()[0] == made.__doc__.splitlines()[0]


@pytest.mark.parametrize("name", BUILT_INS)
def test_the_example_names_a_task_that_there_is(name):
    what = said(find_template_task(f"template:{name}"), "Example").split('"')[1]
    assert find_task(what).name == what


def test_it_is_listed_and_explained_and_near_misses_are_told():
    run = CliRunner().invoke(app, ["list", "tasks", "--json"])
    names = [entry["name"] for entry in json.loads(run.output)["tasks"]]
    assert "majority" in names and "template:aba-abb" in names
    run = CliRunner().invoke(app, ["explain", "template:majority,length=6", "--json"])
    told = json.loads(run.output)
    assert told["name"] == "template:majority" and "majority" in told["definition"]
    with pytest.raises(BadInput, match="did you mean"):
        find_template_task("template:majorty")
    with pytest.raises(BadInput, match="unknown template task"):
        find_template_task("template:")
