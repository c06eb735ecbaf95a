"""Each lane and stage of the Retriever, reached by real questions: only what the steps tell is looked at.

The vector lane has runs of its own in test_vector_lane.py.
"""

import pytest

from tests.engine.agent.test_steps import walk_of
from tests.support.driven_runs import Driven, answer, step
from tests.support.engine_documents import Shelf, compiled, paragraph, section
from vectorless_web.engine.agent.events import Outcome, StepEvent, StepKind
from vectorless_web.engine.agent.executor import no_pilot
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.agent.steps.navigate import Navigator, retrieve
from vectorless_web.engine.questions.followup import Previous

QUESTION = "How long does parental leave last?"


def handbook():
    return compiled(
        "Handbook",
        section(
            "Absence",
            paragraph("Parental leave lasts 16 weeks at full pay, as Note 4 says."),
            paragraph("Forms are kept in the archive."),
            paragraph("The office answers within three days."),
        ),
        section("Travel", paragraph("Tickets are bought by the office.")),
        section("Note 4 Pay", paragraph("The company tops up the share of the state.")),
        references=[(2, "Note 4", 7)],
    )


def steps(question, document, *, limits=None, **options):
    events = Orchestrator().run(question, Shelf({"a": document}), limits or Limits(), **options)
    return [event for event in events if isinstance(event, StepEvent)]


def observed(kind, question, document, **options):
    return next(step.observation for step in steps(question, document, **options) if step.kind is kind)


def fetched(question, document, **options):
    return observed(StepKind.RETRIEVE, question, document, **options)


@pytest.fixture(scope="module")
def found():
    return {row["key"]: row for row in fetched(QUESTION, handbook())["items"]}


def test_words_and_tree_search_are_lanes_of_one_search():
    walk = walk_of(handbook(), QUESTION)
    Navigator(pilot_for=no_pilot).navigate(walk, {"node": 0, "direction": "search"})
    rows = {row["key"]: row for row in retrieve(walk, {"query": walk.plan.focus}).observation["items"]}
    assert {"lexical", "structure"} <= rows[2]["lanes"].keys()


def test_the_rest_of_a_section_joins_its_best_passage():
    rows = {row["key"]: row for row in fetched(QUESTION, handbook(), limits=Limits(max_steps=3))["items"]}
    assert "joined" not in rows[2]
    assert rows[3]["joined"] == rows[4]["joined"] == "community"


def test_what_a_passage_refers_to_is_left_to_a_step_that_follows_it(found):
    assert 7 not in found


def test_coverage_of_the_question_decides_the_order_in_the_end(found):
    scores = [row["score"] for row in found.values()]
    assert scores == sorted(scores, reverse=True)
    assert all(row["lanes"]["rerank"] == pytest.approx(row["score"], abs=1e-4) for row in found.values())
    assert next(iter(found)) == 2


def test_the_number_a_database_gives_a_document_takes_none_of_the_tokens():
    def packed(name):
        events = Orchestrator().run(QUESTION, Shelf({name: handbook()}), Limits(token_budget=120))
        told = [event.observation for event in events if isinstance(event, StepEvent) and "tokens" in event.observation]
        return [(each["tokens"], each["dropped"], each["fingerprint"]) for each in told]

    assert packed("7") == packed("40000017")


def test_lists_of_several_lanes_are_fused_by_rank():
    replies = [step("navigate", node=0, direction="search"), step("retrieve", query="archive"), *ENDING]
    run = Driven(replies, Shelf({"a": handbook()}), question=QUESTION)
    row = next(row for row in run.walked[1].observation["items"] if len(row["lanes"]) > 1)
    assert row["lanes"].keys() == {"lexical", "structure"}
    assert 1 / 61 < row["score"] <= 2 / 61


ENDING = (step("synthesize"), answer(missing=["the length"]))


def test_a_lane_that_finds_nothing_is_warned_of():
    run = Driven([step("retrieve", query="zebra crossing"), *ENDING], Shelf({"a": handbook()}))
    assert "lane_empty" in run.walked[0].observation["warnings"]


def test_a_document_without_sections_is_warned_of():
    flat = compiled("Letter", paragraph("Parental leave lasts 16 weeks."), paragraph("Kind regards."))
    assert {"community_filter_noop"} <= set(fetched(QUESTION, flat)["warnings"])


def many_passages(count=40):
    said = [f"Parental leave lasts {n} weeks in office number {n} of the company." for n in range(1, count)]
    return compiled("Handbook", section("Absence", *(paragraph(text) for text in said)))


def test_a_search_stays_under_its_budget_and_gives_a_reason_for_each_drop():
    seen = fetched(QUESTION, many_passages(), limits=Limits(token_budget=300))
    assert 0 < seen["tokens"] <= seen["budget"] == 300
    assert seen["dropped"] > len(seen["left_out"]) == 12
    for row in seen["left_out"]:
        assert row["reason"] == "budget" and row["tokens"] > 0 and row["title"] == "Absence" and row["page"] == 1


def test_what_the_limit_of_items_cuts_has_its_reason_too():
    seen = fetched(QUESTION, many_passages())
    assert len(seen["items"]) == 24
    assert {row["reason"] for row in seen["left_out"]} == {"limit"}


def test_equal_runs_have_equal_fingerprints():
    first, second = (fetched(QUESTION, handbook())["fingerprint"] for _ in range(2))
    assert first == second and len(first) == 64


