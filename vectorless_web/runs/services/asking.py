"""Asking a question within its limits, and its run afterwards: its thread, whether it was right, deleting it."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from statistics import fmean
from typing import Any, TypedDict, Unpack

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from vectorless_web.documents.background import are_summaries_on
from vectorless_web.documents.models import Document, Folder
from vectorless_web.documents.selectors import closed_folders, documents_in, readable_documents
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.state import CitedPassage, Conversation, Exchange
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.questions.plan import check_question
from vectorless_web.infra.limits import RUN_USD_MAX, TITLE_MAX, check_steps
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import HOUR, count_or_refuse, describe_wait
from vectorless_web.runs import line, selectors
from vectorless_web.runs.corpus import ROUTER_SETTINGS
from vectorless_web.runs.models import Citation, Feedback, Run, Thread
from vectorless_web.runs.selectors import answerers_of
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, may_in
from vectorless_web.workspaces.services import record

LATELY = 20
"""Runs whose time tells how soon the next one ends."""
SOONEST, LATEST = 5, 600
"""Seconds: what a guess of when to come again is kept within."""


def check_question_rate(user: User, workspace: Workspace) -> None:
    """Raise Problem (429) when the person has reached a limit. Call it in the transaction that stores the question.

    The person's row is held until then, so that questions sent at one moment are counted one after the other.
    """
    list(get_user_model()._default_manager.select_for_update(no_key=True).filter(pk=user.pk or 0))
    waiting = Run.objects.filter(status=Run.Status.QUEUED, purpose=Run.Purpose.QUESTION)
    _check_waiting(
        waiting.filter(asked_by=user.pk),
        settings.WAITING_RUNS_PER_PERSON,
        "You have {questions} waiting, as many as one person may have.",
        "too_many_waiting",
    )
    _check_waiting(
        waiting.filter(workspace=workspace.pk),
        settings.WAITING_RUNS_PER_WORKSPACE,
        "This workspace has {questions} waiting, as many as one may have.",
        "workspace_too_many_waiting",
    )
    if most := settings.ASKS_PER_HOUR:
        cause = f"You may ask {most:,} questions in an hour."
        count_or_refuse(f"asks-{user.pk}", cause, limit=most, seconds=HOUR, code="too_many_asks")


def _check_waiting(waiting: QuerySet[Run], most: int, sentence: str, code: str) -> None:
    count = waiting.count() if most else 0
    if most and count >= most:
        wait = _seconds_to_next_end()
        questions = f"{count:,} question{'s' if count > 1 else ''}"
        remedy = f"Ask again when one was taken, in about {describe_wait(wait)}."
        cause = sentence.format(questions=questions)
        raise Problem(cause, remedy=remedy, code=code, status=429, retry_after=wait)


def _seconds_to_next_end() -> int:
    """About how long until the next run is taken: as long as runs took lately."""
    ended = Run.objects.filter(status__in=Run.ENDED, purpose=Run.Purpose.QUESTION)
    ended = ended.filter(started_at__isnull=False, finished_at__isnull=False)
    times = ended.order_by("-pk").values_list("started_at", "finished_at")[:LATELY]
    took = [(finished - started).total_seconds() for started, finished in times if started and finished]
    return round(min(max(fmean(took) if took else SOONEST, SOONEST), LATEST))


class RunChoices(TypedDict, total=False):
    """What may be chosen for a single run.

    `max_steps` is None for the workspace's; `max_walks` documents are opened at most (None: the engine's
    own limit); `expand` is true to use synonyms; `answerer` is "" for who answers usually;
    `money_usd` is the most to spend as it was typed, "" for the workspace's own limit. With `restricted`
    false the restricted folders that the asker may see are left aside, so that everyone may see the run.
    With `private` true only the asker sees it, as they do where the workspace or the question before it has it so.
    `search` are fields of engine.agent.state.Settings by name, as they were checked by a form or the API.
    """

    max_steps: int | None
    max_walks: int | None
    expand: bool
    answerer: str
    money_usd: str | float | None
    restricted: bool
    private: bool
    search: Mapping[str, Any]


class Changes(TypedDict, total=False):
    """What may be different when a run's question is asked again: its words, how far to go, who answers, the money."""

    question: str
    max_steps: int | None
    max_walks: int | None
    answerer: str
    money_usd: str | float | None


