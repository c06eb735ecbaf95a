"""Speaks to any server with OpenAI's embeddings, through the client and the border of `openai_chat`."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from vectorless_web.engine.errors import ModelInvalidReply, ModelStopped, ModelTimeout
from vectorless_web.engine.llm.embedding import Embedded, batches, check_vectors
from vectorless_web.engine.llm.model import Usage, clean_name
from vectorless_web.engine.text.tokens import HeuristicEstimator
from vectorless_web.infra.money import MILLION
from vectorless_web.providers.connections import Connections, Endpoint, GivenUp, run_unless_stopped
from vectorless_web.providers.openai_chat import SILENCES, client_for, never_stop, translate_errors
from vectorless_web.providers.received import WRAPPING, check_count

NO_EMBEDDING = "The model's server sent something that is no list of embeddings."
MOST_BYTES = 64 * 2**20
"""Size of one reply; 32 vectors of 4,096 numbers take 3 MB."""


class OpenAIEmbeddings:
    """An embedding model behind an OpenAI-compatible address. Safe under threads.

    The endpoint's `price_in` is what tokens cost. Texts go out in batches that servers
    with small limits take. `dimensions` None takes whatever length the first reply has,
    and that length from then on.
    """

    def __init__(
        self, endpoint: Endpoint, *, dimensions: int | None = None, stopping: Callable[[], bool] = never_stop
    ) -> None:
        self.name, self.dimensions = endpoint.model, dimensions
        self._endpoint, self._stopping = endpoint, stopping
        self._connections = Connections()

    @cached_property
    def _client(self) -> Any:
        return client_for(self._endpoint, self._connections)

    def embed(self, texts: Sequence[str]) -> Embedded:
        """One vector for each text, with usage and cost; ModelError otherwise, ModelStopped when `stopping` says so."""
        replies = [self._unless_stopped(batch) for batch in batches(list(texts))]
        if not replies:
            raise ModelInvalidReply("There is nothing to embed.")
        vectors = np.concatenate([reply.vectors for reply in replies])
        usages = [reply.usage for reply in replies]
        usage = Usage(
            sum(row.tokens_in for row in usages),
            0,
            sum(row.cost_usd for row in usages),
            estimated=any(row.estimated for row in usages),
        )
        return Embedded(vectors, usage, replies[-1].model)

    def _unless_stopped(self, texts: Sequence[str]) -> Embedded:
        if self._stopping is never_stop:
            return self._request(texts)
        try:
            return run_unless_stopped(self._stopping, lambda: self._request(texts), cut=self._connections.cut)
        except GivenUp:
            raise ModelStopped from None

    def _request(self, texts: Sequence[str]) -> Embedded:
        with translate_errors(NO_EMBEDDING):
            create = self._client.embeddings.with_streaming_response.create
            # As plain numbers: every server knows this form, the packed one only some.
            with create(model=self.name, input=list(texts), encoding_format="float") as response:
                raw = b"".join(self._within_limits(response.iter_bytes()))
            found = _parse_json(raw)
        rows = _rows(found, len(texts))
        vectors = check_vectors(rows, count=len(texts), dimensions=self.dimensions)
        self.dimensions = int(vectors.shape[1])
        return Embedded(vectors, self._usage(found, texts), clean_name(found.get("model"), otherwise=self.name))

    def _within_limits(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces of a reply, as long as it neither drips nor swells."""
        until, size = time.monotonic() + SILENCES * self._endpoint.seconds, 0
        for piece in pieces:
            size += len(piece)
            if size > MOST_BYTES:
                raise ModelInvalidReply(NO_EMBEDDING)
            if time.monotonic() > until:
                raise ModelTimeout("The model did not come to an end in time.")
            yield piece

    def _usage(self, found: dict[str, Any], texts: Sequence[str]) -> Usage:
        """Tokens as the server counted them, or estimated when it does not count or cannot be believed."""
        usage = found.get("usage")
        estimate = sum(map(HeuristicEstimator().estimate, texts))
        said = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        known = check_count(said, estimate=estimate, room=WRAPPING, least=1)
        tokens = estimate if known is None else known
        return Usage(tokens, 0, float(tokens * self._endpoint.price_in / MILLION), estimated=known is None)


def _parse_json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except RecursionError:
        raise ModelInvalidReply(NO_EMBEDDING) from None


def _rows(found: Any, count: int) -> list[Any]:
    """The vectors of a reply in the order of the texts; ModelInvalidReply for what is no list of embeddings."""
    data = found.get("data") if isinstance(found, dict) else None
    if not isinstance(data, list) or not all(isinstance(row, dict) and "embedding" in row for row in data):
        raise ModelInvalidReply(NO_EMBEDDING)
    places = [row.get("index", place) for place, row in enumerate(data)]
    if len(data) != count or places == list(range(count)):
        return [row["embedding"] for row in data]
    if not all(isinstance(place, int) for place in places) or sorted(places) != list(range(count)):
        raise ModelInvalidReply(NO_EMBEDDING)
    return [data[places.index(place)]["embedding"] for place in range(count)]
