"""Reads about runs, reached through the asking user, and the engines that can answer in a workspace."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Count, Manager, Max, Model, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.http import Http404
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from vectorless_web.documents.models import Document, DocumentVersion, EmbeddingChoice, Folder
from vectorless_web.documents.selectors import closed_folders, open_to
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.model.verifier import PURPOSE as VERIFY
from vectorless_web.engine.errors import Cancelled, ModelBudgetSpent
from vectorless_web.engine.llm.embedding import PURPOSE as EMBEDDING
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.queues.jobs import Hold, find_hold
from vectorless_web.infra.templatetags.show import person
from vectorless_web.notices.models import Kind, Notice
from vectorless_web.notices.selectors import Told
from vectorless_web.runs.line import line_of
from vectorless_web.runs.models import (
    Answer,
    Citation,
    Claim,
    Comment,
    Feedback,
    ModelCall,
    Replay,
    Run,
    Step,
    Thread,
    Verification,
)
from vectorless_web.workspaces.models import ModelProvider, Role, Workspace
from vectorless_web.workspaces.selectors import (
    OFFLINE,
    SITE,
    May,
    User,
    member_workspace,
    people_in,
    provider_choice,
    providers_for,
    roles_in,
    usable_providers,
    workspace_for,
    workspaces_of,
)

T = TypeVar("T", bound=Model)

RECENT = 8
"""Runs in a list of recent ones."""
USED_PAGES = 12
"""Pages of a document that are shown as used most."""


def visible_runs(account: int | None, workspaces: Iterable[int], rows: Manager[Run] = Run.objects) -> QuerySet[Run]:
    """The runs of these workspaces that exist for a member; for nobody in particular (None) those for every member.

    The one rule of who sees a run: it is not private, or theirs, or shared with them; and neither what it may have
    read nor what it names lies in a folder that is closed to them.
    """
    places = list(workspaces)
    shown = Q(private=False)
    if account is not None:
        shared = Run.shared_with.through.objects.filter(user=account)
        shown |= Q(asked_by=account) | Q(pk__in=shared.values("run"))
    return _outside(closed_folders(account, places), rows.filter(shown, workspace__in=places))


def asked_runs(account: int | None, workspaces: Iterable[int]) -> QuerySet[Run]:
    """Those of the visible runs that people asked: lists, searches and counts leave out cells and evaluations."""
    return visible_runs(account, workspaces).filter(purpose=Run.Purpose.QUESTION)


def is_unrestricted(run: Run) -> bool:
    """Whether nothing that the run may have read or that it names lies in a restricted folder."""
    rows = Run.objects.filter(pk=run.pk)
    return _outside(closed_folders(None, [run.workspace_id]), rows).exists()


def _outside(closed: QuerySet[Folder], rows: QuerySet[Run]) -> QuerySet[Run]:
    """Those of the runs that neither were asked of these folders nor name a document in one of them."""
    asked = Run.folders.through.objects.filter(folder__in=closed)
    named = Run.named.through.objects.filter(document__folder__in=closed)
    return rows.exclude(pk__in=asked.values("run")).exclude(pk__in=named.values("run"))


def run_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER) -> Run:
    """One run that exists for the user; Http404 for a stranger, PermissionDenied below `needs`."""
    workspace = workspace_for(user, slug, needs)
    run = one_or_404(_with_people(visible_runs(user.pk, [workspace.pk]).filter(pk=pk)), "There is no such run here.")
    run.workspace = workspace
    forget_hidden_origins(user, [run])
    return run


def removed_run(user: User, slug: str, pk: int) -> Run:
    """One that was deleted and can come back, of those that existed for a member; Http404 for any other."""
    workspace = workspace_for(user, slug, Role.MEMBER)
    rows = visible_runs(user.pk, [workspace.pk], Run.with_removed).filter(removed_at__isnull=False)
    run = one_or_404(rows, "This is gone for good, or was never deleted.", pk=pk)
    run.workspace = workspace
    return run


def forget_hidden_origins(user: User, runs: Iterable[Run]) -> None:
    """Take from each run the one it was asked from, where that one does not exist for the user."""
    rows = [run for run in runs if run.asked_from_id is not None]
    if not rows:
        return
    shown = visible_runs(user.pk, {run.workspace_id for run in rows})
    known = set(shown.filter(pk__in=[run.asked_from_id for run in rows]).values_list("pk", flat=True))
    for run in rows:
        if run.asked_from_id not in known:
            run.asked_from = None


def watchers_of(run: Run, users: Iterable[int]) -> dict[int, str]:
    """The roles of those of these accounts for whom the run exists still."""
    roles = roles_in(run.workspace, users)
    if visible_runs(None, [run.workspace_id]).filter(pk=run.pk).exists():
        return roles
    return {pk: role for pk, role in roles.items() if visible_runs(pk, [run.workspace_id]).filter(pk=run.pk).exists()}


MENTIONABLE = 40
"""Members whose names are shown to who writes a comment; others can be mentioned all the same."""


def mentionable_in(run: Run, user: User) -> list[Any]:
    """The members who may see a run, but for the user; of the first MENTIONABLE by user name."""
    people = list(people_in(run.workspace).exclude(pk=user.pk)[:MENTIONABLE])
    seeing = watchers_of(run, [each.pk for each in people])
    return [each for each in people if each.pk in seeing]


def may_stop(may: May, *, mine: bool) -> bool:
    """Whether somebody may stop a run: their own (`mine`), or anybody's as an editor or owner."""
    return may.edit or (may.ask and mine)


