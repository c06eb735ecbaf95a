"""What a model may reply: the JSON schemas, and mending of what it wrote before it is checked."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vectorless_web.engine.agent.steps.navigate import MOVES
from vectorless_web.engine.answers.claims import DraftCalculation, DraftOperand
from vectorless_web.engine.errors import ModelInvalidReply
from vectorless_web.engine.llm.replies import value_in
from vectorless_web.engine.text.numbers import numbers_in

ACTIONS = {
    "search": "search find query look_up lookup retrieve",
    "read": "read open fetch get view read_section read_page read_pages extract copy quote neighbours follow",
    "list": "list scan outline expand browse children toc",
    "calculate": "calculate compute calc math evaluate sum",
    "note": "note remember keep write_down save",
    "navigate": "navigate move go go_to goto walk",
    "answer": "answer synthesize synthesise finalize finalise finish final final_answer done stop end conclude",
}
MOST_CALLS_READ = 40
"""Calls of one reply that are looked at; how many of them are taken is the planner's to say."""

LONGEST_TEXT = 600
"""Characters of what a step searches for, works out or keeps."""

_ACTION_OF = {word: action for action, words in ACTIONS.items() for word in words.split()}
WAYS = {way: way for way in (*MOVES, "search")} | {
    "up": "parent",
    "above": "parent",
    "down": "children",
    "below": "children",
    "child": "children",
}
WAYS |= {"forward": "next", "after": "next", "back": "previous", "prev": "previous", "before": "previous"}
_STEP_KEYS = {
    "action": ("action", "tool", "step", "next_step", "name", "action_type", "kind", "function"),
    "node": ("node", "key", "node_id", "id", "section", "node_key", "nodes", "table"),
    "text": (
        *("text", "query", "words", "search", "q", "title", "heading", "pages", "page", "page_range"),
        *("expression", "note", "fact", "direction", "way", "dir", "rows"),
    ),
}
_THOUGHT_KEYS = ("thought", "reasoning", "reason", "thinking", "why", "rationale")
_STEPS_KEYS = ("steps", "actions", "calls", "tool_calls", "tools", "next_steps", "tool_uses")
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
    "calculations": ("calculations", "calculation", "computations", "computation", "formulas", "formula"),
}
_QUOTE_KEYS = {
    "node": ("node", "key", "node_id", "id", "passage", "source", "document"),
    "quote": ("quote", "text", "words", "content"),
}
_CALL = re.compile(r"([A-Za-z_\s]+)[:(](.*)", re.S)
_CITED = re.compile(r"\s*\[(?:node |passage )?[A-Z]?\d[\w:]*(?:\s*[,;]\s*(?:node |passage )?[A-Z]?\d[\w:]*)*\]")
_PAGED = re.compile(
    r"\s*\(\s*(?:see |source: |from )?(?:pp?\.|pages?|nodes?|passages?)\s*\[?[A-Z]?\d[\d, –-]*\]?\s*\)", re.I
)
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3,}|…)\s*")
_LABEL = re.compile(r"^\s*(?:[-*•]\s+)?(?:\[[A-Z]?\d+\]\s*)?")
_SHORTEST_PART = 3


def mended_turn(found: dict[str, Any]) -> dict[str, Any]:
    """A turn by the names of the schema, whichever way its calls and its answer are put.

    {"tool": "read", "args": {"key": "[851]"}} is one step; claims without a frame are an answer. Steps of
    unknown tools are left out when others are known; ModelInvalidReply when neither step nor answer is there.
    """
    thought = str(_first(found, _THOUGHT_KEYS) or "")
    answer = found.get("answer")
    if answer is None and (_first(found, _ANSWER_KEYS["claims"]) is not None or found.get("not_found")):
        answer = found
    if isinstance(answer, str) and answer.strip():
        answer = {"claims": [answer]}
    said = _first(found, _STEPS_KEYS)
    if isinstance(answer, Mapping) and (_says_something(answer) or not said):
        return {"thought": thought, "steps": [], "answer": mend_answer(dict(answer))}
    rows = [found] if said is None else said if isinstance(said, list) else [said]
    if given := _answer_among(rows):
        return {"thought": thought, "steps": [], "answer": given}
    steps = [_mended_step(row) for row in rows[:MOST_CALLS_READ] if isinstance(row, Mapping | str) and row]
    known = [step for step in steps if isinstance(step["action"], str) and step["action"] in ACTIONS]
    if not known:
        raise ModelInvalidReply("The reply has neither a step of a known tool nor an answer.")
    return {"thought": thought, "steps": known, "answer": None}


