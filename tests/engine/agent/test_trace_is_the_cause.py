"""The trace is the cause: what an answer quotes was brought by a step, and leaves the answer without that step."""

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests.engine.passages.test_answers_in_words import document
from tests.support.driven_runs import Driven, answer, claim, turn
from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.events import CompleteEvent, StepEvent, StepKind, StepResult
from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.offline_planner import OfflinePlanner
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.agent.planner import PlannedStep
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file

pytestmark = pytest.mark.slow

DEMO = Path(__file__).resolve().parents[3] / "docs" / "demo"

LEASE = """# Lease of the workshop at Quay 4

## 1. Term
The lease begins on 1 March 2023 and runs for five years. The notice period for termination is set out in Schedule 2.

## 2. Rent
The rent is payable in advance on the first day of each month. For the amount of the monthly rent see Schedule 1.

## 3. Use
The workshop may be used for joinery only. Rules for storing flammable varnish are laid down in Annex B.

## 4. Repairs
The tenant keeps the inside of the workshop in good order. The landlord keeps the roof and the outer walls in repair.

## 5. Subletting
The tenant may not sublet the workshop. However, a desk may be let to an apprentice for at most six months.

## 6. Keys
The landlord hands over:

- two keys of the gate
- three keys of the workshop
- the code of the alarm

## Schedule 1
€1,450, to be paid by bank transfer.

## Schedule 2
Three months to the end of a calendar quarter. Either party gives it by registered letter.

## Annex B
Drums are kept in the steel cabinet behind the spray booth. No more than forty litres are held at any time.
"""

STOCK = """# Stock of the school kitchen

Counted on 3 May 2024 by Ms Aldous.

| Item | Shelf | Pieces | Price each |
|---|---|---|---|
| Ladle | A | 14 | $6 |
| Colander | A | 9 | $11 |
| Stock pot | B | 6 | $48 |
| Oven tray | C | 31 | $9 |
| Whisk | A | 22 | $4 |

## Missing
Two stock pots were lent to the village hall and have not come back because the hall was shut over Easter.

## Orders
| Supplier | Ordered in 2023 | Ordered in 2024 |
|---|---|---|
| Brandt | 4,200 | 5,100 |
| Oakes | 3,150 | 2,900 |
"""

POLICY = """# Travel policy of the county museum

## Booking
Journeys are booked through the office. Flights are allowed only if the train takes longer than six hours.

## Allowances
The daily allowance is $54. In no event is more than $130 paid for a night. Receipts are handed in within ten days.

## Who decides
The head of collections approves journeys abroad; the director approves all others. Questions go to Ines Falk, the
travel officer.

## Before leaving
1. Fill in the form.
2. Have it signed by the head of department.
3. Send it to the office two weeks ahead.

## Illness
A traveller who falls ill on a journey calls the insurance of the county first.
"""

MINUTES = """# Minutes of the rowing club, 12 September 2024

Present: R. Ayer (chair), T. Moss (treasurer), L. Quist (secretary).

## 1. Boathouse
The roof was mended in August at a cost of £3,480. The members thanked the volunteers.

## 2. Fees
The yearly fee rises from £120 to £135 on 1 January 2025. Members under eighteen pay half.

## 3. Regatta
The regatta was put off because the river stood too high. The new date is 4 May 2025.

## 4. Elections
T. Moss was elected treasurer for two years by 31 votes to 4.
"""

QUESTIONS = {
    "lease.md": (LEASE, [
        "What is the notice period for termination?",
        "How much is the monthly rent?",
        "Where must flammable varnish be stored?",
        "When does the lease begin?",
        "Who keeps the roof in repair?",
        "May the tenant sublet the workshop?",
        "What does the landlord hand over?",
        "Summarise the section on repairs",
        "List all duties of the tenant",
    ]),
    "stock.md": (STOCK, [
        "How many ladles are there?",
        "Which item has the most pieces?",
        "What is the price of a stock pot?",
        "How many pieces of oven tray and whisk are there together?",
        "Which items are on shelf A?",
        "How much was ordered from Brandt in 2024?",
        "By how much did orders from Brandt change from 2023 to 2024?",
        "Why have the stock pots not come back?",
        "Who counted the stock?",
    ]),
    "policy.md": (POLICY, [
        "When are flights allowed?",
        "How much is the daily allowance?",
        "What is the most that is paid for a night?",
        "Who approves journeys abroad?",
        "What must be done before leaving?",
        "Who is the travel officer?",
        "Are flights allowed when the train takes four hours?",
        "Summarise the document",
    ]),
    "minutes.md": (MINUTES, [
        "What did mending the roof cost?",
        "Who was elected treasurer?",
        "Why was the regatta put off?",
        "When is the new date of the regatta?",
        "How much is the yearly fee?",
        "Who took the minutes?",
        "Summarise the minutes",
    ]),
}  # fmt: skip


