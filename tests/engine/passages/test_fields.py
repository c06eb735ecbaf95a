"""Lines "Name: value" told as sentences."""

import pytest

from vectorless_web.engine.passages.fields import tell_field
from vectorless_web.engine.questions.understand import understand


@pytest.mark.parametrize(
    "line,question,told",
    [
        ("Last Inspection: 4 May 2023", "When was the last inspection?", "The last inspection was 4 May 2023."),
        ("End Date: 2026-09-30", "When does the study end?", "The end date is 2026-09-30."),
        ("Passengers: 3 hurt, 41 unhurt", "How many passengers were hurt?", "The passengers were 3 hurt, 41 unhurt."),
        ("IATA Code: QZX", "What is the IATA code?", "The IATA code is QZX."),
        ("Upper total cost = £2600", "How much is the upper total cost?", "The upper total cost is £2600."),
    ],
)
def test_a_line_that_states_a_value_is_told_as_a_sentence(line, question, told):
    assert tell_field(line, understand(question)) == told


@pytest.mark.parametrize(
    "line,question",
    [
        ("Note: 4 May 2023", "When was the inspection?"),
        ("Parking: Visitors must use the yard", "How much is parking?"),
        ("Fees: See schedule 2", "How much are the fees?"),
        ("Cause: Fatigue of the weld", "Why did the mast break?"),
        ("The mast broke at noon.", "When did the mast break?"),
        ("https://example.org/report: 4", "How many reports are there?"),
    ],
)
def test_what_names_no_value_is_left_in_its_own_words(line, question):
    assert tell_field(line, understand(question)) == ""


HOURS = "Experience: 2,410 hours (Total, all vessels), 312 hours (Total, this make and model), 9 hours (Last day)"


@pytest.mark.parametrize(
    "question,told,left",
    [
        ("How many hours in total and how many in this make and model?", ("2,410", "312"), ("9 hours",)),
        ("How many hours were sailed on the last day?", ("9 hours",), ("2,410", "312")),
        ("How many hours of experience are there?", ("2,410", "312", "9 hours"), ()),
    ],
)
def test_of_labelled_values_those_whose_label_is_asked_are_told(question, told, left):
    sentence = tell_field(HOURS, understand(question))
    assert all(value in sentence for value in told)
    assert not any(value in sentence for value in left)
