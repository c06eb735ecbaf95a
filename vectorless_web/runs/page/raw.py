"""A stored step as plain JSON, with the model calls that served it."""

import json
from decimal import Decimal
from typing import Any

from vectorless_web.runs.models import ModelCall, Step

RAW_FIELDS = (
    *("sequence", "walk", "index", "kind", "say", "thought", "action", "arguments", "observation", "refs"),
    *("rejected", "confidence", "latency_ms", "tokens", "cost_usd", "engine"),
)
CALL_FIELDS = (
    *("purpose", "model", "tokens_in", "tokens_out", "cost_usd", "latency_ms", "cached", "error_code", "error"),
    "request_hash",
)


def raw_step(step: Step) -> str:
    """The stored row as indented JSON, for the disclosure under the card, which fetches it when it is opened."""
    values: dict[str, Any] = {name: getattr(step, name) for name in RAW_FIELDS}
    values["model_calls"] = list(ModelCall.objects.filter(step=step.pk).order_by("pk").values(*CALL_FIELDS))
    return json.dumps(values, indent=2, ensure_ascii=False, default=_simplify_value)


def _simplify_value(value: object) -> object:
    return float(value) if isinstance(value, Decimal) else str(value)
