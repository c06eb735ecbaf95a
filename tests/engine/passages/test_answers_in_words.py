"""Questions in words over nine small documents: a lease, manuals, policies, a contract, a protocol, a notice."""

from functools import cache
from pathlib import Path

import pytest

from tests.support.engine_documents import Shelf
from vectorless_web.engine.agent.events import CompleteEvent, Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file

HERE = Path(__file__).parent
ROWS = [
    tuple(part.strip() for part in line.split("|", 3))
    for line in (HERE / "questions.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


@cache
def document(name: str) -> CompiledDocument:
    return CompiledDocument(compile_file(HERE / "documents" / f"{name}.md", name=f"{name}.md"))


def ask(name: str, question: str) -> CompleteEvent:
    return list(Orchestrator().run(question, Shelf({"a": document(name)}), Limits()))[-1]


def holds(answer: str, wanted: str) -> bool:
    """Whether every point (parted by ;) stands there in one of its wordings (parted by |); "No" begins the answer."""
    return all(any(_says(answer, way.strip()) for way in point.split("|")) for point in wanted.split(";"))


def _says(answer: str, words: str) -> bool:
    if words in ("Yes", "No"):
        return answer.startswith(f"{words}:")
    return words.lower() in answer.lower()


def rows_of(wording: str) -> list[tuple[str, str, str]]:
    return [(name, question, wanted) for name, kind, question, wanted in ROWS if kind == wording]


@pytest.mark.parametrize("name,question,wanted", rows_of("plain"))
def test_a_question_in_the_documents_words_is_answered_with_the_whole_rule(name, question, wanted):
    end = ask(name, question)
    assert end.outcome in (Outcome.ANSWERED, Outcome.PARTIAL), end.reason
    assert holds(end.answer, wanted), end.answer


@pytest.mark.parametrize("name,question,wanted", rows_of("everyday") + rows_of("unsure"))
def test_a_question_in_other_words_or_few_is_answered_rightly_or_not_at_all(name, question, wanted):
    end = ask(name, question)
    assert end.outcome in (Outcome.PASSAGES, Outcome.NOT_FOUND) or holds(end.answer, wanted), end.answer


@pytest.mark.parametrize("name,question,wanted", rows_of("absent"))
def test_what_a_document_does_not_say_is_never_answered(name, question, wanted):
    end = ask(name, question)
    assert end.outcome in (Outcome.PASSAGES, Outcome.NOT_FOUND) and not end.answer, end.answer
