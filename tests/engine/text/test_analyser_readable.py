import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.analyser import lower_capitals


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("PART II. LEGAL MATTERS AND THE LIKE", "Part II. Legal Matters and the Like"),
        ("UNITED STATES SECURITIES AND EXCHANGE COMMISSION", "United States Securities and Exchange Commission"),
        ("NOTE 11 — COMMON STOCK AND STOCK-BASED PAY", "Note 11 — Common Stock and Stock-Based Pay"),
        ("THE XQM AND R&D AGREEMENT", "The XQM and R&D Agreement"),
        ("FORM 10-K", "Form 10-K"),
        ("PART I", "Part I"),
        ("XQM", "XQM"),
        ("MANAGEMENT'S REPORT", "Management's Report"),
        ("Item 8. Financial Statements of ACME", "Item 8. Financial Statements of ACME"),
        ("KELT 2021 10K", "KELT 2021 10K"),
        ("北港冷蔵株式会社", "北港冷蔵株式会社"),
        ("", ""),
    ],
)
def test_capitals_are_brought_down_where_they_say_nothing(title, shown):
    assert lower_capitals(title) == shown


@given(st.text())
def test_only_the_case_of_a_title_changes_and_only_once(title):
    assert lower_capitals(lower_capitals(title)) == lower_capitals(title)
    assert lower_capitals(title).casefold() == title.casefold()
