"""Rules of sentences worked out for the case of a question: rates, steps, limits, shares, dates."""

from pathlib import Path

import pytest

from tests.engine.passages.test_answers_in_words import document
from tests.support.engine_documents import Shelf
from vectorless_web.engine.agent.events import CompleteEvent, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.relations.rules import work_out_date, work_out_rule

WORKED = Path(__file__).parents[1] / "passages" / "worked.txt"
ROWS = [
    tuple(part.strip() for part in line.split("|", 3))
    for line in WORKED.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]

RULES = [
    (
        "A delivery worth £30,000 turns up five full days late. How much credit do we get?",
        "5.2 For a late delivery the Supplier gives the Buyer a service credit of two per cent of the "
        "price of the delayed Goods for each full day of delay up to the third day, and of four per cent "
        "for each further full day. The total service credit for a delivery may not exceed twenty per "
        "cent of the price of the delayed Goods.",
        "£4,200",
    ),
    (
        "We bring the boat back 4 hours late. What do we pay?",
        "A boat brought back late costs £15 for each started hour, at most £50.",
        "£50",
    ),
    (
        "How much is a locker for 6 weeks?",
        "Lockers cost £3 a week. Keys cost £5.",
        "£18",
    ),
    (
        "I keep the kayak for 6 days. What does it cost?",
        "The kayak costs £20 a day for the first three days and £12 for each further day.",
        "£96",
    ),
    (
        "I keep the kayak for 6 days. What does it cost?",
        "For the first three days the kayak costs £20 a day, after that £12 a day.",
        "£96",
    ),
    (
        "The technician works for 2.5 hours. What is the bill?",
        "A call-out costs £60 plus £45 per hour.",
        "£172.50",
    ),
    (
        "Two adults stay for three nights. How much tourist tax do we pay?",
        "The tourist tax is €2.50 per person per night.",
        "€15",
    ),
    (
        "I drove 350 km with the hired van. How much do I pay for the distance?",
        "The first 200 km are free; each further kilometre costs 30 cents.",
        "4,500 cents",
    ),
    (
        "How much must I pay for a parcel held for 12 days?",
        "Storage is free for the first five days. From the sixth day on we charge €1.20 per day.",
        "€8.40",
    ),
    (
        "The repair costs £900. What deposit do I have to leave?",
        "A deposit of 30 per cent of the price is due when the order is placed.",
        "£270",
    ),
    (
        "My invoice of £2,000 is two months overdue. What interest do I owe?",
        "Overdue invoices bear interest at 1.5 % per month.",
        "£60",
    ),
    (
        "The ticket costs £80. How much do I pay as a student?",
        "Students get a discount of 25 per cent.",
        "£60",
    ),
    (
        "How much is the fine for 3 books that are 10 days late?",
        "The fine is 20 cents per book and day, at most €5.",
        "€5",
    ),
    (
        "What does it cost to hire the hall for 5 hours?",
        "The hall costs £18 per hour on weekdays and £30 per hour at weekends.",
        "",
    ),
    (
        "What does it cost to hire the hall for 5 hours at the weekend?",
        "The hall costs £18 per hour on weekdays and £30 per hour at weekends.",
        "£150",
    ),
    (
        "How much is the room?",
        "Rooms cost £80 a night.",
        "",
    ),
    (
        "A shipment of 90 kg: what is the handling fee?",
        "Handling is charged at £0.40 per kg, with a minimum charge of £50.",
        "£50",
    ),
    (
        "We are 2 weeks late with the rent. What is the late fee?",
        "A late fee of £5 per day is charged, up to a maximum of £60.",
        "£60",
    ),
    (
        "How much allowance do I get for 4 days?",
        "The allowance is $55 a day.",
        "$220",
    ),
    (
        "How many points do I get for 7 orders?",
        "Members earn 3 points for each order.",
        "21 points",
    ),
    (
        "A child weighs 18 kg. What dose does it get?",
        "The dose is 20 mg per kg of body weight, at most 1000 mg a day.",
        "360 mg",
    ),
    (
        "How many holidays have I earned after 6 months?",
        "Leave is earned at 2.5 days for each complete month.",
        "15 days",
    ),
    (
        "We moved 5 boxes. What does it cost?",
        "The van costs £40 a day.",
        "",
    ),
    (
        "How much does the trip to Rome cost for 3 days?",
        "The first hour is free.",
        "",
    ),
    (
        "My bill is £300. How much do I pay?",
        "A fine of £20 is charged for each late payment.",
        "",
    ),
    (
        "How long may I stay for 3 days?",
        "Rooms cost £80 a night.",
        "",
    ),
    (
        "We hired it for 20 days. What is the charge?",
        "The charge is £10 per day for the first week, £8 per day for the second week and £5 per day thereafter.",
        "",
    ),
    (
        "Eight people want the guided tour. How much is it?",
        "A tour costs £60 for groups of up to ten people.",
        "",
    ),
]

