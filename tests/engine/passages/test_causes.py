"""Why a thing was so: a cause is told, beside the effect or in its sentence, and the effect alone is no answer."""

import pytest

from tests.support.engine_documents import Shelf, compiled, paragraph, section, table
from vectorless_web.engine.agent.events import CompleteEvent, Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.passages.causes import find_effect, gives_cause, points_back, tells_cause
from vectorless_web.engine.passages.checks import is_met
from vectorless_web.engine.questions.requirements import Wanted, find_must_show, requirements_of
from vectorless_web.engine.questions.understand import understand

MINUTES = compiled(
    "Minutes of the allotment society, 3 March 2025",
    section(
        "Water tank",
        paragraph(
            "The insurer has not yet confirmed that the shed roof bears the weight. The committee therefore put the"
            " purchase of the water tank back to the summer meeting."
        ),
    ),
    section(
        "Plot 14",
        paragraph("There is no statement from the holder so far. The vote on plot 14 was adjourned to 7 April."),
    ),
    section(
        "Waiting list",
        paragraph("The waiting list has shrunk to 11 names. This follows the opening of the new site at Larch End."),
    ),
    section("Gate", paragraph("The gate is locked at dusk."), paragraph("Reason: tools were stolen twice last year.")),
    section("Next meeting", paragraph("The next meeting is held in the school canteen on 7 April at 19:00.")),
    section("Bees", paragraph("The hives were moved behind the hedge, given the complaints of two neighbours.")),
    section(
        "Requests",
        table(
            "Requests",
            [
                ["Bonfire on 5 April", "refused", "dry reeds stand beside the plots"],
                ["Second shed on plot 9", "granted", "it replaces a fallen one"],
            ],
            columns=["Request", "Decision", "Reason"],
        ),
    ),
    section(
        "Accident",
        paragraph(
            "The trailer struck the pump house. A contributing factor was the driver's diverted attention on the"
            " track. As he was turning on the track the driver was entering an address into his telephone."
        ),
    ),
)


def ask(question: str) -> CompleteEvent:
    return list(Orchestrator().run(question, Shelf({"a": MINUTES}), Limits()))[-1]


@pytest.mark.parametrize(
    "question,cause",
    [
        ("Why was the purchase of the water tank put back?", "The insurer has not yet confirmed"),
        ("How come the vote on plot 14 was adjourned?", "no statement from the holder"),
        ("Why has the waiting list shrunk?", "the opening of the new site"),
        ("Why is the gate locked at dusk?", "tools were stolen"),
        ("Why were the hives moved behind the hedge?", "complaints of two neighbours"),
        ("Why was the bonfire on 5 April refused?", "dry reeds"),
        ("What diverted the driver's attention on the track?", "an address into his telephone"),
    ],
)
def test_the_cause_is_found_in_the_sentence_beside_it_in_a_line_or_in_a_row(question, cause):
    end = ask(question)
    assert end.outcome is Outcome.ANSWERED, end.reason
    assert cause in end.answer


@pytest.mark.parametrize(
    "question", ["Why is the next meeting held in the school canteen?", "Why is the next meeting on 7 April?"]
)
def test_an_effect_of_which_no_cause_is_told_is_no_answer(question):
    assert ask(question).outcome is Outcome.PASSAGES


def test_a_question_for_the_thing_itself_is_answered_by_it():
    assert "school canteen" in ask("Where is the next meeting held?").answer


@pytest.mark.parametrize(
    "words",
    [
        "The club was closed because of the storm.",
        "The ferry is late. The café therefore opens at ten.",
        "The roof leaks, so the hall stays shut.",
        "As the river rose in the night, the bridge was closed.",
        "Sales were affected in both years by the strike at the port.",
        "The signal was silent. It had been switched off in May.",
        "Visibility was poor, for a bank of fog lay over the strait.",
        "The permit is still missing. The council postponed the work.",
    ],
)
def test_words_tell_a_cause(words):
    assert tells_cause("Why is it so", words)


@pytest.mark.parametrize(
    "words",
    [
        "The café therefore opens at ten.",
        "The hall has been shut since 2019.",
        "Ann Bell attends as a guest of the board.",
        "The data protection officer has left.",
        "Free cash flow: net cash provided by operating activities less purchases of property.",
    ],
)
def test_words_that_tell_no_cause(words):
    assert not tells_cause("Why is it so", words)


@pytest.mark.parametrize(
    "words,is_told",
    [
        ("The storm damaged the whole village.", True),
        ("The village was damaged by a storm.", True),
        ("The report speaks of the damaged village.", False),
        ("The village was damaged in May.", False),
    ],
)
def test_asked_what_did_a_thing_the_doer_has_to_be_told(words, is_told):
    assert tells_cause("What damaged the village", words) is is_told


