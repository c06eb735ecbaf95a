"""Embeddings: what is asked of embedding models, checked, bounded and recorded."""

import base64
import binascii
import hashlib
import json
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.errors import ModelError, ModelInvalidReply, ModelStopped, ModelUnreachable
from vectorless_web.engine.llm.budget import CostBudget, ModelBudget, expected_tokens, pay_call
from vectorless_web.engine.llm.calls import ModelCallRecord, OnCall, discard_record, stored_failure
from vectorless_web.engine.llm.model import Message, Usage, current_place

PURPOSE = "embedding"
MOST_DIMENSIONS = 16_384
BATCH_TEXTS, BATCH_TOKENS = 32, 16_000
"""Sizes of one request that servers with small limits take too."""

Vectors = NDArray[np.float32]
"""One row for each text, shape (texts, dimensions), as the model gave them: finite, not scaled."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of some texts in their order, what they cost, and the name of the model that answered."""

    vectors: Vectors
    usage: Usage
    model: str


class Embedder(Protocol):
    """An embedding model. `embed` raises only errors of the ModelError branch, and ModelStopped. Safe under threads.

    `dimensions` is the length every vector must have, or None while nobody knows it.
    """

    name: str
    dimensions: int | None

    def embed(self, texts: Sequence[str]) -> Embedded:
        """One vector for each text; ModelInvalidReply when the reply holds anything else."""
        ...


def check_vectors(rows: Sequence[Any], *, count: int, dimensions: int | None = None) -> Vectors:
    """The rows as vectors; ModelInvalidReply for another count, uneven or wrong lengths, and what is no finite number.

    `dimensions` None takes any length from 1 to MOST_DIMENSIONS that all rows share.
    """
    if len(rows) != count:
        raise ModelInvalidReply(f"The embedding model sent {len(rows)} vectors for {count} texts.")
    try:
        vectors = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelInvalidReply("The embedding model sent something that is no list of numbers.") from None
    if vectors.ndim != 2 or not 1 <= vectors.shape[1] <= MOST_DIMENSIONS:
        raise ModelInvalidReply("The embedding model sent vectors of no usable length.")
    if dimensions is not None and vectors.shape[1] != dimensions:
        raise ModelInvalidReply(f"The embedding model sent {vectors.shape[1]} numbers a vector, not {dimensions}.")
    if not np.isfinite(vectors).all() or np.abs(vectors).max(initial=0.0) > np.finfo(np.float32).max:
        raise ModelInvalidReply("The embedding model sent numbers that are not finite.")
    return vectors.astype(np.float32)


def batches(texts: Sequence[str], *, count: int = BATCH_TEXTS, tokens: int = BATCH_TOKENS) -> Iterator[Sequence[str]]:
    """The texts in order, in requests of at most `count` texts and `tokens` expected tokens, but one text at least."""
    start, held = 0, 0
    for place, text in enumerate(texts):
        size = expected_tokens(text)
        if place > start and (place - start == count or held + size > tokens):
            yield texts[start:place]
            start, held = place, 0
        held += size
    if start < len(texts):
        yield texts[start:]


class MeteredEmbedder:
    """Makes a call only when the budget covers what it may cost; ModelBudgetSpent otherwise."""

    def __init__(self, embedder: Embedder, *, cost_budget: CostBudget, usd_per_token: float) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self._embedder, self._cost_budget, self._usd_per_token = embedder, cost_budget, usd_per_token

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Embed the texts within the budget, and pay what the server says they cost."""
        with pay_call(self._cost_budget, sum(map(expected_tokens, texts)) * self._usd_per_token) as tell_price:
            embedded = self._embedder.embed(texts)
            tell_price(embedded.usage.cost_usd)
        return embedded


class NoEmbedder:
    """Stands where no model may be asked: every request is ModelUnreachable."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dimensions: int | None = None

    def embed(self, texts: Sequence[str]) -> Embedded:
        """ModelUnreachable: in a replay only what was stored is answered."""
        raise ModelUnreachable("This request is not among the stored calls.")


