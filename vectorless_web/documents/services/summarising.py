"""Section summaries: switched on for a workspace, one document after the other is summarised by its model."""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from vectorless_web.documents.models import SectionSummaries, SummaryChoice
from vectorless_web.documents.services.leases import SUMMARIES, summaries_lease
from vectorless_web.documents.storage.files import open_version
from vectorless_web.documents.summaries import current_versions, summary_choice_of
from vectorless_web.engine.documents.summaries import batch_sections, section_texts, summarise_sections
from vectorless_web.engine.errors import EngineError, ModelError, ModelInvalidReply
from vectorless_web.engine.llm.budget import CostBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.infra.leases import LeaseLost
from vectorless_web.infra.money import money, token_count
from vectorless_web.infra.outages import outage_of, retry_through_outage
from vectorless_web.infra.queues import jobs
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import WorkspaceCostBudget, record
from vectorless_web.workspaces.storage import SecretUnreadable

Status = SectionSummaries.Status
Connect = Callable[[Workspace, CostBudget], Caller | None]
"""A caller of the workspace's model, paid from a budget; None when the workspace has no model."""

logger = logging.getLogger(__name__)

JOB = "vectorless_web.documents.jobs.summarise_version"
JOB_SECONDS = 3600
"""Seconds that a job may take; a lease ends earlier when the worker falls silent."""
LOST_SECONDS = 30
"""Summaries whose job is gone count as lost when their worker has been silent for this long."""
SOON, LATER = timedelta(minutes=1), timedelta(minutes=15)
"""When a server is asked again: after trouble that passes by itself, after any other."""
CALLS_A_TURN = 5
"""Calls after which a document is put back behind the uploads that wait, with the lines it has."""
NO_MODEL = "This workspace has no model. Connect one under Models."
UNREADABLE = "The key was stored under another encryption key and cannot be read. Type it again under Models."
NO_LINES = "The model answered, but wrote no line on any section. Try again, or choose another model under Models."
INTERNAL = "Something went wrong inside the program; the log has the details. Try again."
_NO_PAUSE: dict[str, Any] = {"paused_until": None, "pause_code": "", "pause_message": ""}


@transaction.atomic
def switch_summaries_on(*, actor: User, workspace: Workspace) -> None:
    """Begin to summarise all ready documents, and every document that becomes ready from now on."""
    choice, _ = SummaryChoice.objects.get_or_create(workspace=workspace)
    if SummaryChoice.objects.filter(pk=choice.pk, enabled=False).update(enabled=True, **_NO_PAUSE):
        choice.refresh_from_db()
        queued = queue_unsummarised(choice)
        start_next_summary(choice)
        record(actor=actor, verb="summaries.on", workspace=workspace, target=choice, details={"documents": queued})


@transaction.atomic
def switch_summaries_off(*, actor: User, workspace: Workspace) -> None:
    """Stop, and show the lines to nobody any more; those that are there stay for replays, and for another time."""
    if SummaryChoice.objects.filter(workspace=workspace, enabled=True).update(enabled=False, **_NO_PAUSE):
        record(actor=actor, verb="summaries.off", workspace=workspace, target=workspace)


@transaction.atomic
def retry_summaries(*, actor: User, workspace: Workspace) -> None:
    """Queue what failed once more and end a pause."""
    choice = SummaryChoice.objects.filter(workspace=workspace, enabled=True).first()
    if choice is None:
        return
    failed = SectionSummaries.objects.filter(version__in=current_versions(workspace.pk), status=Status.FAILED)
    again = failed.update(status=Status.QUEUED, attempt=F("attempt") + 1, error_code="", error_message="")
    SummaryChoice.objects.filter(pk=choice.pk).update(**_NO_PAUSE)
    record(actor=actor, verb="summaries.retried", workspace=workspace, target=choice, details={"documents": again})
    choice.refresh_from_db()
    start_next_summary(choice)


def want_summaries(workspace_id: int) -> None:
    """Queue what a workspace still has to summarise, if it does at all; begin when nothing is under way."""
    choice = SummaryChoice.objects.filter(workspace=workspace_id, enabled=True).first()
    if choice is not None and queue_unsummarised(choice):
        start_next_summary(choice)


def queue_unsummarised(choice: SummaryChoice) -> int:
    """Queue every current version that has no lines yet, or lines of another compiled file; how many."""
    if not choice.enabled:
        return 0
    current = current_versions(choice.workspace_id)
    missing = list(current.filter(summaries=None).values_list("pk", flat=True))
    rows = [SectionSummaries(version_id=pk) for pk in missing]
    SectionSummaries.objects.bulk_create(rows, ignore_conflicts=True)
    ready = SectionSummaries.objects.filter(version__in=current, status=Status.READY)
    stale = ready.exclude(artefact=F("version__artefact_sha256"))
    again = SectionSummaries.objects.filter(pk__in=list(stale.values_list("pk", flat=True)), status=Status.READY)
    return len(rows) + again.update(**SUMMARIES.make_requeued_values())


def start_next_summary(choice: SummaryChoice) -> bool:
    """Enqueue the job of the next waiting document unless one is under way or the server is being spared."""
    is_spared = choice.paused_until is not None and choice.paused_until > timezone.now()
    rows = SectionSummaries.objects.filter(version__in=current_versions(choice.workspace_id))
    if not choice.enabled or is_spared or rows.filter(status=Status.WORKING).exists():
        return False
    row = rows.filter(status=Status.QUEUED).order_by("attempt", "pk").first()
    if row is None:
        return False
    jobs.enqueue(JOB, row.pk, queue="documents", job_id=row.job_id, seconds=JOB_SECONDS)
    return True


