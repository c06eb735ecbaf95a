"""Lists of members and steps: the whole list that is named, and nothing of another."""

import pytest

from tests.support.engine_documents import Part, Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.events import Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.passages.context import Reading


def listing(text):
    return Part(NodeKind.LIST, "", text)


MARINA = compiled(
    "Marina rules",
    section(
        "Rules",
        listing("1. BERTHS\nThe marina has berths in three basins: Heron, Tern and Gull. Long boats lie in Gull."),
        listing(
            "2. FUEL SPILLS\nAs soon as a spill is seen:\n(a) stop the pump;\n(b) lay the boom;\n(c) ring the office."
        ),
        listing("3. NOISE\nGenerators run from 8:00 to 20:00. Music is kept low after dark."),
    ),
    section(
        "Moorings",
        paragraph("To moor in the basin, a boat must:"),
        listing("- be insured\n- carry two fenders\n- show its name"),
    ),
)


def told(question):
    end = list(Orchestrator().run(question, Shelf({"a": MARINA}), Limits()))[-1]
    return [line.partition(" [")[0] for line in end.answer.splitlines()], end


def test_the_steps_within_a_clause_are_told_without_its_neighbours():
    lines, _ = told("What are the steps after a fuel spill?")
    assert lines == ["As soon as a spill is seen:", "(a) stop the pump;", "(b) lay the boom;", "(c) ring the office."]


def test_a_list_of_something_else_is_no_answer():
    lines, _ = told("Which basins does the marina have?")
    assert not any("fenders" in line for line in lines)


def test_a_rule_for_whom_something_is_forbidden_takes_its_list_along():
    lines, _ = told("What must a boat do to moor?")
    assert lines[0].startswith("To moor in the basin") and "show its name" in " ".join(lines)


GYM = compiled(
    "Climbing hall",
    section("Opening", paragraph("The hall opens at nine and has three walls of different heights.")),
    section(
        "Ropes",
        paragraph("Gear is taken out of use at the yearly check for one of these:"),
        listing(
            "- a rope whose core is damaged\n- a rope damaged by heat\n- a damaged rope end\n- a knot damaged by use"
        ),
    ),
)


def test_a_list_stands_first_when_its_items_fit_though_its_lead_in_says_little():
    end = list(Orchestrator().run("Which kinds of rope damage are there?", Shelf({"a": GYM}), Limits()))[-1]
    told = end.answer or " ".join(passage.quote for passage in end.passages)
    assert all(item in told for item in ("core is damaged", "by heat", "rope end"))


COAST = compiled(
    "Coastal observatory plan",
    section(
        "Our structure",
        paragraph("The Office of Stations oversees four field stations, each of which has a keeper."),
        paragraph("The office was founded in 1957."),
        listing("- Marl Point\n- Sandhithe\n- Gull Rock\n- Eastness"),
        paragraph("The operational components of the observatory are:"),
        listing("- the Tide Service\n- the Storm Desk\n- the Coast Laboratory"),
    ),
    section(
        "Bureaus",
        paragraph("The Secretary directs three bureaus, which plan for themselves."),
        paragraph("Contact: see the back page"),
        paragraph("BUREAU OF SAND (BOS) BUREAU OF WAVES AND WIND (BWW) OFFICE OF CHARTS (OC)"),
    ),
    section("Strategic goals", paragraph("We have three goals for the coming years.")),
    section("Goal 1: Know the coast", paragraph("We will survey the whole shore every two years.")),
    section("Goal 2: Warn people sooner", paragraph("We will cut the time to a warning to forty minutes.")),
    section("Goal 3: Share what we know", paragraph("We will open the archive to schools.")),
    section(
        "Core values",
        paragraph("Safety: nobody goes out alone in a gale."),
        paragraph("Candour: we say what we do not know."),
        paragraph("Thrift: we mend before we buy."),
    ),
    section("Reserves", paragraph("The observatory looks after six reserves, which are open all year.")),
)


def items_told(question, document=COAST):
    end = list(Orchestrator().run(question, Shelf({"a": document}), Limits()))[-1]
    return [line.partition(" [")[0] for line in end.answer.splitlines()]


def test_members_announced_by_their_number_are_found_where_they_follow():
    assert items_told("Which four field stations does the Office of Stations oversee?") == [
        "The Office of Stations oversees four field stations, each of which has a keeper.",
        "- Marl Point",
        "- Sandhithe",
        "- Gull Rock",
        "- Eastness",
    ]


