"""Several things asked of one row of a register, or of the lines of a form."""

import pytest

from tests.engine.relations.test_rows import ask
from tests.support.engine_documents import compiled, paragraph, section, table

ALLOTMENTS = compiled(
    "Allotment society: minutes",
    section("Water", paragraph("Rosa Ekwall said that the pump had run dry twice. The trough must be told apart.")),
    section(
        "Actions",
        table(
            "Actions",
            [
                ["4", "Obtain three quotations for a new pump", "Rosa Ekwall", "9 May 2025"],
                ["5", "Notify the council of the hedge work", "Ben Achebe", "30 April 2025"],
                ["6", "Paint the tool shed", "Lotte Maas", "end of June"],
            ],
            columns=["No.", "Action", "Owner", "Due"],
        ),
    ),
    section(
        "Plots",
        table(
            "Plots",
            [
                ["North corner", "£60", "Ida Strand", "40"],
                ["Pond side", "£75", "Leo Vang", "55"],
                ["Gate", "£48", "Mia Holt", "32"],
            ],
            columns=["Plot", "Rent a year", "Tenant", "Square metres"],
        ),
    ),
)

LOAN = compiled(
    "Loan form",
    section(
        "Particulars",
        paragraph(
            "Object: Bronze sundial\nRegistered Owner: Kestrel Trust\nOperator: Vale Observatory\n"
            "Master: Captain Niamh Furlong\nInsured Value: £18,000\nInsured By: Lark Mutual\n"
            "Time of Departure: 14:10\nTime of Accident: 15:35\nCrew: 5"
        ),
    ),
)

FORM = compiled(
    "Inspection form",
    section(
        "Owner/Operator",
        table(
            "",
            [
                ["Registered Owner:", "Blackwater Leasing", "Type:", "Fishing boat"],
                ["Operator:", "Slaney Trips", "Does Business As:", ""],
            ],
            columns=["", "", "", ""],
        ),
    ),
)


@pytest.mark.parametrize(
    "question,held",
    [
        ("Who has to get the offers for the pump, and by what date?", "“Owner” is Rosa Ekwall and “Due” is 9 May 2025"),
        (
            "Who must tell the council about the hedge, and until when?",
            "“Owner” is Ben Achebe and “Due” is 30 April 2025",
        ),
        (
            "Who is painting the shed, and when must that be done?",
            "For “Paint the tool shed”, “Owner” is Lotte Maas and “Due” is end of June",
        ),
        (
            "Who has the plot at the gate, and how much is it?",
            "For “Gate”, “Rent a year” is £48 and “Tenant” is Mia Holt",
        ),
    ],
)
def test_the_row_that_says_most_is_told_under_what_each_part_asks(question, held):
    assert held in ask(question, ALLOTMENTS)[0].answer


@pytest.mark.parametrize(
    "question",
    [
        "Who has to mow the verge, and by what date?",
        "Who rents a plot, and how much is it?",
        "Who paints the shed, and when was the roof mended?",
        "Who has the plot at the gate, and what is his telephone number?",
    ],
)
def test_no_row_is_told_where_it_is_in_doubt_or_a_part_has_no_column(question):
    told = ask(question, ALLOTMENTS)[0].answer
    assert "(Owner)" not in told
    assert "(Tenant)" not in told


@pytest.mark.parametrize(
    "question,held",
    [
        ("Whose sundial was it on paper, and which firm was running it?",
         ["The registered owner was Kestrel Trust.", "The operator was Vale Observatory."]),
        ("Who was in command, and how many people were on the crew?",
         ["The master was Captain Niamh Furlong.", "The crew was 5."]),
        ("What is it insured for, and by whom?", ["The insured value is £18,000.", "Insured By: Lark Mutual."]),
        ("What time did she leave, and what time did the accident happen?",
         ["The time of departure was 14:10.", "The time of accident was 15:35."]),
    ],
)  # fmt: skip
def test_each_part_is_answered_by_the_line_of_its_own_name(question, held):
    told = ask(question, LOAN)[0].answer
    assert all(line in told for line in held)


def test_names_and_values_in_turn_in_a_table_are_lines_of_a_form():
    told = ask("Whose boat was it on paper, and which firm was running it?", FORM)[0].answer
    assert "The registered owner was Blackwater Leasing." in told
    assert "The operator was Slaney Trips." in told


def test_a_line_that_is_not_there_is_named_as_open():
    complete = ask("Who was master of the vessel with the crew, and what is the e-mail address?", LOAN)[0]
    assert "Niamh Furlong" in complete.answer
    assert any("e-mail" in gap for gap in complete.missing)
