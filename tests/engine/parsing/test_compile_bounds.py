"""Files that are small and endless at once: reading takes time by their length, and what is left out is told."""

import time
from collections.abc import Callable

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.engine.parsing.conftest import outline, texts, uncovered
from tests.support.word_files import body
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.html import DEEPEST, DEEPEST_INLINE, MOST_ATTRIBUTES, bound_page, html_text

pytestmark = pytest.mark.slow

ENDLESS: dict[str, Callable[[int], str]] = {
    "choices": lambda n: "<p>word</p><select>" + "<option>word" * n,
    "groups of choices": lambda n: "<p>word</p><select>" + "<optgroup><option>word" * n,
    "blocks in each other": lambda n: "<div>" * n + "word" + "</div>" * n,
    "lists in each other": lambda n: "<ul><li>word " * n,
    "tables in each other": lambda n: "<table><tr><td>word" * n,
    "unknown elements in each other": lambda n: "<x>" * n + "word",
    "ends that close nothing": lambda n: "<div><table></div></table>word" * n,
    "links around blocks": lambda n: "<a><div>word</a>" * n,
    "formats that never end": lambda n: "".join(f"<p><font color={i}>word" for i in range(n)),
    "attributes": lambda n: "<p " + " ".join(f'a{i}="v"' for i in range(n)) + ">word</p>",
    "attributes without values": lambda n: "<p " + " ".join(f"a{i}" for i in range(n)) + ">word</p>",
    "attributes of many bodies": lambda n: "".join(f"<body a{i}=1>" for i in range(n)) + "word",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_page_is_read_in_time_by_its_length(name):
    """The parser alone takes sixteen times as long for four times as much; twelve is far from four and sixteen."""
    page = ENDLESS[name]
    short, long = (min(_seconds(page(number)) for _ in range(2)) for number in (5_000, 20_000))

    assert long < max(12 * short, 0.3), (short, long)
    assert "word" in html_text(bound_page(page(5_000)).source)[0]


def _seconds(source: str) -> float:
    started = time.process_time()
    LexborHTMLParser(bound_page(source).source)
    return time.process_time() - started


@pytest.mark.timeout(40)
def test_a_page_of_every_endless_kind_is_compiled(compiled):
    for make in (ENDLESS["attributes"], ENDLESS["blocks in each other"], ENDLESS["choices"]):
        document = compiled("<!doctype html><p>first</p>" + make(200_000), "page.html")
        assert texts(document, "paragraph")[0] == "first"
        assert uncovered(document) == []


def test_words_behind_the_bounds_stay_and_are_told(compiled):
    document = compiled(
        "<!doctype html>" + "".join(f"<div>w{number} " for number in range(2 * DEEPEST)) + "<p>last</p>", "page.html"
    )

    said = " ".join(texts(document, "paragraph"))
    assert all(f"w{number}" in said.split() for number in range(2 * DEEPEST))
    assert "last" in said
    assert document.report.warnings[-1].startswith("Elements of this page are nested deeper than 512 levels")


def test_an_element_keeps_its_first_attributes(compiled):
    more = " ".join(f'a{number}="{number}"' for number in range(3 * MOST_ATTRIBUTES))

    hidden = bound_page(f"<p hidden {more}>never shown</p><p>shown</p>")

    assert html_text(hidden.source)[0].split() == ["shown"]
    assert hidden.remarks == ("An element of this page has more than 1,000 attributes; the others were left out.",)


ORDINARY = (
    '<!doctype html><html><head><title>a > b</title><script>if (a<b) "<div>".repeat(9)</script></head><body>'
    + "<p>One<br>two<p>three <b>four <i>five</b> six</i><div a=\"x>y\" b='<p>'>seven</div><!-- <div> -->" * 400
    + "<table><tr><td><p>a<td>b<tr><th>c</table><ul><li>d<li>e</ul><select><option>f<option>g</select>" * 400
    + "<svg>"
    + "<path/>" * (2 * DEEPEST_INLINE)
    + "</svg><h2>h</h2><h3>i</h4>" * 400
    + "<p><span>unclosed</p>" * 400
)


def test_a_page_within_the_bounds_is_handed_on_as_it_is():
    source = ORDINARY[: ORDINARY.rindex("<p><span>unclosed</p>" * 400)]

    assert bound_page(source).source is source


def test_marks_left_open_by_mistake_cost_no_words():
    before, after = html_text(ORDINARY)[0], html_text(bound_page(ORDINARY).source)[0]

    assert before == after


@pytest.mark.parametrize("source", ["<" * 50_000, '<p a="' * 50_000, "<!--" * 50_000, "<p a " * 50_000, "</" * 50_000])
def test_marks_that_never_end_are_passed_in_one_go(source):
    assert _seconds(source) < 2


def test_a_table_with_one_endless_row_is_kept_as_lines(compiled):
    wide = "\t".join(["a"] * 3_000) + "\n" + "b\tc\n" * 3_000

    document = compiled(wide, "rows.txt")

    assert document.report.tables == 0
    assert uncovered(document) == []


def test_many_tabs_in_a_word_run_are_read_at_once(compiled):
    document = compiled(body(f"<w:p><w:r>{'<w:tab/>' * 100_000}<w:t>word</w:t></w:r></w:p>"), "tabs.docx")

    assert texts(document, "paragraph") == ["word"]


def _heading(level: int, text: str) -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="Heading{level}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'


PARTS = "".join(
    _heading(1, f"Part {part}") + "".join(_heading(2, f"Point {part}.{point}") for point in range(9))
    for part in range(5)
)


@pytest.mark.parametrize(("limit", "kept", "said"), [(20, 5, "its first level"), (3, 3, "the first 3")])
def test_an_outline_with_too_many_headings_keeps_its_upper_levels_and_of_one_level_the_first(
    compiled, limit, kept, said
):
    document = compiled(body(PARTS), "parts.docx", limits=CompileLimits(sections=limit))
    assert outline(document) == [(1, f"Part {part}") for part in range(kept)]
    assert document.report.warnings == (
        f"This document has 50 headings; the outline shows {said}. The others are kept as text.",
    )
    assert "Point 3.8" in " ".join(texts(document, "paragraph"))
    assert uncovered(document) == []


def test_an_outline_within_the_limit_is_as_it_was(compiled):
    assert compiled(body(PARTS), "parts.docx", limits=CompileLimits(sections=50)).report.warnings == ()


def test_a_file_that_makes_too_much_of_itself_is_refused(tmp_path):
    path = tmp_path / "parts.docx"
    path.write_bytes(body(PARTS))
    made = compile_file(path, name="parts.docx")

    limits = CompileLimits(artefact_floor=len(made) - 1, artefact_ratio=0)
    with pytest.raises(UnreadableDocument) as refused:
        compile_file(path, name="parts.docx", limits=limits)

    assert refused.value.code == "artefact_too_large"
    assert "Split it into smaller files." in refused.value.message
    assert CompiledDocument(compile_file(path, name="parts.docx", limits=CompileLimits(artefact_ratio=0)))
