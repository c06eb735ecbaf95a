"""Finds the object in a model's reply, bends it to a schema where that is safe, and checks it.

Small models think aloud before they answer, fence their JSON, leave a comma too many, write
numbers as strings and forget the keys they have nothing for. All of that is read. What a
reply says is never guessed: an object that lacks what its schema must have stays unusable.
"""

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vectorless_web.engine.errors import ModelInvalidReply

LONGEST = 100_000
"""Characters of a reply, without its thoughts, that are still read."""

MOST_OBJECTS = 40
"""Objects looked at in one reply."""

_THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning)>", re.I)
_THOUGHT_START = re.compile(r"<(?:think|thinking|reasoning)>", re.I)
_FENCE = "```"
_LANGUAGE = re.compile(r"[\w-]*[ \t]*\r?\n?")
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
"""A string to its end, or to the text's: it matches wherever it begins, so that no character is read twice."""
_LOOSE_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.S)
_BRACE = re.compile(rf"{_STRING}|[{{}}]", re.S)
_WHOLE = re.compile(r"-?\d+")
_MARKS = "\"'`*[](){}<>#., "

Found = dict[str, Any] | list[Any]


def object_schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object that has all these keys and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def value_in(text: str, schema: Mapping[str, Any] | None = None) -> Found | None:
    """The object (or list) that a reply gives; None for prose, broken JSON and replies beyond LONGEST.

    Of several, the one with most keys of `schema`; the last of equals, for models that
    repeat the example before they answer.
    """
    said = without_thoughts(text)
    if len(said) > LONGEST:
        return None
    wanted = set((schema or {}).get("properties", ()))
    best: tuple[int, Found] | None = None
    for found in _candidates(said):
        worth = len(wanted & set(found)) if isinstance(found, dict) else 0
        if best is None or worth >= best[0]:
            best = (worth, found)
    return best[1] if best else None


def without_thoughts(text: str) -> str:
    """The reply without the thoughts of a reasoning model, also where the server cut one of their marks."""
    ends = list(_THOUGHT_END.finditer(text))
    after = text[ends[-1].end() :] if ends else ""
    if after.strip():
        return after
    opened = _THOUGHT_START.search(text)
    return text[: opened.start()] if opened else ("" if ends else text)


def _candidates(text: str) -> Iterator[Found]:
    whole = _load_leniently(text.strip())
    if whole is not None:
        yield whole
        return
    for block in text.split(_FENCE)[1:-1:2]:
        found = _load_leniently(_LANGUAGE.sub("", block, count=1).strip())
        if found is not None:
            yield found
    for piece in _find_balanced(text):
        found = _load_leniently(piece)
        if found is not None:
            yield found


