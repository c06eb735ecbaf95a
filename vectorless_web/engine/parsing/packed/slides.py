"""Reads a PowerPoint presentation (.pptx): each slide as a page and a section, with its tables, charts and notes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.figures import PictureShelf, clean_description
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, remove_invisible, tell_counts
from vectorless_web.engine.parsing.markup.pages import DocumentText, TextBlock
from vectorless_web.engine.parsing.package import PackageKind, local, open_package, value
from vectorless_web.engine.parsing.sheets.numbers import show_number
from vectorless_web.engine.parsing.tables.spans import SpanCell

PRESENTATION = PackageKind("PowerPoint presentation", "PowerPoint", "pptx")
_DEEPEST_GROUP = 20
"""Groups within groups that are followed; hands make three or four."""
_BAND = 360_000
"""Height, in English Metric Units (a centimetre), within which shapes count as standing beside each other."""
_LONGEST_TITLE = 120
"""Characters of a first line that may name a slide without a title."""
_COORDINATES = {"xVal": "X", "yVal": "Y", "bubbleSize": "Size"}
"""Coordinates of a point of a scatter or bubble chart, and the names of their columns."""
_FURNITURE = ("dt", "ftr", "sldNum", "hdr")
"""Placeholders for dates, footers and slide numbers."""


def read_slides(path: Path, *, limits: CompileLimits) -> DocumentText:
    """Read a presentation. Page n is the n-th slide that is shown.

    UnreadableDocument: `damaged_pptx`, `encrypted_pptx`, `zip_bomb`, `unsafe_pptx`, `no_text`, `too_large`.
    """
    # Loading the library takes as long as reading a short deck, so only decks load it.
    from pptx import Presentation  # noqa: PLC0415
    from pptx.exc import PythonPptxError  # noqa: PLC0415

    with open_package(path, limits, PRESENTATION) as package:
        package.refuse_entities("ppt/")
        told = package.tell_left_out()
        try:
            deck = Presentation(str(path))
            reader = _SlideReader(PictureShelf(limits=limits))
            for number, slide in enumerate(deck.slides, start=1):
                reader.read(slide, number)
            title = deck.core_properties.title or ""
        except (PythonPptxError, AttributeError, TypeError) as error:
            raise KeyError(path.name) from error  # what the library meets in a deck that lacks parts
    writer = reader.writer
    if not any(block.end > block.start for block in writer.blocks):
        raise UnreadableDocument(
            "No slide of this presentation holds text.",
            remedy="Run text recognition (OCR) on it as a PDF and upload that.",
            code="no_text",
        )
    remarks = [*told, *reader.tell()]
    shown = reader.first_title if len(reader.starts) > 1 else ""
    return writer.finish(remove_invisible(title), remarks, starts=reader.starts, shown_title=shown)


@dataclass(slots=True)
class _SlideReader:
    shelf: PictureShelf
    writer: BlockWriter = field(default_factory=BlockWriter)
    starts: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    first_title: str = ""
    names: list[str] = field(default_factory=list)
    """The title of the slide, and the line that stands last before a table: they name it and say its units."""

    def read(self, slide: Any, number: int) -> None:
        if slide._element.get("show") in ("0", "false"):
            self.hidden.append(number)
            return
        self.writer.end_list()
        self.starts.append(self.writer.length)
        shapes = [shape for shape in _flatten(slide.shapes) if not _is_furniture(shape)]
        title = slide.shapes.title
        said = _clean(title.text_frame.text) if title is not None else ""
        self.names = [said.replace("\n", " ")] if said else []
        if len(self.starts) == 1:
            self.first_title = next(iter(self.names), "")
        if said:
            self.writer.write(NodeKind.SECTION, said.replace("\n", " "), level=1)
        else:
            self._name_slide(f"Slide {number}")
        for shape in shapes:
            if title is None or shape.shape_id != title.shape_id or not said:
                page = len(self.starts) - 1
                self.writer.fences.read("shapes of slides", page, partial(self._read_shape, shape), None)
        self.writer.end_list()
        notes = _clean(slide.notes_slide.notes_text_frame.text) if _has_notes(slide) else ""
        if notes:
            self._name_slide("Notes", level=2)
            for line in notes.split("\n"):
                self.writer.write_paragraph(line)

    def _name_slide(self, title: str, *, level: int = 1) -> None:
        self.writer.end_list()
        place = self.writer.length
        self.writer.blocks.append(TextBlock(NodeKind.SECTION, place, place, level, title))

    def _read_shape(self, shape: Any) -> None:
        if shape.has_text_frame:
            self._read_text(shape)
        elif getattr(shape, "has_table", False):
            self._read_table(shape.table)
        elif getattr(shape, "has_chart", False):
            self._read_chart(shape.chart)
        elif _is_diagram(shape):
            self._read_diagram(shape)
        elif shape.shape_type is not None and shape.shape_type.name in ("PICTURE", "LINKED_PICTURE", "MEDIA"):
            self._read_picture(shape)

    def _read_picture(self, shape: Any) -> None:
        try:
            data = shape.image.blob
        except (AttributeError, KeyError, ValueError):
            self.left_out["picture"] += 1
            return
        cut = (shape.crop_left, shape.crop_top, shape.crop_right, shape.crop_bottom)
        picture = self.shelf.take(data, cut)
        if picture is not None:
            said = next((value(own, "descr") for own in shape._element.iter() if local(own) == "cNvPr"), "")
            self.writer.write_figure(picture, clean_description(remove_invisible(said)))

    def _read_text(self, shape: Any) -> None:
        """Write a text box: one paragraph as such, several as items of a list by their levels."""
        lines = [(_clean(line.text), line.level) for line in shape.text_frame.paragraphs]
        lines = [(said, level) for said, level in lines if said]
        if len(lines) == 1:
            self.writer.write_paragraph(lines[0][0])
            self.names[1:] = lines[0][:1] if len(lines[0][0]) <= _LONGEST_TITLE else []
        else:
            for said, level in lines:
                self.writer.write_item(said, depth=level)
            self.writer.end_list()

    def _read_table(self, table: Any) -> None:
        rows = []
        for row in table.rows:
            cells = [cell for cell in row.cells if not cell.is_spanned or cell.is_merge_origin]
            rows.append(
                [
                    SpanCell(
                        _clean(cell.text),
                        cell.span_width if cell.is_merge_origin else 1,
                        cell.span_height if cell.is_merge_origin else 1,
                    )
                    for cell in cells
                ]
            )
        if any(cell.text for row in rows for cell in row):
            headers = int(bool(table.first_row) and len(rows) > 1)
            self.writer.write_table(rows, headers=headers, title=" | ".join(self.names))

    def _read_chart(self, chart: Any) -> None:
        """Write a chart's data as a table: a row for each category, a column for each series."""
        title = (
            _clean(chart.chart_title.text_frame.text) if chart.has_title and chart.chart_title.has_text_frame else ""
        )
        series = [series for plot in chart.plots for series in plot.series]
        labels = [_clean(str(label)) for label in chart.plots[0].categories] if len(chart.plots) else []
        columns = [_shown_values(own) for own in series]
        if not labels or not any(columns):
            self._read_points(series, title)
            return
        if title:
            self.writer.write_paragraph(title)
        head = [SpanCell(""), *(SpanCell(_clean(own.name or "")) for own in series)]
        body = [
            [SpanCell(label), *(SpanCell(column[place] if place < len(column) else "") for column in columns)]
            for place, label in enumerate(labels)
        ]
        self.writer.write_table([head, *body], headers=1, title=" | ".join((*self.names[:1], title)).strip(" |"))

    def _read_points(self, series: Sequence[Any], title: str) -> None:
        """Write a chart without categories as a table of its points: a row for each, its coordinates as columns."""
        named = [(own.name or "", [_shown_points(own, kind) for kind in _COORDINATES]) for own in series]
        kinds = [place for place in range(len(_COORDINATES)) if any(columns[place] for _, columns in named)]
        if len(kinds) < 2:
            self.left_out["chart without categories"] += 1
            return
        if title:
            self.writer.write_paragraph(title)
        rows = [[SpanCell("Series"), *(SpanCell(list(_COORDINATES.values())[place]) for place in kinds)]]
        for name, columns in named:
            for number in range(max(map(len, columns))):
                points = (columns[place][number] if number < len(columns[place]) else "" for place in kinds)
                rows.append([SpanCell(_clean(name)), *map(SpanCell, points)])
        self.writer.write_table(rows, headers=1, title=" | ".join((*self.names[:1], title)).strip(" |"))

    def _read_diagram(self, shape: Any) -> None:
        for relation in shape.part.rels.values():
            if relation.reltype.endswith("/diagramData") and not relation.is_external:
                for said in _diagram_words(relation.target_part.blob):
                    self.writer.write_item(said)
        self.writer.end_list()

    def tell(self) -> Iterator[str]:
        """Sentences on what was left out."""
        if self.hidden:
            shown = ", ".join(map(str, self.hidden[:20])) + (" ..." if len(self.hidden) > 20 else "")
            one = len(self.hidden) == 1
            yield (
                f"{len(self.hidden)} hidden slide{'' if one else 's'} ({shown}) {'was' if one else 'were'} left out;"
                " pages are counted without them."
            )
        more = "{things} cannot be read and {were} left out."
        yield from tell_counts(self.left_out, dict.fromkeys(self.left_out, more))
        yield from self.shelf.tell()


