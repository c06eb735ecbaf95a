"""Questions that ask several things: each of its parts is answered, by one passage or by several."""

import pytest

from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.events import StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.questions.requirements import parts_asked
from vectorless_web.engine.questions.understand import understand

QUARRY = compiled(
    "Quarry handbook",
    section("Blasting", paragraph("Blasting starts at 11:30 on working days when the siren has sounded twice.")),
    section("Gates", paragraph("The north gate closes at 18:15 and is opened again by the night guard.")),
    section("Dust", paragraph("The sprinklers are cleaned every week by the foreman of the crushing plant.")),
    section("Roads", paragraph("Lorries keep to the marked road and below 20 kilometres per hour.")),
)


def answer(question):
    """The answer, given or withheld: how sure it is does not matter here."""
    events = list(Orchestrator().run(question, Shelf({"a": QUARRY}), Limits()))
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
