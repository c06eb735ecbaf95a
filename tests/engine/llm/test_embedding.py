"""Embedding calls: checked, paid for, recorded, replayed bit for bit."""

import math
from dataclasses import replace

import numpy as np
import pytest

from vectorless_web.engine.errors import ModelAuth, ModelBudgetSpent, ModelInvalidReply, ModelUnreachable
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.embedding import Embedded, MeteredEmbedder, NoEmbedder, RecordedEmbedder, check_vectors
from vectorless_web.engine.llm.model import Usage


class FixedEmbedder:
    """Gives every text the vector of its length, or raises."""

    name, dimensions = "tiny", 3

    def __init__(self, error=None):
        self.error, self.asked = error, []

    def embed(self, texts):
        self.asked.append(list(texts))
        if self.error:
            raise self.error
        rows = [[len(text), 1 / 3, -0.1] for text in texts]
        return Embedded(np.array(rows, np.float32), Usage(10 * len(texts), 0, 0.5), "tiny-2026")


class CountedBudget:
    def __init__(self, usd):
        self.left, self.booked = usd, []

    def reserve(self, usd):
        return usd <= self.left

    def settle(self, reserved_usd, spent_usd):
        self.booked.append((reserved_usd, spent_usd))


def test_good_rows_become_float32():
    vectors = check_vectors([[1, 2.5], [0, -1]], count=2, dimensions=2)
    assert vectors.dtype == np.float32 and vectors.tolist() == [[1, 2.5], [0, -1]]


@pytest.mark.parametrize(
    ("rows", "dimensions"),
    [
        ([[1.0, 2.0]], None),
        ([[1.0], [2.0], [3.0]], None),
        ([[1.0, 2.0], [1.0]], None),
        ([[1.0, 2.0], [1.0, 2.0]], 3),
        ([[], []], None),
        ([[1.0, math.nan], [1.0, 2.0]], None),
        ([[1.0, math.inf], [1.0, 2.0]], None),
        ([[1.0, 1e300], [1.0, 2.0]], None),
        ([[1.0, None], [1.0, 2.0]], None),
        ([["a", "b"], ["c", "d"]], None),
        ([{"a": 1}, {"b": 2}], None),
        ([None, None], None),
        ([1.0, 2.0], None),
        ([[0.0] * 20_000] * 2, None),
    ],
    ids=["too few", "too many", "uneven", "other length", "empty", "NaN", "infinite", "beyond float32", "null",
         "words", "objects", "nothing", "flat", "huge"],
)  # fmt: skip
def test_anything_else_is_an_invalid_reply(rows, dimensions):
    with pytest.raises(ModelInvalidReply):
        check_vectors(rows, count=2, dimensions=dimensions)


def test_a_call_that_the_purse_does_not_cover_is_not_made():
    embedder = FixedEmbedder()
    with pytest.raises(ModelBudgetSpent):
        MeteredEmbedder(embedder, cost_budget=CountedBudget(0.1), usd_per_token=1.0).embed(["a long text"])
    assert not embedder.asked


def test_a_call_is_settled_at_what_it_cost_and_a_failed_one_at_nothing():
    cost_budget = CountedBudget(100)
    MeteredEmbedder(FixedEmbedder(), cost_budget=cost_budget, usd_per_token=1.0).embed(["abcdef"])
    with pytest.raises(ModelAuth):
        MeteredEmbedder(FixedEmbedder(ModelAuth("no")), cost_budget=cost_budget, usd_per_token=1.0).embed(["abcdef"])
    assert cost_budget.booked == [(2.0, 0.5), (2.0, 0.0)]


def recorded(embedder, **limits):
    records = []
    budget = ModelBudget(**{"calls": 5, "tokens": 1000, **limits})
    return RecordedEmbedder(embedder, budget=budget, on_call=records.append), records, budget


def test_a_call_is_recorded_with_purpose_cost_and_vectors():
    embedder, records, budget = recorded(FixedEmbedder())
    embedder.embed(["question"])
    (record,) = records
    assert (record.purpose, record.model, record.tokens_in, record.cost_usd) == ("embedding", "tiny-2026", 10, 0.5)
    assert record.messages[0].content == "question"
    assert budget.sum_spending() == Usage(10, 0, 0.5)


def test_a_run_without_calls_left_embeds_nothing():
    inner = FixedEmbedder()
    embedder, records, _ = recorded(inner, calls=0)
    with pytest.raises(ModelBudgetSpent):
        embedder.embed(["question"])
    assert not inner.asked
    assert [record.error_code for record in records] == ["budget_exceeded"]


def again(records, embedder=None, **limits):
    """The same run once more over its stored calls."""
    kept = []
    budget = ModelBudget(**{"calls": 5, "tokens": 1000, **limits})
    made = RecordedEmbedder(embedder or NoEmbedder("tiny"), budget=budget, on_call=kept.append, stored=records)
    return made, kept, budget


def test_stored_vectors_answer_again_bit_for_bit_without_a_model():
    embedder, records, _ = recorded(FixedEmbedder())
    first = embedder.embed(["question"])
    replay, kept, budget = again(records, tokens=0)
    second = replay.embed(["question"])
    assert second.vectors.tobytes() == first.vectors.tobytes()
    assert (second.usage, second.model) == (first.usage, first.model)
    assert kept == records and budget.sum_spending() == Usage(10, 0, 0.5)


def test_a_stored_error_is_raised_again_and_an_unknown_text_is_unreachable():
    embedder, records, _ = recorded(FixedEmbedder(ModelAuth("The key is refused.")))
    with pytest.raises(ModelAuth):
        embedder.embed(["question"])
    replay, _, _ = again(records)
    with pytest.raises(ModelAuth, match=r"The key is refused\."):
        replay.embed(["question"])
    with pytest.raises(ModelUnreachable):
        replay.embed(["another"])


def test_what_was_not_stored_goes_to_the_live_model():
    live = FixedEmbedder()
    again([], live)[0].embed(["new"])
    assert live.asked == [["new"]]


def test_a_stored_vector_that_was_tampered_with_is_an_invalid_reply():
    embedder, records, _ = recorded(FixedEmbedder())
    embedder.embed(["question"])
    for reply in ("", "{}", '{"dimensions": 2, "float32": "AAAA"}', '{"dimensions": "x", "float32": "%"}'):
        with pytest.raises(ModelInvalidReply):
            again([replace(records[0], reply=reply)])[0].embed(["question"])
