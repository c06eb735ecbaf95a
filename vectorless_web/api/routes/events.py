"""A run's events as they are stored, for programs that follow it: server-sent events with resume."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from channels.layers import get_channel_layer
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from ninja import Router

from vectorless_web.api.models import ApiToken
from vectorless_web.api.replies import Number, answers
from vectorless_web.api.routes.runs import ONE, show_claim, show_run
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.runs import selectors
from vectorless_web.runs.export.exports import step_row
from vectorless_web.runs.line import group_of
from vectorless_web.runs.live.consumers import in_shared_thread
from vectorless_web.runs.models import Run

router = Router(tags=["Runs"])
LOOK_SECONDS = 2.0
"""How often the rows are looked at without an announcement, so that a lost one costs two seconds at most."""


EVENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "event": {"enum": [f"reasoning/{kind}" for kind in ("step", "claim", "complete", "error")]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["id", "event", "data"],
}


@router.get(ONE + "/events", openapi_extra=answers("text/event-stream", EVENT, empty="It has ended"))
async def follow_run(request: HttpRequest, slug: str, run: Number) -> HttpResponseBase:
    """The run's events from the start, or after the header Last-Event-ID, until it has ended; 204 after its end.

    `id` is the event's sequence. Types: reasoning/step, reasoning/claim, reasoning/complete, reasoning/error.
    """
    found = await in_shared_thread(selectors.run_for, request.user, slug, run)
    after = parse_whole_number(request.headers.get("Last-Event-ID", "")) or 0
    if found.status in Run.ENDED and after > await in_shared_thread(selectors.last_sequence, found.pk):
        return HttpResponse(status=204)  # A browser's EventSource then does not come again.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(
        send_events(request, slug, found, after), content_type="text/event-stream", headers=headers
    )


async def send_events(request: HttpRequest, slug: str, run: Run, after: int) -> AsyncIterator[bytes]:
    """The events beyond a sequence as they are stored, each as text; ends after the run's own end.

    Whether the token is still open, and its person may still see the run, is asked each time.
    """
    layer = get_channel_layer()
    assert layer is not None
    channel, group = await layer.new_channel(), group_of(run.pk)
    await layer.group_add(group, channel)
    try:
        while True:
            try:
                events, has_ended = await in_shared_thread(_read, request, slug, run.pk, after)
            except (Http404, PermissionDenied):
                return
            for sequence, kind, data in events:
                after = max(after, sequence)
                yield f"id: {sequence}\nevent: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
            if has_ended:
                return
            if not events:
                yield b": waiting\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(layer.receive(channel), LOOK_SECONDS)
    finally:
        await layer.group_discard(group, channel)


def _read(request: HttpRequest, slug: str, pk: int, after: int) -> tuple[list[tuple[int, str, dict[str, Any]]], bool]:
    token: ApiToken = request.auth  # type: ignore[attr-defined]
    token.refresh_from_db(fields=["revoked_at", "expires_at"])
    if not token.is_open:
        raise PermissionDenied("The token was closed.")
    # The state is read before the rows: what was stored before the end is then never missed.
    run = selectors.run_for(request.user, slug, pk)
    rows = [(step.sequence, "reasoning/step", step_row(step)) for step in selectors.steps_of(run, after)]
    rows += [(claim.sequence, "reasoning/claim", show_claim(claim)) for claim in selectors.claims_of(run, after)]
    rows.sort(key=lambda row: row[0])
    has_ended = run.status in Run.ENDED
    if has_ended:
        failed = run.status == Run.Status.FAILED
        told = {"code": run.error_code, "message": run.reason, "retryable": run.retryable} if failed else {}
        data = {**show_run(run), **told, "asked_at": run.created_at.isoformat()}
        data["finished_at"] = run.finished_at.isoformat() if run.finished_at else None
        rows.append((selectors.last_sequence(run.pk) + 1, "reasoning/error" if failed else "reasoning/complete", data))
    return rows, has_ended
