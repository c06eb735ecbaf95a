"""The demo: a run led by recorded replies, checked and replayed like any other; and how an operator is led to it."""

from io import StringIO

import pytest
from django.core.management import call_command

from tests.support.compiled import compiled_document
from vectorless_web.documents.models import Document
from vectorless_web.runs import jobs
from vectorless_web.runs.demo import CASSETTES, DOCUMENT, FOLDER, start_model_run
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def led(workspace, alice) -> Run:
    """The demo's model run over the demo's newest report, finished."""
    compiled_document(workspace, alice, (FOLDER / DOCUMENT).read_bytes(), DOCUMENT)
    run = start_model_run(workspace, alice)
    jobs.execute_run(run.pk)
    return Run.objects.select_related("workspace").get(pk=run.pk)


def test_the_demo_s_model_run_answers_with_checked_quotes_and_sums_at_a_cost_and_replays(
    led, client, html, alice, charlie
):
    assert (led.status, led.engine, led.model) == ("answered", "model", "live-reader")
    assert {claim.support for claim in led.claims.all()} == {"derived", "supported"}
    assert "20.0%" in led.answer.value
    assert set(led.citations.values_list("check_result", flat=True)) <= {"exact", "normalised"}
    worked_out = [claim.calculation for claim in led.claims.all() if claim.calculation]
    results = [row["result"] for one in worked_out for row in (one, *one.get("more", ()))]
    assert results == ["19.97", "17.86"]

    assert led.model_calls.exists()
    assert not led.model_calls.exclude(error_code="").exists()
    assert led.tokens > 1000 and led.cost_usd > 0

    shown = html(alice, f"/w/{led.workspace.slug}/runs/{led.pk}/")
    assert "live-reader" in shown and "recorded from a live reader" in " ".join(shown.split())
    assert "$0.00" in shown
    found = jobs.find_replay_result(led)
    assert (found.verdict, found.difference) == ("identical", "")

    # Who has nothing to look at yet is shown the way to it.
    empty = create_workspace(user=alice, name="Empty")
    link = f"/w/{led.workspace.slug}/runs/{led.pk}/"
    assert link in client.get(f"/w/{empty.slug}/").content.decode()
    client.force_login(charlie)
    other = create_workspace(user=charlie, name="Other")
    assert link not in client.get(f"/w/{other.slug}/").content.decode()


def test_nobody_else_s_run_is_led_by_a_cassette(make_run):
    for name in ("../secrets", "model-run.cassette.jsonl", ""):
        assert jobs.cassette_of(make_run(settings={"cassette": name})) is None
    assert set(CASSETTES) == {"model-run"}


def test_a_terminal_can_play_a_cassette_and_says_what_it_lacks(capsys):
    question, tape = "What was net revenue in 2024?", str(CASSETTES["model-run"])
    with pytest.raises(SystemExit) as end:
        call_command("ask", question, str(FOLDER / DOCUMENT), "--cassette", tape)

    said = capsys.readouterr()
    assert end.value.code == 0 and "1,402" in said.out
    assert "The cassette model-run.cassette.jsonl holds no reply to request" in said.err


DEMO = "open the Demo workspace"


def welcome(**options: str) -> str:
    told = StringIO()
    call_command("welcome", stdout=told, **options)
    return told.getvalue()


def test_the_demo_is_pointed_at_while_its_report_is_there(alice):
    demo = create_workspace(user=alice, name="Demo")
    document = Document.objects.create(workspace=demo, title="Report", name=DOCUMENT)
    assert DEMO in welcome()

    document.deleted_at = document.created_at
    document.save()
    assert DEMO not in welcome()
    assert "Add a document" in welcome()


def test_ctrl_c_is_named_only_by_what_it_stops():
    assert "Ctrl-C" in welcome(listens="http://127.0.0.1:8000/")
    assert "Ctrl-C" not in welcome()