def may_delete(may: May, *, mine: bool) -> bool:
    """Whether somebody may delete a run: their own (`mine`), or anybody's as an owner."""
    return may.govern or (may.ask and mine)


@dataclass(frozen=True)
class Waiting:
    """Why a run waits: its place in the line of all, what its person has waiting and under way, it included.

    `hold` is what keeps the whole line.
    """

    place: int
    waiting: int
    working: int
    hold: Hold | None = None


def waiting_of(run: Run) -> Waiting | None:
    """Where a run is in the line; None once it is taken."""
    place = line_of(run).places([run.pk]).get(run.pk) if run.status == Run.Status.QUEUED else None
    if place is None:
        return None
    own = Run.objects.filter(asked_by=run.asked_by_id, status__in=Run.OPEN, purpose=run.purpose)
    counts = dict(own.order_by().values_list("status").annotate(n=Count("pk")))
    hold = find_hold(line_of(run).queue)
    return Waiting(place, counts.get(Run.Status.QUEUED, 0), counts.get(Run.Status.RUNNING, 0), hold)


def find_watched_run(user: User, slug: str, pk: int) -> Run | None:
    """The run for a socket: None for a stranger, an unknown workspace and an unknown run alike."""
    workspace = member_workspace(user, slug)
    rows = Run.objects.select_related("asked_by")
    if workspace is None:
        return None
    run = rows.filter(pk__in=visible_runs(user.pk, [workspace.pk]).filter(pk=pk)).first()
    if run is not None:
        run.workspace = workspace
    return run


def run_to_execute(run_id: int) -> Run:
    """A run with its workspace, for its job."""
    return Run.objects.select_related("workspace").get(pk=run_id)


def thread_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER) -> Thread:
    """One thread of a workspace the user belongs to; Http404 for any other."""
    workspace = workspace_for(user, slug, needs)
    thread = Thread.objects.filter(workspace=workspace, pk=pk).first()
    first = runs_in(thread, user).order_by("pk").first() if thread is not None else None
    if thread is None or first is None:
        raise Http404("There is no such thread here.")
    thread.workspace = workspace
    if thread.runs.filter(pk__lt=first.pk).exists():
        thread.title = first.question[:TITLE_MAX]  # Its title is that of a question which the user may not see.
    return thread


