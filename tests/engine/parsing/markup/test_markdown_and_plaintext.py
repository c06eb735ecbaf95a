"""Markdown and plain text: nothing is lost, headings and lists and tables are found, pages are cut at blocks."""

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.parsing.conftest import nodes, outline, texts, uncovered
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.markup.markdown import markdown_text
from vectorless_web.engine.parsing.markup.pages import PAGE_CHARACTERS, cut_pages
from vectorless_web.engine.parsing.markup.plaintext import text_blocks

MARKDOWN = """---
author: A. Tide
---
# Buoy handbook

Read **before** sailing; see [the chart](https://example.org/chart "Chart").

## Lamps

1. Unscrew the *lens*
2. Clean it
   - with water
   - never with spirit

```python
print("lamp")
# not a heading
```

| Colour | Meaning |
|--------|---------|
| red    | port    |
| green  | starboard |

Fog signals
-----------

> Two long blasts.

[chart]: https://example.org/definition
"""


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def test_markdown_keeps_every_word_even_link_definitions_and_front_matter(compiled):
    document = compiled(MARKDOWN, "handbook.md")
    kept = words("".join(document.page_text(page) for page in range(len(document.pages))))
    assert not words(MARKDOWN) - kept - Counter({"Chart": 1})
    assert not uncovered(document)


def test_markdown_headings_lists_code_and_tables(compiled):
    document = compiled(MARKDOWN, "handbook.md")
    assert outline(document) == [(1, "Buoy handbook"), (2, "Lamps"), (2, "Fog signals")]
    assert texts(document, "list") == ["1. Unscrew the lens\n2. Clean it\n  - with water\n  - never with spirit"]
    assert "# not a heading" in texts(document, "code")[0]
    [node] = [node for node in nodes(document) if node.table]
    assert [column.header for column in node.table.columns] == ["Colour", "Meaning"]
    assert [[cell.text for cell in row.cells] for row in node.table.body] == [["red", "port"], ["green", "starboard"]]


PLAIN = """SUPPLY AGREEMENT

This agreement is made between the two parties named below.

ARTICLE I - DEFINITIONS

"Goods" means the ropes described in Schedule A.

1.1 Delivery Terms

The Supplier delivers within thirty days.

(a) by road
(b) by rail

Annual volumes
==============

Year\tTonnes
2023\t410
2024\t455
"""


def test_plain_text_headings_lists_and_tables(compiled):
    document = compiled(PLAIN, "agreement.txt")
    titles = [title for _, title in outline(document)]
    assert titles == ["SUPPLY AGREEMENT", "ARTICLE I - DEFINITIONS", "1.1 Delivery Terms", "Annual volumes"]
    assert texts(document, "list") == ["(a) by road\n(b) by rail"]
    [node] = [node for node in nodes(document) if node.table]
    assert node.table.rows[1].label == "2023"
    assert not uncovered(document)


def test_long_texts_have_pages_that_end_with_blocks(compiled):
    document = compiled("\n\n".join(f"Paragraph {n}. " + "Water rises and falls. " * 20 for n in range(40)), "long.txt")
    assert len(document.pages) > 5
    assert all(page.characters <= 2 * PAGE_CHARACTERS for page in document.pages)
    assert not uncovered(document)


PAGE_IN_MARKDOWN = """# Quay lease

<div align="center"><b>Important</b> &amp; binding</div>

The rent is 1,200 EUR.<br>It is due on the <i>first</i> day; a `Map<String>` and Map<Berth> stay.

- pay <kbd>now</kbd>

<details><summary>Deposit</summary>

| Year | Rent |
|---|---|
| 2023 | 1,200<sup>1</sup> |

</details>
<!-- for the printer -->
"""


def test_html_within_markdown_is_read_and_its_tags_are_not_shown(compiled):
    document = compiled(PAGE_IN_MARKDOWN, "lease.md")
    text = "\n".join(document.page_text(page) for page in range(len(document.pages)))
    for said in ("Important & binding", "EUR.\nIt is due on the first day; a Map<String> and Map<Berth> stay."):
        assert said in text
    assert "- pay now" in text and "Deposit" in text
    assert "1,200" in text and "1,2001" not in text, "the mark of a note is no digit of the figure"
    assert not re.search(r"</?(div|b|br|i|kbd|details|summary|sup)\b|<!--", text)
    assert not uncovered(document)


def test_headings_in_other_languages(compiled):
    text = "Kapitel 1 Allgemeines\n\nDer Mieter zahlt.\n\n第一章 总则\n\n本合同自签订之日起生效。\n"
    assert [title for _, title in outline(compiled(text, "vertrag.txt"))] == ["Kapitel 1 Allgemeines", "第一章 总则"]


@settings(max_examples=60, deadline=None)
@given(
    st.text(
        alphabet=st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\n\t #-*|"),
        max_size=400,
    )
)
def test_plain_text_blocks_hold_every_printed_character_once(text):
    blocks = text_blocks(text)
    held = [index for block in blocks for index in _covered(block)]
    assert len(held) == len(set(held))
    assert {index for index, character in enumerate(text) if not character.isspace()} <= set(held)


def _covered(block) -> list[int]:
    if block.cells is None:
        return list(range(block.start, block.end))
    return [index for row in block.cells for start, end in row for index in range(start, end)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(MARKDOWN.split("\n")), max_size=40))
def test_markdown_blocks_hold_every_character_of_the_readable_text_once(lines):
    text, blocks = markdown_text("\n".join(lines))
    if not blocks:
        assert not text.strip()
        return
    pages, drafts = cut_pages(text, blocks, (), Fences())
    counts = [Counter[int]() for _ in pages]
    for draft in drafts:
        for run in draft.runs:
            counts[run.page_index].update(range(run.char_index, run.char_index + run.length))
    for page, count in zip(pages, counts, strict=True):
        assert all(count[i] == 1 for i, character in enumerate(page.text) if not character.isspace())