def _flatten(shapes: Any, depth: int = 0) -> list[Any]:
    """Shapes in reading order, those of groups in their place: from top to bottom, beside each other left to right."""
    found: list[Any] = []
    for shape in sorted(shapes, key=lambda shape: ((shape.top or 0) // _BAND, shape.left or 0)):
        if hasattr(shape, "shapes"):
            if depth < _DEEPEST_GROUP:
                found.extend(_flatten(shape.shapes, depth + 1))
        else:
            found.append(shape)
    return found


def _is_furniture(shape: Any) -> bool:
    place = next((own for own in shape._element.iter() if local(own) == "ph"), None)
    return place is not None and value(place, "type") in _FURNITURE


def _is_diagram(shape: Any) -> bool:
    return any(local(own) == "graphicData" and value(own, "uri").endswith("/diagram") for own in shape._element.iter())


def _has_notes(slide: Any) -> bool:
    return bool(slide.has_notes_slide) and slide.notes_slide.notes_text_frame is not None


def _shown_values(series: Any) -> list[str]:
    code = next((own.text for own in series._element.iter() if local(own) == "formatCode" and own.text), "General")
    return ["" if number is None else show_number(repr(float(number)), code) for number in series.values]


def _shown_points(series: Any, kind: str) -> list[str]:
    holder = next((own for own in series._element.iter() if local(own) == kind), None)
    points = [own for own in holder.iter() if local(own) == "pt"] if holder is not None else []
    return [
        show_number(next((own.text or "" for own in point if local(own) == "v"), ""), "General") for point in points
    ]


def _diagram_words(blob: bytes) -> Iterator[str]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(blob, parser)
    except etree.XMLSyntaxError:
        return
    for line in root.iter("{*}p"):
        said = _clean("".join(own.text or "" for own in line.iter("{*}t")))
        if said:
            yield said


def _clean(text: str) -> str:
    lines = (" ".join(remove_invisible(line).split()) for line in text.replace("\v", "\n").split("\n"))
    return "\n".join(filter(None, lines))