class RecordedEmbedder:
    """Embeds on behalf of one run: under the run's budget, every call recorded for resume and replay.

    A request among the `stored` calls is not made again, and no budget decides on it a
    second time: what failed then fails, what was made then is booked. `missed` counts
    the others.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        budget: ModelBudget,
        on_call: OnCall = discard_record,
        stored: Iterable[ModelCallRecord] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self._embedder, self.budget = embedder, budget
        self._on_call, self._clock = on_call, clock
        self._lock = threading.Lock()
        self._stored: dict[str, deque[ModelCallRecord]] = defaultdict(deque)
        for record in stored:
            if record.purpose == PURPOSE:
                self._stored[record.request_hash].append(record)
        self.missed = 0

    def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors; a failed call is recorded with its error and raised."""
        digest = embedding_hash(self.name, texts)
        stored = self._take(digest)
        return self._make_vectors(digest, texts) if stored is None else self._recall_vectors(stored, len(texts))

    def _take(self, digest: str) -> ModelCallRecord | None:
        with self._lock:
            if self._stored.get(digest):
                return self._stored[digest].popleft()
            self.missed += 1
            return None

    def _recall_vectors(self, stored: ModelCallRecord, count: int) -> Embedded:
        usage = Usage(stored.tokens_in, stored.tokens_out, stored.cost_usd)
        if not stored.error_code:
            self.budget.book(usage)
        self._on_call(stored)
        if stored.error_code:
            raise stored_failure(stored)
        return Embedded(unpack_vectors(stored.reply, count=count), usage, stored.model)

    def _make_vectors(self, digest: str, texts: Sequence[str]) -> Embedded:
        asked = _make_record(self.name, digest, texts)
        started, reserved, usage = self._clock(), None, Usage()
        try:
            reserved = self.budget.reserve(sum(map(expected_tokens, texts)))
            embedded = self._embedder.embed(texts)
            usage = embedded.usage
        except (ModelError, ModelStopped) as error:
            latency = self._since(started)
            self._on_call(replace(asked, latency_ms=latency, error_code=error.code, error=error.message))
            raise
        finally:
            if reserved is not None:
                self.budget.settle(reserved, usage)
        self._on_call(_complete_record(asked, embedded, self._since(started)))
        return embedded

    def _since(self, started: float) -> float:
        return (self._clock() - started) * 1000


def _make_record(model: str, digest: str, texts: Sequence[str]) -> ModelCallRecord:
    """A call before its answer, for the step that is being made."""
    walk, index = current_place()
    messages = tuple(Message("user", text) for text in texts)
    return ModelCallRecord(PURPOSE, digest, messages, "", model, 0, 0, 0.0, 0.0, walk=walk, index=index)


def _complete_record(asked: ModelCallRecord, embedded: Embedded, latency_ms: float) -> ModelCallRecord:
    usage = embedded.usage
    return replace(
        asked,
        reply=pack_vectors(embedded.vectors),
        model=embedded.model,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost_usd=usage.cost_usd,
        latency_ms=latency_ms,
    )


def embedding_hash(model: str, texts: Sequence[str]) -> str:
    """SHA-256 of a request for embeddings: equal requests, and only they, have equal hashes."""
    state = [PURPOSE, model, list(texts)]
    return hashlib.sha256(json.dumps(state, ensure_ascii=True).encode()).hexdigest()


def pack_vectors(vectors: Vectors) -> str:
    """Vectors as they are stored with a call: JSON with their length and the base64 of their float32 numbers."""
    numbers = base64.b64encode(vectors.astype("<f4").tobytes()).decode()
    return json.dumps({"dimensions": int(vectors.shape[1]), "float32": numbers})


def unpack_vectors(reply: str, *, count: int) -> Vectors:
    """What `packed` stored, bit for bit; ModelInvalidReply when it is none or holds another count."""
    try:
        found = json.loads(reply)
        numbers = np.frombuffer(base64.b64decode(found["float32"], validate=True), dtype="<f4")
        return check_vectors(numbers.reshape(count, int(found["dimensions"])).tolist(), count=count)
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise ModelInvalidReply("The stored embedding cannot be read.") from None
