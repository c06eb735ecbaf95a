"""Puts the words of a model's reply right before it is checked: other names for actions, keys, quotes and sums.

Only names and shapes are mended. What a claim says, what a quote holds and what a sum gives is
checked later and never touched, but for the marks of citation that models add to sentences.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vectorless_web.engine.errors import ModelInvalidReply

ACTIONS = {
    "retrieve": "retrieve read open fetch get lookup look_up view retrieve_section read_section search find query",
    "extract": "extract copy quote extract_facts",
    "scan": "scan list outline expand browse children",
    "navigate": "navigate move go go_to goto walk",
    "synthesize": "synthesize synthesise finalize finalise finish final final_answer answer done stop end conclude",
}
_ACTION_OF = {word: action for action, words in ACTIONS.items() for word in words.split()}
_WAYS = {"up": "parent", "above": "parent", "down": "children", "below": "children", "child": "children"}
_WAYS |= {"forward": "next", "after": "next", "back": "previous", "prev": "previous", "before": "previous"}
_STEP_KEYS = {
    "action": ("action", "tool", "step", "next_step", "name", "action_type", "kind"),
    "thought": ("thought", "reasoning", "reason", "thinking", "why", "rationale"),
    "node": ("node", "key", "node_id", "id", "section", "node_key", "nodes"),
    "title": ("title", "heading"),
    "query": ("query", "words", "search", "q"),
    "direction": ("direction", "way", "dir"),
}
_NESTED = ("arguments", "args", "parameters", "params", "action_input", "input")
_ANSWER_KEYS = {
    "claims": ("claims", "claim", "answer_claims", "statements"),
    "thought": ("thought", "reasoning", "thinking", "explanation"),
    "missing": ("missing", "gaps"),
    "value": ("value", "answer", "final_answer"),
    "not_found": ("not_found", "notfound"),
}
_CLAIM_KEYS = {
    "text": ("text", "claim", "statement", "sentence", "answer"),
    "quotes": ("quotes", "quote", "citations", "evidence", "sources", "citation"),
    "calculation": ("calculation", "computation", "formula"),
}
_QUOTE_KEYS = {
    "node": ("node", "key", "node_id", "id", "passage", "source", "document"),
    "quote": ("quote", "text", "words", "content"),
}
_CALL = re.compile(r"^\s*([A-Za-z_ ]+?)\s*[:(]\s*(.*?)\)?\s*$", re.S)
_CITED = re.compile(r"\s*\[(?:node |passage )?[A-Z]?\d[\w:]*(?:\s*[,;]\s*(?:node |passage )?[A-Z]?\d[\w:]*)*\]")
_PAGED = re.compile(
    r"\s*\(\s*(?:see |source: |from )?(?:pp?\.|pages?|nodes?|passages?)\s*\[?[A-Z]?\d[\d, –-]*\]?\s*\)", re.I
)
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3,}|…)\s*")
_LABEL = re.compile(r"^\s*(?:[-*•]\s+)?(?:\[[A-Z]?\d+\]\s*)?")
_SHORTEST_PART = 3


def mended_step(found: dict[str, Any]) -> dict[str, Any]:
    """A step by the names of the schema: {"tool": "read", "args": {"key": "[851]"}} is retrieve, node 851."""
    flat = dict(found)
    action = flat.get("action")
    if isinstance(action, Mapping):
        flat |= {"action": None, **_flattened(action)}
    for name in _NESTED:
        if isinstance(flat.get(name), Mapping):
            flat |= {key: value for key, value in flat.pop(name).items() if key not in flat or flat[key] is None}
    step = {name: _first(flat, keys) for name, keys in _STEP_KEYS.items()}
    step["node"] = _node(step["node"])
    _read_call(step)
    word = str(step["action"] or "").strip("\"'`*. ").lower().replace(" ", "_").replace("-", "_")
    step["action"] = _ACTION_OF.get(word, step["action"])
    way = str(step["direction"] or "").strip().lower()
    step["direction"] = _WAYS.get(way, step["direction"])
    if step["action"] == "navigate" and step["node"] is not None and not step["direction"]:
        # To go to a node and no further is to read it.
        step["action"] = "retrieve"
    return {**step, "thought": step["thought"] or ""}


def _flattened(action: Mapping[str, Any]) -> dict[str, Any]:
    """{"retrieve": {"node": 1}} and {"name": "retrieve", "node": 1} on one level."""
    if len(action) == 1 and isinstance(inner := next(iter(action.values())), Mapping):
        return {**inner, "action": next(iter(action))}
    return {**action, "action": _first(dict(action), _STEP_KEYS["action"])}


def _read_call(step: dict[str, Any]) -> None:
    """ "retrieve(851)" and "scan: 12" say their node with the action."""
    said = step["action"]
    match = _CALL.match(said) if isinstance(said, str) else None
    if match and match.group(1).strip().lower() in _ACTION_OF:
        step["action"] = match.group(1)
        number = re.search(r"\d+", match.group(2))
        if step["node"] is None and number:
            step["node"] = int(number.group())


def _node(said: Any) -> Any:
    """The first of several nodes; of "1:851" the part behind the document; of "B851" the number."""
    if isinstance(said, list):
        said = said[0] if said else None
    if isinstance(said, str):
        return said.rsplit(":", 1)[-1]
    return said


def mended_answer(found: dict[str, Any]) -> dict[str, Any]:
    """An answer by the names of the schema; claims as plain sentences and quotes as plain strings are read too."""
    answer = {name: _first(found, keys) for name, keys in _ANSWER_KEYS.items()}
    claims = answer["claims"]
    if claims is None and _first(found, ("text", "quotes")) is not None:
        claims = [found]
    items = claims if isinstance(claims, list) else [] if claims is None else [claims]
    if claims is None and not answer["not_found"]:
        raise ModelInvalidReply('The reply has neither claims nor "not_found".')
    value = answer["value"]
    return {
        **answer,
        "claims": [_claim(item) for item in items if isinstance(item, dict | str)],
        "value": value if isinstance(value, str | int | float) else None,
    }


def _claim(item: Any) -> Any:
    if isinstance(item, str):
        return {"text": plain_claim(item), "quotes": [], "calculation": None}
    claim = {name: _first(item, keys) for name, keys in _CLAIM_KEYS.items()}
    quotes = claim["quotes"]
    rows = quotes if isinstance(quotes, list) else [] if quotes is None else [quotes]
    node = _first(item, _QUOTE_KEYS["node"])
    text = claim["text"]
    return {
        "text": plain_claim(text) if isinstance(text, str) else text,
        "quotes": [row for row in (_quote(row, node) for row in rows) if row["quote"]],
        "calculation": _calculation(claim["calculation"]),
    }


def _quote(row: Any, node: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        return {"node": str(node if node is not None else ""), "quote": str(row) if isinstance(row, str) else ""}
    found = {name: _first(dict(row), keys) for name, keys in _QUOTE_KEYS.items()}
    said = found["node"] if found["node"] is not None else node
    quote = found["quote"]
    return {"node": str("" if said is None else said), "quote": quote if isinstance(quote, str) else ""}


def _calculation(said: Any) -> Any:
    """ "(a - b) / b = 8%" as a whole; nothing for a calculation without an expression or a result."""
    if isinstance(said, str):
        expression, parted, result = said.rpartition("=")
        return {"expression": expression, "operands": [], "result": result.strip()} if parted else None
    if not isinstance(said, Mapping):
        return None
    operands = said.get("operands")
    if isinstance(operands, Mapping):
        operands = [{"name": name, "value": value, "quote": 0} for name, value in operands.items()]
    rows = [_operand(row) for row in operands or () if isinstance(row, Mapping)]
    whole = {**said, "operands": [row for row in rows if row["name"] and row["value"]]}
    return whole if said.get("expression") and said.get("result") not in (None, "") else None


def _operand(row: Mapping[str, Any]) -> dict[str, Any]:
    quote = _first(dict(row), ("quote", "quote_index", "index"))
    place = int(quote) if isinstance(quote, int | float) or (isinstance(quote, str) and quote.strip().isdigit()) else 0
    return {"name": str(row.get("name") or ""), "value": str(row.get("value") or ""), "quote": max(0, place)}


def plain_claim(text: str) -> str:
    """A sentence without the marks of citation a model adds: "[851]", "(page 70)"."""
    plain = " ".join(_PAGED.sub("", _CITED.sub("", text)).split())
    return plain or text


def quote_parts(quote: str) -> list[str]:
    """A quote as it may be looked for: without a leading mark or its own quotation marks, parted at an ellipsis."""
    plain = _LABEL.sub("", quote.replace("\\t", "\t").replace("\\n", "\n")).strip()
    if len(plain) > 1 and plain[0] in "\"'“‘«" and plain[-1] in "\"'”’»":
        plain = plain[1:-1].strip()
    parts = [part.strip() for part in _ELLIPSIS.split(plain)]
    kept = [part for part in parts if sum(character.isalnum() for character in part) >= _SHORTEST_PART]
    return kept or [plain or quote]


def _first(found: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next(_given(found, keys), None)


def _given(found: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Any]:
    said = {str(name).strip().lower().replace(" ", "_"): value for name, value in found.items()}
    return (said[key] for key in keys if said.get(key) is not None)
