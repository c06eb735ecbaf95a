"""What a model and its second reader are shown of documents: each case of shown.txt.

=== The sentence that the case shows
Harbour lease                        a document by its title, or REPORT, the annual report of Norrvik
# Notice                             a section, as deep as it has signs
Ninety days are given.               a paragraph
* in writing                         an item of a list
~ Harbour Board                      a running line
table Fees (in thousands) heads 2    a table: title, units, and how many rows are taken for headers
| Kind | 2019                        a row of it
---                                  what follows is another document
=>
leaf 1                               an act: a leaf as it is shown, or
excerpt 1 60: notice period          so many tokens of a leaf around these words, or
verify                               what the second reader gets of the claims above it, or
claim It is so. [D1.1.r1] 3 - 1      a claim of an answer, its ids and its calculation, or
find {"text": "crane"}               a tool and its arguments
  what it shows                      words that stand in it, in this order
  once: what it shows once
  ! what it does not
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import pytest

from tests.engine.agent.model.test_toolbox import told, toolbox
from tests.support.engine_documents import Part, Shelf, annual_report, compiled, paragraph, section, table
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.model.answer import ClaimMaker, DraftClaim
from vectorless_web.engine.agent.model.excerpts import stems_of, write_excerpt
from vectorless_web.engine.agent.model.verifier import Sources, write_prompt
from vectorless_web.engine.agent.state import RunState
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind

TABLE = re.compile(r"table(?: (?!heads)(.*?))?(?: \((.*)\))?(?: heads (\d))?")
CLAIM = re.compile(r"(.*?) \[(.*?)\](?: (.+))?")
EXCERPT = re.compile(r"(\d+) (\d+): (.*)")
QUESTION = "What is asked?"


def read_document(lines: Sequence[str]) -> CompiledDocument:
    """The document that lines of a case write."""
    if list(lines) == ["REPORT"]:
        return annual_report()
    open_parts: list[tuple[str, list[Part]]] = [(lines[0], [])]
    for sign, group in groupby(lines[1:], lambda line: line.split(" ")[0]):
        held = list(group)
        if set(sign) == {"#"}:
            for line in held:
                _close(open_parts, len(sign) - 1)
                open_parts.append((line.lstrip("# "), []))
        elif sign == "*":
            items = "\n".join(line[2:] for line in held)
            open_parts[-1][1].append(Part(NodeKind.LIST, "", items))
        elif sign == "table":
            begun = TABLE.fullmatch(held[0])
        elif sign == "|":
            rows = [[cell.strip() for cell in line[1:].split("|")] for line in held]
            more = {"units": begun[2] or "", "heads": int(begun[3] or 1)}
            open_parts[-1][1].append(table(begun[1] or "", rows[1:], columns=rows[0], **more))
        else:
            open_parts[-1][1].extend(map(_read_leaf, held))
    _close(open_parts, 1)
    return compiled(open_parts[0][0], *open_parts[0][1])


def _close(open_parts: list[tuple[str, list[Part]]], depth: int) -> None:
    while len(open_parts) > max(depth, 1):
        title, parts = open_parts.pop()
        open_parts[-1][1].append(section(title, *parts))


def _read_leaf(line: str) -> Part:
    return Part(NodeKind.RUNNING, "", line[2:]) if line.startswith("~ ") else paragraph(line)


@dataclass
class Reader:
    """Carries out the acts of a case over its documents, one after the other."""

    corpus: Shelf
    claims: list[DraftClaim] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tools = toolbox(self.corpus)

    def act(self, line: str) -> str:
        """What an act shows."""
        name, _, of = line.partition(" ")
        view = self.tools.library.documents[0]
        match name:
            case "leaf":
                return view.write_leaf(int(of))
            case "excerpt":
                key, tokens, words = EXCERPT.fullmatch(of).groups()
                found = write_excerpt(view, int(key), wanted=stems_of(words), tokens=int(tokens))
                return f"{found.head}\n{found.body}"
            case "claim":
                text, ids, calculation = CLAIM.fullmatch(of).groups(default="")
                self.claims.append(DraftClaim(text, tuple(ids.split()), calculation=calculation))
                return ""
            case "verify":
                return self.verify()
        return told(self.tools, name, **json.loads(of))

    def verify(self) -> str:
        """What the second reader is shown of the claims."""
        library = self.tools.library
        for document, held in self.corpus.documents.items():
            library.mark_shown(document, range(len(held.tree)))
        state = RunState(QUESTION, self.corpus, Limits())
        made = ClaimMaker(state, library, QUESTION).make_claims(self.claims)
        return write_prompt(QUESTION, made, Sources(library, self.corpus.card))


def cases() -> Iterator:
    """Documents and acts of each case."""
    text = Path(__file__).with_name("shown.txt").read_text()
    for written in re.split("^=== ", text, flags=re.MULTILINE)[1:]:
        name, body = written.split("\n", 1)
        documents, acts = body.rstrip().split("\n=>\n")
        yield pytest.param(documents.split("\n---\n"), acts.split("\n"), id=name)


@pytest.mark.parametrize(("documents", "acts"), list(cases()))
def test_a_model_is_shown(documents, acts):
    reader = Reader(Shelf({chr(97 + n): read_document(each.split("\n")) for n, each in enumerate(documents)}))
    shown = rest = ""
    for line in acts:
        if line.startswith("  ! "):
            assert line[4:] not in shown
        elif line.startswith("  once: "):
            assert shown.count(line[8:]) == 1
        elif line.startswith("  "):
            assert line[2:] in rest, shown
            rest = rest.partition(line[2:])[2]
        else:
            shown = rest = reader.act(line)
