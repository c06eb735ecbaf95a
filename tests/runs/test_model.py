"""Runs led by a chat model, over real HTTP against a scripted server: good, slow, refusing, talking nonsense."""

import json
import re
import time
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils.formats import date_format
from werkzeug import Response

from tests.runs.conftest import REPORT
from tests.support.compiled import compiled_document
from tests.support.conversing import answer, claim, verdict
from tests.support.model_server import parts_of, whole
from tests.support.page_text import visible_text
from vectorless_web.documents.models import Document
from vectorless_web.runs import jobs
from vectorless_web.runs.models import ModelCall, Run
from vectorless_web.runs.page.rendering import takeover_of
from vectorless_web.workspaces.models import Budget, ModelProvider
from vectorless_web.workspaces.selectors import period_end, provider_choice
from vectorless_web.workspaces.services.settings import period_start
from vectorless_web.workspaces.storage import encrypt

pytestmark = pytest.mark.django_db(transaction=True)

TODAY = period_start("month")
KEY = "sk-secret-0123456789"
QUESTION = "What was revenue in 2024?"


@pytest.fixture(autouse=True)
def _patience(settings):
    settings.MODEL_SECONDS, settings.MODEL_RETRIES = 10, 0


@pytest.fixture
def report(workspace, alice) -> Document:
    """A document that was really compiled."""
    return compiled_document(workspace, alice, REPORT)


class Script:
    """A model's server: answers turns and verifies from a script, and may misbehave at chosen calls.

    `trouble` is what answers instead, by the kind of call ("turn", "verify") or its number ("turn 1"); `bodies` is
    what it was sent.
    """

    def __init__(self, **trouble) -> None:
        self.trouble = trouble
        self.bodies: list[dict] = []

    @property
    def calls(self) -> int:
        return len(self.bodies)

    def __call__(self, request) -> Response:
        self.bodies.append(json.loads(request.data))
        prompt = "\n".join(parts_of(message)[0] for message in self.bodies[-1]["messages"])
        kind = "verify" if "You check an answer" in prompt else "turn"
        act = self.trouble.get(f"{kind} {self.calls}") or self.trouble.get(kind)
        said = act(prompt) if act else verdict("supported") if kind == "verify" else good_answer(prompt)
        return said if isinstance(said, Response) else reply(said)


SENTENCE = "Revenue was 412 million in 2024."


def id_of(prompt: str, words: str = SENTENCE) -> str:
    """The id of the line that begins with these words."""
    return re.search(rf"\[(D\d+\.[\w.]+)\] {re.escape(words)}", prompt)[1]


def good_answer(prompt: str) -> dict:
    return answer(claim(SENTENCE, id_of(prompt)), value="412 million")


def reply(content: dict | str) -> Response:
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    return whole(content if isinstance(content, str) else json.dumps(content), usage)


def status(code: int):
    return lambda _prompt: Response(json.dumps({"error": {"message": KEY}}), code, content_type="application/json")


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


def test_a_model_leads_the_run_and_writes_the_answer(led_by):
    run = led_by(Script())

    assert (run.status, run.engine, run.model) == ("answered", "model", "tiny")
    assert (run.answer.value, run.answer.verdict, run.answer.grounded) == ("412 million", "verified", True)
    claim_row = run.claims.get()
    assert (claim_row.support, claim_row.maker, claim_row.marks) == ("supported", "model", [])
    assert claim_row.citations.get().quote == SENTENCE
    assert {"route", "synthesize", "verify", "finalize"} <= set(run.steps.values_list("kind", flat=True))
    calls = run.model_calls.order_by("pk").values_list("purpose", "cached", "tokens_in", "tokens_out", "cost_usd")
    each = (False, 1000, 100, Decimal("0.003"))
    assert list(calls) == [("turn", *each), ("verify", *each)]
    assert (run.tokens, run.cost_usd) == (2200, Decimal("0.006"))


