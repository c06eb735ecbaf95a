"""The offline pilot: ranks sections by words, subtree evidence and numbered references, and says why."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation.pilots.config import PilotConfig
from vectorless_web.engine.finding.navigation.pilots.pilot import (
    GoDeeper,
    JumpTo,
    NodeId,
    PilotDecision,
    RankedCandidate,
    SearchState,
)
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.scorer import EvidenceScorer
from vectorless_web.engine.text.analyser import analyse

_REFERENCE = re.compile(
    r"\b(notes?|items?|tables?|sections?|articles?|chapters?|parts?|schedules?|exhibits?|figures?|appendix|annex)"
    r"\s+([0-9]+[a-z]?(?:\.[0-9]+)*|[ivxlc]+|[a-z])\b",
    re.IGNORECASE,
)
SHARES = ((0.95, "all"), (0.6, "most"), (0.4, "about half"), (0.2, "some"), (0.05, "few"), (0.0, "hardly any"))
"""How a share of words is worded: the least share for which each wording is used. Affects reasons only, no order."""
_TITLE_SHARE = 0.35
"""How far a title that bears all words of the question closes the gap to certainty. A title is short, so its words may
be there for another reason. Measured: 0.175 and 0.7 change 4 and 8 searches and no gold section; with the model 0.7
gains one at 1."""
_REFERENCE_SHARE = 0.95
"""The same for a section that the question names by its number or label: nearly certain. Measured: 0.475 and 1.0 change
nothing, since none of the 65 questions names one."""


@dataclass(frozen=True, slots=True)
class _Opinion:
    score: float
    reason: str


class LexicalPilot:
    """A pilot without a model: deterministic, without cost or network.

    A candidate's score joins three independent pieces of evidence, s = 1 - (1 - e)(1 - t)(1 - r):
    the scorer's evidence e of its subtree, the share t of the question's words in its
    title, and r when the question calls it by its number. Without a scorer only titles
    and numbers speak.
    """

    name = "lexical"

    def __init__(self, scorer: EvidenceScorer | None = None, *, config: PilotConfig | None = None) -> None:
        self.config = config or PilotConfig()
        self._scorer = scorer

    @property
    def is_active(self) -> bool:
        """Always, unless its mode asks no pilot."""
        return self.config.asks

    def should_intervene(self, state: SearchState) -> bool:
        """Wherever there is something to choose: its advice costs nothing."""
        return self.is_active and bool(state.candidates)

    def decide(self, state: SearchState) -> PilotDecision:
        """Rank the candidates, best first, ties in reading order."""
        candidates = [key for key in state.candidates if key in state.tree]
        opinions = self._opinions(state.tree, state.query, candidates)
        order = sorted(opinions, key=lambda key: (-opinions[key].score, key))
        ranked = tuple(RankedCandidate(key, opinions[key].score, opinions[key].reason) for key in order)
        return PilotDecision(
            ranked_candidates=ranked,
            direction=GoDeeper(),
            confidence=_confidence([candidate.score for candidate in ranked]),
            reasoning=_summary(state.tree, ranked),
            intervention_point=state.point,
        )

    def guide_start(self, tree: Tree, query: QueryPlan, start_node: NodeId) -> PilotDecision | None:
        """Rank the children of the start node; jump when the question calls one section below it by number."""
        if not self.is_active:
            return None
        decision = self.decide(SearchState.for_start(tree, query, start_node))
        named = _named_node(tree, query.question, start_node)
        if named is None:
            return decision
        return _make_jump(decision, tree, named)

    def guide_backtrack(self, state: SearchState) -> PilotDecision | None:
        """Rank the other branches and say what the failed one lacked."""
        if not self.is_active or not state.candidates:
            return None
        decision = self.decide(state)
        return PilotDecision(
            ranked_candidates=decision.ranked_candidates,
            confidence=decision.confidence,
            reasoning=self._failure(state),
            intervention_point=state.point,
        )

    def binary_prune(self, state: SearchState) -> list[NodeId] | None:
        """Keep the candidates with any evidence at all; no opinion when that is none or all of them."""
        if not self.is_active:
            return None
        opinions = self._opinions(state.tree, state.query, state.candidates)
        kept = [key for key in state.candidates if opinions[key].score > 0.0]
        return kept if 0 < len(kept) < len(state.candidates) else None

    def coverage(self, key: NodeId) -> float | None:
        """The share of the question's words that stand in the node's subtree; None without a scorer."""
        return self._scorer.evidence(key).coverage if self._scorer is not None else None

    def measure_standing(self, key: NodeId) -> float | None:
        """Best score in the node's subtree as a share of the document's best, in [0, 1]; None without a scorer."""
        if self._scorer is None:
            return None
        best = self._scorer.evidence(0).best_score
        return self._scorer.evidence(key).best_score / best if best > 0.0 else 0.0

    def most_promising(self, keys: Sequence[NodeId]) -> list[NodeId]:
        """The keys by the scorer's scores, best first; as given without a scorer."""
        if self._scorer is None:
            return list(keys)
        scores = dict(zip(keys, self._scorer.scores(keys), strict=True))
        return sorted(keys, key=lambda key: -scores[key])

    def reset(self) -> None:
        """Nothing is remembered between queries."""

    def _failure(self, state: SearchState) -> str:
        here = state.current_node
        if here is None or here not in state.tree:
            return ""
        title = state.tree.node(here).title or "this section"
        share = self.coverage(here)
        if share is None:
            return f"looking beyond {title}"
        return f"{title} holds {share_words(share)} of the question's words"

    def _opinions(self, tree: Tree, query: QueryPlan, keys: Sequence[NodeId]) -> dict[NodeId, _Opinion]:
        wanted = {term.term: term.weight for term in query.terms}
        named = references_in(query.question)
        evidence = self._scorer.scores(keys) if self._scorer is not None else [0.0] * len(keys)
        return {
            key: self._opinion(tree, key, wanted=wanted, named=named, evidence=share)
            for key, share in zip(keys, evidence, strict=True)
        }

    def _opinion(
        self, tree: Tree, key: NodeId, *, wanted: dict[str, float], named: frozenset[str], evidence: float
    ) -> _Opinion:
        node = tree.node(key)
        shared, share = _title_match(node.title, wanted)
        is_named = bool(named) and bool(named & references_in(f"{node.label} {node.title}"))
        score = 1.0 - (1.0 - evidence) * (1.0 - _TITLE_SHARE * share) * (1.0 - _REFERENCE_SHARE * is_named)
        return _Opinion(score, self._reason(tree, key, shared=shared, is_named=is_named))

    def _reason(self, tree: Tree, key: NodeId, *, shared: Sequence[str], is_named: bool) -> str:
        if is_named:
            return "the question calls it by its number"
        parts = [f"its title speaks of {', '.join(shared[:3])}"] if shared else []
        if self._scorer is not None:
            parts.append(_evidence_words(tree, self._scorer, key))
        return "; ".join(part for part in parts if part) or "nothing in it speaks of the question"


