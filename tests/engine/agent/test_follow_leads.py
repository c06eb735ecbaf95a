"""What one document says takes the question on to another: a name it gives, a schedule it points to."""

import pytest

from tests.support.driven_runs import answer, claim
from tests.support.engine_documents import Shelf, compiled, paragraph, section
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.model.planner import ModelPlanner
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.agent.steps.follow import put_name
from vectorless_web.engine.answers.claims import ClaimEvent, Support
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller, NoModel, Recall, find_no_record
from vectorless_web.engine.text.analyser import analyse

CONTRACT = compiled(
    "Lift maintenance contract for Harbour House",
    section("Parties", paragraph("The owner of the house is Tessa Roe. The contractor is Boreal Lifts Ltd.")),
    section("Visits", paragraph("The contractor visits the house four times a year.")),
)
BOREAL = compiled(
    "Boreal Lifts Ltd: conditions of work",
    section("Rates", paragraph("The hourly rate is 84 euros on weekdays and 126 euros at weekends.")),
    section("Response", paragraph("In an emergency a fitter is on site within three hours.")),
)
CASTOR = compiled(
    "Castor Heating: conditions of work",
    section("Rates", paragraph("The hourly rate is 71 euros on weekdays.")),
    section("Response", paragraph("In an emergency a fitter is on site within five hours.")),
)
POLICY = compiled(
    "Travel policy of the Folk Museum",
    section("Journeys", paragraph("Journeys are approved by the head of department.")),
    section("Allowances", paragraph("The amounts of the daily allowance are set out in the Schedule of Allowances.")),
)
SCHEDULE = compiled(
    "Schedule of Allowances",
    section("Amounts", paragraph("The daily allowance is 38 euros for journeys at home and 52 euros abroad.")),
)
LEASE = compiled(
    "Lease of the studio at Mill Lane 3",
    section("Tenant", paragraph("The tenant is Odile Marchand, a potter.")),
    section("Kiln", paragraph("The tenant takes out a policy with the number KL-2291 for the kiln.")),
)
COVER = compiled("Cover note KL-2291", section("Terms", paragraph("The insurer is Brackwater Mutual.")))
CLAIMS = compiled(
    "Brackwater Mutual: how to claim",
    section("Claims", paragraph("Claims are reported within five days by telephone.")),
)
MODEL_QUESTION = "What is the hourly rate of the contractor under the lift maintenance contract?"


def shelf(**more) -> Shelf:
    notes = {
        f"n{number}": compiled(
            f"Minutes of the garden club {number}",
            section("Beds", paragraph(f"Bed {number} was planted with beans. Tea was served by the youth group.")),
        )
        for number in range(4)
    }
    documents = {"contract": CONTRACT, "boreal": BOREAL, "castor": CASTOR, "policy": POLICY, "schedule": SCHEDULE}
    return Shelf({**documents, "lease": LEASE, "cover": COVER, "claims": CLAIMS, **notes, **more})


class Asked:
    def __init__(self, question: str, corpus: Shelf, *, limits: Limits | None = None) -> None:
        self.events = list(Orchestrator().run(question, corpus, limits or Limits()))
        self.steps = [event for event in self.events if isinstance(event, StepEvent)]
        self.end = self.events[-1]
        self.followed = [step for step in self.steps if step.action == "follow"]
        self.claims = [event for event in self.events if isinstance(event, ClaimEvent) and event.state == "checked"]


def test_the_contract_names_the_firm_whose_own_sheet_has_the_rate():
    asked = Asked("What is the hourly rate of the contractor under the lift maintenance contract?", shelf())

    assert "84 euros" in asked.end.answer and "71" not in asked.end.answer
    assert [claim.support for claim in asked.claims] == [Support.SUPPORTED] * 2
    assert [claim.citations[0].document for claim in asked.claims] == ["boreal", "contract"]


