"""The JSON schemas of the replies a planner asks a model for."""

from typing import Any

from vectorless_web.engine.reasoner.navigating import MOVES

STEP_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "thought": {"type": "string", "maxLength": 600},
        "action": {"type": "string", "enum": ["retrieve", "extract", "scan", "navigate", "synthesize"]},
        "node": {"type": ["integer", "null"], "minimum": 0},
        "title": {"type": ["string", "null"], "maxLength": 300},
        "query": {"type": ["string", "null"], "maxLength": 600},
        "direction": {"type": ["string", "null"], "enum": [*MOVES, "search", None]},
    },
    "required": ["thought", "action", "node", "title", "query", "direction"],
    "additionalProperties": False,
}
"""A step: flat, every key present, null where the action does not need it."""

_QUOTE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "node": {"type": "string", "maxLength": 120},
        "quote": {"type": "string", "minLength": 1, "maxLength": 1200},
    },
    "required": ["node", "quote"],
    "additionalProperties": False,
}

_OPERAND: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 60},
        "value": {"type": "string", "minLength": 1, "maxLength": 60},
        "quote": {"type": "integer", "minimum": 0},
    },
    "required": ["name", "value", "quote"],
    "additionalProperties": False,
}

_CALCULATION: dict[str, Any] = {
    "type": ["object", "null"],
    "properties": {
        "expression": {"type": "string", "minLength": 1, "maxLength": 400},
        "operands": {"type": "array", "items": _OPERAND, "maxItems": 24},
        "result": {"type": "string", "minLength": 1, "maxLength": 60},
    },
    "required": ["expression", "operands", "result"],
    "additionalProperties": False,
}

_CLAIM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "minLength": 1, "maxLength": 1200},
        "quotes": {"type": "array", "items": _QUOTE, "maxItems": 12},
        "calculation": _CALCULATION,
    },
    "required": ["text", "quotes", "calculation"],
    "additionalProperties": False,
}

ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "thought": {"type": "string", "maxLength": 1200},
        "not_found": {"type": "boolean"},
        "claims": {"type": "array", "items": _CLAIM, "maxItems": 12},
        "value": {"type": ["string", "null"], "maxLength": 120},
        "missing": {"type": "array", "items": {"type": "string", "maxLength": 300}, "maxItems": 12},
    },
    "required": ["thought", "not_found", "claims", "value", "missing"],
    "additionalProperties": False,
}
"""An answer: how it was found, claims with quotes and calculations, the one number it stands for, what is missing."""
