"""What is beside an answer: pages that are cited or were read, and the small map of each document walked."""

import logging
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from vectorless_web.documents.models import DocumentVersion, Section
from vectorless_web.documents.rendering.page import Highlight, node_url, page_view, span_row
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
    cited = [row for row in citations if row.version_id == version.pk and row.page_index == page_index]
    if lit := find_lit_citation(cited):
        view["url"] = node_url(version, page_index, lit.node_key)
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
        for page in pages_quoted(citation):
            mark = Highlight(
                marker=citation.marker,
                boxes=[box for box in citation.boxes if box[0] == page],
                spans=[span for span in citation.spans if span[0] == page],
                on=citation is lit,
                whole=citation.check_result == "picture",
            )
            found.setdefault((version.pk, page), []).append(mark)
    return found


def pages_quoted(citation: Citation) -> list[int]:
    """The page a quote begins on and those it goes on to."""
    return list(dict.fromkeys([citation.page_index, *(span[0] for span in citation.spans)]))


def _relocate_highlight(
    mark: Highlight, citations: Sequence[Citation], version: DocumentVersion, page_index: int
) -> Highlight:
    """The mark where its quote is now: the document may have been read again by another compiler since.

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


@dataclass(frozen=True, slots=True)
class Spot:
    """A dot: centre and radius, and the keys of the section it stands for, from `key` to before `end`."""

    x: float
    y: float
    r: float
    key: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Stretch:
    """The pages of one part on the ruler; `second` alternates the shade."""

    x: float
    width: float
    second: bool


@dataclass(frozen=True, slots=True)
class PageLeaf:
    """A page that was read, counted from 1; `here` while it is being read."""

    x: float
    here: bool
    page: int = 0
    width: float = 7.0


@dataclass(frozen=True, slots=True)
class PageLabel:
    """A page number under the ruler; `lit` when the page was read."""

    x: float
    text: str
    anchor: str
    lit: bool


@dataclass(frozen=True, slots=True)
class TreeMap:
    """All that the map's template draws, plus how many pages were read."""

    twigs: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    turned: tuple[Spot, ...] = ()
    buds: tuple[Spot, ...] = ()
    knots: tuple[Spot, ...] = ()
    ruler: tuple[Stretch, ...] = ()
    leaves: tuple[PageLeaf, ...] = ()
    labels: tuple[PageLabel, ...] = ()
    pages_read: int = 0


WIDTH = 320.0
"""Width of the map in units of its SVG."""
ROOT_Y, PART_Y, SECTION_Y, PAGE_Y = 8.0, 36.0, 62.0, 87.0
"""Heights of the four rows of the map, in units of its SVG."""
EDGE = 3.5
"""Units that the first and the last place of a row keep from the edge: half a cross."""
ROW_MOST = 44
"""Sections drawn in one row at most, the touched ones before all others."""
APART = 7.0
"""Between neighbours of a row, as far as there is room: the width of a cross."""
LEAF_WIDTHS = ((12, 7.0), (30, 4.0), (math.inf, 2.4))
"""How wide a read page is drawn, by how many there are at most."""
LABEL_ROOM = 20.0
"""Units that a label needs on each side."""
TOUCHED = ("read", "walked", "turned_back", "looked")
"""Roles of references, the strongest first."""
WALKED = ("read", "walked")


@dataclass(slots=True)
class MapHeading:
    """A heading as the map needs it; page indexes count from 0, both inclusive."""

    key: int
    parent_key: int
    subtree_end: int
    title: str
    page_start: int
    page_end: int


def draw(
    sections: Sequence[MapHeading], refs: Iterable[dict[str, Any]], page_count: int, current: int | None = None
) -> TreeMap:
    """Draw the walk given by `refs` ({key, page_start, page_end, role}, page indexes from 0) over the outline.

    `current` is the index of the page being read now. A document without sections gets
    its ruler and its pages alone.
    """
    return _Drawing(sections, list(refs), max(page_count, 1), current).finish()


def draw_curve(x1: float, y1: float, x2: float, y2: float) -> str:
    """An S-shaped line from one row to the next."""
    middle = (y1 + y2) / 2
    return f"M{x1:.1f} {y1:g}C{x1:.1f} {middle:g} {x2:.1f} {middle:g} {x2:.1f} {y2:g}"


