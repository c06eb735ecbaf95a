"""Asking a run's question once more: again, deeper, edited, of another; and what a follow-up leans on."""

import re

import pytest
from django.template.loader import render_to_string

from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs import jobs
from vectorless_web.runs.models import Run
from vectorless_web.runs.page.page_context import run_context
from vectorless_web.runs.selectors import runs_before
from vectorless_web.runs.services import ask_again, start_run
from vectorless_web.workspaces.models import ModelProvider
from vectorless_web.workspaces.selectors import may_in, workspace_for
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def first(place, bob, report) -> Run:
    return start_run(user=bob, workspace=place, question="What was revenue?", max_steps=12)


@pytest.fixture
def model(own_model) -> ModelProvider:
    return own_model(price_in=2, price_out=10)


def address(run: Run, act: str = "") -> str:
    return f"/w/{run.workspace.slug}/runs/{run.pk}/{act}"


def test_each_way_of_asking_again_is_told_from_the_others_and_keeps_the_rest(bob, first, model):
    assert (first.asked_from, first.asked_how) == (None, "")
    for how, changes in (
        ("again", {}),
        ("deeper", {"max_steps": 30, "max_walks": 10}),
        ("edited", {"question": "What were net sales?"}),
        ("again", {"answerer": f"provider:{model.pk}"}),
        ("answerer", {"answerer": "offline"}),
    ):
        run = ask_again(user=bob, run=first, **changes)
        assert (run.asked_how, run.asked_from, run.thread) == (how, first, first.thread), changes
        assert run.question == changes.get("question", first.question)
        kept = {"max_steps": 12, "max_walks": first.settings.get("max_walks"), **changes}
        assert (run.settings["max_steps"], run.settings.get("max_walks")) == (kept["max_steps"], kept["max_walks"])


def test_a_second_try_leans_on_what_the_first_leaned_on(place, bob, first):
    Run.objects.update(status="answered")
    follow = start_run(user=bob, workspace=place, question="And in 2023?", follows=first.thread)
    Run.objects.update(status="answered")
    once_more = ask_again(user=bob, run=ask_again(user=bob, run=follow), question="And in 2022?")

    assert runs_before(once_more) == [first]
    assert runs_before(ask_again(user=bob, run=first)) == []


class TestWhoAnswers:
    @pytest.fixture
    def asked_of(self, monkeypatch):
        """What the job had built: the model's name or "", and whether it was told to ask none."""
        seen = []

        def engine_for(choice, calls):
            seen.append((choice.model if choice else "", calls.offline))
            raise RuntimeError("enough is known")

        monkeypatch.setattr(jobs.wiring, "engine_for", engine_for)

        def execute(run: Run):
            with pytest.raises(RuntimeError):
                jobs.execute_run(run.pk)
            return seen[-1]

        return execute

    def test_the_job_obeys_the_choice(self, place, bob, report, model, asked_of):
        other = ModelProvider.objects.create(workspace=place, name="Other", base_url="http://o.test/v1", model="large")
        asked = {
            answerer: asked_of(start_run(user=bob, workspace=place, question="Why?", answerer=answerer))
            for answerer in ("", "offline", f"provider:{model.pk}", f"provider:{other.pk}")
        }

        assert list(asked.values()) == [("tiny", False), ("", True), ("tiny", False), ("large", False)]

    def test_the_offline_reasoner_answers_though_the_site_has_a_model(self, settings, place, bob, report, work_off):
        settings.MODEL, settings.OPENAI_BASE_URL = "site-model", "http://127.0.0.1:9/v1"
        run = start_run(user=bob, workspace=place, question="Why?", answerer="offline")
        jobs.execute_run(run.pk)
        run.refresh_from_db()

        assert (run.engine, run.model) == ("offline", "")

    def test_one_that_is_not_offered_is_refused_also_when_another_workspace_has_it(self, place, bob, charlie, report):
        elsewhere = create_workspace(user=charlie, name="Elsewhere")
        foreign = ModelProvider.objects.create(workspace=elsewhere, name="X", base_url="http://x.test", model="x")
        for answerer in (f"provider:{foreign.pk}", "provider:99", "site", "nonsense"):
            with pytest.raises(Problem) as caught:
                start_run(user=bob, workspace=place, question="Why?", answerer=answerer)
            assert (caught.value.code, caught.value.status) == ("unknown_answerer", 422)


def test_an_edited_question_is_sent_like_any_other(client, bob, first):
    client.force_login(bob)
    data = {"question": "What were net sales?", "scope": "all", "again": first.pk, "thread": first.thread_id}
    client.post(f"/w/{first.workspace.slug}/ask/", data)
    run = Run.objects.latest("pk")

    assert (run.asked_how, run.asked_from, run.thread) == ("edited", first, first.thread)


class TestTheMenu:
    def shown(self, client, bob, run) -> str:
        client.force_login(bob)
        Run.objects.filter(pk=run.pk).update(status="answered")
        return client.get(address(run)).content.decode()

    def test_it_leads_to_the_question_for_editing_and_a_viewer_only_to_comparing(self, client, bob, first, workspace):
        assert f'href="{address(first, "edit/")}"' in self.shown(client, bob, first)
        workspace.memberships.filter(user=bob).update(role="viewer")
        page = self.shown(client, bob, first)

        assert address(first, "edit/") not in page
        assert address(first, "compare/") in page

    def test_each_way_works_where_a_socket_brought_it_without_a_token(self, client, bob, first):
        """Fragments that come by socket know no CSRF token: their forms are sent by htmx, which does."""
        for status in ("answered", "failed", "not_found"):
            run = Run.objects.get(pk=first.pk)
            run.workspace, run.status, run.retryable = workspace_for(bob, first.workspace.slug), status, True
            context = run_context(run, may_in(run.workspace))
            for template in ("runs/_acts.html", "runs/_answer.html", "runs/_verify.html"):
                forms = re.findall(r"<form [^>]*>", render_to_string(template, context))
                assert all("hx-post=" in form for form in forms)
