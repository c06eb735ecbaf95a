"""What the second reader is shown and how its word is read."""

from typing import Any

from tests.engine.agent.model.test_answer import make
from tests.engine.agent.model.test_view import library_of
from tests.support.engine_documents import Part, annual_report, compiled, paragraph
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.model.answer import DraftClaim
from vectorless_web.engine.agent.model.verifier import Sources, verify_claims, write_prompt
from vectorless_web.engine.answers.outcome import Judgement
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller

QUESTION = "What were net sales?"


def prompt_for(document: CompiledDocument, *drafts: DraftClaim, **more: Any) -> str:
    sources = Sources(library_of(document), lambda _: document.card, **more)
    return write_prompt(QUESTION, make(*drafts, document=document), sources)


def test_a_cited_head_is_told_once() -> None:
    prompt = prompt_for(annual_report(), DraftClaim("Two years.", ("D1.7.c1",)))
    assert "2018 = 2018" not in prompt and "⟦2019⟧ | 2018\n" in prompt


def test_a_share_is_shown_with_more_digits_than_a_claim_rounds_to() -> None:
    shared = DraftClaim("It is 0.926.", ("D1.7.r1",), calculation="D1.7.r1c2 / D1.7.r1c1")
    assert "= 0.925926 [" in prompt_for(annual_report(), shared)


def test_of_a_long_paragraph_the_neighbours_are_shown() -> None:
    sentences = " ".join(f"Sentence number {n} speaks of the harbour and its cranes." for n in range(60))
    prompt = prompt_for(compiled("H", paragraph(sentences)), DraftClaim("It speaks.", ("D1.1.30",)))
    assert "number 28" in prompt
    assert "⟦Sentence number 29" in prompt
    assert "number 30" in prompt
    assert "number 31" not in prompt


def test_a_claim_that_was_passed_over_or_misnumbered_is_partly_supported() -> None:
    reply = {"claims": [{"claim": 7, "verdict": "no", "why": ""}], "answers_all": True, "missing": []}
    caller = Caller(ScriptedModel([reply]), budget=ModelBudget(calls=2, tokens=9000))
    sources = Sources(library_of(annual_report()), lambda _: annual_report().card)
    verified = verify_claims(caller, QUESTION, make(DraftClaim("A.", ("D1.5.1",))), sources)
    assert verified.opinions[0].judgement is Judgement.PARTLY


def test_marks_do_not_nest_and_what_is_left_out_is_told() -> None:
    items = "\n".join(
        f"{n}: a duty of the tenant that takes more than a few words to be told in full" for n in range(30)
    )
    document = compiled("L", Part(NodeKind.LIST, "", items))
    drafts = (DraftClaim("All.", ("D1.1.5-7",)), DraftClaim("One.", ("D1.1.6",)), DraftClaim("Last.", ("D1.1.29",)))
    quotes = prompt_for(document, *drafts).split("Quotes:")[1].split("Claims:")[0]
    lines = [line.partition(" a duty")[0].rpartition("] ")[2] for line in quotes.strip().splitlines()[1:-1]]
    assert lines[:10] == ["…", "3:", "⟦#1: 4:", "⟦#1, #2: 5:", "⟦#1: 6:", "7:", "…", "27:", "⟦#3: 28:", "29:"]


def test_what_the_writer_leaves_open_is_told() -> None:
    claim = DraftClaim("Net sales were 5,400.", ("D1.7.r1c1",))
    prompt = prompt_for(annual_report(), claim, open_parts=("the year before",))
    assert "The writer says that this is open:\n<<<document\nthe year before\ndocument>>>" in prompt
