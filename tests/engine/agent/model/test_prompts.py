"""The first message word by word, and the pieces of the conversation."""

import os
from pathlib import Path

from tests.support.conversing import answer, claim, converse, long_report, shelf, verdict
from tests.support.engine_documents import annual_report, compiled, paragraph
from vectorless_web.engine.agent.model.prompts import Told, write_objections, write_results, write_scope, write_unknown

GOLDEN = Path(__file__).with_name("first_message.txt")


def test_the_first_message_of_a_document_shown_whole_is_the_golden_one() -> None:
    """Set GOLDEN=write to record it anew after a change that was meant."""
    corpus = shelf(a=annual_report())
    run = converse([answer(claim("They were $5,400 million.", "D1.7.r1")), verdict("supported")], corpus=corpus)
    written = "\n\n".join(f"--- {message.role}\n{message.content}" for message in run.model.calls[0]) + "\n"
    if os.environ.get("GOLDEN") == "write":
        GOLDEN.write_text(written, encoding="utf-8")
    assert written == GOLDEN.read_text(encoding="utf-8")


def test_results_are_numbered_and_text_of_documents_is_fenced() -> None:
    text = write_results([Told("1 new hit.", "[D1.2] Rent."), Told("Noted.")])
    assert text == "1. 1 new hit.\n<<<document\n[D1.2] Rent.\ndocument>>>\n\n2. Noted."


def test_objections_name_the_claim_what_speaks_against_it_and_what_is_missing() -> None:
    text = write_objections([(2, "It\nfell.", ["no: It rose."])], ["why it rose"], ["the program"])
    assert text.startswith("The program checked your answer.")
    assert "2. It fell.\n   - no: It rose." in text
    assert "Not answered yet:\n<<<document\nwhy it rose\ndocument>>>" in text


def test_names_that_stand_nowhere_are_told_and_other_words_are_not() -> None:
    question = "What notice of the lease does Halden still give the harbour board?"
    run = converse([answer(outcome="not_found")] * 2, question, corpus=shelf(a=long_report()))
    assert 'Not found as written in the documents that are open: "Halden".' in run.heard(0)
    assert write_unknown([]) == ""


def test_documents_that_are_neither_open_nor_named_are_counted() -> None:
    told = "3 more documents of the workspace are not listed here; route looks for them."
    assert told in write_scope([], ["D6 x"], 3)
    assert "These are all documents there are." in write_scope([], ["D6 x", "D7 y"])


def test_of_a_question_in_another_language_nothing_is_told_as_missing() -> None:
    question = "Wie lange gilt der Vertrag mit Halden?"
    run = converse([answer(outcome="not_found")] * 2, question, corpus=shelf(a=long_report()))
    assert "Not found as written" not in run.heard(0)


def test_few_short_documents_are_shown_whole_and_leave_a_long_one_its_passages() -> None:
    short = [compiled(name, paragraph("The quay of the harbour is repaired in spring. " * 70)) for name in "ABC"]
    asked = [answer(outcome="not_found")] * 2, "When are the quays of the harbour repaired?"
    alike = converse(*asked, corpus=shelf(a=short[0], b=short[1], c=short[2])).heard(0)
    assert alike.count(", the whole document:") == 3
    mixed = converse(*asked, corpus=shelf(a=short[0], b=short[1], c=long_report())).heard(0)
    assert mixed.count(", the whole document:") == 2
    assert "Passages that come nearest" in mixed
