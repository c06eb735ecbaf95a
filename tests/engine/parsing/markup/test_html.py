"""Web pages: what they show is kept, scripts, menus and hidden parts stay out, encodings are read as declared."""

import codecs
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.parsing.conftest import nodes, outline, texts, uncovered
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.markup.html import html_text
from vectorless_web.engine.parsing.markup.pages import PAGE_CHARACTERS, cut_pages
from vectorless_web.engine.parsing.sniff import is_html

MANUAL = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Pump manual for operators</title>
<style>p { color: red }</style><script>document.write("stolen")</script></head>
<body onload="alert(1)">
<nav><a href="/">Home</a><a href="/shop">Shop</a></nav>
<h1>Pump manual</h1>
<p onclick="steal()">Check   the <b>oil</b>&nbsp;level.<br>Do it weekly.</p>
<h2>Starting</h2>
<ol><li>Open the valve<ul><li>slowly</li></ul></li><li><p>Press start</p></li></ol>
<p hidden>Hidden one</p><div style="color:red; display: none">Hidden two</div><!-- Hidden three -->
<template>Hidden four</template><noscript>Hidden five</noscript>
<h2>Limits</h2>
<table><caption>Limits by model</caption>
<thead><tr><th>Model<th colspan=2>Pressure in bar</tr><tr><th><th>lowest<th>highest</tr></thead>
<tr><td rowspan=2>P1<td>2<td>12</tr><tr><td>3<td>14</tr><tr><td>P2<td>4<td>16</tr></table>
<pre>start --slow
  stop</pre>
