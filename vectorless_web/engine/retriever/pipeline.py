"""The pipeline: lanes, fusion, communities, graph, reranking, packing, in that order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from vectorless_web.engine.retriever.community import apply_community_filter
from vectorless_web.engine.retriever.corpus import CorpusNode, RetrievalCorpus
from vectorless_web.engine.retriever.failures import RetrievalEmpty
from vectorless_web.engine.retriever.graph import GraphExpand, GraphExpandMode, expand_by_decay, expand_by_pagerank
from vectorless_web.engine.retriever.lanes import fuse, has_lexical_lane, node_gate, run_lanes
from vectorless_web.engine.retriever.packing import Dropped, DropReason, Packer
from vectorless_web.engine.retriever.pagerank import MAX_NODES
from vectorless_web.engine.retriever.query import LANE_ORDER, Lane, RetrievalQuery, RetrievalResult, RetrievedItem
from vectorless_web.engine.retriever.ranking import Scored, ranked
from vectorless_web.engine.retriever.render import render_node
from vectorless_web.engine.retriever.reranking import rerank
from vectorless_web.engine.retriever.warnings import (
    Circumstances,
    RetrievalWarning,
    WarningCode,
    cap_warnings,
    distinct,
)
from vectorless_web.engine.text.tokens import TokenEstimator

FILTER_ONLY_SCORE = 1.0


def execute(corpus: RetrievalCorpus, query: RetrievalQuery, estimator: TokenEstimator) -> RetrievalResult:
    """Run the query. Raises RetrievalEmpty when it asks for nothing, VectorDimensionMismatch for a wrong vector."""
    if not _asks_for_something(corpus, query):
        raise RetrievalEmpty
    run = _Run(corpus, query, estimator)
    candidates = run.admitted(run.joined(run.found()))
    candidates = run.reranked(run.expanded(candidates))
    return run.packed(candidates)


def _asks_for_something(corpus: RetrievalCorpus, query: RetrievalQuery) -> bool:
    given = (query.label, query.vector, query.sparse, query.structure)
    return bool(query.where) or any(part is not None for part in given) or has_lexical_lane(corpus, query)


@dataclass
class _Run:
    """One execution: the stages as methods over (id, score) lists, and what they record on the way."""

    corpus: RetrievalCorpus
    query: RetrievalQuery
    estimator: TokenEstimator
    lane_scores: dict[str, dict[Lane, float]] = field(default_factory=dict)
    warnings: list[RetrievalWarning] = field(default_factory=list)

    def found(self) -> list[Scored]:
        """Candidates of all lanes, fused; with filters only, every node that passes them."""
        lanes = run_lanes(self.corpus, self.query)
        for found in lanes:
            for name, score in found.hits:
                self.lane_scores.setdefault(name, {})[found.lane] = score
            self._warn(WarningCode.LANE_EMPTY, not found.hits)
            self._warn(WarningCode.NON_FINITE_SCORE, found.non_finite > 0)
        return fuse(lanes, self.query) if lanes else self._filtered()

    def _filtered(self) -> list[Scored]:
        gate = node_gate(self.corpus, self.query.gate)
        return [(name, FILTER_ONLY_SCORE) for name in self.corpus.ids() if gate is None or gate(name)]

    def joined(self, candidates: list[Scored]) -> list[Scored]:
        """The candidates with the members of the first ones' communities after them, who obey the gates too."""
        lookup = self.query.communities
        if self.query.community.is_identity:
            return candidates
        self._warn(WarningCode.COMMUNITY_FILTER_NOOP, lookup is None or lookup.is_empty())
        if lookup is None:
            return candidates
        gate = node_gate(self.corpus, self.query.gate)
        everyone = apply_community_filter(candidates, lookup, self.query.community)
        members = everyone[len(candidates) :]
        return candidates + [(name, score) for name, score in members if gate is None or gate(name)]

    def admitted(self, candidates: Sequence[Scored]) -> list[Scored]:
        """Each known candidate once, without tombstones and the system anchor."""
        first = dict[str, float]()
        for name, score in candidates:
            first.setdefault(name, score)
        return [(name, score) for name, score in first.items() if self._is_visible(name)]

    def _is_visible(self, name: str) -> bool:
        if not self.query.include_system and name == self.corpus.anchor:
            return False
        if not self.query.include_tombstoned and self.corpus.is_tombstoned(name):
            return False
        return self.corpus.node(name) is not None

    def expanded(self, candidates: list[Scored]) -> list[Scored]:
        """Candidates and their neighbours, best first; unchanged without graph expansion."""
        config = self.query.graph
        if config is None:
            return candidates
        added = self._neighbours(candidates, config)
        for name, score in added:
            self.lane_scores.setdefault(name, {})[Lane.GRAPH] = score
        return ranked([*candidates, *added])

    def _neighbours(self, seeds: list[Scored], config: GraphExpand) -> list[Scored]:
        by_rank = config.mode is GraphExpandMode.PPR
        # The walk with decay asks for neighbours alone: one edge is enough to know that there are any.
        edges = list(self.corpus.edges()) if by_rank else list(islice(self.corpus.edges(), 1))
        walked = [*edges, *config.knn_edges]
        nodes = len({end for edge in walked for end in edge[:2]}) if by_rank else 0
        self.warnings += Circumstances(
            ppr=by_rank,
            ppr_opt_in=config.opt_in,
            graph_expand=True,
            authored_edges=len(edges),
            vectors=len(config.knn_edges),
            ppr_nodes=nodes,
        ).warnings()
        if by_rank and (nodes <= MAX_NODES or config.opt_in):
            return expand_by_pagerank(seeds, walked, config, admits=self._admits_neighbour)
        return expand_by_decay(seeds, self.corpus.neighbours, config, admits=self._admits_neighbour)

    def _admits_neighbour(self, name: str) -> bool:
        node = self.corpus.node(name)
        return node is not None and self._is_visible(name) and self.query.gate.admits_neighbour(node)

    def reranked(self, candidates: list[Scored]) -> list[Scored]:
        """The first candidates in the reranker's order; unchanged when there is none or it fails."""
        query, reranker = self.query, self.query.reranker
        if reranker is None or query.text is None:
            self._warn(WarningCode.NO_RERANKER, query.rerank or reranker is not None)
            return candidates
        head = candidates[: max(query.rerank_top_k, 0)]
        texts = [render_node(self._node(name), cap=query.summary_cap) for name, _ in head]
        outcome = rerank(candidates, texts, query=query.text, reranker=reranker, top_k=query.rerank_top_k)
        self._warn(WarningCode.NO_RERANKER, outcome.failed)
        for name, score in outcome.scores.items():
            self.lane_scores.setdefault(name, {})[Lane.RERANK] = score
        return outcome.candidates

    def packed(self, candidates: Sequence[Scored]) -> RetrievalResult:
        """The items that fit, and the account of everything else."""
        packer = Packer(token_budget=self.query.token_budget, limit=self.query.limit)
        left_out: list[Dropped] = []
        items = tuple(self._taken(candidates, packer, left_out))
        floored = sum(entry.reason is DropReason.CONFIDENCE for entry in left_out)
        self._warn(WarningCode.BELOW_CONFIDENCE_FLOOR, 0 < floored == len(candidates))
        return RetrievalResult(
            items=items,
            tokens_used=packer.tokens_used,
            tokens_budget=self.query.token_budget,
            dropped=len(left_out),
            candidates_seen=len(candidates),
            warnings=tuple(cap_warnings(distinct(self.warnings))),
            fingerprint=self.query.fingerprint(self.corpus.version, type(self.estimator).__qualname__),
            left_out=tuple(left_out),
        )

    def _taken(self, candidates: Sequence[Scored], packer: Packer, left_out: list[Dropped]) -> Iterator[RetrievedItem]:
        floor = self.query.min_confidence
        for name, score in candidates:
            if floor is not None and score < floor:
                left_out.append(Dropped(name, 0, DropReason.CONFIDENCE))
                continue
            if packer.is_full:
                left_out.append(Dropped(name, 0, DropReason.LIMIT))
                continue
            node = self._node(name)
            rendered = render_node(node, cap=self.query.summary_cap)
            tokens = self.estimator.estimate(rendered)
            reason = packer.refusal(tokens)
            if reason is not None:
                left_out.append(Dropped(name, tokens, reason))
                continue
            packer.take(tokens)
            yield RetrievedItem(node, rendered, tokens, score, self._lanes(name))

    def _lanes(self, name: str) -> tuple[tuple[Lane, float], ...]:
        return tuple(sorted(self.lane_scores.get(name, {}).items(), key=lambda pair: LANE_ORDER[pair[0]]))

    def _node(self, name: str) -> CorpusNode:
        node = self.corpus.node(name)
        assert node is not None, "candidates without a node were dropped"
        return node

    def _warn(self, code: WarningCode, holds: bool) -> None:
        if holds:
            self.warnings.append(RetrievalWarning(code))
