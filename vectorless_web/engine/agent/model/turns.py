"""Reads a model's reply: its calls of tools in whatever form it gave them, and the answer among them."""

from collections.abc import Mapping, Sequence
from typing import Any

from vectorless_web.engine.agent.model.answer import AnswerDraft, read_draft
from vectorless_web.engine.agent.model.tools import TOOLS
from vectorless_web.engine.errors import ModelInvalidReply
from vectorless_web.engine.llm.replies import fit_to_schema, parse_object, problem_with

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
    beside = [row for row in rows if row["tool"] not in ("answer", "note", "calculate")]
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
