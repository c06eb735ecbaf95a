"""Reading a question with the workspace's own words, or without synonyms: chosen when asked, told in the trace."""

import pytest

from tests.runs.conftest import make_ready
from tests.support.compiled import compiled_document
from vectorless_web.runs.jobs import execute_run
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import ask_again, start_run
from vectorless_web.workspaces.models import LexiconEntry

pytestmark = pytest.mark.django_db

TICKED = 'value="yes" checked'
QUESTION = "What does the shed cost?"
TEXT = b"# Costs\n\n## Northfield depot\n\nThe Northfield depot costs 12 million a year.\n\n## Other\n\nNothing else.\n"


@pytest.fixture
def answered(workspace, alice, bob):
    """Ask about one small document and work the run off in this process: `answered(expand=False)`."""
    compiled_document(workspace, alice, TEXT, "costs.md")
    LexiconEntry.objects.create(workspace=workspace, concept="shed", phrases=["Northfield depot"])

    def answered(**choices) -> Run:
        run = start_run(user=bob, workspace=workspace, question=QUESTION, **choices)
        execute_run(run.pk)
        return Run.objects.get(pk=run.pk)

    return answered


def understood(run: Run) -> dict:
    return run.steps.filter(kind="route").first().observation["question"]


def test_the_workspaces_words_are_looked_for_and_told(html, bob, answered):
    run = answered()
    row = understood(run)
    assert row["expand"] is True
    assert [term for term in row["terms"] if term[0] == "northfield"] == [["northfield", 0.4950, "lexicon:shed"]]
    assert next((added["concept"], added["pack"]) for added in row["looked_for"]) == ("shed", "workspace")
    page = html(bob, f"/w/{run.workspace.slug}/runs/{run.pk}/")
    assert "Also looked for: northfield depot" in page
    assert "this workspace" in page


def test_without_synonyms_only_the_questions_own_words_are_looked_for(html, bob, answered):
    run = answered(expand=False)
    row = understood(run)
    assert (row["expand"], row["looked_for"]) == (False, [])
    assert {term[2] for term in row["terms"]} <= {"question", "entity", "period"}
    page = html(bob, f"/w/{run.workspace.slug}/runs/{run.pk}/")
    assert "Synonyms were off" in page
    assert "Also looked for" not in page


def test_the_box_is_ticked_to_begin_with_decides_and_is_kept(client, html, bob, alice, workspace):
    make_ready(workspace, alice)
    client.force_login(bob)

    def ask(**data):
        return client.post(f"/w/{workspace.slug}/ask/", {"question": QUESTION, "scope": "all", **data})

    refused = ask(question="", expand=["no"])
    assert (refused.status_code, TICKED in refused.content.decode()) == (422, False)
    for sent in (["no", "yes"], [], ["no"]):
        ask(expand=sent)
    run, *others = Run.objects.order_by("-pk")
    assert [each.settings["expand"] for each in (run, *others)] == [False, True, True]
    assert ask_again(user=bob, run=run).settings["expand"] is False
    assert TICKED not in html(bob, f"/w/{run.workspace.slug}/runs/{run.pk}/")
    assert TICKED in html(bob, f"/w/{workspace.slug}/")
