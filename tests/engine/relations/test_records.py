"""Rows chosen by what another column says of them: counted, listed, or one more cell of each told."""

import pytest

from tests.engine.relations.test_rows import ask
from tests.support.engine_documents import compiled, paragraph, section, table

BOATS = compiled(
    "Boats of the sailing school",
    section(
        "Boats",
        table(
            "",
            [
                ["B1", "dinghy", "Nordhavn", "4", "yes", "Ida Strand", "2026-04-02"],
                ["B2", "dinghy", "Strandby", "4", "no", "Ida Strand", "2026-04-09"],
                ["B3", "keel boat", "Nordhavn", "6", "yes", "Leo Vang", "2026-05-11"],
                ["B4", "catamaran", "Nordhavn", "0", "no", "Mia Holt", "2026-06-01"],
            ],
            columns=["Boat", "Kind", "Harbour", "Free places", "Insured", "Instructor", "Inspected"],
        ),
    ),
    section(
        "Costs",
        paragraph("All costs in EUR thousand"),
        table("", [["Sails", "12"], ["Paint", "3"]], columns=["", "2025"]),
    ),
)


@pytest.mark.parametrize(
    "question,held",
    [
        ("How many boats are kept at Nordhavn?", "3 rows have “Nordhavn” under “Harbour”: B1, B3 and B4"),
        ("Which boats are moored in Nordhavn?", "B1, B3 and B4 have “Nordhavn” under “Harbour”"),
        ("Which boats are not insured?", "B2 and B4 have “no” under “Insured”"),
        ("Which boats are insured?", "B1 and B3 have “yes” under “Insured”"),
        ("Which boat has no free places?", "Only B4 has “0” under “Free places”"),
        ("Which boats does Ida Strand teach?", "B1 and B2 have “Ida Strand” under “Instructor”"),
        ("Who teaches on the catamaran?", "For catamaran, the instructor is Mia Holt"),
        ("When was the keel boat inspected?", "For keel boat, the inspected is 2026-05-11"),
    ],
)  # fmt: skip
def test_rows_are_chosen_by_a_cell_of_theirs(question, held):
    assert held in ask(question, BOATS)[0].answer


def test_rows_chosen_by_no_are_told_with_where_they_are():
    told = ask("Which boats are not insured, and where are they?", BOATS)[0].answer
    assert "B2 (Harbour: Strandby) and B4 (Harbour: Nordhavn) have “no” under “Insured”" in told


@pytest.mark.parametrize("question", ["Which boats are not kept at Nordhavn?", "Which boats aren’t at Nordhavn?"])
def test_rows_of_another_value_are_told_where_the_value_is_denied(question):
    told = ask(question, BOATS)[0].answer
    assert "B2" in told
    assert "B1" not in told
    assert "B4" not in told


@pytest.mark.parametrize(
    "question",
    [
        "How many damaged boats are kept at Nordhavn?",
        "Who repairs the catamaran?",
        "Which boats at Nordhavn were sold?",
        "Who teaches on the dinghy in Strandby at night?",
    ],
)
def test_rows_are_not_chosen_where_a_word_stands_for_nothing(question):
    assert "under “" not in ask(question, BOATS)[0].answer and "the instructor" not in ask(question, BOATS)[0].answer


def test_units_of_the_next_section_are_not_this_tables():
    answer = ask("Which boat has the most free places?", BOATS)[0].answer
    assert "6" in answer and "€" not in answer and "thousand" not in answer


def test_a_column_that_counts_who_pays_is_not_how_much_one_pays():
    flats = [["small", "4", "4,800"], ["large", "7", "7,100"]]
    shares = compiled(
        "Minutes", section("Who pays what", table("", flats, columns=["Flat", "Owners", "Share per flat"]))
    )
    answer = ask("How much does an owner of a large flat pay?", shares)[0].answer
    assert not answer or "7,100" in answer


CREW = compiled(
    "Yearbook of the yard",
    section(
        "Officers",
        table(
            "",
            [
                ["Ines Falkner", "Chief Financial Officer since 2019", "51"],
                ["Otto Brandvik", "Chief Executive Officer", "58"],
                ["Rosa Lindahl", "President, Boats", "44"],
                ["Karl Osterby", "President, Sails", "47"],
            ],
            columns=["Name", "Office", "Age"],
        ),
    ),
)


@pytest.mark.parametrize("question", ["Who is the Chief Financial Officer?", "Who's our CFO?"])
def test_who_holds_an_office_is_named_by_the_row_of_the_office(question):
    shown = ask(question, CREW)[0]
    assert "Ines Falkner" in (shown.answer or shown.passages[0].quote)