@pytest.fixture
def second_reader(httpserver, workspace):
    """A model at an address and a price of its own, chosen to check what the other answers; its script."""
    script = Script()
    httpserver.expect_request("/second/chat/completions", method="POST").respond_with_handler(script)
    row = ModelProvider.objects.create(
        workspace=workspace, name="Second", base_url=httpserver.url_for("/second"), model="owl", price_in=20
    )
    first = ModelProvider.objects.create(workspace=workspace, name="Scripted", base_url="https://x.example", model="x")
    workspace.settings = {"second_reader": provider_choice(row), "answerer": provider_choice(first)}
    workspace.save()
    return script


def test_another_model_checks_the_answer_at_its_own_address_and_price(led_by, second_reader, workspace):
    script = Script()
    run = led_by(script, settings=workspace.settings)

    assert (run.status, run.model, run.answer.verdict) == ("answered", "tiny", "verified")
    assert (script.calls, second_reader.calls) == (1, 1)
    assert run.steps.get(kind="verify").engine == "owl"
    costs = dict(run.model_calls.values_list("purpose", "cost_usd"))
    assert costs["verify"] == Decimal("0.02"), "1,000 tokens at 20 dollars a million"
    assert run.cost_usd == sum(costs.values())


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (status(401), "provider_auth"),
        (lambda _p: time.sleep(0.9) or reply("{}"), "provider_timeout"),
        (lambda _p: "I would rather talk about the weather.", ""),
        (lambda _p: {"unknown": "keys"}, ""),
        (lambda _p: Response(iter([b'{"id"']), headers={"Content-Length": "999"}), "network_error"),
    ],
    ids=["401", "slow", "prose", "wrong keys", "dies in mid-reply"],
)
def test_whatever_the_model_does_the_run_ends_with_passages_and_says_why(led_by, trouble, code, settings):
    settings.MODEL_SECONDS = 0.6 if code == "provider_timeout" else 10
    run = led_by(Script(turn=trouble))

    assert run.status == "passages"
    assert run.answer.note
    takeover = takeover_of(run, run.answer)
    assert not takeover.cause or takeover.cause not in takeover.say, "said once"
    assert SENTENCE in run.citations.filter(claim=None).order_by("marker").first().passage["text"]
    assert not run.claims.exists()
    if code:
        assert code in set(run.model_calls.values_list("error_code", flat=True))


def test_the_settings_tell_that_a_key_is_refused_until_a_call_is_answered(led_by, workspace, alice, client):
    client.force_login(alice)
    address = reverse("workspaces:providers", args=[workspace.slug])

    def told() -> str:
        return " ".join(client.get(address).content.decode().split())

    script = Script()
    led_by(script)
    models = ModelProvider.objects.filter(workspace=workspace)
    row = {"name": "chat", "found": "yes", "sentence": "It answers."}
    found = {"works": True, "usable": True, "capabilities": [row], "model": "tiny", "verdict": "It suits every job."}
    models.update(capabilities=found)
    assert "It suits every job." in told()

    script.trouble["turn"] = status(401)
    led_by(script)
    assert "refuses the key" in told()
    assert "Store another key under Change" in told()
    assert "It suits every job." not in told()

    script.trouble.clear()
    led_by(script)
    assert models.get().capabilities == found
    assert "It suits every job." in told()


def test_a_second_reader_that_fails_is_told_of_and_the_other_is_not(led_by, second_reader, workspace):
    second_reader.trouble["verify"] = status(401)
    led_by(Script(), settings=workspace.settings)
    told = {row.name: row.last_failure for row in ModelProvider.objects.filter(workspace=workspace)}
    assert told["Scripted"] is None
    assert told["Second"].is_of_key


def test_one_bad_reply_is_repaired(led_by):
    run = led_by(Script(**{"turn 1": lambda _p: "Let me think."}))

    assert (run.status, run.engine) == ("answered", "model")
    assert "turn (repair)" in run.model_calls.values_list("purpose", flat=True)