def runs_in(thread: Thread, user: User) -> QuerySet[Run]:
    """The runs of a thread that exist for the user."""
    return visible_runs(user.pk, [thread.workspace_id]).filter(thread=thread.pk)


def newest_run_of(thread: Thread, user: User) -> Run:
    """The last question of a thread; Http404 for an empty one."""
    return one_or_404(runs_in(thread, user).order_by("-pk"), "This thread is empty.")


EXCHANGES = 8
"""Earlier questions of its thread that a question is given, the latest ones."""


def runs_before(run: Run) -> list[Run]:
    """The runs of its thread with a result that a question follows, oldest first, of tries of one question the last.

    A run that asks once more follows what its first try followed.
    """
    while run.is_another_try and run.asked_from is not None:
        run = run.asked_from
    rows = _with_result(visible_runs(run.asked_by_id, [run.workspace_id]).filter(thread=run.thread_id))
    # A follow-up was asked from the last result that its asker saw; another may have come in between.
    follows = run.asked_from_id if run.asked_how == Run.How.FOLLOW_UP else None
    rows = rows.filter(pk__lte=follows) if follows else rows.filter(pk__lt=run.pk)
    newest: dict[str, Run] = {}
    for row in rows.select_related("answer"):
        if len(newest) < EXCHANGES:
            newest.setdefault(row.question, row)
    return list(newest.values())[::-1]


def cited_passages(run: Run) -> list[Citation]:
    """The quotes of a run's standing sentences whose documents are still here, one for each marker."""
    rows = Citation.objects.filter(run=run.pk, claim__isnull=False, version__document__deleted_at=None)
    rows = rows.exclude(claim__support="unsupported").exclude(check_result="missing").exclude(version=None)
    return list({row.marker: row for row in rows.select_related("version").order_by("-marker", "-pk")}.values())[::-1]


def last_result_in(thread: Thread, user: User) -> Run | None:
    """The newest run of a thread that came to a result and exists for the user: a follow-up leans on it."""
    return _with_result(runs_in(thread, user)).first()


def _with_result(rows: QuerySet[Run]) -> QuerySet[Run]:
    return rows.filter(status__in=Run.CONCLUDED).order_by("-pk")


def count_in_thread(run: Run, viewer: int | None) -> int:
    """How many questions of the run's thread exist for an account; for None, for every member."""
    return visible_runs(viewer, [run.workspace_id]).filter(thread=run.thread_id).count()


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


BESIDE_CHAT = (EMBEDDING, "nearness")
"""Purposes of stored calls that no chat model answered; the second is in runs of earlier versions."""


def last_calls(run: Run) -> Iterator[tuple[ModelProvider, ModelCall]]:
    """Each connected model that was asked in a run, with its last call.

    One that somebody stopped, or that a budget did not pay for, tells nothing of the model.
    """
    calls = run.model_calls.exclude(purpose__in=BESIDE_CHAT).order_by("-pk")
    calls = calls.exclude(error_code__in=(Cancelled.code, ModelBudgetSpent.code))
    if not calls.exists():
        return
    rows, chosen = usable_providers(run.workspace), run.settings.get("answerer", "")
    by_choice = {provider_choice(row): row for row in rows}
    asked = None if chosen == SITE else by_choice.get(chosen, rows[0] if rows else None)
    second = by_choice.get(run.settings.get("second_reader", ""), asked)
    checks = Q(purpose__startswith=VERIFY)
    parts = [(asked, calls)] if second == asked else [(asked, calls.exclude(checks)), (second, calls.filter(checks))]
    for row, own in parts:
        last = own.first()
        if row is not None and last is not None:
            yield row, last


def model_failure(run: Run) -> tuple[ModelCall | None, bool]:
    """The last call of a chat model that failed in a run, None without one; and whether another was answered.

    One that was broken off because somebody stopped the run did not fail.
    """
    calls = run.model_calls.exclude(purpose__in=BESIDE_CHAT).exclude(error_code=Cancelled.code)
    failed = calls.exclude(error_code="").order_by("-pk").first()
    return failed, calls.filter(error_code="").exists()


