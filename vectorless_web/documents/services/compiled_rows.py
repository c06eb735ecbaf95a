"""The rows made from a compiled document: headings, card, and the figures of its version."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from vectorless_web.documents.models import Card, DocumentVersion, Section
from vectorless_web.engine.documents.artefact import ENGINE_VERSION, CompiledDocument
from vectorless_web.engine.documents.card import Card as DocumentCard
from vectorless_web.engine.documents.serialise import dump_json
from vectorless_web.engine.documents.vectors import leaf_texts
from vectorless_web.engine.text.tokens import HeuristicEstimator
from vectorless_web.infra.limits import TITLE_MAX


def section_rows(version: DocumentVersion, document: CompiledDocument) -> Iterator[Section]:
    """One unsaved row for each heading, in reading order."""
    tree = document.tree
    for position, key in enumerate(tree.sections()):
        node = tree.node(key)
        yield Section(
            version=version,
            key=key,
            parent_key=node.parent,
            position=position,
            subtree_end=node.subtree_end,
            depth=node.depth,
            title=clean_for_database(node.title, 500),
            page_start=node.page_start,
            page_end=node.page_end,
            token_count=node.token_count,
        )


def card_row(version: DocumentVersion, card: DocumentCard) -> Card:
    """The unsaved row of a document card; `data` is what `engine.documents.serialise.card_from` reads."""
    data = _without_nulls(json.loads(dump_json(asdict(card))))
    return Card(
        version=version,
        title=data["title"][:TITLE_MAX],
        overview=data["overview"],
        topic_tags=data["topic_tags"],
        question_hints=data["question_hints"],
        data=data,
    )


def version_facts(document: CompiledDocument, *, seconds: float, peak_mb: float) -> dict[str, Any]:
    """The fields of a version that its compiled document decides, the tree report among them."""
    report = document.report
    return {
        "engine_version": ENGINE_VERSION,
        "mime": document.media_type,
        "pages": report.pages,
        "coverage": report.coverage,
        "outline_source": report.outline_source,
        "report": {
            "depth": report.depth,
            "nodes": len(document.tree),
            "sections": report.sections,
            "leaves": report.leaves,
            "tables": report.tables,
            "widest": report.widest,
            "pages_without_text": list(report.empty_pages),
            "unread": list(report.unread_pages),
            "unread_because": report.because,
            "awaits_recognition": report.lacking,
            "recognised": list(report.recognised),
            "warnings": list(report.warnings),
            "verdict": report.verdict,
            "seconds": seconds,
            "peak_mb": peak_mb,
            "embedding": embedding_size(document),
        },
    }


def embedding_size(document: CompiledDocument) -> dict[str, int]:
    """How many passages a document has for an embedding model, and of how many tokens, estimated."""
    estimate = HeuristicEstimator().estimate
    sizes = [estimate(leaf.text) for leaf in leaf_texts(document)]
    return {"passages": len(sizes), "tokens": sum(sizes)}


def clean_for_database(text: str, length: int | None = None) -> str:
    """Text as a database takes it: no null characters, at most `length` characters."""
    return text.replace("\0", "")[:length]


def _without_nulls(value: Any) -> Any:
    """The JSON value without the null characters that damaged PDFs contain: PostgreSQL's jsonb refuses them."""
    match value:
        case str():
            return clean_for_database(value)
        case dict():
            return {clean_for_database(key): _without_nulls(item) for key, item in value.items()}
        case list():
            return [_without_nulls(item) for item in value]
        case _:
            return value
