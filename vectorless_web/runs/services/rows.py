"""Events of the engine as rows hold them: what is written, and what a replay is compared with."""

import json
from dataclasses import asdict
from typing import Any

from vectorless_web.engine.agent.events import CompleteEvent, NodeRef, Outcome, StepEvent
from vectorless_web.engine.answers.claims import Calculation
from vectorless_web.infra.money import money, token_count

Place = tuple[int, int, str]
"""Walk, index and kind of a step."""

TOLD = ("say", "thought", "action", "arguments", "observation", "refs", "rejected", "confidence", "engine")
"""What a step tells: what time and money it took differs from attempt to attempt."""


def encode_as_stored(value: Any) -> Any:
    """The value as it comes back from a JSON column: keys of objects are texts there, tuples lists."""
    return json.loads(json.dumps(value))


def clean_for_database(value: Any) -> Any:
    """The value as a database takes it: no null characters and no lone surrogates, which documents may hold."""
    match value:
        case str():
            return value.replace("\0", "").encode("utf-8", "replace").decode()
        case dict():
            return {clean_for_database(key): clean_for_database(item) for key, item in value.items()}
        case list() | tuple():
            return [clean_for_database(item) for item in value]
        case _:
            return value


def step_row(event: StepEvent, place: Place) -> dict[str, Any]:
    """The fields of a Step at its place."""
    walk, index, kind = place
    row: dict[str, Any] = {
        "walk": walk,
        "index": index,
        "kind": kind,
        "say": event.say,
        "thought": event.thought,
        "action": event.action,
        "arguments": event.arguments,
        "observation": event.observation,
        "refs": [asdict(ref) for ref in event.refs],
        "rejected": [{"label": row.label, "reason": row.reason, "ref": _ref(row.ref)} for row in event.rejected],
        "confidence": event.confidence,
        "latency_ms": event.latency_ms,
        "tokens": token_count(event.tokens),
        "cost_usd": money(event.cost_usd),
        "engine": event.engine,
    }
    cleaned: dict[str, Any] = clean_for_database(row)
    return cleaned


def _ref(ref: NodeRef | None) -> dict[str, Any] | None:
    return asdict(ref) if ref else None


def calculation_row(calculation: Calculation | None) -> dict[str, Any] | None:
    """The calculation of a Claim."""
    return asdict(calculation) if calculation else None


def answer_row(event: CompleteEvent) -> dict[str, Any]:
    """The fields of an Answer."""
    confidence = event.confidence
    row = {
        "markdown": event.answer,
        "value": event.value[:200],
        "confidence": confidence.value if confidence else None,
        "claims_held": confidence.claims_held if confidence else None,
        "parts_covered": confidence.parts_covered if confidence else None,
        "evidence_fit": confidence.evidence_fit if confidence else None,
        "grounded": event.grounded,
        "abstained": event.outcome == Outcome.NOT_FOUND,
        "missing": list(event.missing),
    }
    cleaned: dict[str, Any] = clean_for_database(row)
    return cleaned
