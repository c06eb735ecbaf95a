"""JSON schemas of a model pilot's replies, one per intervention point."""

from collections.abc import Mapping
from typing import Any

from vectorless_web.engine.pilot.decision import InterventionPoint

DIRECTIONS = ("go_deeper", "explore_siblings", "backtrack", "jump_to", "found_answer")

_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_WORDS = {"type": "string"}


def _object(**properties: Any) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_RANKED = {"type": "array", "items": _object(id=_WORDS, score=_SHARE, reason=_WORDS)}
_CHOICE = _object(
    ranking=_RANKED,
    direction={"type": "string", "enum": list(DIRECTIONS)},
    target=_WORDS,
    confidence=_SHARE,
    reasoning=_WORDS,
)
SCHEMAS: Mapping[InterventionPoint, Mapping[str, Any]] = {
    InterventionPoint.START: _CHOICE,
    InterventionPoint.FORK: _CHOICE,
    InterventionPoint.BACKTRACK: _object(why_failed=_WORDS, alternatives=_RANKED, confidence=_SHARE),
    InterventionPoint.EVALUATE: _object(relevance=_SHARE, is_answer={"type": "boolean"}, reason=_WORDS),
    InterventionPoint.PRUNE: _object(keep={"type": "array", "items": _WORDS}),
}
