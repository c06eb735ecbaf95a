"""`manage.py ask`: what it prints, and the exit code it leaves with."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from vectorless_web.api.routes.runs import RunOut
from vectorless_web.runs.export.exports import step_row
from vectorless_web.runs.management.commands.ask import Command
from vectorless_web.runs.models import Step

REPORT = """# Annual report 2024

## Revenue

Revenue was 412 million in 2024, against 398 million in 2023.

## Leave

Everybody has 30 days of leave.
"""
KEYS = {
    *("reason", "missing", "outcome", "answer", "value", "verdict", "unknown_words", "note"),
    *("citations", "passages", "steps", "seconds"),
}


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "report.md"
    path.write_text(REPORT)
    return path


@pytest.fixture
def ask(capsys):
    """Run the command in this process: `ask("Why?", path, "--json")`."""
    heard = signal.getsignal(signal.SIGINT)

    def run(*arguments) -> subprocess.CompletedProcess:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            Command().run_from_argv(["manage.py", "ask", *map(str, arguments)])
        return subprocess.CompletedProcess(arguments, left.value.code, *capsys.readouterr())

    yield run
    signal.signal(signal.SIGINT, heard)


def test_the_sites_characters_of_a_passage_hold_in_a_terminal_too(ask, tmp_path, settings):
    path, settings.SUMMARY_CAP = tmp_path / "long.md", 400
    path.write_text("# Rules\n\nGuests leave by noon. " + "Keys are left at the desk in the hall. " * 30)
    shown = json.loads(ask("When do guests leave?", path, "--json").stdout)["passages"][0]["passage"]["text"]
    assert shown.startswith("Guests leave by noon.") and len(shown) <= 400


def test_the_passages_go_to_standard_output_and_the_steps_to_standard_error(report):
    """Started as people do, where nothing is there that it must not need."""
    nowhere = {"DATABASE_URL": "sqlite:////nowhere/db.sqlite3", "REDIS_URL": "unix:///nowhere/redis.sock"}
    line = [sys.executable, "manage.py", "ask", "What was revenue in 2024?", str(report)]
    done = subprocess.run(
        line, cwd=ROOT, env={**os.environ, **nowhere}, text=True, capture_output=True, timeout=60, check=False
    )

    assert done.returncode == 3
    assert done.stdout.splitlines()[0] == "No model is connected. These passages come closest."
    assert "report.md, p. 1: “Revenue was 412 million in 2024" in done.stdout
    for kind in ("route", "finalize"):
        assert kind in done.stderr
        assert kind not in done.stdout


def test_an_answer_comes_first_with_its_verdict(ask, report, settings, monkeypatch):
    settings.ENGINE_FACTORY = "tests.support.engines.build_slow"
    monkeypatch.setenv("STORY_PAUSE", "0")
    done = ask("What was revenue in 2024?", report)

    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "Revenue was 412 million. [1] (exact)"
    assert "[1] report.md, p. 1: “Revenue was 412 million”" in done.stdout


def test_json_is_exactly_one_line_and_names_files_passages_and_words(ask, report, tmp_path):
    other = tmp_path / "handbook.md"
    other.write_text("# Handbook\n\nThe canteen opens at noon.\n")
    done = ask("What was revenue in 2024, and the penalty?", other, report, "--json")

    assert (done.returncode, done.stdout.count("\n")) == (3, 1)
    result = json.loads(done.stdout)
    assert set(result) == KEYS
    assert (result["outcome"], result["unknown_words"], result["verdict"]) == ("passages", ["penalty"], "")
    first = result["passages"][0]
    assert (first["document"], first["page"]) == ("report.md", 1)
    assert "412 million" in first["quote"] and first["quote"] in first["passage"]["text"]


def test_steps_are_printed_as_events_with_the_fields_of_stored_ones(ask, report):
    done = ask("What was revenue in 2024?", report, "--json", "--steps")
    events = [dict(line.split(": ", 1) for line in part.splitlines()) for part in done.stdout.strip().split("\n\n")]
    assert [int(event["id"]) for event in events] == list(range(1, len(events) + 1))
    assert {event["event"] for event in events[:-1]} <= {"reasoning/step", "reasoning/claim"}
    last = json.loads(events[-1]["data"])
    assert (events[-1]["event"], last["steps"], last["status"]) == ("reasoning/complete", len(events) - 1, "passages")
    assert {"ended", "reason", "answer", "value", "verdict"} <= set(last) & set(RunOut.model_fields)
    step = json.loads(events[0]["data"])
    assert set(step) == set(step_row(Step(refs=[], rejected=[], documents=[])))


def test_a_thread_is_kept_in_a_file_and_a_broken_one_is_bad_input(ask, report, tmp_path):
    thread = tmp_path / "thread.json"
    questions = ["What was revenue in 2024?", "And the leave?"]
    for question in questions:
        ask(question, report, "--thread", thread)

    assert [row["question"] for row in json.loads(thread.read_text())] == questions
    thread.write_text("nonsense")
    done = ask("Why?", report, "--thread", thread)
    assert (done.returncode, "holds no conversation" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("page.pdf", b"<html><body>Hello</body></html>", "HTML"),
        ("noise.pdf", b"%PDF-1.7\nnothing of the kind", ""),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_file_that_cannot_be_read_is_bad_input_with_a_sentence(ask, tmp_path, name, content, words, as_json):
    path = tmp_path / name
    path.write_bytes(content)

    done = ask("What is it?", path, *(["--json"] if as_json else []))

    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()
    if as_json:
        assert json.loads(done.stdout)["outcome"] == "failed"
    else:
        assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["", "{report}"], "question"),
        (["x" * 10_000, "{report}"], "question"),
        (["Why?", "nowhere.pdf"], "nowhere.pdf"),
        (["Why?", "{folder}"], "folder"),
        (["Why?"], "FILE"),
        (["Why?", "{report}", "--max-steps", "31"], "30"),
    ],
)
def test_what_cannot_be_asked_is_bad_input(ask, report, arguments, words):
    done = ask(*(each.format(report=report, folder=report.parent) for each in arguments))

    assert (done.returncode, done.stdout) == (2, "")
    assert words.lower() in done.stderr.lower()
