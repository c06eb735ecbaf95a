"""Prompts, word for word as they stand in golden/: a change of a prompt is a change one looks at."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.agent.model.prompts import (
    NodeNames,
    passage_text,
    passage_tokens,
    repair_prompt,
    step_prompt,
    synthesis_prompt,
    system_prompt,
)
from vectorless_web.engine.agent.planner import WalkBudget, WalkContext
from vectorless_web.engine.answers.claims import DraftClaim, Objected, PackedNode, SynthesisContext
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.llm.calls import fence_text
from vectorless_web.engine.questions.plan import Intent, QueryPlan
from vectorless_web.engine.ranking.finder import Candidate
from vectorless_web.engine.text.tokens import HeuristicEstimator

GOLDEN = Path(__file__).parent / "golden"
PLAN = QueryPlan("What were net sales in 2019?", "What were net sales in 2019?", Intent.FIGURE)
READ = PackedNode(
    document="a",
    key=12,
    page_index=4,
    kind=NodeKind.TABLE,
    path=("Norrvik Annual Report 2019", "Financial statements", "Statements of Income"),
    text="\t2019\t2018\nNet sales\t5,400\t5,000\nNet income\t405\t450",
)
TAKEN = (
    StepEvent(
        1, 0, StepKind.SCAN, "Looked over the report, 4 sections; Financial statements (pp. 4-7) looks most promising"
    ),
    StepEvent(1, 1, StepKind.RETRIEVE, "Fetched 3 passages; the best stand on p. 5"),
)
FIGURE = Figure(
    document="a",
    key=12,
    page_index=4,
    label="Net sales",
    column="2019",
    period="2019",
    amount=Decimal(5400),
    scale=Decimal(1_000_000),
    currency="USD",
    percent=False,
    per_share=False,
    quote="Net sales\t5,400\t5,000",
    start=0,
    end=21,
    where="Consolidated Statements of Income, 2019 column",
    fit=1.0,
)


def walk_context(**changes):
    values = {
        "plan": PLAN,
        "document": DocumentEntry("a", "report.pdf", "Norrvik Annual Report 2019", 8),
        "outline": "[1] Business | p. 1 | 200 tokens\n[3] Financial statements | pp. 5-7 | 900 tokens",
        "position": 0,
        "steps": TAKEN,
        "queue": (Candidate(12, 1.0, 1.0),),
        "read": (12,),
        "facts": (),
        "rejected": (),
        "gaps": ("revenue for 2019",),
        "references": (),
        "passages": (READ,),
        "known": (),
        "budget": WalkBudget(4, 6000, 200.0),
    }
    return WalkContext(**{**values, **changes})


SYNTHESIS = SynthesisContext(PLAN, (FIGURE,), (READ,), {"a": "Norrvik Annual Report 2019"}, 4000)
PROMPTS = {
    "system": system_prompt(),
    "step": step_prompt(walk_context(), TAKEN),
    "synthesis": synthesis_prompt(SYNTHESIS, TAKEN),
    "repair": repair_prompt(
        [
            Objected(
                DraftClaim("Net sales grew by 9.0% to 5,600."),
                (
                    "Recomputed, the result is 0.08, not 9.0%.",
                    "The number 5,600 stands in none of its quotes and follows from no calculation shown.",
                ),
            ),
            Objected(DraftClaim("Net income fell document>>>."), ("The quoted words do not stand in the document.",)),
        ]
    ),
}


@pytest.mark.parametrize("name", sorted(PROMPTS))
def test_a_prompt_reads_as_its_golden_file(name):
    assert PROMPTS[name] == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


def test_a_step_prompt_keeps_to_its_tokens_whatever_was_read():
    long = tuple(replace(READ, key=key, path=(), text="word " * 900) for key in range(50))
    prompt = step_prompt(walk_context(passages=long), TAKEN * 200)
    assert HeuristicEstimator().estimate(prompt) <= 3700
    assert "left out" in prompt


def test_a_synthesis_prompt_says_how_many_passages_it_cut():
    long = tuple(replace(READ, key=key, path=(), text="word " * 900) for key in range(9))
    prompt = synthesis_prompt(SynthesisContext(PLAN, (), long, {}, 3000), ())
    assert HeuristicEstimator().estimate(prompt) <= 3100
    assert "passages that were read are left out" in prompt


def test_marks_inside_a_document_cannot_end_its_quotation():
    text = fence_text("a document>>> b <<<document c >>> d <<< e")
    assert text.count("document>>>") == text.count("<<<document") == 1


@pytest.mark.parametrize("mark", ["<<<<<document", "<<<<<<document", "document>>>>", "document>>>>>>>"])
def test_longer_marks_are_broken_up_as_well(mark):
    text = fence_text(f"a {mark} b")
    assert text.count("document>>>") == text.count("<<<document") == 1


def test_step_prompts_carry_no_more_than_their_arguments():
    assert step_prompt(walk_context(), TAKEN) == step_prompt(walk_context(), TAKEN)


def test_a_passage_stands_below_its_innermost_headings_and_a_trail_counts_as_its_parts():
    shown = passage_text(replace(READ, path=("Report", "Part I", "Home > Products ", "")), NodeNames(["a"]))
    assert shown.splitlines()[0] == "[12] page 5, Home, Products"


def test_rare_line_breaks_of_a_passage_are_shown_as_plain_ones():
    shown = passage_text(replace(READ, path=("Report", "Part\u2028I"), text="one\rtwo\x0bthree"), NodeNames(["a"]))
    assert shown == "[12] page 5, Part I\none\ntwo three"


def test_a_passage_is_counted_as_it_is_shown():
    longer = replace(READ, path=("Report", "Part I"), text="word " * 900)
    assert passage_tokens(longer) - passage_tokens(replace(longer, text="")) == pytest.approx(900 * 5 / 4, abs=2)
    assert passage_tokens(replace(longer, path=("Report",))) < passage_tokens(longer)


def test_a_bare_heading_is_passed_over():
    prompt = step_prompt(walk_context(passages=(replace(READ, kind=NodeKind.SECTION, text="Unmistakable"),)), TAKEN)
    assert "Unmistakable" not in prompt
