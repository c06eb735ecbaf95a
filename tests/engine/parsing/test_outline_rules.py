"""The rules behind an outline: forms of titles, levels, printed contents, mended words, what is no title."""

import re

import pytest

from tests.engine.parsing.conftest import outline, uncovered
from tests.support.paper import Text, pdf, prose
from vectorless_web.engine.parsing.lines import Line, Style, Tone, Vocabulary
from vectorless_web.engine.parsing.outline.heading import Heading, is_caps, mend_title, reads_like_title
from vectorless_web.engine.parsing.outline.headings import assign_levels
from vectorless_web.engine.parsing.patterns import CHAPTER, ITEM, NOTE, NUMBERED, PART, PLAIN, STATEMENT, form_of
from vectorless_web.engine.parsing.tables.statements import statement_kind


@pytest.mark.parametrize(
    ("title", "family", "label"),
    [
        ("PART II", PART, "Part II"),
        ("Item 7A. Market Risk", ITEM, "Item 7A"),
        ("Note 12 — Leases", NOTE, "Note 12"),
        ("Section 3.16. Reinsurance", CHAPTER, "Section 3.16"),
        ("Kapitel 2 Lieferung", CHAPTER, "Kapitel 2"),
        ("§ 4 Kündigung", CHAPTER, "§ 4"),
        ("第三章 付款", CHAPTER, ""),
        ("2.1.3 Scope", NUMBERED, "2.1.3"),
        ("Exhibit 31.1", PART, "Exhibit 31.1"),
        ("EXHIBIT 24 POWER OF ATTORNEY", PART, "Exhibit 24"),
        ("4.Study population", NUMBERED, "4"),
        ("Consolidated Balance Sheets", STATEMENT, ""),
        ("Notes to Consolidated Financial Statements", STATEMENT, ""),
        ("Harbour dues", PLAIN, ""),
        ("Note 7 to the financial statements describes", PLAIN, ""),
        ("Section 409A and all other benefits", PLAIN, ""),
    ],
)
def test_titles_say_their_place_by_their_form(title, family, label):
    form = form_of(title)
    assert (form.family, form.label) == (family, label)


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("CONSOLIDATED STATEMENTS OF OPERATIONS", "income"),
        ("Acme, Inc. Consolidated Statements of Income", "income"),
        ("Condensed Consolidated Balance Sheets (unaudited)", "balance"),
        ("Statement of Financial Position", "balance"),
        ("CASH FLOWS STATEMENTS", "cash_flow"),
        ("Consolidated Statements of Changes in Stockholders’ Equity", "equity"),
        ("Consolidated Statements of Comprehensive Income", "comprehensive_income"),
        ("Statement of work", ""),
    ],
)
def test_statements_are_told_by_their_titles(title, kind):
    assert statement_kind(title) == kind


@pytest.mark.parametrize(
    "text",
    ["12,400", "(in millions)", "December 31, 2023", "/s/ A. Tide", "see accompanying notes", "Salem, Oregon 97301",
     "• a bullet", "....... 12", "Total assets", "83 Tower Road North", "and the rest of it", "-* No figures yet",
     "† Rounded", "^ Revised in June"],
)  # fmt: skip
def test_what_is_no_title(text):
    assert not reads_like_title(text)


def test_titles_are_mended():
    assert mend_title("T o t a l  equity (In millions)") == "Total equity"
    assert mend_title("Con\x02solidated results (continued)") == "Consolidated results"


def test_broken_and_glued_words_are_mended_by_the_documents_own_words():
    words = Vocabulary(["segment segment segment segment segment sheet sheet sheet sheet sheet ended december"] * 3)
    assert words.mend("BUSINESS SEG MENT") == "BUSINESS SEGMENT"
    assert words.mend("Balance Shee t") == "Balance Sheet"
    assert words.mend("Years EndedDecember 31") == "Years Ended December 31"
    assert words.mend("any other one") == "any other one"


