"""What each tool finds, and how wrong calls are told."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.conversing import answer, call, claim, converse, long_report, shelf, turn, verdict
from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section, table
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


def test_search_brings_new_hits_only_and_names_those_shown_before() -> None:
    tools = toolbox()
    first = told(tools, "search", queries=["steel prices"])
    assert "[D1.5.1]" in first
    again = told(tools, "search", queries=["gross margin steel"])
    assert "Shown before: D1.5" in again


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


def test_a_section_is_read_by_its_title_where_one_alone_bears_it() -> None:
    assert told(toolbox(), "read", node="financial statements") == told(toolbox(), "read", node="D1.6")
    both = toolbox(shelf(a=annual_report("Norrvik"), b=annual_report("Alster")))
    assert "There is no node" in told(both, "read", node="Financial statements")


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


def test_a_reading_from_a_leaf_on_goes_on_in_its_section() -> None:
    tools = toolbox(shelf(a=compiled("L", section("Lease", paragraph("One. Two. Three."), paragraph("Four.")))))
    text = told(tools, "read", node="D1.2", **{"from": "D1.2.2"})
    assert "Two." in text and "[D1.3] Four." in text and "One." not in text


def test_a_heading_that_was_cut_is_read_whole_and_one_without_words_of_its_own_can_be_read() -> None:
    long = section("Patients unsuitable for the clinical tr", paragraph("They leave."))
    part = replace(long, text="Patients unsuitable for the clinical trial by the word of the researchers.")
    tools = toolbox(shelf(a=compiled("P", part, replace(section("To design a", paragraph("A trial.")), text=""))))
    assert "clinical trial by the word of the researchers." in told(tools, "read", node="D1.1")
    assert "A trial." in told(tools, "read", node="D1.3")


def test_read_takes_pages_from_one_in_their_own_order() -> None:
    text = told(toolbox(), "read", document="D1", pages="5-6")
    assert text.index("Consolidated Statements of Income") < text.index("Consolidated Balance Sheets")
    assert "Cash Flows" not in text


def test_find_shows_every_literal_place_and_takes_a_star() -> None:
    tools = toolbox()
    assert "1 place in 1 node." in told(tools, "find", documents=["D1"], text="LUND  plant")
    assert "[D1.11.2]" in told(tools, "find", documents=["D1"], text="settled*2019")
    assert "stands nowhere in D1" in told(tools, "find", documents=["D1"], text="goodwill")
    prices = compiled("Prices", table("Plans for teams", [["Basic", "4"]], columns=["Plan", "Price (£, without VAT)"]))
    found = [
        told(toolbox(shelf(a=prices)), "find", documents=["D1"], text=text) for text in ("£, without", "for teams")
    ]
    assert all("1 place in" in text and "c1: Price (£, without VAT)" in text for text in found)
    assert all("Basic | 4" in text for text in found)


def test_find_says_how_many_places_of_one_node_it_leaves_out() -> None:
    rows = [[f"Berth {number}", "£ 40"] for number in range(9)]
    tools = toolbox(shelf(a=compiled("Fees", table("Fees", rows, columns=["", "Fee"]))))
    assert '(3 more in it: read {"node": "D1.1"})' in told(tools, "find", documents=["D1"], text="£")


def test_find_looks_through_several_documents_and_says_where_nothing_stands() -> None:
    corpus = shelf(a=compiled("A", paragraph("Cranes lift.")), b=compiled("B", paragraph("No crane. A craneman.")))
    text = told(toolbox(corpus), "find", text="crane")
    assert "D1: 1 place in 1 node. D2: 2 places in 1 node." in text
    assert "[D2.1.1]" in text
    assert "D1" not in told(toolbox(corpus), "find", text="crane", documents=["D2"])
    ends = told(toolbox(corpus), "find", text="cranes ")
    assert "stands nowhere in D2" in ends


def test_find_takes_words_from_their_beginning_and_parts_of_words_only_where_there_are_no_others() -> None:
    tools = toolbox(shelf(a=compiled("T", paragraph("Water damage. Persons aged 18. The spin-off. 无绳电话。"))))
    assert "1 place in" in told(tools, "find", documents=["D1"], text="age")
    assert "1 place in" in told(tools, "find", documents=["D1"], text="amage")
    assert "1 place in" in told(tools, "find", documents=["D1"], text="spin off")
    assert "1 place in" in told(tools, "find", documents=["D1"], text="电话")


def test_find_shows_the_places_nearest_the_question_and_names_the_pages_of_others() -> None:
    tools = toolbox(shelf(a=long_report()))
    text = told(tools, "find", documents=["D1"], text="the")
    assert "313 places in 40 nodes." in text
    assert re.search(r"Shown are those with most words of the question\. Others: p\. .*, 38, 39, 40\.", text)
    tools.state.question = "How does either party end the lease?"
    tools.room = 100
    assert "ninety days" in told(tools, "find", documents=["D1"], text="the*")


def test_find_shows_places_in_the_text_before_those_in_a_table_of_contents() -> None:
    contents = "1 Crane rules ... 2\n2 Berth fees ... 3\n3 Notice of leaving ... 4"
    parts = [section(f"{title} of the port", paragraph(f"{title} are posted.", page=2)) for title in ("A", "B")]
    report = compiled(
        "Port",
        replace(paragraph(contents), kind=NodeKind.LIST),
        section("Crane rules", paragraph("The crane rules are strict.", page=1)),
        section("Berth fees", paragraph("Berth fees are due.", page=2)),
        section("Notice of leaving", *parts),
    )
    tools = toolbox(shelf(a=report))
    tools.state.question = "What of crane rules, berth fees and notice of leaving?"
    text = told(tools, "find", documents=["D1"], text="berth fees")
    assert text.index("[D1.5] Berth fees are due.") < text.index("[D1.1.")
    tools.room = 20
    only = told(tools, "find", documents=["D1"], text="berth*")
    assert "D1.1." not in only
    assert "Others: p. 1" in only


def test_a_reading_of_a_list_begins_with_what_announces_it() -> None:
    terms = compiled(
        "Terms", paragraph("The tenant pays for:"), replace(paragraph("- gas\n- water"), kind=NodeKind.LIST)
    )
    text = told(toolbox(shelf(a=terms)), "read", node="D1.2")
    assert "[D1.1] The tenant pays for:" in text
    assert "[D1.2.1] - gas\n[.2] - water" in text


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


def test_the_columns_of_the_table_tool_bear_the_numbers_that_cells_are_cited_by() -> None:
    assert "c0: | c2: 2018" in told(toolbox(), "table", node="D1.7", columns=["2018"]).replace("c0 ", "c0: ")


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


@pytest.mark.parametrize(
    ("name", "arguments", "remedy"),
    [
        ("browse", {"url": "x"}, "There is no tool browse. Tools are search"),
        ("search", {}, "search lacks queries"),
        ("read", {"node": "D9.9"}, "There is no node D9.9"),
        ("read", {}, "read needs a node"),
        ("read", {"document": "D1", "pages": "900"}, "has the pages 1 to 8"),
        ("outline", {"document": "D9"}, "Open are D1"),
        ("table", {"node": "D1.5"}, "is no table"),
        ("table", {"node": "D1.7", "sort": "profit"}, "Columns are"),
        ("table", {"node": "D1.7", "aggregate": "median 2019"}, "aggregate is one of"),
        ("calculate", {"expression": "import os"}, "not plain arithmetic"),
        ("page_image", {"document": "D1", "page": 1}, "No picture can be shown"),
        ("answer", {"outcome": "answered", "claims": []}, "called alone"),
    ],
)
def test_a_wrong_call_is_an_observation_with_a_remedy(name: str, arguments: Mapping[str, Any], remedy: str) -> None:
    outcome, event = run(toolbox(), name, **arguments)
    assert remedy in outcome.told.write()
    assert remedy in event.observation["error"]


def test_arguments_that_mean_the_same_are_bent_to_their_schema() -> None:
    assert "[D1.5" in told(toolbox(), "search", queries="steel prices")


def test_the_table_tool_filters_sorts_and_sums_exactly() -> None:
    tools = toolbox()
    filtered = told(tools, "table", node="D1.8", where="2019 > 1500", sort="2019 desc")
    rows = [line for line in filtered.splitlines() if line.startswith("[.r")]
    assert [row.split("] ")[1].split(" |")[0] for row in rows] == [
        "Total assets",
        "Total current assets",
        "Total current liabilities",
    ]
    summed = told(tools, "table", node="D1.8", rows=["r1", "r3"], aggregate="sum 2019")
    assert "sum 2019 = 2,150,000,000 USD over 2 cells: sum(D1.8.r1c1, D1.8.r3c1)." in summed
    assert "most c2 = 5,500,000,000 USD" in told(tools, "table", node="D1.8", aggregate="most c2")


def test_rows_that_there_are_not_cost_no_others_unless_they_are_to_be_summed() -> None:
    tools = toolbox()
    text = told(tools, "table", node="D1.8", rows=["r1", "r99"])
    assert "No row is called 'r99'; its rows are r1 to r" in text
    assert "[.r1]" in text
    refused, _ = run(tools, "table", node="D1.8", rows=["r1", "r99"], aggregate="sum 2019")
    assert refused.told.text.startswith("No row is called 'r99'")


def test_changes_tells_what_differs_between_two_versions_with_the_ids_of_both() -> None:
    older = compiled("Terms", section("Rent", paragraph("Rent is 40 euros. It is due in May. Dogs are allowed.")))
    newer = compiled("Terms", section("Rent", paragraph("Rent is 45 euros. It is due in May. Cats are welcome here.")))
    tools = toolbox(shelf(a=older, b=newer))
    text = told(tools, "changes", **{"from": "D1", "to": "D2"})
    assert "1 put otherwise, 1 new, 1 gone" in text
    assert "put otherwise: [D1.2.1] Rent is 40 euros.\n  now: [D2.2.1] Rent is 45 euros." in text
    assert "no section called" in told(tools, "changes", **{"from": "D1", "to": "D2", "part": "Pets"})


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


def test_a_page_that_was_looked_at_is_cited_as_a_picture() -> None:
    corpus = Pictured({"1": annual_report()})
    said = answer(claim("The chart shows 40 pumps.", "D1.p2"))
    replies = [turn(call("page_image", document="D1", page=2)), said, verdict("supported")]
    made = converse(replies, corpus=corpus, settings=Settings(pictures=2))
    assert [picture.page_index for picture in made.model.calls[1][-1].pictures] == [1]
    assert [picture.page_index for picture in made.model.calls[2][-1].pictures] == [1]
    cited = made.claims[0].citations[0]
    assert (cited.check.value, cited.page_index, made.claims[0].support) == ("picture", 1, "pictured")


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
