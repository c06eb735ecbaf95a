from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.passages.sentences import LONGEST, cut_node, cut_text, find_lead_in, join_pieces


def node_of(text, kind=NodeKind.PARAGRAPH):
    return Node(1, 0, 2, 1, kind, "", text, 0, 0, 1, "")


def sentences(text):
    return [piece.text for piece in cut_text(text)]


@given(st.text(max_size=400), st.sampled_from([NodeKind.PARAGRAPH, NodeKind.LIST, NodeKind.CODE]))
def test_pieces_are_copies_in_order_that_leave_out_no_letter(text, kind):
    pieces = cut_node(node_of(text, kind))
    assert all(piece.text == text[piece.start : piece.end] for piece in pieces)
    assert all(one.end <= other.start for one, other in pairwise(pieces))
    assert sum(c.isalnum() for c in text) == sum(c.isalnum() for piece in pieces for c in piece.text)


@given(st.lists(st.text("ab .", max_size=30), max_size=8), st.integers(1, 12))
def test_joined_pieces_are_copies_within_the_limit_or_single_pieces(lines, most):
    node = node_of("\n".join(lines))
    pieces = cut_node(node)
    for joined in join_pieces(node, pieces, most=most):
        assert joined.text == node.text[joined.start : joined.end]
        assert len(joined.text.split()) <= most or joined in pieces


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It was late. Nobody came.", 2),
        ("Dr. Voss of Acme Inc. signed it on 3 Jan. 2024 for J. Smith. He left.", 2),
        ("See e.g. No. 4 and U.S. law, approx. 3.5 per cent. Then stop!", 2),
        ("租期为三年。到期后可以续租！由谁决定？", 3),
        ("“Is it true?” she asked. Yes.", 2),
        ("2. Term and renewal", 1),
        ("Owner: Jane\nPhone: 555", 2),
        ("Der Vertrag endet am 1. Mai 2022. Er wird nicht verlängert.", 2),
        ("It is in Section 5. The tenant pays.", 2),
        ("_____\n...\n", 0),
    ],
)
def test_a_text_is_cut_where_sentences_and_lines_end(text, count):
    assert len(sentences(text)) == count


def test_a_very_long_sentence_is_cut_at_clauses():
    pieces = sentences("a clause of words, " * 100)
    assert len(pieces) > 1 and all(len(piece) <= LONGEST for piece in pieces)


def test_list_items_and_table_rows_stay_apart(compiled):
    document = compiled(
        "# T\n\nYou need:\n\n- a form\n- a photo\n\n| Item | Price |\n|---|---|\n| Form | 3 |\n| Photo | 5 |\n"
    )
    tree = document.tree
    by_kind = {tree.kind(key): tree.node(key) for key in tree.leaves()}
    items = cut_node(by_kind[NodeKind.LIST])
    assert len(items) == 2 and join_pieces(by_kind[NodeKind.LIST], items, most=60) == items
    rows = [piece.text.split() for piece in cut_node(by_kind[NodeKind.TABLE])]
    assert rows == [["Form", "3"], ["Photo", "5"]]
    assert find_lead_in(tree, by_kind[NodeKind.LIST].key) == "You need:"
    assert find_lead_in(tree, by_kind[NodeKind.TABLE].key) == ""
