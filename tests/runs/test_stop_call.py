"""Stopping a run in the middle of a long model call: it ends soon with its connection and its bill."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.conftest import ROOT, wait_until
from tests.support.compiled import compiled_document
from tests.support.silent_server import SilentServer
from vectorless_web.documents.models import Document
from vectorless_web.runs.line import enqueue
from vectorless_web.runs.models import ModelCall, Run
from vectorless_web.runs.page.rendering import now_of, takeover_of
from vectorless_web.runs.services import cancel_run
from vectorless_web.workspaces.models import ModelProvider

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]

SOON = 5.0
"""Seconds: two are promised, the rest is for a busy machine; the model's server would be waited for a minute."""


def test_a_stop_inside_a_call_hangs_up_and_keeps_what_was_spent(make_run, alice, bob, spawn, workspace, settings):
    pieces = ["Let me ", "think about this for a while."]
    compiled_document(workspace, alice, b"# Annual report\n\n## Revenue\n\nRevenue was 412 million in 2024.\n")
    server = SilentServer(pieces)
    ModelProvider.objects.create(
        workspace=workspace, name="Slow", base_url=server.url, model="tiny", price_in=1, price_out=10
    )
    run = make_run(question="What was revenue in 2024?")
    Document.objects.exclude(name="report.md").delete()
    spawn("work", "runs", VECTORLESS_MODEL_SECONDS="60", VECTORLESS_VAR=str(settings.MEDIA_ROOT.parent))
    enqueue(run)
    assert server.asked.acquire(timeout=60)
    time.sleep(0.3)
    run.refresh_from_db()
    now = now_of(run)
    assert (now.say, now.since) == ("Waiting for tiny", run.asked_model_at)

    asked = time.monotonic()
    assert cancel_run(user=bob, run=run)
    wait_until(lambda: Run.objects.filter(pk=run.pk, status="cancelled").exists(), seconds=10, pause=0.02)
    wait_until(lambda: server.hung_up_at, seconds=10, pause=0.02)

    assert max(server.hung_up_at) - asked < SOON
    run.refresh_from_db()
    call = ModelCall.objects.get(run=run)
    assert (call.error_code, call.reply) == ("cancelled", "".join(pieces))
    assert call.tokens_in > 100
    assert run.tokens == call.tokens_in + call.tokens_out
    assert run.cost_usd == call.cost_usd > 0
    assert run.steps.count() >= 1, "the steps before the call are kept"
    assert takeover_of(run, None) is None, "nobody took over, and the model did not fail"
    assert run.asked_model_at is None, "nothing is waited for any more"
    server.close()


def test_ctrl_c_in_a_terminal_hangs_up_at_once():
    server = SilentServer(None)
    environment = {"OPENAI_BASE_URL": server.url, "VECTORLESS_MODEL": "tiny", "VECTORLESS_MODEL_SECONDS": "60"}
    command = [sys.executable, "manage.py", "ask", "How often may crew travel home?", "docs/demo/field-handbook.md"]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
    assert server.asked.acquire(timeout=30)
    time.sleep(0.2)

    asked = time.monotonic()
    process.send_signal(signal.SIGINT)

    assert process.wait(timeout=10) == 130
    assert time.monotonic() - asked < SOON
    wait_until(lambda: server.hung_up_at, seconds=5)
    server.close()
