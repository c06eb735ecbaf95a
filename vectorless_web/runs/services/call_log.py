"""Keeps the model calls of a run, so that it can be resumed and replayed."""

import threading
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from django.db import connection

from vectorless_web.engine.llm.calls import ModelCallRecord
from vectorless_web.engine.llm.model import Message
from vectorless_web.runs.models import ModelCall
from vectorless_web.runs.services.leases import Lease, fenced
from vectorless_web.runs.services.recording import storable


class CallLog:
    """Stores each call of an attempt under the run's lease; one that an earlier attempt stored is kept once.

    Called from the threads of the walks, each with a connection of its own.
    """

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._lock = threading.Lock()
        self.stored: Sequence[ModelCallRecord] = stored_calls(lease.run_id)
        self._answered = Counter(record.request_hash for record in self.stored)

    def __call__(self, record: ModelCallRecord) -> None:
        """Store the call. LeaseLost when the run is somebody else's by now."""
        if self._was_stored(record.request_hash):
            return
        try:
            with fenced(self._lease):
                ModelCall.objects.create(run_id=self._lease.run_id, **_row(record))
        finally:
            if threading.current_thread() is not threading.main_thread():
                connection.close()

    def _was_stored(self, digest: str) -> bool:
        with self._lock:
            if not self._answered[digest]:
                return False
            self._answered[digest] -= 1
            return True


def stored_calls(run_id: int) -> list[ModelCallRecord]:
    """The calls of a run in the order in which they were made."""
    return [
        ModelCallRecord(
            purpose=row.purpose,
            request_hash=row.request_hash,
            messages=tuple(Message(role, content) for role, content in row.prompt),
            reply=row.reply,
            model=row.model,
            tokens_in=row.tokens_in,
            tokens_out=row.tokens_out,
            cost_usd=float(row.cost_usd),
            latency_ms=row.latency_ms,
            error_code=row.error_code,
        )
        for row in ModelCall.objects.filter(run=run_id).order_by("pk")
    ]


def _row(record: ModelCallRecord) -> dict[str, object]:
    row = {
        "purpose": record.purpose[:40],
        "request_hash": record.request_hash,
        "prompt": [[message.role, message.content] for message in record.messages],
        "reply": record.reply,
        "model": record.model[:120],
        "tokens_in": record.tokens_in,
        "tokens_out": record.tokens_out,
        "cost_usd": Decimal(str(record.cost_usd)),
        "latency_ms": record.latency_ms,
        "error_code": record.error_code,
    }
    cleaned: dict[str, object] = storable(row)
    return cleaned
