"""Figures that are worked out: which definition is taken, what other ways give, what is judged, what does not apply."""

import pytest

from tests.support.engine_documents import Part, Shelf, compiled, paragraph, section, table
from vectorless_web.engine.agent.events import Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.questions.understand import understand

YEARS = ["", "2023", "2022"]
MILLIONS = "(in millions of dollars)"
INCOME = [
    ["Net sales", "$ 1,000", "$ 800"],
    ["Cost of sales", "600", "500"],
    ["Operating income", "150", "100"],
    ["Interest expense", "30", "20"],
    ["Income before income taxes", "120", "80"],
    ["Income tax expense", "30", "20"],
    ["Net income", "$ 90", "$ 60"],
]
BALANCE = [
    ["Cash and cash equivalents", "$ 100", "$ 80"],
    ["Short-term investments", "50", "40"],
    ["Accounts receivable, net", "200", "180"],
    ["Inventories", "130", "110"],
    ["Total current assets", "480", "410"],
    ["Property, plant and equipment, net", "320", "290"],
    ["Total assets", "900", "800"],
    ["Accounts payable", "110", "90"],
    ["Short-term debt", "40", "30"],
    ["Total current liabilities", "240", "250"],
    ["Long-term debt", "160", "170"],
    ["Total shareholders' equity", "450", "400"],
]
CASH = [
    ["Depreciation", "40", "35"],
    ["Amortization of intangible assets", "10", "8"],
    ["Net cash provided by operating activities", "140", "110"],
    ["Capital expenditures", "(60)", "(50)"],
]


def company(*, cash=CASH, balance=BALANCE, units=MILLIONS, more=()):
    return compiled(
        "Holm Pumps annual report 2023",
        section(
            "Consolidated Statements of Income",
            table("Consolidated Statements of Income", INCOME, columns=YEARS, units=units, statement="income"),
        ),
        section(
            "Consolidated Balance Sheets",
            table("Consolidated Balance Sheets", balance, columns=YEARS, units=MILLIONS, statement="balance"),
        ),
        section(
            "Consolidated Statements of Cash Flows",
            table("Consolidated Statements of Cash Flows", cash, columns=YEARS, units=MILLIONS, statement="cash_flow"),
        ),
        *more,
    )


def ask(question, document):
    return list(Orchestrator().run(question, Shelf({"a": document}), Limits()))[-1]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What was EBITDA in 2023?", "$200 million: EBITDA, 2023 (operating income + depreciation and amortization"),
        ("What was the EBITDA margin in 2023?", "20.0%: EBITDA margin"),
        ("What was net debt to EBITDA in 2023?", "0.50: net debt to EBITDA"),
        ("What was net debt at the end of 2023?", "$100 million: net debt"),
        ("What was the return on equity for 2023?", "20.0%: return on equity, 2023 (net income / total equity; over"),
        ("What was the return on equity for 2023?", "over average total equity it is 21.2%"),
        ("What was the return on assets in 2023, to three decimal places?", "0.100: return on assets"),
        ("What was the ROCE in 2023?", "22.7%: return on capital employed"),
        ("What was the ROIC in 2023?", "17.3%: return on invested capital"),
        ("What was the cash ratio in 2023?", "0.42: cash ratio, 2023 (cash and cash equivalents"),
        ("What was the cash ratio in 2023?", "with short-term investments it is 0.63"),
        ("How long was the DPO in 2023?", "60.83 days: days payable outstanding"),
        ("How long was the DPO in 2023?", "over purchases (cost plus the change in inventories) it is 58.87 days"),
        ("How long was the DPO in 2023?", "with closing balances alone it is 66.92 days"),
        (
            "What was the inventory turnover in 2023?",
            "(cost of goods sold / average inventories, balances of 2022 and 2023;",
        ),
        ("What was the gross margin in 2023?", "40.0%: gross margin, 2023 ((revenue − cost of goods sold) / revenue)"),
        ("What was the operating margin before depreciation in 2023?", "19.0%: operating margin before depreciation"),
        ("What was the current ratio excluding inventories in 2023?", "1.46: current ratio excluding inventories"),
        ("What was free cash flow in 2023?", "$80 million: free cash flow"),
        ("What were the days sales outstanding in 2022?", "82.13 days: days sales outstanding, 2022 (with closing bal"),
        ("What was working capital as a percentage of sales in 2023?", "24.0%: working capital as a percentage of rev"),
        ("What was the operating income to inventory ratio in 2023?", "1.15: operating income to inventories, 2023"),
        (
            "What was the interest expense to average asset ratio in 2023?",
            "0.0353: interest expense to average total assets",
        ),
        ("What was the interest expense to asset ratio in 2023?", "0.0333: interest expense to total assets, 2023"),
        ("What is the quick ratio for 2023, and is it healthy?", "1.46: quick ratio, 2023, at or above one"),
    ],
)
def test_a_worked_figure_says_which_definition_was_taken(question, told):
    end = ask(question, company())
    assert told in end.answer