def step_of(run: Run, sequence: int) -> Step:
    """One step of a run; Http404 when there is none of that number."""
    return one_or_404(Step.objects, "This run has no such step.", run=run.pk, sequence=sequence)


def documents_of_steps(run: Run, upto: int) -> list[list[str]]:
    """The ids of the documents that each step of the run is about, up to a sequence number, in order."""
    rows = Step.objects.filter(run=run.pk, sequence__lte=upto).order_by("sequence")
    return list(rows.values_list("documents", flat=True))


def claims_of(run: Run, after: int = 0, upto: int | None = None) -> list[Claim]:
    """The run's claims beyond a sequence number and, when given, up to another, as answered, with their citations."""
    cited = Prefetch("citations", queryset=Citation.objects.select_related("version", "version__document"))
    rows = _restrict_sequence(Claim.objects.filter(run=run.pk), after, upto).order_by("order")
    return list(rows.prefetch_related(cited))


def _restrict_sequence(rows: QuerySet[T], after: int, upto: int | None) -> QuerySet[T]:
    fresh = rows.filter(sequence__gt=after)
    return fresh if upto is None else fresh.filter(sequence__lte=upto)


def passages_of(run: Run) -> list[Citation]:
    """The passages that come closest to a run's question, best first."""
    rows = Citation.objects.filter(run=run.pk, claim=None).select_related("version", "version__document")
    return list(rows.order_by("pk"))


def answer_of(run: Run) -> Answer | None:
    """The run's answer; None before it ended and when it failed."""
    return Answer.objects.filter(run=run.pk).first()


def feedback_by(user: User, run: Run) -> Feedback | None:
    """What this user said of the run."""
    return Feedback.objects.filter(run=run.pk, user=user.pk or 0).first()


def standing_of(run: Run, user: User) -> dict[str, Any]:
    """What people made of a run: who verified it, whether the user did and has it as a favourite, how many comments."""
    verified = list(run.verifications.select_related("user"))
    return {
        "verified_by": verified,
        "is_verified_by_me": any(row.user_id == user.pk for row in verified),
        "is_favourite": run.favoured_by.filter(pk=user.pk).exists(),
        "comments": run.comments.count(),
    }


def comments_of(run: Run) -> list[Comment]:
    """What was said of a run, oldest first."""
    return list(run.comments.select_related("author", "claim").prefetch_related("mentions"))


def comment_of(run: Run, pk: int) -> Comment:
    """One comment on a run; Http404 for any other."""
    return one_or_404(run.comments, "There is no such comment here.", pk=pk)


def demo_run(user: User) -> Run | None:
    """The demo's run that recorded replies led, for who may see it and has nothing to look at yet."""
    ids = [workspace.pk for workspace in workspaces_of(user)]
    rows = asked_runs(user.pk, ids).filter(settings__has_key="cassette", status=Run.Status.ANSWERED)
    return rows.select_related("workspace").first()


def replay_of(run: Run) -> Replay | None:
    """The last replay of the run; None when nobody asked for one."""
    return Replay.objects.filter(run=run.pk).first()


def hidden_folders(run: Run) -> QuerySet[Folder]:
    """The restricted folders that a run does not read: those closed to its asker, now or when it was asked."""
    closed = closed_folders(run.asked_by_id, [run.workspace_id])
    not_asked = ~Q(pk__in=Run.folders.through.objects.filter(run=run.pk).values("folder"))
    rows = Folder.objects.filter(workspace=run.workspace_id, restricted=True)
    return rows.filter(Q(pk__in=closed.values("pk")) | not_asked)


