"""Nearness in meaning by the vectors of words."""

import numpy as np
import pytest

from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.word_vectors import TABLE, WORDS, embed_terms, measure_nearness


def nearness(question: str, *texts: str) -> list[float]:
    terms = analyse(question)
    return measure_nearness(embed_terms(map(analyse, texts)), dict.fromkeys(terms, 1 / len(terms))).tolist()


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("What is the boss paid?", "The salary of the chief executive", "The temperature of the reactor"),
        ("Can I bring my dog?", "Pets must be kept on a leash", "Invoices fall due in thirty days"),
        ("How long may I be off sick?", "Illness is certified by a physician", "The roof is made of copper"),
    ],
)
def test_other_words_of_the_same_meaning_are_near(question, near, far):
    assert not set(analyse(question)) & set(analyse(near))
    close, distant = nearness(question, near, far)
    assert close > distant + 0.1


def test_words_without_a_vector_say_nothing():
    assert nearness("Wieviel Urlaubsanspruch besteht?", "Urlaubsanspruch besteht jährlich", "") == [0.0, 0.0]


def test_a_question_is_the_less_near_the_less_of_it_is_known():
    assert nearness("salary xqzt", "wages")[0] < nearness("salary", "wages")[0]


def test_each_word_has_one_row_of_the_table():
    words = WORDS.read_text(encoding="utf-8").split()
    assert len(words) == len(set(words)) == len(np.load(TABLE, mmap_mode="r"))
