import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.analyser import normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a \n\t b  ", "a b"),
        ("“quoted” ‘it’s’", "\"quoted\" 'it's'"),
        ("2018–2019 — yes", "2018-2019 - yes"),
        ("ﬁnance oﬃce", "finance office"),
        ("co\u00adoperate", "cooperate"),
        ("exam-\nple", "example"),
        ("inter\ufffe\nnal inter\x02nal", "internal internal"),
        ("", ""),
        ("\u200b", ""),
    ],
)
def test_text_that_looks_alike_becomes_alike(text, expected):
    assert normalise(text).text == expected


@given(st.text(max_size=200))
def test_every_character_comes_from_one_place_and_places_never_go_back(text):
    result = normalise(text)
    assert len(result.offsets) == len(result.text)
    assert all(0 <= offset < len(text) for offset in result.offsets)
    assert list(result.offsets) == sorted(result.offsets)
    assert "  " not in result.text
    assert result.text == result.text.strip(" ")


@given(st.text(alphabet="ab c-\n“ﬁ", max_size=60))
def test_normalised_ascii_text_stays_as_it_is(text):
    once = normalise(text).text
    assert normalise(once).text == once


def test_a_span_points_back_at_the_original_characters():
    text = "The  “ﬁrst”\nword"
    result = normalise(text)
    start = result.text.index("first")
    begin, last = result.offsets[start], result.offsets[start + 4]
    assert text[begin : last + 1] == "ﬁrst"
