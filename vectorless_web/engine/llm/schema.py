"""Checks a model's reply against the small part of JSON Schema that the engine's prompts use."""

from collections.abc import Callable, Mapping
from typing import Any

from vectorless_web.engine.errors import ModelInvalidReply
from vectorless_web.engine.llm.replies import fit_to_schema, unwrap_object, value_in

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


Mend = Callable[[dict[str, Any]], dict[str, Any]]
"""Puts the words of a reply right before it is checked ("read" for "retrieve")."""


def keep_reply(found: dict[str, Any]) -> dict[str, Any]:
    """The reply as it is."""
    return found


def parse_object(text: str) -> dict[str, Any] | None:
    """The JSON object in a reply, whatever stands around it (`lenient`), or None."""
    found = value_in(text)
    return found if isinstance(found, dict) else None


def check_object(
    text: str, parsed: Mapping[str, Any] | None, schema: Mapping[str, Any], *, mend: Mend = keep_reply
) -> dict[str, Any]:
    """The object of a reply, bent to `schema` where that loses nothing; ModelInvalidReply says what is wrong."""
    said = dict(parsed) if parsed is not None else value_in(text, schema)
    whole = unwrap_object(said, schema)
    found = fit_to_schema(mend(whole) if isinstance(whole, dict) else whole, schema)
    if not isinstance(found, dict):
        raise ModelInvalidReply("The reply is not one JSON object.")
    problem = problem_with(found, schema)
    if problem:
        raise ModelInvalidReply(f"The reply does not fit the schema: {problem}.")
    return found


def problem_with(value: Any, schema: Mapping[str, Any], path: str = "reply") -> str:
    """What keeps a value from fitting, or "".

    Known are type, enum, properties, required, additionalProperties (false), items,
    minItems, maxItems, minLength, maxLength, minimum and maximum.
    """
    kinds = schema.get("type")
    if kinds is not None and not _is_of(value, kinds if isinstance(kinds, list) else [kinds]):
        return f"{path} should be {kinds}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{path} should be one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, dict):
        return _object_problem(value, schema, path)
    if isinstance(value, list):
        return _list_problem(value, schema, path)
    return _bound_problem(value, schema, path)


def _is_of(value: Any, kinds: list[str]) -> bool:
    if isinstance(value, bool) and "boolean" not in kinds:
        return False
    return any(isinstance(value, _TYPES[kind]) for kind in kinds)


def _object_problem(value: dict[str, Any], schema: Mapping[str, Any], path: str) -> str:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{path} lacks {name}"
    if schema.get("additionalProperties") is False:
        for name in value:
            if name not in properties:
                return f"{path} has an unknown key {name[:60]}"
    problems = (problem_with(value[name], properties[name], f"{path}.{name}") for name in properties if name in value)
    return next((problem for problem in problems if problem), "")


def _list_problem(value: list[Any], schema: Mapping[str, Any], path: str) -> str:
    if len(value) < schema.get("minItems", 0):
        return f"{path} has too few items"
    if len(value) > schema.get("maxItems", len(value)):
        return f"{path} has more than {schema['maxItems']} items"
    items = schema.get("items", {})
    problems = (problem_with(item, items, f"{path}[{place}]") for place, item in enumerate(value))
    return next((problem for problem in problems if problem), "")


def _bound_problem(value: Any, schema: Mapping[str, Any], path: str) -> str:
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            return f"{path} is too short"
        return f"{path} is too long" if len(value) > schema.get("maxLength", len(value)) else ""
    if not isinstance(value, int | float):
        return ""
    within = schema.get("minimum", value) <= value <= schema.get("maximum", value)
    return "" if within else f"{path} is out of range"
