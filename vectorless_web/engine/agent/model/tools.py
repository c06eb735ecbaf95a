"""The tools of a model: what each is called with, as the prompt and as a server of native functions are told."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vectorless_web.engine.agent.events import StepKind


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its arguments as the prompt names them, what it does, their JSON schema, and the kind of its step."""

    name: str
    arguments: str
    does: str
    parameters: Mapping[str, Any]
    kind: StepKind

    def as_function(self) -> dict[str, Any]:
        """The tool as a native function of a model's server."""
        return {"name": self.name, "description": self.does, "parameters": dict(self.parameters)}


def _shape(required: Sequence[str] = (), **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_TEXT: Mapping[str, Any] = {"type": "string"}
_WHOLE: Mapping[str, Any] = {"type": "integer"}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_CLAIM = _shape(
    ["text", "cites"],
    text={"type": "string", "minLength": 1},
    cites={"type": "array", "items": _TEXT, "maxItems": 40},
    phrase=_TEXT,
    calculation=_TEXT,
    absent=_shape(["documents", "terms"], documents={**_TEXTS, "minItems": 1}, terms={**_TEXTS, "minItems": 1}),
    insists=_TEXT,
)

TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "search",
            "queries[1..5], documents?",
            "passages that hold these words or their meaning: new hits only, as snippets with ids",
            _shape(["queries"], queries={**_TEXTS, "minItems": 1, "maxItems": 5}, documents=_TEXTS),
            StepKind.RETRIEVE,
        ),
        Tool(
            "outline",
            "document, node?, depth?",
            "titles of sections with pages and tokens",
            _shape(["document"], document=_TEXT, node=_TEXT, depth=_WHOLE),
            StepKind.SCAN,
        ),
        Tool(
            "navigate",
            "document, goal, from?",
            "a guided search down the sections for the goal",
            _shape(["document", "goal"], document=_TEXT, goal=_TEXT, **{"from": _TEXT}),
            StepKind.NAVIGATE,
        ),
        Tool(
            "read",
            'node | document and pages ("12-14"), from?',
            "the text of a section, table or pages in its order; a cut says where to go on",
            _shape([], node=_TEXT, document=_TEXT, pages=_TEXT, **{"from": _TEXT}),
            StepKind.EXTRACT,
        ),
        Tool(
            "find",
            "document, text",
            "every place where this text stands literally (* is anything)",
            _shape(["document", "text"], document=_TEXT, text={"type": "string", "minLength": 1}),
            StepKind.RETRIEVE,
        ),
        Tool(
            "table",
            "node, rows?, columns?, where?, sort?, aggregate?",
            'rows and columns of a table, filtered ("2019 > 500"), sorted ("2019 desc"), or the exact sum, count, '
            'mean, least or most of a column ("sum 2019")',
            _shape(["node"], node=_TEXT, rows=_TEXTS, columns=_TEXTS, where=_TEXT, sort=_TEXT, aggregate=_TEXT),
            StepKind.EXTRACT,
        ),
        Tool(
            "changes",
            "from, to, part?",
            "what differs between two versions of a document, with the words of both",
            _shape(["from", "to"], part=_TEXT, to=_TEXT, **{"from": _TEXT}),
            StepKind.EXTRACT,
        ),
        Tool(
            "calculate",
            "expression",
            "an expression over ids of cells and numbers, worked out exactly",
            _shape(["expression"], expression={"type": "string", "minLength": 1}),
            StepKind.EXTRACT,
        ),
        Tool(
            "note",
            "text",
            "keeps what is known and what is missing",
            _shape(["text"], text={"type": "string", "minLength": 1}),
            StepKind.SYNTHESIZE,
        ),
        Tool(
            "page_image",
            "document, page",
            "the page as a picture: charts, scans, forms; cite it as D1.p7",
            _shape(["document", "page"], document=_TEXT, page=_WHOLE),
            StepKind.EXTRACT,
        ),
        Tool(
            "route",
            "query",
            "opens other documents of the workspace that fit the query",
            _shape(["query"], query={"type": "string", "minLength": 1}),
            StepKind.ROUTE,
        ),
        Tool(
            "for_each",
            "question, documents",
            "asks each of these documents (at most 40) the same question; one checked row for each",
            _shape(["question"], question={"type": "string", "minLength": 1}, documents=_TEXTS),
            StepKind.SYNTHESIZE,
        ),
        Tool(
            "answer",
            "outcome, claims[{text, cites[], phrase?, calculation?, absent{documents[], terms[]}?, insists?}], value?, "
            "missing[]?",
            "ends: answered, partial or not_found",
            _shape(
                ["outcome", "claims"],
                outcome={"type": "string", "enum": ["answered", "partial", "not_found"]},
                claims={"type": "array", "items": _CLAIM, "maxItems": 40},
                value=_TEXT,
                missing=_TEXTS,
            ),
            StepKind.FINALIZE,
        ),
    )
}


def list_tools(*, documents: int, more_documents: bool, pictures: bool) -> list[Tool]:
    """The tools that make sense in a run: those that need several documents or pictures only where there are any."""
    left_out = set[str]()
    left_out |= set() if more_documents else {"route"}
    left_out |= set() if pictures else {"page_image"}
    left_out |= set() if documents > 1 else {"for_each", "changes"}
    return [tool for tool in TOOLS.values() if tool.name not in left_out]


def write_tools(tools: Iterable[Tool]) -> list[str]:
    """A line for each tool, as the rules list them: "search(queries, documents?): ..."."""
    return [f"{tool.name}({tool.arguments}): {tool.does}" for tool in tools]
