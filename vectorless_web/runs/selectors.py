"""Reads about runs, reached through the asking user, and the engines that can answer in a workspace."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from django.conf import settings
from django.db.models import Count, Max, Model, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from vectorless_web.documents.models import Document, DocumentVersion, EmbeddingChoice
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.llm.embedding import NEARNESS_PURPOSE as NEARNESS
from vectorless_web.engine.llm.embedding import PURPOSE as EMBEDDING
from vectorless_web.runs.line import RUNS
from vectorless_web.runs.models import Answer, Citation, Claim, Feedback, ModelCall, Replay, Run, Step, Thread
from vectorless_web.workspaces.models import ModelProvider, Role, Workspace
from vectorless_web.workspaces.selectors import (
    OFFLINE,
    SITE,
    May,
    User,
    member_workspace,
    provider_choice,
    providers_for,
    workspace_for,
    workspaces_of,
)

T = TypeVar("T", bound=Model)

RECENT = 8
"""Runs in a list of recent ones."""
USED_PAGES = 12
"""Pages of a document that are shown as used most."""


@dataclass(frozen=True)
class Month:
    """What a workspace asked since the first of the month."""

    questions: int
    answered: int
    partial: int
    spent_usd: float
    limit_usd: float | None = None


def run_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER) -> Run:
    """One run of a workspace the user belongs to; Http404 for a stranger, PermissionDenied below `needs`."""
    workspace = workspace_for(user, slug, needs)
    run = _with_people(Run.objects.filter(workspace=workspace, pk=pk)).first()
    if run is None:
        raise Http404("There is no such run here.")
    run.workspace = workspace
    return run


def may_stop(may: May, *, mine: bool) -> bool:
    """Whether somebody may stop a run: their own (`mine`), or anybody's as an editor or owner."""
    return may.edit or (may.ask and mine)


@dataclass(frozen=True)
class Waiting:
    """Why a run waits: its place in the line of all, and what its person has waiting and under way, it included."""

    place: int
    waiting: int
    working: int


def waiting_of(run: Run) -> Waiting | None:
    """Where a run stands in the line; None once it is taken."""
    place = RUNS.places([run.pk]).get(run.pk) if run.status == Run.Status.QUEUED else None
    if place is None:
        return None
    own = Run.objects.filter(asked_by=run.asked_by_id, status__in=Run.OPEN)
    counts = dict(own.order_by().values_list("status").annotate(n=Count("pk")))
    return Waiting(place, counts.get(Run.Status.QUEUED, 0), counts.get(Run.Status.RUNNING, 0))


def find_watched_run(user: User, slug: str, pk: int) -> Run | None:
    """The run for a socket: None for a stranger, an unknown workspace and an unknown run alike."""
    workspace = member_workspace(user, slug)
    rows = Run.objects.select_related("asked_by")
    run = rows.filter(workspace=workspace, pk=pk).first() if workspace else None
    if run is not None and workspace is not None:
        run.workspace = workspace
    return run


def run_to_execute(run_id: int) -> Run:
    """A run with its workspace, for its job."""
    return Run.objects.select_related("workspace").get(pk=run_id)


def thread_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER) -> Thread:
    """One thread of a workspace the user belongs to; Http404 for any other."""
    workspace = workspace_for(user, slug, needs)
    thread = Thread.objects.filter(workspace=workspace, pk=pk).first()
    if thread is None:
        raise Http404("There is no such thread here.")
    thread.workspace = workspace
    return thread


def newest_run_of(thread: Thread) -> Run:
    """The last question of a thread; Http404 for an empty one."""
    run = thread.runs.order_by("-pk").first()
    if run is None:
        raise Http404("This thread is empty.")
    return run


def run_before(run: Run) -> Run | None:
    """The run that this one's question leans on: the one it follows up on, else the last with a result before it.

    A run that asks once more leans on what its first try leaned on.
    """
    while run.is_another_try and run.asked_from is not None:
        run = run.asked_from
    if run.asked_how == Run.How.FOLLOW_UP and run.asked_from is not None:
        return run.asked_from
    return _with_result(run.thread_id).filter(pk__lt=run.pk).first()