def test_a_spent_budget_packs_nothing_more_and_says_so():
    walk = walk_of(many_passages(), QUESTION, token_budget=120)
    first, second = (retrieve(walk, {"query": query}) for query in ("parental leave", "office"))
    assert first.observation["tokens"] + second.observation["tokens"] <= 120
    assert second.observation["items"] == [] and second.observation["dropped"] > 0
    assert "fits the tokens left" in second.say


def test_of_passages_that_say_the_same_the_others_get_a_place():
    seen = observed(StepKind.EXTRACT, "List all reasons why gross margin declined.", many_twins())
    kept = [row["quote"] for row in seen["passages"]]
    assert len(kept) == 24 and seen["set_aside"]
    assert sum("steel" not in quote for quote in kept) == 6
    assert all("steel" in row["quote"] for row in seen["set_aside"])


def many_twins():
    same = [f"Gross margin declined due to higher steel prices at plant {n}." for n in range(40)]
    reasons = ("a strike", "freight", "customs duties", "idle furnaces", "weak orders", "currency")
    other = [f"Gross margin declined due to {reason}." for reason in reasons]
    return compiled("Norrvik Report", section("Discussion", *(paragraph(text) for text in [*same, *other])))


def test_a_section_larger_than_what_is_left_keeps_its_best_leaves():
    padding = [paragraph(f"Office number {n} is open on weekdays. " * 8) for n in range(12)]
    last = paragraph("Parental leave lasts 16 weeks at full pay.")
    document = compiled("Handbook", section("Absence", *padding, last))
    seen = retrieve(walk_of(document, QUESTION, token_budget=250), {"key": 1}).observation
    assert 14 in [row["key"] for row in seen["items"]]
    assert seen["tokens"] <= 250 and {row["reason"] for row in seen["left_out"]} == {"budget"}


def test_a_followed_reference_is_packed():
    document = compiled(
        "Handbook",
        section("Absence", paragraph("For the length of parental leave see Note 4.")),
        section("Note 4", paragraph("It lasts 16 weeks."), paragraph("It may be taken in two parts.")),
        references=[(2, "Note 4", 3)],
    )
    limits = Limits(max_steps=10)
    followed = [
        s.observation
        for s in steps("What is the length of parental leave?", document, limits=limits)
        if s.action == "follow"
    ]
    assert all(seen["tokens"] <= seen["budget"] for seen in followed)
    assert followed and [row["key"] for row in followed[0]["items"]] == [4, 5]


def test_what_was_read_before_is_packed_again_for_a_follow_up():
    seen = fetched("And at half pay?", handbook(), previous=Previous(QUESTION, {"a": (2, 3)}))
    assert [row["key"] for row in seen["items"]] == [2, 3]
    assert seen["tokens"] <= seen["budget"]


def read_by_a_model(limits):
    replies = [step("retrieve", node=1), step("synthesize")] * 2
    shelf = Shelf({"north": many_passages(), "south": many_passages()})
    return Driven([*replies, ENDING[-1]], shelf, question=QUESTION, limits=limits)


def test_documents_take_turns_in_the_context_of_the_answer():
    context = verified(read_by_a_model(Limits()))["context"]
    documents = [row["document"] for row in context["items"]]
    assert documents[:6] == ["north", "south"] * 3
    assert context["tokens"] <= context["budget"] < 8000


def test_the_answers_context_keeps_to_the_budget_and_tells_what_it_left_out():
    run = read_by_a_model(Limits(token_budget=1600))
    context, prompt = verified(run)["context"], run.model.calls[-1][-1].content
    assert 0 < context["tokens"] <= context["budget"] < 1600
    assert context["dropped"] >= len(context["left_out"]) > 0
    assert {row["reason"] for row in context["left_out"]} == {"budget"}
    assert "passages that were read are left out here" in prompt
    assert prompt.count("\nParental leave lasts") == len(context["items"])


def verified(run):
    return next(event.observation for event in run.steps if event.kind is StepKind.VERIFY)


def yearbook():
    years = [f"Parental leave lasted {n + 10} weeks in the northern office that year." for n in range(12)]
    return compiled(
        "Yearbook", *(section(f"Year {n}", paragraph(text, page=n), page=n) for n, text in enumerate(years))
    )


def test_a_page_that_the_question_names_is_a_filter_inside_the_lanes():
    seen = fetched("What does page 7 say about parental leave?", yearbook())
    assert seen["filter"] == {"page": 7}
    assert {row["page"] for row in seen["items"]} == {7}
    assert "lexical" in seen["items"][0]["lanes"]


@pytest.mark.parametrize("page,weeks", [(1, 10), (7, 16), (12, 21)])
def test_the_answer_comes_from_the_page_asked_for(page, weeks):
    question = f"According to page {page}, how long did parental leave last?"
    end = list(Orchestrator().run(question, Shelf({"a": yearbook()}), Limits()))[-1]
    assert f"{weeks} weeks" in end.answer


def test_a_page_the_document_does_not_have_filters_nothing():
    assert "filter" not in fetched("What does page 40 say about parental leave?", yearbook())


def test_a_question_that_reaches_them_all_is_answered():
    events = list(Orchestrator().run(QUESTION, Shelf({"a": handbook()}), Limits()))
    assert events[-1].outcome is Outcome.ANSWERED
