"""Replaying finished runs: identical from their stored rows and calls, or the first difference."""

import json

import pytest
from django.core.management import call_command
from django.utils import timezone
from werkzeug import Response

from tests.runs.test_model import QUESTION, Script, _patience, led_by, report, second_reader, status  # noqa: F401
from tests.support.compiled import compiled_document
from tests.support.conversing import verdict
from vectorless_web.documents.models import Document
from vectorless_web.documents.services.lifecycle import purge_document
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.runs import jobs, services
from vectorless_web.runs.models import Answer, ModelCall, Replay, Run, RunInputs, Step
from vectorless_web.runs.page.rendering import raw_step

pytestmark = pytest.mark.django_db


def replayed(run: Run):
    return jobs.find_replay_result(Run.objects.select_related("workspace").get(pk=run.pk))


@pytest.fixture
def answered(make_run, report):  # noqa: F811
    """A run without a model."""
    run = make_run(question=QUESTION)
    jobs.execute_run(run.pk)
    return Run.objects.get(pk=run.pk)


TROUBLES = {
    "good": {},
    "429 in mid-run": {"verify": status(429)},
    "500": {"turn": status(500)},
    "null characters": {"turn": lambda _p: '{"calls": [], "x\0": "\\u0000"}'},
    "dies in mid-reply": {"turn": lambda _p: Response(iter([b'{"id"']), headers={"Content-Length": "999"})},
    "repaired": {"turn 1": lambda _p: "Let me think."},
    "refused by the verifier": {"verify": lambda _p: verdict("no", why="It says something else.")},
}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_a_run_led_by_a_model_replays_identically_whatever_the_model_did(led_by, httpserver, trouble):  # noqa: F811
    script = Script(**trouble)
    run = led_by(script)
    calls = script.calls

    found = replayed(run)

    assert (found.verdict, found.difference) == ("identical", "")
    assert script.calls == calls, "nothing is asked over the network"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"say": "Something else"}, "Step 1 ROUTE, say: stored “Something else”, replayed “"),
        ({"confidence": 0.123}, "Step 1 ROUTE, confidence: stored 0.123, replayed "),
    ],
)
def test_a_step_that_was_altered_is_the_first_difference(answered, values, said):
    Step.objects.filter(pk=answered.steps.first().pk).update(**values)

    found = replayed(answered)

    assert found.verdict == "different"
    assert found.difference.startswith(said)


def test_a_tampered_call_is_named_by_the_first_step_it_changed(led_by):  # noqa: F811
    run = led_by(Script())
    call = run.model_calls.order_by("pk").first()
    ModelCall.objects.filter(pk=call.pk).update(reply=call.reply.replace("It stands there", "A guess"))

    found = replayed(run)

    assert found.verdict == "different"
    assert found.difference.endswith("thought: stored “It stands there.”, replayed “A guess.”.")


def test_an_altered_answer_and_an_altered_quote_are_told(answered):
    row = answered.citations.first()
    row.passage["lacks"] = ["profit"]
    row.save()
    assert "passages[0][8].lacks: stored 1, replayed 0" in replayed(answered).difference
    answered.citations.update(quote="Revenue was 9 million.")
    assert "passages[0][4]: stored “Revenue was 9 million.”" in replayed(answered).difference
    Answer.objects.filter(run=answered).update(unknown_words=["penalty"])
    assert replayed(answered).difference.startswith("End, entries of unknown_words")


def test_runs_over_several_documents_and_follow_ups_replay_identically(workspace, alice, make_run, report):  # noqa: F811
    for topic in ("glaciers", "orchards", "turbines"):
        text = f"# A report on {topic}\n\nThe {topic} of the valley made a revenue of {len(topic)} million.\n"
        compiled_document(workspace, alice, text.encode(), f"{topic}.md")
    runs = [make_run(question=question) for question in (QUESTION, "What do orchards and turbines make?")]
    runs.append(make_run(question="And the glaciers?", thread=runs[0].thread))
    for run in runs:
        jobs.execute_run(run.pk)

    assert RunInputs.objects.get(run=runs[2]).previous["exchanges"][0]["question"] == QUESTION
    assert [(replayed(run).verdict, replayed(run).difference) for run in runs] == [("identical", "")] * 3
    compiled_document(workspace, alice, b"# Revenue of glaciers and orchards\n", "later.md")
    assert [replayed(run).verdict for run in runs] == ["identical"] * 3


