"""The embeddings client over real HTTP, against a server on this machine that really computes vectors."""

import json
import logging
from decimal import Decimal

import numpy as np
import pytest
from werkzeug import Response

from tests.support.embedding_server import EmbeddingServer, status
from vectorless_web.engine.errors import (
    ModelAuth,
    ModelInvalidReply,
)
from vectorless_web.engine.llm.embedding import BATCH_TEXTS, batches
from vectorless_web.providers.connections import Endpoint
from vectorless_web.providers.openai_chat import OpenAIEmbeddings

KEY = "sk-secret-0123456789"


@pytest.fixture
def server(httpserver) -> EmbeddingServer:
    made = EmbeddingServer()
    httpserver.expect_request("/v1/embeddings", method="POST").respond_with_handler(made)
    return made


@pytest.fixture
def embedder(httpserver):
    def make(dimensions=None, **values) -> OpenAIEmbeddings:
        settings = {"seconds": 2.0, "retries": 0, **values}
        return OpenAIEmbeddings(Endpoint(httpserver.url_for("/v1"), "bag", KEY, **settings), dimensions=dimensions)

    return make


def test_the_request_carries_key_and_model_and_texts_become_vectors_in_their_order(embedder, server, httpserver):
    embedded = embedder(price_in=Decimal("0.50")).embed(["red apples", "blue seas"])

    assert httpserver.log[0][0].headers["Authorization"] == f"Bearer {KEY}"
    assert server.requests == [{"model": "bag", "input": ["red apples", "blue seas"], "encoding_format": "float"}]
    assert np.allclose(embedded.vectors, [server.vector("red apples"), server.vector("blue seas")])
    assert (embedded.model, embedded.usage.tokens_in, embedded.usage.estimated) == ("bag-of-words-1", 20, False)
    assert embedded.usage.cost_usd == pytest.approx(0.00001)


def test_many_texts_go_out_in_batches_and_come_back_in_order(embedder, server):
    texts = [f"word{number}" for number in range(2 * BATCH_TEXTS + 1)]

    embedded = embedder().embed(texts)

    assert [len(body["input"]) for body in server.requests] == [BATCH_TEXTS, BATCH_TEXTS, 1]
    assert np.allclose(embedded.vectors, [server.vector(text) for text in texts])
    assert embedded.usage.tokens_in == 10 * len(texts)


def test_batches_are_limited_by_tokens_too_but_hold_one_text_at_least():
    texts = ["a" * 300, "b" * 300, "c" * 3000, "d"]
    assert [len(batch) for batch in batches(texts, count=10, tokens=250)] == [2, 1, 1]
    assert list(batches([])) == []


def test_tokens_are_estimated_and_vectors_put_back_in_order(embedder, server):
    server.trouble = lambda request: server.answer(json.loads(request.data)["input"], usage=None)
    usage = embedder(price_in=Decimal(1)).embed(["abcdefgh"]).usage
    assert (usage.tokens_in, usage.estimated, usage.cost_usd) == (2, True, pytest.approx(0.000002))

    def shuffled(request):
        texts = json.loads(request.data)["input"]
        rows = [{"index": place, "embedding": server.vector(text)} for place, text in enumerate(texts)]
        return server.answer(texts, data=rows[::-1])

    server.trouble = shuffled
    assert np.allclose(embedder().embed(["red", "blue"]).vectors, [server.vector("red"), server.vector("blue")])


def rows(*vectors):
    return {"data": [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]}


@pytest.mark.parametrize(
    "body",
    [
        rows([1.0, 2.0]),
        rows([1.0], [1.0], [1.0]),
        rows([1.0, 2.0], [1.0]),
        rows([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]),
        rows([float("nan"), 1.0], [1.0, 1.0]),
        rows([float("inf"), 1.0], [1.0, 1.0]),
        rows([None, 1.0], [1.0, 1.0]),
        rows("AACAPwAAAEA=", "AACAPwAAAEA="),
        {"data": [{"index": 0, "embedding": [1, 2]}, {"index": 0, "embedding": [1, 2]}]},
        {"data": [{"index": [], "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2]}]},
        {"data": [{"index": 0}, {"index": 1}]},
        {"data": [1, 2]},
        {"data": None},
        {"object": "error"},
        [],
        "text",
    ],
    ids=["too few", "too many", "uneven", "other length", "NaN", "infinite", "null", "packed", "twice", "odd index",
         "no vectors", "numbers", "nothing", "error", "list", "string"],
)  # fmt: skip
def test_a_reply_that_is_no_vector_for_each_text_is_invalid(embedder, server, body):
    server.trouble = lambda _request: Response(json.dumps(body), content_type="application/json")
    with pytest.raises(ModelInvalidReply):
        embedder(dimensions=2).embed(["one", "two"])


def test_a_model_that_changes_its_length_is_refused(embedder, server):
    model = embedder()
    model.embed(["one"])
    assert model.dimensions == server.dimensions
    server.dimensions = 32
    with pytest.raises(ModelInvalidReply):
        model.embed(["one"])


def test_the_key_and_the_texts_stand_in_no_log(embedder, server, caplog):
    caplog.set_level(logging.INFO)
    embedder().embed(["secret plans"])
    server.trouble = status(401, KEY)
    with pytest.raises(ModelAuth):
        embedder().embed(["secret plans"])
    assert KEY not in caplog.text and "secret plans" not in caplog.text
