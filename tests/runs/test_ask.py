"""Asking a question: what is stored, what is refused and with which words."""

import django_rq
import pytest

from tests.runs.conftest import make_ready
from vectorless_web.documents.models import Card
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.jobs import execute_run
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import ask_again, start_run
from vectorless_web.runs.services.executing import settings_of
from vectorless_web.workspaces.models import AuditEvent, ModelProvider

pytestmark = pytest.mark.django_db


def refused(**values) -> Problem:
    with pytest.raises(Problem) as caught:
        start_run(**values)
    assert not Run.objects.exists(), "a refused question leaves nothing behind"
    return caught.value


def test_a_question_becomes_a_queued_run_in_a_thread_of_its_own(place, bob, report, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        run = start_run(user=bob, workspace=place, question="  What was revenue? ")

    assert (run.status, run.question, run.whole_workspace) == ("queued", "What was revenue?", True)
    assert (run.thread.title, run.settings["max_steps"]) == ("What was revenue?", 6)
    assert django_rq.get_queue("runs").job_ids == [f"run-{run.pk}-1"]
    event = AuditEvent.objects.get(verb="run.asked")
    assert (event.actor, event.object_id, event.workspace) == (bob, str(run.pk), place)
    assert start_run(user=bob, workspace=place, question="x" * 4000).pk


def test_what_cannot_be_asked_is_refused_with_its_code(place, bob, report):
    for question, more, code in (
        *((blank, {}, "question_empty") for blank in ("", "   ", "\n\t", "\0")),
        ("x" * 10_000, {}, "question_too_long"),
        ("Why?", {"documents": [999_999]}, "unknown_document"),
        ("Why?", {"documents": []}, "no_documents"),
        *(("Why?", {"max_steps": steps}, "invalid_input") for steps in (0, 31, -1)),
    ):
        problem = refused(user=bob, workspace=place, question=question, **more)

        assert (problem.code, problem.status) == (code, 422)
        assert code != "question_too_long" or "10,000 characters" in problem.message


def test_a_workspace_says_that_there_is_nothing_to_read_or_that_it_is_still_being_read(place, bob, alice):
    place.documents.all().delete()
    assert refused(user=bob, workspace=place, question="Why?").code == "no_documents"

    report = make_ready(place, alice)
    report.current_version.status = "parsing"
    report.current_version.save()

    problem = refused(user=bob, workspace=place, question="Why?")
    assert (problem.code, problem.retryable) == ("document_not_ready", True)


def test_what_is_set_of_the_search_holds_for_the_question_and_is_asked_again(client, bob, workspace, report, settings):
    client.force_login(bob)
    settings.SUMMARY_CAP = 700
    set_here = {
        "label": "table",
        "on_page": 3,
        "part": "Note 7",
        "created_after": "2024-01-31",
        "graph_expand": "none",
        "community": "yes",
    }
    form = {"question": "What was revenue?", "scope": "all", "min_confidence": "0.5", "strategy": "mcts", **set_here}

    assert client.post(f"/w/{workspace.slug}/ask/", form).status_code == 302
    run = Run.objects.get()
    asked = settings_of(run)
    assert (asked.label, asked.where, asked.created_after) == ("table", {"page": 3, "label": "Note 7"}, "2024-01-31")
    assert (asked.graph_expand, asked.community, asked.min_confidence, asked.strategy) == ("", True, 0.5, "mcts")
    assert (asked.fusion, asked.summary_cap) == ("rrf", 700), "what is not set is the workspace's, else the site's"
    assert settings_of(ask_again(user=bob, run=run)) == asked
    page = client.get(f"/w/{workspace.slug}/runs/{run.pk}/edit/").content.decode()
    assert 'name="on_page" value="3"' in page and 'name="part" value="Note 7"' in page
    assert '<option value="table" selected' in page
    refused = client.post(f"/w/{workspace.slug}/ask/", {**form, "on_page": "0"})
    assert refused.status_code == 422 and "Ensure this value is greater than or equal to 1" in refused.content.decode()


@pytest.mark.parametrize(("headers", "told"), [({}, "Location"), ({"HX-Request": "true"}, "HX-Redirect")])
def test_a_member_is_sent_to_the_run(client, workspace, bob, report, headers, told):
    client.force_login(bob)
    response = client.post(f"/w/{workspace.slug}/ask/", {"question": "Why?", "scope": "all"}, headers=headers)

    assert response[told] == f"/w/{workspace.slug}/runs/{Run.objects.get().pk}/"


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_a_bad_question_shows_its_reason_in_place(client, workspace, bob, report, headers):
    client.force_login(bob)

    response = client.post(f"/w/{workspace.slug}/ask/", {"question": "x" * 10_000}, headers=headers)

    assert response.status_code == 422
    assert "10,000 characters" in response.content.decode()
    assert not Run.objects.exists()


def test_a_tag_in_any_language_narrows_the_scope(client, workspace, bob, report, alice):
    other = make_ready(workspace, alice, "Lease")
    other.tags = ["Verträge"]
    other.save()
    client.force_login(bob)

    client.post(f"/w/{workspace.slug}/ask/", {"question": "Why?", "scope": "tag:Vertr\0äge"})

    assert list(Run.objects.get().documents.all()) == [other]


class TestWhoAnswers:
    @pytest.fixture
    def model(self, own_model):
        return own_model(encrypted_key="gAAA==")

    def test_the_page_names_the_model_even_when_its_key_cannot_be_read_and_its_cost(
        self, html, alice, workspace, report, model
    ):
        page = html(alice, f"/w/{workspace.slug}/")
        assert "tiny answers" in page and "tiny, no price set" in page
        ModelProvider.objects.update(price_in=2, price_out=10)
        assert "tiny, at most $0.30" in html(alice, f"/w/{workspace.slug}/")
        model.delete()
        assert "no model, no cost" in html(alice, f"/w/{workspace.slug}/")

    def test_a_run_says_that_the_key_cannot_be_read(self, workspace, bob, report, model):
        run = start_run(user=bob, workspace=workspace, question="Why?")

        execute_run(run.pk)

        run.refresh_from_db()
        assert (run.status, run.error_code) == ("failed", "secret_unreadable")
        assert "type it again" in run.reason


def test_the_ask_page_offers_questions_that_documents_of_the_chosen_scope_answer(client, bob, workspace, report, alice):
    other = make_ready(workspace, alice, "Handbook")
    for document in (report, other):
        hints = [f"What does {document.title} say about leave?", "What is said about pay?"]
        Card.objects.create(version=document.current_version, title=document.title, question_hints=hints)
    client.force_login(bob)

    def offered(query: str = "") -> list[str]:
        return [row.question for row in client.get(f"/w/{workspace.slug}/{query}").context["ask"].starters()]

    both = ["What does Handbook say about leave?", "What does Annual report 2024 say about leave?"]
    assert offered() == [*both, "What is said about pay?"]
    assert offered(f"?documents={report.pk}") == [both[1], "What is said about pay?"]
    assert offered("?question=Why%3F") == []
    assert "say about leave?</a" in client.get(f"/w/{workspace.slug}/").content.decode()
