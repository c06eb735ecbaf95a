"""PDFs: headings, paragraphs, running lines, tables and their places on the page."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.parsing.conftest import nodes, outline, texts, uncovered
from tests.support.paper import Text, pdf, prose
from tests.support.pdf_text import text_under
from vectorless_web.engine.documents.node import GlyphSpan
from vectorless_web.engine.parsing.pdf.text import HYPHENS, find_words, highlight_boxes, render_page


def chapter(title: str) -> list[Text]:
    return [
        Text(72, 120, title, 16, "bold"),
        *prose(72, 150, 12, f"{title[-1]} the committee read the measured tides."),
    ]


@given(st.text(alphabet=f"ab😀 \n\u2003\x1c{HYPHENS}", max_size=20) | st.text(max_size=40))
def test_words_stand_between_white_space_and_end_with_a_mark_of_division(text):
    one_by_one = re.compile(rf"[^\s{HYPHENS}]+[{HYPHENS}]?|[{HYPHENS}]")
    assert find_words(text).tolist() == [list(match.span()) for match in one_by_one.finditer(text)]


def test_a_title_over_two_lines_is_one_heading(compiled):
    page = [
        Text(72, 80, "Findings of the Survey of the Northern Breakwater and", 14, "bold"),
        Text(72, 97, "of the Southern Approach", 14, "bold"),
        *prose(72, 130, 8),
    ]
    title = "Findings of the Survey of the Northern Breakwater and of the Southern Approach"
    assert outline(compiled(pdf([page]))) == [(1, title)]


@pytest.mark.parametrize(
    "above,name", [("Revenue by harbour, 2025", "Revenue by harbour, 2025"), ("It is told by harbour below.", "")]
)
def test_a_short_line_above_a_table_that_is_no_sentence_names_it(compiled, above, name):
    rows = [
        Text(left, 360 + 12 * number, words, 9)
        for number, row in enumerate((("Bergen", "4,120", "3,985"), ("Oslo", "88", "12"), ("Moss", "7", "9")))
        for left, words in zip((72, 300, 380), row, strict=True)
    ]
    page = [*prose(72, 80, 16), Text(72, 330, above, 10), Text(300, 346, "2025", 9), Text(380, 346, "2024", 9), *rows]
    assert [node.title for node in nodes(compiled(pdf([page]))) if node.table is not None] == [name]


def test_parts_and_items_nest_whatever_their_looks(compiled):
    page = [
        Text(72, 80, "PART I", 10, "bold"),
        Text(72, 110, "Item 1. Business", 10, "bold"),
        *prose(72, 130, 6),
        Text(72, 220, "Overview", 12, "bold"),
        *prose(72, 240, 6),
        Text(72, 330, "Item 2. Properties", 10, "bold"),
        *prose(72, 350, 6),
    ]
    expected = [(1, "PART I"), (2, "Item 1. Business"), (3, "Overview"), (2, "Item 2. Properties")]
    document = compiled(pdf([page]))
    assert outline(document) == expected
    assert [node.label for node in nodes(document) if node.label] == ["Part I", "Item 1", "Item 2"]


def test_repeated_headers_and_page_numbers_are_kept_apart_from_the_text(compiled):
    pages = [
        [Text(72, 30, "Tidal Board Report"), *chapter(f"Chapter {n} of {'ABCDE'[n - 1]}"), Text(300, 760, str(n))]
        for n in range(1, 6)
    ]
    document = compiled(pdf(pages))
    assert sorted(set(texts(document, "running"))) == ["1", "2", "3", "4", "5", "Tidal Board Report"]
    assert not any("Tidal Board" in text for text in texts(document, "paragraph"))
    assert not uncovered(document)


def test_a_paragraph_runs_on_over_the_page(compiled):
    first = [
        *prose(72, 80, 40)[:-1],
        Text(72, 548, "The sentence that closes this page continues on the following one and so"),
    ]
    second = [Text(72, 80, "does the paragraph that holds it, which ends here."), *prose(72, 130, 5)]
    paragraphs = texts(compiled(pdf([first, second])), "paragraph")
    assert sum("and so does the paragraph" in text for text in paragraphs) == 1


def test_bookmarks_make_the_outline_and_can_be_ignored(compiled):
    pages = [chapter(f"Part {name}") for name in ("Alpha", "Beta", "Gamma", "Delta")]
    marks = [("Front", 0), *((f"Part {name}", n) for n, name in enumerate(("Alpha", "Beta", "Gamma", "Delta")))]
    data = pdf(pages, bookmarks=marks)
    document = compiled(data)
    assert document.report.outline_source == "bookmarks"
    assert outline(document)[0] == (1, "Front")
    assert compiled(data, ignore_bookmarks=True).report.outline_source == "headings"


def test_a_bookmark_names_the_lines_that_print_its_title_and_keeps_their_number(compiled):
    names = ["Methods", "What the Harbour Board Does for Small Vessels", "Results", "Outlook", "Sources"]
    printed = [["METHODS"], ["What the Harbour Board", "Does for Small Vessels"], ["RESULTS"], ["OUTLOOK"], ["SOURCES"]]
    pages = []
    for n, lines in enumerate(printed, start=1):
        title = [Text(72, 80 + 30 * place, line, 12, "bold") for place, line in enumerate(lines)]
        pages.append([Text(40, 80, str(n)), *title, *prose(72, 160, 14)])
    document = compiled(pdf(pages, bookmarks=[(name, n) for n, name in enumerate(names)]))
    assert outline(document) == [(1, f"{n} {name}") for n, name in enumerate(names, start=1)]


def test_bookmarks_that_a_program_cut_from_every_paragraph_are_no_outline(compiled):
    pages = [chapter(f"Part {name}") for name in ("Alpha", "Beta", "Gamma", "Delta")]
    cut = [(f"Tide number {n} of the harbour stood at the upper edge of"[:48], n) for n in range(4)]
    document = compiled(pdf(pages, bookmarks=[*cut, ("Part Alpha", 0), ("Part Beta", 1)]))
    assert document.report.outline_source == "headings"


def test_the_printed_contents_mark_plain_lines_as_headings(compiled):
    names = ["Moorings", "Fenders", "Ladders", "Lights", "Signals", "Radio"]
    entries = [Text(72, 110 + 14 * n, name) for n, name in enumerate(names)]
    numbers = [Text(520, 110 + 14 * n, str(n + 2)) for n in range(len(names))]
    listing = [Text(72, 80, "Contents", 14, "bold"), *(t for pair in zip(entries, numbers, strict=True) for t in pair)]
    bodies = [[Text(72, 80, name), *prose(72, 110, 14), Text(300, 770, str(n + 2))] for n, name in enumerate(names)]
    document = compiled(pdf([[*listing, Text(300, 770, "1")], *bodies]))
    assert document.report.outline_source == "contents"
    assert [title for _, title in outline(document)] == ["Contents", *names]


def test_a_pdf_without_headings_is_divided_by_pages_and_says_so(compiled):
    document = compiled(pdf([prose(72, 80, 40) for _ in range(7)]))
    assert [title for _, title in outline(document)] == ["Pages 1 to 5", "Pages 6 to 7"]
    assert document.report.outline_source == "pages"
    assert document.report.warnings


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_boxes_of_a_quote_lie_over_its_text_on_turned_pages_too(compiled, tmp_path, rotate):
    path = tmp_path / "turned.pdf"
    path.write_bytes(pdf([chapter("Sluice gates open twice a day")], rotate=rotate))
    document = compiled(path.read_bytes())
    section = next(node for node in nodes(document) if "Sluice" in node.text)
    start = section.text.index("gates")
    spans = document.locate(section.key, start, start + len("gates open"))
    boxes = highlight_boxes(path, spans)
    assert [text_under(path, box) for box in boxes] == ["gates open"]
    image = render_page(path, 0, 1.0)
    assert (image.width, image.height) == ((612, 792) if rotate % 180 == 0 else (792, 612))


def test_spans_of_one_printed_line_make_one_box(tmp_path):
    path = tmp_path / "line.pdf"
    path.write_bytes(pdf([[Text(72, 80, "one two three four five six")]]))
    assert len(highlight_boxes(path, [GlyphSpan(0, 0, 7), GlyphSpan(0, 8, 10)])) == 1


def test_words_drawn_out_of_order_still_stand_in_one_node_each(compiled):
    """A row whose words the file draws from right to left, between two ordinary ones."""
    rows = [Text(72, 100, "Oil"), Text(300, 100, "12"), Text(380, 100, "14")]
    mixed = [Text(380, 112, "24"), Text(72, 112, "Coal and"), Text(300, 112, "22"), Text(120, 112, "coke")]
    last = [Text(72, 124, "Gas"), Text(300, 124, "32"), Text(380, 124, "34")]
    assert not uncovered(compiled(pdf([[*rows, *mixed, *last]])))