def test_names_with_their_abbreviations_are_members_when_they_are_just_as_many():
    lines = items_told("Which three bureaus does the Secretary direct?")
    assert lines[1:] == ["BUREAU OF SAND (BOS)", "BUREAU OF WAVES AND WIND (BWW)", "OFFICE OF CHARTS (OC)"]


def test_headings_that_count_on_are_the_members_of_what_is_announced():
    assert items_told("What are the strategic goals of the observatory?")[1:] == [
        "Goal 1: Know the coast",
        "Goal 2: Warn people sooner",
        "Goal 3: Share what we know",
    ]


def test_texts_that_begin_with_a_name_are_the_members_that_their_heading_names():
    lines = " ".join(items_told("What are the core values?"))
    assert all(name in lines for name in ("Safety", "Candour", "Thrift"))


def test_a_number_of_members_without_the_members_is_no_whole_answer():
    end = list(Orchestrator().run("Which six reserves does it look after?", Shelf({"a": COAST}), Limits()))[-1]
    assert end.outcome is not Outcome.ANSWERED


REPORT = compiled(
    "Accident report",
    section(
        "Damage",
        paragraph("The boat struck the pier. It sustained damage to the bow, the mast and the steering gear."),
    ),
    section(
        "Preparation of the subjects",
        paragraph(
            "Before the sessions each subject was briefed for ten minutes on the aims of the study and on the risks"
            " that sailing in a simulator has for people who are made sick by its movements. The subject was then"
            " seated in the simulator and the headset was calibrated. After calibration, a practice run of five minutes"
            " was flown without wind. Only when the practice run had been completed did the recorded session begin."
        ),
    ),
    section(
        "When the hire ends",
        paragraph("When the hire ends:"),
        paragraph("(a) the boat is washed and fuelled; (b) the keys are left in the box; (c) the log is signed."),
    ),
    section("Registration", paragraph("To register, send form A to the clerk. The clerk answers within ten days.")),
)


def test_a_series_in_a_sentence_that_says_what_is_asked_is_a_list():
    end = list(Orchestrator().run("Which parts of the boat sustained damage?", Shelf({"a": REPORT}), Limits()))[-1]
    assert end.outcome is Outcome.ANSWERED and "steering gear" in end.answer


def test_a_procedure_told_in_sentences_is_told_from_its_first_to_its_last():
    told = " ".join(items_told("How were the subjects prepared before the recorded session?", REPORT))
    assert all(words in told for words in ("briefed for ten minutes", "seated in", "practice run of five", "begin"))


def test_what_follows_in_a_case_is_told_with_the_case_and_all_its_items():
    lines = items_told("What happens when the hire ends?", REPORT)
    assert lines[0] == "When the hire ends:" and len(lines) == 4


def test_what_is_done_for_a_purpose_are_steps():
    end = list(Orchestrator().run("How do I register?", Shelf({"a": REPORT}), Limits()))[-1]
    assert end.outcome is Outcome.ANSWERED and "form A" in end.answer


PHONES = compiled(
    "Handbook",
    section(
        "Lost devices",
        paragraph("If a phone or card is lost, act as follows:"),
        listing(
            "1. Ring the desk within one hour.\n2. Change your password.\n"
            "3. Tell your manager and open a ticket for the lost device.\n4. Report a theft to the police."
        ),
        paragraph("Do not look for a lost device yourself."),
    ),
)


def test_one_step_never_stands_for_all_of_them():
    lines = items_told("What must I do if a device is lost?", PHONES)
    assert [line[:2] for line in lines[1:5]] == ["1.", "2.", "3.", "4."]


LIBRARY = compiled(
    "Notice of the library",
    section(
        "How to make a request",
        paragraph(
            "Write to the data officer. Bring proof of who you are. The officer confirms the request. A copy is sent."
        ),
    ),
    section(
        "Sharing",
        paragraph("We share data with three partners."),
        section("County archive", paragraph("It keeps our loans register.")),
        section("Card printer", paragraph("It prints our cards.")),
        section("Debt collector", paragraph("It is told of fines.")),
    ),
    section(
        "Opening the vault",
        paragraph("The door of the vault must not be opened"),
        listing("- by one person alone;\n- after six in the evening;\n- while the lamp is red."),
    ),
)


def test_sentences_that_tell_somebody_what_to_do_are_steps():
    end = list(Orchestrator().run("How do I make a request?", Shelf({"a": LIBRARY}), Limits()))[-1]
    assert end.outcome is Outcome.ANSWERED and "proof of who you are" in end.answer


