"""The parts of an offline answer: verdicts, contests, what a colon announces, whom it is about, how much it says."""

import pytest

from tests.support.engine_documents import Part, Shelf, annual_report, compiled, paragraph, section, table
from vectorless_web.engine.agent.corpus import DocumentEntry, foreign_names, is_about_any, names_any
from vectorless_web.engine.agent.events import Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.calculation import degree_of, without_addend
from vectorless_web.engine.answers.verdicts.wordings import verdict_of
from vectorless_web.engine.documents.card import TypedFields
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.figures.needs import contest_of, figure_needs, item_phrases
from vectorless_web.engine.passages.passage import pieces_of
from vectorless_web.engine.questions.plan import Formula
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.finding.ranking.finder import Finder


def ask(question, document):
    return list(Orchestrator().run(question, Shelf({"a": document}), Limits()))[-1]


@pytest.mark.parametrize(
    "question,sentence,verdict",
    [
        ("Did risk decrease?", "Average risk decreased by $7 million.", "Yes"),
        ("Did risk decrease?", "Average risk increased by $7 million.", "No"),
        ("Is the company party to litigation?", "The company is not a party to any legal proceedings.", "No"),
        ("Is the business cyclical?", "The airline industry has been cyclical.", "Yes"),
        ("Does it not hedge?", "The group does not hedge.", "Yes"),
        ("Does it sell pumps?", "It sells not only pumps but valves.", "Yes"),
        (
            "Are trial trips counted?",
            "Nobody is paid at once, however if all goes well trial trips are counted.",
            "Yes",
        ),
        ("Is the cabin heated?", "The deck is heated, but the cabin is not heated.", "No"),
    ],
)
def test_a_sentence_gives_a_verdict_by_its_words(question, sentence, verdict):
    assert verdict_of(question, sentence) == verdict


@pytest.mark.parametrize(
    "expression,degree",
    [
        ("a / b", 0),
        ("a - b", 1),
        ("365 * (a + b) / 2 / c", 0),
        ("100 * (a - b) / b", 0),
        ("average(a, b)", 1),
        ("a * b", 2),
    ],
)
def test_dimensions_tell_an_amount_from_a_ratio(expression, degree):
    assert degree_of(expression, {"a": 1, "b": 1, "c": 1}) == degree


def formula(expression):
    names = [name for name in "abcd" if name in expression]
    return Formula("quick ratio", expression, tuple((name, place) for place, name in enumerate(names)))


@pytest.mark.parametrize(
    "expression,kept",
    [("(a + b + c) / d", "(a + c) / d"), ("(a + b) / d", None), ("a / b", None), ("a + c - b + d", None)],
)
def test_only_one_of_three_addends_may_be_left_out(expression, kept):
    found = without_addend(formula(expression), "b")
    assert (found.expression if found else None) == kept


def test_a_sum_without_a_line_of_its_own_says_what_is_left_out():
    rows = [
        ["Cash and cash equivalents", "200", "1"],
        ["Accounts receivable, net", "300", "1"],
        ["Total current liabilities", "1,000", "1"],
    ]
    sheet = table("Balance Sheets", rows, columns=["", "2019", "2018"], units="In millions", statement="balance")
    end = ask("What was the quick ratio in 2019?", compiled("Report", section("Balance Sheets", sheet)))
    assert end.value == "0.50"
    assert "without short-term investments" in end.answer


def test_a_contest_names_the_winner_and_the_others():
    rows = [
        ["Net cash provided by operating activities", "620", "580"],
        ["Net cash used in investing activities", "(300)", "(190)"],
        ["Net cash used in financing activities", "(400)", "(100)"],
    ]
    flows = table("Cash Flows", rows, columns=["", "2019", "2018"], units="$ in millions", statement="cash_flow")
    question = "Among operations, investing, and financing activities, which brought in the most cash flow in 2019?"
    end = ask(question, compiled("Report", section("Statements of Cash Flows", flows)))
    assert end.answer.startswith("Operating cash flow $620 million in 2019, the highest")
    assert "-$400 million" in end.answer


def test_no_contest_without_known_alternatives_or_a_superlative():
    assert contest_of(understand("Among apples, pears and plums, which was the largest?")) is None
    assert contest_of(understand("What was operating cash flow in 2019?")) is None


def test_list_items_that_a_colon_announces_come_along():
    items = Part(NodeKind.LIST, "", "• higher freight cost\n• a strike in Lund")
    text = "Gross margin declined in 2019 driven by:"
    document = compiled("Report", section("Results of operations", paragraph(text), items))
    end = ask("What drove the gross margin decline in 2019?", document)
    assert "freight" in end.answer and "strike" in end.answer


@pytest.mark.parametrize(
    "question,fields,name,foreign",
    [
        ("What was Norrvik's revenue?", ("norrvik ab",), "r.pdf", ()),
        ("What was HnH's revenue?", ("harmon & harmon",), "r.pdf", ()),
        ("What was Blue Barn's revenue?", (), "BLUEBARN_2017_10K.pdf", ()),
        ("What was Aqualund's revenue?", ("norrvik ab",), "r.pdf", ("Aqualund",)),
        ("What was revenue?", ("norrvik ab",), "r.pdf", ()),
    ],
)
def test_whom_the_question_is_about_is_known_by_name_alias_or_file(question, fields, name, foreign):
    from vectorless_web.engine.documents.card import Card

    card = Card("Report", "", fields=TypedFields(entities=fields))
    assert foreign_names(understand(question), DocumentEntry("a", name, "Report", 1), card) == foreign


