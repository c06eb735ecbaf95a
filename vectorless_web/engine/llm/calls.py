"""Asks a chat model for objects: documents fenced off, budgeted, checked, repaired once; stored calls answer again."""

import contextvars
import hashlib
import json
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Overdue
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from vectorless_web.engine.errors import (
    ModelAuth,
    ModelBudgetSpent,
    ModelError,
    ModelInvalidReply,
    ModelRateLimited,
    ModelRefusedPictures,
    ModelStopped,
    ModelTimeout,
    ModelUnreachable,
    PartialCall,
)
from vectorless_web.engine.llm.budget import Keep, ModelBudget, expected_message_tokens
from vectorless_web.engine.llm.model import OUTSIDE, ChatModel, Message, Reply, Usage, current_place, usage_of
from vectorless_web.engine.llm.replies import Mend, check_object, is_unfinished, keep_reply, parse_object

UNTOLD = "The call failed when it was made."

_ERRORS: dict[str, type[ModelError]] = {
    error.code: error
    for error in (ModelAuth, ModelRateLimited, ModelTimeout, ModelUnreachable, ModelBudgetSpent, ModelRefusedPictures)
}


def failure(code: str, message: str, partial: PartialCall) -> ModelError | ModelStopped:
    """The error of that code, with what the call had cost by then."""
    if code == ModelStopped.code:
        return ModelStopped(partial=partial)
    return _ERRORS.get(code, ModelInvalidReply)(message or UNTOLD, partial=partial)


OPENING, CLOSING = "<<<document", "document>>>"
_MARKS = re.compile(r"<{3,}|>{3,}")


def fence_text(text: str) -> str:
    """`text` between fence marks; marks within the text are broken up."""
    quiet = _MARKS.sub(lambda mark: " ".join(mark[0]), text)
    return f"{OPENING}\n{quiet}\n{CLOSING}"


Result = TypeVar("Result")

__all__ = ["Overdue", "call_within", "start_in_thread"]


def call_within(seconds: float, work: Callable[[], Any]) -> Any:
    """The result of `work` or its exception, as a value; Overdue if it takes too long.

    Python can't stop a thread: one that hangs is left behind, so that neither the walk nor
    the end of the process waits for it.
    """
    future = start_in_thread(work, name="pilot-call")
    try:
        problem = future.exception(timeout=seconds)
    except Overdue as overdue:
        return overdue
    return problem if problem is not None else future.result()


def start_in_thread(work: Callable[[], Result], *, name: str) -> Future[Result]:
    """Start `work` in a daemon thread with its caller's context variables; returns the future."""
    future: Future[Result] = Future()
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(_fulfil, future, work), name=name, daemon=True).start()
    return future


def _fulfil(future: Future[Any], work: Callable[[], Any]) -> None:
    try:
        result = work()
    except BaseException as problem:  # noqa: BLE001 - carried to the waiting thread, whatever it is.
        future.set_exception(problem)
    else:
        future.set_result(result)


ECHOED = 1500
"""Characters of a bad reply that are shown to the model again."""

LONGER = 3
"""How much more room a reply gets that ended at its limit."""

NOTHING_KEPT = Keep()


@dataclass(frozen=True, slots=True)
class ModelCallRecord:
    """One stored call: purpose, request with its hash, reply or error code, cost and time."""

    purpose: str
    request_hash: str
    messages: tuple[Message, ...]
    reply: str
    model: str
    tokens_in: int
    tokens_out: int
    cost_usd: float
    latency_ms: float
    error_code: str = ""
    error: str = ""
    """What went wrong, in the words that the trace was told."""
    walk: int = OUTSIDE[0]
    index: int = OUTSIDE[1]
    """The step that the call served."""


OnCall = Callable[[ModelCallRecord], None]
Recalling = Callable[[str], ModelCallRecord | None]
"""The stored call that answers a request of that hash here and now; None when it has to be made."""


