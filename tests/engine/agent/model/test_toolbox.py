"""What each tool finds, and how wrong calls are told."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.conversing import answer, call, claim, converse, long_report, shelf, turn, verdict
from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.events import PlannedStep, StepEvent, StepKind
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.model.toolbox import Toolbox, ToolOutcome
from vectorless_web.engine.agent.model.tools import TOOLS, list_tools, write_tools
from vectorless_web.engine.agent.model.view import LibraryView
from vectorless_web.engine.agent.reasoner import Settings
from vectorless_web.engine.agent.state import RunState
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import ModelRefusedPictures
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.llm.picture import Picture


def toolbox(corpus: Shelf | None = None, settings: Settings = Settings(), opened: int = 9) -> Toolbox:  # noqa: B008
    """The tools over a corpus whose first documents are open."""
    corpus = corpus or shelf()
    caller = Caller(ScriptedModel(()), budget=ModelBudget(calls=20, tokens=30_000))
    state = RunState("What is asked?", corpus, Limits(), settings=settings, caller=caller)
    library = LibraryView()
    for entry in corpus.entries()[:opened]:
        library.open(entry, corpus)
    return Toolbox(state, library, list(TOOLS.values()))


def run(tools: Toolbox, name: str, **arguments: Any) -> tuple[ToolOutcome, StepEvent]:
    events: list[Any] = []
    work = tools.carry_out(name, arguments, PlannedStep())
    while True:
        try:
            events.append(next(work))
        except StopIteration as stop:
            return stop.value, events[-1]


def told(tools: Toolbox, name: str, **arguments: Any) -> str:
    return run(tools, name, **arguments)[0].told.write()


def test_search_runs_several_queries_over_the_documents_named() -> None:
    corpus = shelf(a=annual_report("Norrvik"), b=long_report())
    found, event = run(toolbox(corpus), "search", queries=["notice of the lease", "steel"], documents=["D2"])
    assert "ninety days' notice" in found.told.text
    assert "D1." not in found.told.text
    assert (event.kind, event.documents) == (StepKind.RETRIEVE, ("b",))


@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "convex"])
def test_a_search_tells_its_fusion_and_the_lanes_of_each_hit(fusion: str) -> None:
    _, event = run(toolbox(settings=Settings(fusion=fusion)), "search", queries=["steel prices"])
    told = event.observation["retrieval"][0]
    assert told["fusion"] == fusion
    assert told["lanes"][0] == ["1", 5, ["lexical", "structure"]]


def test_a_search_keeps_to_the_filters_and_brings_what_belongs_to_its_hits() -> None:
    _, event = run(toolbox(settings=Settings(label="table")), "search", queries=["net sales"])
    tree = annual_report().tree
    assert {tree.kind(key) for _, key in event.observation["hits"]} == {NodeKind.TABLE}
    none, event = run(toolbox(settings=Settings(where={"page": 99})), "search", queries=["net sales"])
    assert "0 new hits" in none.told.text + none.told.words
    assert event.observation["retrieval"][0]["warnings"][0]["code"] == "lane_empty"


def test_outline_lists_sections_and_read_shows_their_text() -> None:
    tools = toolbox()
    assert "[D1.6] Financial statements" in told(tools, "outline", document="D1")
    reading, event = run(tools, "read", node="D1.4")
    assert "Gross margin declined" in reading.told.text
    assert "in full" in reading.told.words
    assert [ref.role for ref in event.refs] == ["read", "read"]


@pytest.mark.parametrize("arguments", [{"document": "D1", "pages": "1-40"}, {"node": "D1.1"}])
def test_the_call_that_a_cut_reading_names_brings_the_rest(arguments: Mapping[str, Any]) -> None:
    filler = "The parties meet in the harbour office and look at the cranes and the quays of the year. "
    parts = [paragraph(filler * 9, page=number) for number in range(30)]
    tools = toolbox(shelf(a=compiled("Harbour lease", section("Lease", *parts))))
    read, call = list[int](), {**arguments}
    while call:
        outcome, event = run(tools, "read", **call)
        read += event.observation["keys"]
        going = outcome.told.words.partition("to go on: read ")[2]
        call = json.loads(going) if going else {}
    assert list(dict.fromkeys(read)) == list(range(1, 32))
    assert len(read) < 40 and "to the end" in outcome.told.words


def test_a_heading_that_was_cut_is_read_whole_and_one_without_words_of_its_own_can_be_read() -> None:
    long = section("Patients unsuitable for the clinical tr", paragraph("They leave."))
    part = replace(long, text="Patients unsuitable for the clinical trial by the word of the researchers.")
    tools = toolbox(shelf(a=compiled("P", part, replace(section("To design a", paragraph("A trial.")), text=""))))
    assert "clinical trial by the word of the researchers." in told(tools, "read", node="D1.1")
    assert "A trial." in told(tools, "read", node="D1.3")


def test_what_stands_before_the_model_is_named_in_a_reading_and_its_text_not_shown_again() -> None:
    lines = [paragraph(f"Crane {number} was mended. " * 10) for number in range(6)]
    tools = toolbox(shelf(a=compiled("Cranes", section("Quay", *lines))))
    tools.library.mark_shown("a", [3, 4], whole=[3, 4])
    text = told(tools, "read", node="D1.1")
    assert "([D1.3] to [D1.4]: shown above)" in text
    assert "Crane 0" in text and "Crane 1" not in text and "Crane 5" in text
    assert 'shown above; to go on behind it: read {"from": "D1.4"}' in told(tools, "read", node="D1.3")
    assert "All of that was shown above." in told(tools, "read", document="D1", pages="1")
    tools.library.whole.clear()
    assert "Crane 2" in told(tools, "read", node="D1.4")


def test_navigate_enters_sections_and_says_why_others_were_put_aside() -> None:
    settings = Settings(pilot="algorithm_only", strategy="greedy")
    found, event = run(toolbox(settings=settings), "navigate", document="D1", goal="legal proceedings and claims")
    assert "pump failure in Oslo" in found.told.text
    assert event.kind is StepKind.NAVIGATE
    assert (event.observation["pilot"], event.observation["strategy"]) == ("algorithm_only", "greedy")


def test_calculate_states_unit_and_period_of_its_operands() -> None:
    found, event = run(toolbox(), "calculate", expression="D1.7.r1c1 - D1.7.r2c1")
    text = found.told.write()
    assert text.startswith("= 1,620 million USD")
    assert "D1.7.r2c1 = 3,780 million USD (Cost of sales | 2019)" in text
    assert event.say == "Worked out 5,400 - 3,780 = 1,620 million USD", "a trace says no ids"


def test_a_wrong_call_is_an_observation_with_a_remedy() -> None:
    outcome, event = run(toolbox(), "read", node="D9.9")
    assert "There is no node D9.9" in outcome.told.write()
    assert "There is no node D9.9" in event.observation["error"]


def test_route_opens_other_documents() -> None:
    corpus = shelf(
        a=compiled("Fees", paragraph("The berth fee is 40 euros a night.")),
        b=compiled("Cranes", paragraph("The crane lifts 40 tonnes of timber.")),
    )
    tools = toolbox(corpus, opened=1)
    outcome, event = run(tools, "route", query="What does the crane lift?")
    assert "[D2] Cranes" in outcome.told.text
    assert "lifts 40 tonnes" in outcome.told.text
    assert event.kind is StepKind.ROUTE
    assert outcome.told.words == "Opened 1 other document."
    assert event.arguments["gaps"] == ["asked"], "words of the question that no opened document says go with it"


def test_route_opens_none_that_shares_no_word_with_the_query_or_hardly_any() -> None:
    corpus = shelf(
        a=compiled("Fees", paragraph("The berth fee is 40 euros a night.")),
        b=compiled("Cranes", paragraph("The crane lifts 40 tonnes of timber and of granite.")),
        c=compiled("Dredging", paragraph("The basin is dredged in May; granite is found there.")),
    )
    tools = toolbox(corpus, opened=1)
    outcome, _ = run(tools, "route", query="Which crane lifts tonnes of granite and timber?")
    assert "Cranes" in outcome.told.text
    assert "Dredging" not in outcome.told.text
    outcome, event = run(tools, "route", query="zeppelin")
    assert outcome.told.words.startswith("No other document speaks of that.")
    assert event.say == "Looked for other documents and opened none"


def test_a_step_of_routing_carries_the_thought_and_the_tokens_of_its_turn() -> None:
    planned = PlannedStep(thought="Is there a list of fees?", tokens=70, engine="m")
    (event,) = toolbox().carry_out("route", {"query": "berth fees"}, planned)
    assert isinstance(event, StepEvent)
    assert (event.thought, event.tokens, event.engine, event.walk) == ("Is there a list of fees?", 70, "m", 1)


def test_a_document_that_was_announced_only_is_opened_when_a_tool_names_it() -> None:
    corpus = shelf(a=compiled("Fees", paragraph("The fee is 40.")), b=compiled("Cranes", paragraph("A crane lifts.")))
    tools = toolbox(corpus, opened=1)
    assert tools.library.announce(corpus.entries()[1]) == "D2"
    assert "Not open and not searched: D2." in told(tools, "search", queries=["crane"])
    assert "Not open and not searched: D2." in told(tools, "find", text="crane")
    assert "[D2.1] A crane lifts." in told(tools, "read", document="D2", pages="1")
    assert "b" in tools.library.compiled


class Pictured(Shelf):
    """A shelf whose pages can be drawn."""

    def has_pictures(self, document: str) -> bool:
        return True

    def picture(self, document: str, page_index: int) -> Picture:
        return Picture(document, page_index, "abc", 600, 800, 9, b"jpg")


def test_a_server_that_refuses_pictures_is_asked_again_without_them() -> None:
    said = answer(claim("The company employs 1,204 people.", "D1.3"))
    replies = [turn(call("page_image", document="D1", page=2)), ModelRefusedPictures("No."), said, verdict("supported")]
    made = converse(replies, corpus=Pictured({"1": annual_report()}), settings=Settings(pictures=2))
    assert "takes no pictures" in made.heard(2) and made.heard(2).count("Left: ") == 1
    assert not made.model.calls[2][-1].pictures
    assert made.claims[0].support == "supported"


def test_tools_are_offered_only_where_they_make_sense() -> None:
    alone = [tool.name for tool in list_tools(documents=1, more_documents=False, pictures=False)]
    assert not {"route", "for_each", "changes", "page_image"} & set(alone)
    assert len(list_tools(documents=3, more_documents=True, pictures=True)) == len(TOOLS)
    told = ["calculate(expression): an expression over ids of cells and numbers, worked out exactly"]
    assert write_tools([TOOLS["calculate"]]) == told


ARGUMENTS = sorted({name for tool in TOOLS.values() for name in tool.parameters["properties"]})
VALUES = (
    st.text(max_size=12)
    | st.integers(-9, 99)
    | st.none()
    | st.sampled_from(
        ["D1", "D1.7", "D1.7.r1c1", "D1.5.2", "1-3", "2019 > 5", "2019 desc", "sum 2019", "c9 = x", "*", "("]
    )
)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(TOOLS)),
    st.dictionaries(st.sampled_from(ARGUMENTS), VALUES | st.lists(VALUES, max_size=3), max_size=4),
)
def test_whatever_a_tool_is_called_with_is_answered(name: str, arguments: dict[str, Any]) -> None:
    outcome, event = run(toolbox(REPORTS), name, **arguments)
    assert outcome.told.words
    assert event.say


REPORTS = shelf(a=annual_report())