def start_run(
    *,
    user: User,
    workspace: Workspace,
    question: str,
    documents: Sequence[int] | None = None,
    follows: Thread | Run | None = None,
    **choices: Unpack[RunChoices],
) -> Run:
    """Store a question as a queued run and enqueue its job on commit.

    `documents` are the ids of the chosen documents; None asks the whole workspace. With a thread the
    question follows up on its last result, with a run it is that one's question asked once more.
    Raises Problem with a stable code: 422 when question or scope cannot be used, 429 when too much was asked.
    """
    asked, chosen, folders = _prepare(user, workspace, question, documents, choices)
    thread, origin = _place_of(follows, user)
    # One that was stopped or failed came to no result, and its thread stays as private as it was.
    before = origin or (selectors.runs_in(thread, user).order_by("-pk").first() if thread else None)
    asked |= {
        "asked_from": origin,
        "asked_how": _classify_origin(origin, follows, asked["question"], asked["settings"]),
        "private": choices.get("private", False) or is_private_anyway(workspace, before),
    }
    with transaction.atomic():
        check_question_rate(user, workspace)
        run = _create_run(user, workspace, thread, chosen, folders, **asked)
        record(actor=user, verb="run.asked", workspace=workspace, target=run, name=run.question)
        line.enqueue(run)
    return run


def is_private_anyway(workspace: Workspace, before: Run | None) -> bool:
    """Whether a question is its asker's own without their choosing: everyone's is, or the one before it."""
    return bool(workspace.setting("runs_private")) or (before is not None and before.private)


def start_background_run(
    *,
    user: User,
    workspace: Workspace,
    purpose: str,
    question: str,
    documents: Sequence[int] | None = None,
    **choices: Unpack[RunChoices],
) -> Run:
    """Store a question of a grid or an evaluation as a queued run in the line behind all that people ask.

    When it ends, the function that the setting RUN_ENDED names for its purpose is called in the same transaction.
    Nobody's rate counts it; Problem (422) as `start_run` raises it.
    """
    asked, chosen, folders = _prepare(user, workspace, question, documents, choices)
    with transaction.atomic():
        run = _create_run(user, workspace, None, chosen, folders, purpose=purpose, **asked)
        line.enqueue(run)
    return run


def _prepare(
    user: User, workspace: Workspace, question: str, documents: Sequence[int] | None, choices: RunChoices
) -> tuple[dict[str, Any], list[Document], list[Folder]]:
    """Fields of the run, its chosen documents and the restricted folders that it may read; Problem (422) when one of
    them cannot be used."""
    try:
        question, limits = check_question(question), _limits(workspace, choices)
    except InvalidInput as error:
        raise Problem(error.cause, remedy=error.remedy, code=error.code) from error
    asked = {"question": question, "settings": limits, "whole_workspace": documents is None}
    chosen = _check_scope(workspace, user, documents)
    return asked, chosen, _list_restricted(workspace, user, documents, limits)


def _create_run(
    user: User,
    workspace: Workspace,
    thread: Thread | None,
    chosen: Sequence[Document],
    folders: Sequence[Folder],
    **asked: Any,
) -> Run:
    title = asked["question"][:TITLE_MAX]
    thread = thread or Thread.objects.create(workspace=workspace, title=title, created_by_id=user.pk)
    run = Run.objects.create(thread=thread, workspace=workspace, asked_by_id=user.pk, **asked)
    run.documents.set(chosen)
    run.named.set(chosen)
    run.folders.set(folders)
    return run


def _list_restricted(
    workspace: Workspace, user: User, documents: Sequence[int] | None, limits: dict[str, Any]
) -> list[Folder]:
    """The restricted folders that a run of this scope may read."""
    if limits.get("without_restricted"):
        return []
    open_to_asker = Folder.objects.filter(workspace=workspace, restricted=True).exclude(
        pk__in=closed_folders(user.pk, [workspace.pk]).values("pk")
    )
    rows = open_to_asker if documents is None else open_to_asker.filter(documents__in=list(documents)).distinct()
    return list(rows)


def ask_again(*, user: User, run: Run, **changes: Unpack[Changes]) -> Run:
    """Ask a run's question with the same scope and choices once more, but for what is changed, in the same thread."""
    chosen = None if run.whole_workspace else list(run.documents.values_list("pk", flat=True))
    choices: RunChoices = {
        "max_steps": changes.get("max_steps") or run.settings.get("max_steps"),
        "max_walks": changes.get("max_walks") or run.settings.get("max_walks"),
        "expand": run.settings.get("expand", True),
        "answerer": changes.get("answerer") or _same_answerer(run),
        "money_usd": changes.get("money_usd") or run.settings.get("money_typed"),
        "restricted": not run.settings.get("without_restricted"),
        "search": run.settings.get("searched", {}),
    }
    question = changes.get("question", run.question)
    return start_run(user=user, workspace=run.workspace, question=question, documents=chosen, follows=run, **choices)


def _same_answerer(run: Run) -> str:
    """Who was chosen to answer, "" once they are no longer offered."""
    chosen: str = run.settings.get("answerer", "")
    return chosen if chosen in [row.value for row in answerers_of(run.workspace)] else ""


