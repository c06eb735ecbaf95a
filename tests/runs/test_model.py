"""Runs led by a chat model, over real HTTP against a scripted server: good, slow, refusing, talking nonsense."""

import json
import re
import time
from decimal import Decimal

import pytest
from werkzeug import Response

from tests.support.compiled import compile_here
from vectorless_web.documents.models import Document
from vectorless_web.runs import jobs
from vectorless_web.runs.models import ModelCall, Run
from vectorless_web.workspaces.models import Budget, ModelProvider
from vectorless_web.workspaces.services.settings import period_start
from vectorless_web.workspaces.storage import encrypt

pytestmark = pytest.mark.django_db(transaction=True)

TODAY = period_start("month")
KEY = "sk-secret-0123456789"
REPORT = b"# Annual report\n\n## Revenue\n\nRevenue was 412 million in 2024.\n\n## Leave\n\nLeave is 30 days.\n"
QUESTION = "What was revenue in 2024?"


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    settings.MODEL_WHOLE_TOKENS = 0  # The report is short: shown whole it would need no walk.
    settings.MODEL_SECONDS, settings.MODEL_RETRIES = 10, 0


@pytest.fixture
def report(workspace, alice) -> Document:
    """A document that was really compiled."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from vectorless_web.documents.services import add_document
    from vectorless_web.documents.services.compiling import compile_version

    upload = SimpleUploadedFile("report.md", REPORT)
    added = add_document(workspace=workspace, user=alice, upload=upload)
    compile_version(added.version.pk, compile_with=compile_here)
    return added.document


class Script:
    """A model's server: answers steps and the answer from a script, and may misbehave at chosen calls."""

    def __init__(self, **trouble) -> None:
        self.trouble = trouble
        self.calls = 0

    def __call__(self, request) -> Response:
        self.calls += 1
        body = json.loads(request.data)
        prompt = "\n".join(message["content"] for message in body["messages"] if message["role"] == "user")
        wants_step = "Choose the next step" in prompt
        kind = "step" if wants_step else "answer"
        if act := self.trouble.get(f"{kind} {self.calls}") or self.trouble.get(kind):
            return act(self)
        return reply(self.step(prompt) if wants_step else self.answer(prompt))

    @staticmethod
    def step(prompt: str) -> dict:
        nothing = {"node": None, "title": None, "query": None, "direction": None}
        if "1. read:" in prompt:
            return {**nothing, "thought": "Everything asked for was read.", "action": "synthesize"}
        node = int(re.search(r"^\s*\[(\d+)\] Revenue", prompt, re.MULTILINE)[1])
        return {**nothing, "thought": "Revenue has a section.", "action": "retrieve", "node": node}

    @staticmethod
    def answer(prompt: str) -> dict:
        node = re.search(r"^\[(\d+)\] page", prompt, re.MULTILINE)[1]
        quote = {"node": node, "quote": "Revenue was 412 million in 2024."}
        claims = [{"text": "Revenue was 412 million in 2024.", "quotes": [quote], "calculation": None}]
        return {"claims": claims, "value": "412 million", "missing": []}


def reply(content: dict | str) -> Response:
    text = content if isinstance(content, str) else json.dumps(content)
    message = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    shown = {"id": "c", "object": "chat.completion", "created": 1, "model": "tiny-2026", "choices": [message]}
    return Response(json.dumps({**shown, "usage": usage}), content_type="application/json")


def status(code: int):
    return lambda _script: Response(json.dumps({"error": {"message": KEY}}), code, content_type="application/json")


@pytest.fixture
def led_by(httpserver, workspace, make_run, report):
    """Run the question with a scripted model: `led_by(Script())` returns the finished run."""

    def lead(script: Script, **values) -> Run:
        httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(script)
        ModelProvider.objects.update_or_create(
            workspace=workspace,
            name="Scripted",
            defaults={
                "base_url": httpserver.url_for("/v1"),
                "model": "tiny",
                "encrypted_key": encrypt(KEY),
                "price_in": 2,
                "price_out": 10,
            },
        )
        run = make_run(question=QUESTION, **values)
        jobs.execute_run(run.pk)
        return Run.objects.get(pk=run.pk)

    return lead


