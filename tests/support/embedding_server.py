"""An embeddings server for tests: really computed vectors (hashed words, given synonyms), trouble on demand."""

import hashlib
import json
import math
import re
import threading
from collections.abc import Callable, Mapping

from werkzeug import Request, Response

DIMENSIONS = 64


class EmbeddingServer:
    """Answers `POST /v1/embeddings` with a hashed bag of words of each text.

    `same` maps words to the one they mean, so that texts without a shared word can be
    near each other. `trouble` is called with the request first; what it returns is the answer.
    """

    def __init__(self, *, same: Mapping[str, str] | None = None, dimensions: int = DIMENSIONS) -> None:
        self.same, self.dimensions = dict(same or {}), dimensions
        self.trouble: Callable[[Request], Response | None] = lambda _request: None
        self.requests: list[dict] = []
        self._lock = threading.Lock()

    @property
    def texts(self) -> list[str]:
        """Everything it was asked to embed, in order."""
        return [text for body in self.requests for text in body["input"]]

    def __call__(self, request: Request) -> Response:
        body = json.loads(request.data)
        with self._lock:
            self.requests.append(body)
        return self.trouble(request) or self.answer(body["input"])

    def answer(self, texts: list[str], **more) -> Response:
        """The reply for these texts; `more` replaces parts of it."""
        rows = [
            {"object": "embedding", "index": place, "embedding": self.vector(text)} for place, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 10 * len(texts), "total_tokens": 10 * len(texts)}
        shown = {"object": "list", "data": rows, "model": "bag-of-words-1", "usage": usage, **more}
        return Response(json.dumps(shown), content_type="application/json")

    def vector(self, text: str) -> list[float]:
        """Counts of the text's words by their hash, of length 1."""
        counts = [0.0] * self.dimensions
        for word in re.findall(r"\w+", text.lower()):
            digest = hashlib.sha256(self.same.get(word, word).encode()).digest()
            counts[int.from_bytes(digest[:4], "big") % self.dimensions] += 1.0
        length = math.sqrt(sum(count * count for count in counts)) or 1.0
        return [count / length for count in counts]


def status(code: int, message: str = "no") -> Callable[[Request], Response]:
    """Trouble: an HTTP status."""
    return lambda _request: Response(json.dumps({"error": {"message": message}}), code, content_type="application/json")
