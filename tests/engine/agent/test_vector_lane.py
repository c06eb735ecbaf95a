"""The vector lane in whole runs: vectors of known geometry, set by hand."""

import json

import numpy as np
import pytest

from tests.support.driven_runs import WALKING, answer, step
from tests.support.engine_documents import Shelf, compiled, paragraph, section
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.context.vector_lane import NO_VECTORS, OTHER_LENGTH, SearchEmbedder
from vectorless_web.engine.agent.events import CompleteEvent, StepEvent, StepKind
from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.model.planner import ModelPlanner
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.documents.vectors import open_vectors, write_vectors
from vectorless_web.engine.errors import ArtefactDamaged, ModelBudgetSpent, ModelInvalidReply, ModelUnreachable
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.llm.embedding import Embedded, NoEmbedder, RecordedEmbedder
from vectorless_web.engine.llm.model import Usage

QUESTION = "When must lorry drivers take a break?"
HIDDEN = "Hauliers shall stand still after four hours at the wheel."
"""Shares no word with the question, not even a stem or one of near meaning."""


def rules():
    filler = [paragraph(f"Lorry number {n} belongs to depot {n}; its drivers break seals there.") for n in range(30)]
    return compiled(
        "Rules", section("Depots", *filler), section("Conduct", paragraph("Be kind."), paragraph(HIDDEN, page=1))
    )


def key_of(document, text):
    return next(key for key in document.tree.leaves() if document.tree.node(key).text == text)


class Geometry:
    """Turns everything it is asked for into the direction (0, 1, 0), or raises."""

    name, dimensions = "geometry", 3

    def __init__(self, error=None, vector=(0.0, 2.0, 0.0)):
        self.error, self.vector, self.asked = error, vector, []

    def embed(self, texts):
        self.asked.extend(texts)
        if self.error:
            raise self.error
        return Embedded(np.array([self.vector] * len(texts), np.float32), Usage(7, 0, 0.001), self.name)


class VectorShelf(Shelf):
    """A shelf that has vectors of some documents: the hidden leaf lies where the question lies."""

    stored: dict
    damaged: bool = False

    def vectors(self, document):
        if self.damaged:
            raise ArtefactDamaged("The vector file cannot be read.")
        return self.stored.get(document)


@pytest.fixture
def shelf(tmp_path):
    document = rules()
    keys = document.tree.leaves()
    rows = np.tile([1.0, 0.0, 0.0], (len(keys), 1))
    rows[keys.index(key_of(document, HIDDEN))] = [0.1, 1.0, 0.0]
    path = tmp_path / "rules.vec"
    path.write_bytes(write_vectors(keys, rows, model="geometry", artefact=""))
    made = VectorShelf({"a": document})
    made.stored = {"a": open_vectors(path)}
    return made


class Asked:
    """One run with an embedding model, and what it left behind."""

    def __init__(self, shelf, embedder=None, replies=None, question=QUESTION, stored=()):
        self.records, self.budget = [], ModelBudget(calls=20, tokens=60_000)
        search_embedder = None
        if embedder is not None:
            search_embedder = SearchEmbedder(
                RecordedEmbedder(embedder, budget=self.budget, on_call=self.records.append, stored=stored)
            )
        planner = None
        if replies is not None:
            self.model = ScriptedModel(replies)
            planner = ModelPlanner(Caller(self.model, budget=self.budget), sizes=WALKING)
        walking = Walking(planner=planner, search_embedder=search_embedder, spent=self.budget.sum_spending)
        self.events = list(Orchestrator(walking=walking).run(question, shelf, Limits()))
        found = [e for e in self.events if isinstance(e, StepEvent) and e.kind is StepKind.RETRIEVE]
        self.searches = [e for e in found if e.action != "opening"]
        self.search, self.end = self.searches[0], self.events[-1]
        self.found = {row["key"]: row["lanes"] for row in self.search.observation["items"]}


def told(asked):
    """Everything a run says, without what time and money it took."""
    steps = [e for e in asked.events if isinstance(e, StepEvent)]
    return json.dumps([(s.say, s.arguments, s.observation, s.confidence) for s in steps], default=str)


