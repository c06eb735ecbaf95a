"""The small map of each document a run walked: its outline with the path lit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from vectorless_web.documents.models import DocumentVersion, Section
from vectorless_web.runs.models import Citation, Run, Step
from vectorless_web.runs.page.tree_map import TreeMap, draw
from vectorless_web.runs.selectors import versions_read

NAMED = 4
LISTED = 24
OUTLINES_KEPT = 64
"""Outlines that a process keeps."""


@dataclass(slots=True)
class MapHeading:
    """A heading as the map needs it."""

    key: int
    parent_key: int
    subtree_end: int
    title: str
    page_start: int
    page_end: int


def maps_of(run: Run, steps: Sequence[Step], citations: Sequence[Citation]) -> list[dict[str, Any]]:
    """One map for each document that was opened, in the order in which the walks first touched them.

    One of them is `open`: that of the first citation, before there is one that touched last.
    """
    versions = {str(version.document_id): version for version in versions_read(run)}
    touched: dict[str, list[dict[str, Any]]] = {}
    last = ""
    for step in steps:
        for ref in [*step.refs, *(row["ref"] for row in step.rejected if row.get("ref"))]:
            if ref["document"] in versions:
                touched.setdefault(ref["document"], []).append(ref)
                last = ref["document"]
    shown = next((str(row.version.document_id) for row in citations if row.version), last)
    shown = shown if shown in touched else last
    outlines = _outlines({versions[document].pk: versions[document].artefact_sha256 for document in touched})
    return [
        _map(versions[document], refs, run, outlines[versions[document].pk]) | {"open": document == shown}
        for document, refs in touched.items()
    ]


def _map(
    version: DocumentVersion, refs: list[dict[str, Any]], run: Run, headings: tuple[MapHeading, ...]
) -> dict[str, Any]:
    visited = [ref["page_start"] for ref in refs if ref.get("role", "walked") in ("read", "walked")]
    current = visited[-1] if run.is_open and visited else None
    drawn = draw(headings, refs, version.pages, current)
    shown = {field.name: getattr(drawn, field.name) for field in fields(TreeMap)}
    title = version.document.title
    return {
        **shown,
        "title": title,
        "version": version.pk if version.document.deleted_at is None else None,
        "page_count": version.pages,
        "label": _label(refs),
        "read": [_place(row, run, version) for row in _first_of_each(refs, ("read",))],
        "turned_back": [_place(row, run, version) for row in _first_of_each(refs, ("turned_back",))],
    }


def _first_of_each(refs: Iterable[dict[str, Any]], roles: tuple[str, ...]) -> list[dict[str, Any]]:
    """The touched sections of these roles, each once, in the order of the document, the first few of them."""
    rows = {row["title"]: row for row in reversed(list(refs)) if row.get("role") in roles and row["title"]}
    return sorted(rows.values(), key=lambda row: (row["page_start"], row["key"]))[:LISTED]


def _place(ref: dict[str, Any], run: Run, version: DocumentVersion) -> dict[str, Any]:
    """A touched section as a row of the map's list, with the addresses of its page."""
    slug, page = run.workspace.slug, ref["page_start"] + 1
    return {
        "title": ref["title"],
        "page_start": ref["page_start"],
        "page_end": ref["page_end"],
        "page": page,
        "url": reverse("documents:detail", args=[slug, version.document_id]) + f"?page={page}",
        "sheet_url": reverse("runs:sheet", args=[slug, run.pk, version.pk, page]),
    }


def _label(refs: Iterable[dict[str, Any]]) -> str:
    """What the map shows, in words for those who do not see it."""
    rows = list(refs)
    walked = _join_titles(row for row in rows if row.get("role") in ("walked", "read"))
    turned = _join_titles(row for row in rows if row.get("role") == "turned_back")
    path = _("Path walked: %s.") % walked if walked else _("Nothing walked yet.")
    return f"{path} {_('Turned back at %s.') % turned}" if turned else path


def _join_titles(refs: Iterable[dict[str, Any]]) -> str:
    titles = list(dict.fromkeys(ref["title"] for ref in refs if ref["title"]))
    more = len(titles) - NAMED
    named = ", ".join(titles[:NAMED])
    return named + (ngettext(" and %d more", " and %d more", more) % more if more > 0 else "")


def _outlines(versions: Mapping[int, str]) -> dict[int, tuple[MapHeading, ...]]:
    """The outlines of versions by the hash of what they are compiled to: those not kept are read in one query."""
    found = {pk: kept for pk, digest in versions.items() if (kept := _kept.get((pk, digest))) is not None}
    fresh: dict[int, list[MapHeading]] = {pk: [] for pk in versions if pk not in found}
    if fresh:
        names = [field.name for field in fields(MapHeading)]
        rows = Section.objects.filter(version__in=fresh).order_by("version", "position")
        for version, *values in rows.values_list("version", *names):
            fresh[version].append(MapHeading(*values))
    for pk, headings in fresh.items():
        found[pk] = _kept[pk, versions[pk]] = tuple(headings)
    for place in list(_kept)[:-OUTLINES_KEPT]:
        _kept.pop(place, None)
    return found


_kept: dict[tuple[int, str], tuple[MapHeading, ...]] = {}