def test_a_row_that_includes_amortisation_is_not_counted_twice():
    rows = [["Depreciation and amortization", "50", "43"], *CASH[1:]]
    end = ask("What was EBITDA in 2023?", company(cash=rows))
    assert "$200 million" in end.answer and "amortization of intangible assets" not in end.answer


def test_a_figure_that_the_document_states_goes_before_one_worked_out():
    stated = table("Capital structure", [["Net debt", "96", "77"]], columns=YEARS, units=MILLIONS)
    end = ask("What was net debt at the end of 2023?", company(more=(section("Capital structure", stated),)))
    assert end.answer.startswith("Net debt came to $96 million in 2023")


def test_without_a_year_a_change_is_from_the_year_before_to_the_newest():
    end = ask("Is the operating margin of Holm Pumps improving?", company())
    assert end.answer.startswith("Yes. Operating margin rose by 2.5 percentage points")
    assert "15.0%: operating margin, 2023" in end.answer and "12.5%: operating margin, 2022" in end.answer


@pytest.mark.parametrize(
    ("question", "verdict", "rule"),
    [
        ("Is Holm Pumps a capital-intensive business, by its 2023 figures?", "No. 6.0%", "below a tenth of revenue"),
        ("Is Holm Pumps a capital-intensive business, by its 2023 figures?", "No.", "over total assets it is 35.6%"),
        ("Is Holm Pumps a fast-growing company as of 2023?", "Yes. 25.0%", "at or above a fifth a year"),
        ("Does Holm Pumps have a healthy current ratio in 2023?", "Yes. 2.00", "at or above one"),
        ("Was the quick ratio in 2022 adequate?", "Yes. 1.20", "at or above one"),
        ("Did the gross margin of Holm Pumps improve in 2023?", "Yes. Gross margin rose by 2.5", "37.5%"),
        ("Is Holm Pumps profitable in 2023?", "Yes. 9.0%", "at or above zero"),
        ("Was the operating margin steady between 2022 and 2023?", "No.", "beyond the two points"),
        ("Has the net profit margin been steady between 2022 and 2023?", "Yes.", "within the two points"),
        ("Is the debt to equity ratio above 0.5 in 2023?", "No. 0.44", "total equity"),
        ("Is the gross margin higher than 35% in 2023?", "Yes. 40.0%", "gross margin, 2023"),
        ("Did net sales grow by more than 20% in 2023?", "Yes. Revenue rose by 25.0%", "2023"),
        ("Did net sales grow by more than 30% in 2023?", "No. Revenue rose by 25.0%", "2023"),
        ("Is free cash flow in 2023 above $70 million?", "Yes. $80 million", "operating cash flow"),
        ("Was free cash flow higher than net income in 2023?", "No. -$10 million", "less net income"),
        ("Was free cash flow lower than net income in 2023?", "Yes. -$10 million", "less net income"),
        ("Was net debt lower than EBITDA in 2023?", "Yes. -$100 million", "net debt less EBITDA"),
        ("Did the current ratio fall below 1.5 in 2023?", "No. 2.00", "current ratio, 2023"),
        ("Did the current ratio fall below 1.7 in 2022?", "Yes. 1.64", "current ratio, 2022"),
        ("Did net debt rise in 2023?", "No. Net debt fell by $20 million", "$120 million: net debt, 2022"),
    ],
)
def test_a_judgement_gives_the_figures_the_rule_and_the_verdict(question, verdict, rule):
    end = ask(question, company())
    assert end.answer.startswith(verdict) and rule in end.answer


def test_a_denied_judgement_over_a_named_row_stands():
    rows = [row for row in BALANCE if row[0] != "Short-term investments"]
    rows = [[row[0], "20", "20"] if row[0].startswith("Accounts rec") else row for row in rows]
    end = ask("Is liquidity healthy, judged by the quick ratio of 2023?", company(balance=rows))
    assert end.answer.startswith("No. 0.50: quick ratio, 2023, below one ((cash and cash equivalents")
    assert "without short-term investments, for which no figure is shown" in end.answer


def bank(*rows):
    sheet = [["Loans", "$ 700", "$ 650"], *rows, ["Total assets", "900", "800"], ["Total liabilities", "800", "720"]]
    return compiled(
        "Ostbank annual report 2023",
        section(
            "Consolidated Balance Sheets",
            table("Consolidated Balance Sheets", sheet, columns=YEARS, units=MILLIONS, statement="balance"),
        ),
        section("Liquidity", paragraph("Ostbank holds liquid assets of high quality.")),
    )