def test_what_the_question_calls_by_its_name_gives_way_to_no_other_name():
    boats = compiled(
        "Yearbook of the yard",
        section("Boats", paragraph("The Merlin sails on lakes; the larger Osprey, first built in 2019, crosses seas.")),
    )
    limits = compiled("Limits at sea", section("Waves", paragraph("A Merlin is launched in waves of up to 2 metres.")))
    asked = Asked("How many Ospreys have been built?", Shelf({"boats": boats, "limits": limits}))

    assert not asked.followed and "Merlin" not in asked.end.answer


def test_another_year_of_the_same_report_is_no_lead():
    def report(year: int):
        text = f"The loan of Castor Bank is limited to 3 times the surplus in {year}."
        return compiled(f"Report of the yard {year}", section("Loans", paragraph(text)))

    asked = Asked("What is the interest rate on the loan?", Shelf({"new": report(2024), "old": report(2023)}))

    assert not asked.followed


def test_the_step_says_which_sentence_led_where_and_what_is_asked_there():
    (step,) = Asked("What is the hourly rate of the contractor under the lift maintenance contract?", shelf()).followed

    assert step.kind is StepKind.ROUTE
    assert step.say == (
        "Followed what Lift maintenance contract for Harbour House says on p. 1: "
        "opened Boreal Lifts Ltd: conditions of work"
    )
    assert "“The contractor is Boreal Lifts Ltd.”" in step.thought
    assert step.thought.endswith("What is the hourly rate of Boreal Lifts Ltd?")
    assert step.observation["led_by"]["document"] == "contract"


def test_a_policy_points_to_the_schedule_that_has_the_amount():
    asked = Asked("What is the daily allowance abroad under the travel policy of the Folk Museum?", shelf())

    assert "52 euros" in asked.end.answer
    assert asked.claims[0].citations[0].document == "schedule"


def test_the_place_that_is_named_is_taken_among_others_of_its_kind():
    others = {
        f"s{number}": compiled(
            f"Schedule {name}", section("Amounts", paragraph(f"The daily allowance is {number + 60} euros."))
        )
        for number, name in enumerate(("Ember", "Fathom", "Garnet", "Hollow"))
    }
    policy = compiled(
        "Travel policy of the Folk Museum",
        section("Allowances", paragraph("The daily allowance is set out in the Schedule Garnet.")),
    )
    question = "What is the daily allowance under the travel policy of the Folk Museum?"

    assert "62 euros" in Asked(question, shelf(policy=policy, **others)).end.answer


def test_a_sentence_that_only_points_to_a_document_without_the_answer_is_none():
    empty = compiled("Schedule Garnet", section("Amounts", paragraph("The mileage rate is 30 cents.")))
    policy = compiled(
        "Travel policy of the Folk Museum",
        section("Allowances", paragraph("For the ceiling for a night see the Schedule Garnet.")),
    )
    asked = Asked(
        "What is the ceiling for a night in the travel policy of the Folk Museum?",
        Shelf({"policy": policy, "garnet": empty}),
    )

    assert asked.followed and not asked.end.answer
    assert asked.end.passages


def test_a_second_lead_starts_from_where_the_first_one_led():
    question = "Within how many days is a claim reported to the insurer of the policy for the studio at Mill Lane 3?"
    asked = Asked(question, shelf())

    assert "five days" in asked.end.answer
    assert [step.observation["led_by"]["document"] for step in asked.followed] == ["lease", "cover"]
    assert [claim.citations[0].document for claim in asked.claims] == ["claims", "lease", "cover"]


def test_without_the_sentence_that_leads_there_is_no_answer():
    silent = compiled(
        "Lift maintenance contract for Harbour House",
        section("Visits", paragraph("The contractor visits the house four times a year.")),
    )
    asked = Asked(
        "What is the hourly rate of the contractor under the lift maintenance contract?", shelf(contract=silent)
    )

    assert not asked.followed and not asked.end.answer


