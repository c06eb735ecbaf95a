"""What may stand as an answer in words, whatever it has in common with the question."""

import pytest

from tests.support.engine_documents import Shelf, compiled, paragraph, section, table
from vectorless_web.engine.agent.events import CompleteEvent, Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator

DOTS = " ." * 30
CLUB = compiled(
    "Rules of the rowing club",
    section(
        "Contents",
        paragraph(f"Lawsuits and claims{DOTS} 12"),
        paragraph(f"Members' meeting{DOTS} 14"),
    ),
    section(
        "Waves",
        paragraph("The limits are for waves measured at the jetty over the past ten minutes."),
        table("Waves", [["Eights", "0.3 m"], ["Fours", "0.2 m"]], columns=["Boat", "Wave height"]),
    ),
    section(
        "Boats",
        paragraph("The club buys the boats that its members choose. Boats are washed by the last crew."),
        paragraph("If a boat is damaged, the crew tells the boatman the same day."),
    ),
    section(
        "Money",
        paragraph("Ida Rask left the committee in June after nine years as treasurer."),
        paragraph("Children under ten enter free. All members may ask for a discount of a tenth."),
        paragraph("The fair drew more guests than ever, since the helpers moved half the stands twice."),
    ),
    section(
        "Shop",
        paragraph("The jersey with the badge (£34) is sold at the desk, and so are caps."),
        paragraph("Caps are blue."),
    ),
    section("Engine", paragraph("The pump of the launch should be rinsed once a month, with the engine off.")),
    section(
        "Motions",
        paragraph("Motion 4: To buy a second launch for £9,000. Lost, 3 for, 4 against. It was thought too dear."),
    ),
    section("Lockers", paragraph("Keys for the lockers are handed out at the desk in the boat house.")),
    section("Officers", paragraph("Boat chief: the person who answers for the boats on the water and ashore.")),
)


def ask(question: str) -> CompleteEvent:
    return list(Orchestrator().run(question, Shelf({"a": CLUB}), Limits()))[-1]


@pytest.mark.parametrize(
    "question",
    [
        "Are there lawsuits?",
        "What is the strictest limit for waves?",
        "What is the pay of the boat chief?",
        "What if the club buys the boats of another club?",
        "Who is the treasurer now?",
        "Did the members get a discount?",
        "How much did they pay for the fair?",
        "On which floor are the lockers?",
        "How much does a locker cost?",
        "How many minutes does rinsing the pump take?",
    ],
)
def test_what_lacks_the_kind_of_thing_asked_for_is_no_answer(question):
    assert ask(question).outcome not in (Outcome.ANSWERED, Outcome.PARTIAL)


def test_asked_what_if_the_sentence_that_puts_the_case_answers():
    assert ask("What if a boat is damaged?").answer.startswith("If a boat is damaged, the crew tells the boatman")


def test_what_one_enters_free_needs_no_ticket():
    assert ask("Do children under ten have to buy a ticket?").answer.startswith("No: Children under ten enter free.")


def test_a_motion_has_the_result_that_its_minutes_give_in_a_word():
    assert ask("Did the second launch get the go-ahead?").answer.startswith("No: Motion 4: To buy a second launch")
    assert ask("Was the second launch voted down?").answer.startswith("Yes: Motion 4: To buy a second launch")