@pytest.mark.parametrize("measure", ["current ratio", "quick ratio", "gross margin"])
def test_a_measure_that_means_nothing_for_a_bank_is_said_not_to_apply(measure):
    end = ask(f"What was the {measure} of Ostbank in 2023?", bank(["Total deposits", "750", "690"]))
    assert f"The {measure} does not apply here" in end.answer


def test_customer_deposits_make_no_bank():
    end = ask("What was the current ratio of Ostbank in 2023?", bank(["Customer deposits", "50", "40"]))
    assert "does not apply" not in end.answer


def test_a_statement_that_does_not_say_its_scale_shares_that_of_the_others_in_a_ratio():
    end = ask("What was the ROCE in 2023?", company(units=""))
    assert end.answer.startswith("22.7%: return on capital employed")


@pytest.mark.parametrize(
    "question",
    [
        "What was the operating margin excluding the flood in Leeds in 2023?",
        "What was the operating margin before depreciation of vehicles only, rather than of all assets, in 2023?",
        "What was the net profit margin before restructuring and flood losses in 2023?",
    ],
)
def test_a_qualifier_that_cannot_be_read_is_not_dropped(question):
    plan = understand(question)
    assert plan.formula is None
    end = ask(question, company())
    assert end.outcome is not Outcome.ANSWERED or "%: operating margin, 2023" not in end.answer


def test_a_definition_of_the_questions_own_is_taken_without_another():
    question = "What was the cash ratio for 2023? Cash ratio is defined as: cash and cash equivalents / total assets."
    end = ask(question, company())
    assert end.answer.startswith("0.11") and "it is" not in end.answer


@pytest.mark.parametrize(
    ("question", "sentence", "told"),
    [
        (
            "By how many points was the outlook for adjusted earnings lifted?",
            "The outlook for sales rises to 7 percent (previously 5 percent), that for adjusted earnings to 9 percent"
            " (previously 8 percent).",
            "1 percentage point, from 8 percent to 9 percent",
        ),
        (
            "By how much did the monthly storage fee increase?",
            "The monthly storage fee increases from $40 to $55 on 1 May.",
            "$15, from $40 to $55",
        ),
        (
            "By how many days was the notice period extended?",
            "The notice period was extended to 60 days, from 30 days before.",
            "30 days, from 30 to 60",
        ),
        (
            "By how much was the excess of the policy raised?",
            "The excess of the policy was raised from 250 euros a claim to 400 euros from June on.",
            "150 euros, from 250 to 400",
        ),
        (
            "By how many percentage points did the share of tenants with a bicycle rise since 2019?",
            "Beside that, 64% of the tenants own a bicycle, up from 55% in 2019.",
            "9 percentage points, from 55% to 64%",
        ),
    ],
)
def test_a_sentence_that_states_both_sides_of_a_change_gives_the_difference(question, sentence, told):
    document = compiled("Letter to tenants", section("What changes", paragraph(sentence)), section("Contact"))
    drafted = [event for event in Orchestrator().run(question, Shelf({"a": document}), Limits())]
    texts = [event.text for event in drafted if getattr(event, "state", "") == "checked" and not event.because]
    assert any(text.startswith(told) for text in texts)


def test_a_pair_of_equal_weight_is_not_guessed_at():
    sentence = "Fees change from $40 to $55 in Leeds and from $30 to $35 in York."
    document = compiled("Letter to tenants", section("What changes", paragraph(sentence)))
    end = ask("By how much do fees change?", document)
    assert "$15" not in end.answer and "$5," not in end.answer


def test_a_share_is_not_that_of_a_part_in_itself():
    rows = [["Revenue", "$ 400", "$ 380"], ["Operating income", "60", "50"]]
    segment = table("Valves Segment", rows, columns=YEARS, units=MILLIONS)
    split = table("Segments", [["Valves", "$ 400", "$ 380"], ["Pumps", "600", "420"]], columns=YEARS, units=MILLIONS)
    document = company(more=(section("Valves Segment", segment), section("Note 3. Segments", split)))
    end = ask("What share of revenue came from the Valves segment in 2023?", document)
    assert "100%" not in end.answer


def test_a_growth_is_worked_out_from_a_sentence_that_does_not_repeat_the_subject():
    text = "Recycling levies: these are charged as they arise, and totaled $24 million in 2023, $20 million in 2022."
    document = company(more=(section("Note 9. Levies", paragraph(text)),))
    end = ask("What was the growth rate of recycling levies of Holm Pumps from 2022 to 2023?", document)
    assert "20%" in end.answer and "$24 million" in end.answer


