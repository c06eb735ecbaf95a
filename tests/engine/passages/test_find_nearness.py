"""Which leaves come near a text in meaning, and what is told where that cannot be measured."""

import numpy as np

from vectorless_web.engine.documents.vectors import NodeVectors
from vectorless_web.engine.errors import ArtefactDamaged, ModelUnreachable
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.embedding import Embedded, RecordedEmbedder
from vectorless_web.engine.llm.model import Usage
from vectorless_web.engine.passages.find import NO_VECTORS, OTHER_LENGTH, NearLeaves, NearnessSearch


class Compass:
    """Embeds every text as north, or fails."""

    name, dimensions = "compass", 2

    def __init__(self, error: ModelUnreachable | None = None) -> None:
        self.error, self.asked = error, 0

    def embed(self, texts):
        self.asked += 1
        if self.error is not None:
            raise self.error
        return Embedded(np.array([[1.0, 0.0]] * len(texts)), Usage(1, 0), self.name)


def vectors(*rows: list[float], model: str = "compass") -> NodeVectors:
    return NodeVectors(model, "a", len(rows[0]), tuple(range(1, len(rows) + 1)), np.array(rows, np.float32), "d")


def near(embedder: Compass, *documents: NodeVectors | None, times: int = 1) -> NearLeaves:
    held = {str(number): one for number, one in enumerate(documents)}

    def open_vectors(name: str) -> NodeVectors | None:
        if name == "damaged":
            raise ArtefactDamaged("It is damaged.")
        return held[name]

    search = NearnessSearch(RecordedEmbedder(embedder, budget=ModelBudget(calls=5, tokens=500)), open_vectors)
    for _ in range(times):
        found = search.find("Where is north?", [*held, *([] if all(documents) else ["damaged"])])
    return found


def test_leaves_that_stand_out_from_their_document_are_near():
    found = near(Compass(), vectors([1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.1, 0.99]))
    assert found.cosines == {"0": {1: 1.0, 2: 0.8}}
    assert found.as_observation() == {"vectors": {"model": "compass", "nodes": 4}}


def test_documents_without_fitting_vectors_are_named_and_the_others_searched():
    found = near(Compass(), vectors([1.0, 0.0], [0.0, 1.0]), None, vectors([1.0, 0.0], model="another"))
    assert (list(found.cosines), found.account["note"]) == (["0"], NO_VECTORS)
    assert near(Compass(), vectors([1.0, 0.0, 0.0])).account["note"] == OTHER_LENGTH


def test_a_call_that_failed_is_told_and_not_made_again():
    embedder = Compass(ModelUnreachable("The server is away."))
    found = near(embedder, vectors([1.0, 0.0]), times=2)
    assert (found.cosines, embedder.asked) == ({}, 1)
    assert found.account["note"] == "The vector lane was left out. The server is away."
