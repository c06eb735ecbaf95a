"""Stores the model calls of a run, so that it can be resumed and replayed, and pays for them."""

import threading
from collections import defaultdict, deque
from collections.abc import Sequence

from django.db import connection
from django.db.models import QuerySet

from vectorless_web.documents.background import is_work_under_way
from vectorless_web.engine.llm.calls import ModelCallRecord
from vectorless_web.engine.llm.model import message_from
from vectorless_web.infra.leases import write_under_lease
from vectorless_web.infra.money import money, token_count
from vectorless_web.infra.outages import retry_through_outage
from vectorless_web.runs.models import ModelCall, Run, Step
from vectorless_web.runs.services.leases import RunLease
from vectorless_web.runs.services.recording import clean_for_database
from vectorless_web.workspaces.services import WorkspaceCostBudget, release_all

Served = tuple[str, int, int]
"""A request's hash, and the walk and index of the step that asked."""


class CallLog:
    """Stores each call of an attempt under the run's lease; one that an earlier attempt stored is kept once.

    A call has been paid for, so the database is waited for when it is away.

    Called from the threads of the walks, each with a connection of its own.
    """

    def __init__(self, lease: RunLease) -> None:
        self._lease = lease
        self._lock = threading.Lock()
        self.stored: Sequence[ModelCallRecord] = stored_calls(lease.run_id)
        self._answered: dict[Served, deque[int]] = defaultdict(deque)
        for pk, digest, walk, index in _calls_of(lease.run_id).values_list("pk", "request_hash", "walk", "index"):
            self._answered[digest, walk, index].append(pk)

    def __call__(self, record: ModelCallRecord) -> None:
        """Store the call. LeaseLost when the run is somebody else's by now."""
        stored = self._find_stored_row(record)
        try:
            retry_through_outage(lambda: self._store(record, stored))
        finally:
            if threading.current_thread() is not threading.main_thread():
                connection.close()

    def _store(self, record: ModelCallRecord, stored: int | None) -> None:
        with write_under_lease(self._lease):
            if stored is None:
                step = _step_at(self._lease.run_id, record)
                ModelCall.objects.create(run_id=self._lease.run_id, step_id=step, **_row(record))
            else:
                ModelCall.objects.filter(pk=stored).update(cached=True)

    def _find_stored_row(self, record: ModelCallRecord) -> int | None:
        """The row that answered this request again, each once; None for a new call."""
        with self._lock:
            rows = self._answered[record.request_hash, record.walk, record.index]
            return rows.popleft() if rows else None


def stored_calls(run_id: int) -> list[ModelCallRecord]:
    """The calls of a run in the order in which they were made."""
    return [
        ModelCallRecord(
            purpose=row.purpose,
            request_hash=row.request_hash,
            messages=tuple(map(message_from, row.prompt)),
            reply=row.reply,
            model=row.model,
            tokens_in=row.tokens_in,
            tokens_out=row.tokens_out,
            cost_usd=float(row.cost_usd),
            latency_ms=row.latency_ms,
            error_code=row.error_code,
            error=row.error,
            walk=row.walk,
            index=row.index,
        )
        for row in _calls_of(run_id)
    ]


def _step_at(run_id: int, record: ModelCallRecord) -> int | None:
    """The step of a walk that the call serves, when an earlier attempt stored it; a new one takes its calls itself."""
    if not record.walk:
        return None
    return Step.objects.filter(run=run_id, walk=record.walk, index=record.index).values_list("pk", flat=True).first()


def _calls_of(run_id: int) -> QuerySet[ModelCall]:
    return ModelCall.objects.filter(run=run_id).order_by("pk")


def _row(record: ModelCallRecord) -> dict[str, object]:
    row = {
        "purpose": record.purpose[:40],
        "request_hash": record.request_hash,
        "prompt": [message.as_stored() for message in record.messages],
        "reply": record.reply,
        "model": record.model[:120],
        "tokens_in": token_count(record.tokens_in),
        "tokens_out": token_count(record.tokens_out),
        "cost_usd": money(record.cost_usd),
        "latency_ms": record.latency_ms,
        "error_code": record.error_code,
        "error": record.error,
        "walk": record.walk,
        "index": record.index,
    }
    cleaned: dict[str, object] = clean_for_database(row)
    return cleaned


class RunCostBudget(WorkspaceCostBudget):
    """Pays the calls of one run.

    Made at the start of an attempt: what died workers left put aside is given back then,
    unless somebody else in the workspace may still settle it: another run, or
    the embedding or summarising of a document.
    """

    def __init__(self, run: Run) -> None:
        super().__init__(run.workspace, run.asked_by)
        runs = Run.objects.filter(workspace=run.workspace_id, status=Run.Status.RUNNING).exclude(pk=run.pk)
        release_all(workspace=run.workspace, unless=lambda: runs.exists() or is_work_under_way(run.workspace_id))
