"""Stand-ins for what other branches bring; deleted when they are merged."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.passages.evidence import Passage
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.finder import Finder


def find_passages(
    plan: QueryPlan, documents: Mapping[str, CompiledDocument], *, lexicon: Any, most: int = 10, nearness: Any = None
) -> tuple[Passage, ...]:
    """Leaves as ranked, whole."""
    found = []
    for name, document in documents.items():
        for candidate in Finder(document, plan, lexicon=lexicon).ranked[:most]:
            node = document.tree.node(candidate.key)
            found.append(
                Passage(
                    name,
                    node.key,
                    node.page_start,
                    node.kind,
                    tuple(document.tree.path(node.key)),
                    node.text,
                    0,
                    len(node.text),
                    0,
                    len(node.text),
                    candidate.score,
                )
            )
    return tuple(sorted(found, key=lambda passage: -passage.score)[:most])


def unknown_words(plan: QueryPlan, documents: Mapping[str, CompiledDocument]) -> tuple[str, ...]:
    """None."""
    return ()


@dataclass(frozen=True)
class WorkedFigure:
    """A worked figure."""

    maker: str
    sentence: str
    value: str
    quotes: tuple[Any, ...] = ()
    calculation: Any = None


def find_worked_figure(plan: QueryPlan, sources: Any, lexicon: Any) -> WorkedFigure | None:
    """None."""
    return None


@dataclass(frozen=True)
class TableSource:
    """Tables."""

    document: str
    tables: tuple[Any, ...]
    ranks: Any