@dataclass(frozen=True, slots=True)
class CheckedReply:
    """A checked object, with what all calls for it cost together.

    `conversation` is what was sent and, last, the reply that was taken: a later message goes on from there.
    """

    content: Mapping[str, Any]
    tokens: int
    cost_usd: float
    conversation: tuple[Message, ...] = ()


def discard_record(record: ModelCallRecord) -> None:
    """Nobody keeps the calls."""


def find_no_record(digest: str) -> ModelCallRecord | None:
    """No call was made before."""
    return None


class Caller:
    """Asks one model on behalf of one run. Thread-safe if the model, `on_call` and `recall` are.

    What `recall` knows is not asked again, and no budget decides on it a second time: a
    call that was refused then is refused, one that was made then is booked.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        budget: ModelBudget,
        on_call: OnCall = discard_record,
        recall: Recalling = find_no_record,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = model
        self.budget = budget
        self._on_call = on_call
        self._recall = recall
        self._clock = clock

    def ask(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any],
        purpose: str,
        max_tokens: int = 1024,
        mend: Mend = keep_reply,
        keep: Keep = NOTHING_KEPT,
    ) -> CheckedReply:
        """Ask for an object that fits `schema`; `mend` may correct the reply before it is checked.

        A bad reply is shown to the model once with what is wrong; one that ended at its limit
        is asked for again with more room. A second bad one is ModelInvalidReply. `keep` stays
        unspent, for calls that matter more.
        """
        reply = self.call(messages, schema=schema, purpose=purpose, max_tokens=max_tokens, keep=keep)
        usages = [reply.usage]
        try:
            content = check_object(reply.text, reply.parsed, schema, mend=mend)
        except ModelInvalidReply as error:
            if is_cut(reply, max_tokens):
                purpose, max_tokens = f"{purpose} (longer)", max_tokens * LONGER
            else:
                purpose, messages = f"{purpose} (repair)", _with_problem(messages, reply, error)
            reply = self.call(messages, schema=schema, purpose=purpose, max_tokens=max_tokens, keep=keep)
            usages.append(reply.usage)
            content = check_object(reply.text, reply.parsed, schema, mend=mend)
        return CheckedReply(
            content,
            sum(u.tokens_in + u.tokens_out for u in usages),
            sum(u.cost_usd for u in usages),
            (*messages, Message("assistant", reply.text)),
        )

    def sum_spending(self) -> Usage:
        """What all calls have cost so far, failed and repaired ones included; tokens both ways together."""
        return self.budget.sum_spending()

    def as_model(self, purpose: str, *, keep: Keep = NOTHING_KEPT, seconds: float | None = None) -> ChatModel:
        """The same model under the same budget, its calls recorded for `purpose`; `keep` stays unspent.

        A call that takes longer than `seconds` is ModelTimeout, and what it brings later is not heard.
        """
        return _PurposefulModel(self, purpose, keep, seconds)

    def call(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None,
        purpose: str,
        max_tokens: int,
        keep: Keep = NOTHING_KEPT,
        seconds: float | None = None,
    ) -> Reply:
        """One call, budgeted and recorded; the reply is not checked."""
        digest = request_hash(self.model.name, messages, schema, max_tokens)
        stored = self._recall(digest)
        if stored is not None:
            return self._recall_reply(stored, schema)
        started, reserved, usage = self._clock(), None, Usage()
        try:
            reserved = self.budget.reserve(sum(map(expected_message_tokens, messages)) + max_tokens, keep=keep)
            reply = _normalise_reply(self._reply(messages, schema, max_tokens, seconds), schema)
            usage = reply.usage
        except (ModelError, ModelStopped) as error:
            usage = usage_of(error.partial)
            came = Reply(storable_text(error.partial.text), None, usage, self.model.name)
            record = _make_record(purpose, digest, messages, came, self._since(started))
            self._on_call(replace(record, error_code=error.code, error=error.message))
            raise
        finally:
            if reserved is not None:
                self.budget.settle(reserved, usage)
        self._on_call(_make_record(purpose, digest, messages, reply, self._since(started)))
        return reply

    def _recall_reply(self, stored: ModelCallRecord, schema: Mapping[str, Any] | None) -> Reply:
        """What the stored call brought, booked as it was then."""
        usage = Usage(stored.tokens_in, stored.tokens_out, stored.cost_usd)
        if stored.tokens_in or stored.tokens_out or not stored.error_code:
            self.budget.book(usage)
        self._on_call(stored)
        if stored.error_code:
            raise stored_failure(stored)
        return _normalise_reply(Reply(stored.reply, None, usage, stored.model), schema)

    def _reply(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int, seconds: float | None
    ) -> Reply:
        def complete() -> Reply:
            return self.model.complete(messages, schema=schema, max_tokens=max_tokens)

        if seconds is None:
            return complete()
        came = call_within(seconds, complete)
        if isinstance(came, Overdue):
            raise ModelTimeout(f"The model did not answer within {seconds:g} seconds.")
        if isinstance(came, BaseException):
            raise came
        reply: Reply = came
        return reply

    def _since(self, started: float) -> float:
        return (self._clock() - started) * 1000


class _PurposefulModel:
    """A Caller as a ChatModel, for collaborators that check replies themselves."""

    def __init__(self, caller: Caller, purpose: str, keep: Keep, seconds: float | None) -> None:
        self.name = caller.model.name
        self.caller, self.purpose, self.keep, self.seconds = caller, purpose, keep, seconds

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        return self.caller.call(
            messages,
            schema=schema,
            purpose=self.purpose,
            max_tokens=max_tokens,
            keep=self.keep,
            seconds=self.seconds,
        )

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        yield self.complete(messages, max_tokens=max_tokens).text


def _make_record(
    purpose: str, digest: str, messages: Sequence[Message], reply: Reply, latency_ms: float
) -> ModelCallRecord:
    usage = reply.usage
    walk, index = current_place()
    return ModelCallRecord(
        purpose=purpose,
        request_hash=digest,
        messages=tuple(messages),
        reply=reply.text,
        model=reply.model,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost_usd=usage.cost_usd,
        latency_ms=latency_ms,
        walk=walk,
        index=index,
    )


def _normalise_reply(reply: Reply, schema: Mapping[str, Any] | None) -> Reply:
    """The reply in its stored form, so that a replay reads the same out of it."""
    text = storable_text(reply.text)
    return replace(reply, text=text, parsed=parse_object(text) if schema is not None else None)


def storable_text(text: str) -> str:
    """The text as any database takes it: no null characters, no lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def is_cut(reply: Reply, max_tokens: int) -> bool:
    """Whether a reply ended at its token limit, by its stored form, so that a replay decides the same."""
    return reply.usage.tokens_out >= max_tokens or is_unfinished(reply.text)


def _with_problem(messages: Sequence[Message], reply: Reply, error: ModelInvalidReply) -> Sequence[Message]:
    return [*messages, Message("assistant", reply.text[:ECHOED]), Message("user", repair_text(error.message))]


def repair_text(problem: str) -> str:
    """What a model is told about its bad reply."""
    return f"{problem} Answer again with one JSON object that fits the schema, and nothing else."


def request_hash(model: str, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int) -> str:
    """SHA-256 of the whole request: equal requests, and only they, have equal hashes. Pictures count by theirs."""
    state = [model, [hashed_message(message) for message in messages], schema, max_tokens]
    return hashlib.sha256(json.dumps(state, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def hashed_message(message: Message) -> tuple[Any, ...]:
    """What of a message goes into a request's hash."""
    pictures = [picture.sha256 for picture in message.pictures]
    return (message.role, message.content, *([pictures] if pictures else []))


class Recall:
    """The stored calls of a run, each returned once; calls of the present step come first, in their order.

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


class NoModel:
    """A model for places where none may be asked: every request raises ModelUnreachable."""

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