def _answer_among(rows: Sequence[Any]) -> dict[str, Any] | None:
    """The answer that was given as a call of a tool."""
    for row in rows:
        flat = _one_level(row) if isinstance(row, Mapping) else {}
        if _ACTION_OF.get(str(_first(flat, _STEP_KEYS["action"])).lower()) == "answer" and _says_something(flat):
            return mend_answer({name: value for name, value in flat.items() if name not in ("answer", "text")})
    return None


def _says_something(answer: Mapping[str, Any]) -> bool:
    """Whether an answer is more than an empty frame beside steps."""
    return bool(_first(answer, _ANSWER_KEYS["claims"]) or _first(answer, _ANSWER_KEYS["not_found"]))


def _mended_step(said: Mapping[str, Any] | str) -> dict[str, Any]:
    flat: dict[str, Any] = {"action": said} if isinstance(said, str) else dict(said)
    if len(flat) == 1 and next(iter(flat)) in _ACTION_OF and isinstance(next(iter(flat.values())), Mapping):
        flat = _flatten_action(flat)
    flat = _one_level(flat)
    step = {name: _first(flat, keys) for name, keys in _STEP_KEYS.items()}
    step["node"] = _node(step["node"])
    step["text"] = _text_of(step["text"])
    _read_call(step)
    word = str(step["action"] or "").strip("\"'`*. ").lower().replace(" ", "_").replace("-", "_")
    step["action"] = _ACTION_OF.get(word, step["action"])
    if step["action"] == "search" and not step["text"] and step["node"] is not None:
        step["action"] = "read"
    if word in ("retrieve", "get", "fetch") and flat.get("title") and not flat.get("query"):
        step["action"] = "read"
    return step


def _one_level(said: Mapping[str, Any]) -> dict[str, Any]:
    """A call with its arguments beside its name: those of {"function": {"name", "arguments": "{...}"}}, too."""
    flat = dict(said)
    for name in ("action", "function"):
        if isinstance(flat.get(name), Mapping):
            flat |= {name: None, **_flatten_action(flat[name])}
    for name in _NESTED:
        inner = flat.get(name)
        if isinstance(inner, str):
            inner = value_in(inner)
        if isinstance(inner, Mapping):
            del flat[name]
            flat |= {key: value for key, value in inner.items() if flat.get(key) is None}
    return flat


def _text_of(said: Any) -> str | None:
    """Words, a page number or a page range as one text."""
    if isinstance(said, list):
        said = "-".join(str(part) for part in said)
    return str(said)[:LONGEST_TEXT] if isinstance(said, str | int | float) and not isinstance(said, bool) else None


def _flatten_action(action: Mapping[str, Any]) -> dict[str, Any]:
    """{"retrieve": {"node": 1}} and {"name": "retrieve", "node": 1} on one level."""
    if len(action) == 1 and isinstance(inner := next(iter(action.values())), Mapping):
        return {**inner, "action": next(iter(action))}
    return {**action, "action": _first(dict(action), _STEP_KEYS["action"])}


def _read_call(step: dict[str, Any]) -> None:
    """ "read(851)" and "search: net sales" say what they need with the action."""
    said = step["action"]
    match = _CALL.match(said.strip()) if isinstance(said, str) else None
    if not match or match.group(1).strip().lower() not in _ACTION_OF:
        return
    step["action"] = match.group(1).strip()
    given = match.group(2).strip().removesuffix(")").strip("\"'[] \t\n")
    if step["node"] is None and given.isdecimal() and len(given) <= 9:
        step["node"] = int(given)
    elif step["text"] is None and given:
        step["text"] = given


def _node(said: Any) -> Any:
    """The first of several nodes; of "1:851" the part behind the document; of "node 851" the number."""
    if isinstance(said, list):
        said = said[0] if said else None
    if isinstance(said, str):
        found = re.search(r"\d{1,9}", said.rsplit(":", 1)[-1])
        return int(found.group()) if found else None
    return said if isinstance(said, int) and not isinstance(said, bool) and said >= 0 else None


def mend_answer(found: dict[str, Any]) -> dict[str, Any]:
    """An answer by the names of the schema; claims as plain sentences and quotes as plain strings are read too."""
    inner = found.get("answer")
    if isinstance(inner, Mapping):
        # A reply in the form of a turn.
        found = {**found, "answer": None, **inner}
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
        return {"text": plain_claim(item), "quotes": [], "calculations": []}
    claim = {name: _first(item, keys) for name, keys in _CLAIM_KEYS.items()}
    quotes = claim["quotes"]
    rows = quotes if isinstance(quotes, list) else [] if quotes is None else [quotes]
    node = _first(item, _QUOTE_KEYS["node"])
    text = claim["text"]
    return {
        "text": plain_claim(text) if isinstance(text, str) else text,
        "quotes": [row for row in (_quote(row, node) for row in rows) if row["quote"]],
        "calculations": _calculations(_find_values(item, _CLAIM_KEYS["calculations"])),
    }


