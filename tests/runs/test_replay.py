"""Replaying finished runs: identical from their stored rows and calls, or the first difference."""


import pytest
from werkzeug import Response

from tests.runs.test_model import QUESTION, Script, _own_files, led_by, reply, report, status  # noqa: F401
from vectorless_web.runs import jobs
from vectorless_web.runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)


def replayed(run: Run):
    return jobs.replayed(Run.objects.select_related("workspace").get(pk=run.pk))


@pytest.fixture
def answered(make_run, report):  # noqa: F811
    """A run that the offline reasoner answered."""
    run = make_run(question=QUESTION)
    jobs.execute_run(run.pk)
    return Run.objects.get(pk=run.pk)


def test_an_offline_run_replays_identically(answered):
    found = replayed(answered)

    assert (found.verdict, found.difference) == ("identical", "")
    assert found.steps == answered.step_count


TROUBLES = {
    "good": {},
    "401": {"step": status(401), "answer": status(401)},
    "429 in mid-run": {"step 2": status(429)},
    "500": {"step": status(500), "answer": status(500)},
    "prose": {"step": lambda _s: reply("Let me talk."), "answer": lambda _s: reply("Indeed.")},
    "broken JSON": {"step": lambda _s: reply('{"thought": "brok'), "answer": lambda _s: reply('{"claims": [')},
    "null characters": {"answer": lambda _s: reply('{"claims": [], "x\0": "\\u0000"}')},
    "dies in mid-reply": {"step": lambda _s: Response(iter([b'{"id"']), headers={"Content-Length": "999"})},
    "repaired": {"step 1": lambda _s: reply("Let me think.")},
}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_a_run_led_by_a_model_replays_identically_whatever_the_model_did(led_by, httpserver, trouble):  # noqa: F811
    script = Script(**trouble)
    run = led_by(script)
    calls = script.calls

    found = replayed(run)

    assert (found.verdict, found.difference) == ("identical", "")
    assert script.calls == calls, "nothing is asked over the network"