def heading(title: str, size: float = 10, *, page: int = 0) -> Heading:
    style = Style(size, True, False, Tone.BLACK, "Font")
    line = Line(page, 0, len(title), title, 50, 0, 200, size, style, (0, 1), 0)
    return Heading(page, [line], title, form_of(title), style, is_caps(title))


LEVELS = {
    "forms outrank looks, sizes rank the rest": """
        0 PART I / 1 Item 1. Business / 2 14 Overview / 3 12 Products / 3 12 Services
        / 1 Item 2. Properties / 0 PART II""",
    "notes stand below their title and never below a statement": """
        0 Item 8. Financial Statements / 1 Consolidated Balance Sheets / 1 Note 1. Basis
        / 1 Notes to Financial Statements / 2 Note 2. Debt / 3 9 Maturities / 2 Note 3. Leases""",
    "statements follow the auditor's report side by side": """
        0 Item 8. Financial Statements / 1 Report of Independent Registered Public Accounting Firm
        / 2 9 Basis for Opinion / 1 Consolidated Statements of Income / 1 Consolidated Balance Sheets
        / 1 Notes to Consolidated Financial Statements / 2 Note 1. Basis
        / 1 Report of Independent Registered Public Accounting Firm""",
    "numbers give depth, unnumbered titles of the same looks rank with them": """
        0 20 Pump manual / 1 14 1 Safety / 2 12 1.1 Gloves / 1 14 2 Parts / 1 14 3 Care / 1 14 Glossary""",
    "an unnumbered title between two numbers is below the first, though it looks the same": """
        0 1 Policies / 1 Consolidation / 1 Estimates / 0 2 Inventories / 0 3 Debt / 0 References""",
    "contents and signatures hold nothing of the pages after them": """
        0 Table of Contents / 0 14 Overview @2 / 0 SIGNATURES @9 / 0 Annex @10""",
    "an exhibit starts anew and its title holds its articles": """
        0 PART IV / 0 Exhibit 10.1 @2 / 1 Deferral Plan @2 / 2 ARTICLE I @2 / 3 Purpose @2""",
}
"""Headings with their level, and where they say so their size in points and their page."""


@pytest.mark.parametrize("case", LEVELS)
def test_levels_follow_forms_then_looks(case):
    said = [
        re.fullmatch(r"(\d) (?:(9|1\d|20) )?(.+?)(?: @(\d+))?", line)
        for line in " ".join(LEVELS[case].split()).split(" / ")
    ]
    headings = [heading(line[3], float(line[2] or 10), page=int(line[4] or 1)) for line in said]
    assign_levels(headings)
    assert [found.level for found in headings] == [int(line[1]) for line in said]


TITLES = ["Purpose", "Scope", "Definitions", "Responsibilities", "Access control", "Passwords"]
TITLES += ["Remote work", "Incidents", "Backups", "Suppliers", "Training", "Review of this policy"]


def policy(font: str, *, listed: bool = False) -> bytes:
    """A policy of twelve numbered sections, three a page, whose headings are set in the body's size."""
    pages = []
    for first in range(0, len(TITLES), 3):
        page, y = [], 80
        for number in range(first, first + 3):
            page += [Text(72, y, f"{number + 1}. {TITLES[number]}", 10, font), *prose(72, y + 22, 6)]
            if listed and number == 4:
                page += [Text(72, y + 94 + 12 * item, f"{item + 1}. badges") for item in range(3)]
            y += 150
        pages.append(page)
    return pdf(pages)


@pytest.mark.parametrize("font", ["bold", "italic", "plain"])
def test_twelve_numbered_lines_are_twelve_headings_whatever_their_type(compiled, font):
    document = compiled(policy(font))
    assert [title for _, title in outline(document)] == [f"{n}. {title}" for n, title in enumerate(TITLES, 1)]
    assert document.report.outline_source == "headings"
    assert uncovered(document) == []


def test_numbered_items_of_a_list_are_no_headings(compiled):
    titles = [title for _, title in outline(compiled(policy("plain", listed=True)))]
    assert not [title for title in titles if title.endswith("badges")]
    assert "4. Responsibilities" in titles
