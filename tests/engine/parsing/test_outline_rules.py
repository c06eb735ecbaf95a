"""The rules behind an outline: forms of titles, levels, printed contents, mended words, what is no title."""

import pytest

from tests.engine.parsing.conftest import outline, uncovered
from tests.support.paper import Text, pdf, prose
from vectorless_web.engine.parsing.lines import Line, Style, Tone, Vocabulary
from vectorless_web.engine.parsing.outline.heading import Heading, is_caps, mend_title, reads_like_title
from vectorless_web.engine.parsing.outline.headings import assign_levels
from vectorless_web.engine.parsing.patterns import (
    CHAPTER,
    ITEM,
    NOTE,
    NUMBERED,
    PART,
    PLAIN,
    STATEMENT,
    form_of,
)
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
     "• a bullet", "....... 12", "Total assets", "83 Tower Road North", "and the rest of it"],
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


def levels(*headings: Heading) -> list[int]:
    assign_levels(headings)
    return [found.level for found in headings]


def test_forms_outrank_looks_and_sizes_rank_the_rest():
    found = levels(
        heading("PART I"),
        heading("Item 1. Business"),
        heading("Overview", 14),
        heading("Products", 12),
        heading("Services", 12),
        heading("Item 2. Properties"),
        heading("PART II"),
    )
    assert found == [0, 1, 2, 3, 3, 1, 0]


def test_notes_stand_below_their_title_and_never_below_a_statement():
    found = levels(
        heading("Item 8. Financial Statements"),
        heading("Consolidated Balance Sheets"),
        heading("Note 1. Basis"),
        heading("Notes to Financial Statements"),
        heading("Note 2. Debt"),
        heading("Maturities", 9),
        heading("Note 3. Leases"),
    )
    assert found == [0, 1, 1, 1, 2, 3, 2]


def test_statements_follow_the_auditors_report_side_by_side():
    found = levels(
        heading("Item 8. Financial Statements"),
        heading("Report of Independent Registered Public Accounting Firm"),
        heading("Basis for Opinion", 9),
        heading("Consolidated Statements of Income"),
        heading("Consolidated Balance Sheets"),
        heading("Notes to Consolidated Financial Statements"),
        heading("Note 1. Basis"),
        heading("Report of Independent Registered Public Accounting Firm"),
    )
    assert found == [0, 1, 2, 1, 1, 1, 2, 1]


def test_numbers_give_depth_and_unnumbered_titles_of_the_same_looks_rank_with_them():
    found = levels(
        heading("Pump manual", 20),
        heading("1 Safety", 14),
        heading("1.1 Gloves", 12),
        heading("2 Parts", 14),
        heading("3 Care", 14),
        heading("Glossary", 14),
    )
    assert found == [0, 1, 2, 1, 1, 1]


def test_contents_and_signatures_hold_nothing_of_the_pages_after_them():
    found = levels(
        heading("Table of Contents", page=1),
        heading("Overview", 14, page=2),
        heading("SIGNATURES", page=9),
        heading("Annex", page=10),
    )
    assert found == [0, 0, 0, 0]


def test_an_exhibit_starts_anew_and_its_title_holds_its_articles():
    found = levels(
        heading("PART IV", page=1),
        heading("Exhibit 10.1", page=2),
        heading("Deferral Plan", page=2),
        heading("ARTICLE I", page=2),
        heading("Purpose", page=2),
    )
    assert found == [0, 0, 1, 2, 3]


TITLES = (
    "Purpose",
    "Scope",
    "Definitions",
    "Roles and responsibilities",
    "Access control",
    "Passwords",
    "Remote work",
    "Incident reporting",
    "Backups",
    "Suppliers",
    "Training",
    "Review of this policy",
)


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
    assert "4. Roles and responsibilities" in titles
