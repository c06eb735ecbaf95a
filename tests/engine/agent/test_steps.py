"""Single steps of a walk: what each does, says and refuses."""

import pytest

from tests.support.engine_documents import Shelf, annual_report, compiled, paragraph, section
from vectorless_web.engine.agent.executor import no_pilot
from vectorless_web.engine.agent.limits import Deadline, Limits
from vectorless_web.engine.agent.steps.extract import extract
from vectorless_web.engine.agent.steps.navigate import Navigator, find_title, retrieve, scan
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.finding.ranking.finder import Finder


def walk_of(document, question="What were net sales in 2019?", **limits):
    plan = understand(question)
    entry = Shelf({"a": document}).entries()[0]
    return Walk(
        number=1,
        plan=plan,
        entry=entry,
        document=document,
        limits=Limits(**limits),
        finder=Finder(document, plan),
        deadline=Deadline(lambda: 0.0, 60.0),
    )


@pytest.fixture
def walk():
    return walk_of(annual_report())


def contract():
    parts = [
        section(f"Section {n}. Term", paragraph(f"The term is {n} years."), label=f"Section {n}") for n in (1, 2, 12)
    ]
    return compiled("Contract", *parts, references=[(2, "term", 3)])


@pytest.mark.parametrize(
    "title,found", [("Section 1", 1), ("Section 2", 3), ("section 12", 5), ("Section 3", None), ("Rent", None)]
)
def test_a_section_is_found_by_title_only_when_its_number_agrees(title, found):
    assert find_title(walk_of(contract()), title) == found


def test_a_section_is_fetched_whole_and_says_its_pages(walk):
    result = retrieve(walk, {"title": "Legal proceedings"})
    assert result.say == "Read Legal proceedings in full, pp. 1-8"
    assert walk.position == result.refs[0].key


def test_a_search_packs_under_the_token_budget_and_tells_what_was_dropped():
    walk = walk_of(annual_report(), token_budget=200)
    result = retrieve(walk, {"query": "net sales margin steel prices pumps"})
    assert result.observation["tokens"] <= 200
    assert result.observation["dropped"] > 0


def test_sections_that_match_bring_their_leaves(walk):
    retrieve(walk, {"query": "legal proceedings"})
    tree = walk.document.tree
    assert walk.queue and all(tree.node(candidate.key).is_leaf for candidate in walk.queue)


@pytest.mark.parametrize("step", [scan, extract, retrieve])
def test_an_unknown_node_is_told_not_raised(walk, step):
    name = "key" if step is retrieve else "node"
    assert "error" in step(walk, {name: 4711}).observation


def test_scan_tells_what_looks_promising_and_what_does_not(walk):
    result = scan(walk, {"node": 0})
    rows = {row["title"]: row["promising"] for row in result.observation["children"]}
    assert rows["Financial statements"] is True and rows["Business"] is False
    assert "Financial statements" in result.say


@pytest.fixture
def navigate():
    return Navigator(pilot_for=no_pilot).navigate


@pytest.mark.parametrize(
    "node,direction,at", [(3, "next", 5), (3, "previous", 1), (2, "parent", 1), (0, "children", 0)]
)
def test_moves_go_where_they_say(navigate, node, direction, at):
    walk = walk_of(contract())
    assert navigate(walk, {"node": node, "direction": direction}).observation["at"] == at


@pytest.mark.parametrize(
    "node,direction", [(0, "parent"), (5, "next"), (1, "previous"), (2, "children"), (1, "sideways")]
)
def test_ways_that_do_not_exist_are_told(navigate, node, direction):
    assert "error" in navigate(walk_of(contract()), {"node": node, "direction": direction}).observation


def test_a_reference_is_followed_once_and_its_words_are_told(navigate):
    walk = walk_of(contract(), "What is the term?")
    walk.read.append(2)
    assert walk.references() == (("term", 3),)
    result = navigate(walk, {"node": 2, "direction": "reference", "target": 3})
    assert result.say == "Followed the reference “term” to Section 2. Term, p. 1"
    assert walk.references() == ()


def test_a_reference_that_nobody_made_is_refused(navigate):
    assert "error" in navigate(walk_of(contract()), {"node": 2, "direction": "reference", "target": 5}).observation


def test_the_guided_search_names_its_way_and_the_branches_it_left(navigate, walk):
    result = navigate(walk, {"node": 0, "direction": "search"})
    assert result.say.startswith("Went down to Financial statements")
    assert {rejected.label for rejected in result.rejected} & {"Business", "Legal proceedings"}
    assert walk.structure


def test_a_search_below_a_node_stays_below_it(navigate):
    walk = walk_of(annual_report(), "How many people are employed in Gothenburg?")
    below = next(
        key for key in walk.document.tree.sections() if walk.document.tree.node(key).title == "Financial statements"
    )
    navigate(walk, {"node": below, "direction": "search"})
    assert all(below < candidate.key < walk.document.tree.subtree_end(below) for candidate in walk.structure)


def test_extracting_says_which_rows_and_periods_it_took(walk):
    retrieve(walk, {"tables": True})
    result = extract(walk, {"tables": list(walk.tables), "what": "figures"})
    assert result.say == "Took 1 table row: “Net sales”, p. 5, for 2019"


def test_reading_without_finding_is_said_and_kept_as_checked():
    walk = walk_of(annual_report(), "Which turbine did the harbour of Bergen commission?")
    retrieve(walk, {"key": 1})
    result = extract(walk, {"node": 1})
    assert "found nothing that answers" in result.say
    assert [checked.title for checked in walk.checked] == ["Business"]