def test_a_sentence_points_back_only_where_its_cause_stands_ahead_of_it():
    assert points_back("The Board therefore met again.")
    assert not points_back("The minutes were lost, and the Board therefore met again.")


def test_a_sentence_that_begins_with_a_reason_gives_the_cause_of_the_one_before():
    assert gives_cause("Reason: the pump is broken.") and gives_cause("This was due to frost.")
    assert not gives_cause("The pump is new.")


def test_a_question_that_begins_with_why_asks_for_a_cause_whatever_figures_it_names():
    plan = understand("Why does the trust expect a decline in total gifts?")
    assert [each.wanted for each in requirements_of(plan)] == [Wanted.CAUSE]
    assert find_must_show(plan) is Wanted.CAUSE
    assert find_must_show(understand("Who moved the hives, and why?")) is None


YEAR = compiled(
    "Corvane Dairy annual report 2023",
    section(
        "Results",
        paragraph("Revenue rose by 7 percent. Growth was driven by higher cheese prices and two customers in Ireland."),
        paragraph(
            "Operating margin decreased mainly because of the closing of the Alder plant and lower gross margin."
        ),
        paragraph(
            "Cost of products sold increased as a percent of sales, driven by raw milk that cost 18 percent more."
        ),
        paragraph("Income before tax as a percent of sales fell, driven by a fine of $3 million paid in France."),
    ),
)


def test_a_cause_is_told_of_the_measure_asked_about_and_of_no_other():
    question = "What drove the operating margin change in 2023?"
    end = list(Orchestrator().run(question, Shelf({"a": YEAR}), Limits()))[-1]
    assert "Alder plant" in end.answer
    assert not any(other in end.answer for other in ("raw milk", "fine", "cheese"))


@pytest.mark.parametrize(
    "sentence,effect",
    [
        ("Margins fell because of the lower gross margin.", "Margins fell "),
        ("The drop of 5 hives was caused by wasps.", "The drop of 5 hives was "),
        ("Because of wasps the hives were closed.", "Because of wasps the hives were closed."),
    ],
)
def test_the_effect_stands_ahead_of_the_cause(sentence, effect):
    assert find_effect(sentence) == effect


def test_the_cause_of_another_measure_answers_nothing():
    end = list(Orchestrator().run("What drove the decrease in free cash flow?", Shelf({"a": YEAR}), Limits()))[-1]
    assert end.outcome is Outcome.PASSAGES


@pytest.mark.parametrize(
    "question,words,is_settled",
    [
        ("Did the number of kiosks fall between 2022 and 2023?", "We expect to close four kiosks in 2024.", False),
        ("Did the number of kiosks fall between 2022 and 2023?", "Costs fell in 2023 thanks to fewer kiosks.", False),
        ("Did the number of kiosks fall between 2022 and 2023?", "The kiosks fell from 44 to 41 in 2023.", True),
        ("Will any kiosks be closed?", "We expect to close four kiosks in 2024.", True),
    ],
)
def test_whether_a_thing_happened_is_settled_by_no_plan_and_by_nothing_else_that_changed(question, words, is_settled):
    requirement = next(r for r in requirements_of(understand(question)) if r.wanted is Wanted.VERDICT)
    assert is_met(requirement, words) is is_settled


@pytest.mark.parametrize(
    "question,words,is_settled",
    [
        (
            "Is growth expected to accelerate in 2025?",
            "Membership grew by 6 percent and will grow by 4 percent.",
            False,
        ),
        ("Is growth expected to accelerate in 2025?", "Growth will slow to 4 percent in 2025.", True),
        ("Does the new cook have previous experience in schools?", "The new cook starts on 1 May in schools.", False),
        ("Does the new cook have previous experience in schools?", "She has ten years of experience in schools.", True),
        ("Did the number of kiosks fall from 2022 to 2023?", "Our plans include closing four kiosks.", False),
    ],
)
def test_a_verdict_needs_words_on_the_very_thing_asked(question, words, is_settled):
    requirement = next(r for r in requirements_of(understand(question)) if r.wanted is Wanted.VERDICT)
    assert is_met(requirement, words) is is_settled


def test_an_answer_in_millions_holds_a_number_that_names_no_standard():
    requirement = requirements_of(understand("What is the net fair value of the hedges? Answer in millions."))[0]
    assert is_met(requirement, "The hedges had a net fair value of 93.")
    assert not is_met(requirement, "The hedges are measured at fair value under ASC 820.")


def test_what_several_have_together_is_no_figure_of_one_of_them():
    requirement = requirements_of(understand("How many boats do the rowing and the sailing club collectively own?"))[0]
    assert is_met(requirement, "The two clubs own 14 boats in total, collectively 14.")
    assert not is_met(requirement, "The rowing club has 9 boats and the sailing club some.")
