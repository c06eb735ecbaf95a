"""The pages beside an answer: those that are cited, else the one that was read last."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.urls import reverse

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.page import Highlight, page_view, span_row
from vectorless_web.documents.rendering.text import find_on_page
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.infra.outages import StorageAway
from vectorless_web.runs.models import Citation, Run, Step

logger = logging.getLogger(__name__)

Place = tuple[int, int]
"""(version, page index)."""

SHEETS_SHOWN = 12
"""Pages that the source pane of a run shows, those of its quotes first; each is an image."""
FOUND_AS_IT_IS = ("exact", "normalised")
"""Checks of a quote whose words stand on the page letter by letter."""


def sheets_of(run: Run, citations: Sequence[Citation], steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The contexts of `documents/_page.html` for the run's source pane.

    Every page that holds a part of a quote, in order of marker; while nothing is cited
    in an open run, the page that was read last; nothing otherwise.
    """
    marks = _highlights(citations)
    if marks:
        versions = {row.version_id: row.version for row in citations if row.version is not None}
        places = [(versions[version], page) for version, page in list(marks)[:SHEETS_SHOWN]]
    else:
        places = _last_read(run, steps) if run.is_open else []
    return [sheet for version, page in places if (sheet := _readable_sheet(run, citations, version, page))]


def find_lit_citation(citations: Sequence[Citation]) -> Citation | None:
    """The citation that a page opens on: the first whose quote was found, else the first."""
    found = (citation for citation in citations if citation.check_result != "missing")
    return next(found, citations[0] if citations else None)


def may_be_shown(version: DocumentVersion) -> bool:
    """Whether its pages may be: those of a deleted document are gone for readers, purged or not yet."""
    return version.document.deleted_at is None


def _readable_sheet(
    run: Run, citations: Sequence[Citation], version: DocumentVersion, page_index: int
) -> dict[str, Any] | None:
    """The page, or None when its compiled file is gone or storage away: the quotes are shown all the same."""
    try:
        return sheet_of(run, citations, version, page_index)
    except (ArtefactDamaged, StorageAway) as error:
        logger.warning("run %d: page %d of version %d: %s", run.pk, page_index + 1, version.pk, error)
        return None


def sheet_of(run: Run, citations: Sequence[Citation], version: DocumentVersion, page_index: int) -> dict[str, Any]:
    """One page with the run's marks; its neighbours are the run's own fragments."""
    marks = _highlights(citations).get((version.pk, page_index), [])
    view = page_view(version, page_index, [_relocate_highlight(mark, citations, version, page_index) for mark in marks])
    begun = {citation.marker for citation in citations if citation.page_index == page_index}
    # A quote that began on another page has its plain id there.
    hits = [hit if hit.marker in begun else replace(hit, id=f"{hit.id}-{page_index + 1}") for hit in view["hits"]]
    neighbours = {"previous_url": page_index - 1, "next_url": page_index + 1}
    return view | {"hits": hits} | {name: _fragment_url(run, version, index) for name, index in neighbours.items()}


def _fragment_url(run: Run, version: DocumentVersion, page_index: int) -> str:
    if not 0 <= page_index < version.pages:
        return ""
    return reverse("runs:sheet", args=[run.workspace.slug, run.pk, version.pk, page_index + 1])


def _highlights(citations: Sequence[Citation]) -> dict[Place, list[Highlight]]:
    """Marks by page, pages in order of marker; that of the citation the page opens on is lit."""
    found: dict[Place, list[Highlight]] = {}
    lit = find_lit_citation(citations)
    for citation in citations:
        version = citation.version
        if version is None or not may_be_shown(version) or citation.check_result == "missing":
            continue
        for page in _pages_of(citation):
            marks = found.setdefault((version.pk, page), [])
            marks.append(_mark(citation, page, on=citation is lit))
    return found


def _pages_of(citation: Citation) -> list[int]:
    """The page a quote begins on and those it goes on to."""
    return list(dict.fromkeys([citation.page_index, *(span[0] for span in citation.spans)]))


def _mark(citation: Citation, page: int, *, on: bool) -> Highlight:
    return Highlight(
        marker=citation.marker,
        boxes=[box for box in citation.boxes if box[0] == page],
        spans=[span for span in citation.spans if span[0] == page],
        on=on,
        whole=citation.check_result == "picture",
    )


def _relocate_highlight(
    mark: Highlight, citations: Sequence[Citation], version: DocumentVersion, page_index: int
) -> Highlight:
    """The mark where its quote stands now: the document may have been read again by another compiler since.

    A quote that is not where it was is looked for on its page; one that is not found is not lit at all.
    """
    quotes = [row.quote for row in citations if row.marker == mark.marker and row.check_result in FOUND_AS_IT_IS]
    if not mark.spans or mark.boxes or not quotes:
        return mark
    document = open_version(version)
    text = document.page_text(page_index)
    lit = _fold_letters("".join(text[start : start + length] for _, start, length in map(span_row, mark.spans)))
    if any(lit in _fold_letters(quote) for quote in quotes):
        return mark
    found = [span for quote in quotes if (span := find_on_page(document, page_index, quote))]
    return replace(mark, spans=found)


def _fold_letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _last_read(run: Run, steps: Sequence[Step]) -> list[tuple[DocumentVersion, int]]:
    rows = run.versions.filter(document__deleted_at=None).select_related("document", "document__workspace")
    versions = {str(row.document_id): row for row in rows}
    for step in reversed(steps):
        for ref in step.refs:
            version = versions.get(ref["document"])
            if version is not None and ref.get("role", "walked") in ("read", "walked"):
                return [(version, ref["page_start"])]
    return []