def engines(run: Run) -> list[str]:
    """Who planned each step of the walk, after the first one that copies from the best passages unasked."""
    return list(run.steps.filter(walk=1).exclude(action="opening").values_list("engine", flat=True))


def test_a_model_leads_the_walk_and_writes_the_answer(led_by):
    run = led_by(Script())

    assert (run.status, run.engine, run.model) == ("answered", "model", "tiny")
    assert run.answer.value == "412 million"
    assert [claim.support for claim in run.claims.all()] == ["supported"]
    assert set(engines(run)) == {"tiny"}


def test_every_call_is_kept_with_tokens_cost_and_time(led_by):
    run = led_by(Script())

    calls = list(run.model_calls.all())
    assert [call.purpose for call in calls] == ["step", "step", "answer"]
    assert not any(call.cached for call in calls)
    assert all((call.tokens_in, call.tokens_out) == (1000, 100) for call in calls)
    assert all(float(call.cost_usd) == pytest.approx(0.003) for call in calls)
    assert run.tokens == 3300
    assert float(run.cost_usd) == pytest.approx(0.009)


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (status(401), "provider_auth"),
        (status(429), "provider_rate_limited"),
        (status(500), "network_error"),
        (lambda _s: time.sleep(0.9) or reply("{}"), "provider_timeout"),
        (lambda _s: reply("I would rather talk about the weather."), ""),
        (lambda _s: reply('{"thought": "broken'), ""),
        (lambda _s: reply({"unknown": "keys"}), ""),
        (lambda _s: Response(iter([b'{"id"']), headers={"Content-Length": "999"}), "network_error"),
    ],
    ids=["401", "429", "500", "slow", "prose", "broken JSON", "wrong keys", "dies in mid-reply"],
)
def test_whatever_the_model_does_the_offline_reasoner_takes_over_and_the_run_ends(led_by, trouble, code, settings):
    settings.MODEL_SECONDS = 0.6 if code == "provider_timeout" else 10
    run = led_by(Script(step=trouble, answer=trouble))

    assert run.status in ("answered", "partial")
    assert "412" in run.answer.markdown
    assert set(engines(run)) == {"offline"}
    if code:
        assert set(run.model_calls.values_list("error_code", flat=True)) == {code}


def test_one_bad_reply_is_repaired(led_by):
    script = Script(**{"step 1": lambda _s: reply("Let me think.")})

    run = led_by(script)

    assert run.status == "answered"
    assert set(engines(run)) == {"tiny"}
    assert "step (repair)" in run.model_calls.values_list("purpose", flat=True)


def test_an_invented_quote_is_struck_out(led_by):
    def inventing(script: Script) -> Response:
        claim = {"text": "Revenue was 500 million.", "calculation": None}
        quote = {"node": "1:3", "quote": "Revenue was 500 million in 2024."}
        return reply({"claims": [{**claim, "quotes": [quote]}], "value": "500 million", "missing": []})

    run = led_by(Script(answer=inventing))

    assert list(run.claims.filter(text__contains="500").values_list("support", flat=True)) == ["unsupported"]
    assert (run.status, run.answer.markdown) == ("passages", "")
    assert "412" in run.citations.get(claim=None, marker=2).quote


def test_the_key_stands_nowhere(led_by, caplog):
    run = led_by(Script(step=status(401), answer=status(500)))

    stored = [str(list(rows.values())) for rows in (Run.objects.filter(pk=run.pk), run.steps, run.model_calls)]
    assert KEY not in "".join(stored)
    assert KEY not in caplog.text


