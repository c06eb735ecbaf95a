"""Finds out by asking what a chat model can do, and which of the engine's jobs that suits.

The calls are few and small, except those about the context, which grow until the size
that is stated, or until they have read `CONTEXT_TOKENS` altogether.
"""

import time
from collections.abc import Callable, Sequence

from vectorless_web.engine.errors import ModelAuth, ModelError, ModelUnknown
from vectorless_web.engine.llm.capability import NO, UNKNOWN, YES, Capability, Job, SelfTest
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.llm.naming import clean_name
from vectorless_web.engine.llm.probes import (
    FIRST_CONTEXT,
    SLOW_SECONDS,
    STEP_TOKENS,
    Asking,
    context,
    counting,
    objects,
    quotes,
    speed,
    streaming,
)

ANSWER_TOKENS = 10_000
"""What the longest prompt of an answer may take with its reply."""


def self_test(
    model: ChatModel,
    *,
    only: Callable[[str], ChatModel] | None = None,
    context_size: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> SelfTest:
    """Ask the model a few questions and judge what comes. Never raises a ModelError.

    `only(form)` is the model asked for objects in one form alone; without it nobody can
    tell how an object was asked for. `context_size` in tokens is what its owner states.
    """
    asking = Asking(model, clock)
    try:
        plain = asking.ask("Answer with the one word: ready")
    except ModelError as error:
        return _unusable(model, error)
    name = clean_name(plain.model, otherwise=clean_name(model.name))
    asked_for, forms = objects(asking, only)
    in_pieces, first, streams = streaming(asking)
    copies = quotes(asking)
    reads, limit = context(asking, context_size)
    capabilities = (
        Capability("reply", YES, f"It answers, as {name}."),
        *asked_for,
        in_pieces,
        copies,
        reads,
        speed(asking, first),
        counting(plain),
    )
    jobs = _jobs(bool(forms), copies.found == YES, limit, asking.fastest or 0.0)
    return SelfTest(
        usable=any(job.suits for job in jobs),
        model=name,
        capabilities=capabilities,
        jobs=jobs,
        verdict=_verdict(jobs),
        seconds=round(asking.fastest or 0.0, 2),
        first_token_seconds=first,
        tokens=sum(usage.tokens_in + usage.tokens_out for usage in asking.usages),
        cost_usd=sum(usage.cost_usd for usage in asking.usages),
        forms=forms,
        streams=streams,
        reads_tokens=limit or None,
    )


def _unusable(model: ChatModel, error: ModelError) -> SelfTest:
    names = ("json_schema", "json_object", "streaming", "quotes", "context", "speed", "usage")
    unknown = [Capability(name, UNKNOWN, "Not tried, because it does not answer at all.") for name in names]
    reply = Capability("reply", NO, error.message, "The offline reasoner answers, and the page says so.")
    jobs = tuple(Job(name, False, "It does not answer.") for name in ("plan", "guide", "write"))
    return SelfTest(
        usable=False,
        model=model.name,
        capabilities=(reply, *unknown),
        jobs=jobs,
        verdict=f"Not usable: {error.message}",
        error_code=error.code,
        error=error.message,
        settings_are_wrong=isinstance(error, ModelAuth | ModelUnknown),
    )


def _jobs(keeps_to_json: bool, copies: bool, limit: int | None, seconds: float) -> tuple[Job, ...]:
    """Which jobs the model suits. `limit` is the most it reads, None when no limit was met."""
    if not keeps_to_json:
        why = "It does not keep to JSON."
        return tuple(Job(name, False, why) for name in ("plan", "guide", "write"))
    can_plan, can_write = limit is None or limit >= STEP_TOKENS, limit is None or limit >= ANSWER_TOKENS
    fast = seconds <= SLOW_SECONDS and (limit is None or limit >= FIRST_CONTEXT)
    short = f"Its context is too small: {limit or 0:,} tokens."
    write = (
        "It writes answers from quotes." if can_write and copies else short if copies else "It does not quote exactly."
    )
    return (
        Job("plan", can_plan, "It chooses the steps of a walk." if can_plan else short),
        Job("guide", fast, "It chooses branches of the tree." if fast else "It is too slow to be asked at forks."),
        Job("write", can_write and copies, write),
    )


def _verdict(jobs: Sequence[Job]) -> str:
    suited = [job.name for job in jobs if job.suits]
    if len(suited) == len(jobs):
        return "It suits every job: it can plan, guide and write."
    if not suited:
        return f"Not usable: {jobs[0].sentence} The offline reasoner answers."
    left = [job.name for job in jobs if not job.suits]
    return f"It can {' and '.join(suited)}; {' and '.join(left)} falls to the offline reasoner."
