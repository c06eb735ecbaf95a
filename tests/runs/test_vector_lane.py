"""A question over embedded documents: one embedding call, the lane in the trace, and what happens without it."""

import json

import pytest

from tests.support.compiled import compiled_document
from tests.support.embedding_server import EmbeddingServer, status
from vectorless_web.api.services import make_token
from vectorless_web.documents import services
from vectorless_web.documents.background import vectors_of
from vectorless_web.documents.models import Document, EmbeddingChoice, VectorFile
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.llm.embedding import unpack_vectors
from vectorless_web.runs import jobs
from vectorless_web.runs.models import ModelCall, Run
from vectorless_web.workspaces.models import Budget
from vectorless_web.workspaces.selectors import OFFLINE
from vectorless_web.workspaces.services.settings import period_start

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("impatient"),
]

QUESTION = "When must lorry drivers take a break?"
SAME = {"hauliers": "drivers", "pause": "break", "shall": "must", "wheel": "lorry"}
HIDDEN = "Hauliers shall pause after four hours at the wheel."
DEPOTS = "".join(f"Lorry {n} stands at depot {n}; its drivers break seals there.\n\n" for n in range(30))
RULES = f"# Rules\n\n## Depots\n\n{DEPOTS}## Conduct\n\nBe kind.\n\n{HIDDEN}\n".encode()


@pytest.fixture
def embedding(httpserver) -> EmbeddingServer:
    made = EmbeddingServer(same=SAME, dimensions=256)
    httpserver.expect_request("/v1/embeddings", method="POST").respond_with_handler(made)
    return made


@pytest.fixture
def report(workspace, alice) -> Document:
    """A document that was really compiled."""
    return compiled_document(workspace, alice, RULES, "rules.md")


@pytest.fixture
def choice(workspace, alice, report, own_model, embedding, work_off) -> EmbeddingChoice:
    """Search by meaning, on, with the document embedded."""
    made = EmbeddingChoice(workspace=workspace, provider=own_model(enabled=False), model="bag", price=100)
    services.choose_embedding(actor=alice, choice=made)
    services.switch_on(actor=alice, choice=made)
    work_off("documents")
    assert VectorFile.objects.get().status == "ready"
    embedding.requests.clear()
    return made


@pytest.fixture
def ask(make_run):
    """Ask and work on it; the run, its search step's observation and its embedding calls."""

    def go(**values):
        run = make_run(**{"question": QUESTION, **values})
        jobs.execute_run(run.pk)
        return Run.objects.get(pk=run.pk)

    return go


def search_of(run: Run) -> dict:
    return run.steps.filter(kind="retrieve").first().observation


def cosines_of(run: Run) -> dict[str, float]:
    tree = open_version(run.versions.get()).tree
    return {tree.node(row["key"]).text: row["cosine"] for row in search_of(run)["passages"]}


def calls_of(run: Run) -> list[ModelCall]:
    return list(run.model_calls.filter(purpose="embedding"))


def test_a_program_asks_all_lanes_at_once_and_says_how_they_are_put_together(client, alice, workspace, choice, report):
    version = report.current_version
    vectors, tree = vectors_of(version), open_version(version).tree
    hidden = next(place for place, key in enumerate(vectors.keys) if tree.node(key).text == HIDDEN)
    _, token = make_token(user=alice, name="lanes", scope="read", days=1)

    def retrieve(values, **more):
        body = {"query": QUESTION, "passages": True, "vector": {"model": "bag", "values": values}, **more}
        place, headers = f"/api/v1/workspaces/{workspace.slug}/retrieve", {"Authorization": f"Bearer {token}"}
        return client.post(place, body, content_type="application/json", headers=headers)

    found = retrieve(vectors.rows[hidden].tolist(), fusion="convex", weights={"vector": 9}).json()
    assert found["items"][0]["key"] == vectors.keys[hidden] and found["items"][0]["lanes"]["vector"] > 0.99
    assert {lane for item in found["items"] for lane in item["lanes"]} == {"vector", "lexical", "structure"}
    own = {"vocabulary": "own", "indices": [4], "values": [1.0]}
    place = f"{report.pk}:{vectors.keys[0]}"
    every = retrieve(vectors.rows[hidden].tolist(), sparse=own, encoded={place: own}, lane_cap=2, adjacency=1).json()
    lanes = {lane for item in every["items"] for lane in item["lanes"]}
    assert lanes == {"vector", "sparse", "lexical", "structure"} and every["candidates_seen"] <= 2 * len(lanes)
    led = {"fusion": "convex", "weights": {"vector": 9}}
    again = retrieve(vectors.rows[hidden].tolist(), rerank="jaccard", limit=25, **led).json()["items"]
    ordered = [item["lanes"]["rerank"] for item in again]
    assert ordered == sorted(ordered, reverse=True) and again[0]["key"] != vectors.keys[hidden] == again[-1]["key"]
    more = {"community": {"expand_seeds": 1}, "expand_first": 1, "limit": 3, **led}
    near = retrieve(vectors.rows[hidden].tolist(), **more).json()["items"]
    assert [item["key"] for item in near[:2]] == [vectors.keys[hidden], vectors.keys[hidden] - 1], "its section's other"
    wrong = retrieve([1.0, 0.0])
    assert (wrong.status_code, b"256" in wrong.content) == (422, True)


