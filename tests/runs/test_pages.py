"""The pages of runs: the list, exports, feedback, deleting, and runs in every state."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from tests.runs.conftest import make_ready, work
from tests.support.engines import closest, complete, long_story, step
from vectorless_web.documents.models import Document
from vectorless_web.engine.agent.events import NodeRef, Outcome, Rejected
from vectorless_web.infra.queues.control import hold_queues, pause_queue, resume_queue
from vectorless_web.runs.live.consumers import Audience, Feed
from vectorless_web.runs.models import Claim, Feedback, ModelCall, Run, Step, Thread
from vectorless_web.runs.page.rendering import StepCardMaker, raw_step
from vectorless_web.runs.services import purge_removed_runs
from vectorless_web.workspaces.models import AuditEvent
from vectorless_web.workspaces.selectors import may_as

pytestmark = pytest.mark.django_db


@pytest.fixture
def answered(make_run) -> Run:
    return work(make_run(), long_story)


def address(run: Run, act: str = "") -> str:
    return f"/w/{run.workspace.slug}/runs/{run.pk}/{act}"


@pytest.mark.parametrize("status", Run.Status.values)
def test_a_run_has_a_page_in_every_state(page, make_run, status):
    ended = {} if status in Run.OPEN else {"finished_at": timezone.now()}
    run = make_run(status=status, reason="So it ended.", retryable=True, started_at=timezone.now(), **ended)

    shown = page(address(run)).content.decode()

    assert run.question in shown
    assert ('ws-connect="/ws/w/' in shown) is (status in Run.OPEN)
    assert status != "failed" or ("So it ended." in shown and address(run, "again/") in shown)


def test_a_run_that_found_nothing_lists_what_it_checked(page, make_run, report):
    run = make_run()
    ref = NodeRef(str(report.pk), 4, "Outlook", 2, 2, "turned_back")
    story = [complete(Outcome.NOT_FOUND, checked=(Rejected("Outlook", "gives no figure", ref),))]
    work(run, story)

    shown = page(address(run)).content.decode()

    assert "Outlook" in shown
    assert "gives no figure" in shown


def test_whatever_a_step_observed_its_card_can_be_drawn(make_run):
    for observation in (
        {"figures": 3, "passages": 0},
        {"figures": None},
        {"passages": ["text"]},
        {"figures": [{"quote": 7}]},
        {"x": [[]]},
    ):
        run = make_run()
        step = Step.objects.create(
            run=run, sequence=1, walk=1, index=0, kind="extract", say="x", observation=observation
        )

        assert StepCardMaker(run, []).card(step, 1).say == "x"
        assert raw_step(step)


def test_home_and_the_workspace_page_show_the_newest_question_of_each_thread(page, make_run, workspace):
    first = make_run(question="What was revenue?", status="answered")
    make_run(question="And costs?", thread=first.thread, status="answered")

    assert workspace.name in page("/").content.decode()
    for shown in (page("/"), page(f"/w/{workspace.slug}/")):
        assert "And costs?" in shown.content.decode()
    assert "What was revenue?" not in shown.content.decode()


class TestList:
    def test_neither_nonsense_nor_the_edges_of_time_and_text_filter(self, page, answered):
        for query in (
            *("outcome=nonsense", "person=abc", "from=2024-99-99", "page=99999", "page=x"),
            *("to=9999-12-31", "from=0001-01-01", "from=9999-12-31", "q=412%00"),
        ):
            shown = page(f"/w/{answered.workspace.slug}/runs/?{query}").context["runs"]
            assert [row.pk for row in shown] == [answered.pk], query

    @pytest.mark.parametrize("status", ["running", "answered"])
    def test_steps_of_one_document_are_folded_under_its_name_live_and_after_a_reload(
        self, page, make_run, report, workspace, alice, status
    ):
        other = make_ready(workspace, alice, "Another")
        run = make_run(status=status, step_count=5)
        run.versions.set([report.current_version, other.current_version])
        about = [[report, other], [report], [other], [report], []]
        for number, documents in enumerate(about, start=1):
            named = [str(document.pk) for document in documents]
            Step.objects.create(
                run=run, sequence=number, walk=1, index=number, kind="extract", say=f"S{number}", documents=named
            )

        shown = page(address(run)).content.decode()
        groups = re.findall(r'id="of-(\d+)".*?<details( open)?>.*?<ol id="of-\1-steps">(.*?)</ol>', shown, re.DOTALL)
        folded = [(int(pk), bool(is_open), re.findall(r'id="step-(\d)"', steps)) for pk, is_open, steps in groups]
        assert folded == [(report.pk, False, ["2", "4"]), (other.pk, True, ["3"])], "one alone is not folded"
        assert len(re.findall(r'id="step-\d"', shown)) == 5

        _state, told = Feed(run, 1).render_news(1, "none", Audience(may_as("member"), "en"))
        counts = re.findall(rf'id="of-{report.pk}-count">\s*(\d steps?)', told)
        assert counts == ["1 step", "2 steps"]
        assert f'id="of-{other.pk}"' in told and f'data-into="of-{report.pk}-steps steps"' in told


def test_feedback_is_kept_once_for_each_person(client, bob, answered):
    client.force_login(bob)
    said = {"good": "0", "reason": "wrong_page", "comment": "Wrong\0 page"}
    fragment = client.post(address(answered, "feedback/"), {"good": "1"}, headers={"HX-Request": "true"})
    client.post(address(answered, "feedback/"), said)

    assert 'id="feedback"' in fragment.content.decode()
    kept = Feedback.objects.values_list("user", "good", "reason", "comment")
    assert list(kept) == [(bob.pk, False, "wrong_page", "Wrong page")], "without the null character"
    assert client.post(address(answered, "feedback/"), {**said, "reason": "boring"}).status_code == 422


def test_a_run_that_has_ended_is_deleted_by_who_asked_it(client, bob, alice, answered, make_run):
    client.force_login(bob)
    assert client.post(address(make_run(), "delete/")).status_code == 409, "it is stopped first"
    Run.objects.filter(pk=answered.pk).update(asked_by=alice)
    assert client.post(address(answered, "delete/")).status_code == 403
    Run.objects.exclude(pk=answered.pk).delete()
    Run.objects.update(asked_by=bob)
    client.post(address(answered, "delete/"))

    assert not Run.objects.exists()
    assert AuditEvent.objects.filter(verb="run.deleted", actor=bob).exists()
    assert client.get(address(answered)).status_code == 404
    assert purge_removed_runs() == 0, "the deletion can be undone for an hour"
    assert client.post(address(answered, "restore/")).status_code == 302
    assert client.get(address(answered)).status_code == 200
    assert client.post(address(answered, "restore/")).status_code == 404, "it is there"

    client.post(address(answered, "delete/"))
    Run.with_removed.update(removed_at=timezone.now() - timedelta(hours=2))
    assert purge_removed_runs() == 1
    assert not Run.with_removed.exists()
    assert not Thread.objects.filter(pk=answered.thread_id).exists()


def test_no_page_is_shown_of_a_document_that_was_deleted_since_or_that_the_run_did_not_read(
    page, answered, report, alice
):
    unread = make_ready(answered.workspace, alice, "Secret plans")
    Document.objects.filter(pk=report.pk).update(deleted_at=timezone.now())

    for document in (unread, report):
        assert page(address(answered, f"sheet/{document.current_version_id}/1/")).status_code == 404
    assert "Revenue was 412 million" in page(address(answered)).content.decode()


def test_a_stopped_run_shows_what_had_been_found_and_says_no_more_than_that(page, make_run, report):
    run = make_run(model="qwen3:30b")
    found = tuple(closest(marker, str(report.pk)) for marker in (1, 2))
    story = [step(0, str(report.pk)), complete(Outcome.CANCELLED, passages=found, engine="qwen3:30b")]
    work(run, story, name="model", model="qwen3:30b")
    ModelCall.objects.create(run=run, purpose="turn", model="qwen3:30b", error_code="cancelled", error="Stopped.")

    shown = page(address(run)).content.decode()

    assert "These passages had been found when it was stopped." in shown and 'id="cite-2"' in shown
    assert "did not answer" not in shown and "offline reasoner" not in shown.split('id="follow"')[0]


def test_a_waiting_run_says_what_keeps_the_whole_line_and_who_has_it_go_on(make_run, workers):
    run = make_run()
    audience = Audience(may_as("member"), "en", mine=True)

    def shown() -> str:
        return Feed(run, 0).render_news(0, "none", audience)[1]

    assert "No worker is running, place 1 in the line. It goes on when whoever runs this site starts one." in shown()
    workers(1)
    before = Feed(run, 0).render_news(0, "none", audience)[0]
    pause_queue("runs")
    assert "Paused by an administrator, place 1 in the line." in shown()
    assert "It goes on when an administrator resumes the queue." in shown()
    assert "Paused" in Feed(run, 0).render_news(0, before.token, audience)[1], "also on a page that asks by itself"
    hold_queues(hold=True)
    resume_queue("runs")
    assert "Held while the site is read-only" in shown()
    hold_queues(hold=False)
    assert "Waiting for a free worker" in shown()


def test_a_step_stored_while_the_rows_are_read_comes_with_the_next_look(make_run):

    run, audience = make_run(status="running"), Audience(may_as("member"), "en")

    def store(order: int) -> None:
        Step.objects.create(run=run, sequence=2 * order - 1, walk=0, index=order, kind="verify", say=f"step {order}")
        Claim.objects.create(run=run, sequence=2 * order, order=order, text=f"claim {order}", state="draft")

    class WriterBetween:
        """Stores a step and a claim before the claims are read, when the steps have been."""

        armed = True

        def __call__(self, execute, sql, params, many, context):
            if self.armed and 'FROM "runs_claim"' in sql and "ORDER BY" in sql:
                self.armed = False
                store(2)
            return execute(sql, params, many, context)

    store(1)
    feed = Feed(run, 0)
    with connection.execute_wrapper(WriterBetween()):
        state, _html = feed.render_news(0, "none", audience)
    _, html = feed.render_news(state.sequence, "none", audience)

    assert "step 2" in html
    assert "claim 2" in html


@pytest.mark.one_database
def test_rows_that_hold_too_much_money_are_shown_all_the_same(make_run, client, alice):
    run = make_run(status="failed")
    step = Step.objects.create(run=run, sequence=1, walk=0, index=0, kind="route", say="x")
    with connection.cursor() as cursor:  # SQLite stores what the field of the model refuses.
        cursor.execute("UPDATE runs_run SET cost_usd = %s WHERE id = %s", [3e20, run.pk])
        cursor.execute("UPDATE runs_step SET cost_usd = %s WHERE id = %s", [3e20, step.pk])

    client.force_login(alice)
    home = f"/w/{run.workspace.slug}/"
    for address in ("/", home, f"{home}runs/", f"{home}runs/{run.pk}/"):
        assert client.get(address, follow=True).status_code == 200
