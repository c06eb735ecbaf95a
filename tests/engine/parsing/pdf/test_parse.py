"""PDFs that the cases of files/printed.txt do not show: running lines, bookmarks, pages, places on the page."""

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


def test_repeated_headers_and_page_numbers_are_kept_apart_from_the_text(compiled):
    pages = [
        [Text(72, 30, "Tidal Board Report"), *chapter(f"Chapter {n} of {'ABCDE'[n - 1]}"), Text(300, 760, str(n))]
        for n in range(1, 6)
    ]
    document = compiled(pdf(pages))
    assert sorted(set(texts(document, "running"))) == ["1", "2", "3", "4", "5", "Tidal Board Report"]
    assert not any("Tidal Board" in text for text in texts(document, "paragraph"))
    assert not uncovered(document)


def test_bookmarks_make_the_outline_and_can_be_ignored(compiled):
    pages = [chapter(f"Part {name}") for name in ("Alpha", "Beta", "Gamma", "Delta")]
    marks = [("Front", 0), *((f"Part {name}", n) for n, name in enumerate(("Alpha", "Beta", "Gamma", "Delta")))]
    data = pdf(pages, bookmarks=marks)
    document = compiled(data)
    assert document.report.outline_source == "bookmarks"
    assert outline(document)[0] == (1, "Front")
    assert compiled(data, ignore_bookmarks=True).report.outline_source == "headings"


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
