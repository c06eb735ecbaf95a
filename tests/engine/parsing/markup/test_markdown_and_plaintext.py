"""Markdown and plain text: pages are cut at blocks, and no character is lost or doubled."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.parsing.conftest import assert_each_character_once
from tests.engine.parsing.test_cases import cases
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.markup.markdown import markdown_text
from vectorless_web.engine.parsing.markup.pages import cut_pages
from vectorless_web.engine.parsing.markup.plaintext import text_blocks

MARKDOWN = next(case.printed for case in cases() if case.name.endswith("(handbook.md)"))


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
@given(st.lists(st.sampled_from(MARKDOWN), max_size=40))
def test_markdown_blocks_hold_every_character_of_the_readable_text_once(lines):
    text, blocks = markdown_text("\n".join(lines))
    if not blocks:
        assert not text.strip()
        return
    pages, drafts = cut_pages(text, blocks, (), Fences())
    assert_each_character_once(pages, drafts)
