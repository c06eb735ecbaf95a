"""The engine's parts on their own: the Retriever, the Router, and the Pilot's search of a tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from django.conf import settings as site
from django.http import HttpRequest
from django.urls import reverse
from ninja import Router

from vectorless_web.api.problems import Missing
from vectorless_web.api.routes.schemas import (
    NavigatedOut,
    NavigateIn,
    RetrievedOut,
    RetrieveIn,
    RoutedOut,
    RouteIn,
    SparseIn,
)
from vectorless_web.documents.background import vectors_of
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.selectors import closed_folders, readable_versions, visible_snapshot
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.finding.navigation import RankedNode, SearchLimits, make_pilot, navigate_tree, tell_advice
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.finding.retrieval import (
    CommunityFilter,
    DocumentCollection,
    GraphExpand,
    JaccardReranker,
    Lane,
    NodeAddress,
    RetrievalQuery,
    TemporalFilter,
    confidence,
    make_gate,
    read_fusion,
    score_shape,
    search_documents,
)
from vectorless_web.engine.finding.retrieval.corpus import count_microseconds
from vectorless_web.engine.finding.retrieval.lanes import Scored, SparseVector
from vectorless_web.engine.finding.retrieval.result import RetrievedItem
from vectorless_web.engine.finding.retrieval.retriever import LANE_CAP
from vectorless_web.engine.finding.routing import DocumentRouter, RouteResult
from vectorless_web.engine.passages.find import find_passages
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.corpus import router_config
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import lexicon_of, workspace_alone

router = Router(tags=["Engine"])
NOTHING: Mapping[str, Any] = MappingProxyType({})
PLAIN = {"token_budget", "limit", "expand_first", "lane_cap", "min_confidence", "adjacency"}
"""Options that the Retriever takes as they are."""
COUNTED = ("tokens_used", "dropped", "candidates_seen", "warnings", "fingerprint")
CHOSEN = 5
"""Documents that the router chooses for a search that names none."""


@router.post("/workspaces/{slug:slug}/route", response=RoutedOut)
def route(request: HttpRequest, slug: str, asked: RouteIn) -> RouteResult:
    """Which documents a question should open, best first, and why; no model is asked."""
    workspace = workspace_alone(request.user, slug)
    chosen: dict[str, Any] = {f"w_{name}": weight for name, weight in asked.weights.items()}
    chosen |= {"route_mode": asked.mode} if asked.mode else {}
    found = _route(request, workspace, understand(asked.query, lexicon=lexicon_of(workspace)), chosen)
    return replace(found, candidates=found.candidates[: asked.limit])


@router.post("/workspaces/{slug:slug}/retrieve", response=RetrievedOut)
def retrieve(request: HttpRequest, slug: str, asked: RetrieveIn) -> dict[str, Any]:
    """The passages of documents that fit a budget of tokens, in the fused order of the lanes."""
    workspace = workspace_alone(request.user, slug)
    plan = understand(asked.query, lexicon=lexicon_of(workspace))
    wanted = asked.documents or [row.doc_id for row in _route(request, workspace, plan).candidates[:CHOSEN]]
    versions = _find_versions(request, workspace, wanted)
    documents = {pk: open_version(version) for pk, version in versions.items()}
    query = RetrievalQuery(
        **asked.dict(include=PLAIN),
        label=asked.label or None,
        where=tuple(asked.where.items()),
        temporal=_read_bounds(asked),
        graph=GraphExpand(**asked.graph_expand.dict()) if asked.graph_expand else None,
        community=CommunityFilter(enabled=True, **asked.community.dict()) if asked.community else CommunityFilter(),
        reranker=JaccardReranker() if asked.rerank else None,
        summary_cap=asked.summary_cap or workspace.setting("summary_cap") or site.SUMMARY_CAP,
        vector=(asked.vector.model, tuple(asked.vector.values)) if asked.vector else None,
        **read_fusion(asked.fusion, {Lane(name): weight for name, weight in asked.weights.items()}),
    )
    try:
        corpus = DocumentCollection(
            documents,
            vectors={asked.vector.model: _read_vectors(versions, asked.vector.model)} if asked.vector else None,
            sparse=[(_address_of(name), _read_vector(vector)) for name, vector in asked.encoded.items()],
        )
        query = replace(
            query,
            structure=_rank_passages(plan, corpus, query) if asked.passages else None,
            sparse=_read_vector(asked.sparse) if asked.sparse else None,
        )
        result = search_documents(plan, corpus, query)
    except (EngineError, ValueError) as error:
        raise Problem(
            str(error),
            remedy="Change that part of the request; docs/retriever.md explains each.",
            code="not_retrievable",
        ) from error
    scores = [item.score for item in result.items]
    return {
        **{name: getattr(result, name) for name in COUNTED},
        "items": list(_show_items(slug, result.items, documents)),
        "shape": score_shape(scores).shape,
        "confidence": confidence(scores),
    }


@router.post("/workspaces/{slug:slug}/navigate", response=NavigatedOut)
def navigate(request: HttpRequest, slug: str, asked: NavigateIn) -> dict[str, Any]:
    """Search a document's tree: sections entered and rejected with their reasons, and each decision in order."""
    workspace = workspace_alone(request.user, slug)
    document = open_version(_find_versions(request, workspace, [asked.document])[asked.document])
    if not 0 <= asked.start < len(document.tree):
        raise Missing("The document has no such node to start from.", remedy="Take a key of the outline or of a page.")
    plan = understand(asked.goal, lexicon=lexicon_of(workspace))
    pilot = make_pilot(asked.pilot, DocumentScorer(document, plan))
    limits = SearchLimits(turns=asked.turns, results=asked.results)
    told = navigate_tree(document, plan, pilot=pilot, strategy=asked.strategy, limits=limits, start=asked.start)
    return {
        **{name: getattr(told.stats, name) for name in ("turns", "consultations", "sections_scored", "stopped")},
        "log": list(told.log),
        "notes": list(told.notes),
        "advice": tell_advice(told),
        "entered": [_show_branch(document, row) for row in told.ranked],
        "rejected": [_show_branch(document, row) for row in told.rejected],
    }