def test_headings_below_are_the_members_that_a_number_announces():
    lines = items_told("With which three partners is data shared?", LIBRARY)
    assert lines[1:] == ["County archive", "Card printer", "Debt collector"]


def test_an_unfinished_sentence_before_a_list_leads_into_it():
    end = list(Orchestrator().run("What are the cases in which the vault must not be opened?", Shelf({"a": LIBRARY}),
                                  Limits()))[-1]  # fmt: skip
    told = end.answer or " ".join(passage.quote for passage in end.passages)
    assert "must not be opened" in told and "red" in told


def test_what_worked_against_causes_is_of_their_list():
    items = Part(NodeKind.LIST, "", "• a strike\n• dear flour partially offset by:\n• cheap milk\n• cheap salt")
    reading = Reading(compiled("M", section("Costs", paragraph("Costs rose, driven by:"), items)).tree)
    assert reading.words((reading.lead_in(3),)) == "Costs rose, driven by:"
    assert len(reading.items(3)) == 4


FERRY = compiled(
    "Ferry staff rules",
    section(
        "Pay",
        paragraph("5.1 Sums may be kept back from the last wages for:"),
        listing("(a) uniforms that are not handed in;\n(b) advances still owed;\n(c) cabin keys that were lost."),
    ),
    section(
        "Stranding of 3 May",
        paragraph("6.1 The inquiry found nothing to show that any of these caused the stranding:"),
        listing("- fog on the sound;\n- a fault of the engine;\n- tiredness of the mate."),
    ),
    section(
        "Mooring",
        paragraph("A mooring is a place at a quay where a ferry is tied up for the night with two lines."),
        paragraph("Skippers who want to moor a ferry overnight follow these steps:"),
        listing("1. ring the harbour desk;\n2. tie up with two lines;\n3. hang out the lamp."),
        paragraph("Neither the mooring nor the lamp is seen from the road."),
    ),
)


def ferry(question):
    end = list(Orchestrator().run(question, Shelf({"a": FERRY}), Limits()))[-1]
    return [line.partition(" [")[0] for line in end.answer.splitlines()]


def test_where_the_lead_in_answers_all_that_it_announces_is_the_answer():
    lines = ferry("What can they keep back sums from my last wages for?")
    assert lines[0].startswith("5.1 Sums may be kept back") and len(lines) == 4


def test_a_list_of_what_did_not_do_a_thing_is_none_of_what_did():
    assert not any("fog" in line for line in ferry("Which things caused the stranding?"))


def test_a_question_for_steps_takes_the_steps_and_not_what_the_thing_is():
    lines = ferry("What steps must skippers follow to moor a ferry overnight?")
    assert lines[1:] == ["1. ring the harbour desk;", "2. tie up with two lines;", "3. hang out the lamp."]


TERMS = compiled(
    "Terms of the Quillbox",
    section(
        "Use", paragraph("4.1 You must not use Quillbox to:"), listing("- copy maps;\n- sell keys;\n- send adverts.")
    ),
    section("Entry", paragraph("A member may not vote if any of these applies:"), listing("- unpaid dues;\n- a ban.")),
    section("Data", paragraph("We collect:"), listing("- your name;\n- your sign-ins;\n- the pages you open.")),
    section("Outlook", paragraph("The main risks are:"), listing("- dear paper;\n- slow post;\n- a lost licence.")),
    section("Owner", paragraph("We shall not:"), listing("- raise fees twice a year;\n- close branches.")),
)


@pytest.mark.parametrize(
    "question,first,items",
    [
        ("What am I not allowed to do with the app?", "4.1 You must not use Quillbox to:", 3),
        ("What information do they gather about me?", "We collect:", 3),
        ("What could go wrong with all this?", "The main risks are:", 3),
    ],
)
def test_the_one_list_announced_as_what_is_asked_is_told_whole(question, first, items):
    end = list(Orchestrator().run(question, Shelf({"a": TERMS}), Limits()))[-1]
    lines = [line.partition(" [")[0] for line in end.answer.splitlines()]
    assert lines[0] == first and len(lines) == items + 1


def test_such_a_list_says_nothing_of_a_thing_that_it_does_not_name():
    end = list(Orchestrator().run("What could go wrong with the boiler?", Shelf({"a": TERMS}), Limits()))[-1]
    assert "The main risks" not in end.answer