def last_result_in(thread: Thread) -> Run | None:
    """The newest run of a thread that came to a result, which a follow-up leans on."""
    return _with_result(thread.pk).first()


def _with_result(thread: int) -> QuerySet[Run]:
    return Run.objects.filter(thread=thread, status__in=Run.CONCLUDED).order_by("-pk")


def count_in_thread(run: Run) -> int:
    """How many questions the run's thread has."""
    return Run.objects.filter(thread=run.thread_id).count()


def last_sequence(run_id: int) -> int:
    """The greatest sequence number stored of a run; 0 before its first step.

    One worker at a time writes a run, in order: whatever has this number or a smaller one is
    stored, while rows of two tables read one after the other may miss one in between.
    """
    greatest = (rows.objects.filter(run=run_id).aggregate(last=Max("sequence"))["last"] or 0 for rows in (Step, Claim))
    return max(greatest)


def steps_of(run: Run, after: int = 0, upto: int | None = None) -> list[Step]:
    """The run's steps beyond a sequence number and, when given, up to another, in order."""
    return list(_restrict_sequence(Step.objects.filter(run=run.pk), after, upto).order_by("sequence"))


def model_failure(run: Run) -> tuple[ModelCall | None, bool]:
    """The last call of a chat model that failed in a run, None without one; and whether another was answered."""
    calls = run.model_calls.exclude(purpose__in=(EMBEDDING, NEARNESS))
    failed = calls.exclude(error_code="").order_by("-pk").first()
    return failed, calls.filter(error_code="").exists()


def unwritten_answer(run: Run) -> str:
    """Why the model that was to answer wrote no answer, as the run's check tells; "" when it wrote one."""
    told = Step.objects.filter(run=run.pk, kind="verify").values_list("observation", flat=True).last() or {}
    return str(told.get("unwritten") or "")


def step_of(run: Run, sequence: int) -> Step:
    """One step of a run; Http404 when there is none of that number."""
    step = Step.objects.filter(run=run.pk, sequence=sequence).first()
    if step is None:
        raise Http404("This run has no such step.")
    return step


def count_steps(run: Run, upto: int) -> int:
    """How many steps the run has up to a sequence number."""
    return Step.objects.filter(run=run.pk, sequence__lte=upto).count()


def claims_of(run: Run, after: int = 0, upto: int | None = None) -> list[Claim]:
    """The run's claims beyond a sequence number and, when given, up to another, as answered, with their citations."""
    cited = Prefetch("citations", queryset=Citation.objects.select_related("version", "version__document"))
    rows = _restrict_sequence(Claim.objects.filter(run=run.pk), after, upto).order_by("order")
    return list(rows.prefetch_related(cited))


def _restrict_sequence(rows: QuerySet[T], after: int, upto: int | None) -> QuerySet[T]:
    fresh = rows.filter(sequence__gt=after)
    return fresh if upto is None else fresh.filter(sequence__lte=upto)


def passages_of(run: Run) -> list[Citation]:
    """The passages that came nearest to the question of a run without an answer, nearest first."""
    rows = Citation.objects.filter(run=run.pk, claim=None).select_related("version", "version__document")
    return list(rows.order_by("pk"))


def answer_of(run: Run) -> Answer | None:
    """The run's answer; None before it ended and when it failed."""
    return Answer.objects.filter(run=run.pk).first()


def feedback_by(user: User, run: Run) -> Feedback | None:
    """What this user said of the run."""
    return Feedback.objects.filter(run=run.pk, user=user.pk or 0).first()


def demo_run(user: User) -> Run | None:
    """The demo's run that recorded replies led, for who may see it and has nothing to look at yet."""
    ids = [workspace.pk for workspace in workspaces_of(user)]
    rows = Run.objects.filter(workspace__in=ids, settings__has_key="cassette", status=Run.Status.ANSWERED)
    return rows.select_related("workspace").first()