def test_an_office_that_several_hold_names_none_of_them():
    assert "the name is" not in ask("Who is the president?", CREW)[0].answer


FUND = compiled(
    "Decisions of the parish fund",
    section(
        "Grants decided in March",
        table(
            "",
            [
                ["Tern Rowing Club", "New oars", "Granted £4,500", "3 March"],
                ["St Bride's School", "Tide garden", "Refused", "3 March"],
                ["Old Quay Singers", "Concert", "Granted £1,200", "10 March"],
                ["Lantern Museum", "Roof", "Deferred to June", "10 March"],
                ["Kelp Kitchen", "Oven", "Refused", "17 March"],
            ],
            columns=["Applicant", "Project", "Decision", "Meeting"],
        ),
    ),
    section(
        "Bursaries",
        table(
            "",
            [
                ["Ann Fell", "Welding", "800", "Approved in full"],
                ["Ben Moor", "Diving", "1,400", "Approved £900"],
                ["Cat Hill", "Baking", "650", "Turned down: too late"],
            ],
            columns=["Student", "Course", "Asked (£)", "Outcome"],
        ),
    ),
    section(
        "Faults of the appliance",
        paragraph("A fault is shown by a letter and a number."),
        table(
            "",
            [["F1", "Tank full", "runs on"], ["F2", "Hose kinked", "halts"], ["F4", "Fan blocked", "halts"]],
            columns=["Display", "Meaning", "Appliance"],
        ),
    ),
    section(
        "Alarms",
        table(
            "",
            [["A1", "Pump stops"], ["A2", "Lamp blinks"], ["A3", "Pump stops"]],
            columns=["Alarm", "Reaction"],
        ),
    ),
)


@pytest.mark.parametrize(
    "question,held",
    [
        ("Which applicants were granted money, and how much each?",
         "Tern Rowing Club (Granted £4,500) and Old Quay Singers (Granted £1,200) have “Granted” under “Decision”"
         " (2 of 5 rows"),
        ("Which applicants were granted money, and for which project?",
         "Tern Rowing Club (Granted £4,500; Project: New oars)"),
        ("Who was refused?", "St Bride's School and Kelp Kitchen have “Refused” under “Decision” (2 of 5 rows"),
        ("Which students were approved, and how much did each get?",
         "Ann Fell (Approved in full; Asked (£): 800) and Ben Moor (Approved £900; Asked (£): 1,400)"),
        ("Which alarms make the pump stop?", "A1 and A3 have “Pump stops” under “Reaction” (2 of 3 rows"),
        ("Which fault codes stop the machine, so that the motor is off?", "F2 and F4 have “halts” under “Appliance”"),
        ("Which faults halt the appliance and what do they mean?", "F2 (Meaning: Hose kinked) and F4"),
    ],
)  # fmt: skip
def test_rows_are_chosen_by_how_a_cell_begins_with_what_else_is_asked_of_them(question, held):
    assert held in ask(question, FUND)[0].answer


SHOP = compiled(
    "Manual of the mill",
    section(
        "Signals",
        table(
            "",
            [
                ["Red", "Tank empty", "At once"],
                ["Blink", "Pump blocked", "At once; ring us"],
                ["Blue", "Ready", "None"],
            ],
            columns=["Lamp", "Meaning", "Urgency"],
        ),
    ),
    section(
        "Models",
        table(
            "",
            [["M1", "449", "Sold out"], ["M2", "499", "In stock"], ["M3", "549", "In stock (12)"]],
            columns=["Model", "Price (€)", "Stock"],
        ),
    ),
    section(
        "Records",
        table(
            "",
            [["Loans", "10 years", "Statistics"], ["Fines", "6 years", "Accounts"], ["Photos", "6 years", "Tax"]],
            columns=["Data", "Kept for", "Reason"],
        ),
    ),
)


@pytest.mark.parametrize(
    "question,held",
    [
        ("Which signals must be dealt with at once?", "Red and Blink (At once; ring us) have “At once”"),
        ("Which models are in stock, and what do they cost?",
         "M2 (Price (€): 499) and M3 (In stock (12); Price (€): 549) have “In stock”"),
        ("Which data are kept for six years, and why?", "Fines (Reason: Accounts) and Photos (Reason: Tax) have"),
    ],
)  # fmt: skip
def test_light_words_and_numbers_in_words_choose_rows_too(question, held):
    assert held in ask(question, SHOP)[0].answer


def test_a_further_column_that_the_table_does_not_have_is_not_made_up():
    answer = ask("Which applicants were granted money, and what is their postcode?", FUND)[0].answer
    assert "have “Granted”" not in answer
