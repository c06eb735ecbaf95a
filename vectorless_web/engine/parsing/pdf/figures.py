"""Figures of a PDF: the pictures on its pages that are neither background nor logo, and the lines that name them."""

import ctypes
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from vectorless_web.engine.documents.figures import FigurePicture
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.drafts import Draft
from vectorless_web.engine.parsing.figures import read_caption
from vectorless_web.engine.parsing.lines import Page
from vectorless_web.engine.parsing.terms import any_of

_LEAST_SIDE, _LEAST_SHARE = 56.0, 0.012
"""Points of the shorter side, and share of the page, below which a picture is an icon or a signature's seal."""
_BACKGROUND = 0.85
"""Share of a page from which a picture lies behind it."""
_REPEATED = 3
"""Pages on which a picture of one size at one place is a logo; it is told where it is first."""
_FIGURES_OF_PAGE, _FIGURES = 24, 400
"""Figures of a page and of a document at most; a catalogue has more pictures than anybody asks about."""
_OBJECTS, _PARTS = 6_000, 400
"""Objects of a form that are looked at, and pictures of a page: more are the strips of one."""
_NEAR = 90.0
"""Points between a picture and its caption at most: a legend or a source may stand between them."""
_PICTURE_MARK = re.compile(rb"/Subtype\s{0,20}/Image\b")
"""What each picture's dictionary holds; those are never packed, so a file without it has no picture."""
_READ_BYTES, _MARK_BYTES = 1 << 20, 40
_TOUCH = 3.0
"""Points within which two pictures are strips or tiles of one."""
_ALONG = 0.9
"""Share of the smaller side along which they must touch."""

Edges = tuple[float, float, float, float]
"""(left, top, right, bottom) in points from the top left of the displayed page."""


@dataclass(frozen=True, slots=True)
class FigureBox:
    """A picture on a page. A drawing made of shapes counts as a picture only when a caption names it."""

    page_index: int
    edges: Edges
    is_drawn: bool = False


def may_hold_pictures(path: Path) -> bool:
    """Whether a file names a picture at all: half of all filings do not, and their pages need not be looked through."""
    kept = b""
    with path.open("rb") as file:
        while read := file.read(_READ_BYTES):
            if _PICTURE_MARK.search(kept + read):
                return True
            kept = read[-_MARK_BYTES:]
    return False


def list_pictures(
    page: pdfium_c.FPDF_PAGE,
    objects: Sequence[tuple[int, int]],
    corner: tuple[float, float],
    size: tuple[float, float],
) -> list[Edges]:
    """The boxes of a loaded page's pictures, cut at its edges; none for a page that is displayed turned.

    `objects` are (address, type) of what is drawn on it; `corner` is the lower left of what is displayed, `size` its
    width and height.
    """
    if pdfium_c.FPDFPage_GetRotation(page):
        return []
    bounds = [ctypes.c_float() for _ in range(4)]
    places = [ctypes.byref(bound) for bound in bounds]
    found: list[Edges] = []
    for address, kind in objects:
        if kind not in (pdfium_c.FPDF_PAGEOBJ_IMAGE, pdfium_c.FPDF_PAGEOBJ_FORM):
            continue
        thing = ctypes.cast(address, pdfium_c.FPDF_PAGEOBJECT)
        if kind != pdfium_c.FPDF_PAGEOBJ_IMAGE and not (kind == pdfium_c.FPDF_PAGEOBJ_FORM and _holds_picture(thing)):
            continue
        if len(found) < _PARTS and pdfium_c.FPDFPageObj_GetBounds(thing, *places):
            left, bottom, right, top = (bound.value for bound in bounds)
            upper, lower = size[1] - (top - corner[1]), size[1] - (bottom - corner[1])
            edges = (left - corner[0], upper, right - corner[0], lower)
            found.append((max(edges[0], 0.0), max(edges[1], 0.0), min(edges[2], size[0]), min(edges[3], size[1])))
    return found


_CAPTION_LINE = re.compile(rf"^\s*{any_of('figure')}\s*[A-Z]?\d", re.I | re.M)


def names_figure(text: str) -> bool:
    """Whether a line of the page begins like a figure's caption. Drawn shapes are searched on such pages alone."""
    return _CAPTION_LINE.search(text) is not None


