"""Claims: quotes located, numbers accounted for, sums recomputed."""

import pytest

from tests.support.engine_documents import Part, annual_report, compiled, paragraph, section
from vectorless_web.engine.answers.claims import Check, DraftCalculation, DraftClaim, DraftOperand, DraftQuote, Support
from vectorless_web.engine.answers.grounding import Grounder
from vectorless_web.engine.documents.node import NodeKind


@pytest.fixture
def report():
    return annual_report()


@pytest.fixture
def income(report):
    return next(k for k in report.tree.leaves() if report.tree.kind(k) is NodeKind.TABLE)


@pytest.fixture
def check(report):
    grounder = Grounder(documents={"a": report}, periods=["2019", "2018"])
    return lambda claim, order=1: grounder.check(order, claim)


def quote(key, words, document="a"):
    return DraftQuote(document, key, words)


def test_a_claim_whose_number_stands_in_its_row_is_supported(check, income):
    claim = check(DraftClaim("$5,400 million: net sales, 2019.", (quote(income, "Net sales\t$ 5,400\t$ 5,000"),)))
    evidence = claim.citations[0]
    assert (claim.support, evidence.check, evidence.page_index, evidence.marker) == (
        Support.SUPPORTED,
        Check.EXACT,
        4,
        1,
    )
    assert evidence.spans


def test_a_claim_without_quotes_is_unsupported(check):
    claim = check(DraftClaim("Sales were good."))
    assert (claim.support, claim.because) == (Support.UNSUPPORTED, "The sentence has no quote.")


def test_an_invented_quote_makes_the_claim_unsupported_and_is_kept_as_missing(check, income):
    claim = check(DraftClaim("Net sales doubled.", (quote(income, "Net sales doubled in the year under review"),)))
    assert claim.support is Support.UNSUPPORTED
    assert [citation.check for citation in claim.citations] == [Check.MISSING]


@pytest.mark.parametrize("key,document", [(99_999, "a"), (-1, "a"), (1, "elsewhere")])
def test_an_unknown_node_or_document_is_a_missing_quote(check, key, document):
    claim = check(DraftClaim("Net sales.", (quote(key, "Net sales", document),)))
    assert claim.citations[0].check is Check.MISSING


def test_a_number_that_no_quote_states_is_named(check, income):
    claim = check(DraftClaim("Net sales were $6,400 million.", (quote(income, "Net sales\t$ 5,400\t$ 5,000"),)))
    assert claim.support is Support.UNSUPPORTED
    assert "$6,400 million" in claim.because


def test_the_same_quote_keeps_its_marker_through_the_answer(check, income):
    words = "Net income\t405\t450"
    first = check(DraftClaim("405.", (quote(income, words),)))
    second = check(DraftClaim("450.", (quote(income, words), quote(income, "Operating income\t540\t600"))), 2)
    assert [c.marker for c in first.citations + second.citations] == [1, 1, 2]


def margin(expression="net / sales", result="7.5%", net="405", sales="5,400"):
    operands = (DraftOperand("net", net, "USD million", 0), DraftOperand("sales", sales, "USD million", 1))
    return DraftCalculation(expression, operands, result)


def with_sum(income, calculation, text="The margin was 7.5%."):
    rows = (quote(income, "Net income\t405\t450"), quote(income, "Net sales\t$ 5,400\t$ 5,000"))
    return DraftClaim(text, rows, calculation)


def test_a_recomputed_calculation_makes_the_claim_derived(check, income):
    claim = check(with_sum(income, margin()))
    assert claim.support is Support.DERIVED
    assert [operand.marker for operand in claim.calculation.operands] == [1, 2]


def test_wrong_arithmetic_is_found_and_the_right_result_told(check, income):
    claim = check(with_sum(income, margin(result="8.5%"), "The margin was 8.5%."))
    assert claim.support is Support.UNSUPPORTED
    assert "0.075" in claim.because


def test_an_operand_that_its_row_does_not_state_is_refused(check, income):
    claim = check(with_sum(income, margin(net="540", result="10%"), "The margin was 10%."))
    assert "540" in claim.because


def test_a_constant_smuggled_into_the_formula_is_refused(check, income):
    claim = check(with_sum(income, margin("(net + 135) / sales", "10%"), "The margin was 10%."))
    assert "135" in claim.because


def test_a_claim_may_not_round_its_result_into_another_number(check, income):
    claim = check(with_sum(income, margin(), "The margin was 9%."))
    assert claim.support is Support.UNSUPPORTED


def test_a_day_of_the_month_in_a_quoted_sentence_is_accounted_for(check, report):
    key = next(k for k in report.tree.leaves() if "Oslo" in report.tree.node(k).text)
    text = "A claim over a pump failure in Oslo was settled in March 2019 for $3 million."
    assert check(DraftClaim(text, (quote(key, text),))).support is Support.SUPPORTED


def shown(report, *keys):
    return Grounder(documents={"a": report}, periods=["2019", "2018"], read=[("a", key) for key in keys])


def test_a_quote_is_cited_where_it_stands_when_another_node_was_named(report, income):
    grounder = shown(report, income)
    claim = grounder.check(1, DraftClaim("Net income was 405 in 2019.", (quote(1, "Net income | 405 | 450"),)))
    assert (claim.support, claim.citations[0].key) == (Support.SUPPORTED, income)
    assert grounder.notes == [
        f"“Net income | 405 | 450” was said to stand in node 1; it stands in node {income}, p. 5."
    ]