def _route(
    request: HttpRequest, workspace: Workspace, plan: QueryPlan, chosen: Mapping[str, Any] = NOTHING
) -> RouteResult:
    snapshot = visible_snapshot(workspace.pk, closed_folders(request.user.pk, [workspace.pk]))
    return DocumentRouter(snapshot, router_config({**workspace.settings, **chosen})).route(plan)


def _find_versions(request: HttpRequest, workspace: Workspace, wanted: Sequence[int]) -> Mapping[int, DocumentVersion]:
    """The current versions of these documents; Problem (404) for one that the person may not read."""
    found = readable_versions(workspace, request.user, wanted)
    missing = [str(pk) for pk in wanted if pk not in found]
    if missing:
        raise Missing(
            f"There is no readable document {', '.join(missing)} here.",
            remedy="Take numbers that the list of documents names.",
        )
    return {pk: found[pk] for pk in wanted}


def _rank_passages(plan: QueryPlan, corpus: DocumentCollection, query: RetrievalQuery) -> tuple[Scored, ...]:
    """The lane of passages by their best sentence, under the filters."""
    admits = make_gate(corpus, query)
    named = {str(pk): document for pk, document in corpus.documents.items()}
    gate = None if admits is None else lambda name, key: admits(NodeAddress(int(name), key))
    ranked = find_passages(plan, named, most=LANE_CAP, gate=gate)
    return tuple((NodeAddress(int(passage.document), passage.key), passage.score) for passage in ranked)


def _read_vectors(versions: Mapping[int, DocumentVersion], model: str) -> dict[NodeAddress, Sequence[float]]:
    """The stored vectors of these versions by that model; none where search by meaning has not made any."""
    held = {pk: vectors for pk, version in versions.items() if (vectors := vectors_of(version)) is not None}
    return {
        NodeAddress(pk, key): row
        for pk, vectors in held.items()
        if vectors.model == model
        for key, row in zip(vectors.keys, vectors.rows, strict=True)
    }


def _read_bounds(asked: RetrieveIn) -> TemporalFilter | None:
    days = (asked.created_after, asked.created_before)
    after, before = (count_microseconds(day.isoformat()) if day else None for day in days)
    return TemporalFilter(after, before) if any(days) else None


def _read_vector(given: SparseIn) -> SparseVector:
    return SparseVector(tuple(given.indices), tuple(given.values), given.vocabulary)


def _address_of(name: str) -> NodeAddress:
    document, _, key = name.partition(":")
    if not (document.isascii() and document.isdigit() and key.isascii() and key.isdigit()):
        raise Problem(
            f"“{name[:40]}” names no node.",
            remedy="Name nodes as document:key, for instance 12:34.",
            code="invalid_fields",
        )
    return NodeAddress(int(document), int(key))


def _show_items(
    slug: str, items: Iterable[RetrievedItem], documents: Mapping[int, CompiledDocument]
) -> Iterator[dict[str, Any]]:
    readers = {pk: reverse("documents:detail", args=[slug, pk]) for pk in documents}
    for item in items:
        address = item.node.id
        assert isinstance(address, NodeAddress)
        page = documents[address.space].tree.node(address.key).page_start + 1
        yield {
            "document": address.space,
            "key": address.key,
            "page": page,
            "link": f"{readers[address.space]}?page={page}",
            "text": item.rendered,
            "tokens": item.tokens,
            "score": item.score,
            "lanes": {lane.value: score for lane, score in item.lane_scores},
        }


def _show_branch(document: CompiledDocument, row: RankedNode) -> dict[str, Any]:
    title = document.tree.node(row.key).title
    return {"key": row.key, "title": title, "score": row.score, "reason": row.reason, "leaves": list(row.leaves)}
