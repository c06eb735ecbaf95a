"""Limits on asking: who asks too much is told how many wait and when to come again, and loses nothing typed."""

import pytest

from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import describe_wait
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import ask_again, start_run

pytestmark = pytest.mark.django_db(transaction=True)


def ask(place, user, question: str = "What was revenue?") -> Run:
    return start_run(user=user, workspace=place, question=question)


@pytest.mark.parametrize(
    ("limit", "earlier", "code", "least", "most", "words"),
    [
        ("WAITING_RUNS_PER_PERSON", "queued", "too_many_waiting", 5, 600, "You have 2 questions waiting"),
        ("ASKS_PER_HOUR", "answered", "too_many_asks", 1, 3600, "You may ask 2 questions in an hour"),
    ],
)
def test_a_person_may_have_so_many_questions_waiting_and_ask_so_many_an_hour(
    place, bob, alice, settings, limit, earlier, code, least, most, words
):
    setattr(settings, limit, 2)
    for _ in range(2):
        Run.objects.filter(pk=ask(place, bob).pk).update(status=earlier)

    with pytest.raises(Problem) as caught:
        ask(place, bob)

    problem = caught.value
    assert (problem.code, problem.status, problem.retryable) == (code, 429, True)
    assert least <= problem.retry_after <= most
    assert words in problem.message and f"{describe_wait(problem.retry_after)}." in problem.message
    assert ask(place, alice), "somebody else may ask"


def test_asking_again_counts_too_and_a_question_that_was_taken_makes_room_for_another(place, bob, settings):
    settings.WAITING_RUNS_PER_PERSON = 1
    first = ask(place, bob)
    with pytest.raises(Problem) as caught:
        ask_again(user=bob, run=first)
    assert caught.value.code == "too_many_waiting"

    Run.objects.filter(pk=first.pk).update(status=Run.Status.RUNNING)
    assert ask(place, bob)


def test_a_workspace_may_have_so_many_questions_waiting(place, bob, alice, settings):
    settings.WAITING_RUNS_PER_WORKSPACE = 1
    ask(place, bob)

    with pytest.raises(Problem) as caught:
        ask(place, alice)

    assert (caught.value.code, caught.value.status) == ("workspace_too_many_waiting", 429)


def test_the_form_comes_back_with_what_was_typed(client, place, bob, report, settings):
    settings.WAITING_RUNS_PER_PERSON = 1
    ask(place, bob)
    client.force_login(bob)
    typed = {"question": "How large was the dividend?", "scope": "documents", "documents": [report.pk], "max_steps": 20}

    page = client.post(f"/w/{place.slug}/ask/", typed)

    shown = page.content.decode()
    assert page.status_code == 429
    assert int(page["Retry-After"]) >= 5
    assert "How large was the dividend?</textarea>" in shown
    assert "You have 1 questions waiting" not in shown
    assert "You have 1 question waiting" in shown
    assert '<option value="20" selected>' in shown


def test_htmx_is_told_in_a_message_and_keeps_its_form(client, place, bob, settings):
    settings.WAITING_RUNS_PER_PERSON = 1
    ask(place, bob)
    client.force_login(bob)

    answer = client.post(f"/w/{place.slug}/ask/", {"question": "And?"}, headers={"HX-Request": "true"})

    assert (answer.status_code, answer.headers["Retry-After"] != "") == (429, True)
    assert 'class="toast bad"' in answer.content.decode()
    assert "<form" not in answer.content.decode(), "nothing takes the place of what was typed"
