"""The tools of a model: what each is called with, as prompt and server are told, and the calls that a reply makes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vectorless_web.engine.agent.events import StepKind
from vectorless_web.engine.agent.model.answer import AnswerDraft, read_draft
from vectorless_web.engine.errors import ModelInvalidReply
from vectorless_web.engine.llm.replies import fit_to_schema, parse_object, problem_with

_TEXT: Mapping[str, Any] = {"type": "string"}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": _TEXT}


def _shape(fields: str, **types: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object with these fields, a "?" behind those that may be missing; texts but for `types`."""
    named = {name.rstrip("?"): not name.endswith("?") for name in fields.split()}
    properties = {name: types.get(name, _TEXT) for name in named}
    required = [name for name, is_needed in named.items() if is_needed]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_CLAIM = _shape(
    "text cites phrase? calculation? absent? insists?",
    cites={**_TEXTS, "maxItems": 40},
    absent=_shape("documents terms", documents={**_TEXTS, "minItems": 1}, terms={**_TEXTS, "minItems": 1}),
)
_TYPES: Mapping[str, Mapping[str, Any]] = {
    **dict.fromkeys(("documents", "rows", "columns", "missing"), _TEXTS),
    "depth": {"type": "integer"},
    "page": {"type": "integer"},
    "queries": {**_TEXTS, "maxItems": 5},
    "outcome": {"type": "string", "enum": ["answered", "partial", "not_found"]},
    "claims": {"type": "array", "items": _CLAIM, "maxItems": 40},
}
"""Types of arguments that are not texts."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: the kind of its step, its arguments as the prompt names them, and what it does."""

    name: str
    kind: StepKind
    arguments: str
    does: str
    fields: str = ""
    """The arguments parted by spaces, where `arguments` is no plain list of them."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return _shape(self.fields or self.arguments.replace(",", ""), **_TYPES)

    def as_function(self) -> dict[str, Any]:
        """The tool as a native function of a model's server."""
        return {"name": self.name, "description": self.does, "parameters": self.parameters}


_SEARCH = "passages that hold these words or their meaning: new hits only, as snippets with ids"
_READ = (
    'node | document and pages ("12-14"), from?',
    "the text of a section, table or pages in its order; a cut says where to go on",
)
_FIND = "every place where this text stands literally (* is anything)"
_TABLE = (
    'rows and columns of a table, filtered ("2019 > 500"), sorted ("2019 desc"), or the exact sum, count, mean, least '
    'or most of a column ("sum 2019")'
)
_CHANGES = "what differs between two versions of a document, with the words of both"
_CALCULATE = "an expression over ids of cells and numbers, worked out exactly"
_PAGE_IMAGE = "the page as a picture: charts, scans, forms; cite it as D1.p7"
_FOR_EACH = "asks each of these documents (at most 40) the same question; a row with ids for each"
_ANSWER = (
    "outcome, claims[{text, cites[], phrase?, calculation?, absent{documents[], terms[]}?, insists?}], value?, "
    "missing[]?",
    "ends: answered, partial or not_found",
)

TOOLS = {
    tool.name: tool
    for tool in (
        Tool("search", StepKind.RETRIEVE, "queries[1..5], documents?", _SEARCH, "queries documents?"),
        Tool("outline", StepKind.SCAN, "document, node?, depth?", "titles of sections with pages and tokens"),
        Tool("navigate", StepKind.NAVIGATE, "document, goal, from?", "a guided search down the sections for the goal"),
        Tool("read", StepKind.EXTRACT, *_READ, "node? document? pages? from?"),
        Tool("find", StepKind.RETRIEVE, "text, documents?", _FIND),
        Tool("table", StepKind.EXTRACT, "node, rows?, columns?, where?, sort?, aggregate?", _TABLE),
        Tool("changes", StepKind.EXTRACT, "from, to, part?", _CHANGES),
        Tool("calculate", StepKind.EXTRACT, "expression", _CALCULATE),
        Tool("page_image", StepKind.EXTRACT, "document, page", _PAGE_IMAGE),
        Tool("route", StepKind.ROUTE, "query", "opens other documents of the workspace that fit the query"),
        Tool("for_each", StepKind.SYNTHESIZE, "question, documents", _FOR_EACH, "question documents?"),
        Tool("answer", StepKind.FINALIZE, *_ANSWER, "outcome claims value? missing?"),
    )
}