def replay_of(run: Run) -> Replay | None:
    """The last replay of the run; None when nobody asked for one."""
    return Replay.objects.filter(run=run.pk).first()


def documents_in_scope(run: Run) -> QuerySet[Document]:
    """The documents a run may read."""
    documents = Document.objects.filter(workspace=run.workspace_id, deleted_at=None)
    return documents if run.whole_workspace else documents.filter(pk__in=run.documents.values("pk"))


def versions_in_scope(run: Run, documents: Iterable[int] | None = None) -> QuerySet[DocumentVersion]:
    """The versions a run may read, by document: the newest that were ready when it began. `documents` narrows them.

    The same for every attempt at the run, whatever was uploaded in between.
    """
    began = run.started_at or timezone.now()
    newest = DocumentVersion.objects.filter(
        document=OuterRef("pk"), status=DocumentVersion.Status.READY, ready_at__lte=began
    ).order_by("-number")
    rows = documents_in_scope(run)
    if documents is not None:
        rows = rows.filter(pk__in=list(documents))
    chosen = rows.annotate(version=Subquery(newest.values("pk")[:1])).values("version")
    return DocumentVersion.objects.filter(pk__in=chosen).select_related("document").order_by("document_id")


def scope_size(run: Run) -> int:
    """How many documents the question may read."""
    if not run.whole_workspace:
        return run.documents.count()
    return Document.objects.filter(
        workspace=run.workspace_id, deleted_at=None, current_version__status=DocumentVersion.Status.READY
    ).count()


def versions_read(run: Run) -> list[DocumentVersion]:
    """The versions the run opened, in the order of its scope."""
    return list(run.versions.select_related("document").order_by("document_id"))


def read_version(run: Run, pk: int) -> DocumentVersion:
    """A version whose pages the run may show: one it read, unless deleted since. Http404 for any other."""
    read = Q(pk__in=run.versions.values("pk")) | Q(pk__in=_select_cited_versions(run))
    rows = DocumentVersion.objects.filter(read, document__deleted_at=None)
    version = rows.select_related("document", "document__workspace").filter(pk=pk).first()
    if version is None:
        raise Http404("This run did not read that document.")
    return version


def newer_documents(run: Run) -> list[Document]:
    """The cited documents that have a newer version by now."""
    cited = DocumentVersion.objects.filter(
        pk__in=_select_cited_versions(run), document__deleted_at=None
    ).select_related("document")
    return [row.document for row in cited if row.document.current_version_id not in (None, row.pk)]


def used_pages(document: Document, limit: int = USED_PAGES) -> list[dict[str, int]]:
    """The pages of its current version that answers quote most: [{page, count}], in the order of the document."""
    cited = Citation.objects.filter(version=document.current_version_id).exclude(claim=None)
    rows = cited.exclude(check_result="missing")
    most = rows.order_by().values("page_index").annotate(count=Count("pk")).order_by("-count", "page_index")[:limit]
    return sorted(({"page": row["page_index"] + 1, "count": row["count"]} for row in most), key=lambda row: row["page"])


def recent_runs(workspace: Workspace, limit: int = RECENT) -> list[Run]:
    """The newest run of each thread, newest first."""
    newest = Run.objects.filter(workspace=workspace).values("thread").annotate(last=Max("pk")).order_by("-last")
    return list(_with_people(Run.objects.filter(pk__in=[row["last"] for row in newest[:limit]])))


def runs_of(user: User, limit: int = RECENT) -> list[Run]:
    """The last runs in any workspace of the user."""
    ids = [workspace.pk for workspace in workspaces_of(user)]
    return list(_with_people(Run.objects.filter(workspace__in=ids)).order_by("-pk")[:limit])


