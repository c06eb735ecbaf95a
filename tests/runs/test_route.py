"""Choosing among many documents: by the workspace's cards, opening only what is walked."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.support.compiled import compiled_document
from vectorless_web import wiring
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.engine.finding.routing import RouterConfig
from vectorless_web.engine.questions.understand import understand
from vectorless_web.runs import corpus as corpora
from vectorless_web.runs.corpus import ROUTER_SETTINGS, WorkspaceCorpus, router_config
from vectorless_web.runs.models import Run, Step
from vectorless_web.runs.page.rendering import describe_reading
from vectorless_web.runs.services import claim_run, execute_run, start_run
from vectorless_web.workspaces.models import Workspace

pytestmark = pytest.mark.django_db

TOPICS = ("glaciers", "orchards", "turbines", "lanterns", "harbours", "violins")


@pytest.fixture
def shelf(workspace, alice) -> list[Document]:
    """Six documents on different matters, in a workspace that routes from two documents on."""
    workspace.settings = {"activate_threshold": 2, "max_candidates": 2}
    workspace.save()
    return [add(workspace, alice, topic) for topic in TOPICS]


def add(workspace, user, topic: str) -> Document:
    text = f"# A report on {topic}\n\nThe {topic} of the valley number {len(topic) * 7} in all.\n"
    return compiled_document(workspace, user, text.encode(), f"{topic}.md")


def ask(workspace, user, question: str, chosen: list[Document] | None = None, **choices) -> Run:
    ids = None if chosen is None else [document.pk for document in chosen]
    run = start_run(user=user, workspace=workspace, question=question, documents=ids, **choices)
    execute_run(claim_run(run.pk), engine=wiring.build_engine())
    return Run.objects.get(pk=run.pk)


def shortlist(run: Run) -> list[str]:
    return [row["title"] for row in run.steps.get(kind="route").observation["shortlist"]]


def test_the_document_asked_about_is_walked_and_only_what_is_walked_is_opened(shelf, workspace, alice, monkeypatch):
    opened = []
    real = corpora.open_version
    monkeypatch.setattr(corpora, "open_version", lambda version: opened.append(version.document_id) or real(version))
    run = ask(workspace, alice, "How many turbines are in the valley?")

    assert set(opened) == {version.document_id for version in run.versions.all()}
    assert len(set(opened)) <= 2
    assert "turbines" in shortlist(run)[0].lower()
    route = run.steps.get(kind="route").observation
    assert (route["considered"], route["activated"], route["index_version"]) == (6, True, "6")


def test_routing_costs_the_same_queries_however_many_documents_there_are(shelf, workspace, alice):
    assert queries(workspace, alice) == queries(workspace, alice, more=("saddles", "kettles", "compasses"))


def queries(workspace, user, more: tuple[str, ...] = ()) -> int:
    for topic in more:
        add(workspace, user, topic)
    run = start_run(user=user, workspace=workspace, question="How many turbines are in the valley?")
    corpus, plan = WorkspaceCorpus(run), understand(run.question)
    with CaptureQueriesContext(
        connection,
    ) as seen:
        found = corpus.router.route(plan)
        corpus.find_entries([str(candidate.doc_id) for candidate in (*found.candidates, *found.tail)])
        [corpus.card(str(candidate.doc_id)) for candidate in found.candidates]
        assert corpus.size
    return len(seen)


def test_a_chosen_few_are_the_whole_world(shelf, workspace, alice):
    run = ask(workspace, alice, "How many turbines are in the valley?", [shelf[0], shelf[1]])

    assert set(shortlist(run)) <= {shelf[0].title, shelf[1].title}
    assert run.steps.get(kind="route").observation["considered"] == 2


def test_a_document_of_after_the_start_is_not_in_the_run(shelf, workspace, alice):
    run = start_run(user=alice, workspace=workspace, question="How many saddles are in the valley?")
    lease = claim_run(run.pk)
    late = add(workspace, alice, "saddles")
    execute_run(lease, engine=wiring.build_engine())

    assert late.title not in shortlist(run)


def test_the_workspaces_settings_are_the_routers(workspace):
    defaults = {name: Workspace.DEFAULTS[name] for name in ROUTER_SETTINGS}
    assert router_config(defaults) == router_config({}) == RouterConfig()
    assert router_config({"route_mode": "precise", "w_graph": 0.0}) == RouterConfig(mode="precise", w_graph=0.0)


def test_the_route_step_lets_the_reader_ask_with_other_documents(shelf, workspace, alice, client, html):
    run = ask(workspace, alice, "How many turbines or violins or lanterns are in the valley?", max_walks=1)
    route = run.steps.filter(kind="route")[0].observation
    near = route["missed"][0]["document"]
    page = html(alice, reverse("runs:detail", args=[workspace.slug, run.pk]))

    for row in route["shortlist"]:
        assert re.search(rf'name="documents"\s+value="{row["document"]}"\s+checked', page)
    assert re.search(rf'name="documents"\s+value="{near}"\s*>', page.split('id="follow"')[0])
    left = route["considered"] - len(route["shortlist"])
    assert f"{len(route['shortlist'])} document read, {left} put aside" in page
    assert f"Ask the {len(route['missed'])} documents that were put aside" in " ".join(page.split())

    values = {"question": run.question, "scope": "documents", "thread": run.thread_id, "documents": [near]}
    client.post(reverse("runs:ask", args=[workspace.slug]), values)
    fresh = Run.objects.latest("pk")
    assert (fresh.thread, list(fresh.documents.values_list("pk", flat=True))) == (run.thread, [int(near)])


def test_what_was_opened_and_not_read_is_not_called_read():
    route = Step(kind="route", observation={"considered": 14})
    read = Step(kind="read", refs=[{"document": "1", "role": "read"}, {"document": "2", "role": "looked"}])
    opened = [DocumentVersion(document_id=pk) for pk in range(1, 6)]
    assert describe_reading([route, read], opened).say == "1 document read, 4 opened but not read, 9 put aside"
    assert describe_reading([route], opened).say == "5 documents opened, 9 put aside"
