"""Section summaries: estimated, switched on, written by a worker, paused, resumed, shown, replayed, switched off."""

import json
import re
from decimal import Decimal

import pytest
from django.utils import timezone
from werkzeug import Response

from tests.runs.conftest import make_run, report  # noqa: F401
from tests.runs.test_model import reply, status
from tests.support.compiled import compiled_document
from tests.support.page_text import visible_text
from vectorless_web.documents.background import lines_of, summaries_of
from vectorless_web.documents.models import Document, SectionSummaries, SummaryChoice
from vectorless_web.documents.services.compiled_rows import refresh_rows
from vectorless_web.documents.storage.snapshots import snapshot_of
from vectorless_web.engine.finding.routing import DocumentRouter, RouterConfig
from vectorless_web.engine.questions.understand import understand
from vectorless_web.runs import jobs
from vectorless_web.runs.models import Run
from vectorless_web.runs.services.asking import start_run
from vectorless_web.workspaces.models import AuditEvent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("impatient")]

PAGE = "models/summaries/"
SENTENCE = "The crane on quay 4 lifts forty tonnes and is tested each spring by the engineers of the port. "


def handbook(chapters: int = 3) -> bytes:
    parts = [f"## Chapter {n}\n\n{SENTENCE * 3}\n" for n in range(1, chapters + 1)]
    return ("# Port handbook\n\n" + "\n".join(parts)).encode()


class Writer:
    """A model's server that writes a line on each section it is shown, and keeps what it was asked."""

    def __init__(self) -> None:
        self.trouble = lambda _writer: None
        self.prompts: list[str] = []
        self.line = "Tests of the crane in {}."

    def __call__(self, request) -> Response:
        body = json.loads(request.data)
        prompt = body["messages"][-1]["content"]
        self.prompts.append(prompt)
        if trouble := self.trouble(self):
            return trouble
        if "Sections:" not in prompt:
            return reply({"thought": "", "steps": [], "answer": {"not_found": True, "claims": [], "missing": []}})
        shown = re.findall(r"^\[(\d+)\] (.*)$", prompt, re.M)
        return reply({"summaries": [{"section": int(key), "line": self.line.format(title)} for key, title in shown]})


@pytest.fixture
def writer(own_model) -> Writer:
    made = Writer()
    own_model(made, price_in=2, price_out=10)
    return made


@pytest.fixture
def shown(see, alice):
    """What the page says to Alice, without marks."""
    return lambda: visible_text(see(alice, PAGE).content.decode())


@pytest.fixture
def switched_on(act, alice, workspace, writer, work_off):
    """Two documents, summaries switched on, and the worker done."""

    def switch(chapters: int = 3) -> Document:
        document = compiled_document(workspace, alice, handbook(chapters), "port.md")
        assert act(alice, f"{PAGE}on/").status_code == 302
        work_off("documents")
        return document

    return switch


def row_of(document: Document) -> SectionSummaries:
    document.refresh_from_db()
    return SectionSummaries.objects.get(version=document.current_version_id)


def test_nothing_is_sent_before_an_owner_switches_it_on_and_the_cost_is_shown(
    workspace, alice, bob, writer, act, shown
):
    compiled_document(workspace, alice, handbook(), "port.md")

    told = shown()
    assert "1 document with 4 sections would be summarised: about" in told
    assert re.search(r"about \$0\.\d+", told) and "is sent to http://localhost" in told
    assert act(bob, f"{PAGE}on/").status_code in (403, 404)
    assert not writer.prompts and not SectionSummaries.objects.exists()


def test_a_worker_writes_a_line_on_each_section_and_the_section_list_shows_it(
    switched_on, writer, shown, client, workspace
):
    document = switched_on()
    row = row_of(document)

    assert (row.status, row.model, row.artefact) == ("ready", "tiny", document.current_version.artefact_sha256)
    lines = lines_of(summaries_of(document.current_version))
    assert any(line.endswith("Chapter 1.") for line in lines.values())
    assert row.tokens == 1100 and row.cost_usd == Decimal("0.003")
    assert len(writer.prompts) == 1, "all sections in one call"
    told = visible_text(client.get(f"/w/{workspace.slug}/documents/{document.pk}/").content.decode())
    assert "Tests of the crane in" in told and "The lines under headings were written by tiny." in told
    assert "The sections of 1 of 1 document are summarised." in shown()
    assert AuditEvent.objects.filter(verb="summaries.on").exists()


def test_trouble_pauses_and_what_came_is_kept_and_not_paid_twice(switched_on, writer, act, alice, work_off, shown):
    writer.trouble = lambda made: status(503)(None) if len(made.prompts) == 2 else None
    document = switched_on(25)

    row = row_of(document)
    assert (row.status, len(row.lines), row.done) == ("queued", 20, 20)
    choice = SummaryChoice.objects.get()
    assert choice.paused_until > timezone.now() and choice.pause_message
    assert "Summarising is paused." in shown()
    writer.trouble = lambda _made: None
    assert act(alice, f"{PAGE}retry/").status_code == 302
    work_off("documents")
    row = row_of(document)
    assert (row.status, len(writer.prompts)) == ("ready", 3)
    assert "[2] " not in writer.prompts[-1], "only what was missing is asked for"


def test_a_reply_that_cannot_be_used_fails_that_document_alone(switched_on, writer, shown):
    writer.trouble = lambda _made: reply("I would rather talk about the weather.")
    row = row_of(switched_on())

    assert (row.status, row.error_code) == ("failed", "provider_invalid_response")
    assert "Try again now" in shown()


def test_hostile_lines_are_one_plain_line_and_escaped(switched_on, writer, html, alice, workspace):
    writer.line = "<script>alert(1)</script>\n\n<<<document {}"
    document = switched_on()

    page = html(alice, f"/w/{workspace.slug}/documents/{document.pk}/")
    assert "<script>alert(1)" not in page and "&lt;script&gt;alert(1)&lt;/script&gt; document" in page


@pytest.fixture
def ask(workspace, alice):
    """A question to the model, worked off here."""

    def run() -> Run:
        made = start_run(user=alice, workspace=workspace, question="Who tests the crane?")
        jobs.execute_run(made.pk)
        return Run.objects.select_related("workspace").get(pk=made.pk)

    return run


def test_questions_are_shown_the_lines_and_replay_identically_though_they_are_switched_off(
    switched_on, writer, ask, act, alice
):
    switched_on(chapters=150)
    first = ask()
    assert any("| Tests of the crane in" in prompt for prompt in writer.prompts[1:])

    act(alice, f"{PAGE}off/")
    found = jobs.find_replay_result(first)
    assert (found.verdict, found.difference) == ("identical", "")
    asked = len(writer.prompts)
    second = ask()
    assert not any("| Tests of the crane in" in prompt for prompt in writer.prompts[asked:])
    assert jobs.find_replay_result(second).verdict == "identical"


def test_the_router_finds_a_document_by_its_lines_as_long_as_they_are_switched_on(
    switched_on, writer, workspace, act, alice
):
    writer.line = "Zeppelins are moored at {}."
    document = switched_on()
    routed = lambda: [  # noqa: E731
        found.doc_id
        for found in DocumentRouter(snapshot_of(workspace.pk), RouterConfig(activate_threshold=0))
        .route(understand("Where are zeppelins moored?"))
        .candidates
        if found.matched_fields
    ]
    assert routed() == [document.pk]

    act(alice, f"{PAGE}off/")
    refresh_rows()
    assert routed() == []

    act(alice, f"{PAGE}on/")
    refresh_rows()
    assert routed() == [document.pk]
