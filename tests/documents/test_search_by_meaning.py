"""Search by meaning: chosen, estimated, switched on, embedded by a worker, paused, retried, switched off."""

import time
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from django.utils import timezone

from tests.documents.test_repair import written_by
from tests.support.compiled import compile_here
from tests.support.embedding_server import EmbeddingServer, status
from tests.support.page_text import visible_text
from vectorless_web import wiring
from vectorless_web.documents import services
from vectorless_web.documents.background import embedding_in_use, embedding_progress_of, embedding_settings, vectors_of
from vectorless_web.documents.models import Document, EmbeddingChoice, VectorFile
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.documents.services.embedding import retry_embedding
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.vectors import leaf_texts
from vectorless_web.infra.templatetags.show import money
from vectorless_web.workspaces.models import AuditEvent, Budget, ModelProvider
from vectorless_web.workspaces.services import allow_host, forbid_host
from vectorless_web.workspaces.services.settings import period_start
from vectorless_web.workspaces.storage import encrypt

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("impatient")]

KEY = "sk-secret-0123456789"
RULES = b"# Rules\n\n## Rest\n\nHauliers pause after four hours.\n\n## Pay\n\nWages are paid on Fridays.\n"
LATER = RULES.replace(b"Fridays", b"Mondays")
MEANING = "models/meaning/"


@pytest.fixture
def embedding(httpserver) -> EmbeddingServer:
    made = EmbeddingServer()
    httpserver.expect_request("/v1/embeddings", method="POST").respond_with_handler(made)
    return made


@pytest.fixture
def provider(own_model, embedding) -> ModelProvider:
    return own_model(enabled=False, encrypted_key=encrypt(KEY))


@pytest.fixture
def shown(see, alice):
    """What the page says to Alice, without marks."""
    return lambda: visible_text(see(alice, MEANING).content.decode())


@pytest.fixture
def chosen(act, alice, provider, workspace) -> EmbeddingChoice:
    values = {"provider": provider.pk, "model": "bag", "price": "20", "max_tokens": 500}
    assert act(alice, f"{MEANING}choose/", **values).status_code == 302
    return EmbeddingChoice.objects.get(workspace=workspace)


@pytest.fixture
def read(ready):
    """Add a file and read it in this process."""
    return lambda content=RULES, name="rules.md": ready(content, name)


@pytest.fixture
def switched_on(act, alice, chosen, work_off):
    """Switch on and work off what follows from it."""

    def on() -> EmbeddingChoice:
        assert act(alice, f"{MEANING}on/").status_code == 302
        work_off("documents")
        chosen.refresh_from_db()
        return chosen

    return on


def file_of(document: Document) -> VectorFile:
    return VectorFile.objects.get(version=document.current_version)


def stored_files(settings) -> list[Path]:
    return sorted((Path(settings.MEDIA_ROOT) / "vectors").glob("*"))


def test_before_it_is_switched_on_the_page_tells_tokens_price_and_where_text_goes(
    read, chosen, shown, provider, embedding
):
    size = read().current_version.report["embedding"]
    text = shown()
    assert f"1 document with {size['passages']} passages would be embedded: about {size['tokens']} tokens" in text
    assert f"about {money(size['tokens'] * 20 / 1_000_000)}." in text
    assert f"is sent to {provider.base_url}" in text
    assert not embedding.requests


def test_switching_on_embeds_every_ready_document_into_one_file_each(read, switched_on, embedding, settings):
    document, other = read(), read(LATER + b"\nMore.\n", "later.md")
    switched_on()
    file = file_of(document)
    assert (file.status, file.model, file.dimensions, file.done, file.total) == ("ready", "bag", 64, 2, 2)
    assert (file.tokens, file.cost_usd) == (20, Decimal("0.0004"))
    assert len(stored_files(settings)) == 2
    leaves = list(leaf_texts(open_version(document.current_version)))
    vectors = vectors_of(document.current_version)
    assert vectors.keys == tuple(leaf.key for leaf in leaves)
    assert np.allclose(vectors.rows, [embedding.vector(leaf.text) for leaf in leaves], atol=1e-6)
    assert vectors_of(other.current_version).digest != vectors.digest


def test_passages_that_a_new_version_keeps_are_not_embedded_again(read, switched_on, work_off, embedding, revise):
    document = read()
    switched_on()
    embedding.requests.clear()
    revise(document, LATER, "rules.md")
    work_off("documents")
    assert [text.splitlines()[-1] for text in embedding.texts] == ["Wages are paid on Mondays."]
    document = Document.objects.get(pk=document.pk)
    assert vectors_of(document.current_version).rows.shape == (2, 64)