def documents_in_scope(run: Run) -> QuerySet[Document]:
    """The documents a run may read."""
    here = Document.objects.filter(workspace=run.workspace_id, deleted_at=None, quarantined_at=None)
    documents = here.filter(~Q(folder__in=hidden_folders(run)))
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
    return documents_in_scope(run).filter(current_version__status=DocumentVersion.Status.READY).count()


def versions_read(run: Run) -> list[DocumentVersion]:
    """The versions the run opened, in the order of its scope."""
    return list(run.versions.select_related("document").order_by("document_id"))


def read_version(run: Run, pk: int) -> DocumentVersion:
    """A version whose pages the run may show: one it read, unless deleted since. Http404 for any other."""
    read = Q(pk__in=run.versions.values("pk")) | Q(pk__in=_select_cited_versions(run))
    rows = DocumentVersion.objects.filter(read, document__deleted_at=None)
    return one_or_404(
        rows.select_related("document", "document__workspace"), "This run did not read that document.", pk=pk
    )


def newer_documents(run: Run) -> list[Document]:
    """The cited documents that have a newer version by now."""
    cited = DocumentVersion.objects.filter(
        pk__in=_select_cited_versions(run), document__deleted_at=None
    ).select_related("document")
    return [row.document for row in cited if row.document.current_version_id not in (None, row.pk)]


def used_pages(document: Document, user: User, limit: int = USED_PAGES) -> list[dict[str, int]]:
    """The pages of its current version that answers quote most: [{page, count}], in the order of the document."""
    cited = Citation.objects.filter(
        version=document.current_version_id, run__in=visible_runs(user.pk, [document.workspace_id])
    ).exclude(claim=None)
    rows = cited.exclude(check_result="missing")
    most = rows.order_by().values("page_index").annotate(count=Count("pk")).order_by("-count", "page_index")[:limit]
    return sorted(({"page": row["page_index"] + 1, "count": row["count"]} for row in most), key=lambda row: row["page"])


def recent_runs(workspace: Workspace, user: User, limit: int = RECENT) -> list[Run]:
    """The newest run of each thread that exists for the user, newest first."""
    newest = asked_runs(user.pk, [workspace.pk]).values("thread").annotate(last=Max("pk")).order_by("-last")
    rows = Run.objects.filter(pk__in=[row["last"] for row in newest[:limit]])
    runs = list(rows.select_related("asked_by", "answer").defer("settings", "checked"))
    for run in runs:
        run.workspace = workspace
    return runs


def runs_of(user: User, limit: int = RECENT) -> list[Run]:
    """The last runs in any workspace of the user."""
    ids = [workspace.pk for workspace in workspaces_of(user)]
    return list(_with_people(asked_runs(user.pk, ids)).order_by("-pk")[:limit])


def home_workspaces(user: User) -> list[Workspace]:
    """The user's workspaces, each with `document_count` and `run_count`."""
    workspaces = workspaces_of(user)
    ids = [workspace.pk for workspace in workspaces]
    documents = _count_by_workspace(Document.objects.filter(open_to(user), workspace__in=ids, deleted_at=None))
    runs = _count_by_workspace(asked_runs(user.pk, ids))
    for workspace in workspaces:
        workspace.document_count = documents.get(workspace.pk, 0)  # type: ignore[attr-defined]
        workspace.run_count = runs.get(workspace.pk, 0)  # type: ignore[attr-defined]
    return workspaces