def home_workspaces(user: User) -> list[Workspace]:
    """The user's workspaces, each with `document_count` and `run_count`."""
    workspaces = workspaces_of(user)
    ids = [workspace.pk for workspace in workspaces]
    documents = _count_by_workspace(Document.objects.filter(workspace__in=ids, deleted_at=None))
    runs = _count_by_workspace(Run.objects.filter(workspace__in=ids))
    for workspace in workspaces:
        workspace.document_count = documents.get(workspace.pk, 0)  # type: ignore[attr-defined]
        workspace.run_count = runs.get(workspace.pk, 0)  # type: ignore[attr-defined]
    return workspaces


def month_of(workspace: Workspace) -> Month:
    """Questions, outcomes and spend since the first of the month."""
    first = timezone.localtime().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    rows = Run.objects.filter(workspace=workspace, created_at__gte=first)
    counts = dict(rows.order_by().values_list("status").annotate(n=Count("pk")))
    return Month(
        questions=sum(counts.values()),
        answered=counts.get(Run.Status.ANSWERED, 0) + counts.get(Run.Status.PARTIAL, 0),
        partial=counts.get(Run.Status.PARTIAL, 0),
        spent_usd=float(rows.aggregate(spent=Sum("cost_usd"))["spent"] or 0),
    )


def _select_cited_versions(run: Run) -> QuerySet[Citation, int]:
    return Citation.objects.filter(run=run.pk, version__isnull=False).values_list("version", flat=True)


def _with_people(rows: QuerySet[Run]) -> QuerySet[Run]:
    return rows.select_related("workspace", "asked_by", "stopped_by", "answer", "thread", "asked_from")


def _count_by_workspace(rows: QuerySet[Document] | QuerySet[Run]) -> dict[int, int]:
    return dict(rows.order_by().values_list("workspace").annotate(n=Count("pk")))


LEAST_USD = Decimal("0.01")


@dataclass(frozen=True)
class Answerer:
    """One engine that can answer. `value` is what forms send and runs store; `model` is "" for the offline reasoner.

    `usd_per_million` is the dearer of the model's two prices. `embeds` tells that the
    question goes to the workspace's embedding model although no model answers.
    """

    value: str
    label: str
    model: str = ""
    usd_per_million: Decimal = Decimal(0)
    embeds: bool = False


def answerers_of(workspace: Workspace) -> list[Answerer]:
    """All engines to choose from: the default first, the offline reasoner last."""
    models = list(_models(workspace))
    # Who chooses the offline reasoner instead of a model keeps the question to this machine.
    embeds = not models and EmbeddingChoice.objects.filter(workspace=workspace, enabled=True).exists()
    return [*models, Answerer(OFFLINE, _("Offline reasoner"), embeds=embeds)]


def estimate_of(answerer: Answerer) -> str:
    """What a question may cost at most, in words: all its tokens at the dearer price."""
    if not answerer.model:
        return _("no model but for search by meaning") if answerer.embeds else _("no model, no cost")
    if not answerer.usd_per_million:
        return _("%(model)s, no price set") % {"model": answerer.label}
    most = Decimal(Limits().model_tokens) * answerer.usd_per_million / 1_000_000
    return _("%(model)s, at most $%(usd)s") % {"model": answerer.label, "usd": f"{max(most, LEAST_USD):.2f}"}


def _models(workspace: Workspace) -> Iterator[Answerer]:
    rows = list(providers_for(workspace).filter(enabled=True))
    twice = {row.model for row in rows if sum(other.model == row.model for other in rows) > 1}
    for row in rows:
        yield Answerer(provider_choice(row), _label(row, twice), row.model, max(row.price_in, row.price_out))
    if settings.MODEL:
        dearer = Decimal(str(max(settings.MODEL_PRICE_IN, settings.MODEL_PRICE_OUT)))
        yield Answerer(SITE, settings.MODEL, settings.MODEL, dearer)


def _label(row: ModelProvider, twice: set[str]) -> str:
    """The model's name, with the provider's where two offer the same."""
    return f"{row.model} ({row.name})" if row.model in twice else row.model
