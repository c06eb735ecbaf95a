"""One answer of each document where the question wants that, and the documents that have none by name."""

from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.events import Outcome, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.agent.steps.route import AND_FURTHER
from vectorless_web.engine.answers.claims import ClaimEvent


def lease(house: str, rent: str, *more: str):
    return compiled(
        f"Lease of {house}",
        section("Parties", paragraph("The landlord is the housing office.")),
        section("Rent", paragraph(f"The monthly rent is {rent} euros.")),
        *(section("Animals", paragraph(text)) for text in more),
    )


LEASES = {
    "ash": lease("Ash House", "910"),
    "elm": lease("Elm House", "1,120", "Dogs are allowed in the garden."),
    "oak": lease("Oak House", "730"),
    "minutes": compiled("Minutes of the meeting", section("Rent", paragraph("The monthly rent was discussed."))),
}


class Asked:
    def __init__(self, question: str, documents=LEASES, **limits) -> None:
        self.events = list(Orchestrator().run(question, Shelf(documents), Limits(**limits)))
        self.steps = [event for event in self.events if isinstance(event, StepEvent)]
        self.claims = [event for event in self.events if isinstance(event, ClaimEvent) and event.state == "checked"]
        self.end = self.events[-1]


def test_each_document_gives_its_own_answer_with_its_own_quote():
    asked = Asked("What is the monthly rent in each lease?")

    assert [claim.text for claim in asked.claims] == [
        "Lease of Ash House: The monthly rent is 910 euros.",
        "Lease of Elm House: The monthly rent is 1,120 euros.",
        "Lease of Oak House: The monthly rent is 730 euros.",
    ]
    assert [claim.citations[0].document for claim in asked.claims] == ["ash", "elm", "oak"]
    assert asked.end.outcome is Outcome.ANSWERED


def test_a_document_without_an_answer_is_named():
    asked = Asked("What do all leases say about dogs?")

    assert [claim.citations[0].document for claim in asked.claims] == ["elm"]
    assert asked.end.outcome is Outcome.PARTIAL
    assert asked.end.missing == ("Lease of Ash House", "Lease of Oak House")
    assert asked.end.confidence.parts_covered < 0.34


def test_documents_named_for_a_comparison_answer_side_by_side():
    asked = Asked("Compare the rent of Ash House and Elm House")

    assert [claim.citations[0].document for claim in asked.claims] == ["ash", "elm"]


def test_more_documents_are_opened_than_for_another_question():
    many = {f"l{number}": lease(f"Cabin {number}", f"{700 + number}") for number in range(9)}
    asked = Asked("What is the monthly rent in each lease?", many)

    assert len(asked.claims) == 9


def test_documents_beyond_the_steps_of_the_run_are_named_as_missing():
    many = {f"l{number}": lease(f"Cabin {number}", f"{700 + number}") for number in range(9)}
    asked = Asked("What is the monthly rent in each lease?", many, max_run_steps=24)

    assert len(asked.claims) == 6
    assert len(asked.end.missing) == 3


def test_the_step_says_what_is_asked_of_each():
    route = Asked("What is the monthly rent in each lease?").steps[0]

    assert route.thought.endswith("One answer of each document is wanted: What is the monthly rent?")
    assert route.observation["each"] == "What is the monthly rent?"


def test_nothing_is_answered_where_no_document_says_it():
    asked = Asked("What is the deposit in each lease?")

    assert not asked.claims
    assert asked.end.outcome in (Outcome.PASSAGES, Outcome.NOT_FOUND)


def test_documents_that_the_router_passed_over_are_missing_too():
    many = {f"h{number:02}": lease(f"House {number:02}", str(500 + number)) for number in range(40)}
    asked = Asked("What is the monthly rent in each lease?", many, max_run_steps=200)

    assert len(asked.claims) == 15
    assert asked.end.outcome is Outcome.PARTIAL
    assert len(asked.end.missing) == 16 and asked.end.missing[-1] == AND_FURTHER
