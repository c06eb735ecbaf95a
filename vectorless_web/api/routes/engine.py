"""The engine's parts on their own: the Retriever, the Router, and the Pilot's search of a tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from django.conf import settings as site
from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Router

from vectorless_web.api.routes import schemas
from vectorless_web.api.routes.places import ForViewer
from vectorless_web.documents.background import vectors_of
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.selectors import closed_folders, readable_versions, visible_snapshot
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.finding import retrieval
from vectorless_web.engine.finding.navigation import RankedNode, SearchLimits, make_pilot, navigate_tree, tell_advice
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.finding.retrieval.corpus import count_microseconds
from vectorless_web.engine.finding.retrieval.retriever import LANE_CAP
from vectorless_web.engine.finding.routing import DocumentRouter, RouteResult
from vectorless_web.engine.passages.find import find_passages
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.corpus import router_config
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import lexicon_of

router = Router(tags=["Engine"])
NOTHING: Mapping[str, Any] = MappingProxyType({})
PLAIN = {"token_budget", "limit", "expand_first", "lane_cap", "min_confidence", "adjacency"}
"""Options that the Retriever takes as they are."""
COUNTED = ("tokens_used", "dropped", "candidates_seen", "warnings", "fingerprint")
CHOSEN = 5
"""Documents that the router chooses for a search that names none."""


@router.post("/workspaces/{slug:slug}/route", response=schemas.RoutedOut)
def route(request: HttpRequest, workspace: ForViewer, asked: schemas.RouteIn) -> RouteResult:
    """Which documents a question should open, best first, and why; no model is asked."""
    chosen: dict[str, Any] = {f"w_{name}": weight for name, weight in asked.weights.items()}
    chosen |= {"route_mode": asked.mode} if asked.mode else {}
    found = _route(request, workspace, understand(asked.query, lexicon=lexicon_of(workspace)), chosen)
    return replace(found, candidates=found.candidates[: asked.limit])


@router.post("/workspaces/{slug:slug}/retrieve", response=schemas.RetrievedOut)
def retrieve(request: HttpRequest, workspace: ForViewer, asked: schemas.RetrieveIn) -> dict[str, Any]:
    """The passages of documents that fit a budget of tokens, in the fused order of the lanes."""
    plan = understand(asked.query, lexicon=lexicon_of(workspace))
    wanted = asked.documents or [row.doc_id for row in _route(request, workspace, plan).candidates[:CHOSEN]]
    versions = _find_versions(request, workspace, wanted)
    documents = {pk: open_version(version) for pk, version in versions.items()}
    try:
        query = retrieval.RetrievalQuery(
            **asked.dict(include=PLAIN),
            label=asked.label or None,
            where=tuple(asked.where.items()),
            temporal=_read_bounds(asked),
            graph=retrieval.GraphExpand(**asked.graph_expand.dict()) if asked.graph_expand else None,
            community=retrieval.CommunityFilter(bool(asked.community), **dict(asked.community or {})),
            reranker=retrieval.JaccardReranker() if asked.rerank else None,
            summary_cap=asked.summary_cap or workspace.setting("summary_cap") or site.SUMMARY_CAP,
            vector=(asked.vector.model, tuple(asked.vector.values)) if asked.vector else None,
            sparse=_read_vector(asked.sparse) if asked.sparse else None,
            **retrieval.read_fusion(asked.fusion, {retrieval.Lane(lane): each for lane, each in asked.weights.items()}),
        )
        corpus = retrieval.DocumentCollection(
            documents,
            vectors={asked.vector.model: _read_vectors(versions, asked.vector.model)} if asked.vector else None,
            sparse=[(_address_of(name), _read_vector(vector)) for name, vector in asked.encoded.items()],
        )
        if asked.passages:
            query = replace(query, structure=_rank_passages(plan, corpus, query))
        result = retrieval.search_documents(plan, corpus, query)
    except (EngineError, ValueError) as error:
        remedy = "Change that part of the request; docs/retriever.md explains each."
        raise Problem(str(error), remedy=remedy, code="not_retrievable") from error
    scores = [item.score for item in result.items]
    return {
        **{name: getattr(result, name) for name in COUNTED},
        "items": list(_show_items(workspace.slug, result.items, documents)),
        "shape": retrieval.score_shape(scores).shape,
        "confidence": retrieval.confidence(scores),
    }


@router.post("/workspaces/{slug:slug}/navigate", response=schemas.NavigatedOut)
def navigate(request: HttpRequest, workspace: ForViewer, asked: schemas.NavigateIn) -> dict[str, Any]:
    """Search a document's tree: sections entered and rejected with their reasons, and each decision in order."""
    document = open_version(_find_versions(request, workspace, [asked.document])[asked.document])
    if not 0 <= asked.start < len(document.tree):
        raise Http404("The document has no such node to start from.")
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
    """The current versions of these documents; Http404 for one that the person may not read."""
    found = readable_versions(workspace, request.user, wanted)
    missing = [str(pk) for pk in wanted if pk not in found]
    if missing:
        raise Http404(f"There is no readable document {', '.join(missing)} here.")
    return {pk: found[pk] for pk in wanted}


def _rank_passages(
    plan: QueryPlan, corpus: retrieval.DocumentCollection, query: retrieval.RetrievalQuery
) -> tuple[tuple[retrieval.NodeAddress, float], ...]:
    """The lane of passages by their best sentence, under the filters."""
    admits = retrieval.make_gate(corpus, query)
    named = {str(pk): document for pk, document in corpus.documents.items()}
    gate = None if admits is None else lambda name, key: admits(retrieval.NodeAddress(int(name), key))
    ranked = find_passages(plan, named, most=LANE_CAP, gate=gate)
    return tuple((retrieval.NodeAddress(int(passage.document), passage.key), passage.score) for passage in ranked)


def _read_vectors(versions: Mapping[int, DocumentVersion], model: str) -> dict[retrieval.NodeAddress, Sequence[float]]:
    """The stored vectors of these versions by that model; none where search by meaning has not made any."""
    return {
        retrieval.NodeAddress(pk, key): row
        for pk, version in versions.items()
        if (vectors := vectors_of(version)) is not None and vectors.model == model
        for key, row in zip(vectors.keys, vectors.rows, strict=True)
    }


def _read_bounds(asked: schemas.RetrieveIn) -> retrieval.TemporalFilter | None:
    days = (asked.created_after, asked.created_before)
    after, before = (count_microseconds(day.isoformat()) if day else None for day in days)
    return retrieval.TemporalFilter(after, before) if any(days) else None


def _read_vector(given: schemas.SparseIn) -> retrieval.SparseVector:
    return retrieval.SparseVector(tuple(given.indices), tuple(given.values), given.vocabulary)


def _address_of(name: str) -> retrieval.NodeAddress:
    document, _, key = name.partition(":")
    if not (document.isascii() and document.isdigit() and key.isascii() and key.isdigit()):
        remedy = "Name nodes as document:key, for instance 12:34."
        raise Problem(f"“{name[:40]}” names no node.", remedy=remedy, code="invalid_fields")
    return retrieval.NodeAddress(int(document), int(key))


def _show_items(
    slug: str, items: Iterable[retrieval.RetrievedItem], documents: Mapping[int, CompiledDocument]
) -> Iterator[dict[str, Any]]:
    readers = {pk: reverse("documents:detail", args=[slug, pk]) for pk in documents}
    for item in items:
        address = item.node.id
        assert isinstance(address, retrieval.NodeAddress)
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
