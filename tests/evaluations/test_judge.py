"""A model as judge of prose, beside the score; and evaluations whose model is not heard, which stop and say why."""

from datetime import date, timedelta

import django_rq
import pytest
from django.utils import timezone
from django.utils.html import escape

from tests.runs.test_model import Script, id_of, reply, status
from tests.support.conversing import answer, claim
from vectorless_web.evaluations import services
from vectorless_web.evaluations.models import Evaluation, GoldenSet
from vectorless_web.evaluations.reading import Typed
from vectorless_web.evaluations.selectors import summarise
from vectorless_web.infra.queues.control import pause_queue
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import Budget, ModelProvider
from vectorless_web.workspaces.selectors import provider_choice

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]
LEAVE = "Every employee has twenty-five days of paid leave a year."


class Judging(Script):
    """Answers every question by the line on leave; as judge it finds that right unless `judge` says otherwise."""

    def __init__(self, **trouble) -> None:
        super().__init__(**{"turn": lambda prompt: answer(claim(LEAVE, id_of(prompt, LEAVE))), **trouble})
        self.judged: list[str] = []

    def __call__(self, request):
        prompt = "\n".join(message["content"] for message in request.get_json()["messages"])
        if "You compare an answer" not in prompt:
            return super().__call__(request)
        self.judged.append(prompt)
        said = self.trouble.get("judge", lambda _prompt: {"why": "It says so.", "right": True})(prompt)
        return reply(said) if isinstance(said, dict) else said


@pytest.fixture
def model(workspace, httpserver):
    """Have a scripted model answer in the workspace: `model(Judging())` gives it as a choice."""

    def connect(script: Script) -> str:
        httpserver.clear()
        httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(script)
        values = {"base_url": httpserver.url_for("/v1"), "model": "tiny", "price_in": 2, "price_out": 10}
        row, _ = ModelProvider.objects.update_or_create(workspace=workspace, name="Scripted", defaults=values)
        return provider_choice(row)

    return connect


@pytest.fixture
def leave(golden_set, alice) -> GoldenSet:
    """The set of two with two questions of prose, of which one expects something else than the report says."""
    rows = [
        Typed("How long is the leave?", ("report.md",), text="Five weeks, which is twenty-five days, of leave"),
        Typed("How long is the leave of a manager?", ("report.md",), mentions=("thirty|30",)),
    ]
    services.add_questions(user=alice, golden_set=golden_set, rows=rows)
    return golden_set


def evaluate(golden_set: GoldenSet, user, work_off, **setting) -> Evaluation:
    made = services.start_evaluation(user=user, golden_set=golden_set, **setting)
    work_off("background")
    return Evaluation.objects.get(pk=made.pk)


def test_a_model_judges_prose_alone_beside_the_score(leave, alice, model, work_off, html, workspace):
    script = Judging()
    choice = model(script)
    found = evaluate(leave, alice, work_off, answerer=choice, judge=choice)

    summary = summarise(found)
    assert (found.state, found.judge_label, len(script.judged)) == ("ended", "tiny", 2)
    assert "Five weeks" in script.judged[0]
    assert LEAVE in script.judged[0]
    assert (summary.judged.right, summary.judged.total, summary.agreed.right) == (2, 2, 1)
    assert (summary.judge_tokens, float(summary.judge_cost_usd)) == (2 * 1100, pytest.approx(2 * 0.003))
    shown = html(alice, f"/w/{workspace.slug}/evaluations/{found.pk}/?only=judge")
    assert "of a manager" in shown
    assert "It says so." in shown
    assert "0.0060" in shown, "the cost of the judge"
    assert "Which ships" not in shown


def test_a_judge_that_talks_nonsense_leaves_the_score_alone(leave, alice, model, work_off):
    choice = model(Judging(judge=lambda _prompt: {"opinion": "fine"}))
    found = evaluate(leave, alice, work_off, answerer=choice, judge=choice)

    summary = summarise(found)
    assert (found.state, summary.asked, summary.judged.total) == ("ended", 4, 0)
    assert found.results.exclude(judged_why="").count() == 2


def test_the_sweep_has_an_answer_judged_whose_job_was_lost_and_none_that_is_about_to_be(
    leave, alice, model, work_off, settings
):
    script = Judging()
    choice = model(script)
    found = services.start_evaluation(user=alice, golden_set=leave, answerer=choice, judge=choice)
    settings.RUN_ENDED = {"evaluation": "builtins.id"}
    work_off("background")
    for result in found.results.all():
        services.take_end(result.run)
    django_rq.get_queue("background").empty()

    services.recover_evaluations()
    work_off("background")
    assert script.judged == []
    Run.objects.update(finished_at=timezone.now() - timedelta(minutes=1))
    services.recover_evaluations()
    work_off("background")
    assert len(script.judged) == 2


def test_a_judge_that_is_away_is_waited_for_and_no_question_asked_twice(leave, alice, model, work_off):
    choice = model(Judging(judge=status(401)))
    found = evaluate(leave, alice, work_off, answerer=choice, judge=choice)
    asked = Run.objects.filter(purpose="evaluation").count()
    assert (found.state, "key" in found.problem, summarise(found).judged.total) == ("stopped", True, 0)

    model(Judging())
    services.resume_evaluation(user=alice, evaluation=found)
    work_off("background")

    found.refresh_from_db()
    assert (found.state, found.problem, summarise(found).judged.total) == ("ended", "", 2)
    assert Run.objects.filter(purpose="evaluation").count() == asked


@pytest.mark.parametrize(("trouble", "said"), [({"turn": status(401)}, "key"), ({}, "budget")])
def test_a_model_that_is_not_heard_stops_its_evaluation_and_is_not_scored(
    leave, alice, model, work_off, workspace, html, trouble, said
):
    if said == "budget":
        Budget.objects.create(workspace=workspace, limit_usd="0.000001", period_start=date(2020, 1, 1))
    found = evaluate(leave, alice, work_off, answerer=model(Judging(**trouble)))

    assert (found.state, summarise(found).asked) == ("stopped", 0)
    assert said in found.problem
    page = html(alice, f"/w/{workspace.slug}/evaluations/{found.pk}/")
    assert escape(found.problem) in page
    assert "Ask what is left" in page


def test_an_evaluation_whose_queue_is_paused_says_so(golden_set, alice, workspace, html):
    found = services.start_evaluation(user=alice, golden_set=golden_set)
    pause_queue("background")
    assert "Paused by an administrator" in html(alice, f"/w/{workspace.slug}/evaluations/{found.pk}/")
