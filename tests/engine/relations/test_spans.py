"""The time between two events that the text dates: minutes, hours, days, weeks."""

import pytest

from tests.engine.relations.test_rows import ask
from tests.support.engine_documents import compiled, paragraph, section

RESCUE = compiled(
    "Cable car accident report",
    section(
        "Facts",
        paragraph("The cabin left the valley station at 13:48. At 14:02 the rope drive failed and the brake closed."),
        paragraph("The first rescuer arrived at 15:20, and the last guest was set down at 18:05."),
        paragraph("The inquiry began on 3 March 2022. Its report was published on 19 May 2022."),
        paragraph("Time: 14:31"),
        paragraph("The test of the new rope began on 2 May 2022 and was finished on 9 June 2022."),
    ),
    section("Weather", paragraph("At 13:00 the wind was weak. At 14:40 the wind was strong.")),
)


@pytest.mark.parametrize(
    "question,told",
    [
        (
            "How many minutes passed between the cabin's departure and the failure of the rope drive?",
            "14 minutes: from 13:48 (the cabin's departure) to 14:02 (the failure of the rope drive)",
        ),
        ("How long after the rope drive failed did the first rescuer arrive?", "78 minutes: from 14:02"),
        ("How long was it from the cabin's departure to the first rescuer's arrival?", "92 minutes: from 13:48"),
        (
            "How many days lay between the start of the inquiry and the publication of its report?",
            "77 days: from 3 March 2022",
        ),
        (
            "How many weeks lay between the start of the inquiry and the publication of its report?",
            "11 weeks: from 3 March 2022",
        ),
        ("How many minutes lay between the cabin's departure and the accident?", "43 minutes: from 13:48"),
        ("How long had the cabin been on its way when the rope drive failed?", "14 minutes: from 13:48 (departure)"),
        ("How many days lay between the start and the end of the test of the new rope?", "38 days: from 2 May 2022"),
    ],
)
def test_the_time_between_two_dated_events_is_counted(question, told):
    assert told in ask(question, RESCUE)[0].answer


@pytest.mark.parametrize(
    "question",
    [
        "How many minutes passed between the cabin's departure and the fire?",
        "How many minutes passed between the wind and the first rescuer's arrival?",
        "How many minutes passed between the first rescuer's arrival and the cabin's departure?",
    ],
)
def test_no_time_is_counted_where_an_event_is_not_dated_once_or_comes_later(question):
    assert "from " not in ask(question, RESCUE)[0].answer