def _load_leniently(text: str) -> Found | None:
    """JSON; then JSON with a comma too many or raw line breaks in its strings; then a Python literal."""
    if text[:1] not in ("{", "["):
        return None
    for read in (json.loads, _load_loose_json, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return found if isinstance(found, dict | list) else None
    return None


def _load_loose_json(text: str) -> Any:
    return json.loads(_LOOSE_COMMA.sub(lambda match: match.group(1) or "", text), strict=False)


def _find_balanced(text: str) -> Iterator[str]:
    """Stretches from an opening brace to its closing one, outermost first."""
    start = text.find("{")
    for _ in range(MOST_OBJECTS):
        if start < 0:
            return
        end = _find_closing_brace(text, start)
        if end < 0:
            return
        yield text[start : end + 1]
        start = text.find("{", end + 1)


def _find_closing_brace(text: str, start: int) -> int:
    depth = 0
    for part in _BRACE.finditer(text, start):
        depth += (part.group() == "{") - (part.group() == "}")
        if depth == 0 and part.group() == "}":
            return part.start()
    return -1


def is_unfinished(text: str) -> bool:
    """Whether a reply breaks off: nothing after a thought, a thought without an end, an object never closed."""
    rest = without_thoughts(text).strip()
    start = rest.find("{")
    return not rest or (start >= 0 and _find_closing_brace(rest, start) < 0)


def fit_to_schema(value: Any, schema: Mapping[str, Any]) -> Any:
    """`value` bent to `schema`: nothing is invented, so what still does not fit was never said.

    Unknown keys go, absent keys that may be empty become empty, one thing becomes a list
    of it, "412" or "[412]" becomes 412, a word gets the case of the enum, too long texts
    and lists are cut.
    """
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if value is None or (isinstance(value, str) and value.strip().lower() in ("null", "none")):
        return _choose_empty_value(kinds, schema, value)
    if "object" in kinds:
        return _object(value, schema)
    if "array" in kinds:
        return _list(value, schema)
    return _scalar(value, kinds, schema)


def _choose_empty_value(kinds: list[Any], schema: Mapping[str, Any], value: Any) -> Any:
    """The empty value of a schema: null where allowed, else an empty list, "" or false; else the value itself."""
    if "null" in kinds:
        return None
    if "array" in kinds:
        return []
    if "boolean" in kinds:
        return False
    return "" if "string" in kinds and not schema.get("minLength") and "enum" not in schema else value


def _object(value: Any, schema: Mapping[str, Any]) -> Any:
    properties: Mapping[str, Any] = schema.get("properties", {})
    value = unwrap_object(value, schema)
    if not isinstance(value, dict):
        return value
    if not value and "null" in (schema.get("type") or ()):
        return None
    said = {str(name).strip().lower().replace(" ", "_"): item for name, item in value.items()}
    said |= {name: item for name, item in value.items() if name in properties}
    if not properties.keys() & said.keys():
        return value
    found = {name: fit_to_schema(said[name], part) for name, part in properties.items() if name in said}
    for name in schema.get("required", ()):
        if name not in found:
            filled = fit_to_schema(None, properties.get(name, {}))
            found |= {name: filled} if filled is not None or _may_be_null(properties.get(name, {})) else {}
    return found


def _may_be_null(schema: Mapping[str, Any]) -> bool:
    return "null" in (schema.get("type") or ())


def unwrap_object(value: Any, schema: Mapping[str, Any]) -> Any:
    """The object inside {"reply": {...}}; of a bare list its first, or the one list the schema has objects in."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    if isinstance(value, list):
        lists = [name for name, part in properties.items() if part.get("items", {}).get("type") == "object"]
        objects = [item for item in value if isinstance(item, dict)]
        if len(lists) == 1 and objects and not properties.keys() & objects[0].keys():
            return {lists[0]: objects}
        return objects[0] if objects else value
    if isinstance(value, dict) and len(value) == 1 and not properties.keys() & value.keys():
        inner = next(iter(value.values()))
        return inner if isinstance(inner, dict) else value
    return value


def _list(value: Any, schema: Mapping[str, Any]) -> Any:
    items = value if isinstance(value, list) else [value]
    items = [fit_to_schema(item, schema.get("items", {})) for item in items if item not in (None, "", {}, [])]
    return items[: schema.get("maxItems", len(items))]


def _scalar(value: Any, kinds: list[Any], schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return _of_enum(value, kinds, schema["enum"])
    if "boolean" in kinds and isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower(), value)
    if "integer" in kinds and not (isinstance(value, str) and "string" in kinds):
        return _integer(value, kinds)
    if "string" in kinds:
        return _text(value, schema)
    return value


def _of_enum(value: Any, kinds: list[Any], known: list[Any]) -> Any:
    word = value.strip(_MARKS).lower() if isinstance(value, str) else value
    if word in known:
        return word
    return None if "null" in kinds and word == "" else value


def _integer(value: Any, kinds: list[Any]) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value
    if not value.strip() and "null" in kinds:
        return None
    numbers = _WHOLE.findall(value)
    return int(numbers[0]) if len(numbers) == 1 and len(numbers[0]) < 12 else value


def _text(value: Any, schema: Mapping[str, Any]) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value}"
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        value = " ".join(value)
    return value[: schema.get("maxLength", len(value))] if isinstance(value, str) else value


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
    """The JSON object in a reply, no matter what is around it (`lenient`), or None."""
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