@pytest.mark.parametrize(
    ("trouble", "code"),
    [(status(401, KEY), "provider_auth"), (lambda _request: time.sleep(1.2), "provider_timeout")],
    ids=["401", "slow"],
)
def test_trouble_with_the_server_pauses_and_loses_nothing(
    read, switched_on, shown, act, alice, work_off, embedding, trouble, code
):
    document = read()
    embedding.trouble = trouble
    choice = switched_on()
    assert (file_of(document).status, choice.pause_code) == ("queued", code)
    assert choice.paused_until > timezone.now()
    assert "Embedding is paused." in shown() and KEY not in shown()

    embedding.trouble = lambda _request: None
    assert services.resume_embedding() == 0
    work_off("documents")
    assert file_of(document).status == "queued", "the server is spared until the pause is over"
    act(alice, f"{MEANING}retry/")
    work_off("documents")
    choice.refresh_from_db()
    assert (file_of(document).status, choice.pause_code) == ("ready", "")


def test_what_came_before_trouble_is_kept_and_not_paid_for_again(read, switched_on, act, alice, work_off, embedding):
    document = read(b"# Long\n\n" + b"".join(b"Paragraph number %d speaks of itself.\n\n" % n for n in range(70)))
    answers = iter([None, None, status(500)(None)])
    embedding.trouble = lambda _request: next(answers)
    switched_on()
    file = file_of(document)
    assert (file.status, file.tokens, file.done) == ("queued", 640, 64)
    assert vectors_of(document.current_version) is None
    embedding.requests.clear()
    embedding.trouble = lambda _request: None
    act(alice, f"{MEANING}retry/")
    work_off("documents")
    file.refresh_from_db()
    assert (file.status, file.tokens, file.done) == ("ready", 700, 70)
    assert len(embedding.texts) == 6
    assert vectors_of(document.current_version).rows.shape == (70, 64)


def test_a_senseless_reply_fails_the_document_and_the_next_one_is_begun(
    read, switched_on, shown, act, alice, work_off, embedding
):
    document, other = read(), read(LATER, "later.md")
    data = [{"index": place, "embedding": [float("nan")] * 64} for place in range(2)]
    answers = iter([embedding.answer([], data=data)])
    embedding.trouble = lambda _request: next(answers, None)
    switched_on()
    assert (file_of(document).status, file_of(document).error_code) == ("failed", "provider_invalid_response")
    assert file_of(other).status == "ready"
    assert "1 failed" in shown()
    act(alice, f"{MEANING}retry/")
    work_off("documents")
    assert file_of(document).status == "ready"


def test_embedding_is_paid_from_the_budget_and_waits_when_it_is_spent(read, switched_on, workspace, embedding):
    document = read()
    budget = Budget.objects.create(workspace=workspace, limit_usd="0.0001", period_start=period_start("month"))
    choice = switched_on()
    assert (file_of(document).status, choice.pause_code) == ("queued", "budget_exceeded")
    assert not embedding.requests
    budget.limit_usd = 1
    budget.save()
    EmbeddingChoice.objects.update(paused_until=None)
    services.resume_embedding()
    services.embed_version(file_of(document).pk, connect=_wired)
    budget.refresh_from_db()
    assert (budget.spent_usd, budget.reserved_usd) == (Decimal("0.0004"), 0)


def _wired(choice):
    return wiring.embedder(embedding_settings(choice))


def test_switching_off_stops_it_and_deletes_rows_and_files(read, switched_on, act, alice, settings, workspace):
    document = read()
    choice = switched_on()
    assert act(alice, f"{MEANING}off/").status_code == 302
    assert not VectorFile.objects.exists() and stored_files(settings) == []
    assert vectors_of(document.current_version) is None
    choice.refresh_from_db()
    assert (choice.enabled, choice.dimensions) == (False, None)
    verbs = list(AuditEvent.objects.filter(workspace=workspace, verb__startswith="embedding").values_list("verb"))
    assert verbs[::-1] == [("embedding.chosen",), ("embedding.on",), ("embedding.off",)]


def test_a_file_whose_worker_died_is_queued_again_and_the_dead_one_writes_no_more(read, act, alice, chosen, embedding):
    document = read()
    act(alice, f"{MEANING}on/")
    file = file_of(document)

    def taken_over(_request):
        held = VectorFile.objects.filter(pk=file.pk)
        held.update(heartbeat_at=timezone.now() - timedelta(hours=1))
        assert services.resume_embedding() == 1

    embedding.trouble = taken_over
    services.embed_version(file.pk, connect=_wired)
    file.refresh_from_db()
    assert (file.status, file.attempt, file.file) == ("queued", 2, "")
    embedding.trouble = lambda _request: None
    services.embed_version(file.pk, connect=_wired)
    file.refresh_from_db()
    assert file.status == "ready"


