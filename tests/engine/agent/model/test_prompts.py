"""Prompts, word for word as they stand in golden/: a change of a prompt is a change one looks at."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.agent.model.prompts import requote_prompt, step_prompt, synthesis_prompt, system_prompt
from vectorless_web.engine.agent.planner import Budget, WalkContext
from vectorless_web.engine.answers.claims import DraftClaim, PackedNode, SynthesisContext
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.questions.plan import Intent, QueryPlan
from vectorless_web.engine.ranking.finder import Candidate
from vectorless_web.engine.text.fence import fenced
from vectorless_web.engine.text.tokens import HeuristicEstimator

GOLDEN = Path(__file__).parent / "golden"
PLAN = QueryPlan("What were net sales in 2019?", "What were net sales in 2019?", Intent.FIGURE)
TABLE = (
    "ntype: table\nid: a:12\ncontext: Norrvik Annual Report 2019 > Financial statements > Statements of Income\n"
    "summary: \t2019\t2018\\nNet sales\t5,400\t5,000\\nNet income\t405\t450\npage: 5\n"
)
READ = PackedNode("a", 12, 4, TABLE)
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
        "budget": Budget(4, 6000, 200.0),
    }
    return WalkContext(**{**values, **changes})


SYNTHESIS = SynthesisContext(PLAN, (FIGURE,), (READ,), {"a": "Norrvik Annual Report 2019"}, 4000)
PROMPTS = {
    "system": system_prompt(),
    "step": step_prompt(walk_context(), TAKEN),
    "synthesis": synthesis_prompt(SYNTHESIS, TAKEN),
    "requote": requote_prompt(
        DraftClaim("Net sales were 5,400."), "A quote does not stand in the document.", replace(SYNTHESIS, tokens=900)
    ),
}


@pytest.mark.parametrize("name", sorted(PROMPTS))
def test_a_prompt_reads_as_its_golden_file(name):
    assert PROMPTS[name] == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


def test_a_step_prompt_keeps_to_its_tokens_whatever_was_read():
    long = tuple(PackedNode("a", key, 0, "word " * 900) for key in range(50))
    prompt = step_prompt(walk_context(passages=long), TAKEN * 200)
    assert HeuristicEstimator().estimate(prompt) <= 3700
    assert "left out" in prompt


def test_a_synthesis_prompt_says_how_many_passages_it_cut():
    long = tuple(PackedNode("a", key, 0, "word " * 900) for key in range(9))
    prompt = synthesis_prompt(SynthesisContext(PLAN, (), long, {}, 3000), ())
    assert HeuristicEstimator().estimate(prompt) <= 3100
    assert "passages that were read are left out" in prompt


def test_marks_inside_a_document_cannot_end_its_quotation():
    text = fenced("a document>>> b <<<document c >>> d <<< e")
    assert text.count("document>>>") == text.count("<<<document") == 1


@pytest.mark.parametrize("mark", ["<<<<<document", "<<<<<<document", "document>>>>", "document>>>>>>>"])
def test_longer_marks_are_broken_up_as_well(mark):
    text = fenced(f"a {mark} b")
    assert text.count("document>>>") == text.count("<<<document") == 1


def test_step_prompts_carry_no_more_than_their_arguments():
    assert step_prompt(walk_context(), TAKEN) == step_prompt(walk_context(), TAKEN)
