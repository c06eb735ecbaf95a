"""Lists of members and steps: the whole list that is named, and nothing of another."""

from tests.support.engine_documents import Part, Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.documents.node import NodeKind


def listing(text):
    return Part(NodeKind.LIST, "", text)


MARINA = compiled(
    "Marina rules",
    section(
        "Rules",
        listing("1. BERTHS\nThe marina has berths in three basins: Heron, Tern and Gull. Long boats lie in Gull."),
        listing(
            "2. FUEL SPILLS\nAs soon as a spill is seen:\n(a) stop the pump;\n(b) lay the boom;\n(c) ring the office."
        ),
        listing("3. NOISE\nGenerators run from 8:00 to 20:00. Music is kept low after dark."),
    ),
    section(
        "Moorings",
        paragraph("To moor in the basin, a boat must:"),
        listing("- be insured\n- carry two fenders\n- show its name"),
    ),
)


def told(question):
    end = list(Orchestrator().run(question, Shelf({"a": MARINA}), Limits()))[-1]
    return [line.partition(" [")[0] for line in end.answer.splitlines()], end


def test_the_steps_within_a_clause_are_told_without_its_neighbours():
    lines, _ = told("What are the steps after a fuel spill?")
    assert lines == ["As soon as a spill is seen:", "(a) stop the pump;", "(b) lay the boom;", "(c) ring the office."]


def test_a_list_of_something_else_is_no_answer():
    lines, _ = told("Which basins does the marina have?")
    assert not any("fenders" in line for line in lines)


def test_a_rule_for_whom_something_is_forbidden_takes_its_list_along():
    lines, _ = told("What must a boat do to moor?")
    assert lines[0].startswith("To moor in the basin") and "show its name" in " ".join(lines)


GYM = compiled(
    "Climbing hall",
    section("Opening", paragraph("The hall opens at nine and has three walls of different heights.")),
    section(
        "Ropes",
        paragraph("Gear is taken out of use at the yearly check for one of these:"),
        listing(
            "- a rope whose core is damaged\n- a rope damaged by heat\n- a damaged rope end\n- a knot damaged by use"
        ),
    ),
)


def test_a_list_stands_first_when_its_items_fit_though_its_lead_in_says_little():
    end = list(Orchestrator().run("Which kinds of rope damage are there?", Shelf({"a": GYM}), Limits()))[-1]
    told = end.answer or " ".join(passage.quote for passage in end.passages)
    assert all(item in told for item in ("core is damaged", "by heat", "rope end"))