def _quote(row: Any, node: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        return {"node": str(node if node is not None else ""), "quote": str(row) if isinstance(row, str) else ""}
    found = {name: _first(dict(row), keys) for name, keys in _QUOTE_KEYS.items()}
    said = found["node"] if found["node"] is not None else node
    quote = found["quote"]
    return {"node": str("" if said is None else said), "quote": quote if isinstance(quote, str) else ""}


def _calculations(said: Iterable[Any]) -> list[Any]:
    rows = [row for part in said for row in (part if isinstance(part, list) else [part])]
    return [found for row in rows if (found := _calculation(row)) is not None]


def joined_calculations(found: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """All calculations of a claim as one, their expressions and results parted by semicolons (`drafted` parts them)."""
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
    rows = [_operand(row) for row in (operands if isinstance(operands, list) else ()) if isinstance(row, Mapping)]
    whole = {**said, "operands": [row for row in rows if row["name"] and row["value"]]}
    return whole if said.get("expression") and said.get("result") not in (None, "") else None


def _operand(row: Mapping[str, Any]) -> dict[str, Any]:
    quote = _first(dict(row), ("quote", "quote_index", "index"))
    said = re.match(r"\s*(\d{1,9})(?:\.\d*)?\s*$", str(quote)) if isinstance(quote, str | int | float) else None
    place = int(said[1]) if said else 0
    return {"name": str(row.get("name") or ""), "value": str(row.get("value") or ""), "quote": place}


def plain_claim(text: str) -> str:
    """A sentence without the marks of citation a model adds: "[851]", "(page 70)"."""
    # Runs of spaces go first: each pattern would look through all of a run from each of its places.
    single = " ".join(text.split())
    plain = " ".join(_PAGED.sub("", _CITED.sub("", single)).split())
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
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: plain, expression)


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


_QUOTE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "node": {"type": ["string", "integer"], "maxLength": 120},
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
    "type": "object",
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
        "calculations": {"type": "array", "items": _CALCULATION, "maxItems": 8},
    },
    "required": ["text", "quotes", "calculations"],
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

_STEP: dict[str, Any] = {
    "type": "object",
    "properties": {
        # No list of words: other names of the tools are understood, and a listed one that no rule explains is tried.
        "action": {"type": "string", "description": "search, read, list, calculate or note"},
        "node": {"type": ["integer", "null"], "minimum": 0},
        "text": {"type": ["string", "null"], "maxLength": LONGEST_TEXT},
    },
    "required": ["action", "node", "text"],
    "additionalProperties": False,
}

_GIVEN_ANSWER = {name: part for name, part in ANSWER_SCHEMA["properties"].items() if name != "thought"}


def _tool(name: str, description: str, **parameters: str) -> dict[str, Any]:
    """A tool as servers with native calling are told of it; a number for `node`, words for the rest."""
    kinds = {key: "integer" if key == "node" else "string" for key in parameters}
    properties = {key: {"type": kinds[key], "description": told} for key, told in parameters.items()}
    return {"name": name, "description": description, "parameters": {"type": "object", "properties": properties}}


TOOLS: list[dict[str, Any]] = [
    _tool("search", "Find passages by words; brings snippets with pages and nodes.", text="words to look for"),
    _tool(
        "read",
        "Read a passage, table or section in full, pages, or a heading.",
        node="a number in [brackets]",
        text='"pages 12-14", a heading such as "Note 7"; with a node "around" or "from row 41"',
    ),
    _tool("list", "List the parts of a section.", node="the section's number"),
    _tool("calculate", "Work a sum out.", text='an expression of numbers, such as "(840 - 800) / 800"'),
    _tool("note", "Keep a fact.", text="the fact", node="where it stands"),
    {
        "name": "answer",
        "description": "Give the answer, as soon as what was shown settles the question.",
        "parameters": {
            "type": "object",
            "properties": _GIVEN_ANSWER,
            "required": list(_GIVEN_ANSWER),
            "additionalProperties": False,
        },
    },
]

TURN_SCHEMA: dict[str, Any] = {
    "type": "object",
    "tools": TOOLS,
    "properties": {
        "thought": {"type": "string", "maxLength": 1200},
        "steps": {"type": "array", "items": _STEP, "maxItems": MOST_CALLS_READ},
        "answer": {
            "type": ["object", "null"],
            "properties": _GIVEN_ANSWER,
            "required": list(_GIVEN_ANSWER),
            "additionalProperties": False,
        },
    },
    "required": ["thought", "steps", "answer"],
    "additionalProperties": False,
}
"""A turn of the loop: steps to take, or the answer."""