LOOKING = ("search", "find", "navigate", "route", "read")
"""Tools that look for what is not before the model yet."""


def list_tools(*, documents: int, more_documents: bool, pictures: bool) -> list[Tool]:
    """The tools that make sense in a run: those that need several documents or pictures only where there are any."""
    lacking = {"route": not more_documents, "page_image": not pictures}
    lacking |= dict.fromkeys(("for_each", "changes"), documents < 2)
    return [tool for tool in TOOLS.values() if not lacking.get(tool.name)]


def write_tools(tools: Iterable[Tool]) -> list[str]:
    """A line for each tool, as the rules list them: "search(queries, documents?): ..."."""
    return [f"{tool.name}({tool.arguments}): {tool.does}" for tool in tools]


_CALL: Mapping[str, Any] = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["tool", "arguments"],
}
TURN_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"thought": {"type": "string"}, "calls": {"type": "array", "minItems": 1, "items": _CALL}},
    "required": ["thought", "calls"],
}

_NAMES, _ARGUMENTS = ("tool", "name", "action", "function"), ("arguments", "args", "parameters", "input")
_CALLS = ("calls", "tool_calls", "tools", "actions")


def mend_turn(found: dict[str, Any]) -> dict[str, Any]:
    """A reply as TURN_SCHEMA has it, also from native calls of tools, other key names or a bare answer."""
    thought = str(found.get("thought") or "")
    rows = next((found[name] for name in _CALLS if isinstance(found.get(name), list)), None)
    if rows is None:
        inner = found.get("answer")
        bare = inner if isinstance(inner, dict) else found
        is_answer = "claims" in bare or "outcome" in bare
        said = _drop(bare if is_answer else found, ("thought",))
        rows = [{"tool": "answer", "arguments": said} if is_answer else said]
    calls = [call for row in rows if isinstance(row, dict) and (call := _mend_call(row))]
    if not calls:
        raise ModelInvalidReply("The reply calls no tool.")
    return {"thought": thought, "calls": calls}


def _mend_call(row: dict[str, Any]) -> dict[str, Any] | None:
    if isinstance(row.get("function"), dict):
        row = row["function"]
    name = next((row[key] for key in _NAMES if isinstance(row.get(key), str) and row[key].strip()), "")
    given = next((row[key] for key in _ARGUMENTS if row.get(key)), None)
    if isinstance(given, str):
        given = parse_object(given)
    arguments = given if isinstance(given, dict) else _drop(row, (*_NAMES, *_ARGUMENTS, "id", "type"))
    return {"tool": name.strip(), "arguments": arguments} if name else None


def _drop(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in names}


def find_answer(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The arguments of an answer that is alone, or beside calls that find nothing new."""
    answers = [row["arguments"] for row in rows if row["tool"] == "answer"]
    beside = [row for row in rows if row["tool"] not in ("answer", "calculate")]
    return answers[-1] if answers and not beside else None


def read_answer(arguments: Mapping[str, Any]) -> tuple[AnswerDraft | None, str]:
    """The draft in a call of `answer`, or what is wrong with the call."""
    tool = TOOLS["answer"]
    fitted = fit_to_schema(dict(arguments), tool.parameters)
    problem = problem_with(fitted, tool.parameters, "answer")
    draft = None if problem else read_draft(fitted)
    if draft is not None and (draft.claims or draft.outcome == "not_found"):
        return draft, ""
    return None, f"{problem or 'answer has no claims'}. Call it as answer({tool.arguments})."
