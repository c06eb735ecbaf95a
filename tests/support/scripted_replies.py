"""Written cases of a model's replies over small documents, read from a file and checked by the grounder.

A case is a line of JSON: `name`, `form`, `title` of the document, `blocks`, `question` and
`reply`. Blocks are paragraphs (text), {"section": heading} and {"table": rows, the headers
first, "caption", "units"}; block number n, counted from 1, is node n.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.engine_documents import Part, compiled, paragraph, section, table
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.model.planner import ModelPlanner
from vectorless_web.engine.answers.claims import ClaimEvent, DraftClaim, SynthesisContext
from vectorless_web.engine.answers.grounding import Grounder
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.questions.understand import understand

CASES = Path(__file__).parents[1] / "engine" / "answers" / "cases"
DOCUMENT = "a"


@dataclass(frozen=True)
class ReplyCase:
    """One written reply; `name` says its form and document."""

    name: str
    form: str
    title: str
    blocks: tuple[Any, ...]
    question: str
    reply: dict[str, Any]

    def document(self) -> CompiledDocument:
        """The document of the case, compiled."""
        return compiled(self.title, *_parts(self.blocks))

    def drafts(self) -> tuple[DraftClaim, ...]:
        """The claims as the planner reads them from the reply."""
        planner = ModelPlanner(Caller(ScriptedModel([self.reply]), budget=ModelBudget(calls=2, tokens=60_000)))
        context = SynthesisContext(understand(self.question), (), (), {DOCUMENT: self.title}, tokens=6000)
        return planner.synthesise(context, ()).claims

    def grounder(self) -> Grounder:
        """A grounder to which every passage of the document was shown."""
        document = self.document()
        read = [(DOCUMENT, key) for key in document.tree.leaves()]
        return Grounder(documents={DOCUMENT: document}, periods=(self.question, self.title), read=read)

    def check(self) -> list[ClaimEvent]:
        """Every claim of the reply, checked."""
        grounder = self.grounder()
        return [grounder.check(order, claim) for order, claim in enumerate(self.drafts(), 1)]


def reply_cases(name: str) -> list[ReplyCase]:
    """The cases of a file in tests/engine/answers/cases, in order."""
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [ReplyCase(**{**row, "blocks": tuple(row["blocks"])}) for row in rows]


def _parts(blocks: tuple[Any, ...]) -> list[Part]:
    """The blocks as parts; what follows a heading stands below it."""
    parts: list[Part] = []
    for place, block in enumerate(blocks):
        if isinstance(block, dict) and "section" in block:
            rest = _parts(blocks[place + 1 :])
            return [*parts, section(block["section"], *rest)]
        parts.append(_part(block))
    return parts


def _part(block: Any) -> Part:
    if isinstance(block, str):
        return paragraph(block)
    columns, *rows = block["table"]
    return table(block.get("caption", ""), rows, columns=columns, units=block.get("units", ""))