_CELL = 6.0
"""Points of the cells in which shapes that stand near each other are found to be one drawing."""
_REACH = 2
"""Cells between two shapes of one drawing at most: bars of a chart stand closer than its legend."""
_LEAST_SHAPES = 4
"""Shapes of a drawing besides level and upright lines; a curve counts as one for every four of its segments. A frame
around a paragraph has one; the smallest chart of bars has four."""
_MOST_SEGMENTS = 400
_SPREAD = 0.6
"""Share of the page from which a shape is its ground or frame."""


def list_drawings(
    page: pdfium_c.FPDF_PAGE,
    objects: Sequence[tuple[int, int]],
    corner: tuple[float, float],
    size: tuple[float, float],
) -> list[Edges]:
    """The boxes of what is drawn of many shapes on a loaded page, as `list_pictures` has those of pictures."""
    if pdfium_c.FPDFPage_GetRotation(page):
        return []
    shapes = list(_read_shapes(objects, corner, size))
    if sum(weight for _, weight in shapes) < _LEAST_SHAPES:
        return []
    found = []
    for own in _group_shapes([box for box, _ in shapes], size):
        if sum(shapes[place][1] for place in own) >= _LEAST_SHAPES:
            found.append(reduce(_unite, (shapes[place][0] for place in own)))
    return [edges for edges in found if _is_figure(edges, max(size[0] * size[1], 1.0))][:_FIGURES_OF_PAGE]


def _read_shapes(
    objects: Sequence[tuple[int, int]], corner: tuple[float, float], size: tuple[float, float]
) -> Iterator[tuple[Edges, float]]:
    bounds = [ctypes.c_float() for _ in range(4)]
    places = [ctypes.byref(bound) for bound in bounds]
    for address, kind in objects:
        thing = ctypes.cast(address, pdfium_c.FPDF_PAGEOBJECT)
        is_form = kind == pdfium_c.FPDF_PAGEOBJ_FORM
        if not (is_form or kind == pdfium_c.FPDF_PAGEOBJ_PATH):
            continue
        if not pdfium_c.FPDFPageObj_GetBounds(thing, *places):
            continue
        left, bottom, right, top = (bound.value for bound in bounds)
        box = (
            max(left - corner[0], 0.0),
            max(size[1] - (top - corner[1]), 0.0),
            min(right - corner[0], size[0]),
            min(size[1] - (bottom - corner[1]), size[1]),
        )
        across, down = box[2] - box[0], box[3] - box[1]
        if across < 0 or down < 0 or across * down > _SPREAD * size[0] * size[1]:
            continue
        yield box, _count_paths(thing) if is_form else _weigh_path(thing, min(across, down))


def _weigh_path(path: pdfium_c.FPDF_PAGEOBJECT, narrow: float) -> float:
    segments = min(int(pdfium_c.FPDFPath_CountSegments(path)), _MOST_SEGMENTS)
    return 0.0 if narrow < _TOUCH else segments / 4 if segments > _BOX_SEGMENTS else 1.0


def _count_paths(form: pdfium_c.FPDF_PAGEOBJECT) -> float:
    """The paths of a form, which is how a chart of another program stands on a page."""
    inner = range(min(int(pdfium_c.FPDFFormObj_CountObjects(form)), _OBJECTS))
    kinds = (pdfium_c.FPDFPageObj_GetType(pdfium_c.FPDFFormObj_GetObject(form, number)) for number in inner)
    return float(sum(kind in (pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_SHADING) for kind in kinds))


_BOX_SEGMENTS = 6
"""Segments of a rectangle at most."""


def _group_shapes(boxes: Sequence[Edges], size: tuple[float, float]) -> list[list[int]]:
    """Shapes that stand near each other, by their places in the list; found on a grid, however many they are."""
    width, height = int(size[0] / _CELL) + 1, int(size[1] / _CELL) + 1
    covered = np.zeros((height, width), dtype=bool)
    for box in boxes:
        left, top, right, bottom = (int(edge / _CELL) for edge in box)
        covered[top : bottom + 1, left : right + 1] = True
    labels = _label_cells(covered)
    groups: dict[int, list[int]] = defaultdict(list)
    for place, box in enumerate(boxes):
        groups[int(labels[int(box[1] / _CELL), int(box[0] / _CELL)])].append(place)
    return list(groups.values())


