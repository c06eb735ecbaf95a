"""/metrics tells Prometheus how the site is; only requests with the token are answered."""

import json
import os
import re
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from tests.console.conftest import ask
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.infra.live import OPEN_SOCKETS, SameOriginSockets
from vectorless_web.runs.models import ModelCall, Step

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a-token-of-the-test"


@pytest.fixture
def scrape(client, settings):
    """The samples of one scrape: {(name, labels by the order of their names): value}."""
    settings.METRICS_TOKEN = TOKEN

    def ask() -> dict:
        response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}", "Host": "10.1.2.3:8000"})
        assert response.status_code == 200
        families = text_string_to_metric_families(response.content.decode())
        samples = [sample for family in families for sample in family.samples]
        return {(each.name, *each.labels.values()): each.value for each in samples}

    return ask


@pytest.fixture
def busy_site(workspace):
    """A run that was answered just now, one that was answered yesterday, one that waits, and a document."""
    run = ask(workspace)
    ask(workspace, days_ago=1)
    ask(workspace, days_ago=7 / 24 / 60, status="queued", finished_at=None)
    for number in range(100):
        Step.objects.create(
            run=run, sequence=number, walk=0, index=number, kind="read", say="s", latency_ms=10 * number
        )
    ModelCall.objects.create(run=run, purpose="plan", model="big", tokens_in=900, tokens_out=80, cost_usd="0.25")
    ModelCall.objects.create(run=run, purpose="plan", model="big", error_code="model_down")
    document = Document.objects.create(workspace=workspace, title="d", name="d.pdf")
    facts = {"pages": 300, "report": {"seconds": 12.5}, "ready_at": timezone.now()}
    DocumentVersion.objects.create(document=document, status="ready", bytes=1, sha256="0" * 64, **facts)


def test_a_scrape_tells_what_happened_lately_and_what_waits_as_page_and_dashboard_name_it(scrape, busy_site):
    found = scrape()
    assert found["vectorless_runs_ended", "answered", "question"] == 1
    assert found["vectorless_runs_ended", "failed", "cell"] == 0
    assert found["vectorless_runs_open", "queued"] == 1
    assert 420 <= found["vectorless_run_oldest_seconds",] < 430
    assert found["vectorless_queue_jobs", "runs"] == found["vectorless_workers", "runs"] == 0
    assert found["vectorless_steps",] == 100
    assert found["vectorless_step_seconds", "0.5"] == 0.49
    assert found["vectorless_step_seconds", "0.95"] == 0.94
    assert (found["vectorless_read_pages",], found["vectorless_read_seconds",]) == (300, 12.5)
    assert found["vectorless_model_calls", "", "big"] == found["vectorless_model_calls", "model_down", "big"] == 1
    assert found["vectorless_model_tokens", "in", "big"] == 900
    assert found["vectorless_model_usd", "big"] == 0.25
    assert found["vectorless_check", "workers:runs"] == 2
    assert found["vectorless_sockets",] == 0

    told = {name for name, *_ in scrape()}
    panels = json.loads((ROOT / "deploy" / "grafana.json").read_text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    page = (ROOT / "docs" / "metrics.md").read_text()
    for expression in expressions:
        named = set(re.findall(r"\b(?:vectorless|process)_\w+", expression))
        assert named, expression
        assert named <= told, expression
    shown = {name for expression in expressions for name in re.findall(r"\bvectorless_\w+", expression)}
    documented = set(re.findall(r"\bvectorless_\w+", page))
    assert shown == documented == {name for name in told if name.startswith("vectorless_")}


def test_what_is_away_leaves_its_figures_out(scrape, busy_site, settings):
    def refuse(*_call):
        raise OperationalError("The database is away.")

    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    names = {name for name, *_ in scrape()}
    assert "vectorless_queue_jobs" not in names
    assert {"vectorless_runs_open", "vectorless_check"} <= names

    settings.REDIS_URL = os.environ["REDIS_URL"]
    with connection.execute_wrapper(refuse):
        names = {name for name, *_ in scrape()}
    assert "vectorless_runs_open" not in names
    assert {"vectorless_queue_jobs", "vectorless_check", "vectorless_sockets"} <= names


async def test_websockets_are_counted_while_they_are_open():
    def open_now() -> float:
        return next(iter(OPEN_SOCKETS.collect())).samples[0].value

    async def page(_scope, _receive, _send) -> None:
        seen.append(open_now())

    before, seen = open_now(), []
    await SameOriginSockets(page)({"headers": [(b"host", b"localhost"), (b"origin", b"http://localhost")]}, None, None)
    assert (seen, open_now()) == ([before + 1], before)


def test_it_is_off_without_a_token_and_shut_to_another(client, settings):
    assert client.get("/metrics").status_code == 404
    settings.METRICS_TOKEN = TOKEN
    for sent in ("", TOKEN, "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer ü"):
        refused = client.get("/metrics", headers={"Authorization": sent})
        assert (refused.status_code, b"vectorless_" in refused.content) == (401, False), sent
