"""Choosing among many documents: facts in running text, editions, and a model whose ranking is obeyed."""

from dataclasses import dataclass, field

import pytest
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.agent.steps.route import Routing

from tests.support.cards import FakeModel
from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.finding.routing import DocumentRouter, RouteMode, RouterConfig, card_row
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.index.word_blocks import WordIndex, encode_words, spread_words

COUNT = 30


def handbook(number: int, fact: str):
    return compiled(
        f"Handbook of house {number}",
        section(
            "Rules",
            paragraph("The house opens at eight. Visitors sign in at the desk. Dogs stay outside.", page=0),
            paragraph(f"Keys are kept at the desk. Lamps are put out at ten. {fact}", page=1),
        ),
    )


@dataclass
class Library(Shelf):
    """A shelf with a router of its own, as a workspace has one."""

    config: RouterConfig = field(default_factory=RouterConfig)

    @property
    def router(self):
        return self

    def _made(self, model):
        cards = {int(name): document.card for name, document in self.documents.items()}
        words = {pk: encode_words(spread_words(Segment(self.documents[str(pk)].segment))) for pk in cards}
        held = Snapshot.open(build_snapshot(card_row(pk, card) for pk, card in cards.items()), version="1")
        return DocumentRouter(
            held.with_words(WordIndex().with_lists(words)),
            self.config,
            model=model,
            cards=cards.__getitem__,
            open_texts=lambda ids: {pk: self.documents[str(pk)] for pk in ids},
        )

    def route(self, plan, *, model=None):
        return self._made(model).route(plan)

    def reroute(self, plan, *, gaps, read, yielded, model=None):
        seen, gave = [int(name) for name in read], [int(name) for name in yielded]
        return self._made(model).reroute(plan, gaps=gaps, read=seen, yielded=gave)


def shelf(mode=RouteMode.FAST, most=15) -> Library:
    facts = {7: "Replacing a lost locker key costs 9 pounds.", 19: "The locker is emptied in June."}
    books = {str(n): handbook(n, facts.get(n, "The stove is swept in May.")) for n in range(1, COUNT + 1)}
    return Library(books, config=RouterConfig(mode=mode, max_candidates=most))


def asked(question: str, corpus: Library, model=None):
    events = list(Orchestrator(routing=Routing(model)).run(question, corpus, Limits()))
    routes = [event for event in events if isinstance(event, StepEvent) and event.kind is StepKind.ROUTE]
    return routes, events[-1]


def walked(route: StepEvent) -> list[str]:
    return [row["document"] for row in route.observation["shortlist"]]


def test_a_fact_in_the_third_sentence_of_a_paragraph_is_found_and_answered():
    routes, end = asked("What does it cost to replace a lost locker key?", shelf())

    assert walked(routes[0])[0] == "7"
    assert "9 pounds" in end.answer


def test_the_step_says_which_words_stand_where():
    routes, _ = asked("What does it cost to replace a lost locker key?", shelf())
    first = routes[0].observation["shortlist"][0]

    assert "page 2 says" in first["reason"] and "“locker”" in first["reason"]
    assert (first["passage"]["page"], "9 pounds" in first["passage"]["text"]) == (1, True)


def test_words_that_stand_nowhere_still_open_documents():
    routes, end = asked("Who repairs the zeppelin hangar?", shelf())

    assert walked(routes[0])
    assert end.outcome.value in ("not_found", "passages")


@pytest.mark.parametrize("ranked", [("D3", "D1"), ("D2",)])
def test_exactly_the_documents_that_a_model_ranked_are_walked(ranked):
    reply = {"ranking": [{"id": name, "reason": "it may say so"} for name in ranked]}
    fast, _ = asked("What does it cost to replace a lost locker key?", shelf())
    plain = fast[0].observation
    candidates = [row["document"] for row in (*plain["shortlist"], *plain["missed"])]
    model = FakeModel(reply, reply)
    routes, _ = asked("What does it cost to replace a lost locker key?", shelf(RouteMode.PRECISE), model)

    assert walked(routes[0]) == [candidates[int(name[1:]) - 1] for name in ranked]
    assert routes[0].observation["mode"] == "precise"


def test_a_model_reads_the_passage_on_each_card():
    model = FakeModel({"ranking": [{"id": "D1", "reason": ""}]}, {"ranking": [{"id": "D1", "reason": ""}]})
    asked("What does it cost to replace a lost locker key?", shelf(RouteMode.PRECISE), model)

    assert "says: Replacing a lost locker key costs 9 pounds." in model.asked[0][1].content


@pytest.mark.parametrize(
    ("mode", "most", "follows_model"),
    [
        (RouteMode.FAST, 1, False),
        (RouteMode.FAST, 15, False),
        (RouteMode.BALANCED, 1, False),
        (RouteMode.BALANCED, 15, True),
        (RouteMode.PRECISE, 1, True),
        (RouteMode.PRECISE, 15, True),
    ],
)
def test_the_modes_differ_in_the_documents_walked(mode, most, follows_model):
    question = "What does it cost to replace a lost locker key?"
    model = FakeModel(*[{"ranking": [{"id": "D2", "reason": "it may say so"}]}] * 8)
    first = walked(asked(question, shelf(most=most))[0][0])
    routes, _ = asked(question, shelf(mode, most), model)

    # The one document with the fact stands clear of the rest; from the second on all are alike.
    assert (first[0], walked(routes[0]) == first) == ("7", not follows_model)
    assert (routes[0].observation["mode"] == mode.value) == (follows_model or mode is RouteMode.FAST)
    assert bool(model.asked) == follows_model
