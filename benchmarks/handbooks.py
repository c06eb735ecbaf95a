"""Asks a library of made-up handbooks for facts that stand in running text alone.

    python benchmarks/handbooks.py [--count 1000] [--questions 200] [--cache DIR] [--answer] [--show N]

Every handbook has the same sections and the same kinds of rules with figures of its own, so that nearly every word of a
question stands in nearly every handbook. Half of the questions name nobody and ask for a rule that one handbook alone
has, the third sentence of a paragraph; the other half name the organisation and ask for a rule that all have.
Printed: the share of questions whose document is routed first and among the first five, and with --answer the share
for which the first passage shown lights the figure asked for, in that document.
"""

import argparse
import hashlib
import random
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from benchmarks.corpus import index_named
from vectorless_web.engine.agent.corpus import Corpus, DocumentEntry, SecondPass
from vectorless_web.engine.agent.events import CompleteEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.documents.artefact import ENGINE_VERSION, CompiledDocument, open_artefact
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.finding.routing import DocumentRouter, RouteResult
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand

KINDS = ("Staff Handbook", "Site Handbook", "Visitor Guide", "Residents' Handbook", "Safety Handbook", "Member Guide")
SECTIONS = (
    "Opening hours", "Keys and badges", "Parking", "Leave", "Travel", "Equipment", "Visitors", "First aid", "Fire",
    "Meeting rooms", "Waste", "Deliveries", "Complaints", "Training", "Canteen", "Lockers",
)  # fmt: skip
COLOURS = (
    *("red", "blue", "green", "yellow", "silver", "white"),
    *("orange", "violet", "brown", "black", "purple", "golden"),
)
THINGS = (
    "locker key", "visitor badge", "door fob", "parking disc", "library card", "tool kit", "projector", "gas mask",
    "bicycle permit", "safety helmet", "water flask", "radio", "ladder", "trolley", "laptop bag", "torch", "tent",
)  # fmt: skip
PLACES = ("reception", "the porter", "the night desk", "the stores", "the infirmary", "the boat house", "the workshop")
LEAD = (
    "{org} asks everybody to keep to the rules of this section. They are looked at once a year.",
    "The rules below hold on weekdays and on weekends. Exceptions are agreed with the manager beforehand.",
    "Please read this section with care. Questions are put to the office by letter or by telephone.",
    "This section was last changed by the committee of {org}. It replaces all earlier notices on the walls.",
)
COMMON = (
    "Lost property is kept for {a} weeks.",
    "The office is open from {h} in the morning.",
    "Guests may stay for at most {a} nights.",
    "Forms are handed in at {place} within {b} days.",
    "A deposit of {c} pounds is paid for each {thing}.",
    "Complaints are answered within {b} working days.",
    "Training is repeated every {a} months.",
    "Vehicles are parked at the owner's risk, and a charge of {c} pounds is made after {a} hours.",
    "Nobody lifts more than {b} kilograms alone.",
    "The alarm is tested every {a} weeks.",
)
UNIQUE = (
    ("Replacing a lost {colour} {thing} costs {n} pounds.", "What does it cost to replace a lost {colour} {thing}?"),
    ("A {colour} {thing} is lent for {n} days at most.", "For how many days is a {colour} {thing} lent?"),
    ("Returning a {colour} {thing} late costs {n} pounds.", "How much is paid for returning a {colour} {thing} late?"),
    ("Each floor holds {n} spare {colour} {thing}s.", "How many spare {colour} {thing}s does each floor hold?"),
    ("The {colour} {thing} must be inspected every {n} weeks.", "How often must the {colour} {thing} be inspected?"),
)  # fmt: skip
SHARED = (
    ("Annual leave is asked for {n} days ahead.", "How many days ahead is annual leave asked for at {org}?"),
    ("The mileage rate is {n} pence a mile.", "What is the mileage rate at {org}?"),
    ("Meeting rooms are booked for {n} minutes at most.", "For how many minutes are meeting rooms booked at {org}?"),
    ("The canteen refunds meals of up to {n} pounds.", "Up to what amount does the canteen of {org} refund meals?"),
    ("Deliveries are collected within {n} hours.", "Within how many hours are deliveries collected at {org}?"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Handbook:
    """A made-up handbook with the two facts that are asked for: question and figure of each."""

    name: str
    text: str
    asked: tuple[tuple[str, str], tuple[str, str]]


def made_up(count: int) -> Iterator[Handbook]:
    """`count` handbooks, the same every time; no two have the same colour and thing in the same rule."""
    chance = random.Random(23)
    combinations = [(rule, colour, thing) for rule in range(len(UNIQUE)) for colour in COLOURS for thing in THINGS]
    chance.shuffle(combinations)
    for number in range(count):
        yield _make_up(number, combinations[number % len(combinations)], random.Random(1000 + number))


def _make_up(number: int, combination: tuple[int, str, str], chance: random.Random) -> Handbook:
    rule, colour, thing = combination
    org = f"{_word(chance)} {chance.choice(('House', 'College', 'Works', 'Trust', 'Yard', 'Centre'))}"
    told, asked = UNIQUE[rule]
    fact = (told.format(colour=colour, thing=thing, n=(first := str(chance.randrange(11, 95)))),)
    also, question = chance.choice(SHARED)
    other = str(chance.randrange(11, 95))
    others = [text.format(n=chance.randrange(11, 95), org=org) for text, _ in SHARED if text != also]
    sections = chance.sample(SECTIONS, 10)
    pieces = {name: _paragraphs(chance, org) for name in sections}
    for sentence in (*fact, also.format(n=other), *others):
        paragraph = chance.choice(pieces[chance.choice(sections)])
        paragraph.insert(2, sentence)
    title = f"{org} {chance.choice(KINDS)}"
    text = f"# {title}\n\n" + "\n\n".join(
        f"## {name}\n\n" + "\n\n".join(" ".join(sentences) for sentences in pieces[name]) for name in sections
    )
    known = ((asked.format(colour=colour, thing=thing), first), (question.format(org=org), other))
    return Handbook(f"handbook-{number + 1:04}.md", text + "\n", known)


def _word(chance: random.Random) -> str:
    return "".join(chance.choice("bdfgklmnprstvw") + chance.choice("aeiou") for _ in range(3)).capitalize() + "n"


def _paragraphs(chance: random.Random, org: str) -> list[list[str]]:
    def filled(sentence: str) -> str:
        return sentence.format(
            org=org, a=chance.randrange(2, 9), b=chance.randrange(3, 30), c=chance.randrange(2, 60),
            h=chance.choice(("seven", "eight", "nine")), place=chance.choice(PLACES),
            thing=f"{chance.choice(COLOURS)} {chance.choice(THINGS)}",
        )  # fmt: skip

    return [
        [*filled(chance.choice(LEAD)).split("\n"), *(filled(line) for line in chance.sample(COMMON, 4))]
        for _ in range(3)
    ]


class Library(Corpus):
    """The handbooks as a workspace holds them: cards and words in an index, artefacts opened when asked for."""

    def __init__(self, books: Sequence[Handbook], cache: Path) -> None:
        self._books, self._paths = books, [_compiled(book, cache) for book in books]
        self.opened: set[str] = set()
        named = {
            number: (books[number - 1].name, open_artefact(path)) for number, path in enumerate(self._paths, start=1)
        }
        self.snapshot = index_named(named)
        self._router = DocumentRouter(
            self.snapshot, open_texts=lambda ids: {pk: open_artefact(self._paths[pk - 1]) for pk in ids}
        )

    def _open_texts(self, ids: Sequence[int]) -> dict[int, CompiledDocument]:
        return {pk: open_artefact(self._paths[pk - 1]) for pk in ids}

    @property
    def router(self) -> "Library":
        """The library's own router."""
        return self

    def route(self, plan: QueryPlan, *, after: SecondPass | None = None, model: ChatModel | None = None) -> RouteResult:
        """The shortlist for a question."""
        if after is None:
            return self._router.route(plan)
        read, yielded = [int(pk) for pk in after.read], [int(pk) for pk in after.yielded]
        return self._router.reroute(plan, gaps=after.terms, read=read, yielded=yielded)

    @property
    def fingerprint(self) -> str:
        """Names the books."""
        return f"handbooks-{len(self._books)}"

    def entries(self) -> Sequence[DocumentEntry]:
        """All handbooks."""
        return [self._entry(str(number)) for number in range(1, len(self._books) + 1)]

    def find_entries(self, documents: Collection[str]) -> Sequence[DocumentEntry]:
        """The entries of these."""
        return [self._entry(name) for name in documents]

    def _entry(self, name: str) -> DocumentEntry:
        book = self._books[int(name) - 1]
        return DocumentEntry(name, book.name, book.text.split("\n", 1)[0].strip("# "), 1)

    def card(self, document: str) -> Card:
        """The card of a handbook."""
        return open_artefact(self._paths[int(document) - 1]).card

    def open(self, document: str) -> CompiledDocument:
        """The compiled handbook."""
        self.opened.add(document)
        return open_artefact(self._paths[int(document) - 1])


def _compiled(book: Handbook, cache: Path) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{hashlib.sha256(book.text.encode()).hexdigest()[:24]}-{ENGINE_VERSION}"
    if not path.exists():
        source = cache / book.name
        source.write_text(book.text, encoding="utf-8")
        path.write_bytes(compile_file(source, name=book.name))
        source.unlink()
    return path


def main() -> None:
    """Make the library, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--cache", type=Path, default=Path("var/handbooks"))
    parser.add_argument("--answer", action="store_true", help="answer the questions, too")
    parser.add_argument("--show", type=int, default=0, help="print so many that went wrong")
    options = parser.parse_args()
    books = list(made_up(options.count))
    library = Library(books, options.cache)
    chance = random.Random(7)
    for kind, name in ((0, "nobody named"), (1, "organisation named")):
        asked = [
            (number, *books[number].asked[kind]) for number in chance.sample(range(len(books)), options.questions // 2)
        ]
        _report(name, asked, library, options)


def _report(name: str, asked: Sequence[tuple[int, str, str]], library: Library, options: argparse.Namespace) -> None:
    places, right, seconds = [], 0, []
    for number, question, figure in asked:
        started = time.perf_counter()
        found = library.route(understand(question))
        seconds.append(time.perf_counter() - started)
        ids = [found.committed] if found.committed else []
        ids = list(dict.fromkeys([*ids, *(candidate.doc_id for candidate in found.candidates)]))
        places.append(ids.index(number + 1) + 1 if number + 1 in ids else 0)
        if options.answer:
            right += _lights_figure(library, number, question, figure, options)
    shares = [sum(0 < place <= most for place in places) / len(places) for most in (1, 5)]
    slow = sorted(seconds)[int(0.95 * len(seconds))] * 1000
    print(f"{name}: document at 1 {shares[0]:.2f}, at 5 {shares[1]:.2f}; route p95 {slow:.1f} ms", end="")
    print(f"; lit first {right / len(asked):.2f}" if options.answer else "")


def _lights_figure(library: Library, number: int, question: str, figure: str, options: argparse.Namespace) -> bool:
    """Whether the first passage shown lights the figure asked for, in the right document."""
    *_, end = Reasoner().run(question, library, Limits())
    assert isinstance(end, CompleteEvent)
    best = end.passages[0] if end.passages else None
    text = best.quote if best is not None and best.document == str(number + 1) else ""
    is_right = figure in text.replace(",", " ").replace(".", " ").split()
    if not is_right and options.show > 0:
        options.show -= 1
        print(f"  {question} -> {best.quote[:150] if best else ''!r}, not {figure}")
    return is_right


if __name__ == "__main__":
    main()