class TestBudgets:
    @pytest.fixture
    def budget(self, workspace, bob):
        def limit(usd: str, **values) -> Budget:
            return Budget.objects.create(workspace=workspace, limit_usd=Decimal(usd), period_start=TODAY, **values)

        return limit

    def test_an_attempt_after_a_crash_pays_for_no_call_twice_and_nothing_stays_put_aside(self, led_by, budget, bob):
        whole, own, script = budget("5"), budget("5", user=bob, reserved_usd=5), Script()

        run = led_by(script)
        calls = list(run.model_calls.order_by("pk").values_list("pk", flat=True))
        Run.objects.filter(pk=run.pk).update(status="queued", attempt=2)
        jobs.execute_run(run.pk)

        run.refresh_from_db()
        assert (run.status, script.calls) == ("answered", 2)
        assert list(ModelCall.objects.order_by("pk").values_list("pk", "cached")) == [(pk, True) for pk in calls]
        for row in (whole, own):
            row.refresh_from_db()
            assert (row.spent_usd, row.reserved_usd) == (run.cost_usd, 0), "also what a dead worker had put aside"

    def test_a_call_that_no_longer_fits_is_not_made(self, led_by, budget):
        script, row = Script(), budget("0.000001")

        run = led_by(script)

        row.refresh_from_db()
        assert script.calls == 0
        assert run.status == "passages"
        assert set(run.model_calls.values_list("error_code", flat=True)) == {"budget_exceeded"}
        assert (row.spent_usd, row.reserved_usd) == (0, 0)
        assert ModelProvider.objects.get().last_failure is None, "the model was not asked"

    def test_the_ask_page_says_that_no_model_answers_until_when_and_who_can_raise_the_budget(
        self, led_by, budget, workspace, alice, bob, html
    ):
        def told(user) -> str:
            return visible_text(html(user, f"/w/{workspace.slug}/"))

        row = budget("5")
        led_by(Script())
        assert "tiny answers." in told(bob)
        assert "used up" not in told(bob)

        Budget.objects.update(limit_usd=row.limit_usd / 1000)
        led_by(Script())
        until = f"{date_format(period_end('month'), 'j F Y')}, 00:00 UTC."
        assert f"answers come without a model until {until} An owner of the workspace can raise it." in told(bob)
        assert "You can raise it under Settings, Budgets." in told(alice)
        Budget.objects.update(by_staff=True)
        assert "An administrator of this site can raise it." in told(alice)

        Budget.objects.update(limit_usd=5)
        assert "tiny answers." in told(bob)

    def test_a_failed_call_gives_back_what_was_put_aside(self, led_by, budget):
        row = budget("5")

        led_by(Script(turn=status(500)))

        row.refresh_from_db()
        assert (row.spent_usd, row.reserved_usd) == (0, 0)

    def test_what_another_run_has_put_aside_stays_put_aside(self, led_by, budget, make_run):
        row = budget("5", reserved_usd=5)
        make_run(status="running")

        assert led_by(Script()).status == "passages"

        row.refresh_from_db()
        assert row.reserved_usd == 5


def test_a_model_is_not_asked_more_than_it_can_read_at_once(led_by, workspace):
    script = Script()
    ModelProvider.objects.create(workspace=workspace, name="Scripted", context_size=100)

    run = led_by(script)

    assert (script.calls, run.status) == (0, "passages")


def test_without_a_model_of_its_own_a_workspace_uses_the_site_s(httpserver, settings, make_run, report):
    settings.MODEL, settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = "tiny", httpserver.url_for("/v1"), KEY
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(Script())
    run = make_run(question=QUESTION)

    jobs.execute_run(run.pk)

    run.refresh_from_db()
    assert (run.status, run.engine, run.model) == ("answered", "model", "tiny")
