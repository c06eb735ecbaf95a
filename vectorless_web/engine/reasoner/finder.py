"""What the words of a question find in one document: ranked leaves, and how much of the question a text holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from vectorless_web.engine.document.artefact import CompiledDocument
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.pilot.scorer import EvidenceScorer, PrecomputedScorer
from vectorless_web.engine.query.evidence import node_scores, rank_pages
from vectorless_web.engine.query.lexicon import Lexicon, default_lexicon
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.reasoner.aspects import Aspects, aspects_of, rarity_in
from vectorless_web.engine.reasoner.planner import Candidate
from vectorless_web.engine.text.analyser import analyse

SHOWN = 40
"""Leaves ranked for one question."""


class Finder:
    """Evidence of one question in one document, worked out once and kept."""

    def __init__(self, document: CompiledDocument, plan: QueryPlan, *, lexicon: Lexicon | None = None) -> None:
        self.document = document
        self.plan = plan
        self._lexicon = lexicon or default_lexicon()

    @cached_property
    def scorer(self) -> EvidenceScorer:
        """The evidence ranking as scores in [0, 1], relative to the best node; a section counts as its best node."""
        scores = node_scores(self.document, self.plan, lexicon=self._lexicon)
        best = float(scores.max(initial=0.0))
        return PrecomputedScorer(self.document.tree, scores / best if best > 0 else scores)

    @cached_property
    def page_fits(self) -> Mapping[int, float]:
        """Scores of pages (by index) in [0, 1], relative to the best page of the document."""
        pages = rank_pages(self.document, self.plan, lexicon=self._lexicon)
        best = max((page.score for page in pages), default=0.0)
        return {page.page_index: page.score / best for page in pages} if best > 0 else {}

    @cached_property
    def aspects(self) -> Aspects:
        """The question piece by piece, weighed by how rare its words are in this document."""
        return aspects_of(self.plan, self._lexicon, self._rarity)

    @cached_property
    def _rarity(self) -> Callable[[str], float]:
        segment = Segment(self.document.segment)
        return rarity_in(len(segment), segment.document_frequency)

    def coverage(self, text: str, context: str = "", near: str = "") -> float:
        """Share in [0, 1] of the question that a text says; what stands around and near it counts less."""
        return self.aspects.covered(text, context, near)

    def said_terms(self, text: str) -> float:
        """Weight of the question's own words that stand in a text."""
        inside = set(analyse(text))
        own = {t.term: t.weight for t in self.plan.terms if t.source == "question"}
        return sum(weight * self._rarity(term) for term, weight in own.items() if term in inside)

    def part_coverage(self, part: str, text: str, context: str = "") -> float:
        """Share in [0, 1] of one sub-question that a text says."""
        terms = set(analyse(part))
        plan = replace(self.plan, focus=part, periods=(), terms=tuple(t for t in self.plan.terms if t.term in terms))
        return aspects_of(plan, self._lexicon, self._rarity).covered(text, context)

    def node_coverage(self, key: int) -> float:
        """Share of the attainable weight that stands in a node and in the titles above it."""
        node = self.document.tree.node(key)
        return self.coverage(f"{node.title} {node.text}", " ".join(self.document.tree.path(key)))

    def best_below(self, key: int) -> float:
        """The score of the best node in a subtree, relative to the best of the document."""
        return self.scorer.evidence(key).best_score

    @cached_property
    def ranked(self) -> tuple[Candidate, ...]:
        """The best leaves for the question, best first, ties in reading order."""
        scored = [(key, score) for key, score in self.fits(self.document.tree.leaves()).items() if score > 0]
        order = sorted(scored, key=lambda pair: (-round(pair[1], 12), pair[0]))
        return tuple(Candidate(key, score, score) for key, score in order[:SHOWN])

    def fits(self, keys: Sequence[int]) -> dict[int, float]:
        """Scores of the given nodes, relative to the best of the document."""
        return dict(zip(keys, self.scorer.scores(keys), strict=True))
