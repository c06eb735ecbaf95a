"""What a model may reply: the JSON schemas, and mending of what it wrote before it is checked."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vectorless_web.engine.agent.steps.navigate import MOVES
from vectorless_web.engine.answers.claims import DraftCalculation, DraftOperand
from vectorless_web.engine.errors import ModelInvalidReply
from vectorless_web.engine.text.numbers import numbers_in

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
    "calculation": ("calculation", "calculations", "computation", "computations", "formula", "formulas"),
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


def mend_step(found: dict[str, Any]) -> dict[str, Any]:
    """A step by the names of the schema: {"tool": "read", "args": {"key": "[851]"}} is retrieve, node 851."""
    flat = dict(found)
    action = flat.get("action")
    if isinstance(action, Mapping):
        flat |= {"action": None, **_flatten_action(action)}
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


def _flatten_action(action: Mapping[str, Any]) -> dict[str, Any]:
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


def mend_answer(found: dict[str, Any]) -> dict[str, Any]:
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
        "calculation": _joined_calculations(_find_values(item, _CLAIM_KEYS["calculation"])),
    }


def _joined_calculations(said: Iterable[Any]) -> Any:
    """All calculations of a claim as one, their expressions and results parted by semicolons (`drafted` parts them)."""
    rows = [row for part in said for row in (part if isinstance(part, list) else [part])]
    found = [calculation for calculation in map(_calculation, rows) if calculation is not None]
    if len(found) < 2:
        return found[0] if found else None
    operands: dict[str, dict[str, Any]] = {}
    expressions = []
    for calculation in found:
        expression = str(calculation["expression"])
        for operand in calculation["operands"]:
            name = operand["name"]
            if operands.get(name, operand)["value"] != operand["value"]:
                name = f"{name}_{len(operands) + 1}"
                expression = _replace_name(expression, operand["name"], name)
            operands[name] = {**operand, "name": name}
        expressions.append(expression)
    results = "; ".join(str(calculation["result"]) for calculation in found)
    return {"expression": "; ".join(expressions), "operands": list(operands.values()), "result": results}


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
    return next(_find_values(found, keys), None)


def _find_values(found: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Any]:
    said = {str(name).strip().lower().replace(" ", "_"): value for name, value in found.items()}
    return (said[key] for key in keys if said.get(key) is not None)


_SIGNS = str.maketrans(
    {"×": "*", "÷": "/", "−": "-", "–": "-", "—": "-", "·": "*", "[": "(", "]": ")", "{": "(", "}": ")"}
    | {"^": "**", "√": "sqrt", "²": "**2", "³": "**3"}
)
_PERCENT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?%")
_SCALED = r"(?:\s(?:thousand|million|billion)\b)?"
_NUMBER = re.compile(
    rf"(?<![\w.])[$€£]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![\w.]){_SCALED}"
    rf"|(?<![\w.])[$€£]?\d+(?:\.\d+)?(?![\w.]){_SCALED}"
)
_WORD = re.compile(r"[^\W\d]\w*")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_SMALL = 1000
"""A bare number below this with no thousands mark is a constant, to be judged as one."""


def draft_calculation(row: Mapping[str, Any], quotes: Mapping[int, int]) -> DraftCalculation:
    """The calculation over plain names, with the others that semicolons part from it.

    `quotes` maps the model's index of a quote to the draft's. Names with spaces get
    underscores; a figure written into the expression becomes an operand of its own, which
    must then stand in a quote like any other.
    """
    expressions, results = ([part.strip() for part in str(row[name]).split(";")] for name in ("expression", "result"))
    if len(expressions) != len(results):
        return _drafted_one(row, quotes)
    pairs = zip(expressions, results, strict=True)
    first, *others = [_drafted_one({**row, "expression": told, "result": gives}, quotes) for told, gives in pairs]
    return replace(first, more=tuple(others))


def _drafted_one(row: Mapping[str, Any], quotes: Mapping[int, int]) -> DraftCalculation:
    expression = str(row["expression"]).translate(_SIGNS).rsplit("=", 1)[-1 if _is_named(row["expression"]) else 0]
    expression = _PERCENT.sub(r"(\1/100)", expression)
    operands: list[DraftOperand] = []
    for operand in sorted(row["operands"], key=lambda operand: -len(operand["name"])):
        name = _plain_name(operand["name"], operands)
        expression = _replace_name(expression, operand["name"], name)
        operands.append(DraftOperand(name, operand["value"], quote=quotes.get(operand["quote"], 0)))
    order = {_plain_name(operand["name"], ()): place for place, operand in enumerate(row["operands"])}
    operands.sort(key=lambda operand: order.get(operand.name, len(order)))
    expression, written = _name_loose_figures(expression, operands)
    used = [operand for operand in operands if re.search(rf"(?<!\w){operand.name}(?!\w)", expression)]
    return DraftCalculation(expression.strip(), (*(used or operands), *written), str(row["result"]))


def _is_named(expression: str) -> bool:
    """Whether the expression begins with the name of its result: "growth = (a - b) / b"."""
    left, parted, _ = str(expression).partition("=")
    return bool(parted) and not any(sign in left for sign in "+*/-(")


def _plain_name(name: str, taken: Sequence[DraftOperand]) -> str:
    plain = re.sub(r"\W+", "_", name).strip("_")
    plain = plain if _WORD.fullmatch(plain) else f"n_{plain}" if plain else "n"
    return plain if all(operand.name != plain for operand in taken) else f"{plain}_{len(taken) + 1}"


def _replace_name(expression: str, name: str, plain: str) -> str:
    if name == plain:
        return expression
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", plain, expression)


def _name_loose_figures(expression: str, operands: Sequence[DraftOperand]) -> tuple[str, list[DraftOperand]]:
    """Figures that stand in the expression itself, put behind names."""
    known = {_amount(operand.value): operand.name for operand in operands}
    found: list[DraftOperand] = []

    def name_figure(match: re.Match[str]) -> str:
        text = match.group()
        if text in known:
            return known[text]
        if _amount(text) in known:
            return known[_amount(text)]
        if _PLAIN.fullmatch(text) and float(text) <= _SMALL:
            return text
        found.append(DraftOperand(f"figure_{len(found) + 1}", text, quote=0))
        known[_amount(text)] = found[-1].name
        return found[-1].name

    return _NUMBER.sub(name_figure, expression), found


def _amount(text: str) -> str:
    numbers = numbers_in(text)
    return f"{abs(numbers[0].value):f}" if numbers else text


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
