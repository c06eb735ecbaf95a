"""Texts of nodes: white space, leaders and divided words are mended, and each character knows where it is printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.drafts import DIVIDED, LEADERS, TextBuilder
from vectorless_web.engine.parsing.lines import Vocabulary


def write(*lines: str, vocabulary: str = "") -> str:
    """The text of lines of one page, as running text."""
    builder, start = TextBuilder(vocabulary=Vocabulary([vocabulary])), 0
    for line in lines:
        if builder.length and builder.divided_at is None:
            builder.append_unplaced(" ")
        builder.raw(0, start, line)
        start += len(line) + 1
    return builder.draft(NodeKind.PARAGRAPH, 0).text


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("The quay . . . . . . . . 4", "The quay ... 4"),
        ("The quay........4", "The quay ... 4"),
        ("North berth .......", "North berth"),
        (". . . . . 4,120", "4,120"),
        ("a sum of ________ dollars", "a sum of ___ dollars"),
        ("____________", "___"),
        ("a  wide\r\n gap\xa0here", "a wide gap here"),
        ("wait ... what", "wait ... what"),
        ("see 1.2.3.4.5 there", "see 1.2.3.4.5 there"),
    ],
)
def test_leaders_and_white_space_are_mended(printed, text):
    assert write(printed) == text


@pytest.mark.parametrize(
    ("lines", "vocabulary", "text"),
    [
        (("the har\x02", "bour wall"), "", "the harbour wall"),
        (("a non\x02", "GAAP measure"), "", "a non-GAAP measure"),
        (("the long\ufffe", "term plan"), "a long-term plan of long-term use", "the long-term plan"),
        (("the long\x02", "term plan"), "longterm longterm long-term", "the longterm plan"),
        (("ends in non\x02",), "", "ends in non-"),
    ],
)
def test_divided_words_are_joined_as_the_document_writes_them(lines, vocabulary, text):
    assert write(*lines, vocabulary=vocabulary) == text


@given(st.lists(st.text(alphabet="ab .…_\t\n\x02\ufffe\xa0-", max_size=40), min_size=1, max_size=4))
def test_each_printed_character_is_placed_once_where_it_stands(lines):
    builder = TextBuilder()
    for page, line in enumerate(lines):
        builder.raw(page, 0, line)
    draft = builder.draft(NodeKind.PARAGRAPH, 0)
    placed: set[tuple[int, int]] = set()
    for run in draft.runs:
        for step in range(run.length):
            place = (run.page_index, run.char_index + step)
            printed, kept = lines[place[0]][place[1]], draft.text[run.offset + step]
            assert printed == kept or (printed in DIVIDED and kept == "-") or printed.isspace()
            assert place not in placed
            placed.add(place)
    for page, line in enumerate(lines):
        told = LEADERS.sub(lambda led: " " * len(led.group()), line)
        for index, character in enumerate(told):
            if not character.isspace() and character not in DIVIDED:
                assert (page, index) in placed
    assert not any(mark in draft.text for mark in DIVIDED)
