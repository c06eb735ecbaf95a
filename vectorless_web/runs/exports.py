"""A finished run as a file: Markdown with footnotes, or JSON."""

from typing import Any

from vectorless_web.runs import selectors
from vectorless_web.runs.models import Citation, Claim, Run
from vectorless_web.runs.rendering import citations_in


def as_markdown(run: Run) -> str:
    """The question, the answer with footnote marks, and each quote with document and page."""
    claims, answer = selectors.claims_of(run), selectors.answer_of(run)
    lines = [
        f"# {_inline(run.question)}",
        "",
        f"*{run.get_status_display()}*" + (f": {run.reason}" if run.reason else ""),
    ]
    for claim in claims:
        lines += ["", _sentence(claim)]
    if answer and answer.missing:
        lines += ["", "Still open:", "", *(f"- {part}" for part in answer.missing)]
    lines += [""] + [_footnote(citation) for citation in citations_in(claims)]
    return "\n".join(lines).strip() + "\n"


def as_json(run: Run) -> dict[str, Any]:
    """The run as plain values; pages count from 1."""
    answer = selectors.answer_of(run)
    claims = selectors.claims_of(run)
    return {
        "id": run.pk,
        "question": run.question,
        "outcome": run.status,
        "reason": run.reason,
        "error_code": run.error_code,
        "answer": answer.markdown if answer else "",
        "value": answer.value if answer else "",
        "confidence": answer.confidence if answer else None,
        "grounded": bool(answer and answer.grounded),
        "missing": answer.missing if answer else [],
        "claims": [_claim(claim) for claim in claims],
        "citations": [_citation(citation) for citation in citations_in(claims)],
        "steps": [_step(step) for step in selectors.steps_of(run)],
        "checked": run.checked,
        "engine": run.engine,
        "model": run.model,
        "tokens": run.tokens,
        "cost_usd": float(run.cost_usd),
        "asked_at": run.created_at.isoformat(),
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
    }


def _sentence(claim: Claim) -> str:
    marks = "".join(f"[^{citation.marker}]" for citation in claim.citations.all())
    text = f"~~{claim.text}~~" if claim.support == "unsupported" else claim.text
    because = f" ({claim.because})" if claim.because else ""
    return f"{text}{marks}{because}"


def _footnote(citation: Citation) -> str:
    where = ", ".join(part for part in (citation.document_title, citation.where, f"p. {citation.page}") if part)
    return f"[^{citation.marker}]: “{_inline(citation.quote)}” {where} ({citation.check_result})"


def _inline(text: str) -> str:
    return " ".join(text.split())


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "order": claim.order,
        "text": claim.text,
        "support": claim.support,
        "because": claim.because,
        "calculation": claim.calculation,
        "citations": [citation.marker for citation in claim.citations.all()],
    }


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "marker": citation.marker,
        "document": citation.document_title,
        "sha256": citation.sha256,
        "page": citation.page,
        "quote": citation.quote,
        "where": citation.where,
        "check": citation.check_result,
    }


def _step(step: Any) -> dict[str, Any]:
    names = ("sequence", "walk", "index", "kind", "say", "thought", "action", "arguments", "observation", "confidence")
    values = {name: getattr(step, name) for name in names}
    return {**values, "rejected": step.rejected, "latency_ms": step.latency_ms, "tokens": step.tokens}