def test_a_quote_from_below_a_section_named_is_cited_from_its_leaf(report, income):
    claim = shown(report).check(
        1, DraftClaim("Net income was 405.", (quote(report.tree.parent(income), "Net income | 405 | 450"),))
    )
    assert (claim.support, claim.citations[0].key) == (Support.SUPPORTED, income)


def test_a_quote_that_no_shown_node_holds_stays_missing(report, income):
    for words in ("Net income | 999 | 450", "405", "Net"):
        claim = shown(report, income).check(1, DraftClaim("Net income.", (quote(1, words),)))
        assert claim.citations[0].check is Check.MISSING


def test_parts_of_one_quote_move_together(report, income):
    parts = (quote(1, "Net income"), quote(1, "405"))
    claim = shown(report, income).check(1, DraftClaim("Net income was 405.", parts))
    assert {citation.key for citation in claim.citations} == {income}


def test_a_quoted_label_stands_for_its_row_when_the_sentence_needs_the_row(check, income):
    claim = check(DraftClaim("Net income was 405 in 2019.", (quote(income, "Net income"),)))
    assert (claim.support, claim.citations[0].quote) == (Support.SUPPORTED, "Net income\t405\t450")
    assert check(DraftClaim("Net income was 540.", (quote(income, "Net income"),))).support is Support.UNSUPPORTED


def test_an_operand_is_put_on_the_quote_that_states_it(check, income):
    wrong_way = DraftCalculation(
        "net / sales", (DraftOperand("net", "405", quote=1), DraftOperand("sales", "5,400", quote=7)), "7.5%"
    )
    claim = check(with_sum(income, wrong_way))
    assert claim.support is Support.DERIVED
    assert [operand.marker for operand in claim.calculation.operands] == [1, 2]


@pytest.mark.parametrize("result", ["400", "$400 million", "$0.4 billion"])
def test_a_result_may_be_told_in_the_scale_of_its_operands(check, income, result):
    rows = (quote(income, "Net sales\t$ 5,400\t$ 5,000"),)
    operands = (DraftOperand("now", "5,400", quote=0), DraftOperand("before", "5,000", quote=0))
    claim = check(DraftClaim(f"Net sales rose by {result}.", rows, DraftCalculation("now - before", operands, result)))
    assert (claim.support, claim.because) == (Support.DERIVED, "")


def test_an_operand_may_be_written_as_printed_before_its_scale(check, report):
    key = next(k for k in report.tree.leaves() if "$3 million" in report.tree.node(k).text)
    rows = (quote(key, "was settled in March 2019 for $3 million"),)
    half = DraftCalculation("a / 2", (DraftOperand("a", "3", quote=0),), "$1.5 million")
    assert check(DraftClaim("Half of it is $1.5 million.", rows, half)).support is Support.DERIVED
    other = DraftCalculation("a / 2", (DraftOperand("a", "30", quote=0),), "15 million")
    assert check(DraftClaim("Half of it is 15 million.", rows, other)).support is Support.UNSUPPORTED


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "words", ["9 ", "9" + " " * 1190 + "%", "highest sales 5, ", "1 March 2019, ", "²½٣\x00", "(1 "]
)
def test_a_claim_of_nothing_but_numbers_or_spaces_is_checked_to_its_end(check, income, words):
    row = quote(income, "Net sales\t$ 5,400\t$ 5,000")
    claim = DraftClaim((words * 1200)[:1200], (row,) * 12, calculation=DraftCalculation("round(1, 1e999)", (), "1"))
    assert check(claim).support is Support.UNSUPPORTED


CUT = compiled(
    "Port rules",
    section(
        "Dues",
        paragraph("Berths are let by the day. A vessel that stays longer than 14 days pays"),
        Part(NodeKind.FOOTNOTE, text="1 Set by the harbour master."),
        paragraph("9", page=1),
        paragraph("a surcharge of 12 euros a metre. Tugs are exempt.", page=1),
    ),
)
WHOLE = "A vessel that stays longer than 14 days pays a surcharge of 12 euros a metre."


@pytest.mark.parametrize("key", [2, 5])
def test_a_quote_over_a_page_s_end_is_cited_at_both_places(key):
    draft = DraftClaim("Vessels staying longer than 14 days pay a surcharge of 12 euros a metre.", (quote(key, WHOLE),))
    claim = Grounder(documents={"a": CUT}).check(1, draft)

    assert claim.because == "" and [cited.key for cited in claim.citations] == [2, 5]
    assert [cited.quote for cited in claim.citations] == [
        "A vessel that stays longer than 14 days pays",
        "a surcharge of 12 euros a metre.",
    ]
    assert [cited.page_index for cited in claim.citations] == [0, 1] and all(cited.spans for cited in claim.citations)
    assert {cited.check for cited in claim.citations} == {Check.EXACT}


@pytest.mark.parametrize("words", ["pays a surcharge of 13 euros", "pays no surcharge of 12 euros a metre"])
def test_a_quote_over_a_page_s_end_is_word_for_word_or_missing(words):
    claim = Grounder(documents={"a": CUT}).check(1, DraftClaim("It pays.", (quote(2, words),)))
    assert [cited.check for cited in claim.citations] == [Check.MISSING]


def test_figures_of_a_quote_in_two_halves_may_be_calculated_with():
    calculation = DraftCalculation(
        "rate * days", (DraftOperand("rate", "12", quote=0), DraftOperand("days", "14", quote=0)), "168"
    )
    draft = DraftClaim("That makes 168 euros.", (quote(2, WHOLE),), calculation)
    assert Grounder(documents={"a": CUT}).check(1, draft).because == ""
