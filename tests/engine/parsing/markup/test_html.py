"""Web pages that the cases of files/pages.txt do not show: encodings, endless ones, pieces in any order."""

import codecs
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.parsing.conftest import assert_each_character_once, headers, shown, tables, uncovered
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.markup.html import html_text
from vectorless_web.engine.parsing.markup.pages import PAGE_CHARACTERS, cut_pages
from vectorless_web.engine.parsing.sniff import is_html


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


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["<table><tr><td>x", "1<sup>2</sup>", "<b>x", "<td><sup>1</sup>"])
def test_what_is_repeated_ten_thousand_times_is_read_in_seconds(piece):
    text, _ = html_text("<html><p>" + piece * 10_000)
    assert len(text) >= 10_000


def test_a_table_with_more_places_than_a_table_has_is_kept_as_lines(compiled):
    document = compiled("<html><table><tr>" + "<td>a" * 3000 + "</tr>" + "<tr><td>b</tr>" * 3000 + "</table>", "a.html")
    assert shown(document).count("b") == 3000


def test_long_pages_are_cut_and_long_tables_keep_their_headers(compiled):
    rows = "".join(f"<tr><td>Pump {count}<td>{count}</tr>" for count in range(900))
    document = compiled(f"<html><table><tr><th>Pump<th>Bar</tr>{rows}</table></html>", "a.html")
    assert len(document.pages) > 3
    assert all(page.characters <= 2 * PAGE_CHARACTERS for page in document.pages)
    assert all(headers(table) == ["Pump", "Bar"] for table in tables(document))
    assert sum(len(node.table.body) for node in tables(document)) == 900
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
    assert_each_character_once(pages, drafts)
    if "<script>" not in parts:
        wanted = re.findall(r"word|12|длина", " ".join(parts))
        assert all(text.count(word) >= wanted.count(word) for word in set(wanted))
