"""Page layout of the demo reports, and a record of where every heading and table cell lands."""

from dataclasses import asdict, dataclass, field
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import inch
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table
from reportlab.platypus.tableofcontents import TableOfContents

BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=11.5, leading=17.5, spaceAfter=10, alignment=4)
BULLET = ParagraphStyle("bullet", parent=BODY, leftIndent=18, bulletIndent=6, spaceAfter=4)
NOTE = ParagraphStyle("footnote", parent=BODY, fontSize=8, leading=10, spaceAfter=6)
CELL = ParagraphStyle("cell", fontName="Times-Roman", fontSize=9.5, leading=12)
TITLE = ParagraphStyle("title", fontName="Times-Bold", fontSize=22, leading=28, alignment=1, spaceAfter=14)
CENTRE = ParagraphStyle("centre", parent=BODY, alignment=1)
HEADINGS = (
    ParagraphStyle("h0", fontName="Times-Bold", fontSize=14, leading=18, alignment=1, spaceBefore=10, spaceAfter=12),
    ParagraphStyle("h1", fontName="Times-Bold", fontSize=12, leading=15, spaceBefore=10, spaceAfter=8),
    ParagraphStyle("h2", fontName="Times-Bold", fontSize=10.5, leading=14, spaceBefore=8, spaceAfter=5),
    ParagraphStyle("h3", fontName="Times-BoldItalic", fontSize=10.5, leading=14, spaceBefore=6, spaceAfter=4),
)
TOC_LEVELS = [
    ParagraphStyle("toc0", fontName="Times-Bold", fontSize=10.5, leading=16),
    ParagraphStyle("toc1", fontName="Times-Roman", fontSize=10.5, leading=14, leftIndent=18),
]


@dataclass
class Heading:
    level: int
    title: str
    page_index: int


@dataclass
class CellTruth:
    table: str
    row: str
    column: str
    value: str
    unit: str
    page_index: int


@dataclass
class Truth:
    """What the generator knows of the document it wrote."""

    document: str
    pages: int = 0
    bookmarks: bool = True
    outline: list[Heading] = field(default_factory=list)
    cells: list[CellTruth] = field(default_factory=list)
    questions: list[dict] = field(default_factory=list)

    def as_dict(self) -> dict:
        """Plain data for JSON."""
        return asdict(self)


class Words(Paragraph):
    """A paragraph that remembers its text without markup."""

    def __init__(self, text: str, style: ParagraphStyle, *, printed: str) -> None:
        super().__init__(text, style)
        self.printed = printed


class RecordedTable(Table):
    """A table that notes its cells' page as it is drawn, also when it was split over pages."""

    record: "RecordedSheet | None" = None

    def split(self, width, height):
        parts = super().split(width, height)
        for part in parts:
            part.record = self.record
        return parts

    def draw(self):
        super().draw()
        if self.record:
            self.record.drawn(self._cellvalues, self.canv.getPageNumber() - 1)


@dataclass
class RecordedSheet:
    """The meaning of a table: its name, column headers and units."""

    name: str
    columns: list[str]
    units: list[str]
    truth: Truth
    header_rows: int

    def drawn(self, rows: list[list], page_index: int) -> None:
        for row in rows:
            label = plain(row[0])
            if not label or label in self._header_labels(rows):
                continue
            for column, unit, cell in zip(self.columns, self.units, row[1:], strict=True):
                if plain(cell) and column:
                    cell_truth = CellTruth(self.name, label, column, plain(cell), unit, page_index)
                    if cell_truth not in self.truth.cells:
                        self.truth.cells.append(cell_truth)

    def _header_labels(self, rows: list[list]) -> set[str]:
        return {plain(row[0]) for row in rows[: self.header_rows]}


def plain(cell) -> str:
    """A cell's text without markup."""
    if isinstance(cell, tuple | list):  # A table wraps a flowable it is given.
        return " ".join(plain(part) for part in cell)
    return cell.printed if isinstance(cell, Words) else str(cell).strip()


