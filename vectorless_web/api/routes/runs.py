"""Questions and their runs: ask, wait, follow, stop, export."""

import asyncio
import time
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Query, Router, Status

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import Scope
from vectorless_web.api.paging import Number, Paged, PageOut, PageQuery, answers, reply_once, take_page
from vectorless_web.api.routes.schemas import AskIn, ClaimOut, RunOut, SearchIn
from vectorless_web.infra.limits import LARGEST
from vectorless_web.runs import selectors, services
from vectorless_web.runs.export import exports
from vectorless_web.runs.live.consumers import in_shared_thread
from vectorless_web.runs.models import Claim, Run
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_for

router = Router(tags=["Runs"])
PLACE = "/workspaces/{slug:slug}/runs"
ONE = PLACE + "/{run}"
After = Annotated[int, Query(ge=0, le=LARGEST)]
LOOK_SECONDS = 0.5
"""How often a request that waits looks whether its run has ended."""


def show_run(run: Run) -> dict[str, Any]:
    """A run in short, with its answer once it has ended."""
    answer = getattr(run, "answer", None)
    return {
        "id": run.pk,
        "thread": run.thread_id,
        "question": run.question,
        "status": run.status,
        "ended": run.status in Run.ENDED,
        "reason": run.reason,
        "answer": answer.markdown if answer else "",
        "value": answer.value if answer else "",
        "verdict": answer.verdict if answer else "",
        "tokens": run.tokens,
        "cost_usd": float(run.cost_usd),
        "asked_at": run.created_at,
        "finished_at": run.finished_at,
        "page": reverse("runs:detail", args=[run.workspace.slug, run.pk]),
    }


@router.get(PLACE, response=PageOut[RunOut])
def list_runs(request: HttpRequest, slug: str, asked: PageQuery = Paged) -> dict[str, Any]:
    """The runs of a workspace that the person may see, the newest first."""
    workspace = workspace_for(request.user, slug)
    rows = selectors.asked_runs(request.user.pk, [workspace.pk]).select_related("workspace", "answer")
    return take_page(rows, asked, show_run)


@router.post(PLACE, response={201: RunOut}, auth=Bearer(Scope.ASK))
def ask(request: HttpRequest, slug: str, asked: AskIn) -> Status[dict[str, Any]]:
    """Ask a question; the run is queued. With the header Idempotency-Key a repeated request gives the first reply."""
    workspace = workspace_for(request.user, slug, Role.MEMBER)
    thread = selectors.thread_for(request.user, slug, asked.thread) if asked.thread else None

    def start() -> tuple[int, dict[str, Any]]:
        run = services.start_run(
            user=request.user,
            workspace=workspace,
            question=asked.question,
            documents=asked.documents,
            follows=thread,
            max_steps=asked.max_steps,
            money_usd=asked.money_usd,
            answerer=asked.answerer,
            search=_read_search(asked.search),
        )
        return 201, show_run(run)

    return reply_once(request, asked.dict(), start)


@router.get(ONE, response=RunOut)
async def show_one(
    request: HttpRequest, slug: str, run: Number, wait: Annotated[int, Query(ge=0, le=60)] = 0
) -> dict[str, Any]:
    """One run; with `wait` the reply comes when it has ended, or after so many seconds."""
    until = time.monotonic() + wait
    while True:
        found = await in_shared_thread(_read_run, request, slug, run)
        if found["ended"] or time.monotonic() >= until:
            return found
        await asyncio.sleep(LOOK_SECONDS)


def _read_search(given: SearchIn | None) -> dict[str, Any]:
    """What was set of the search, in JSON values."""
    return given.model_dump(mode="json", exclude_unset=True, exclude_none=True) if given else {}


def _read_run(request: HttpRequest, slug: str, run: int) -> dict[str, Any]:
    return show_run(selectors.run_for(request.user, slug, run))


@router.get(ONE + "/steps", response=list[dict[str, Any]])
def list_steps(request: HttpRequest, slug: str, run: Number, after: After = 0) -> list[dict[str, Any]]:
    """The steps of a run in order: its thought, the act, what was seen; `after` a sequence, those beyond it."""
    found = selectors.run_for(request.user, slug, run)
    return [exports.step_row(step) for step in selectors.steps_of(found, after)]


@router.get(ONE + "/claims", response=list[ClaimOut])
def list_claims(request: HttpRequest, slug: str, run: Number, after: After = 0) -> list[dict[str, Any]]:
    """The sentences of the answer with their checked quotes; `after` a sequence, those beyond it."""
    found = selectors.run_for(request.user, slug, run)
    return [show_claim(claim) for claim in selectors.claims_of(found, after)]


@router.get(ONE + "/citations", response=list[dict[str, Any]])
def list_citations(request: HttpRequest, slug: str, run: Number) -> list[dict[str, Any]]:
    """Each quote once with document, page and how it was checked; of a run without an answer, the closest passages."""
    return exports.list_citations(selectors.run_for(request.user, slug, run))


def show_claim(claim: Claim) -> dict[str, Any]:
    """A sentence of the answer with what it cites."""
    names = ("sequence", "order", "text", "support")
    citations = [exports.citation_row(citation) for citation in claim.citations.all()]
    return {**{name: getattr(claim, name) for name in names}, "citations": citations}


@router.get(ONE + "/export", response=dict[str, Any])
def export_run(request: HttpRequest, slug: str, run: Number) -> dict[str, Any]:
    """Everything about a run: claims, citations with page and quote, steps, documents read, settings, cost."""
    return exports.as_json(selectors.run_for(request.user, slug, run))


@router.get(ONE + "/markdown", openapi_extra=answers("text/markdown"))
def export_markdown(request: HttpRequest, slug: str, run: Number) -> HttpResponse:
    """The answer with its quotes as Markdown."""
    text = exports.as_markdown(selectors.run_for(request.user, slug, run))
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")


@router.post(ONE + "/cancel", response=RunOut, auth=Bearer(Scope.ASK))
def cancel_run(request: HttpRequest, slug: str, run: Number) -> dict[str, Any]:
    """Ask a run to stop; one that has ended stays as it is."""
    found = selectors.run_for(request.user, slug, run, Role.MEMBER)
    services.stop_run(user=request.user, run=found)
    return show_run(selectors.run_for(request.user, slug, run))
