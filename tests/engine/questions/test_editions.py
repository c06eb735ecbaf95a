"""Kinds of document that a question names."""

import pytest

from vectorless_web.engine.questions.editions import find_documents_asked


def steering(text, *periods):
    spans = [(text.index(period), text.index(period) + len(period)) for period in periods]
    return sorted(text[start:end] for start, end in find_documents_asked(text, spans).steering)


def test_kinds_are_named_in_the_order_of_the_question():
    found = find_documents_asked("according to the 10K and the earnings release", ())
    assert found.forms == ("10-k", "earnings release")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("revenue in the latest 10-K", ["10-K", "latest"]),
        ("in the most recent annual report", ["annual report", "most recent"]),
        ("the rent in the previous signed lease agreement", ["lease agreement", "previous"]),
        ("the latest time of arrival", []),
        ("what the contract says on rent", []),
        ("current assets and the report", []),
    ],
)
def test_edition_words_steer_beside_a_kind_of_document_alone(text, words):
    assert steering(text) == words


def test_a_year_steers_beside_a_kind():
    assert steering("2021 sales in the 2022 10-K", "2021", "2022") == ["10-K", "2022"]
    assert steering("the 10-K for fiscal 2022", "fiscal 2022") == ["10-K", "fiscal 2022"]