def test_removing_forgets_everything_and_so_does_the_end_of_the_model_it_was_reached_at(
    read, switched_on, act, see, alice, settings, provider
):
    read()
    switched_on()
    act(alice, f"{MEANING}remove/")
    assert not EmbeddingChoice.objects.exists() and stored_files(settings) == []
    act(alice, f"{MEANING}choose/", provider=provider.pk, model="bag", price="0", max_tokens=500)
    switched = EmbeddingChoice.objects.get()
    act(alice, f"{MEANING}on/")
    services.embed_version(switched.files.get().pk, connect=_wired)
    assert len(stored_files(settings)) == 1
    assert "Search by meaning in Acme diligence uses its address and key." in see(alice, "models/").content.decode()
    assert act(alice, f"models/{provider.pk}/remove/").status_code == 409
    provider.delete()
    assert not EmbeddingChoice.objects.exists() and stored_files(settings) == []


def test_a_document_that_another_compiler_reads_again_keeps_its_vectors(read, switched_on, work_off, embedding):
    version = read().current_version
    written_by(version, "1")
    switched_on()
    before, asked = vectors_of(version), len(embedding.requests)
    services.queue_outdated()
    compile_version(version.pk, compile_with=compile_here)
    work_off("documents")
    old_sha256, version = version.artefact_sha256, type(version).objects.get(pk=version.pk)
    after = vectors_of(version)
    assert version.artefact_sha256 != old_sha256
    assert (after.artefact, after.keys) == (version.artefact_sha256, before.keys)
    assert np.array_equal(after.rows, before.rows)
    assert len(embedding.requests) == asked, "nothing is embedded and paid twice"


def test_a_form_that_makes_no_sense_is_shown_again(act, alice, provider):
    wrong = {"price": "-1", "max_tokens": 1, "model": " ", "provider": 999}
    answer = act(alice, f"{MEANING}choose/", **wrong)
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == set(wrong)
    assert not EmbeddingChoice.objects.exists()


def test_another_model_is_not_chosen_while_it_is_on(act, alice, switched_on, provider):
    switched_on()
    values = {"provider": provider.pk, "model": "other", "price": "20", "max_tokens": 500}
    assert act(alice, f"{MEANING}choose/", **values).status_code == 409
    assert EmbeddingChoice.objects.get().model == "bag"


def test_trying_it_tells_length_and_closeness_and_no_key(act, alice, chosen, shown, work_off, embedding):
    embedding.same = {"payment": "paid", "bill": "invoice", "month": "days", "due": "to"}
    assert act(alice, f"{MEANING}test/").status_code == 302
    assert "Being tried" in shown()
    work_off("runs")
    assert "vectors of 64 numbers, tells similar sentences from different ones" in shown()
    embedding.trouble = lambda _request: embedding.answer(["same"] * 3)
    act(alice, f"{MEANING}test/")
    work_off("runs")
    assert "does not tell similar sentences apart" in shown()

    embedding.trouble = status(401, KEY)
    act(alice, f"{MEANING}test/")
    work_off("runs")
    assert "provider_auth" in shown() and KEY not in shown()


def test_a_private_address_is_not_reached_once_the_operator_forbids_them(
    read, switched_on, settings, embedding, httpserver
):
    settings.ALLOW_PRIVATE_MODEL_HOSTS = False
    read()
    assert switched_on().pause_code == "network_error"
    assert not httpserver.log


def test_a_deleted_document_is_not_embedded_until_it_comes_back(read, act, alice, chosen, work_off, embedding):
    document = read()
    services.delete_document(actor=alice, document=document)
    act(alice, f"{MEANING}on/")
    work_off("documents")
    assert not embedding.requests and embedding_progress_of(chosen).documents == 0
    services.restore_document(actor=alice, document=Document.objects.get(pk=document.pk))
    services.resume_embedding()
    work_off("documents")
    assert file_of(document).status == "ready"


def test_at_a_host_that_administrators_do_not_name_an_earlier_choice_is_asked_no_more(
    read, switched_on, embedding, shown, workspace, admin_user, work_off
):
    read()
    choice = switched_on()
    asked = len(embedding.requests)
    host = allow_host(actor=admin_user, host="models.example.com")
    read(LATER, "later.md")
    work_off("documents")
    assert len(embedding.requests) == asked
    assert embedding_in_use(workspace) is None
    assert "allow no models at" in shown()
    forbid_host(actor=admin_user, row=host)
    retry_embedding(actor=admin_user, choice=choice)
    work_off("documents")
    assert embedding_in_use(workspace) is not None
    assert len(embedding.requests) > asked
