"""One question asked of several documents: a row each, the budget kept, failures told."""

from tests.support.conversing import answer, call, claim, converse, shelf, turn, verdict
from tests.support.engine_documents import annual_report
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.events import Outcome, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.model.foreach import AnswerRow, DocumentAsker
from vectorless_web.engine.agent.model.view import LibraryView
from vectorless_web.engine.agent.state import RunState
from vectorless_web.engine.answers.claims import Verdict
from vectorless_web.engine.errors import ModelTimeout
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller

QUESTION = "What were net sales in 2019?"


def sales(document: str) -> dict[str, object]:
    return answer(claim("Net sales were $5,400 million in 2019.", f"{document}.7.r1"), value="$5,400 million")


def rows_of(
    replies: list[object],
    *documents: str,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> tuple[list[AnswerRow], list[StepEvent]]:
    corpus = shelf(a=annual_report("Norrvik"), b=annual_report("Sundberg"))
    caller = Caller(ScriptedModel(replies), budget=ModelBudget(calls=1, tokens=limits.model_tokens))  # type: ignore[arg-type]
    state = RunState(QUESTION, corpus, limits, caller=caller, verifier=caller)
    library = LibraryView()
    asker = DocumentAsker(state, library)
    made = list(asker(QUESTION, [library.open(entry, corpus) for entry in corpus.find_entries(documents)], 2000))
    assert state.tokens_left() == limits.model_tokens
    return asker.rows, [event for event in made if isinstance(event, StepEvent)]


def test_each_document_has_a_row_with_quotes() -> None:
    rows, steps = rows_of([sales("D1"), sales("D2")], "a", "b")
    assert [(row.document, row.value) for row in rows] == [("a", "$5,400 million"), ("b", "$5,400 million")]
    assert [{step.walk for step in steps if name in step.documents} for name in ("a", "b")] == [{2}, {3}]
    assert rows[1].claims[0].citations[0].document == "b"


def test_a_document_that_does_not_say_it_or_fails_has_a_row_that_says_so() -> None:
    rows, _ = rows_of([answer(outcome="not_found"), ModelTimeout("No reply in time.")], "a", "b")
    assert [(row.text, row.note) for row in rows] == [("", "The document does not say it."), ("", "No reply in time.")]


def test_documents_have_tokens_of_their_own_until_those_of_all_are_used_up() -> None:
    limits = Limits(model_tokens=100, each_tokens=6000)
    rows, _ = rows_of([sales("D1")], "a", "b", limits=limits)
    assert rows[0].value == "$5,400 million"
    assert "not asked" in rows[1].note


def test_when_the_conversation_cannot_answer_the_rows_are_the_answer_and_tell_documents_of_one_title_apart() -> None:
    corpus = shelf(a=annual_report("Norrvik"), b=annual_report("Norrvik"), c=annual_report("Norrvik"))
    replies = [
        turn(call("for_each", question=QUESTION, documents=["D1", "D2", "D3"])),
        *(sales("D1"), sales("D2"), answer(outcome="not_found")),
        ModelTimeout("No reply in time."),
        verdict("supported", "supported"),
    ]
    run = converse(replies, "Which had more net sales in 2019?", corpus=corpus)
    assert run.end.outcome is Outcome.PARTIAL
    assert "No reply in time." in run.end.note
    rows = next(c[-1].content for c in run.model.calls if "3 documents asked." in c[-1].content)
    assert all(f"[D{number}] " in rows for number in (1, 2, 3))
    assert len({claim.text for claim in run.claims}) == 2
    assert [[c.marker for c in claim.citations] for claim in run.claims] == [[1], [2]]
    assert len({claim.citations[0].document for claim in run.claims}) == 2
    assert "The document does not say it." in run.end.missing[0]


def test_the_tool_tells_the_rows_and_their_ids_can_be_cited() -> None:
    corpus = shelf(a=annual_report("Norrvik"), b=annual_report("Sundberg"))
    both = answer(claim("Both had net sales of $5,400 million in 2019.", "D1.7.r1", "D2.7.r1"))
    replies = [
        turn(call("for_each", question=QUESTION, documents=["D1", "D2"])),
        *(sales("D1"), sales("D2"), both, verdict("supported")),
    ]
    run = converse(replies, "Which had more net sales in 2019?", corpus=corpus, limits=Limits(model_tokens=90_000))
    heard = next(c[-1].content for c in run.model.calls if "2 documents asked." in c[-1].content)
    assert "| b.pdf: Net sales were $5,400 million in 2019.\n  [D1.7.r1] Net sales | $ 5,400 | $ 5,000" in heard
    assert run.end.verdict is Verdict.VERIFIED
    assert {cited.document for cited in run.claims[0].citations} == {"a", "b"}
