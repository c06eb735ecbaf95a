"""Section summaries: the workspace's model writes a line on each section, one document after the other."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from vectorless_web.documents.background import current_versions, summary_rows_of
from vectorless_web.documents.models import SectionSummaries, SummaryChoice
from vectorless_web.documents.services.background import NO_PAUSE, SUMMARIES, BackgroundWork
from vectorless_web.documents.services.compiled_rows import renew_summarised_rows, show_again
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.summaries import batch_sections, section_texts, summarise_sections
from vectorless_web.engine.llm.budget import CostBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.infra.money import money, token_count
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import WorkspaceCostBudget, record

Status = SectionSummaries.Status
Connect = Callable[[Workspace, CostBudget], Caller | None]
"""A caller of the workspace's model, paid from a budget; None when the workspace has no model."""

CALLS_A_TURN = 5
"""Calls after which a document is put back behind the uploads that wait, with the lines it has."""
NO_MODEL = "This workspace has no model. Connect one under Models."
NO_LINES = "The model answered, but wrote no line on any section. Try again, or choose another model under Models."


@transaction.atomic
def switch_summaries_on(*, actor: User, workspace: Workspace) -> None:
    """Begin to summarise all ready documents, and every document that becomes ready from now on."""
    choice, _ = SummaryChoice.objects.get_or_create(workspace=workspace)
    if SummaryChoice.objects.filter(pk=choice.pk, enabled=False).update(enabled=True, **NO_PAUSE):
        choice.refresh_from_db()
        renew_summarised_rows(workspace.pk)
        queued = queue_unsummarised(choice)
        SUMMARISING.start_next(choice.workspace_id)
        record(actor=actor, verb="summaries.on", target=choice, details={"documents": queued})


@transaction.atomic
def switch_summaries_off(*, actor: User, workspace: Workspace) -> None:
    """Stop, and show the lines to nobody any more; those that are there stay for replays, and for another time."""
    if SummaryChoice.objects.filter(workspace=workspace, enabled=True).update(enabled=False, **NO_PAUSE):
        renew_summarised_rows(workspace.pk)
        record(actor=actor, verb="summaries.off", workspace=workspace, target=workspace)


@transaction.atomic
def retry_summaries(*, actor: User, workspace: Workspace) -> None:
    """Queue what failed once more and end a pause."""
    choice = SummaryChoice.objects.filter(workspace=workspace, enabled=True).first()
    if choice is None:
        return
    again = SUMMARISING.retry_failed(summary_rows_of(workspace.pk), workspace.pk)
    record(actor=actor, verb="summaries.retried", target=choice, details={"documents": again})
    SUMMARISING.start_next(choice.workspace_id)


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


SUMMARISING = BackgroundWork(
    rule=SUMMARIES,
    job="vectorless_web.documents.jobs.summarise_version",
    choices=SummaryChoice,
    rows_of=summary_rows_of,
    queue_missing=queue_unsummarised,
)
want_summaries, resume_summaries = SUMMARISING.want, SUMMARISING.resume


def summarise_version(summaries_id: int, *, connect: Connect) -> None:
    """Work on queued summaries until they are ready, failed or their turn is over. A second delivery exits quietly.

    Trouble pauses the workspace's work and keeps what came: see `BackgroundWork.run`.
    """
    row = _claim(summaries_id)
    if row is not None:
        SUMMARISING.run(row, lambda: _summarise(row, connect))


def _claim(summaries_id: int) -> SectionSummaries | None:
    token = SUMMARIES.claim(summaries_id, error_code="", error_message="")
    rows = SectionSummaries.objects.select_related("version__document__workspace")
    return rows.filter(pk=summaries_id, lease=token).first() if token else None


def _summarise(row: SectionSummaries, connect: Connect) -> None:
    """Ask for the lines that are missing, as long as a turn lasts; each call's lines are stored at once."""
    workspace = row.version.document.workspace
    caller = connect(workspace, WorkspaceCostBudget(workspace))
    if caller is None:
        SUMMARISING.pause(row, "no_model", NO_MODEL)
        return
    document, artefact = open_version(row.version), row.version.artefact_sha256
    sections = section_texts(document)
    if row.artefact != artefact:
        row.lines, row.artefact = {}, artefact
    missing = [section for section in sections if str(section.key) not in row.lines]
    for turn, batch in enumerate(batch_sections(missing)):
        if turn == CALLS_A_TURN:
            SUMMARISING.update_held(row, **SUMMARIES.make_requeued_values())
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
        SUMMARISING.fail(row, "no_lines", NO_LINES)
        return
    with transaction.atomic():
        _store(row, total=len(sections), done=len(sections), status=Status.READY, ready_at=timezone.now(), lease="")
        # The router reads the lines with the card.
        show_again([row.version.document])
    SUMMARISING.end_pause(workspace.pk)


def _store(row: SectionSummaries, **values: Any) -> None:
    """Write what came and renew the lease, unless `values` end it; LeaseLost when the row is no longer ours."""
    kept = {name: getattr(row, name) for name in ("lines", "artefact", "tokens", "cost_usd")}
    SUMMARISING.renew(row, **kept, **values)
