"""Nearness in meaning on behalf of one run: recorded, answered again from what is stored, parted among walks."""

import json

import pytest

from vectorless_web.engine.errors import ModelInvalidReply, ModelUnreachable
from vectorless_web.engine.llm.embedding import (
    LEAST_TEXTS,
    NEARNESS_PURPOSE,
    NoNearness,
    RecordedNearness,
    nearness_hash,
    unpack_shares,
)
from vectorless_web.engine.llm.model import serve_place

TEXTS = ["The gate opens at six.", "Dogs stay outside."]


class Shares:
    """Gives fixed shares, or raises."""

    name = "fixed"

    def __init__(self, *shares, error=None):
        self.shares, self.error, self.asked = shares, error, []

    def measure(self, question, texts):
        self.asked.append((question, list(texts)))
        if self.error:
            raise self.error
        return list(self.shares)[: len(texts)]


def test_what_was_measured_is_recorded_for_the_step_it_served_and_costs_nothing():
    records = []
    with serve_place(2, 3):
        found = RecordedNearness(Shares(0.123456, 1.0), on_call=records.append).measure("When?", TEXTS)
    (record,) = records
    assert found == [0.1235, 1.0] == json.loads(record.reply)["shares"]
    assert (record.purpose, record.walk, record.index) == (NEARNESS_PURPOSE, 2, 3)
    assert (record.tokens_in, record.tokens_out, record.cost_usd, record.error_code) == (0, 0, 0.0, "")
    assert record.request_hash == nearness_hash("fixed", "When?", TEXTS)


def test_a_stored_measurement_answers_without_the_model():
    records = []
    first = RecordedNearness(Shares(0.5, None), on_call=records.append).measure("When?", TEXTS)
    again = RecordedNearness(NoNearness("fixed"), stored=records).measure("When?", TEXTS)
    assert first == again == [0.5, None]


def test_a_measurement_that_failed_fails_again_with_its_words():
    records = []
    model = Shares(error=ModelUnreachable("It is not there."))
    with pytest.raises(ModelUnreachable):
        RecordedNearness(model, on_call=records.append).measure("When?", TEXTS)
    with pytest.raises(ModelUnreachable, match="It is not there"):
        RecordedNearness(NoNearness("fixed"), stored=records).measure("When?", TEXTS)


def test_what_was_not_stored_is_not_made_up():
    with pytest.raises(ModelUnreachable):
        RecordedNearness(NoNearness("fixed")).measure("When?", TEXTS)


@pytest.mark.parametrize("reply", ["", "{}", '{"shares": [1]}', '{"shares": [1, 2]}', '{"shares": [1, "x"]}', "[]"])
def test_a_stored_reply_that_is_none_is_refused(reply):
    with pytest.raises(ModelInvalidReply):
        unpack_shares(reply, count=2)


def test_a_lane_measures_sentences_below_their_headings_and_no_more_than_its_part():
    model = Shares(*[0.5] * 30)
    lane = RecordedNearness(model, most=16).lane(2)
    texts = [f"Text {number} says {'much ' * 29}of it." for number in range(30)]
    lane.measure("When?", dict.fromkeys(texts, "Gates"))
    assert model.asked == [("When?", [f"Gates: {text}" for text in texts[:8]])]
    assert lane.shares == dict.fromkeys(texts[:8], 0.5)
    assert lane.account() == {"model": "fixed", "sentences": 8, "offered": 30}
    assert RecordedNearness(model, most=16).lane(9).most == LEAST_TEXTS


def test_more_texts_are_measured_when_they_are_short():
    model = Shares(*[0.5] * 30)
    RecordedNearness(model, most=4).lane(1).measure("When?", {f"Field: {number}": "" for number in range(30)})
    assert [len(texts) for _, texts in model.asked] == [12]


def test_fewer_texts_are_measured_when_they_are_long_but_more_than_half():
    model = Shares(*[0.5] * 30)
    lane = RecordedNearness(model).lane(1)
    for length in (150, 230, 5000):
        lane.measure("When?", {f"{number} {'x' * length}": "" for number in range(30)})
    assert [len(texts) for _, texts in model.asked] == [9, 6, 5]


def test_a_part_of_a_question_is_measured_by_itself_and_leaves_the_shares_of_the_whole():
    model = Shares(*[0.5] * 30)
    lane = RecordedNearness(model, most=4).lane(1)
    lane.measure("Who pays, and when?", {"The tenant pays.": ""})
    assert lane.measure_part("when", {"Rent falls due on 1 May.": "Rent"}) == {"Rent falls due on 1 May.": 0.5}
    assert model.asked[-1] == ("when", ["Rent: Rent falls due on 1 May."])
    assert lane.shares == {"The tenant pays.": 0.5}


def test_texts_that_time_did_not_cover_have_no_share():
    lane = RecordedNearness(Shares(0.5, None)).lane(1)
    lane.measure("When?", dict.fromkeys(TEXTS, ""))
    assert lane.shares == {TEXTS[0]: 0.5}


def test_a_lane_whose_model_fails_says_so_and_holds_nothing():
    lane = RecordedNearness(Shares(error=ModelUnreachable("It is not there."))).lane(1)
    assert lane.account() == {}
    lane.measure("When?", dict.fromkeys(TEXTS, ""))
    assert lane.shares == {}
    assert lane.account()["note"] == "The local model of meaning was left out. It is not there."


def test_a_document_without_a_sentence_asks_nothing():
    model = Shares(0.5)
    lane = RecordedNearness(model).lane(1)
    lane.measure("When?", {})
    assert (model.asked, lane.account()["sentences"]) == ([], 0)