class _Drawing:
    """One map being drawn. `role` holds the strongest role of each drawn section, by key."""

    def __init__(
        self, sections: Sequence[MapHeading], refs: list[dict[str, Any]], page_count: int, current: int | None
    ) -> None:
        self.sections = sorted(sections, key=lambda section: section.key)
        self.keys = [section.key for section in self.sections]
        self.by_key = dict(zip(self.keys, self.sections, strict=True))
        self.below: dict[int, list[MapHeading]] = {}
        for section in self.sections:
            self.below.setdefault(section.parent_key, []).append(section)
        self.refs = refs
        self.page_count = page_count
        self.current = current
        self.parts = self._top()
        self.part_keys = {part.key for part in self.parts}
        self.role = self._roles()
        self.entered = [part for part in self.parts if any(self.role.get(each.key) for each in self._children(part))]
        self.entered_keys = {part.key for part in self.entered}
        below = [child for part in self.entered for child in self._children(part)]
        self.x = self._places(self.parts) | self._places(below)

    def finish(self) -> TreeMap:
        """Put the drawn pieces together."""
        pages = self._pages()
        rows = self._row(self.parts, WIDTH / 2, ROOT_Y, PART_Y)
        for part in self.entered:
            rows += self._row(self._children(part), self.x.get(part.key, WIDTH / 2), PART_Y, SECTION_Y)
        spots = [
            (role, Spot(x, y, _choose_radius(role, y), section.key, section.subtree_end))
            for _, role, section, x, y in rows
        ]
        return TreeMap(
            twigs=tuple(line for line, role, *_ in rows if role == ""),
            seen=tuple(line for line, role, *_ in rows if role in ("looked", "turned_back")),
            path=(*(line for line, role, *_ in rows if role in WALKED), *self._drops()),
            turned=tuple(spot for role, spot in spots if role == "turned_back"),
            buds=tuple(spot for role, spot in spots if role in ("", "looked")),
            knots=(*(spot for role, spot in spots if role in WALKED), Spot(WIDTH / 2, ROOT_Y, 3.6)),
            ruler=tuple(self._ruler()),
            leaves=tuple(self._leaves(pages)),
            labels=tuple(self._labels(pages)),
            pages_read=len({page for ref in self._read() for page in range(ref["page_start"], ref["page_end"] + 1)}),
        )

    def _top(self) -> list[MapHeading]:
        """The parts: the sections below the root, or below the one section that holds all others."""
        parts = [section for section in self.sections if section.parent_key not in self.by_key]
        while len(parts) == 1 and (children := self._children(parts[0])):
            parts = children
        return parts

    def _children(self, parent: MapHeading) -> list[MapHeading]:
        return self.below.get(parent.key, [])

    def _roles(self) -> dict[int, str]:
        roles: dict[int, str] = {}
        for ref in sorted(self.refs, key=lambda ref: -TOUCHED.index(_role(ref))):
            for depth, section in enumerate(self._ancestors(ref["key"])):
                passed = depth > 0 and _role(ref) in ("turned_back", "looked")
                roles[section.key] = roles.get(section.key, "") if passed else _role(ref)
        return roles

    def _ancestors(self, key: int) -> list[MapHeading]:
        """The drawn sections that hold the node, the nearest first."""
        found = []
        place = bisect_right(self.keys, key) - 1
        section = self.sections[place] if place >= 0 else None
        while section is not None:
            drawn = section.key in self.part_keys or section.parent_key in self.part_keys
            if drawn and key < section.subtree_end:
                found.append(section)
            section = self.by_key.get(section.parent_key)
        return found

    def _places(self, row: Sequence[MapHeading]) -> dict[int, float]:
        """Where the sections of a row stand that are drawn, by key."""
        drawn = self._thin_row(row)
        return dict(
            zip(
                (section.key for section in drawn),
                spread_places([self._middle(section) for section in drawn]),
                strict=True,
            )
        )

    def _thin_row(self, row: Sequence[MapHeading]) -> list[MapHeading]:
        """At most ROW_MOST sections: the touched ones, the strongest first, and others at even distances."""
        touched = [section for section in row if self._role_of(section)]
        touched.sort(key=lambda section: TOUCHED.index(self._role_of(section)))
        rest = [section for section in row if not self._role_of(section)]
        room = ROW_MOST - len(touched)
        others = rest[:: math.ceil(len(rest) / room)] if rest and room > 0 else []
        return sorted([*touched[:ROW_MOST], *others], key=lambda section: section.key)

    def _role_of(self, section: MapHeading) -> str:
        """The strongest role; a part counts as looked at when one of its sections was touched."""
        return self.role.get(section.key, "") or ("looked" if section.key in self.entered_keys else "")

    def _row(
        self, row: Sequence[MapHeading], from_x: float, from_y: float, y: float
    ) -> list[tuple[str, str, MapHeading, float, float]]:
        drawn = [(section, self.x[section.key]) for section in row if section.key in self.x]
        return [(draw_curve(from_x, from_y, x, y), self._role_of(section), section, x, y) for section, x in drawn]

    def _drops(self) -> list[str]:
        """The last stretch of each walked branch, down to its page."""
        drops = {}
        for ref in self._read():
            above = next(iter(self._ancestors(ref["key"])), None)
            x = self.x.get(above.key, self._middle(above)) if above else WIDTH / 2
            y = ROOT_Y if above is None else PART_Y if above.key in self.part_keys else SECTION_Y
            drops[draw_curve(x, y, self._page_x(ref["page_start"]), PAGE_Y)] = True
        return list(drops)

    def _read(self) -> list[dict[str, Any]]:
        return [ref for ref in self.refs if _role(ref) == "read"]

    def _pages(self) -> list[int]:
        pages = {ref["page_start"] for ref in self._read()}
        return sorted(pages | ({self.current} if self.current is not None else set()))

    def _leaves(self, pages: Sequence[int]) -> list[PageLeaf]:
        width = next(width for most, width in LEAF_WIDTHS if len(pages) <= most)
        return [
            PageLeaf(round(self._page_x(page) - width / 2, 1), page == self.current, page + 1, width) for page in pages
        ]

    def _middle(self, section: MapHeading) -> float:
        middle = (section.page_start + section.page_end + 1) / 2
        return round(middle / self.page_count * WIDTH, 1)

    def _page_x(self, page: int) -> float:
        return round(min(max((page + 0.5) / self.page_count * WIDTH, 3.5), WIDTH - 3.5), 1)

    def _ruler(self) -> list[Stretch]:
        starts = sorted({0, *(part.page_start for part in self.parts if part.page_start < self.page_count)})
        stretches: list[Stretch] = []
        begin = 0.0
        for end in [*(start / self.page_count * WIDTH for start in starts[1:]), WIDTH]:
            if end - begin < 2.5 and end < WIDTH:
                continue
            width = max(end - begin - (1 if end < WIDTH else 0), 0.5)
            stretches.append(Stretch(round(begin, 1), round(width, 1), len(stretches) % 2 == 1))
            begin = end
        return stretches

    def _labels(self, pages: Sequence[int]) -> list[PageLabel]:
        labels: list[PageLabel] = []
        last = -WIDTH
        for page in pages:
            x = self._page_x(page)
            if x - last >= LABEL_ROOM:
                anchor = "start" if x < LABEL_ROOM else "end" if x > WIDTH - LABEL_ROOM else "middle"
                edge = {"start": 0.0, "end": WIDTH}.get(anchor, x)
                labels.append(PageLabel(edge, str(page + 1), anchor, True))
                last = x
        return labels + [end for end in self._ends() if not _is_taken(end, labels)]

    def _ends(self) -> list[PageLabel]:
        first, final = PageLabel(0.0, "1", "start", False), PageLabel(WIDTH, str(self.page_count), "end", False)
        return [first, final] if self.page_count > 1 else [first]


