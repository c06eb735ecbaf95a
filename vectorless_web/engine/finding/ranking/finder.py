"""What one question finds in one document: ranked leaves and pages, and how much of the question a text says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.finding.ranking.ranker import RankedDocument, node_scores, rank_all
from vectorless_web.engine.finding.ranking.scorer import EvidenceScorer, PrecomputedScorer
from vectorless_web.engine.finding.ranking.signals import share_words
from vectorless_web.engine.questions.lexicon import Lexicon, default_lexicon
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse

AROUND, NEAR = 0.75, 0.35
"""What a word of the question counts, as a share, that only the headings around a text say, or only the rest of its
paragraph. By hand; they order no page and no passage."""
SHOWN = 40
"""Leaves ranked for one question, the best. Bounds the time of a step; prompts and passages take fewer."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A leaf found for the question. `fit` and `score` in [0, 1] are shares of the best of the document."""

    key: int
    fit: float
    score: float


class Finder:
    """Evidence for one question in one document. Each property is worked out when first read, then kept."""

    def __init__(self, document: CompiledDocument, plan: QueryPlan, *, lexicon: Lexicon | None = None) -> None:
        self.document = document
        self.plan = plan
        self.lexicon = lexicon or default_lexicon()

    @cached_property
    def _ranked(self) -> RankedDocument:
        return rank_all([self.document], self.plan, lexicon=self.lexicon)[0]

    @cached_property
    def scorer(self) -> EvidenceScorer:
        """The scores of nodes, relative to the best of the document; a section counts as its best node."""
        return PrecomputedScorer(self.document.tree, node_scores(self.document, self.plan, lexicon=self.lexicon))

    @cached_property
    def page_fits(self) -> Mapping[int, float]:
        """Scores of pages (by index) in [0, 1], relative to the best page of the document; those above 0."""
        return {page: score for page, score in enumerate(self._ranked.pages.tolist()) if score > 0}

    @cached_property
    def _shares(self) -> dict[str, float]:
        return share_words([self._ranked.profile], self.plan)

    def coverage(self, text: str, context: str = "", near: str = "") -> float:
        """Share in [0, 1] of the question's words, by rarity, that a text says; what stands around it counts less."""
        told = dict.fromkeys(analyse(near), NEAR) | dict.fromkeys(analyse(context), AROUND)
        told |= dict.fromkeys(analyse(text), 1.0)
        return sum(share * told.get(term, 0.0) for term, share in self._shares.items())

    def best_below(self, key: int) -> float:
        """The score of the best node in a subtree, relative to the best of the document."""
        return self.scorer.evidence(key).best_score

    @cached_property
    def ranked(self) -> tuple[Candidate, ...]:
        """The best leaves for the question, best first, ties in reading order."""
        scored = [(key, score) for key, score in self.fits(self.document.tree.leaves()).items() if score > 0]
        order = sorted(scored, key=lambda pair: (-pair[1], pair[0]))
        return tuple(Candidate(key, score, score) for key, score in order[:SHOWN])

    def fits(self, keys: Sequence[int]) -> dict[int, float]:
        """Scores of the given nodes, relative to the best of the document."""
        return dict(zip(keys, self.scorer.scores(keys), strict=True))