def shelf(path):
    return Shelf({path.name: CompiledDocument(compile_file(path, name=path.name))})


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """(corpus, question, its run) of four small documents of our own and of three of the demo's."""
    folder, found = tmp_path_factory.mktemp("own"), []
    for name, (text, questions) in QUESTIONS.items():
        path = folder / name
        path.write_text(text)
        own = shelf(path)
        found += [(own, question) for question in questions]
    for entry in json.loads((DEMO / "truth.json").read_text())[1:]:
        demo = shelf(DEMO / entry["document"])
        found += [(demo, row["question"]) for row in entry["questions"]]
    return [(corpus, question, run(corpus, question)) for corpus, question in found]


class Replaying(OfflinePlanner):
    """Plans the steps of another run, in their order, whatever comes of them."""

    def __init__(self, steps):
        self.steps = steps

    def next_step(self, context):
        if len(context.steps) == len(self.steps):
            return PlannedStep(StepKind.SYNTHESIZE, "", "synthesize")
        step = self.steps[len(context.steps)]
        return PlannedStep(step.kind, step.thought, step.action, step.arguments)


class Without(Walking):
    """Takes the same steps as another run without one; `frozen` holds the others to what they brought there."""

    def __init__(self, steps, withheld, *, frozen):
        super().__init__()
        self.planner = self.fallback = Replaying(steps)
        self.steps, self.withheld, self.frozen = steps, withheld, frozen

    def handlers(self):
        def withhold(handler):
            def take(walk, arguments):
                if len(walk.steps) == self.withheld:
                    return StepResult("Withheld")
                result = handler(walk, arguments)
                before = {key for step in self.steps[: len(walk.steps) + 1] for key in brought_by(step)}
                others = {key for step in self.steps if step.index != self.withheld for key in brought_by(step)}
                for key in [key for key in walk.opened if self.frozen and key not in before & others]:
                    del walk.opened[key]
                return result

            return take

        return {kind: withhold(handler) for kind, handler in super().handlers().items()}


@dataclass(frozen=True)
class Ran:
    """A run: the steps of its one walk, and the nodes that its sentences and closest passages quote."""

    steps: tuple[StepEvent, ...]
    quoted: frozenset[int]
    end: CompleteEvent

    @property
    def opened(self):
        """Nodes with the first step that says it brought them."""
        found = {}
        for step in self.steps:
            found |= {key: step.index for key in brought_by(step) if key not in found}
        return found


def brought_by(step):
    """Nodes that a step says it brought."""
    return set(step.observation.get("opened", ()))


def run(corpus, question, *, walking=None, limits=None):
    events = list(Orchestrator(walking=walking).run(question, corpus, limits or Limits()))
    claims = [event for event in events if isinstance(event, ClaimEvent) and event.state == "checked"]
    evidence = [cited for claim in claims for cited in claim.citations] + list(events[-1].passages)
    steps = tuple(event for event in events if isinstance(event, StepEvent) and event.walk)
    return Ran(steps, frozenset(cited.key for cited in evidence), events[-1])


def test_every_quote_stands_in_a_node_that_an_earlier_step_says_it_brought(cases):
    for _, question, found in cases:
        copied = max(step.index for step in found.steps)
        assert all(found.opened.get(key, copied) < copied for key in found.quoted), question


