"""Asks what no document says alone: a contract names the firm, and the firm's own sheet has the figure.

    python benchmarks/leads.py [--pairs 60] [--seed 400] [--cache DIR] [--show N]

Half of the pairs are a contract of a house with a firm and the firm's conditions, half a policy that leaves its amounts
to a schedule of another name. All contracts, conditions, policies and schedules are alike but for names and figures.
A third of the questions ask for what the second document does not say, though others of its kind do. Printed: the share
of the others answered with the figure asked for, told from the second document; the share answered otherwise; how many
of them without a lead; and of the third without an answer how many were answered all the same.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.agent.orchestrator import Orchestrator

from benchmarks.handbooks import Handbook, Library
from vectorless_web.engine.agent.events import CompleteEvent, StepEvent
from vectorless_web.engine.agent.limits import Limits

ROLES = (
    ("roofer", "The roof is looked after by {firm}, the roofer of the house."),
    ("gardener", "{firm} is the gardener of the house."),
    ("electrician", "As electrician the owner has appointed {firm}."),
    ("cleaner", "Stairs and windows are left to {firm} as cleaner."),
    ("caterer", "The caterer for meetings is {firm}."),
    ("guard", "At night {firm} stands in as guard."),
)
TRADES = ("Works", "Services", "Brothers", "Partners", "Yard")
TERMS = (
    ("The hourly rate is {n} euros.", "What is the hourly rate of the {role} of {house}?"),
    ("An urgent visit costs {n} euros.", "What does an urgent visit of the {role} of {house} cost?"),
    ("Invoices are due within {n} days.", "Within how many days are invoices of the {role} of {house} due?"),
    ("The warranty on all work is {n} months.", "How long is the warranty of the {role} of {house}?"),
    ("Travel is charged at {n} cents a kilometre.", "What does the {role} of {house} charge for travel a kilometre?"),
)
AMOUNTS = (
    ("The daily allowance is {n} euros.", "daily allowance", "What is the daily allowance under the {policy}?"),
    ("The mileage rate is {n} cents.", "mileage rate", "How high is the mileage rate under the {policy}?"),
    (
        "The ceiling for a night is {n} euros.",
        "ceiling for a night",
        "What is the ceiling for a night in the {policy}?",
    ),
    (
        "The deposit for a laptop is {n} euros.",
        "deposit for a laptop",
        "What deposit for a laptop does the {policy} ask?",
    ),
)
POINTERS = (
    "The {what} is set out in the {schedule}.",
    "For the {what} see the {schedule}.",
    "The {what} is governed by the {schedule}.",
)
MISSING = 3
"""One question in so many asks for what the second document does not say."""


@dataclass(frozen=True)
class Asked:
    """A question, the figure that answers it ("" for none), and the place of the document that has it."""

    kind: str
    question: str
    figure: str
    document: int


def make_up(pairs: int, seed: int) -> tuple[list[Handbook], list[Asked]]:
    """The documents and the questions, the same every time."""
    books, asked = list[Handbook](), list[Asked]()
    for number in range(pairs):
        chance = random.Random(seed + number)
        make = _make_contract if number % 2 else _make_policy
        texts, one = make(chance, has_answer=number % MISSING > 0)
        asked.append(Asked(one.kind, one.question, one.figure, len(books) + 2))
        books += [Handbook(f"{number:03}-{place}.md", text, (("", ""), ("", ""))) for place, text in enumerate(texts)]
    return books, asked


def _name(chance: random.Random) -> str:
    return "".join(chance.choice("bdfgklmnprstvw") + chance.choice("aeiou") for _ in range(3)).capitalize() + "n"


def _make_contract(chance: random.Random, *, has_answer: bool) -> tuple[list[str], Asked]:
    house, firm = f"{_name(chance)} House", f"{_name(chance)} {chance.choice(TRADES)}"
    role, told = chance.choice(ROLES)
    which = chance.randrange(len(TERMS))
    figures = [str(chance.randrange(11, 95)) for _ in TERMS]
    terms = [text.format(n=n) for (text, _), n in zip(TERMS, figures, strict=True)]
    if not has_answer:
        del terms[which]
    chance.shuffle(terms)
    contract = (
        f"# Agreement on the upkeep of {house}\n\n## Scope\n\nThe house has {figures[0]} rooms, kept in good order.\n\n"
        f"## Who does what\n\nThe owner is {_name(chance)} {_name(chance)}. {told.format(firm=firm)}\n"
    )
    sheet = f"# {firm}: conditions\n\n## Prices and terms\n\n" + "\n\n".join(terms) + "\n"
    question = TERMS[which][1].format(role=role, house=house)
    return [contract, sheet], Asked("firm", question, figures[which] if has_answer else "", 0)


def _make_policy(chance: random.Random, *, has_answer: bool) -> tuple[list[str], Asked]:
    policy = f"{_name(chance)} travel and equipment policy"
    schedule = f"Schedule {_name(chance)} of amounts"
    which = chance.randrange(len(AMOUNTS))
    figures = [str(chance.randrange(11, 95)) for _ in AMOUNTS]
    amounts = [text.format(n=n) for (text, _, _), n in zip(AMOUNTS, figures, strict=True)]
    if not has_answer:
        del amounts[which]
    pointers = [chance.choice(POINTERS).format(what=what, schedule=schedule) for _, what, _ in AMOUNTS]
    text = f"# {policy}\n\n## Journeys\n\nJourneys are approved beforehand.\n\n## Amounts\n\n" + "\n\n".join(pointers)
    listed = f"# {schedule}\n\n## Amounts\n\n" + "\n\n".join(amounts)
    question = AMOUNTS[which][2].format(policy=policy)
    return [text + "\n", listed + "\n"], Asked("schedule", question, figures[which] if has_answer else "", 0)


def main() -> None:
    """Make the documents, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=400)
    parser.add_argument("--cache", type=Path, default=Path("var/leads"))
    parser.add_argument("--show", type=int, default=0, help="print so many that went wrong")
    options = parser.parse_args()
    books, asked = make_up(options.pairs, options.seed)
    library = Library(books, options.cache)
    for kind in ("firm", "schedule"):
        started, of_kind = time.perf_counter(), [each for each in asked if each.kind == kind]
        counts = Counter(_judge(library, of_kind, options))
        there = sum(bool(each.figure) for each in of_kind)
        print(
            f"{kind}: answer there {there}, right {counts['right']} ({counts['alone']} of them without a lead), "
            f"wrong {counts['wrong']}; none there {len(of_kind) - there}, answered {counts['false']}; "
            f"{(time.perf_counter() - started) / len(of_kind):.2f} s a question"
        )


def _judge(library: Library, asked: Sequence[Asked], options: argparse.Namespace) -> Iterator[str]:
    for each in asked:
        events = list(Orchestrator().run(each.question, library, Limits()))
        end = events[-1]
        assert isinstance(end, CompleteEvent)
        if not end.answer:
            verdict = ""
        elif not each.figure:
            verdict = "false"
        else:
            verdict = "right" if each.figure in end.answer.replace(".", " ").split() else "wrong"
        if verdict != "right" and (verdict or each.figure) and options.show > 0:
            options.show -= 1
            print(f"  {each.question} -> {end.answer[:150] or end.reason[:150]!r}, not {each.figure or 'there'}")
        yield verdict
        is_led = any(isinstance(event, StepEvent) and event.action == "follow" for event in events)
        if verdict == "right" and not is_led:
            yield "alone"


if __name__ == "__main__":
    main()