def test_what_the_firms_sheet_does_not_say_stays_unanswered():
    asked = Asked("What is the telephone number of the contractor under the lift maintenance contract?", shelf())

    assert not asked.end.answer


def test_the_name_that_the_question_asks_for_is_taken_and_not_its_neighbour():
    tessa = compiled("Tessa Roe: how to reach me", section("Rates", paragraph("The hourly rate is 12 euros.")))
    both = compiled(
        "Lift maintenance contract for Harbour House",
        section("Parties", paragraph("The owner is Tessa Roe, and the contractor is Boreal Lifts Ltd.")),
    )
    asked = Asked(
        "What is the hourly rate of the contractor under the lift maintenance contract?",
        shelf(tessa=tessa, contract=both),
    )

    assert "84 euros" in asked.end.answer


def test_an_answer_that_no_sentence_of_its_own_takes_further_stands():
    asked = Asked("What is the daily allowance abroad?", shelf())

    assert "52 euros" in asked.end.answer
    assert not asked.followed


def test_a_run_without_steps_left_follows_nothing():
    limits = Limits(max_run_steps=6)
    question = "What is the hourly rate of the contractor under the lift maintenance contract?"

    assert not Asked(question, shelf(), limits=limits).followed


@pytest.mark.parametrize(
    ("question", "told", "name", "asked"),
    [
        ("Who pays the fee of the agent?", "the agent is", "Ada Lunn", "Who pays the fee of Ada Lunn?"),
        ("What does the firm that mends the roof charge?", "roof mends", "Slate Co", "What does Slate Co charge?"),
        ("What is the fee under the house rules?", "house rules", "", "What is the fee?"),
        ("Who is the agent?", "the agent is", "Ada Lunn", ""),
    ],
)
def test_the_words_that_are_settled_give_way_to_the_name(question, told, name, asked):
    assert put_name(question, set(analyse(told)), name) == asked


class Led:
    """A run with a scripted model over two documents, the first of which names the second."""

    def __init__(self, replies, *, recall=find_no_record):
        self.model = replies if hasattr(replies, "complete") else ScriptedModel(replies)
        self.records = []
        caller = Caller(
            self.model, budget=ModelBudget(calls=40, tokens=60_000), on_call=self.records.append, recall=recall
        )
        walking = Walking(planner=ModelPlanner(caller))
        corpus = Shelf({"a": CONTRACT, "b": BOREAL})
        limits = Limits(max_walks=1, model_tokens=60_000)
        self.events = list(Orchestrator(walking=walking).run(MODEL_QUESTION, corpus, limits))
        self.steps = [event for event in self.events if isinstance(event, StepEvent)]
        self.end = self.events[-1]


def replies():
    key = next(key for key in BOREAL.tree.leaves() if "84 euros" in BOREAL.tree.node(key).text)
    found = claim("The hourly rate is 84 euros on weekdays.", key, "The hourly rate is 84 euros on weekdays")
    found["quotes"][0]["node"] = f"b:{key}"
    nothing = answer(missing=["the hourly rate of the contractor"])
    return [
        {"thought": "It is not here.", "steps": [], "answer": nothing},
        {"thought": "Here it is.", "steps": [], "answer": answer(found)},
    ]


def test_what_a_model_finds_missing_is_looked_for_where_its_document_leads():
    led = Led([*replies(), *replies()[1:]])
    (step,) = [step for step in led.steps if step.action == "follow"]

    assert "84 euros" in led.end.answer
    assert step.arguments["unmet"] == ["the hourly rate of the contractor"]
    assert "Boreal Lifts" in led.model.calls[1][-1].content


def test_a_run_that_followed_a_lead_replays_identically():
    first = Led([*replies(), *replies()[1:]])
    again = Led(NoModel("scripted"), recall=Recall(first.records))

    assert [(s.kind, s.say, s.observation) for s in again.steps] == [
        (s.kind, s.say, s.observation) for s in first.steps
    ]
    assert again.end.answer == first.end.answer
