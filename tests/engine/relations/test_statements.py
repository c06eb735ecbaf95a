"""What sentences, list items and records state of several things, compared by the one figure of each."""

import pytest

from tests.engine.relations.test_rows import ask
from tests.support.engine_documents import Part, compiled, paragraph, section
from vectorless_web.engine.documents.node import NodeKind

CREW = section(
    "1. Crew",
    paragraph("The captain, Odd Berg, had 4,310 hours at sea on this vessel. The cook had sailed before."),
    paragraph("The engineer, Lis Dahl, had 1,270 hours at sea on this vessel."),
)
FLEET = section(
    "2. Stations",
    paragraph("The Outer Station employs 41 people. The Inner Station, which opened in 2008, employs 128 people."),
    paragraph("The River Station employs 9 people and 3 trainees."),
)
FARES = section(
    "3. Crossing fares", Part(NodeKind.LIST, text="- Skarv to Holm: €9\n- Skarv to Lund: €16\n- Holm to Lund: €12")
)
GOALS = section(
    "4. Goals until 2030",
    paragraph("By 2030 the port will: - dredge 3 additional basins; - lay 2,600 additional metres of cable; - hire 45"
              " additional pilots."),
)  # fmt: skip
TARGETS = section(
    "5. Condition",
    *(
        paragraph(f"Metric: Percent of {thing} in good repair\nBaseline: {first}\nTarget: {last}")
        for thing, first, last in (("quay walls", 71, 90), ("mooring rings", 60, 66), ("beacons", 88, 97))
    ),
)
POLL = section(
    "6. Poll",
    paragraph("On the west quay 61% of skippers answered. On the east quay 48% of skippers answered."),
)
BERTHS = section(
    "7. Berths",
    *(
        paragraph(f"Berth: {name}\nLength (m): {length}\nRent per month: €{rent}")
        for name, length, rent in (("B1", 12, 310), ("B2", 18, 405), ("B3", 9, 260))
    ),
)
LOG = section(
    "8. Rescue log",
    paragraph("Ms Okafor gave 46 hours to the lifeboat. Mr Lunde gave 31 hours to the lifeboat."),
)
HARBOUR = compiled("Harbour plan", CREW, FLEET, FARES, GOALS, TARGETS, POLL, BERTHS, LOG)


@pytest.mark.parametrize(
    "question,told",
    [
        (
            "Who had more hours at sea on this vessel, the captain or the engineer, and by how many?",
            "Captain has more hours, 4,310 hours, against 1,270 hours for engineer, 3,040 hours more",
        ),
        (
            "Which station has the most employees?",
            "Inner Station has the most employees, 128 people, against 41 people for Outer Station and 9 people",
        ),
        ("Which crossing is the dearest?", "Skarv to Lund is the dearest: €16, against €12 for Holm to Lund and €9"),
        (
            "Which of the goals asks for the largest additional number?",
            "Lay 2,600 additional metres of cable has the largest additional number, 2,600, against 45 for hire 45",
        ),
        (
            "Which has the lowest target percentage: quay walls, beacons or mooring rings?",
            "Mooring rings has the lowest target percentage, 66%, against 90% for quay walls and 97% for beacons",
        ),
        (
            "Which metric improves most from baseline to target?",
            "Percent of quay walls in good repair has the highest change from Baseline to Target, 19 percentage points",
        ),
        (
            "Which quay had the highest share of answers?",
            "West quay has the highest share of answers, 61%, against",
        ),
        ("Which berth is the cheapest?", "B3 is the cheapest: €260, against €310 for B1 and €405 for B2"),
        ("Which berth has the greatest length?", "B2 has the greatest length, 18, against 12 for B1 and 9 for B3"),
        (
            "Who gave more hours to the lifeboat, Ms Okafor or Mr Lunde, and by how many?",
            "Ms Okafor has more hours to the lifeboat, 46 hours, against 31 hours for Mr Lunde, 15 hours more",
        ),
    ],
)
def test_the_winner_is_named_with_its_figure_and_the_others(question, told):
    assert told in ask(question, HARBOUR)[0].answer


@pytest.mark.parametrize(
    "question",
    [
        "Who had more hours at sea, the captain or the cook, and by how many?",
        "Which has the lowest target percentage: quay walls, cranes or beacons?",
        "Which station has the most lockers?",
        "Which crossing takes the longest?",
    ],
)
def test_nothing_is_ranked_where_a_figure_is_missing(question):
    answer = ask(question, HARBOUR)[0].answer
    assert " against " not in answer


RISKS = [
    section(f"6.{place} {name}", paragraph(f"Rating: {rating}. Owner: {owner}."))
    for place, (name, rating, owner) in enumerate(
        (("Oil spill", "high", "Harbour master"), ("Strike", "low", "Board"), ("Ice", "high", "Pilots")), 1
    )
]
REGISTER = compiled("Risk register", section("6. Risks", *RISKS))


def test_items_are_counted_by_what_a_field_of_each_says():
    end, _ = ask("How many risks are rated high?", REGISTER)
    assert end.value == "2"
    assert "2 items have “high” under “Rating”: 6.1 Oil spill; 6.3 Ice" in end.answer


@pytest.mark.parametrize("question", ["How many risks are rated severe?", "How many staff are rated high?"])
def test_nothing_is_counted_that_no_field_says(question):
    assert "items have" not in ask(question, REGISTER)[0].answer