def _place_of(follows: Thread | Run | None, user: User) -> tuple[Thread | None, Run | None]:
    """The thread a question goes into, and the run it comes from."""
    if isinstance(follows, Run):
        return follows.thread, follows
    return follows, selectors.last_result_in(follows, user) if follows else None


def _classify_origin(origin: Run | None, follows: Thread | Run | None, question: str, limits: dict[str, Any]) -> str:
    """What is new against the run that the question comes from, the weightiest first."""
    if origin is None:
        return ""
    if isinstance(follows, Thread):
        return Run.How.FOLLOW_UP
    if question != origin.question:
        return Run.How.EDITED
    usual = answerers_of(origin.workspace)[0].value
    if (limits.get("answerer") or usual) != (origin.settings.get("answerer") or usual):
        return Run.How.ANSWERER
    if _depth(limits) > _depth(origin.settings):
        return Run.How.DEEPER
    return Run.How.NEWER if selectors.newer_documents(origin) else Run.How.AGAIN


def _depth(settings: dict[str, Any]) -> tuple[int, int]:
    """How far a run goes: documents, then steps in each."""
    return settings.get("max_walks") or Limits().max_walks, settings.get("max_steps") or Limits().max_steps


def _check_scope(workspace: Workspace, user: User, ids: Sequence[int] | None) -> list[Document]:
    """The chosen documents, [] for the whole workspace; Problem when nothing can be read."""
    if ids is None:
        if not readable_documents(workspace, user).exists():
            raise _nothing_to_read(workspace, user)
        return []
    wanted = set(ids)
    if not wanted:
        raise Problem(
            "No document was chosen.", remedy="Choose at least one, or ask the whole workspace.", code="no_documents"
        )
    found = list(readable_documents(workspace, user, wanted))
    if len(found) != len(wanted):
        raise Problem(
            "One of the chosen documents is not in this workspace or is not ready to be read.",
            remedy="Choose again.",
            code="unknown_document",
        )
    return found


def _nothing_to_read(workspace: Workspace, user: User) -> Problem:
    if documents_in(workspace, user).exists():
        sentence = "No document is ready to be read yet."
        return Problem(sentence, remedy="Ask again when one says Ready.", code="document_not_ready", retryable=True)
    return Problem("There is nothing to read here yet.", remedy="Upload a document first.", code="no_documents")


KEPT = (
    *("token_budget", "verify", "pilot", "strategy", "fusion"),
    *("graph_expand", "community", "min_confidence", "summary_cap"),
)
"""Settings of a workspace that a run takes over, beside those of the router."""


def _limits(workspace: Workspace, choices: RunChoices) -> dict[str, Any]:
    """The limits and settings of this run as they stand now."""
    chosen = choices.get("max_steps")
    steps = chosen if chosen is not None else workspace.setting("max_steps")
    own: dict[str, Any] = {"max_steps": check_steps(steps), "expand": choices.get("expand", True)}
    if walks := choices.get("max_walks"):
        own["max_walks"] = min(walks, WALKS_MAX)
    own |= _money(check_money(choices.get("money_usd")), workspace.setting("money_usd"))
    if answerer := choices.get("answerer", ""):
        own["answerer"] = _check_answerer(workspace, answerer)
    if workspace.setting("second_reader"):
        own["second_reader"] = workspace.setting("second_reader")
    own |= {} if choices.get("restricted", True) else {"without_restricted": True}
    own |= {"summaries": True} if are_summaries_on(workspace.pk) else {}
    usual = {name: workspace.setting(name) for name in (*KEPT, *ROUTER_SETTINGS)}
    usual["summary_cap"] = usual["summary_cap"] or settings.SUMMARY_CAP
    searched = dict(choices.get("search", {}))
    return own | usual | searched | ({"searched": searched} if searched else {})


def _money(typed: float | None, most: float | None) -> dict[str, float]:
    """What was typed, and what holds: no more than the workspace's limit of today."""
    holds = [usd for usd in (typed, most) if usd is not None]
    kept = {"money_typed": typed} if typed is not None else {}
    return kept | ({"money_usd": min(holds)} if holds else {})


def _check_answerer(workspace: Workspace, answerer: str) -> str:
    if answerer not in [row.value for row in answerers_of(workspace)]:
        sentence = "The model that was chosen is no longer offered here."
        raise InvalidInput(sentence, remedy="Choose again.", code="unknown_answerer")
    return answerer


def may_rename(user: User, thread: Thread) -> bool:
    """Whether the user may give the thread another title: one's own as a member, any as an editor."""
    workspace = thread.workspace
    own = thread.created_by_id == user.pk and workspace.allows(Role.MEMBER)
    return own or workspace.allows(Role.EDITOR)


