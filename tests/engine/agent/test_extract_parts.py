"""Questions that ask several things: each of its parts is answered, by one passage or by several."""

import pytest

from tests.support.engine_documents import Shelf, compiled, paragraph, section, table
from vectorless_web.engine.agent.events import Outcome, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.claims import Strength
from vectorless_web.engine.questions.parts import read_parts
from vectorless_web.engine.questions.requirements import parts_asked
from vectorless_web.engine.questions.understand import understand

QUARRY = compiled(
    "Quarry handbook",
    section("Blasting", paragraph("Blasting starts at 11:30 on working days when the siren has sounded twice.")),
    section("Gates", paragraph("The north gate closes at 18:15 and is opened again by the night guard.")),
    section("Dust", paragraph("The sprinklers are cleaned every week by the foreman of the crushing plant.")),
    section("Roads", paragraph("Lorries keep to the marked road and below 20 kilometres per hour.")),
)


SWIMMING = compiled(
    "Pool rules",
    section("Safety", paragraph("An injured swimmer is reported to the duty manager before anybody leaves the pool.")),
    section(
        "Contacts",
        table(
            "Contacts",
            [["Duty manager", "Signe Aalto", "014 77"], ["Treasurer", "Bo Lind", "014 79"]],
            columns=["Role", "Name", "Telephone"],
        ),
    ),
)


def answer(question, document=QUARRY):
    """The answer, given or withheld: how sure it is does not matter here."""
    events = list(Orchestrator().run(question, Shelf({"a": document}), Limits()))
    held = [e.observation["withheld"] for e in events if isinstance(e, StepEvent) and "withheld" in e.observation]
    return events[-1].answer or (held[-1]["answer"] if held else "")


def test_each_of_two_things_asked_is_answered_from_its_own_place():
    told = answer("When does blasting start on working days, and when does the north gate close?")
    assert "11:30" in told
    assert "18:15" in told


def test_a_sentence_that_tells_both_stands_alone():
    told = answer("Who cleans the sprinklers of the crushing plant, and how often?")
    assert told.count("[") == 1
    assert "every week by the foreman" in told


def test_whoever_holds_the_office_that_a_rule_names_is_told_too():
    told = answer("To whom is an injured swimmer reported?", SWIMMING)
    assert "Duty manager – Name: Signe Aalto; Telephone: 014 77" in told
    assert "Bo Lind" not in told


def test_nobody_is_added_where_the_rule_names_the_person():
    hall = compiled(
        "Hall",
        section("Keys", paragraph("Keys are handed out by the steward, Mira Solano, on Mondays.")),
        section("Contacts", paragraph("Steward: Jon Berg, from 2020 to 2022")),
    )
    assert "Jon Berg" not in answer("Who hands out the keys?", hall)


@pytest.mark.parametrize(
    "question,parts",
    [
        ("Who pays the toll, and by when?", ("Who pays the toll", "by when")),
        ("What does it cost and how long does it take?", ("What does it cost", "how long does it take")),
        ("Who owns the lorry and the trailer?", ()),
        ("Sum up the rules: what is allowed and who decides?", ()),
    ],
)
def test_a_question_is_parted_where_it_asks_again(question, parts):
    assert parts_asked(understand(question)) == parts


FERRY = compiled(
    "Grounding of the ferry Tern",
    section(
        "Particulars",
        paragraph(
            "Registered Owner: Sound Ferries Ltd\nOperator: Marlin\nMaker: Holm Yard\nPassengers: 3 hurt, 41 unhurt"
        ),
        paragraph(
            "Experience: 2,410 hours (Total, all vessels), 312 hours (Total, this make and model), 64 hours (By day)\n"
            "Last Medical Exam: 12 February 2023"
        ),
    ),
    section(
        "What happened",
        paragraph("The ferry left the harbour at 14:10. At 18:42 it grounded on the Teal Bank near the lighthouse."),
        paragraph("The cost of the tow of £9,400 was borne by the club in the end."),
    ),
)


def end_of(question, document=FERRY):
    return list(Orchestrator().run(question, Shelf({"a": document}), Limits()))[-1]


def test_two_lines_of_a_form_are_told_as_two_sentences():
    told = answer("Who was the registered owner, and who was the operator?", FERRY)
    assert told == "The registered owner was Sound Ferries Ltd. [1]\nThe operator was Marlin. [2]"


def test_of_several_values_with_labels_those_asked_are_told():
    told = answer("How many hours of experience were there in total, and how many in this make and model?", FERRY)
    assert "was 2,410 hours (Total, all vessels) and 312 hours (Total, this make and model). [1]" in told
    assert "64 hours" not in told


def test_a_line_with_every_word_accounted_for_is_told_for_certain():
    end = end_of("When was the last medical exam?")
    assert end.answer == "The last medical exam was 12 February 2023. [1]"
    assert end.confidence.strength is Strength.STRONG


def test_two_lines_that_differ_leave_open_which_is_meant():
    crews = compiled(
        "Crew of two boats",
        section("Tern", paragraph("Skipper: Ida Holm\nLicence: C 4411")),
        section("Gull", paragraph("Skipper: Per Lund\nLicence: C 9020")),
    )
    end = end_of("What is the licence of the skipper?", crews)
    assert not end.answer or end.confidence.strength is not Strength.STRONG


def test_a_part_that_nothing_answers_is_named():
    end = end_of("Who was the registered owner, and what was the insured value?")
    assert end.outcome is not Outcome.ANSWERED
    assert "insured value" in end.reason or not end.answer


def test_one_number_answers_one_of_two_counts():
    island = compiled("Island", section("Birds", paragraph("The warden counted 214 puffins on the northern cliff.")))
    end = end_of("How many puffins were counted on the cliff, and how many puffins were ringed there?", island)
    assert end.outcome is not Outcome.ANSWERED


def test_one_sentence_meets_two_parts():
    told = answer("What did the tow cost, and who bore it?", FERRY)
    assert told.count("[1]") == 1
    assert "£9,400 was borne by the club" in told


@pytest.mark.parametrize(
    "question,completed",
    [
        ("When does the lease start, and when does it end?", "when does the lease end"),
        ("How much is the deposit and who pays it?", "who pays the deposit"),
        ("Who opens the hall and who locks it?", "who locks the hall"),
        ("What was the skipper's age and which certificate did he hold?", "which certificate did the skipper hold"),
        ("How many people are seated and how many standing?", "how many people standing"),
        ("How many serious and how many slight injuries were there?", "how many slight injuries were there"),
        ("Who is the treasurer, and what is the telephone number?", "what is the telephone number of the treasurer"),
        ("Who sails the boat, and who paints the shed?", "who paints the shed"),
    ],
)
def test_a_part_is_completed_by_what_the_one_before_is_about(question, completed):
    assert read_parts(understand(question))[1].plan.focus.rstrip("?") == completed


def test_a_rank_that_leaves_out_what_is_ranked_is_completed():
    parts = read_parts(understand("Which mill had the highest output in 2021, and which had the lowest?"))
    assert parts[1].plan.focus == "Which mill had the lowest output in 2021?"


def test_the_noun_that_is_counted_may_stand_in_a_later_part():
    assert read_parts(understand("How many serious and how many slight injuries were there?"))[0].plan.focus == (
        "How many injuries serious?"
    )


def test_whoever_stands_beside_an_office_in_a_table_is_told():
    assert "The treasurer is Bo Lind" in answer("Who is the treasurer?", SWIMMING)