DATES = [
    (
        "I bought it on 3 March 2024. Until when can I send it back?",
        "Goods may be returned within 14 days of receipt.",
        "17 March 2024",
    ),
    (
        "The course starts on 10 September. By when do I have to cancel?",
        "Cancellation is free up to three weeks before the start.",
        "20 August",
    ),
    (
        "The contract was signed on 31 January 2023. When does the warranty end?",
        "The warranty lasts two years.",
        "31 January 2025",
    ),
]


@pytest.mark.parametrize("question,rule,result", RULES)
def test_a_rule_is_worked_out_or_left_alone(question, rule, result):
    worked = work_out_rule(question, rule)
    assert (worked.result if worked else "") == result


@pytest.mark.parametrize("question,rule,result", DATES)
def test_the_day_that_lies_a_stated_time_away_is_told(question, rule, result):
    worked = work_out_date(question, rule)
    assert worked is not None and worked.result == result


def test_the_formula_is_told_in_the_figures_themselves():
    worked = work_out_rule("How much is the boat for 6 days?", "A boat costs £20 a day, at most £90.")
    assert worked is not None
    assert worked.how == "6 × £20, limited to £90"
    assert worked.expression == "min(day * r1, cap)"
    assert worked.operands == (("r1", "£20", True), ("day", "6 days", False), ("cap", "£90", True))


def draft_of(name: str, question: str) -> str:
    """The best draft, whether it was certain enough to be shown or not."""
    events = list(Orchestrator().run(question, Shelf({"a": document(name)}), Limits()))
    end = events[-1]
    assert isinstance(end, CompleteEvent)
    held = [event.observation.get("withheld") for event in events if isinstance(event, StepEvent)]
    return end.answer or next((found["answer"] for found in held if found), "")


@pytest.mark.parametrize("name,question,result", [(n, q, w) for n, kind, q, w in ROWS if kind == "worked"])
def test_what_a_rule_comes_to_stands_first_and_is_checked(name, question, result):
    assert draft_of(name, question).startswith(f"{result}:")


@pytest.mark.parametrize("name,question,words", [(n, q, w) for n, kind, q, w in ROWS if kind == "open"])
def test_without_the_numbers_of_a_case_the_rule_is_told_as_it_stands(name, question, words):
    answer = draft_of(name, question)
    assert words in answer and " × " not in answer


def test_a_rate_taken_once_works_nothing_out():
    rule = "The society refunds 60% of the fee for each cancelled course."
    assert work_out_rule("How much is refunded for one course with 1 course cancelled?", rule) is None


@pytest.mark.parametrize(
    "question,rule,result,expression",
    [
        (
            "How many more minutes of swimming in total over 6 weeks, at 4 days a week, did the autumn group get?",
            "The spring group swam 20 minutes a day, while the autumn group swam 35 minutes a day.",
            "360 minutes",
            "(autumn_group - spring_group) * weeks * days",
        ),
        (
            "How many more hours did the night shift work in total over 3 weeks?",
            "The day shift works 36 hours a week. The night shift works 41 hours a week.",
            "15 hours",
            "(night_shift - day_shift) * weeks",
        ),
    ],
)
def test_what_one_gets_more_than_another_is_worked_out_over_weeks_and_days(question, rule, result, expression):
    worked = work_out_rule(question, rule)
    assert (worked.result, worked.expression) == (result, expression)


@pytest.mark.parametrize(
    "rule",
    [
        "The autumn group swam 35 minutes a day.",
        "They swam 20, 25 or 35 minutes: 20 minutes a day at first, 25 minutes a day then, 35 minutes a day at last.",
        "The spring group swam 20 minutes a day, while the autumn group swam 35 minutes a week.",
    ],
)
def test_no_excess_is_worked_out_where_an_amount_is_missing_or_in_doubt(rule):
    assert work_out_rule("How many more minutes in total over 6 weeks at 4 days a week did they swim?", rule) is None


@pytest.mark.parametrize(
    "rule,result",
    [
        ("A full day away is paid at €50. The days of departure and return are paid at €30 each.", "€210"),
        ("For a full day away €50 is paid. For the days of departure and return it is half of that.", "€200"),
        ("€50 is paid for a full day; for the day of departure and of return, 60 per cent of it.", "€210"),
    ],
)
def test_an_allowance_of_full_days_and_days_of_travel_is_added_up(rule, result):
    question = "How much is the allowance for three full days, the day of departure and the day of return?"
    assert work_out_rule(question, rule).result == result
