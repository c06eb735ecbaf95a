"""Figures that sentences state: a part beside its whole."""

import pytest

from vectorless_web.engine.relations.prose import find_part
from vectorless_web.engine.relations.relation import words_of


@pytest.mark.parametrize(
    ("text", "asked", "part", "whole"),
    [
        ("Spending was £311,900, of which wages accounted for £187,000.", "share of spending on wages", 187000, 311900),
        ("Some 37 of the 52 members attended.", "share of members that attended", 37, 52),
        ("The choir has 60 singers, 24 of them sopranos.", "share of sopranos", 24, 60),
        ("The fleet has 40 vans, of which 10 are electric and 6 are hired.", "share of electric vans", 10, 40),
        ("The barn holds 900 bales, the loft 300.", "share of the bales in the loft", None, None),
        ("Of 60 hens, of which 12 are old, 9% were sold.", "share of geese", None, None),
    ],
)
def test_a_part_is_read_with_its_whole_where_one_sentence_states_both(text, asked, part, whole):
    found = find_part(text, words_of(asked))
    assert [number.value for number in found or ()] == [number for number in (part, whole) if number]
