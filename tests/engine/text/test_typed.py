"""A checked answer as a typed value: exact, from what is checked alone, and none where several are stated."""

from decimal import Decimal

import pytest

from vectorless_web.engine.text.typed import CheckedText, TypedValue, ValueKind, type_answer, type_text


@pytest.mark.parametrize(
    ("kind", "text", "number", "unit"),
    [
        ("money", "$1,577 million", "1577000000", "USD"),
        ("money", "1,577 USD million", "1577000000", "USD"),
        ("money", "EUR 12.50", "12.50", "EUR"),
        ("money", "USD 86,000", "86000", "USD"),
        ("money", "86,000 dollars", "86000", "USD"),
        ("money", "a loss of $(3,500) in 2023", "-3500", "USD"),
        ("percent", "11.8%", "11.8", "percent"),
        ("percent", "4.25 per cent a year", "4.25", "percent"),
        ("number", "42 employees as of 31 December 2023", "42", ""),
        ("duration", "thirty (30) days", "30", "day"),
        ("duration", "two years", "2", "year"),
        ("duration", "90 calendar days' notice", "90", "day"),
    ],
)
def test_numbers_are_exact_with_their_unit(kind, text, number, unit):
    assert type_text(ValueKind(kind), text) == TypedValue(ValueKind(kind), Decimal(number), unit)


@pytest.mark.parametrize(
    ("text", "day"), [("on 3 March 2024", "2024-03-03"), ("31.12.2023", "2023-12-31"), ("March 2024", "2024-03")]
)
def test_days_are_iso_dates(text, day):
    assert type_text(ValueKind.DATE, text).text == day


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("date", "03/04/2024"),
        ("date", "soon"),
        ("money", "1,577 million"),
        ("money", "USD 5 or USD 6"),
        ("percent", "eleven"),
        ("yes_no", "It depends."),
        ("duration", "between 20 and 45 minutes"),
    ],
)
def test_what_is_open_cannot_be_typed(kind, text):
    assert type_text(ValueKind(kind), text) is None


def test_the_short_form_counts_only_where_the_checked_sentences_state_it():
    sentence = "Capital expenditure was $1,577 million in 2018, after $1,373 million."
    held = CheckedText("$1,577 million", (sentence,))
    made_up = CheckedText("$1,600 million", (sentence,))

    assert type_answer(ValueKind.MONEY, held).number == 1_577_000_000
    assert type_answer(ValueKind.MONEY, made_up) is None


def test_a_quote_states_no_value_that_the_sentence_does_not():
    sentence = "There is no minimum age: people of all ages can take part."

    assert type_answer(ValueKind.NUMBER, CheckedText("", (sentence,), quotes=("1. Male or female, all ages",))) is None
    assert type_answer(ValueKind.NUMBER, CheckedText("", (), quotes=("Age from 18",))).number == 18


def test_yes_no_and_choices_are_the_answer_s_own_words():
    answer = CheckedText("Yes", ("The tenant may sublet with consent.",))
    law = CheckedText("", ("This lease is governed by the law of New York.",))

    assert type_answer(ValueKind.YES_NO, answer).text == "yes"
    assert type_answer(ValueKind.CHOICE, law, ("England", "New York")).text == "New York"
    assert type_answer(ValueKind.CHOICE, law, ("law", "New York")) is None


def test_a_clause_is_the_quote_and_a_list_its_sentences():
    answer = CheckedText("", ("One.", "Two."), quotes=("The tenant shall pay.",))

    assert type_answer(ValueKind.VERBATIM, answer).text == "The tenant shall pay."
    assert type_answer(ValueKind.LIST, answer).text == "One.\nTwo."
    assert type_answer(ValueKind.TEXT, CheckedText()) is None