def test_a_passage_in_other_words_is_found_and_the_call_is_kept_with_its_cost(ask, choice, embedding):
    run = ask()

    assert (run.status in Run.CONCLUDED, run.engine) == (True, "offline")
    assert cosines_of(run)[HIDDEN] > 0.4
    (call,) = calls_of(run)
    assert (call.model, call.tokens_in, float(call.cost_usd)) == ("bag-of-words-1", 10, 0.001)
    assert embedding.texts == [QUESTION] == [content for _, content in call.prompt]
    assert unpack_vectors(call.reply, count=1).shape == (1, 256)
    told = search_of(run)["vectors"]
    assert (told["model"], told["nodes"]) == ("bag", 32)
    assert (run.tokens, float(run.cost_usd), float(run.steps.get(kind="retrieve").cost_usd)) == (10, 0.001, 0.001)
    assert search_of(ask()) == search_of(run), "the same question over the same vectors says the same"


def test_a_finished_run_replays_identically_without_the_model_until_its_vectors_are_deleted(
    ask, choice, embedding, alice
):
    run = ask()
    embedding.requests.clear()
    found = jobs.find_replay_result(Run.objects.select_related("workspace").get(pk=run.pk))

    assert (found.verdict, found.difference) == ("identical", "")
    assert not embedding.requests

    services.switch_off(actor=alice, choice=choice)
    found = jobs.find_replay_result(Run.objects.select_related("workspace").get(pk=run.pk))

    assert found.verdict == "impossible"
    assert "vectors of Rules have been deleted since" in found.difference


def test_when_the_server_is_away_the_words_answer_and_the_step_and_the_page_say_why(
    ask, choice, embedding, html, alice
):
    embedding.trouble = status(401, "sk-1")
    run = ask()

    assert run.status in Run.CONCLUDED
    assert search_of(run)["vectors"]["note"].startswith("The vector lane was left out.")
    assert not any(cosines_of(run).values())
    assert [bool(call.error_code) for call in calls_of(run)] == [True]
    assert "sk-1" not in json.dumps(search_of(run))
    page = html(alice, f"/w/{run.workspace.slug}/runs/{run.pk}/")
    assert "The vector lane was left out." in page and "sk-1" not in page


def test_a_spent_budget_leaves_the_lane_out(ask, choice, embedding, workspace):
    Budget.objects.create(workspace=workspace, limit_usd="0.0001", period_start=period_start("month"))
    run = ask()
    assert "budget" in search_of(run)["vectors"]["note"]
    assert not embedding.requests and run.cost_usd == 0


def test_a_document_that_has_not_been_embedded_or_whose_file_is_lost_is_searched_by_words(
    ask, choice, embedding, settings
):
    next((settings.MEDIA_ROOT / "vectors").iterdir()).unlink()
    assert "has not been embedded" in search_of(ask())["vectors"]["note"]
    embedding.requests.clear()
    VectorFile.objects.all().delete()
    assert "has not been embedded" in search_of(ask())["vectors"]["note"]
    assert not embedding.requests


def test_nothing_is_sent_for_the_offline_reasoner_alone_or_once_it_is_switched_off(
    ask, choice, embedding, alice, client, workspace
):
    client.force_login(alice)
    assert "no model but for search by meaning" in client.get(f"/w/{workspace.slug}/").content.decode()
    alone = ask(settings={"max_steps": 6, "token_budget": 8000, "answerer": OFFLINE})
    services.switch_off(actor=alice, choice=choice)
    for run in (alone, ask()):
        assert "vectors" not in search_of(run)
        assert not embedding.requests and not calls_of(run)
    assert "no model, no cost" in client.get(f"/w/{workspace.slug}/").content.decode()