def test_a_leaf_that_shares_no_word_with_the_question_is_found_by_its_vector(shelf):
    hidden = key_of(shelf.documents["a"], HIDDEN)
    without, with_lane = Asked(shelf), Asked(shelf, Geometry())
    assert hidden not in without.found
    assert with_lane.found[hidden]["vector"] == pytest.approx(0.995, abs=1e-3)
    assert "lexical" not in with_lane.found[hidden]


def test_what_the_lane_found_is_read_next_and_shown_to_the_model(shelf):
    hidden = key_of(shelf.documents["a"], HIDDEN)
    claim = {"text": "After four hours.", "quotes": [{"node": f"a:{hidden}", "quote": HIDDEN}], "calculation": None}
    replies = [step("retrieve", query=QUESTION), step("synthesize"), answer(claim, value="four hours")]
    asked = Asked(shelf, Geometry(), replies)
    assert HIDDEN in asked.model.calls[-1][-1].content
    assert (asked.end.outcome.value, asked.end.value) == ("answered", "four hours")


def test_the_lanes_account_stands_in_the_step_and_its_cost_in_the_call_that_served_it(shelf):
    asked = Asked(shelf, Geometry())
    assert asked.search.observation["vectors"] == {"model": "geometry", "nodes": 32, "dimensions": 3}
    assert [(call.walk, call.index) for call in asked.records] == [(asked.search.walk, asked.search.index)]
    assert (asked.end.tokens, asked.end.cost_usd) == (7, pytest.approx(0.001))


def test_the_question_is_embedded_once_however_many_documents_are_walked(shelf):
    shelf.documents["b"] = rules()
    shelf.stored["b"] = shelf.stored["a"]
    embedder = Geometry()
    asked = Asked(shelf, embedder)
    assert len({step.walk for step in asked.searches}) == 2
    assert len(embedder.asked) == len(asked.records) == 1
    assert asked.records[0].purpose == "embedding"


def test_without_an_embedding_model_nothing_is_said_of_vectors(shelf):
    asked = Asked(shelf)
    assert "vectors" not in asked.search.observation
    assert not any("vector" in lanes for lanes in asked.found.values())
    assert told(asked) == told(Asked(Shelf(shelf.documents)))


def test_equal_vectors_give_equal_bytes(shelf):
    assert told(Asked(shelf, Geometry())) == told(Asked(shelf, Geometry()))


def test_a_stored_run_replays_the_same_without_the_embedding_model(shelf):
    first = Asked(shelf, Geometry())
    again = Asked(shelf, NoEmbedder("geometry"), stored=first.records)
    assert told(again) == told(first)
    assert again.records == first.records and again.end.tokens == first.end.tokens == 7


@pytest.mark.parametrize(
    ("embedder", "note"),
    [
        (Geometry(ModelUnreachable("The server cannot be reached.")), "cannot be reached"),
        (Geometry(ModelBudgetSpent("The budget is spent.")), "budget"),
        (Geometry(ModelInvalidReply("Not finite.")), "Not finite"),
        (Geometry(vector=(1.0, 0.0)), OTHER_LENGTH),
    ],
    ids=["down", "budget", "nonsense", "other length"],
)
def test_whatever_goes_wrong_the_run_goes_on_by_words_and_says_why(shelf, embedder, note):
    asked, plain = Asked(shelf, embedder), Asked(shelf)
    assert note in asked.search.observation["vectors"]["note"]
    assert asked.found == plain.found
    assert isinstance(asked.end, CompleteEvent) and asked.end.outcome == plain.end.outcome
    assert len(embedder.asked) == 1


def test_a_document_without_vectors_is_searched_by_words_and_costs_no_call(shelf):
    shelf.stored = {}
    embedder = Geometry()
    asked = Asked(shelf, embedder)
    assert asked.search.observation["vectors"] == {"model": "geometry", "note": NO_VECTORS}
    assert not embedder.asked


def test_vectors_of_another_model_or_a_damaged_file_count_as_none(shelf):
    other = Geometry()
    other.name = "other"
    assert Asked(shelf, other).search.observation["vectors"]["note"] == NO_VECTORS
    shelf.damaged = True
    assert Asked(shelf, Geometry()).search.observation["vectors"]["note"] == NO_VECTORS