def resume_summaries() -> int:
    """Recover summaries whose worker died, queues without a job and overlooked documents; how many were queued."""
    jobless = [row for row in SUMMARIES.select_expired(LOST_SECONDS) if not jobs.exists(row.job_id, queue="documents")]
    lost = {*SUMMARIES.select_expired(), *jobless}
    touched = sum(SUMMARIES.as_seen(row).update(**SUMMARIES.make_requeued_values()) for row in lost)
    for choice in SummaryChoice.objects.filter(enabled=True):
        touched += queue_unsummarised(choice)
        waiting = SectionSummaries.objects.filter(
            version__in=current_versions(choice.workspace_id), status=Status.QUEUED
        )
        if not any(jobs.exists(row.job_id, queue="documents") for row in waiting.order_by("attempt", "pk")[:1]):
            start_next_summary(choice)
    return touched


def summarise_version(summaries_id: int, *, connect: Connect) -> None:
    """Work on queued summaries until they are ready, failed or their turn is over. A second delivery exits quietly.

    Trouble with the server, a refused key, a spent budget or an outage of our own pauses the workspace's summaries
    and gives the document back to the queue; the lines that came are kept. The next document is begun afterwards.
    """
    row = _claim(summaries_id)
    if row is None:
        return
    workspace = row.version.document.workspace
    try:
        caller = connect(workspace, WorkspaceCostBudget(workspace))
        if caller is None:
            _pause(row, "no_model", NO_MODEL, LATER)
        else:
            _summarise(row, caller)
    except LeaseLost:
        return
    except SecretUnreadable:
        _pause(row, "secret_unreadable", UNREADABLE, LATER)
    except ModelInvalidReply as error:
        _fail(row, error.code, error.message)
    except ModelError as error:
        _pause(row, error.code, error.message, SOON if error.retryable else LATER)
    except EngineError as error:
        _fail(row, error.code, error.message)
    except Exception as error:
        outage = outage_of(error)
        if outage is None:
            logger.exception("summaries %d could not be written", summaries_id)
            _fail(row, "internal_error", INTERNAL)
            raise
        _pause(row, outage.code, outage.message, SOON)
    finally:
        retry_through_outage(lambda: _go_on(workspace))


def _go_on(workspace: Workspace) -> None:
    choice = summary_choice_of(workspace)
    if choice is not None:
        start_next_summary(choice)


def _claim(summaries_id: int) -> SectionSummaries | None:
    token = SUMMARIES.claim(summaries_id, error_code="", error_message="")
    rows = SectionSummaries.objects.select_related("version__document__workspace")
    return rows.filter(pk=summaries_id, lease=token).first() if token else None


def _summarise(row: SectionSummaries, caller: Caller) -> None:
    """Ask for the lines that are missing, as long as a turn lasts; each call's lines are stored at once."""
    document, artefact = open_version(row.version), row.version.artefact_sha256
    sections = section_texts(document)
    if row.artefact != artefact:
        row.lines, row.artefact = {}, artefact
    missing = [section for section in sections if str(section.key) not in row.lines]
    for turn, batch in enumerate(batch_sections(missing)):
        if turn == CALLS_A_TURN:
            retry_through_outage(lambda: summaries_lease(row).select_held().update(**SUMMARIES.make_requeued_values()))
            return
        lines, asked = summarise_sections(caller, row.version.document.title, batch)
        # A section that got no line keeps its own first words, and is not asked for again.
        row.lines |= {str(section.key): lines.get(section.key, "") for section in batch}
        row.tokens += token_count(asked.tokens)
        row.cost_usd = money(row.cost_usd + money(asked.cost_usd))
        _store(row, done=len(row.lines), total=len(sections), model=caller.model.name[:120])
    row.lines = {key: line for key, line in row.lines.items() if line}
    if sections and not row.lines:
        _store(row, done=0, total=len(sections))
        _fail(row, "no_lines", NO_LINES)
        return
    _store(row, total=len(sections), done=len(sections), status=Status.READY, ready_at=timezone.now(), lease="")
    SummaryChoice.objects.filter(workspace=row.version.document.workspace_id).update(**_NO_PAUSE)


def _store(row: SectionSummaries, **values: Any) -> None:
    """Write what came and renew the lease; LeaseLost when the row is no longer ours."""
    kept = {name: getattr(row, name) for name in ("lines", "artefact", "tokens", "cost_usd")}
    if "lease" in values:
        if not retry_through_outage(lambda: summaries_lease(row).select_held().update(**kept, **values)):
            raise LeaseLost
        return
    retry_through_outage(lambda: summaries_lease(row).renew(**kept, **values))


def _fail(row: SectionSummaries, code: str, message: str) -> None:
    failed = {"status": Status.FAILED, "error_code": code, "error_message": message, "lease": ""}
    retry_through_outage(lambda: summaries_lease(row).select_held().update(**failed))


def _pause(row: SectionSummaries, code: str, message: str, pause: timedelta) -> None:
    """Give the document back to the queue, and begin none before the pause is over."""
    if retry_through_outage(lambda: summaries_lease(row).select_held().update(**SUMMARIES.make_requeued_values())):
        SummaryChoice.objects.filter(workspace=row.version.document.workspace_id).update(
            paused_until=timezone.now() + pause, pause_code=code, pause_message=message
        )
