"""The demo's model-led run: led by recorded replies, checked like any other, and replayed identically."""

from functools import cache

import pytest
from django.core.files import File
from django.core.management import call_command

from vectorless_web.documents.compiling.process import Finished
from vectorless_web.documents.services import add_document
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.runs import jobs
from vectorless_web.runs.demo import CASSETTES, DOCUMENT, FOLDER, start_model_run
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db(transaction=True)


@cache
def compiled() -> bytes:
    """The report, compiled once for all tests here."""
    return compile_file(FOLDER / DOCUMENT, name=DOCUMENT)


@pytest.fixture
def led(workspace, alice, settings, tmp_path) -> Run:
    """The demo's model run over the demo's newest report, finished."""
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    with (FOLDER / DOCUMENT).open("rb") as file:
        added = add_document(workspace=workspace, user=alice, upload=File(file, name=DOCUMENT))

    def compile_here(order):
        order.target.write_bytes(compiled())
        yield Finished(seconds=0.1, peak_mb=1)

    compile_version(added.version.pk, compile_with=compile_here)
    run = start_model_run(workspace, alice)
    jobs.execute_run(run.pk)
    return Run.objects.select_related("workspace").get(pk=run.pk)


def test_the_demo_s_model_run_answers_with_checked_quotes_and_a_calculation(led):
    assert (led.status, led.engine, led.model) == ("answered", "model", "live-reader")
    assert {claim.support for claim in led.claims.all()} == {"derived", "supported"}
    assert "20.0%" in led.answer.value
    assert set(led.citations.values_list("check_result", flat=True)) <= {"exact", "normalised"}
    worked_out = [claim.calculation for claim in led.claims.all() if claim.calculation]
    results = [row["result"] for one in worked_out for row in (one, *one.get("more", ()))]
    assert results == ["19.97", "17.86"]


def test_its_calls_are_on_the_cassette_every_one_and_its_cost_is_shown(led, client, alice):
    assert led.model_calls.exists()
    assert not led.model_calls.exclude(error_code="").exists()
    assert led.tokens > 1000 and led.cost_usd > 0

    client.force_login(alice)
    shown = client.get(f"/w/{led.workspace.slug}/runs/{led.pk}/").content.decode()
    assert "live-reader" in shown and "recorded from a live reader" in " ".join(shown.split())
    assert "$0.00" in shown


def test_it_replays_identically(led):
    found = jobs.find_replay_result(led)

    assert (found.verdict, found.difference) == ("identical", "")


def test_who_has_nothing_to_look_at_yet_is_shown_the_way_to_it(led, client, alice, charlie):
    empty = create_workspace(user=alice, name="Empty")
    link = f"/w/{led.workspace.slug}/runs/{led.pk}/"

    client.force_login(alice)
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