def month_of(workspace: Workspace, user: User) -> dict[str, Any]:
    """Questions, how many were answered, in part too, and US dollars since the first of the month, of the runs that
    exist for the user."""
    first = timezone.localtime().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    rows = asked_runs(user.pk, [workspace.pk]).filter(created_at__gte=first)
    return rows.order_by().aggregate(
        questions=Count("pk"),
        answered=Count("pk", filter=Q(status__in=(Run.Status.ANSWERED, Run.Status.PARTIAL))),
        partial=Count("pk", filter=Q(status=Run.Status.PARTIAL)),
        spent_usd=Sum("cost_usd", default=0),
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
    """What a question may cost at most, in words: all its tokens, and those of `for_each`, at the dearer price."""
    if not answerer.model:
        return _("no model but for search by meaning") if answerer.embeds else _("no model, no cost")
    if not answerer.usd_per_million:
        return _("%(model)s, no price set") % {"model": answerer.label}
    limits = Limits()
    own, each = (
        f"{max(Decimal(tokens) * answerer.usd_per_million / 1_000_000, LEAST_USD):.2f}"
        for tokens in (limits.model_tokens, limits.model_tokens + limits.each_tokens)
    )
    return _("%(model)s, at most $%(own)s, $%(each)s over many documents") % {
        "model": answerer.label,
        "own": own,
        "each": each,
    }


def _models(workspace: Workspace) -> Iterator[Answerer]:
    rows = list(providers_for(workspace).filter(enabled=True))
    twice = {row.model for row in rows if sum(other.model == row.model for other in rows) > 1}
    for row in rows:
        # With the provider's name where two offer the same.
        label = f"{row.model} ({row.name})" if row.model in twice else row.model
        yield Answerer(provider_choice(row), label, row.model, max(row.price_in, row.price_out))
    if settings.MODEL:
        dearer = Decimal(str(max(settings.MODEL_PRICE_IN, settings.MODEL_PRICE_OUT)))
        yield Answerer(SITE, settings.MODEL, settings.MODEL, dearer)


def read_notices(user: User, notices: Sequence[Notice]) -> dict[int, Told]:
    """What notices of runs tell the user: as long as the run exists for them, and its comment or mark is there."""
    slugs = {workspace.pk: workspace.slug for workspace in workspaces_of(user)}
    wanted = visible_runs(user.pk, slugs).filter(pk__in={row.about for row in notices}).order_by()
    # Every page counts what a person has not read: whole rows would cost it more than all else around its content.
    runs = {row["pk"]: row for row in wanted.values("pk", "workspace", "status", "question")}
    said = {row.details.get("comment") for row in notices} - {None}
    comments = set(Comment.objects.filter(pk__in=said).values_list("pk", flat=True)) if said else set()
    verified = {row.about for row in notices if row.kind == Kind.VERIFIED}
    marks = set(Verification.objects.filter(run__in=verified).values_list("run", "user")) if verified else set()
    told = {}
    for notice in notices:
        run, comment = runs.get(notice.about), notice.details.get("comment")
        gone = comment is not None and comment not in comments
        taken_back = notice.kind == Kind.VERIFIED and (notice.about, notice.actor_id) not in marks
        if run is not None and not gone and not taken_back:
            told[notice.pk] = _tell_run(notice, slugs[run["workspace"]], run["status"], run["question"])
    return told


ENDED_WORDS = {
    Run.Status.ANSWERED: _lazy("Your question was answered"),
    Run.Status.PARTIAL: _lazy("Your question was answered in part"),
    Run.Status.PASSAGES: _lazy("The closest passages to your question were found"),
    Run.Status.NOT_FOUND: _lazy("These documents do not answer your question"),
    Run.Status.FAILED: _lazy("Your question failed"),
}


def _tell_run(notice: Notice, slug: str, status: str, question: str) -> Told:
    page = "runs:people"
    match notice.kind:
        case Kind.RUN_ENDED:
            page, sentence = "runs:detail", str(ENDED_WORDS.get(Run.Status(status), _("Your question has ended")))
        case Kind.MENTIONED:
            sentence = _("%(name)s mentioned you in a comment") % {"name": person(notice.actor)}
        case Kind.COMMENTED:
            sentence = _("%(name)s commented on your question") % {"name": person(notice.actor)}
        case _other:
            page, sentence = "runs:detail", _("%(name)s verified the answer") % {"name": person(notice.actor)}
    return Told(sentence, question, reverse_lazy(page, args=[slug, notice.about]))