def test_a_question_about_another_company_is_not_answered_with_this_ones_figures():
    end = ask("What were Aqualund's net sales in 2019?", annual_report())
    assert end.outcome is Outcome.PASSAGES
    assert end.answer == ""


def test_a_question_about_a_name_inside_the_document_is_answered_from_where_it_stands():
    text = "Aqualund supplies castings to the company and had sales of 70 million kronor in 2019."
    document = compiled("Report", section("Suppliers", paragraph(text)), fields=TypedFields(entities=("norrvik",)))
    assert ask("What sales did Aqualund have in 2019?", document).outcome is Outcome.ANSWERED
    assert names_any(text, ["Aqualund"]) and not names_any(text, ["Norrvik"])


def test_a_party_named_once_where_a_contract_opens_is_what_it_is_about():
    parties = paragraph("Between Tarn Dairy (the Buyer) and Olsen & Daughters AS (the Supplier).")
    rules = [paragraph(f"{number}. The Supplier keeps rule number {number} of the plant.") for number in range(20)]
    leads = paragraph("Complaints about the goods are made to the Supplier's quality manager, Ines Moll.")
    document = compiled("Contract", parties, *rules, leads, fields=TypedFields(entities=("tarn dairy",)))
    assert is_about_any(document.tree, ["Olsen & Daughters"]) and not is_about_any(document.tree, ["Norrvik"])
    shown = ask("Who at Olsen & Daughters hears complaints about the goods?", document)
    assert "Ines Moll" in (shown.answer or shown.passages[0].quote)


@pytest.mark.parametrize(
    "question,phrases",
    [
        ("What was the accrued marketing of Norrvik in 2019?", ("accrued marketing",)),
        ("How much was 'Other Health Care' in FY2018?", ("other health care",)),
        ("Why did sales fall?", ()),
    ],
)
def test_an_item_in_the_questions_own_words(question, phrases):
    found = item_phrases(understand(question)) if figure_needs(understand(question)) else ()
    assert all(phrase in found for phrase in phrases) and bool(found) == bool(phrases)


def test_a_row_worded_like_the_question_beats_the_concept_it_contains():
    rows = [["Total revenues", "900", "800"], ["Revenue recognized at a point in time", "70", "60"]]
    income = table("Income", rows, columns=["", "2019", "2018"], units="In millions", statement="income")
    document = compiled("Report", section("Income", income))
    assert ask("What was revenue recognized at a point in time in 2019?", document).value == "70 million"
    assert ask("What was revenue in 2019?", document).value == "900 million"


def test_a_wording_the_lexicon_knows_says_as_much_as_the_questions_own():
    finder = Finder(annual_report(), understand("What was capex in 2019?"))
    row = "Purchases of property, plant and equipment (210) (190) 2019"
    assert finder.coverage(row) > 0.9 > finder.coverage("The company makes pumps.")
    assert finder.coverage("Nothing", "Purchases of property, plant and equipment 2019") < finder.coverage(row)


def test_sentences_end_where_they_end():
    text = "Norrvik Inc. was founded in the U.S. in 1901. It grew by 3.5% (see Note 4). Did it pay? Yes! "
    text += "株式会社です。次の文。"
    document = compiled("R", section("S", paragraph(text)))
    pieces = [piece.text for piece in pieces_of(document.tree.node(2))]
    assert pieces == [
        "Norrvik Inc. was founded in the U.S. in 1901.",
        "It grew by 3.5% (see Note 4).",
        "Did it pay?",
        "Yes!",
        "株式会社です。",
        "次の文。",
    ]


def test_pieces_are_the_text_at_their_place():
    for leaf in annual_report().tree.leaves():
        node = annual_report().tree.node(leaf)
        assert all(node.text[piece.start : piece.end] == piece.text for piece in pieces_of(node))


def test_the_cell_asked_for_comes_first():
    rows = [["Launching a Skua", "2.5 m", "30 knots"], ["Launching a Petrel", "1.5 m", "22 knots"]]
    limits = table("Limits", rows, columns=["Work", "Wave height", "Wind"])
    document = compiled("Handbook", section("Weather limits at sea", limits))
    assert (
        ask("What is the wave height limit for launching a Skua?", document).answer
        == "For Launching a Skua, the wave height came to 2.5 m (Limits, Handbook). [1]"
    )


def test_a_question_for_a_date_is_answered_with_one():
    end = "10.2 Either Party may end this agreement with 30 days' notice."
    term = "10.1 This agreement runs from May 1, 2023 to April 30, 2028. It is then renewed, unless notice "
    term += "is given before its end."
    document = compiled("Supply agreement", section("Term and termination", paragraph(term), paragraph(end)))
    assert "April 30, 2028" in ask("When does the agreement end?", document).answer.splitlines()[0]