def rename_thread(*, user: User, thread: Thread, title: str) -> None:
    """Give a thread another title; PermissionDenied when it is neither one's own nor one is an editor."""
    if not may_rename(user, thread):
        raise PermissionDenied("Only who began this thread, or an editor, can rename it.")
    title = " ".join(title.replace("\0", "").split())
    if not title:
        raise Problem("The title is empty.", remedy="Write one first.", code="title_empty")
    if len(title) > TITLE_MAX:
        raise Problem(f"A title has at most {TITLE_MAX} characters.", remedy="Shorten it.", code="title_too_long")
    before, thread.title = thread.title, title
    thread.save(update_fields=["title"])
    record(
        actor=user,
        verb="thread.renamed",
        workspace=thread.workspace,
        target=thread,
        name=title,
        details={"before": before},
    )


def conversation_of(run: Run) -> Conversation:
    """The questions of the thread that this one follows, with their answers and the passages that those cited.

    A question of a grid or an evaluation has a thread of its own.
    """
    if run.purpose != Run.Purpose.QUESTION:
        return Conversation()
    return Conversation(tuple(map(_exchange_of, selectors.runs_before(run))))


def _exchange_of(run: Run) -> Exchange:
    answer = selectors.answer_of(run)
    cited = tuple(map(_cited_passage, selectors.cited_passages(run)))
    return Exchange(run.question, answer.markdown if answer and run.has_answer else "", cited)


def _cited_passage(row: Citation) -> CitedPassage:
    document = row.version.document_id if row.version else ""
    return CitedPassage(str(document), row.node_key, row.page_index, row.quote)


def give_feedback(*, user: User, run: Run, good: bool, reason: str = "", comment: str = "") -> Feedback:
    """Keep what a person says of a run; saying it again replaces it."""
    if reason and reason not in Feedback.Reason.values:
        raise Problem("That is none of the reasons offered.", remedy="Choose one of them.", code="invalid_input")
    values = {"good": good, "reason": "" if good else reason, "comment": comment.replace("\0", "").strip()[:2000]}
    given, _ = Feedback.objects.update_or_create(run=run, user_id=user.pk or 0, defaults=values)
    return given


PURGED_AT_ONCE = 500
"""Runs that one transaction removes."""
REMOVED_KEPT = timedelta(hours=1)
"""How long a deletion can be undone; then the run goes with all it left, within another hour."""


@transaction.atomic
def delete_run(*, user: User, run: Run) -> None:
    """Hide a finished run from everybody; it goes for good unless this is undone in time.

    One's own, or any for an owner of the workspace. Problem (409) while it is open.
    """
    _check_may_delete(user, run)
    if run.is_open:
        raise Problem(
            "This is still under way.",
            remedy="Stop it first; then it can be deleted.",
            code="still_running",
            status=409,
        )
    if Run.objects.filter(pk=run.pk).update(removed_at=timezone.now()):
        record(actor=user, verb="run.deleted", workspace=run.workspace, target=run, name=run.question)


@transaction.atomic
def restore_run(*, user: User, run: Run) -> None:
    """Undo a deletion, as those may who may delete."""
    _check_may_delete(user, run)
    if Run.with_removed.filter(pk=run.pk).exclude(removed_at=None).update(removed_at=None):
        record(actor=user, verb="run.restored", workspace=run.workspace, target=run, name=run.question)


def _check_may_delete(user: User, run: Run) -> None:
    if not selectors.may_delete(may_in(run.workspace), mine=run.asked_by_id == user.pk):
        raise PermissionDenied("Only who asked, or an owner, can delete this.")


def purge_removed_runs() -> int:
    """Remove the runs whose deletion can no longer be undone, with the threads that are empty then; how many."""
    overdue = Run.with_removed.filter(removed_at__lt=timezone.now() - REMOVED_KEPT).order_by("pk")[:PURGED_AT_ONCE]
    found = dict(overdue.values_list("pk", "thread"))
    with transaction.atomic():
        Run.with_removed.filter(pk__in=found, removed_at__isnull=False).delete()
        Thread.objects.filter(pk__in=set(found.values()), runs=None).delete()
    return len(found)


WALKS_MAX = 10
"""Documents that a run may open when it is asked to look further: twice the engine's own limit."""
_TWO_WAYS = re.compile(r"[1-9]\d*,\d{3}(?!\d)")


def check_money(typed: str | float | None) -> float | None:
    """US dollars as they were typed, with a point or a comma before the cents; None for nothing.

    InvalidInput for what is no amount, and for "1,000", which is a thousand to some and one to others.
    """
    if typed is None or typed == "":
        return None
    try:
        usd = -1.0 if _TWO_WAYS.search(str(typed)) else float(str(typed).replace(",", ".").removeprefix("$"))
    except ValueError:
        usd = -1.0
    if not 0 < usd <= RUN_USD_MAX:
        raise InvalidInput(
            "The most to spend is no amount of US dollars.",
            remedy="Type one, for example 0.25, or nothing.",
            code="invalid_amount",
        )
    return usd