@pytest.mark.parametrize(
    "question",
    [
        "What drove the fall in the repair margin in 2023?",
        "Why did the repair margin fall in 2023?",
        "What caused the repair margin to decline in 2023?",
    ],
)
def test_causes_that_are_announced_together_are_told_together(question):
    lead = paragraph("The repair margin fell in 2023, driven by:")
    causes = Part(
        NodeKind.LIST,
        "",
        "• higher prices of spare parts and of repair tools\n• a strike at the depot\n• lower repair volume in 2023",
    )
    end = ask(question, compiled("Holm Pumps review", section("Repair business", lead, causes)))
    assert all(cause in end.answer for cause in ("spare parts", "a strike", "lower repair volume"))


def test_items_that_no_cause_announces_are_no_causes():
    lead = paragraph("The depot repairs the following:")
    items = Part(NodeKind.LIST, "", "• pumps of the repair class A\n• valves\n• hoses")
    end = ask("Why did the repair margin fall in 2023?", compiled("Review", section("Repair business", lead, items)))
    assert "valves" not in end.answer


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What was the gross margin in 2022 and 2023?", ["40.0%: gross margin, 2023", "37.5%: gross margin, 2022"]),
        ("How has the return on equity developed from 2022 to 2023?", ["20.0%: return on equity, 2023", "15.0%"]),
        ("What was EBITDA for 2022 and 2023?", ["$200 million: EBITDA, 2023", "$143 million: EBITDA, 2022"]),
    ],
)
def test_every_period_named_has_its_own_result(question, told):
    end = ask(question, company())
    assert all(part in end.answer for part in told)


def test_a_period_without_figures_is_named_as_missing():
    end = ask("What was the operating margin in 2019 and 2023?", company())
    assert end.outcome is Outcome.PARTIAL and "15.0%" in end.answer and "2019" in " ".join(end.missing)


def test_an_amount_of_money_is_no_count_of_people():
    text = "The reform cost $14 million in 2023, mostly severance for 118 employees."
    end = ask("What was the revenue per employee in 2023?", company(more=(section("Reform", paragraph(text)),)))
    assert "71." not in end.answer


def test_a_range_told_backwards_names_the_years_between():
    rows = [["Repair income", "$ 31", "$ 27", "$ 25"]]
    split = table("Other income", rows, columns=["", "2023", "2022", "2021"], units=MILLIONS)
    end = ask("What was the repair income for 2023 to 2021 respectively?", compiled("Holm", section("Other", split)))
    assert all(part in end.answer for part in ("$31 million in 2023", "$27 million in 2022", "$25 million in 2021"))


def test_the_notes_under_a_table_are_no_list_of_what_is_asked():
    notes = [
        paragraph("(a) Long-term assets are buildings and cranes at the places where the group operates mainly."),
        paragraph("(b) In 2021 the income from places abroad rose with the purchase of Bray Cranes, see Note 13."),
    ]
    split = table("Income by place", [["Norway", "$ 31", "$ 27"], ["Wales", "9", "8"]], columns=YEARS)
    end = ask(
        "What are the places where the group operates mainly?", compiled("Holm", section("Note 2", split, *notes))
    )
    assert "see Note 13" not in end.answer


THREE = ["", "2023", "2022", "2021"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What were total repair grants across all three years?", "$83 million"),
        ("What were the total repair grants over the years shown?", "$83 million"),
        ("In which year was the storm loss the greatest?", "highest in 2022"),
        ("Which year had the highest trading result?", "highest in 2021"),
    ],
)
def test_sums_over_all_years_and_losses_ranked_by_size(question, told):
    rows = [
        ["Repair grants", "$ 31", "$ 27", "$ 25"],
        ["Storm loss", "(4)", "(9)", "(6)"],
        ["Trading result", "(4)", "(9)", "(1)"],
    ]
    split = table("Other items", rows, columns=THREE, units=MILLIONS)
    end = ask(question, compiled("Holm", section("Other items", split)))
    assert told in end.answer


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What was the CAGR of repair income between 2021 and 2023?", "comes to 20%"),
        ("What was the average annual growth of net sales from 2021 to 2023?", "25.0%: average growth of revenue"),
    ],
)
def test_growth_over_several_years(question, told):
    rows = [["Net sales", "$ 1,250", "$ 1,000", "$ 800"], ["Repair income", "144", "110", "100"]]
    split = table("Three years", rows, columns=THREE, units=MILLIONS)
    assert told in ask(question, compiled("Holm", section("Three years", split))).answer


def test_a_rank_over_years_is_not_answered_by_the_newest():
    end = ask("In which year was the operating margin of Holm Pumps the lowest?", company())
    assert "15.0%" not in end.answer