def test_without_the_result_of_a_step_its_evidence_leaves_the_answer(cases):
    gone = ablated = 0
    for corpus, question, found in cases:
        for step in filter(brought_by, found.steps):
            less = run(corpus, question, walking=Without(found.steps, step.index, frozen=True))
            assert not brought_by(step) & less.quoted, (question, step.say)
            ablated += 1
            gone += bool(brought_by(step) & found.quoted)
    assert len(cases) >= 50 and ablated >= len(cases) and gone >= len(cases) * 0.8


def test_what_is_quoted_without_a_step_was_brought_by_another_that_says_so(cases):
    for corpus, question, found in cases:
        for step in filter(brought_by, found.steps):
            less = run(corpus, question, walking=Without(found.steps, step.index, frozen=False))
            assert less.quoted <= less.opened.keys(), (question, step.say)
            assert not brought_by(less.steps[step.index])


def test_no_step_is_taken_that_changes_nothing(cases):
    for corpus, question, _ in cases:
        steps = run(corpus, question, limits=Limits(max_steps=12)).steps
        brings = [step for step in steps if step.kind in (StepKind.RETRIEVE, StepKind.NAVIGATE, StepKind.SCAN)]
        idle = [step for step in brings if not step.observation.get("opened") and step.action != "follow"]
        assert all(step.index == 0 and "found nothing" in step.say for step in idle), question
        taken = [(step.kind, json.dumps(step.arguments, sort_keys=True)) for step in steps]
        assert len(set(taken)) == len(taken), question


def test_more_steps_bring_more_and_one_step_answers_nothing(cases):
    for corpus, question, _ in cases[:33]:
        runs = [run(corpus, question, limits=Limits(max_steps=most)) for most in (1, 2, 4, 8)]
        assert not runs[0].end.answer, question
        opened = [set(found.opened) for found in runs]
        assert all(few <= more for few, more in pairwise(opened)), question


@pytest.mark.parametrize(
    "question,value,target",
    [
        ("What is the notice period for termination?", "Three months to the end of a calendar quarter", "Schedule 2"),
        ("How much is the monthly rent?", "€1,450", "Schedule 1"),
        ("Where must flammable varnish be stored?", "steel cabinet behind the spray booth", "Annex B"),
    ],
)
def test_a_text_that_only_refers_to_another_place_leads_there(cases, question, value, target):
    corpus = next(corpus for corpus, asked, _ in cases if asked == question)
    found = run(corpus, question)
    assert value in found.end.answer
    followed = [step.say for step in found.steps if step.action == "follow"]
    assert followed == [f"Followed the reference to {target}, p. 1"]
    assert value not in run(corpus, question, limits=Limits(max_steps=3)).end.answer


def test_what_no_step_brought_is_not_copied(cases):
    corpus, question, found = cases[0]
    refused = run(corpus, question, walking=Without(found.steps, 0, frozen=False))
    assert refused.steps[1].observation["error"].startswith("Was asked to copy from what no step has brought")


def test_a_quote_that_no_step_had_opened_is_looked_up_by_the_check_which_says_so():
    asked = [paragraph(f"Net sales of branch {n} were {n} million in 2019.") for n in range(90)]
    remote = "The canteen was painted green."
    corpus = Shelf({"a": compiled("Report", section("Sales", *asked), section("Canteen", paragraph(remote)))})
    key = 93
    led = Driven([turn(answer=answer(claim(remote, key, remote)))], corpus)
    assert led.claims[0].citations[0].key == key and not led.claims[0].because
    checked = next(step for step in led.steps if step.kind is StepKind.VERIFY)
    assert checked.observation["looked_up"] == [{"document": "a", "key": key, "page": 1}]
    assert checked.observation["note"] == "1 passage that no step had brought was looked up to check a quote."


@pytest.mark.parametrize(
    "name,question",
    [("lease", "Is it OK to light a cigarette on the stairs?"), ("bank", "How far into the red can I go?")],
)
def test_copying_goes_on_only_while_it_brings_what_fits_better(name, question):
    steps = [
        e for e in Orchestrator().run(question, Shelf({"a": document(name)}), Limits()) if isinstance(e, StepEvent)
    ]
    fits = [step.confidence or 0.0 for step in steps if step.kind is StepKind.EXTRACT]
    assert all(later > max(fits[:place]) for place, later in enumerate(fits[1:-1], 1))
