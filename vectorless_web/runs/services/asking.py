"""Asking: a question becomes a run that waits for a worker."""

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from django.db import transaction

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import documents_in, readable_documents
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.lib.problems import Problem
from vectorless_web.runs.models import Run, Thread
from vectorless_web.runs.question import checked_question, checked_steps
from vectorless_web.runs.routing import ROUTER_SETTINGS
from vectorless_web.runs.services import queueing
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record


class Choices(TypedDict, total=False):
    """What may be chosen for a single run: `max_steps` (None for the workspace's), `expand` (True: use synonyms)."""

    max_steps: int | None
    expand: bool


def start_run(
    *,
    user: User,
    workspace: Workspace,
    question: str,
    documents: Sequence[int] | None = None,
    thread: Thread | None = None,
    **choices: Unpack[Choices],
) -> Run:
    """Store a question as a queued run and enqueue its job on commit.

    `documents` are the ids of the chosen documents; None asks the whole workspace.
    Raises Problem (422) with a stable code when question or scope cannot be used.
    """
    try:
        question, limits = checked_question(question), _limits(workspace, choices)
    except InvalidInput as error:
        raise Problem(error.message, code=error.code, status=422) from error
    chosen = _checked_scope(workspace, user, documents)
    with transaction.atomic():
        thread = thread or Thread.objects.create(workspace=workspace, title=question[:300], created_by_id=user.pk)
        run = Run.objects.create(
            thread=thread,
            workspace=workspace,
            question=question,
            whole_workspace=documents is None,
            asked_by_id=user.pk,
            settings=limits,
        )
        run.documents.set(chosen)
        record(actor=user, verb="run.asked", workspace=workspace, target=run, name=question)
        queueing.enqueue(run)
    return run


def ask_again(*, user: User, run: Run, max_steps: int | None = None) -> Run:
    """Ask the same question with the same scope once more, as a new run of the same thread."""
    chosen = None if run.whole_workspace else list(run.documents.values_list("pk", flat=True))
    return start_run(
        user=user,
        workspace=run.workspace,
        question=run.question,
        documents=chosen,
        thread=run.thread,
        max_steps=max_steps or run.settings.get("max_steps"),
        expand=run.settings.get("expand", True),
    )


def _checked_scope(workspace: Workspace, user: User, ids: Sequence[int] | None) -> list[Document]:
    """The chosen documents, [] for the whole workspace; Problem when nothing can be read."""
    if ids is None:
        if not readable_documents(workspace, user).exists():
            raise _nothing_to_read(workspace, user)
        return []
    wanted = set(ids)
    if not wanted:
        raise Problem("Choose at least one document, or ask the whole workspace.", code="no_documents", status=422)
    found = list(readable_documents(workspace, user, wanted))
    if len(found) != len(wanted):
        raise Problem(
            "One of the chosen documents is not in this workspace or is not ready to be read. Choose again.",
            code="unknown_document",
            status=422,
        )
    return found


def _nothing_to_read(workspace: Workspace, user: User) -> Problem:
    if documents_in(workspace, user).exists():
        sentence = "No document is ready to be read yet. Ask again when one says Ready."
        return Problem(sentence, code="document_not_ready", status=422, retryable=True)
    return Problem("Upload a document first: there is nothing to read here yet.", code="no_documents", status=422)


def _limits(workspace: Workspace, choices: Choices) -> dict[str, Any]:
    """The limits and settings of this run as they stand now."""
    chosen = choices.get("max_steps")
    steps = chosen if chosen is not None else workspace.setting("max_steps")
    kept = ("token_budget", *ROUTER_SETTINGS)
    own = {"max_steps": checked_steps(steps), "expand": choices.get("expand", True)}
    return own | {name: workspace.setting(name) for name in kept}
