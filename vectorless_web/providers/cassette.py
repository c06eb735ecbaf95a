"""Recorded model calls: a file of JSON lines, without any key, from which the replies are played back."""

import hashlib
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vectorless_web.engine.errors import InvalidInput, ModelUnreachable, PartialCall
from vectorless_web.engine.llm.calls import ModelCallRecord, failure, hashed_message, request_hash
from vectorless_web.engine.llm.model import Message, Reply, Usage
from vectorless_web.engine.llm.replies import parse_object

FORMAT = 1
"""The layout of a cassette; raise it when older programs would misread it."""
BEGINNING = 80
"""Characters of a request by which a miss names it."""


class Recording:
    """Keeps every call that is told to it as one line of a new file; the first line says what made the replies.

    InvalidInput when the file is there already: a mistyped name must not cost anybody their notes.
    It is told of calls as a Caller's `on_call`; calls that no budget paid for were never made and are left out.
    """

    def __init__(self, path: Path, *, model: str, provider: str, note: str = "") -> None:
        self._path, self._lock, self._provider = path, threading.Lock(), provider
        header = {"cassette": FORMAT, "model": model, "provider": provider, "note": note}
        _begin(path, _line(header))

    def __call__(self, record: ModelCallRecord) -> None:
        """Append one call."""
        if record.error_code == "budget_exceeded":
            return
        row = {
            "request": record.request_hash,
            "purpose": record.purpose,
            "prompt": prompt_digest(record.messages),
            "reply": record.reply,
            "usage": [record.tokens_in, record.tokens_out, round(record.cost_usd, 9)],
            "model": record.model,
            "provider": self._provider,
            "error_code": record.error_code,
            "error": record.error,
        }
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(_line({name: value for name, value in row.items() if value != ""}))


class Cassette:
    """A chat model that replies with what was recorded for the same whole request.

    A request asked again gets the next recorded reply to it, the last one as often as
    needed. One that was never recorded is ModelUnreachable, and the message names it.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.name
        header, rows = _read_recording(path)
        self.name, self.note = str(header.get("model", "")), str(header.get("note", ""))
        self._lock = threading.Lock()
        self._replies: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in rows:
            self._replies[row["request"]].append(row)
        self.first_missed = ""
        """Which request was not on the cassette first, in words."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """The recorded reply to this very request."""
        row = self._next(request_hash(self.name, messages, schema, max_tokens))
        if row is None:
            raise ModelUnreachable(self._report_miss(messages))
        usage = Usage(int(row["usage"][0]), int(row["usage"][1]), float(row["usage"][2]))
        text = str(row.get("reply", ""))
        if row.get("error_code"):
            partial = PartialCall(text, usage.tokens_in, usage.tokens_out, usage.cost_usd)
            raise failure(row["error_code"], str(row.get("error", "")), partial)
        return Reply(text, parse_object(text) if schema is not None else None, usage, str(row.get("model", self.name)))

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The recorded reply in one piece."""
        yield self.complete(messages, max_tokens=max_tokens).text

    def _next(self, digest: str) -> dict[str, Any] | None:
        with self._lock:
            waiting = self._replies.get(digest)
            if not waiting:
                return None
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    def _report_miss(self, messages: Sequence[Message]) -> str:
        begins = " ".join(messages[-1].content.split())[:BEGINNING] if messages else ""
        problem = (
            f"The cassette {self._file} holds no reply to request {prompt_digest(messages)}, "
            f"which begins “{begins}”. Record it again."
        )
        with self._lock:
            self.first_missed = self.first_missed or problem
        return problem


def prompt_digest(messages: Sequence[Message]) -> str:
    """Sixteen hexadecimal digits of the messages' SHA-256: enough to tell which prompt of a run changed."""
    told = json.dumps([hashed_message(message) for message in messages], ensure_ascii=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _begin(path: Path, header: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(header)
    except FileExistsError as error:
        raise InvalidInput(f"{path} exists already: name a new file to record to.") from error


def _read_recording(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise InvalidInput(f"The cassette {path.name} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidInput(f"{path.name} is no cassette: a line of it is no JSON.") from error
    if not lines or not isinstance(lines[0], dict) or lines[0].get("cassette") != FORMAT:
        raise InvalidInput(f"{path.name} is no cassette of format {FORMAT}.")
    if not all(isinstance(row, dict) and {"request", "usage"} <= row.keys() for row in lines[1:]):
        raise InvalidInput(f"{path.name} is no cassette: a call of it lacks its request or its usage.")
    return lines[0], lines[1:]


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