class Report(BaseDocTemplate):
    """A report with running header and footer, printed contents, and bookmarks if wanted."""

    def __init__(self, path: Path, *, company: str, running: str, truth: Truth) -> None:
        super().__init__(str(path), pagesize=letter, title=running, author=company, invariant=1)
        self.running, self.company, self.truth = running, company, truth
        frame = Frame(inch, 0.95 * inch, letter[0] - 2 * inch, letter[1] - 1.95 * inch, id="body")
        self.addPageTemplates(PageTemplate(id="page", frames=[frame], onPage=self._decorate))

    def _decorate(self, canvas, _document) -> None:
        number = canvas.getPageNumber()
        if number == 1:
            return
        canvas.saveState()
        canvas.setFont("Times-Italic", 8.5)
        canvas.drawString(inch, letter[1] - 0.7 * inch, self.company)
        canvas.drawRightString(letter[0] - inch, letter[1] - 0.7 * inch, "Table of Contents")
        canvas.setFont("Times-Roman", 8.5)
        canvas.drawCentredString(letter[0] / 2, 0.6 * inch, f"{self.running}  |  {number}")
        canvas.restoreState()

    def beforeDocument(self) -> None:
        self.truth.outline.clear()
        self.truth.cells.clear()

    def afterFlowable(self, flowable) -> None:
        level = getattr(flowable, "level", None)
        if level is None:
            return
        title, number = plain(flowable), self.page
        self.truth.outline.append(Heading(level, title, number - 1))
        if level < 2:
            self.notify("TOCEntry", (level, title, number))
        if self.truth.bookmarks:
            key = f"h{len(self.truth.outline)}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(title, key, level, closed=level > 0)
        self.truth.pages = number

    def handle_documentEnd(self) -> None:
        self.truth.pages = self.page
        super().handle_documentEnd()


def heading(level: int, title: str) -> Words:
    """A heading that enters the outline."""
    made = Words(title, HEADINGS[level], printed=title)
    made.level = level
    made.keepWithNext = True
    return made


def contents() -> TableOfContents:
    """The printed table of contents."""
    made = TableOfContents()
    made.levelStyles, made.dotsMinLevel = TOC_LEVELS, 0
    return made


def money(value: float | int | None, *, dollar: bool = False, places: int = 0) -> str:
    """A figure as statements print it: negative in parentheses, nothing as a dash."""
    if value is None:
        return ""
    if value == 0:
        return "—"
    text = f"{abs(value):,.{places}f}"
    text = f"({text})" if value < 0 else text
    return f"${text}" if dollar else text


def sheet(
    truth: Truth,
    name: str,
    headers: list[list[str]],
    rows: list[tuple],
    *,
    units: str | list[str],
    widths: list[float] | None = None,
    bold: tuple[str, ...] = (),
) -> RecordedTable:
    """A ruled table. `headers` are header rows (first cell over the labels); `rows` are (label, figure, ...)."""
    count = len(headers[-1]) - 1
    spread = [h if all(h[1:]) else [h[0], *[h[1]] * count] for h in headers]
    columns = [" ".join(h[i + 1] for h in spread) for i in range(count)]
    body = [[Words(_label(row[0], bold), CELL, printed=row[0]), *row[1:]] for row in rows]
    widths = widths or [3.1 * inch] + [(6.5 - 3.1) / count * inch] * count
    made = RecordedTable([*headers, *body], colWidths=widths, repeatRows=len(headers), spaceBefore=4, spaceAfter=12)
    made.setStyle(
        [
            ("FONT", (0, 0), (-1, len(headers) - 1), "Times-Bold", 9),
            ("FONT", (1, len(headers)), (-1, -1), "Times-Roman", 9.5),
            ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
            ("VALIGN", (0, 0), (-1, -1), "BOTTOM"),
            ("LINEBELOW", (0, len(headers) - 1), (-1, len(headers) - 1), 0.7, colors.black),
            ("TOPPADDING", (0, 0), (-1, -1), 2.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ]
    )
    if len(headers) > 1:
        made.setStyle([("SPAN", (1, 0), (-1, 0)), ("ALIGN", (1, 0), (-1, 0), "CENTER")])
    for index, row in enumerate(rows, len(headers)):
        if row[0] in bold:
            made.setStyle([("FONT", (1, index), (-1, index), "Times-Bold", 9.5),
                           ("LINEABOVE", (1, index), (-1, index), 0.5, colors.black)])  # fmt: skip
    per_column = units if isinstance(units, list) else [units] * count
    made.record = RecordedSheet(name, columns, per_column, truth, len(headers))
    return made


def _label(text: str, bold: tuple[str, ...]) -> str:
    return f"<b>{text}</b>" if text in bold else text
