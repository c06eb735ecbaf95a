"""Questions about tables of any domain: looked up, worked out, ranked, counted; or honestly refused."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.relations.tables import handbook
from tests.support.engine_documents import Shelf, compiled, paragraph, section, table
from vectorless_web.engine.agent.events import Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.figures.tables import tables_of
from vectorless_web.engine.questions.formulas.request import request_of
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.relations.reading import Reading, read_request_in
from vectorless_web.engine.relations.relation import relations_of


def ask(question, document=None):
    """The end of a run over the document, and its checked claims."""
    events = list(Orchestrator().run(question, Shelf({"a": document or handbook()}), Limits()))
    return events[-1], [e for e in events if isinstance(e, ClaimEvent) and e.state == "checked"]


def read(question, document=None) -> Reading | None:
    tree = (document or handbook()).tree
    request = request_of(understand(question))
    return read_request_in(relations_of("a", tables_of(tree, tree.leaves())), request) if request else None


@pytest.mark.parametrize(
    "question,value",
    [
        ("How many pumps did Malmö have in 2022?", "1,040"),
        ("What is the unit price of the fire hose?", "$140"),
        ("What is the delivery time of the suction hose?", "6 days"),
        ("What is the maximum daily dose for children?", "300 mg"),
        ("What is the crossing time to Strömstad?", "150 minutes"),
        ("What was the ferry income in 2018?", "€1,310 thousand"),
        ("What was the cost of goods sold in 2019?", "-€30,000 thousand"),
        ("What was the operating profit of Rail in 2021?", "$120 million"),
        ("What were the losses of credit card loans under the baseline scenario?", "$77 million"),
        ("What was the profit margin in 2018?", "11.1%"),
    ],
)
def test_a_figure_is_looked_up_by_row_column_and_caption(question, value):
    end, _ = ask(question)
    assert end.value == value


@pytest.mark.parametrize(
    "question",
    [
        "What were the losses of credit card loans under the adverse scenario?",
        "What was the ferry income in 2016?",
        "What is the unit price of the drainage hose?",
        "What was the operating profit of Shipping in 2021?",
        "How many pumps did Uppsala have in 2023?",
        "What was the change in ferry income between 2012 and 2013?",
        "What is the sum of profit margin and net sales in 2019?",
        "What is the difference between the unit price and the delivery time of the fire hose?",
        "What was the operating profit in the fourth quarter of 2021?",
        "Which segment had the highest number of passengers?",
    ],
)
def test_a_word_that_nothing_accounts_for_means_no_figure(question):
    assert read(question) is None


@pytest.mark.parametrize(
    "question,value",
    [
        ("What was the change in ferry income from 2018 to 2019?", "€1,205 thousand"),
        ("By how much did net sales grow between 2017 and 2019?", "€11,904 thousand"),
        ("What was the percentage change in net sales from 2018 to 2019?", "5.22%"),
        ("What was the growth rate of the ferry income in 2019?", "91.98%"),
        ("What was the average net sales for 2018 and 2019?", "€50,617 thousand"),
        ("What was the average ferry income?", "€1,575 thousand"),
        ("What was the total ferry income for 2017, 2018 and 2019?", "€4,725 thousand"),
        ("What is the sum of ferry income and net sales in 2019?", "€54,419 thousand"),
        ("What was ferry income as a percentage of net sales in 2019?", "4.85%"),
        ("What percentage of the total stock of pumps was in Lund in 2023?", "49.21%"),
        ("What was the ratio of ferry income to net sales in 2019?", "0.0485"),
        ("What was the ratio of net sales in 2019 to 2018?", "1.05"),
        ("What was the percentage constitution of ferry income among total net sales in 2019?", "4.85%"),
        ("What was the compound annual growth rate of net sales from 2017 to 2019?", "13.91%"),
        ("What was the difference between the unit price of the fire hose and the suction hose?", "$52"),
        ("What was the change in profit margin from 2017 to 2019?", "3.4 percentage points"),
        ("How many more pumps did Lund have than Malmö in 2023?", "270"),
        ("What was the operating profit per vehicle of Road in 2021?", "$1.393 million"),
    ],
)
def test_a_calculation_is_worked_out_from_its_own_rows(question, value):
    end, claims = ask(question)
    assert end.value == value
    assert claims[0].calculation is not None and not claims[0].because


def test_several_periods_are_told_in_the_order_asked():
    end, _ = ask("What was the ferry income in 2018 and 2019, respectively?")
    assert "€1,310 thousand in 2018 and €2,515 thousand in 2019" in end.answer


def test_a_figure_that_the_document_states_goes_before_one_worked_out():
    rows = [["Visitors", "120", "100", "25.0%"], ["Guides", "9", "6", "50.0%"]]
    stated = compiled("Museum", section("Year", table("Year", rows, columns=["", "2020", "2019", "% change"])))
    reading = read("What was the percentage change in visitors?", stated)
    assert reading is not None and reading.expression == "" and reading.figures[0].amount == Decimal("25.0")


@pytest.mark.parametrize(
    "question,told",
    [
        ("Which warehouse had the most pumps in 2022?", "Lund has the higher pumps in 2022, 1,100"),
        ("Which warehouse had the fewest pumps in 2023?", "Kiruna has the lowest pumps in 2023, 310"),
        ("In which year was the ferry expense larger, 2017 or 2018?", "2017"),
        ("In which year was the ferry income highest?", "2019"),
        ("Which segment had the higher operating profit in 2021?", "Rail has the higher operating profit, $120"),
        ("Which hose has the lowest unit price?", "Garden hose has the lowest unit price, $12.5"),
    ],
)
def test_a_rank_compares_all_members_of_one_relation(question, told):
    end, claims = ask(question)
    assert told in end.answer
    assert not claims[0].because


def test_a_rank_says_what_has_no_figure():
    end, _ = ask("Which warehouse had the fewest pumps in 2022?")
    assert "Malmö has the lower pumps in 2022, 1,040" in end.answer and "no figure is shown for Kiruna" in end.answer


@pytest.mark.parametrize(
    "question,value",
    [
        ("How many years did the ferry income exceed €1,000 thousand?", "2"),
        ("How many sites are there under temporary?", None),
        ("How many items are there under temporary?", "3"),
    ],
)
def test_a_count_names_what_it_counts(question, value):
    end, claims = ask(question)
    if value is not None:
        assert end.value == value and not claims[0].because


def test_the_years_on_one_side_of_a_threshold_are_told():
    end, _ = ask("In which years was the ferry income less than 2,000 thousand?")
    assert "2018" in end.answer and "2017" in end.answer and "in 2019" not in end.answer


def test_members_are_those_of_one_group():
    end, _ = ask("What are the items under permanent?")
    assert "Leeds; York" in end.answer and "Hull" not in end.answer


def test_a_row_of_the_same_name_is_taken_from_the_group_asked_for():
    end, _ = ask("How many temporary staff did Leeds have in 2023?")
    assert end.value == "9"


def test_a_row_whose_name_two_groups_share_is_not_guessed():
    assert read("What was the change in Leeds from 2023 to 2024?") is None


def test_units_are_scaled_before_they_are_joined():
    rows = [["Grants ($ thousand)", "500"], ["Fees ($ million)", "2"]]
    document = compiled("Fund", section("Fund", table("Fund", rows, columns=["", "2020"])))
    reading = read("What is the sum of grants and fees in 2020?", document)
    assert reading is not None and reading.value * reading.scale == 2_500_000


def test_a_header_row_read_as_a_body_row_names_its_columns():
    rows = [["(in millions)", "Carrying amount", "Fair value"], ["Bonds", "37", "40"]]
    document = compiled("Bank", section("Debt", table("Debt", rows, columns=["", "2019", ""])))
    reading = read("What was the fair value of bonds in 2019?", document)
    assert reading is not None and reading.figures[0].value == 40_000_000


def test_definitions_and_reasons_are_no_requests():
    for question in ("What is net sales?", "Why did net sales increase in 2019?", "What does net sales include?"):
        assert request_of(understand(question)) is None


amounts = st.lists(st.integers(1, 10**6), min_size=2, max_size=7, unique=True)


DEPOTS = ("Oslo", "Bergen", "Narvik", "Hamar", "Skien", "Moss", "Alta")


def sheet(values):
    rows = [[name, f"{value:,}"] for name, value in zip(DEPOTS, values, strict=False)]
    rows.append(["Total", f"{sum(values):,}"])
    return compiled("Depots", section("Tyres", table("Tyres by depot", rows, columns=["Depot", "2020"])))


@given(amounts)
def test_the_highest_is_the_greatest_of_all_members(values):
    reading = read("Which depot had the most tyres in 2020?", sheet(values))
    assert reading is not None and len(reading.figures) == len(values)
    assert reading.figures[reading.chosen[0]].value == max(values)


@given(amounts)
def test_shares_of_the_total_add_up_to_a_hundred(values):
    document = sheet(values)
    shares = [
        read(f"What percentage of total tyres was in {name} in 2020?", document) for name in DEPOTS[: len(values)]
    ]
    assert all(share is not None for share in shares)
    assert abs(sum(share.value for share in shares) - 100) < Decimal("0.0001")


def test_operands_may_stand_in_prose():
    document = compiled(
        "Club",
        section(
            "Members",
            paragraph("Membership fees were €41,200 in 2021 and €39,700 in 2020."),
            paragraph("The club has 310, 295 and 280 members in 2021, 2020 and 2019, respectively."),
        ),
    )
    end, claims = ask("What was the change in membership fees from 2020 to 2021?", document)
    assert end.value == "€1,500" and not claims[0].because
    assert claims[0].calculation.expression == "membership_fees_2021 - membership_fees_2020"
    end, claims = ask("What was the average number of members for 2019, 2020 and 2021?", document)
    assert end.value == "295" and not claims[0].because


def test_the_figure_of_the_whole_goes_before_that_of_a_part_nobody_asked_for():
    def sales(caption, label, figures):
        return table(caption, [[label, *figures]], columns=["In millions", "2024", "2023"])

    document = compiled(
        "Annual report",
        section("Pumps segment", sales("", "Revenue", ["624", "571"])),
        section("Statement of income", sales("", "Total net revenue", ["1,402", "1,254"])),
    )

    assert ask("What was revenue in 2024?", document)[0].value.endswith("1,402 million")
    assert ask("What was the revenue of the Pumps segment in 2024?", document)[0].value.endswith("624 million")


def test_a_telephone_number_is_told_whole_and_is_no_figure():
    watch = table(
        "Emergency numbers",
        [["Company doctor", "+47 555 0119", "always"], ["Data desk", "+1 555 0160", "06:00 to 22:00"]],
        columns=["Watch", "Telephone", "Hours"],
    )
    document = compiled("Handbook", section("Emergency numbers", paragraph("Whom to call."), watch))
    end, _ = ask("What is the telephone number of the company doctor?", document)
    assert "+47 555 0119" in end.answer


@pytest.mark.parametrize("label,told", [("Total net revenue", "Total net revenue"), ("Total", "Net revenue - Total")])
def test_a_sum_is_told_with_its_group_only_where_it_does_not_name_it(label, told):
    rows = [["Net revenue:", "", ""], ["Products", "976", "889"], ["Services", "426", "365"], [label, "1,402", "1,254"]]
    income = table("Consolidated Statements of Income (in millions)", rows, columns=["Line", "2024", "2023"])
    document = compiled("Report", section("Statements", income))
    end, _ = ask("What was net revenue in 2024?", document)
    assert end.answer.startswith(f"{told} came to")


def _results():
    return compiled(
        "Grading essays by machine",
        section(
            "Results",
            table(
                "Agreement with teachers",
                [
                    ["Ruler", "61.5%", "70.2%", "48.0%"],
                    ["Ruler + Hints", "66.0%", "75.5%", "51.3%"],
                    ["Ruler + Hints + Vote", "69.4%", "74.1%", "55.9%"],
                    ["Large reader", "72.8%", "80.0%", "50.1%"],
                ],
                columns=["Method", "History", "Biology", "Poetry"],
            ),
        ),
    )


@pytest.mark.parametrize(
    "question,amounts",
    [
        ("How much higher is Ruler + Hints than Ruler on Poetry?", ("51.3", "48.0")),
        ("How much higher is the accuracy of Ruler + Hints compared to Ruler on Biology?", ("75.5", "70.2")),
        ("How much lower is the score of Large reader on Poetry compared to Biology?", ("50.1", "80.0")),
        ("What accuracy does Large reader reach on History?", ("72.8",)),
        ("Which score did Ruler + Hints + Vote achieve on Poetry?", ("55.9",)),
    ],
)
def test_a_results_table_is_read_by_method_and_column(question, amounts):
    """A column that one of two compared rows names holds for both; what the figures are called need not be said."""
    found = read(question, _results())
    assert found is not None
    assert tuple(str(figure.amount) for figure in found.figures) == amounts


def test_a_method_that_the_table_does_not_have_has_no_score():
    assert read("What accuracy does Small reader reach on History?", _results()) is None


SHIPYARD = compiled(
    "Annual report of the Lindholm yard, 2024",
    section(
        "Boats segment",
        paragraph("(In millions)"),
        table(
            "Boats segment",
            [["Revenue", "$352", "$318"], ["Costs", "306", "322"], ["Boats delivered", "13", "9"]],
            columns=["", "2024", "2023"],
            units="(In millions of dollars)",
        ),
    ),
    section("Outlook", paragraph("We expect orders to grow by a tenth in 2025.")),
    section("Interest", paragraph("Interest earned was higher in 2024 because rates rose.")),
)


@pytest.mark.parametrize(
    "question,told",
    [
        ("Did revenue rise in 2024?", "Yes. Revenue rose by $34 million"),
        ("Has revenue grown in 2024?", "Yes. Revenue rose by $34 million"),
        ("Did revenue fall in 2024?", "No. Revenue rose by $34 million"),
        ("Did costs go down in 2024?", "Yes. Costs fell by $16 million"),
        ("Did revenue go up or down in 2024?", "Revenue rose by $34 million"),
    ],
)
def test_asked_which_way_a_figure_went_its_change_decides(question, told):
    assert ask(question, SHIPYARD)[0].answer.startswith(told)


@pytest.mark.parametrize("question", ["Did profit go up in 2024?", "Did orders grow?"])
def test_another_thing_or_a_forecast_settles_no_direction(question):
    assert ask(question, SHIPYARD)[0].outcome not in (Outcome.ANSWERED, Outcome.PARTIAL)


def test_things_counted_among_amounts_of_money_are_no_money():
    assert ask("How many boats were delivered in 2024?", SHIPYARD)[0].value == "13"


SHOPS = compiled(
    "Brandal Bakeries annual report 2023",
    section("Results of operations", paragraph("Income before tax fell. Visitors came from three towns.")),
    section(
        "Change of sales by region",
        paragraph("Operating figures of the regions."),
        table(
            "",
            [["North", "4.2%", "3.0%"], ["South", "-14.6%", "8.0%"], ["West", "-2.0%", "1.0%"]],
            columns=["Region", "Own shops", "Bought shops"],
        ),
    ),
    section(
        "Regions",
        table(
            "Regions (in thousands of dollars)",
            [["Operating income", "310", "440", "120"]],
            columns=["", "North", "South", "West"],
        ),
    ),
    section(
        "Shops",
        table(
            "Shops",
            [
                ["Brandal", "12", "11"],
                ["Total Northern segment shops", "16", "14"],
                ["Brandal shops", "18", "15"],
                ["Station kiosks", "41", "44"],
                ["Total shops", "59", "59"],
            ],
            columns=["", "2023", "2022"],
        ),
    ),
    section("Outlook", paragraph("We expect to close four station kiosks in 2024.")),
)


def test_a_column_called_something_else_is_not_ranked_by_what_stands_around_its_table():
    answer = ask("Which region had the highest operating income?", SHOPS)[0].answer
    assert answer.startswith("South") and "4.2" not in answer


@pytest.mark.parametrize(
    "question,told",
    [
        ("How many shops does Brandal have in 2023?", "Total shops came to 59"),
        ("How many Brandal shops are there in 2023?", "Brandal shops came to 18"),
        ("How many northern shops does Brandal have in 2023?", "Total Northern segment shops came to 16"),
        ("How many station kiosks does Brandal have in 2023?", "Station kiosks came to 41"),
    ],
)
def test_what_a_company_has_is_not_told_by_the_row_that_bears_its_name(question, told):
    assert told in ask(question, SHOPS)[0].answer


@pytest.mark.parametrize(
    "question,told",
    [
        ("Was there any change in the number of station kiosks between 2022 and 2023?", "Yes. The number of station"),
        ("Did the number of station kiosks rise from 2022 to 2023?", "No. The number of station kiosks fell by 3"),
        ("Was there a drop in total shops from 2022 to 2023?", "No. Total shops did not change"),
    ],
)
def test_whether_a_figure_changed_is_answered_by_both_figures(question, told):
    assert told in ask(question, SHOPS)[0].answer


BOARD = compiled(
    "Harbour Society report 2024",
    section(
        "Board",
        table(
            "Board of directors",
            [["A. Lind", "Executive", "7"], ["B. Moss", "Non-Executive", "8"], ["C. Reyes", "Executive", "4"]],
            columns=["Name", "Category", "Meetings attended"],
        ),
    ),
)


def test_only_the_rows_of_the_kind_asked_for_are_filtered():
    found = read("Which executive directors had meetings attended of more than 5?", BOARD)
    assert found is not None
    assert [found.names[index] for index in found.chosen] == ["A. Lind"]