def test_an_attempt_after_a_crash_pays_for_no_call_twice(led_by, httpserver):
    first = Script()
    run = led_by(first)
    calls = list(ModelCall.objects.order_by("pk").values_list("pk", flat=True))
    Run.objects.filter(pk=run.pk).update(status="queued", attempt=2)

    jobs.execute_run(run.pk)

    run.refresh_from_db()
    assert run.status == "answered"
    assert first.calls == 3
    assert list(ModelCall.objects.order_by("pk").values_list("pk", flat=True)) == calls
    assert set(ModelCall.objects.values_list("cached", flat=True)) == {True}


class TestBudgets:
    @pytest.fixture
    def budget(self, workspace, bob):
        def limit(usd: str, **values) -> Budget:
            return Budget.objects.create(workspace=workspace, limit_usd=Decimal(usd), period_start=TODAY, **values)

        return limit

    def test_each_call_is_booked_and_nothing_stays_put_aside(self, led_by, budget, bob):
        whole, own = budget("5"), budget("5", user=bob)

        run = led_by(Script())

        for row in (whole, own):
            row.refresh_from_db()
            assert (row.spent_usd, row.reserved_usd) == (run.cost_usd, 0)

    def test_a_call_that_no_longer_fits_is_not_made(self, led_by, budget):
        script, row = Script(), budget("0.000001")

        run = led_by(script)

        row.refresh_from_db()
        assert script.calls == 0
        assert run.status in ("answered", "partial")
        assert set(engines(run)) == {"offline"}
        assert set(run.model_calls.values_list("error_code", flat=True)) == {"budget_exceeded"}
        assert (row.spent_usd, row.reserved_usd) == (0, 0)

    def test_a_failed_call_gives_back_what_was_put_aside(self, led_by, budget):
        row = budget("5")

        led_by(Script(step=status(500), answer=status(500)))

        row.refresh_from_db()
        assert (row.spent_usd, row.reserved_usd) == (0, 0)

    def test_a_replayed_call_is_not_paid_for_again(self, led_by, budget):
        row = budget("5")
        run = led_by(Script())
        Run.objects.filter(pk=run.pk).update(status="queued", attempt=2)

        jobs.execute_run(run.pk)

        row.refresh_from_db()
        assert row.spent_usd == run.cost_usd

    def test_what_a_dead_worker_left_put_aside_is_given_back(self, led_by, budget):
        row = budget("5", reserved_usd=5)

        assert led_by(Script()).answer.value == "412 million"

        row.refresh_from_db()
        assert row.reserved_usd == 0

    def test_what_another_run_has_put_aside_stays_put_aside(self, led_by, budget, make_run):
        row = budget("5", reserved_usd=5)
        make_run(status="running")

        assert set(engines(led_by(Script()))) == {"offline"}

        row.refresh_from_db()
        assert row.reserved_usd == 5


def test_a_model_is_not_asked_more_than_it_can_read_at_once(led_by, workspace):
    script = Script()
    ModelProvider.objects.create(workspace=workspace, name="Scripted", context_size=100)

    run = led_by(script)

    assert script.calls == 0
    assert run.status in ("answered", "partial")


def test_without_a_model_of_its_own_a_workspace_uses_the_site_s(httpserver, settings, make_run, report):
    settings.MODEL, settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = "tiny", httpserver.url_for("/v1"), KEY
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(Script())
    run = make_run(question=QUESTION)

    jobs.execute_run(run.pk)

    run.refresh_from_db()
    assert (run.status, run.engine, run.model) == ("answered", "model", "tiny")


def test_without_any_model_the_offline_reasoner_answers(make_run, report):
    run = make_run(question=QUESTION)

    jobs.execute_run(run.pk)

    run.refresh_from_db()
    assert (run.status, run.engine, run.model) == ("answered", "offline", "")
    assert "412" in run.answer.markdown
    assert not ModelCall.objects.exists()
