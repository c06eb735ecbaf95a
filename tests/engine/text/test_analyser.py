from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.analyser import analyse, ends_word, word_terms, words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("1,577 and 3.2", ["1577", "3.2"]),
        ("10-K for Q1, 5G", ["10-k", "q1", "5g"]),
        ("FY2018", ["fy2018", "2018"]),
        ("§3.2", ["§3.2", "3.2"]),
        ("2018-2019", ["2018", "2019"]),
        ("R&D at AT&T", ["r&d", "at&t"]),
        ("The U.S. economy", ["us", "economi"]),
        ("the company's companies", ["compani", "compani"]),
        ("long-term", ["long", "term"]),
        ("résumé", ["resum"]),
        ("東京都", ["東京", "京都"]),
        ("операции", ["операции"]),
        ("the of and", []),
        ("", []),
    ],
)
def test_terms_keep_numbers_and_codes_whole_and_stem_words(text, terms):
    assert analyse(text) == terms


@given(st.text(max_size=200))
def test_any_text_can_be_analysed_and_words_stand_where_they_say(text):
    found = words(text)
    assert all(text[word.start : word.end] == word.text for word in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(term for term in analyse(text))


@given(st.text(alphabet="aé日 \u2003\n0,.-&'§", max_size=60) | st.text(alphabet="aB 03,.-&'_$\n", max_size=40))
def test_the_terms_of_a_text_are_those_of_its_words(text):
    assert analyse(text) == [term for word in words(text) for term in word_terms(word.text)]


@given(st.text(alphabet="abcdefgh 0123,.-&'", max_size=80))
def test_analysis_does_not_depend_on_case(text):
    assert analyse(text) == analyse(text.upper())


@pytest.mark.parametrize(
    ("text", "said", "ends"),
    [
        ("Adjusted EBITDAR rose", "Adjusted EBIT", False),
        ("Adjusted EBIT1 rose", "Adjusted EBIT", True),
        ("Adjusted EBIT-based pay", "Adjusted EBIT", True),
        ("Auditors are named", "Auditor", True),
        ("Note 12", "Note 1", False),
        ("Договоры", "Догов", False),
        ("किताबें", "किताब", False),
        ("无绳电话号码", "电话", True),
        ("โทรศัพท์มือถือ", "โทรศัพท์", True),
    ],
)
def test_a_word_ends_where_no_letter_of_it_follows(text: str, said: str, ends: bool) -> None:
    assert ends_word(text, text.index(said) + len(said)) is ends