<img src="http://192.0.2.1/pixel.gif" alt="A drawing of the pump">
<iframe src="http://192.0.2.1/"></iframe>
</body></html>"""


def shown(document) -> str:
    return "".join(document.page_text(page) for page in range(len(document.pages)))


def test_headings_lists_code_and_tables_become_nodes(compiled):
    document = compiled(MANUAL, "manual.html")
    assert (document.media_type, document.title) == ("text/html", "Pump manual for operators")
    assert outline(document) == [(1, "Pump manual"), (2, "Starting"), (2, "Limits")]
    assert texts(document, "list") == ["1. Open the valve\n  - slowly\n2. Press start"]
    assert texts(document, "code") == ["start --slow\n  stop"]
    assert texts(document, "paragraph") == ["Check the oil level. Do it weekly.", "A drawing of the pump"]
    [node] = [node for node in nodes(document) if node.table]
    assert node.title == "Limits by model"
    headers = [column.header for column in node.table.columns]
    assert headers == ["Model", "Pressure in bar / lowest", "Pressure in bar / highest"]
    assert [(row.label, row.cells[2].text) for row in node.table.body] == [("P1", "12"), ("P1", "14"), ("P2", "16")]
    assert not uncovered(document)
    assert document.report.coverage == 1.0


def test_scripts_styles_menus_and_hidden_text_stay_out(compiled):
    text = shown(compiled(MANUAL, "manual.html"))
    for unseen in ("stolen", "color", "Hidden", "Home", "alert", "steal", "192.0.2.1", "<"):
        assert unseen not in text


def test_tables_that_arrange_the_page_are_read_as_what_they_hold(compiled):
    inner = "<table><tr><td>Model<td>Bar</tr><tr><td>P1<td>12</tr></table>"
    page = f"<html><table><tr><td><h2>Left</h2>Some words<td>{inner}</table></html>"
    document = compiled(page, "a.html")
    assert outline(document) == [(1, "Left")]
    assert texts(document, "paragraph") == ["Some words"]
    assert [node.text for node in nodes(document) if node.table] == ["Model\tBar\nP1\t12\n"]


def test_figures_keep_their_signs_and_empty_columns_go(compiled):
    rows = (
        "<tr><td><td><td colspan=3>2023<td><td colspan=3>2022</tr>"
        "<tr><td>Revenue<td><td>$<td>412<td><td><td>$<td>398<td></tr>"
        "<tr><td>Loss<td><td><td>(17<td>)<td><td><td>(9<td>)</tr>"
    )
    document = compiled(f"<html><table>{rows}</table></html>", "a.html")
    [node] = [node for node in nodes(document) if node.table]
    assert node.text == "\t2023\t2022\nRevenue\t$412\t$398\nLoss\t(17)\t(9)\n"
    assert [column.period for column in node.table.columns] == ["", "2023", "2022"]


def test_superscript_does_not_run_into_figures(compiled):
    page = '<html><p>Costs 412<sup><a href="#n">1</a></sup> and 10<sup>6</sup> m<sup>2</sup></p></html>'
    assert texts(compiled(page, "a.html"), "paragraph") == ["Costs 412[1] and 10^6 m2"]


def test_bold_lines_are_headings_where_a_page_marks_none(compiled):
    page = '<html><p><b>1. Scope</b></p><p>It covers pumps.</p><div style="font-weight: 700">2. Terms</div><p>None.</p>'
    assert outline(compiled(page, "a.html")) == [(1, "1. Scope"), (1, "2. Terms")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('<html><meta charset="windows-1251"><p>Договор действует год</p>'.encode("cp1251"), "Договор действует год"),
        ('<html><meta charset="gb2312"><p>本合同自签订之日起生效</p>'.encode("gb18030"), "本合同自签订之日起生效"),
        ('<html><meta charset="iso-2022-jp"><p>取扱説明書</p>'.encode("iso2022_jp"), "取扱説明書"),
        ('<html><meta charset="windows-1251"><p>Zürich</p>'.encode(), "Zürich"),
        (codecs.BOM_UTF8 + '<html><meta charset="windows-1251"><p>Zürich</p>'.encode(), "Zürich"),
        ('<html><meta charset="utf-8"><p>Zürich</p>'.encode("utf-16"), "Zürich"),
        ('<html><meta charset="unicode_escape"><p>\\x41 é</p>'.encode("cp1252"), "\\x41 é"),
        (b"<html><p>null\0byte &#0; and &#xD800; &amp; &lt;b&gt;</p>", "& <b>"),
    ],
)
def test_a_byte_order_mark_comes_before_utf_8_and_that_before_what_the_page_says(compiled, data, expected):
    assert expected in shown(compiled(data, "page.html"))


def test_a_page_without_words_says_what_to_do(compiled):
    for page in ("<html><head></head></html>", "<html><body><script>app()</script><div id=app></div></body></html>"):
        with pytest.raises(UnreadableDocument, match="print it to PDF") as caught:
            compiled(page, "page.txt")
        assert caught.value.code == "no_text"


def test_the_name_decides_only_for_parts_of_pages(compiled):
    assert compiled("<h1>Part</h1><p>of a page", "part.html").media_type == "text/html"
    assert compiled("<h1>Part</h1><p>of a page", "part.txt").media_type == "text/plain"
    assert compiled("Words alone, no tags.", "words.html").media_type == "text/plain"
    assert compiled(MANUAL, "manual.md").media_type == "text/html"


def test_deep_nesting_and_wild_spans_are_read(compiled):
    deep = "<div>" * 20_000 + "deep" + "</div>" * 20_000
    assert "deep" in shown(compiled(f"<html>{deep}", "a.html"))
    listed = "<ul><li>x" * 300
    assert shown(compiled(f"<html>{listed}", "a.html")).count("x") == 300
    spans = "<tr><td colspan=1000000000 rowspan=99999999>wide<td>next</tr>" * 40
    assert shown(compiled(f"<html><table>{spans}</table>", "a.html")).count("wide") == 40


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["<table><tr><td>x", "1<sup>2</sup>", "<b>x", "<td><sup>1</sup>"])
def test_what_is_repeated_ten_thousand_times_is_read_in_seconds(piece):
    text, _ = html_text("<html><p>" + piece * 10_000)
    assert len(text) >= 10_000


def test_a_table_with_more_places_than_a_table_has_is_kept_as_lines(compiled):
    page = "<html><table><tr>" + "<td>a" * 3000 + "</tr>" + "<tr><td>b</tr>" * 3000 + "</table>"
    document = compiled(page, "a.html")
    assert shown(document).count("b") == 3000
    assert not uncovered(document)


def test_long_pages_are_cut_and_long_tables_keep_their_headers(compiled):
    rows = "".join(f"<tr><td>Pump {count}<td>{count}</tr>" for count in range(900))
    document = compiled(f"<html><table><tr><th>Pump<th>Bar</tr>{rows}</table></html>", "a.html")
    assert len(document.pages) > 3
    assert all(page.characters <= 2 * PAGE_CHARACTERS for page in document.pages)
    tables = [node.table for node in nodes(document) if node.table]
    assert all([column.header for column in table.columns] == ["Pump", "Bar"] for table in tables)
    assert sum(len(table.body) for table in tables) == 900
    assert not uncovered(document)


def test_many_comments_before_the_page_are_no_trap():
    assert not is_html(b"<!---->" * 1_000)
    assert is_html(b"<!---->" * 1_000 + b"<html>")


PIECES = (
    "<p>|</p>|<li>|<ul>|</ul>|<ol>|</ol>|<table>|</table>|<tr>|<td>|<th>|<h2>|</h2>|<pre>|</pre>|<b>|</b>|<br>|<sup>|</sup>"
    "|<div>|</div>|<script>|</script>|<caption>|word|12|длина|&shy;|&nbsp;|$|)|<td colspan=3>|<td rowspan=2>"
)
TAGS = st.sampled_from(PIECES.split("|"))


@settings(max_examples=100, deadline=None)
@given(st.lists(TAGS, max_size=40))
def test_every_printed_character_stands_in_exactly_one_block(parts):
    text, blocks = html_text("<html><p>Always a word</p>" + " ".join(parts))
    pages, drafts = cut_pages(text, blocks, (), Fences())
    counts: dict[tuple[int, int], int] = {}
    for draft in drafts:
        for run in draft.runs:
            for place in range(run.char_index, run.char_index + run.length):
                counts[run.page_index, place] = counts.get((run.page_index, place), 0) + 1
    printed = {(p.index, i) for p in pages for i, character in enumerate(p.text) if not character.isspace()}
    assert all(counts.get(place) == 1 for place in printed)
    if "<script>" not in parts:
        wanted = re.findall(r"word|12|длина", " ".join(parts))
        assert all(text.count(word) >= wanted.count(word) for word in set(wanted))
