"""docs/extending.md: every recipe is applied to a copy of the project as it stands there, and changes what it says."""

import json

import pytest

from tests.support.extending import ROOT, Copy, Recipe, holds, recipes

RECIPES = recipes(ROOT / "docs" / "extending.md")
NOT_FOUND = 3
"""How `ask` leaves when the documents do not hold the answer."""
HANDBOOK = "docs/demo/field-handbook.md"
EVENTS = """
import json, sys
from pathlib import Path
import django
from django.conf import settings
import os
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")
from vectorless_web import wiring
from vectorless_web.engine.agent.events import StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.local_corpus import LocalCorpus
question, path = {question!r}, Path({path!r})
events = wiring.engine_for(None, wiring.Calls()).reasoner.run(question, LocalCorpus([path]), Limits())
rows = [event for event in events if isinstance(event, StepEvent)]
print(json.dumps([[row.kind.value, row.engine, row.say, row.observation] for row in rows], default=str))
"""


@pytest.fixture
def cooked(tmp_path):
    """A copy with a recipe applied and its commands run, and what each printed."""

    def cook(title: str) -> tuple[Copy, list[str]]:
        recipe: Recipe = RECIPES[title]
        copy = Copy(tmp_path)
        copy.apply(recipe)
        printed = []
        for command, expected in recipe.commands():
            done = copy.run(command)
            assert done.returncode in (0, NOT_FOUND), f"{command}\n{done.stderr}"
            printed.append(done.stdout + done.stderr)
            for line in expected:
                assert holds(printed[-1], line), f"{line} is missing: {command}\nprinted\n{printed[-1]}"
        return copy, printed

    return cook


def steps(copy: Copy, question: str, path: str = HANDBOOK, **environment: str) -> list[list]:
    """The steps of a run in the copy: kind, engine, sentence, observation."""
    return json.loads(copy.python(EVENTS.format(question=question, path=path), **environment))


def test_the_page_has_every_recipe():
    assert list(RECIPES) == ["A step kind", "A provider", "A pilot", "A retriever lane", "A file format"]
    assert all(recipe.commands() for recipe in RECIPES.values())


def test_a_new_step_kind_appears_in_a_run_and_in_the_trace(cooked):
    copy, _ = cooked("A step kind")

    taken = steps(copy, "Who may stop work?", VECTORLESS_ENGINE_FACTORY="counting_engine.build_engine")

    kinds = [kind for kind, *_ in taken]
    assert kinds[1] == "count"
    assert "synthesize" in kinds, "the walk goes on"
    assert ".step.is-count {" in (copy.place / "static" / "app.css").read_text()
    assert "step done is-{{ step.kind }}" in (ROOT / "templates" / "runs" / "_step.html").read_text()


def test_a_new_provider_leads_the_walk_and_writes_the_answer(cooked):
    copy, printed = cooked("A provider")

    taken = steps(copy, "How often may crew travel home?")

    assert "brain" in [engine for _, engine, *_ in taken]
    assert "Crew may travel home once every 42 days. [1]" in printed[1]


def test_a_new_pilot_changes_the_way_that_is_walked(cooked):
    copy, printed = cooked("A pilot")

    ways = [[line for line in text.splitlines() if " navigate " in line] for text in printed]
    house = steps(copy, "Who is the umpire?", VECTORLESS_ENGINE_FACTORY="house_pilot.build_engine")

    assert ways[0] != ways[1] != []
    assert "the house keeps it there" in json.dumps(house)
    assert "the house" not in json.dumps(steps(copy, "Who is the umpire?"))


def test_a_new_lane_finds_what_words_do_not(cooked):
    copy, _ = cooked("A retriever lane")

    taken = steps(copy, "What must be done with LF?")

    items = next(observation["items"] for kind, _, _, observation in taken if kind == "retrieve")
    assert [row["title"] for row in items if "initials" in row["lanes"]] == ["3.5 Lithium fires"]


def test_a_new_file_format_compiles_with_all_of_its_text(cooked):
    copy, _ = cooked("A file format")

    table = json.loads(copy.run("python3 manage.py compile vessels.psv --json").stdout)
    (copy.place / "vessels.txt").write_text((copy.place / "vessels.psv").read_text())
    text = json.loads(copy.run("python3 manage.py compile vessels.txt --json").stdout)

    assert (table["coverage"], table["tables"], table["leaves"]) == (1.0, 1, 1)
    assert text["tables"] == 0, "other names are read as before"
