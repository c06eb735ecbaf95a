"""A page whose socket is refused on the way asks for the run's news by itself."""

import re
from dataclasses import replace

import pytest

from tests.support.engines import StoryReasoner, TestEngine, claim, complete, long_story, step
from vectorless_web.runs.models import Run, Step
from vectorless_web.runs.services import claim_run, execute_run

# The watch over a run has a connection of its own, which takes a run that is not committed for one that is gone.
pytestmark = pytest.mark.django_db(transaction=True)
STEP = re.compile(r'id="step-(\d+)"')


@pytest.fixture
def ask_for_news(client, bob):
    client.force_login(bob)

    def ask(run, after: int, state: str = ""):
        return client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/news/", {"after": after, "state": state})

    return ask


def test_everything_beyond_what_the_page_holds_comes_at_once_and_nonsense_holds_nothing(make_run, ask_for_news):
    run = make_run()
    execute_run(claim_run(run.pk), engine=TestEngine(StoryReasoner(long_story)))
    stored = list(run.steps.values_list("sequence", flat=True))

    for after, held in ((5, 5), (0, 0), ("", 0), ("-1", 0), ("none", 0), ("9" * 40, 0)):
        answer = ask_for_news(run, after)
        shown = answer.content.decode()
        assert [int(number) for number in STEP.findall(shown)] == [each for each in stored if each > held], after
        assert 'id="outcome"' in shown
        assert 'id="steps"' not in shown, "what no attempt rewrote is not sent twice"
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


def test_whoever_watched_it_end_can_verify_it_without_loading_the_page_again(client, make_run, ask_for_news, bob):
    run = make_run()
    assert "Verify" not in client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/").content.decode()
    execute_run(claim_run(run.pk), engine=TestEngine(StoryReasoner(long_story)))

    brought = ask_for_news(run, 0).content.decode()
    address = re.search(r'<form[^>]* id="verify-run"[^>]* hx-post="([^"]+)"', " ".join(brought.split()))[1]
    answer = client.post(address, headers={"HX-Request": "true"})

    assert answer["HX-Redirect"] == f"/w/{run.workspace.slug}/runs/{run.pk}/people/"
    assert list(run.verifications.values_list("user", flat=True)) == [bob.pk]


def test_what_a_second_attempt_rewrote_or_dropped_reaches_the_pages_that_hold_the_first(make_run, ask_for_news):
    run = make_run()

    def dies(document):
        yield from (step(number, document) for number in range(3))
        Run.objects.filter(pk=run.pk).update(lease="", status="queued", attempt=2)
        yield step(50, document)

    def again(document):
        return [
            step(0, document),
            replace(step(1, document), say="Read it better"),
            claim(0, "checked", document),
            complete(),
        ]

    execute_run(claim_run(run.pk), engine=TestEngine(StoryReasoner(dies)))
    held = max(Step.objects.filter(run=run).values_list("sequence", flat=True))
    execute_run(claim_run(run.pk), engine=TestEngine(StoryReasoner(again)))

    html = ask_for_news(run, held).content.decode()
    steps = html[re.search(r'<ol\s+class="steps"\s+id="steps"\s+hx-swap-oob="innerHTML"', html).start() :]
    assert "Read it better" in steps
    assert [int(number) for number in STEP.findall(steps)] == [1, 2]
