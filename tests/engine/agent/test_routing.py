"""ROUTE: which documents are opened, in which order, with which reasons; and that stored results repeat it."""

from dataclasses import dataclass, field

from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.corpus import SecondPass
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.local_corpus import LocalCorpus
from vectorless_web.engine.agent.routing import CardRouter, route_documents
from vectorless_web.engine.agent.state import RunState, Settings
from vectorless_web.engine.finding.routing import RouteMode
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.questions.understand import understand

NAMES = ("Norrvik", "Alster", "Berger", "Cadiz")


@dataclass
class KeepingRouter:
    """Keeps what a router answers, and repeats what it answered before, as a stored run does."""

    inner: CardRouter
    known: list = field(default_factory=list)
    told: list = field(default_factory=list)

    def route(self, plan, **asked):
        known = self.known[len(self.told) :]
        found = known[0] if known else self.inner.route(plan, **asked)
        self.told.append(found)
        return found


class Library(Shelf):
    """A shelf with a router of its own."""

    router = None


def library():
    # The ids of the corpus are the numbers of its router.
    shelf = Library({str(number): annual_report(name) for number, name in enumerate(NAMES, start=1)})
    shelf.router = KeepingRouter(CardRouter(shelf))
    return shelf


def route(question, shelf, *, after=None, walk=0, **given):
    state = RunState(question, shelf, given.pop("limits", Limits()), **given)
    return route_documents(state, understand(question), after=after, walk=walk)


def test_a_document_that_the_question_names_is_opened_alone():
    routed, step = route("What was the net income of Berger in 2019?", library())
    assert (routed.ids, routed.committed, routed.considered) == (("3",), True, 4)
    assert step.documents == ("3",) and step.observation["committed"] == "3"
    assert step.say.startswith("Considered 4 documents and opened 1: Berger Annual Report 2019")


def test_a_question_that_names_none_opens_as_many_as_the_limits_allow():
    routed, step = route("Which plant had a strike?", library(), limits=Limits(max_walks=3))
    assert len(routed.documents) == 3 and len(routed.others) == 1 and not routed.committed
    assert [row["document"] for row in step.observation["shortlist"]] == list(routed.ids)
    assert all(row.reason for row in step.rejected)


def test_a_second_look_leaves_out_what_was_read():
    routed, step = route("Which plant had a strike?", library(), after=SecondPass(("1", "2")), walk=1)
    assert set(routed.ids) == {"3", "4"} and step.arguments["again"]


def diary(number: int):
    return compiled(f"Diary {number}", section("Winter", paragraph(f"In winter snow fell on day {number}.")))


def test_a_model_ranks_the_cards_in_the_modes_that_ask_for_one():
    parts = {str(number): diary(number) for number in range(40)}
    model = ScriptedModel([{"ranking": [{"id": "D2", "reason": "It tells of the snow."}]}])
    caller = Caller(model, budget=ModelBudget(calls=5, tokens=100_000))
    settings = Settings(route_mode=RouteMode.PRECISE)
    routed, step = route("When did snow fall in winter?", Shelf(parts), settings=settings, caller=caller)
    assert len(routed.ids) == 1 and step.tokens > 0 and step.engine == model.name
    assert "It tells of the snow." in step.observation["shortlist"][0]["reason"]
    fast = Settings(route_mode=RouteMode.FAST)
    assert route("When did snow fall?", Shelf(parts), settings=fast, caller=caller)[1].engine == "offline"


def test_a_stored_ranking_is_told_again_with_its_tokens_and_without_the_model():
    model = ScriptedModel([{"ranking": [{"id": "D2", "reason": "It tells of the snow."}]}])
    settings, made = Settings(route_mode=RouteMode.PRECISE), []
    first = Library({str(number): diary(number) for number in range(1, 41)})
    first.router = KeepingRouter(CardRouter(first, RouteMode.PRECISE))
    for router in (first.router, KeepingRouter(None, first.router.told)):
        first.router = router
        caller = Caller(model, budget=ModelBudget(calls=5, tokens=100_000))
        state = RunState("Snow in winter?", first, Limits(), settings=settings, caller=caller)
        _, step = route_documents(state, understand("Snow in winter?"))
        made.append((step.tokens, step.say, step.observation, state.sum_spending().tokens_in > 0))
    assert made[0][0] > 0 and made[0] == made[1]


def test_files_that_share_rare_words_are_linked(tmp_path):
    texts = ["Kelp, urchins and anemones live below the pier.", "A list of anemones, urchins and kelp."]
    texts += [f"Minutes of meeting {number}." for number in range(9)]
    for number, text in enumerate(texts, start=1):
        (tmp_path / f"{number:02}.md").write_text(f"# Text {number}\n\n{text}\n")
    _, step = route("What lives below the pier?", LocalCorpus(sorted(tmp_path.iterdir())))
    linked = [row for row in step.observation["shortlist"] if "linked to" in row["reason"]]
    assert [row["title"] for row in linked] == ["Text 2"] and "linked to Text 1" in linked[0]["reason"]