def test_a_document_in_the_bin_is_still_read_and_a_purged_one_is_named(answered, report):  # noqa: F811
    Document.objects.filter(pk=report.pk).update(deleted_at=timezone.now())
    assert replayed(answered).verdict == "identical"

    purge_document(report)

    found = replayed(answered)
    assert found.verdict == "impossible"
    assert "has been removed since" in found.difference


def test_where_the_clock_ended_a_walk_the_replay_ends_it_too(make_run, report, monkeypatch):  # noqa: F811
    run = make_run(question=QUESTION)
    monkeypatch.setattr(services.executing, "limits_of", lambda _run: Limits(wall_seconds=0.0))
    jobs.execute_run(run.pk)
    monkeypatch.undo()

    run.refresh_from_db()
    assert run.inputs.late == [{"walk": 1, "step": 0, "reading": 0, "seconds": 0.0}]
    assert not run.steps.filter(walk=1).exists()
    assert replayed(run).verdict == "identical"
    RunInputs.objects.update(late=["1.0"])
    assert replayed(run).verdict == "identical", "as earlier versions stored it"


def test_what_an_engine_of_the_site_s_own_reasoned_is_not_replayed_by_the_built_in_one(make_run, report, settings):  # noqa: F811
    settings.ENGINE_FACTORY = "tests.support.engines.build_slow"
    run = make_run(question=QUESTION)
    jobs.execute_run(run.pk)
    settings.ENGINE_FACTORY = settings.BUILT_IN_ENGINE

    found = replayed(run)

    assert found.verdict == "impossible"
    assert "tests.support.engines.build_slow" in found.difference


def test_a_resumed_run_replays_identically(led_by):  # noqa: F811
    run = led_by(Script())
    Run.objects.filter(pk=run.pk).update(status="queued", attempt=2)
    run.steps.filter(kind__in=("verify", "finalize")).delete()
    run.model_calls.filter(purpose="verify").delete()

    jobs.execute_run(run.pk)

    assert replayed(run).verdict == "identical"


def test_a_step_costs_what_its_calls_cost(led_by):  # noqa: F811
    run = led_by(Script())

    for step in run.steps.all():
        calls = list(step.model_calls.all())
        assert step.tokens == sum(call.tokens_in + call.tokens_out for call in calls)
        assert step.cost_usd == sum(call.cost_usd for call in calls)
    assert not run.model_calls.filter(step=None).exists()
    assert run.tokens == sum(run.steps.values_list("tokens", flat=True))
    told = json.loads(raw_step(run.model_calls.get(purpose="verify").step))
    assert [call["purpose"] for call in told["model_calls"]] == ["verify"]
    assert told["kind"] == "verify"


class TestCommand:
    def run(self, capsys, *arguments) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            call_command("replay", *arguments)
        return end.value.code, capsys.readouterr().out

    def test_identical_is_0_and_the_verdict_is_kept(self, answered, capsys):
        assert self.run(capsys, str(answered.pk)) == (0, f"run {answered.pk}: identical, {answered.step_count} steps\n")
        assert answered.replay.verdict == "identical"

    def test_one_that_cannot_be_replayed_does_not_end_the_others(self, led_by, make_run, report, capsys):  # noqa: F811
        older, broken, sound = led_by(Script()), make_run(question=QUESTION), make_run(question=QUESTION)
        for run in (broken, sound):
            jobs.execute_run(run.pk)
        older.inputs.reasoner["words"] = 1
        older.inputs.save()
        RunInputs.objects.filter(run=broken).update(routes=[{"candidates": "of another time"}])

        code, out = self.run(capsys, "--all")

        assert code == 0
        assert f"run {older.pk}: impossible. It was kept by another version of the program: words." in out
        assert f"run {broken.pk}: impossible. The replay failed inside the program" in out
        assert f"run {sound.pk}: identical" in out
        assert list(Replay.objects.order_by("run_id").values_list("verdict", flat=True)) == [
            "impossible",
            "impossible",
            "identical",
        ]

    def test_bad_input_is_2(self, db, capsys):
        for arguments in ((), ("4711",), ("x",), ("1", "--all")):
            assert self.run(capsys, *arguments)[0] == 2