def _label_cells(covered: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The number of the drawing for each covered cell, from 1; cells up to _REACH apart belong together."""
    labels = np.zeros(covered.shape, dtype=np.int32)
    waiting = {(int(row), int(column)) for row, column in zip(*np.nonzero(covered), strict=True)}
    steps = range(-_REACH, _REACH + 1)
    number = 0
    while waiting:
        number += 1
        stack = [waiting.pop()]
        while stack:
            row, column = stack.pop()
            labels[row, column] = number
            for near in ((row + down, column + across) for down in steps for across in steps):
                if near in waiting:
                    waiting.remove(near)
                    stack.append(near)
    return labels


def _holds_picture(form: pdfium_c.FPDF_PAGEOBJECT) -> bool:
    inner = range(min(int(pdfium_c.FPDFFormObj_CountObjects(form)), _OBJECTS))
    kinds = (pdfium_c.FPDFPageObj_GetType(pdfium_c.FPDFFormObj_GetObject(form, number)) for number in inner)
    return any(kind == pdfium_c.FPDF_PAGEOBJ_IMAGE for kind in kinds)


def choose_figures(pages: Sequence[Page], scanned: Collection[int]) -> list[FigureBox]:
    """Which pictures are figures, in reading order: logos once, backgrounds, icons and scanned pages never."""
    found = [box for page in pages if page.index not in scanned for box in _figures_of_page(page)]
    places: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for box in found:
        places[_round_box(box)].add(box.page_index)
    told: set[tuple[int, ...]] = set()
    figures = []
    for box in found:
        place = _round_box(box)
        if len(places[place]) < _REPEATED or place not in told:
            figures.append(box)
        told.add(place)
    drawn = [
        FigureBox(page.index, _include_labels(edges, page), is_drawn=True)
        for page in pages
        if page.index not in scanned
        for edges in page.drawings
        if not any(_touch(edges, picture.edges) for picture in figures if picture.page_index == page.index)
    ]
    return (figures + drawn)[:_FIGURES]


_LABEL, _BESIDE = 40, 14.0
"""Characters of a label of a chart at most, and points from the shapes at which it is."""


def _include_labels(edges: Edges, page: Page) -> Edges:
    if (page.width, page.height) != page.shown:
        return edges
    for line in page.lines:
        text = page.text[line.start : line.end].strip()
        box = (line.left, line.top, line.right, line.bottom)
        wider = (edges[0] - _BESIDE, edges[1] - _BESIDE, edges[2] + _BESIDE, edges[3] + _BESIDE)
        is_inside = box[0] >= wider[0] - 2 * _BESIDE and box[2] <= wider[2] + 2 * _BESIDE
        is_near = min(box[2], wider[2]) > max(box[0], wider[0]) and min(box[3], wider[3]) > max(box[1], wider[1])
        if is_near and (len(text) <= _LABEL or is_inside) and read_caption(text) is None and not text.endswith("."):
            edges = _unite(edges, box)
    return edges


def _round_box(box: FigureBox) -> tuple[int, ...]:
    """Place and size to four points: what a logo has in common on all its pages."""
    return tuple(round(edge / 4) for edge in box.edges)


def _figures_of_page(page: Page) -> list[FigureBox]:
    area = max(page.shown[0] * page.shown[1], 1.0)
    kept = [edges for edges in merge_pictures(page.pictures) if _is_figure(edges, area)]
    kept.sort(key=lambda edges: (edges[1], edges[0]))
    return [FigureBox(page.index, edges) for edges in kept[:_FIGURES_OF_PAGE]]


def _is_figure(edges: Edges, area: float) -> bool:
    across, down = edges[2] - edges[0], edges[3] - edges[1]
    return min(across, down) >= _LEAST_SIDE and _LEAST_SHARE <= across * down / area < _BACKGROUND


def merge_pictures(pictures: Sequence[Edges]) -> list[Edges]:
    """Join boxes that overlap or touch along a whole side: programs cut large pictures into strips."""
    merged: list[Edges] = []
    for edges in pictures:
        joined = edges
        while touching := [own for own in merged if _touch(own, joined)]:
            merged = [own for own in merged if own not in touching]
            joined = reduce(_unite, touching, joined)
        merged.append(joined)
    return merged


def _unite(one: Edges, other: Edges) -> Edges:
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))


def _touch(one: Edges, other: Edges) -> bool:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    if across > 0 and down > 0:
        return True
    narrower, lower = min(one[2] - one[0], other[2] - other[0]), min(one[3] - one[1], other[3] - other[1])
    stacked = -_TOUCH <= down <= 0 and across >= _ALONG * narrower and abs(one[0] - other[0]) <= _TOUCH
    beside = -_TOUCH <= across <= 0 and down >= _ALONG * lower and abs(one[1] - other[1]) <= _TOUCH
    return stacked or beside


def place_figures(drafts: Sequence[Draft], pages: Sequence[Page], figures: Sequence[FigureBox]) -> list[Draft]:
    """The drafts with one figure for each picture: its caption, or a figure without text at its place."""
    if not figures:
        return list(drafts)
    of_page: dict[int, list[FigureBox]] = defaultdict(list)
    for box in figures:
        of_page[box.page_index].append(box)
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for place, draft in enumerate(drafts):
        first.setdefault(draft.page, place)
        last[draft.page] = place
    changed = dict(enumerate(drafts))
    added: dict[int, list[Draft]] = defaultdict(list)
    for page_index, boxes in of_page.items():
        within = range(first[page_index], last[page_index] + 1) if page_index in first else range(0)
        spots = {place: _spot_of(drafts[place], pages[page_index]) for place in within}
        for box in boxes:
            caption = _find_caption(drafts, spots, box)
            if caption is None and box.is_drawn:
                continue
            if caption is None:
                added[_find_place(drafts, spots, box)].append(_make_wordless(box))
                continue
            own = drafts[caption]
            changed[caption] = replace(
                own,
                kind=NodeKind.FIGURE,
                title="",
                level=-1,
                label=read_caption(" ".join(own.text.split())) or "",
                picture=_picture_of(box),
            )
            del spots[caption]
    return [own for place in range(-1, len(drafts)) for own in (*_at(changed, place), *added.get(place, ()))]


def _at(drafts: dict[int, Draft], place: int) -> tuple[Draft, ...]:
    return (drafts[place],) if place in drafts else ()


def _picture_of(box: FigureBox) -> FigurePicture:
    left, top, right, bottom = (round(edge, 1) for edge in box.edges)
    return FigurePicture(round(right - left, 1), round(bottom - top, 1), box=(left, top, right, bottom))


def _make_wordless(box: FigureBox) -> Draft:
    return Draft(NodeKind.FIGURE, "", (), box.page_index, picture=_picture_of(box))


def _spot_of(draft: Draft, page: Page) -> Edges | None:
    if (page.width, page.height) != page.shown:
        return None
    runs = [(run.char_index, run.char_index + run.length) for run in draft.runs if run.page_index == page.index]
    lines = [line for line in page.lines if any(begin < line.end and line.start < end for begin, end in runs)]
    if not lines:
        return None
    return (
        min(line.left for line in lines),
        min(line.top for line in lines),
        max(line.right for line in lines),
        max(line.bottom for line in lines),
    )


def _find_caption(drafts: Sequence[Draft], spots: dict[int, Edges | None], box: FigureBox) -> int | None:
    """The nearest caption below or above a picture that stands across from it; below goes first."""
    near: list[tuple[float, int]] = []
    for place, spot in spots.items():
        own = drafts[place]
        if spot is None or own.kind not in (NodeKind.PARAGRAPH, NodeKind.SECTION, NodeKind.LIST, NodeKind.CAPTION):
            continue
        left, top, right, bottom = box.edges
        across = min(spot[2], right) - max(spot[0], left)
        below, above = spot[1] - bottom, top - spot[3]
        gap = max(below, above, 0.0)
        if gap <= _NEAR and across > 0 and read_caption(" ".join(own.text.split())):
            near.append((gap, place))
    return min(near)[1] if near else None


def _find_place(drafts: Sequence[Draft], spots: dict[int, Edges | None], box: FigureBox) -> int:
    """The place of the draft behind which a picture without caption is: the last one above it on its page."""
    above = [place for place, spot in spots.items() if spot is not None and spot[3] <= box.edges[1] + _TOUCH]
    if above:
        return max(above)
    if spots:
        return min(spots) - 1
    return max((place for place, draft in enumerate(drafts) if draft.page < box.page_index), default=-1)
