"""A finished run as plain values, in the form that docs/exports.md describes; pages count from 1."""

from typing import Any

from django.utils.text import slugify

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.infra.templatetags.show import check_word
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Answer, Citation, Claim, Run, Step
from vectorless_web.runs.page.rendering import citations_of

FORMAT, VERSION = "vectorless-run", 1
"""What a program that reads the file looks at first; the version rises when a field changes or goes."""
NAME_LENGTH = 60
"""Characters of the question in the name of an exported file."""


def file_name(run: Run, suffix: str) -> str:
    """A name for the run's file that every system takes: its number, then the question's ASCII words."""
    words = slugify(run.question)[:NAME_LENGTH].strip("-")
    return f"run-{run.pk}{'-' if words else ''}{words}.{suffix}"


def as_json(run: Run) -> dict[str, Any]:
    """Everything about a run but its model calls."""
    answer, claims = selectors.answer_of(run), selectors.claims_of(run)
    return {
        "format": FORMAT,
        "version": VERSION,
        **_head(run),
        **_answer(answer),
        "claims": [_claim(claim) for claim in claims],
        "citations": [citation_row(citation) for citation in citations_of(run, claims)],
        "passages": [citation.marker for citation in selectors.passages_of(run)],
        "documents": [document_row(version) for version in selectors.versions_read(run)],
        "steps": [step_row(step) for step in selectors.steps_of(run)],
        "checked": [_pages_from_one(row) for row in run.checked],
        **_describe_spending(run),
    }


def citation_row(citation: Citation) -> dict[str, Any]:
    """One quote with its place, the hash of the file it stands in, and how it was found there."""
    version = citation.version
    return {
        "marker": citation.marker,
        "document": citation.document_title,
        "document_version": version.number if version is not None else None,
        "sha256": citation.sha256,
        "page": citation.page,
        "quote": citation.quote,
        "where": citation.where,
        "check": citation.check_result,
        "check_words": check_word(citation.check_result),
        **({} if citation.recognised is None else {"read_by_ocr_percent": citation.recognised}),
    }


def document_row(version: DocumentVersion) -> dict[str, Any]:
    """One document as it was read."""
    return {
        "title": version.document.title,
        "name": version.document.name,
        "version": version.number,
        "sha256": version.sha256,
        "pages": version.pages,
        "media_type": version.mime,
    }


def step_row(step: Step) -> dict[str, Any]:
    """One step as it was stored."""
    names = ("sequence", "walk", "index", "kind", "say", "thought", "action", "arguments", "observation", "confidence")
    return {
        **{name: getattr(step, name) for name in names},
        "refs": [_pages_from_one(ref) for ref in step.refs],
        "rejected": [{**row, "ref": _pages_from_one(row["ref"])} if row.get("ref") else row for row in step.rejected],
        "latency_ms": step.latency_ms,
        "tokens": step.tokens,
        "engine": step.engine,
    }


def _head(run: Run) -> dict[str, Any]:
    return {
        "id": run.pk,
        "thread": run.thread_id,
        "asked_from": run.asked_from_id,
        "asked_how": run.asked_how,
        "question": run.question,
        "scope": "workspace" if run.whole_workspace else "documents",
        "outcome": run.status,
        "reason": run.reason,
        "error_code": run.error_code,
    }


def _answer(answer: Answer | None) -> dict[str, Any]:
    factors = ("claims_held", "parts_covered", "evidence_fit")
    return {
        "answer": answer.markdown if answer else "",
        "value": answer.value if answer else "",
        "confidence": answer.confidence if answer else None,
        "strength": answer.strength if answer else "",
        "confidence_signals": answer.signals if answer else {},
        "confidence_factors": {name: getattr(answer, name, None) for name in factors},
        "grounded": bool(answer and answer.grounded),
        "missing": answer.missing if answer else [],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "order": claim.order,
        "text": claim.text,
        "support": claim.support,
        "because": claim.because,
        "calculation": claim.calculation,
        "table": claim.table,
        "citations": [citation.marker for citation in claim.citations.all()],
    }


def _describe_spending(run: Run) -> dict[str, Any]:
    return {
        "engine": run.engine,
        "model": run.model,
        "settings": run.settings,
        "corpus_fingerprint": run.corpus_fingerprint,
        "tokens": run.tokens,
        "cost_usd": float(run.cost_usd),
        "asked_at": run.created_at.isoformat(),
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
    }


def _pages_from_one(row: dict[str, Any]) -> dict[str, Any]:
    """A stored reference, whose pages count from 0, as readers count."""
    pages = {name: row[name] + 1 for name in ("page_start", "page_end") if row.get(name) is not None}
    ref = row.get("ref")
    return row | pages | ({"ref": _pages_from_one(ref)} if isinstance(ref, dict) else {})