def spread_places(wanted: Sequence[float]) -> list[float]:
    """Places inside the box as near as can be to the wanted ones, in their order and not closer than APART.

    Where a row is too full for that, its members share the width evenly.
    """
    low, high = EDGE, WIDTH - EDGE
    gap = min(APART, (high - low) / max(len(wanted) - 1, 1))
    placed: list[float] = []
    for x in wanted:
        placed.append(max(x, placed[-1] + gap if placed else low))
    limit = high
    for number in reversed(range(len(placed))):
        placed[number] = round(min(placed[number], limit), 1)
        limit = placed[number] - gap
    return placed


def _choose_radius(role: str, y: float) -> float:
    return 3.2 if role in WALKED else 2.5 if y == PART_Y else 2.0


def _is_taken(end: PageLabel, labels: Sequence[PageLabel]) -> bool:
    return any(abs(label.x - end.x) < LABEL_ROOM * 1.4 for label in labels)


def _role(ref: dict[str, Any]) -> str:
    role = str(ref.get("role", "walked"))
    return role if role in TOUCHED else "walked"


NAMED = 4
"""Titles that a line names before "and n more"."""
LISTED = 24
"""Sections that the list beside the map shows of each role."""
OUTLINES_KEPT = 64
"""Outlines that a process keeps."""


def maps_of(
    run: Run, steps: Sequence[Step], citations: Sequence[Citation], read: Iterable[DocumentVersion]
) -> list[dict[str, Any]]:
    """One map for each document that was opened, in the order in which the walks first touched them.

    One of them is `open`: that of the first citation, before there is one that touched last.
    """
    versions = {str(version.document_id): version for version in read}
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
    told = {name: ref[name] for name in ("title", "page_start", "page_end")}
    return {**told, "page": ref["page_start"] + 1, **page_addresses(run, version, ref["page_start"])}


def page_addresses(run: Run, version: DocumentVersion, page_index: int) -> dict[str, str]:
    """Where a page that a run touched is read, in the reader (`url`) and beside the run (`sheet_url`)."""
    slug = run.workspace.slug
    url = reverse("documents:detail", args=[slug, version.document_id]) + f"?page={page_index + 1}"
    return {"url": url, "sheet_url": _fragment_url(run, version, page_index)}


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
