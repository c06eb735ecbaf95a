"""A page whose socket is refused on the way asks for the run's news by itself."""

import re

import pytest

from tests.runs.engines import StoryReasoner, TestEngine, long_story
from vectorless_web.runs.services import claim_run, execute_run

pytestmark = pytest.mark.django_db
STEP = re.compile(r'id="step-(\d+)"')


@pytest.fixture
def ask_for_news(client, bob):
    client.force_login(bob)

    def ask(run, after: int, state: str = ""):
        return client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/news/", {"after": after, "state": state})

    return ask


def test_everything_beyond_what_the_page_holds_comes_at_once(make_run, ask_for_news):
    run = make_run()
    execute_run(claim_run(run.pk), engine=TestEngine(StoryReasoner(long_story)))

    answer = ask_for_news(run, 5)

    shown = [int(number) for number in STEP.findall(answer.content.decode())]
    assert shown == [sequence for sequence in run.steps.values_list("sequence", flat=True) if sequence > 5]
    assert 'id="outcome"' in answer.content.decode()
    assert answer["X-Run-Ended"] == "1"


def test_a_page_that_holds_the_state_is_told_nothing(make_run, ask_for_news):
    run = make_run()
    first = ask_for_news(run, 0)
    assert (first.status_code, first["X-Run-Ended"]) == (204, "0")

    assert ask_for_news(run, 0, first["X-Run-State"]).status_code == 204
    run.phase = "walk"
    run.save()
    changed = ask_for_news(run, 0, first["X-Run-State"])
    assert changed.status_code == 200
    assert 'id="step-now"' in changed.content.decode()


@pytest.mark.parametrize("after", ["", "-1", "none", "9" * 40])
def test_a_nonsense_position_counts_as_nothing_held(make_run, ask_for_news, after):
    run = make_run()
    execute_run(claim_run(run.pk), engine=TestEngine(StoryReasoner(long_story)))

    assert len(STEP.findall(ask_for_news(run, after).content.decode())) == 13
