"""Small trees and scorers for the search tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.support.engine_documents import Part, number_parts, paragraph, section
from vectorless_web.engine.documents.node import Reference
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.ranking.ranker import TreeScorer
from vectorless_web.engine.index.scoring import CEILING
from vectorless_web.engine.index.segment import Segment, build_segment
from vectorless_web.engine.questions.plan import QueryPlan, Token, WeightedTerm
from vectorless_web.engine.text.analyser import analyse, word_terms, words

Outline = Sequence[Any]
"""Children: ("Title", [children]) or (("Note 7", "Title"), [children]) is a section, a string is a paragraph."""


def tree_of(outline: Outline, references: Sequence[tuple[int, int]] = ()) -> Tree:
    """A tree with a document root over the outline, a node a page; `references` are (source leaf, target) keys."""
    nodes = number_parts("Report", [*map(_part_of, outline)])
    placed = [replace(node, page_start=node.key, page_end=node.subtree_end - 1) for node in nodes]
    return Tree(placed, [Reference(source, 0, 4, target) for source, target in references])


def _part_of(entry: Any) -> Part:
    if isinstance(entry, str):
        return paragraph(entry)
    title, children = entry
    label, title = title if isinstance(title, tuple) else ("", title)
    return section(title, *map(_part_of, children), label=label)


def plan(question: str = "What were the capital expenditures?") -> QueryPlan:
    """A plan whose terms are the question's analysed words."""
    return QueryPlan(question, tuple(WeightedTerm(term) for term in analyse(question)), tokens=tokens_of(question))


def tokens_of(question: str, concepts: Sequence[str] = ()) -> tuple[Token, ...]:
    """The words of a question; those of `concepts` are marked as the lexicon's."""
    known = {word for concept in concepts for word in concept.lower().split()}
    return tuple(
        Token(word.text, term, word.start, "lexicon" if word.text.lower() in known else "content")
        for word in words(question)
        for term in word_terms(word.text) or ("",)
    )


@dataclass
class FixedScorer:
    """Scores by a table; what is not in it scores `otherwise`."""

    table: Mapping[int, float]
    otherwise: float = 0.1

    def scores(self, keys: Sequence[int]) -> list[float]:
        return [self.table.get(key, self.otherwise) for key in keys]


def index_of(tree: Tree) -> Segment:
    """A real index over the tree's titles, paths and texts."""
    nodes = [tree.node(key) for key in range(len(tree))]
    rows = (
        (node.key, {"title": node.title, "path": " ".join(tree.path(node.key)), "text": node.text * node.is_leaf})
        for node in nodes
    )
    return Segment(build_segment(rows, fields=("title", "path", "text", "table")))


class SegmentScorer(TreeScorer):
    """Scores by words alone, as a share of what the question could attain; the words that a subtree lacks lower it."""

    def __init__(self, tree: Tree, segment: Segment, query: QueryPlan) -> None:
        scores = np.zeros(len(tree))
        weights = {"title": 2.0, "path": 0.5, "text": 1.0, "table": 1.0}
        statistics = segment.statistics(term.term for term in query.terms)
        terms = [term for term in query.terms if statistics.idf(term.term) > 0.0]
        attainable = CEILING * sum(term.weight * statistics.idf(term.term) for term in terms)
        scores[segment.keys] = segment.scores(query.terms, weights) / max(attainable, 1e-9)
        found = [np.isin(np.arange(len(tree)), segment.keys[segment.postings(term.term).rows]) for term in terms]
        super().__init__(tree, scores, weights=[t.weight * statistics.idf(t.term) for t in terms], found=found)

    def scores(self, keys: Sequence[int]) -> list[float]:
        found = map(self.evidence, keys)
        return [one.best_score * (1.0 - 0.3 * (1.0 - one.coverage)) for one in found]
