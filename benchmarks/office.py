"""Asks questions of workbooks, rows of cells, decks, messages and scans, and the same of their words as Markdown.

    python benchmarks/office.py [first|second] [--show] [--keep DIR]

A set is a text file of `office/`: documents behind "=== name", in Markdown; what a message has attached stands
behind "@ name"; questions behind "?" with what a right answer holds (nothing where the document does not say it). Each
document is made a file of its kind: sheets with titles, merged headers, dates and number formats, slides with tables
and notes, messages with attachments, PDFs of pictures alone (every other in two columns) that are tilted, blurred and
stamped. It is compiled and asked as the product does it, and so is its Markdown: what differs is what the format costs.
Printed is how often the first passage shown, and the first three, hold the points of a right answer.
"""

import argparse
import io
import random
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from email.message import EmailMessage
from html import escape
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import xlsxwriter
from pptx import Presentation
from pptx.util import Inches

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.answering import Answered, Engine, find_place, run_question
from benchmarks.corpus import FolderCorpus, FolderRouter, make_router
from benchmarks.scanned import scan_pages, set_pages
from vectorless_web.documents.compiling.tesseract import find_recogniser
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.packed.enclosed import EnclosedLimits, unpack_file
from vectorless_web.engine.parsing.sniff import MAIL

HERE = Path(__file__).parent / "office"
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"([£€$]?)(-?\d{1,3}(?:,\d{3})*|-?\d+)(\.\d+)?")


@dataclass
class Source:
    """A document of a set: its file name, its Markdown, the tables of its attachments, questions and points."""

    name: str
    lines: list[str] = field(default_factory=list)
    attached: dict[str, list[str]] = field(default_factory=dict)
    questions: list[tuple[str, str]] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The suffix of its file, without the dot."""
        return self.name.rsplit(".", 1)[1]


@dataclass(frozen=True)
class Part:
    """A heading (its level), a paragraph, a list, a note or a table (lines are its rows) of a Markdown text."""

    kind: str
    lines: Sequence[str]
    level: int = 0

    @property
    def rows(self) -> list[list[str]]:
        """The cells of a table."""
        found = [[cell.strip() for cell in re.split(r"\|", line.strip()[1:-1])] for line in self.lines]
        return [row for row in found if not all(re.fullmatch(r"-+", cell) for cell in row)]


def read_set(path: Path) -> list[Source]:
    """The documents of a set with their questions."""
    found: list[Source] = []
    into: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("=== "):
            found.append(Source(line[4:].strip()))
            into = found[-1].lines
        elif line.startswith("@ "):
            into = found[-1].attached.setdefault(line[2:].strip(), [])
        elif line.startswith("? "):
            question, _, points = line[2:].partition(" | ")
            found[-1].questions.append((question.removesuffix(" |").strip(), points.strip()))
        else:
            into.append(line)
    return found


def read_parts(lines: Sequence[str]) -> Iterator[Part]:
    """The parts of a Markdown text, in their order."""
    held: list[str] = []
    kind = ""
    for line in [*lines, ""]:
        own = next((name for mark, name in _KINDS.items() if line.startswith(mark)), "text" if line.strip() else "")
        if own != kind or own == "heading":
            if held:
                yield _make_part(kind, held)
            held = []
        kind = own
        if own:
            held.append(line)
    if held:
        yield _make_part(kind, held)


_KINDS = {"#": "heading", "|": "table", "- ": "list", "> ": "note"}


def _make_part(kind: str, lines: list[str]) -> Part:
    level = len(lines[0]) - len(lines[0].lstrip("#")) if kind == "heading" else 0
    return Part(kind, [line.lstrip("#-> ").strip() if kind != "table" else line for line in lines], level)


def make_markdown(source: Source) -> bytes:
    """The document's words, those of its attachments behind them."""
    lines = list(source.lines)
    for name, own in source.attached.items():
        lines += ["", f"## {name.rsplit('.', 1)[0]}", "", *own]
    out: list[str] = []
    for part in read_parts(lines):
        if part.kind == "heading":
            out.append(f"{'#' * part.level} {part.lines[0]}")
        elif part.kind == "table":
            head, *body = part.rows
            rows = [[cell.replace(" > ", ", ") for cell in head], ["---"] * len(head), *body]
            out.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
        else:
            out.append("\n".join(f"- {line}" if part.kind == "list" else line for line in part.lines))
    return "\n\n".join(out).encode()


