"""Answers a run's calls from what was stored of it: replay without network, resume after a crash."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vectorless_web.engine.errors import ModelError, ModelStopped, ModelUnreachable, PartialCall
from vectorless_web.engine.llm.calls import ModelCallRecord, failure
from vectorless_web.engine.llm.model import OUTSIDE, Message, Reply, current_place


class Recall:
    """The stored calls of a run, each given once: first one that served the step now being made, in their order.

    Walks side by side may ask the very same thing; each gets what it was told itself.
    Calls stored without their place serve any. `missed` counts what was not stored.
    """

    def __init__(self, records: Iterable[ModelCallRecord]) -> None:
        self._lock = threading.Lock()
        self._stored: dict[str, list[ModelCallRecord]] = defaultdict(list)
        for record in records:
            self._stored[record.request_hash].append(record)
        self.missed = 0

    def __call__(self, digest: str) -> ModelCallRecord | None:
        """The next stored call with that hash for the step that is being made."""
        here = current_place()
        with self._lock:
            waiting = self._stored.get(digest, [])
            found = next((record for record in waiting if (record.walk, record.index) == here), None)
            found = found or next((record for record in waiting if (record.walk, record.index) == OUTSIDE), None)
            if found is None:
                self.missed += 1
                return None
            waiting.remove(found)
            return found

    def count_left(self) -> int:
        """How many stored calls nobody has asked for."""
        with self._lock:
            return sum(len(waiting) for waiting in self._stored.values())


class NoModel:
    """Stands where no model may be asked: every request is ModelUnreachable."""

    def __init__(self, name: str) -> None:
        self.name = name

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """ModelUnreachable: in a replay only what was stored is answered."""
        raise ModelUnreachable("This request is not among the stored calls.")

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """ModelUnreachable, as above."""
        yield self.complete(messages).text


def stored_failure(record: ModelCallRecord) -> ModelError | ModelStopped:
    """The error that the call ended in, with what it had cost by then."""
    partial = PartialCall(record.reply, record.tokens_in, record.tokens_out, record.cost_usd)
    return failure(record.error_code, record.error, partial)
