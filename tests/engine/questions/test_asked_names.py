"""Names by their letters alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.questions.asked import find_entities


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is Acme's revenue?", ("Acme",)),
        ("the Blue Widget Company's and AT&T's sales", ("Blue Widget Company", "AT&T")),
        ("Did Bank of Utopia or 9X grow in May 2020?", ("Bank of Utopia", "9X")),
        ("Acme's rent", ("Acme",)),
        ("Where does Johnson & Johnson sell?", ("Johnson & Johnson",)),
        ("What was the CEO paid in USD?", ()),
        ("Revenue of the year", ()),
        ("WHAT IS THE RENT OF ACME?", ()),
        ("in Q3 or FY2020", ()),
    ],
)
def test_names_are_found_as_written(text, names):
    assert tuple(text[start:end] for start, end in find_entities(text)) == names


def test_what_is_taken_is_no_name():
    assert find_entities("the Net Sales of Acme", [(4, 13)]) == [(17, 21)]


@given(st.text(max_size=80))
def test_names_stand_in_reading_order_and_have_a_capital(text):
    end = 0
    for start, stop in find_entities(text):
        assert end <= start < stop
        assert text[start:stop] != text[start:stop].lower()
        end = stop