def make_workbook(lines: Sequence[str]) -> bytes:
    """A section a sheet: its paragraphs in single cells, its tables with typed values and merged headers."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    bold, day = book.add_format({"bold": True}), book.add_format({"num_format": "d mmm yyyy"})
    title, sheet, row = "", None, 0
    for part in read_parts(lines):
        if part.kind == "heading" and part.level == 1:
            title = part.lines[0]
            continue
        if part.kind == "heading" or sheet is None:
            sheet = book.add_worksheet(part.lines[0][:31] if part.kind == "heading" else "Sheet1")
            row = 0
            if title:
                sheet.write(row, 0, title, bold)
                title, row = "", 2
            if part.kind == "heading":
                continue
        if part.kind == "table":
            row = _write_table(book, sheet, row, part.rows, bold, day) + 1
            continue
        for line in part.lines:
            sheet.write(row, 0, line)
            row += 1
    book.close()
    return out.getvalue()


def _write_table(book: Any, sheet: Any, row: int, rows: list[list[str]], bold: Any, day: Any) -> int:
    head, *body = rows
    levels = max(cell.count(" > ") for cell in head) + 1
    if levels == 2:
        groups = [cell.split(" > ")[0] if " > " in cell else "" for cell in head]
        for group in dict.fromkeys(filter(None, groups)):
            places = [place for place, name in enumerate(groups) if name == group]
            if len(places) > 1:
                sheet.merge_range(row, places[0], row, places[-1], group, bold)
            else:
                sheet.write(row, places[0], group, bold)
        row += 1
    for place, cell in enumerate(head):
        sheet.write(row, place, cell.split(" > ")[-1], bold)
    for cells in body:
        row += 1
        for place, cell in enumerate(cells):
            value, form = _read_value(cell)
            if isinstance(value, date):
                sheet.write_datetime(row, place, value, day)
            else:
                sheet.write(row, place, value, book.add_format({"num_format": form}) if form else None)
    return row + 1


def _read_value(cell: str) -> tuple[Any, str]:
    """What a cell holds as a program stores it, and its number format."""
    if _DAY.fullmatch(cell):
        return date.fromisoformat(cell), ""
    match = _NUMBER.fullmatch(cell)
    if match is None:
        return cell, ""
    value = float((match[2] + (match[3] or "")).replace(",", ""))
    places = len(match[3] or ".") - 1
    group = "#,##0" if "," in match[2] else "0"
    return value, f"{f'{chr(34)}{match[1]}{chr(34)}' if match[1] else ''}{group}{'.' + '0' * places if places else ''}"


def make_opendocument(lines: Sequence[str]) -> bytes:
    """The same as an OpenDocument sheet."""
    sheets: list[str] = []
    rows: list[str] = []
    title = ""
    for part in read_parts(lines):
        if part.kind == "heading" and part.level == 1:
            title = part.lines[0]
        elif part.kind == "heading":
            rows = [_make_row([title]), _make_row([""])] if title else []
            title = ""
            sheets.append(part.lines[0])
            sheets.append("")
        elif part.kind == "table":
            rows += [_make_row(cells) for cells in part.rows]
        else:
            rows += [_make_row([line]) for line in part.lines]
        if sheets:
            sheets[-1] = "".join(rows)
    tables = "".join(
        f'<table:table table:name="{escape(name)}">{body}</table:table>'
        for name, body in zip(sheets[::2], sheets[1::2], strict=True)
    )
    space = "urn:oasis:names:tc:opendocument:xmlns"
    names = f'xmlns:office="{space}:office:1.0" xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0"'
    body = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", f"<office:document-content {names}>{body}</office:document-content>")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return out.getvalue()


def _make_row(cells: Sequence[str]) -> str:
    return f"<table:table-row>{''.join(map(_make_cell, cells))}</table:table-row>"


def _make_cell(cell: str) -> str:
    value, _ = _read_value(cell)
    shown = f"<text:p>{escape(cell)}</text:p>" if cell else ""
    kinds = {
        float: f' office:value-type="float" office:value="{value}"',
        date: f' office:value-type="date" office:date-value="{cell}"',
    }
    kind = kinds.get(type(value), ' office:value-type="string"' if cell else "")
    return f"<table:table-cell{kind}>{shown}</table:table-cell>"


def make_rows(lines: Sequence[str]) -> bytes:
    """The first table as rows of cells parted by semicolons, with days and commas as written on the Continent."""
    table = next(part for part in read_parts(lines) if part.kind == "table")
    return "\r\n".join(";".join(row) for row in table.rows).encode("cp1252")


def make_deck(lines: Sequence[str]) -> bytes:
    """A section a slide: paragraphs and points in its body, tables as tables, lines behind ">" as its notes."""
    deck = Presentation()
    slide: Any = None
    for part in read_parts(lines):
        if part.kind == "heading":
            slide = deck.slides.add_slide(deck.slide_layouts[0 if part.level == 1 else 1])
            slide.shapes.title.text = part.lines[0]
        elif part.kind == "note":
            slide.notes_slide.notes_text_frame.text = " ".join(part.lines)
        elif part.kind == "table":
            rows = part.rows
            frame = slide.shapes.add_table(len(rows), len(rows[0]), Inches(1), Inches(2.5), Inches(8), Inches(3))
            for number, cells in enumerate(rows):
                for place, cell in enumerate(cells):
                    frame.table.cell(number, place).text = cell
        else:
            frame = slide.placeholders[1].text_frame
            for line in part.lines:
                paragraph = frame.paragraphs[0] if not frame.text else frame.add_paragraph()
                paragraph.text = line
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def make_message(source: Source) -> bytes:
    """A message as text, as a page where it has headings, with its tables attached as workbooks."""
    message = EmailMessage()
    lines = source.lines
    message["Subject"] = lines[0].lstrip("# ")
    body = list(lines[1:])
    while body and (match := re.match(r"(From|To|Cc|Date): (.*)", body[0])):
        message[match[1]] = match[2]
        body.pop(0)
    if any(line.startswith("#") for line in body):
        message.set_content(_make_page(body), subtype="html")
    else:
        message.set_content("\n".join(body).strip() + "\n")
    for name, own in source.attached.items():
        table = make_workbook(own)
        message.add_attachment(table, maintype="application", subtype="vnd.ms-excel", filename=name)
    return bytes(message)


def _make_page(lines: Sequence[str]) -> str:
    out = []
    for part in read_parts(lines):
        if part.kind == "heading":
            out.append(f"<p><b>{escape(part.lines[0])}</b></p>")
        elif part.kind == "table":
            rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in part.rows)
            out.append(f"<table border=1>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
        elif part.kind == "list":
            out.append(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in part.lines)}</ul>")
        else:
            out.append(f"<p>{'<br>'.join(map(escape, part.lines))}</p>")
    return f"<html><body>{''.join(out)}</body></html>"


def make_scan(lines: Sequence[str], draw: random.Random, *, columns: int) -> bytes:
    """A PDF of pictures of its pages."""
    return scan_pages(set_pages("\n".join(_loosen(lines)), columns=columns), draw)


def _loosen(lines: Sequence[str]) -> Iterator[str]:
    """A blank line around every part, so that each is set by itself."""
    for part in read_parts(lines):
        yield from ["", *([f"{'#' * part.level} {part.lines[0]}"] if part.kind == "heading" else part.lines)]


def make_picture(lines: Sequence[str], draw: random.Random) -> bytes:
    """The first page as a picture file."""
    page = pdfium.PdfDocument(make_scan(lines, draw, columns=1))[0]
    out = io.BytesIO()
    page.render(scale=200 / 72, grayscale=True).to_pil().convert("RGB").save(out, "PNG")
    return out.getvalue()


def make_file(source: Source, draw: random.Random, number: int) -> bytes:
    """The document as a file of its kind."""
    makers = {
        "xlsx": lambda: make_workbook(source.lines),
        "ods": lambda: make_opendocument(source.lines),
        "csv": lambda: make_rows(source.lines),
        "pptx": lambda: make_deck(source.lines),
        "eml": lambda: make_message(source),
        "pdf": lambda: make_scan(source.lines, draw, columns=1 + number % 2),
        "png": lambda: make_picture(source.lines, draw),
    }
    return makers[source.kind]()


class HeldCorpus(FolderCorpus):
    """Files compiled already, of one folder: a document alone or with what it holds."""

    def __init__(self, paths: Sequence[Path], recogniser: Any) -> None:
        super().__init__(Path(), cache=Path(), names=())
        self._paths = {str(number): path for number, path in enumerate(paths, start=1)}
        for name, path in self._paths.items():
            self._open[name] = CompiledDocument(compile_file(path, name=path.name, recogniser=recogniser))
        if len(paths) > 1:
            self.router = FolderRouter(make_router(self), self)


def main() -> None:
    """Print how often what is shown holds the answer, for each kind of file and for the same as Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("set", nargs="?", default="first")
    parser.add_argument("--show", action="store_true", help="print every answer")
    parser.add_argument("--keep", type=Path, help="folder in which the files made are kept")
    options = parser.parse_args()
    engine = Engine(lambda _spent: Reasoner(), Limits())
    draw, recogniser = random.Random(7), find_recogniser(languages="eng", seconds=60)
    places: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = options.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        for number, source in enumerate(read_set(HERE / f"{options.set}.txt")):
            path, plain = folder / source.name, folder / f"{source.name.rsplit('.', 1)[0]}.md"
            path.write_bytes(make_file(source, draw, number))
            plain.write_bytes(make_markdown(source))
            for kind, own in ((source.kind, [path, *_take_out(path, folder)]), ("markdown", [plain])):
                corpus = HeldCorpus(own, recogniser)
                for question, points in source.questions:
                    place = _judge(run_question(question, corpus, engine), points, question, kind, options.show)
                    if points:
                        places.setdefault(kind, []).append(place)
    files = [place for kind, found in places.items() if kind != "markdown" for place in found]
    for name, found in {**places, "all files": files}.items():
        at = [sum(0 < place <= most for place in found) for most in (1, 3)]
        sys.stdout.write(f"{name}: shown first {at[0]}, in the first three {at[1]} of {len(found)}\n")


def _take_out(path: Path, folder: Path) -> list[Path]:
    """What a message has attached, as files."""
    if path.suffix != ".eml":
        return []
    into = folder / f"{path.stem}-attached"
    shutil.rmtree(into, ignore_errors=True)
    limits, quiet = EnclosedLimits(), lambda *_said: None
    found = unpack_file(path, media_type=MAIL, target=into, limits=limits, progress=quiet)
    return [(into / str(number)).rename(into / row["name"]) for number, row in enumerate(found) if not row["code"]]


def _judge(answered: Answered, points: str, question: str, kind: str, show: bool) -> int:
    """The place by which what is shown holds the points, the worked figure first; 0 for none."""
    shown = [*answered.cited, *answered.done.passages]
    place = find_place(shown, points) if points else 0
    if show:
        first = shown[0].quote[:120] if shown else ""
        sys.stdout.write(f"{place} {kind:8} {question} [{points}] <- {first!r}\n")
        sys.stdout.flush()
    return place


if __name__ == "__main__":
    main()
