"""Nearness in meaning: what is asked of embedding models and of a model on this machine, checked and bounded."""

import base64
import binascii
import hashlib
import json
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    """A model for places where none may be asked: every request raises ModelUnreachable."""

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
        self._embedder, self._budget = embedder, budget
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
            self._budget.book(usage)
        self._on_call(stored)
        if stored.error_code:
            raise stored_failure(stored)
        return Embedded(unpack_vectors(stored.reply, count=count), usage, stored.model)

    def _make_vectors(self, digest: str, texts: Sequence[str]) -> Embedded:
        asked = _make_record(self.name, digest, texts)
        started, reserved, usage = self._clock(), None, Usage()
        try:
            reserved = self._budget.reserve(sum(map(expected_tokens, texts)))
            embedded = self._embedder.embed(texts)
            usage = embedded.usage
        except (ModelError, ModelStopped) as error:
            latency = self._since(started)
            self._on_call(replace(asked, latency_ms=latency, error_code=error.code, error=error.message))
            raise
        finally:
            if reserved is not None:
                self._budget.settle(reserved, usage)
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


NEARNESS_PURPOSE = "nearness"

MOST_TEXTS = 8
"""Sentences measured for one question, the best by their words; 25 to 60 ms each on one core.

Of 71 everyday questions whose evidence is measured at all among 12 and more, it is among the first 8 for 69, of 60 on
privacy policies for 57, and as many drafts are right with 8 as with 12, which take half as long again.
"""

LONGEST = 320
"""Characters of a text that are read: about 80 tokens, 70 ms. Twice as many say little more and take twice as long;
with 240 as many drafts are right, and a tenth of the time is saved."""

USUAL_LENGTH, MOST_SHORT, FEWEST = 180, 3, 0.6
"""Characters of a sentence with its heading, usually; how many times MOST_TEXTS may be measured when they are short,
and the share of them that is measured however long they are. A sentence takes as long as it has words: 9 ms for 20
characters, 22 for 80, 78 for 320 on one core. With 220 and all of them a question takes a third longer; of 520 best
drafts (everyday, policies, reports) 173.5 are right where 172.5 are, and of those shown 125 where 120 are, 48 and 45
wrong.
"""

LEAST_TEXTS = 4
"""Sentences measured in one document when many are walked."""

LONGEST_HEADING = 80
"""Characters of the heading that a sentence is measured with: it names what the sentence takes for granted."""

DIGITS = 4
"""Decimal digits of a share: rounded so that what is stored is what was used."""


