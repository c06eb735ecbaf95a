"""The offline pilot: ranks sections by words, subtree evidence and the labels a question names, and says why."""

from collections.abc import Sequence
from dataclasses import replace

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation.pilot import (
    JumpTo,
    NodeId,
    Pilot,
    PilotConfig,
    PilotDecision,
    RankedCandidate,
    SearchState,
)
from vectorless_web.engine.finding.ranking.ranker import EvidenceScorer
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse, title_terms

SHARES = ((0.95, "all"), (0.6, "most"), (0.4, "about half"), (0.2, "some"), (0.05, "few"), (0.0, "hardly any"))
"""How a share of words is put in a reason: the least share for which each wording is used."""
_TITLE_SHARE = 0.35
"""How far a title that bears all words of the question closes the gap to certainty. A title is short, so its words may
be there for another reason. Measured: 0.175 and 0.7 change no gold section."""
_LABEL_SHARE = 0.95
"""The same for a section that the question calls by its label: nearly certain."""


class LexicalPilot(Pilot):
    """A pilot without a model: deterministic, without cost or network.

    A candidate's score joins three independent pieces of evidence, s = 1 - (1 - e)(1 - t)(1 - r): the scorer's
    evidence e of its subtree, the share t of the question's words in its title, and r when the question calls it by
    its label. Without a scorer only titles and labels speak.
    """

    name = "lexical"

    def __init__(self, scorer: EvidenceScorer | None = None, *, config: PilotConfig | None = None) -> None:
        self.config = config or PilotConfig()
        self._scorer = scorer

    def should_intervene(self, state: SearchState) -> bool:
        """Wherever there is something to choose: its advice costs nothing."""
        return self.is_active and bool(state.candidates)

    def decide(self, state: SearchState) -> PilotDecision:
        """Rank the candidates, best first, ties in reading order."""
        ranked = self._rank(state.tree, state.query, [key for key in state.candidates if key in state.tree])
        return PilotDecision(
            ranked_candidates=ranked,
            confidence=_confidence([candidate.score for candidate in ranked]),
            reasoning=_summary(state.tree, ranked),
            intervention_point=state.point,
        )

    def guide_start(self, tree: Tree, query: QueryPlan, start_node: NodeId) -> PilotDecision | None:
        """Rank the children of the start node; jump when the question calls one section below it by its label."""
        if not self.is_active:
            return None
        decision = self.decide(SearchState.below(tree, query, start_node))
        named = _named_node(tree, query, start_node)
        if named is None:
            return decision
        return replace(
            decision, direction=JumpTo(named), reasoning=f"The question names {tree.node(named).label.strip()}"
        )

    def guide_backtrack(self, state: SearchState) -> PilotDecision | None:
        """Rank the other branches and say what the failed one lacked."""
        if not self.is_active or not state.candidates:
            return None
        return replace(self.decide(state), reasoning=self._failure(state))

    def binary_prune(self, state: SearchState) -> list[NodeId] | None:
        """Keep the candidates with any evidence at all; no opinion when that is none or all of them."""
        if not self.is_active:
            return None
        scored = {c.node: c.score for c in self._rank(state.tree, state.query, state.candidates)}
        kept = [key for key in state.candidates if scored[key] > 0.0]
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

    def _failure(self, state: SearchState) -> str:
        here = state.current_node
        if here is None or here not in state.tree:
            return "the way so far led nowhere"
        title = state.tree.node(here).title or "this section"
        share = self.coverage(here)
        return (
            f"looking beyond {title}" if share is None else f"{title} holds {say_share(share)} of the question's words"
        )

    def _rank(self, tree: Tree, query: QueryPlan, keys: Sequence[NodeId]) -> tuple[RankedCandidate, ...]:
        wanted = {term.term: term.weight for term in query.terms}
        asked = [token.term for token in query.tokens if token.term]
        evidence = self._scorer.scores(keys) if self._scorer is not None else [0.0] * len(keys)
        found = []
        for key, share in zip(keys, evidence, strict=True):
            titled, title_share = _match_title(tree.node(key).title, wanted)
            is_named = names_label(tree, key, asked)
            score = 1.0 - (1.0 - share) * (1.0 - _TITLE_SHARE * title_share) * (1.0 - _LABEL_SHARE * is_named)
            found.append(RankedCandidate(key, score, self._reason(tree, key, titled=titled, is_named=is_named)))
        return tuple(sorted(found, key=lambda candidate: (-candidate.score, candidate.node)))

    def _reason(self, tree: Tree, key: NodeId, *, titled: Sequence[str], is_named: bool) -> str:
        if is_named:
            return "the question calls it by its number"
        parts = [f"its title speaks of {', '.join(titled[:3])}"] if titled else []
        found = self._scorer.evidence(key) if self._scorer is not None else None
        if found is not None and found.best_score > 0.0:
            page = tree.node(found.best).page_start + 1
            share = say_share(found.coverage)
            parts.append(f"it holds {share} of the question's words, its best passage is on page {page}")
        return "; ".join(parts) or "nothing in it speaks of the question"


def names_label(tree: Tree, key: NodeId, asked: Sequence[str]) -> bool:
    """Whether the analysed words of a question contain the label of a node ("Note 7", "Item 1A", "3.2") as it stands.

    A node without a label is known by the first two words of its title when the second one has a digit. A bare
    number or word is no label: it may be anything.
    """
    node = tree.node(key)
    label = list(title_terms(node.label))
    if not label:
        label = list(title_terms(node.title))[:2]
        if len(label) < 2 or not any(character.isdigit() for character in label[1]):
            return False
    if len(label) < 2 and not (label and "." in label[0]):
        return False
    return any(list(asked[at : at + len(label)]) == label for at in range(len(asked) - len(label) + 1))


def _named_node(tree: Tree, query: QueryPlan, start: NodeId) -> NodeId | None:
    """The one section below `start` whose label the question names; None when none or several fit."""
    asked = [token.term for token in query.tokens if token.term]
    below = (key for key in range(start + 1, tree.subtree_end(start)) if tree.kind(key) is NodeKind.SECTION)
    found = [key for key in below if tree.node(key).label and names_label(tree, key, asked)]
    return found[0] if len(found) == 1 else None


def _match_title(title: str, wanted: dict[str, float]) -> tuple[list[str], float]:
    """Words of the title that the question has, as written, and their share of the question's weight."""
    total = sum(wanted.values())
    shared = {term: word for word in title.split() for term in analyse(word) if term in wanted}
    return list(dict.fromkeys(shared.values())), sum(wanted[term] for term in shared) / total if total else 0.0


def say_share(share: float) -> str:
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
