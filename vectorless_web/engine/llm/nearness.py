"""Nearness in meaning: how near sentences come to a question by a model on this machine, measured within bounds."""

import hashlib
import json
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from vectorless_web.engine.errors import ModelError, ModelInvalidReply, ModelUnreachable
from vectorless_web.engine.llm.calls import ModelCallRecord, OnCall, discard_record, stored_failure
from vectorless_web.engine.llm.model import Message, current_place

PURPOSE = "nearness"

MOST_TEXTS = 12
"""Sentences measured for one question, the best by their words; 25 to 60 ms each on one core.

Measured on five sets: with 16, 24 and 48 hardly more evidence sentences come first. Half of it loses some.
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
        """ModelUnreachable, always."""
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
            if record.purpose == PURPOSE:
                self._stored[record.request_hash].append(record)

    def lane(self, walks: int) -> "NearnessLane":
        """What one of so many walks measures with; parted beforehand, so that no walk depends on another's speed."""
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
        """A call as it is stored: the texts stand in the document, so their hash is enough."""
        walk, index = current_place()
        latency = (self._clock() - started) * 1000
        values = {"reply": "", **told}
        return ModelCallRecord(
            PURPOSE,
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
    """The measurements of one walk: made once, for at most `most` sentences. `shares` holds them by sentence.

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
        chosen = list(sentences)[: self.most]
        if not chosen:
            return
        texts = [f"{sentences[text][:LONGEST_HEADING]}: {text}" if sentences[text] else text for text in chosen]
        try:
            found = self.model.measure(question, texts)
        except ModelError as error:
            self.problem = f"The local model of meaning was left out. {error.message}"
            return
        self.shares = {text: share for text, share in zip(chosen, found, strict=True) if share is not None}

    def account(self) -> dict[str, Any]:
        """What was measured, as JSON values for a step's observation; empty before anything was."""
        if not self.is_measured:
            return {}
        told = {"model": self.model.name, "sentences": len(self.shares), "offered": self.offered}
        return {**told, **({"note": self.problem} if self.problem else {})}


def nearness_hash(model: str, question: str, texts: Sequence[str]) -> str:
    """SHA-256 of a request: equal requests, and only they, have equal hashes."""
    state = [PURPOSE, model, question, list(texts)]
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
