"""Importing golden questions: JSON Lines and CSV, FinanceBench's names among them; all of a file or nothing."""

import json

import pytest

from vectorless_web.evaluations import services
from vectorless_web.evaluations.exports import set_as_lines
from vectorless_web.evaluations.reading import read_import
from vectorless_web.infra.web.problems import Problem

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


def lines(*rows: dict) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def test_a_row_of_financebench_is_understood():
    row = {
        "question": "What was capex?",
        "doc_name": "3M_2018_10K",
        "answer": "$1577.00",
        "evidence": [{"evidence_page_num": 59, "evidence_text": "Purchases of property"}],
    }
    (typed,) = read_import(lines(row), "financebench.jsonl")
    assert (typed.documents, typed.text, typed.pages) == (("3M_2018_10K",), "$1577.00", ("60",))
    assert typed.quote == "Purchases of property"


def test_a_csv_file_holds_several_things_of_a_field_parted_by_semicolons():
    (typed,) = read_import(b"question,mentions,is_absent\nWhen?,ten|10; food safety,\n", "set.csv")
    assert typed.mentions == ("ten|10", "food safety")


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"", "a.jsonl", "holds no question"),
        (b"{", "a.jsonl", "Line 1 is no JSON"),
        (b"[1]", "a.jsonl", "no JSON object"),
        (b"[" * 100_000, "a.jsonl", "Line 1 is no JSON"),
        (b"\xff\xfe", "a.jsonl", "not UTF-8"),
        (lines({"question": "What?"}), "a.jsonl", "Row 1: Nothing is expected"),
        (lines({"question": " ", "value": "1"}), "a.jsonl", "Row 1"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_line(data, name, said):
    with pytest.raises(Problem, match=said):
        read_import(data, name)


def test_a_set_comes_back_as_it_was_exported(golden_set, alice, workspace):
    exported = set_as_lines(golden_set.questions.prefetch_related("documents"))
    other = services.make_set(user=alice, workspace=workspace, name="Copy")
    services.add_questions(user=alice, golden_set=other, rows=read_import(exported.encode(), "a.jsonl"))
    assert set_as_lines(other.questions.prefetch_related("documents")) == exported


def test_nothing_is_taken_of_a_file_that_names_an_unknown_document(golden_set, alice):
    rows = read_import(lines({"question": "A?", "value": "1"}, {"question": "B?", "doc": "no.pdf", "value": "1"}), "a")
    with pytest.raises(Problem, match=r"Question 2: There is no document “no.pdf”"):
        services.add_questions(user=alice, golden_set=golden_set, rows=rows)
    assert golden_set.questions.count() == 2