class NearnessModel(Protocol):
    """A model of meaning that needs no server. Raises only errors of the ModelError branch. Safe under threads."""

    name: str

    def measure(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """For each text a share in [0, 1], 1 for the nearest there is; None for those that its time did not cover."""
        ...


class NoNearness:
    """Stands where nothing may be measured anew: in a replay only what was stored is answered."""

    def __init__(self, name: str) -> None:
        self.name = name

    def measure(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Raise ModelUnreachable: nothing but stored calls answers here."""
        raise ModelUnreachable("This request is not among the stored calls.")


class RecordedNearness:
    """Measures on behalf of one run; every request is recorded, and one that is stored is not made again.

    `most` texts are measured for a question that walks one document; of several each has its part.
    """

    def __init__(
        self,
        model: NearnessModel,
        *,
        most: int = MOST_TEXTS,
        on_call: OnCall = discard_record,
        stored: Iterable[ModelCallRecord] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.most = model.name, most
        self._model, self._on_call, self._clock = model, on_call, clock
        self._lock = threading.Lock()
        self._stored: dict[str, deque[ModelCallRecord]] = defaultdict(deque)
        for record in stored:
            if record.purpose == NEARNESS_PURPOSE:
                self._stored[record.request_hash].append(record)

    def lane(self, walks: int) -> "NearnessLane":
        """The lane of one of so many walks, divided in advance so that no walk depends on another's speed."""
        return NearnessLane(self, max(LEAST_TEXTS, self.most // max(1, walks)))

    def measure(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """The shares; a failure is recorded with its error and raised."""
        digest = nearness_hash(self.name, question, texts)
        stored = self._take(digest)
        if stored is not None:
            self._on_call(stored)
            if stored.error_code:
                raise stored_failure(stored)
            return unpack_shares(stored.reply, count=len(texts))
        return self._measure_anew(digest, question, texts)

    def _take(self, digest: str) -> ModelCallRecord | None:
        with self._lock:
            return self._stored[digest].popleft() if self._stored.get(digest) else None

    def _measure_anew(self, digest: str, question: str, texts: Sequence[str]) -> list[float | None]:
        started = self._clock()
        try:
            found = self._model.measure(question, texts)
        except ModelError as error:
            self._on_call(self._record(digest, question, started, error_code=error.code, error=error.message))
            raise
        shares = [None if share is None else round(share, DIGITS) for share in found]
        self._on_call(self._record(digest, question, started, reply=json.dumps({"shares": shares})))
        return shares

    def _record(self, digest: str, question: str, started: float, **told: Any) -> ModelCallRecord:
        """Store a call with a hash in place of its texts, which stand in the document."""
        walk, index = current_place()
        latency = (self._clock() - started) * 1000
        values = {"reply": "", **told}
        return ModelCallRecord(
            NEARNESS_PURPOSE,
            digest,
            (Message("user", question),),
            model=self.name,
            tokens_in=0,
            tokens_out=0,
            cost_usd=0.0,
            latency_ms=latency,
            walk=walk,
            index=index,
            **values,
        )


@dataclass
class NearnessLane:
    """The measurements of one walk, made once for at most `most` sentences; `shares` holds them by sentence.

    `problem` says why there are none.
    """

    model: RecordedNearness
    most: int
    shares: Mapping[str, float] = field(default_factory=dict)
    offered: int = 0
    is_measured: bool = False
    problem: str = ""

    def measure(self, question: str, sentences: Mapping[str, str]) -> None:
        """Measure the first of the sentences, each below the heading that it is given with.

        A model that cannot is left out for the rest of the walk.
        """
        self.is_measured, self.offered = True, len(sentences)
        self.shares = self._measure_first(question, sentences, self.most)

    def narrow(self) -> "NearnessLane":
        """A lane for one part of the question, of a quarter as many sentences; none of a model that cannot."""
        return NearnessLane(self.model, max(1, self.most // 4), is_measured=bool(self.problem), problem=self.problem)

    def measure_part(self, part: str, sentences: Mapping[str, str]) -> Mapping[str, float]:
        """The shares for one part of a question, of a quarter as many sentences; those of the whole question stay."""
        return self._measure_first(part, sentences, max(1, self.most // 4)) if not self.problem else {}

    def _measure_first(self, question: str, sentences: Mapping[str, str], most: int) -> dict[str, float]:
        headed = {text: f"{where[:LONGEST_HEADING]}: {text}" if where else text for text, where in sentences.items()}
        chosen = _choose_first(headed, most)
        if not chosen:
            return {}
        try:
            found = self.model.measure(question, [headed[text] for text in chosen])
        except ModelError as error:
            self.problem = f"The local model of meaning was left out. {error.message}"
            return {}
        return {text: share for text, share in zip(chosen, found, strict=True) if share is not None}

    def account(self) -> dict[str, Any]:
        """What was measured, as JSON values for a step's observation; empty before anything was."""
        if not self.is_measured:
            return {}
        told = {"model": self.model.name, "sentences": len(self.shares), "offered": self.offered}
        return {**told, **({"note": self.problem} if self.problem else {})}


def _choose_first(headed: Mapping[str, str], most: int) -> list[str]:
    """The first sentences that together are no longer than `most` usual ones, but at least FEWEST."""
    room, chosen = most * USUAL_LENGTH, list[str]()
    for text, told in list(headed.items())[: MOST_SHORT * most]:
        room -= min(len(told), LONGEST)
        if len(chosen) >= max(1, round(FEWEST * most)) and room < 0:
            break
        chosen.append(text)
    return chosen


def nearness_hash(model: str, question: str, texts: Sequence[str]) -> str:
    """SHA-256 of a request: equal requests, and only they, have equal hashes."""
    state = [NEARNESS_PURPOSE, model, question, list(texts)]
    return hashlib.sha256(json.dumps(state, ensure_ascii=True).encode()).hexdigest()


def unpack_shares(reply: str, *, count: int) -> list[float | None]:
    """The shares of a stored reply; ModelInvalidReply when it holds anything else."""
    try:
        shares = json.loads(reply)["shares"]
    except (ValueError, KeyError, TypeError):
        shares = None
    if not isinstance(shares, list) or len(shares) != count:
        raise ModelInvalidReply("The stored measurement cannot be read.")
    if not all(share is None or (isinstance(share, int | float) and 0 <= share <= 1) for share in shares):
        raise ModelInvalidReply("The stored measurement cannot be read.")
    return shares