def references_in(text: str) -> frozenset[str]:
    """Numbered references in a text ("Note 7", "Item 1A", "Table 3") in one form: singular, lower case."""
    found = set()
    for match in _REFERENCE.finditer(text):
        word = match[1].lower()
        number = match[2].lower()
        if number.isalpha() and match[2].islower():
            continue  # "note that", "part of": a lower-case letter after the word is prose
        found.add(f"{word if word == 'annex' else word.rstrip('s')} {number}")
    return frozenset(found)


def _named_node(tree: Tree, question: str, start: NodeId) -> NodeId | None:
    """The one section below `start` whose label the question names; None when none or several fit."""
    named = references_in(question)
    if not named:
        return None
    below = [key for key in range(start + 1, tree.subtree_end(start)) if tree.kind(key) is NodeKind.SECTION]
    found = [key for key in below if named & references_in(tree.node(key).label)]
    return found[0] if len(found) == 1 else None


def _make_jump(decision: PilotDecision, tree: Tree, target: NodeId) -> PilotDecision:
    return PilotDecision(
        ranked_candidates=decision.ranked_candidates,
        direction=JumpTo(target),
        confidence=decision.confidence,
        reasoning=f"The question names {tree.node(target).label}",
        intervention_point=decision.intervention_point,
    )


def _title_match(title: str, wanted: dict[str, float]) -> tuple[list[str], float]:
    total = sum(wanted.values())
    if not total:
        return [], 0.0
    shared = {term: word for word in title.split() for term in analyse(word) if term in wanted}
    return list(dict.fromkeys(shared.values())), sum(wanted[term] for term in shared) / total


def _evidence_words(tree: Tree, scorer: EvidenceScorer, key: NodeId) -> str:
    found = scorer.evidence(key)
    if found.best_score <= 0.0:
        return ""
    page = tree.node(found.best).page_start + 1
    return f"it holds {share_words(found.coverage)} of the question's words, its best passage is on page {page}"


def share_words(share: float) -> str:
    """The wording of a share in [0, 1], as in "most of the question's words"."""
    return next(words for least, words in SHARES if share >= least)


def _confidence(scores: Sequence[float]) -> float:
    """How far the best stands out: 0.5 for a tie, towards 1 as the second falls away; 0 without evidence."""
    if not scores or scores[0] <= 0.0:
        return 0.0
    second = scores[1] if len(scores) > 1 else 0.0
    return 0.5 + 0.5 * (scores[0] - second) / scores[0]


def _summary(tree: Tree, ranked: Sequence[RankedCandidate]) -> str:
    if not ranked or ranked[0].score <= 0.0:
        return "No section speaks of the question"
    best = ranked[0]
    return f"{tree.node(best.node).title or 'An untitled section'} looks most promising: {best.reason}"
