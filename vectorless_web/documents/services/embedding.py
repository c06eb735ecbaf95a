"""Searching by meaning in a workspace: choosing a model, and embedding one document after the other."""

import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from numpy.typing import NDArray

from vectorless_web.documents.background import current_versions, vector_files_of
from vectorless_web.documents.models import DocumentVersion, EmbeddingChoice, VectorFile
from vectorless_web.documents.services.background import EMBEDDINGS, NO_PAUSE, UNREADABLE, BackgroundWork
from vectorless_web.documents.storage.files import Stored, delete_stored, open_vectors, open_version, store_bytes
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.vectors import LeafText, leaf_texts, write_vectors
from vectorless_web.engine.errors import ArtefactDamaged, ModelError
from vectorless_web.engine.llm.embedding import Embedder, MeteredEmbedder, batches
from vectorless_web.engine.llm.model import clean_name
from vectorless_web.infra.leases import LeaseLost
from vectorless_web.infra.money import MILLION, money
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import WorkspaceCostBudget, delete_and_record, record
from vectorless_web.workspaces.storage import SecretUnreadable

Status = VectorFile.Status


def queue_missing(choice: EmbeddingChoice) -> int:
    """Queue every ready document of the workspace that has no vectors yet; how many."""
    if not choice.enabled:
        return 0
    missing = current_versions(choice.workspace_id).exclude(vector_files__choice=choice).values_list("pk", flat=True)
    rows = [VectorFile(choice=choice, version_id=pk, model=choice.model) for pk in missing]
    VectorFile.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


EMBEDDING = BackgroundWork(
    rule=EMBEDDINGS,
    job="vectorless_web.documents.jobs.embed_version",
    choices=EmbeddingChoice,
    rows_of=vector_files_of,
    queue_missing=queue_missing,
)
want_vectors, resume_embedding = EMBEDDING.want, EMBEDDING.resume

Connect = Callable[[EmbeddingChoice], Embedder]
Known = dict[str, NDArray[np.float32]]
"""Texts with their vectors."""

TURN_SECONDS = 60.0
"""A document that takes longer is put back behind the uploads that wait, with what was embedded kept."""


def embed_version(file_id: int, *, connect: Connect, turn_seconds: float = TURN_SECONDS) -> None:
    """Work on a queued vector file until it is ready, failed or its turn is over. A second delivery exits quietly.

    Trouble pauses the workspace's work and keeps what came: see `BackgroundWork.run`.
    """
    file = _claim(file_id)
    if file is not None:
        EMBEDDING.run(file, lambda: _embed(file, _meter_embedder(file.choice, connect(file.choice)), turn_seconds))


@dataclass(frozen=True, slots=True)
class Carried:
    """The vectors of a version that is compiled again, stored for its new file and named by no row yet."""

    file: VectorFile
    stored: Stored
    is_whole: bool


def carry_vectors(version: DocumentVersion, artefact: str, document: CompiledDocument) -> list[Carried]:
    """Write the vectors of a version for what it is compiled to anew, so that no text is embedded and paid twice.

    Keys may differ between two compilers; texts tell which vector belongs where. To be called
    while the version's row still names what was compiled before, and outside of any transaction.
    """
    if artefact == version.artefact_sha256:
        return []
    carried = []
    for file in VectorFile.objects.filter(version=version).select_related("choice", "version"):
        known = _vectors_in(file, file.choice.max_tokens)
        leaves = list(leaf_texts(document, max_tokens=file.choice.max_tokens))
        there = [leaf for leaf in leaves if leaf.text in known]
        data = write_vectors([leaf.key for leaf in there], _matrix(there, known), model=file.model, artefact=artefact)
        stored = store_bytes(data, f"vectors/{version.sha256}-{secrets.token_hex(8)}.vec")
        carried.append(Carried(file, stored, is_whole=len(there) == len(leaves)))
    return carried


def name_carried(carried: Iterable[Carried]) -> None:
    """Let the rows name the carried vectors, in the transaction that replaces the compiled file; queue what lacks some.

    A worker that embeds such a version at this moment loses its lease: its keys are those of before.
    """
    for row in carried:
        values: dict[str, Any] = {"file": row.stored.name, "sha256": row.stored.sha256}
        if not (row.is_whole and row.file.status == Status.READY):
            values |= EMBEDDINGS.make_requeued_values()
        VectorFile.objects.filter(pk=row.file.pk).update(**values)
        transaction.on_commit(partial(delete_stored, row.file.file))


def _claim(file_id: int) -> VectorFile | None:
    """Take a queued file of a workspace that searches by meaning; None when somebody else has it."""
    token = EMBEDDINGS.claim(file_id, done=0, error_code="", error_message="")
    if token is None:
        return None
    rows = VectorFile.objects.select_related("choice__workspace", "choice__provider", "version__document")
    return rows.filter(pk=file_id, lease=token).first()


def _meter_embedder(choice: EmbeddingChoice, embedder: Embedder) -> Embedder:
    cost_budget = WorkspaceCostBudget(choice.workspace)
    return MeteredEmbedder(embedder, cost_budget=cost_budget, usd_per_token=float(choice.price) / MILLION)


def _embed(file: VectorFile, embedder: Embedder, turn_seconds: float) -> None:
    """Embed what is missing for as long as a turn lasts; what came is kept, no matter what ends it."""
    until = time.monotonic() + turn_seconds
    leaves = list(leaf_texts(open_version(file.version), max_tokens=file.choice.max_tokens))
    known = _kept_vectors(file)
    missing = list(dict.fromkeys(leaf.text for leaf in leaves if leaf.text not in known))
    file.total = len(leaves)
    EMBEDDING.renew(file, done=len(leaves) - len(missing), total=file.total)
    try:
        is_done = _ask(file, embedder, missing, known, until=until)
    except ModelError:
        _store(file, leaves, known)
        raise
    ready = {"status": Status.READY, "done": F("total"), "ready_at": timezone.now(), "lease": ""}
    _store(file, leaves, known, **(ready if is_done else EMBEDDINGS.make_requeued_values()))
    EMBEDDING.end_pause(file.choice.workspace_id)


def _ask(file: VectorFile, embedder: Embedder, texts: list[str], known: Known, *, until: float) -> bool:
    """Add the vectors of the texts to what is known; false when the turn is over before all are there."""
    for batch in batches(texts):
        embedded = embedder.embed(batch)
        known.update(zip(batch, embedded.vectors, strict=True))
        file.tokens += embedded.usage.tokens_in
        file.cost_usd = money(file.cost_usd + money(embedded.usage.cost_usd))
        EMBEDDING.renew(file, done=F("done") + len(batch), tokens=file.tokens, cost_usd=file.cost_usd)
        if time.monotonic() > until:
            break
    return all(text in known for text in texts)


def _store(file: VectorFile, leaves: list[LeafText], known: Known, **values: Any) -> None:
    """Put what is known into a file of its own and name it in the row; LeaseLost leaves nothing behind."""
    there = [leaf for leaf in leaves if leaf.text in known]
    matrix = _matrix(there, known)
    artefact = file.version.artefact_sha256
    data = write_vectors([leaf.key for leaf in there], matrix, model=file.model, artefact=artefact)
    name, digest = store_bytes(data, f"vectors/{file.version.sha256}-{file.lease[:16]}.vec")
    stored = {"file": name, "sha256": digest, "dimensions": matrix.shape[1]}
    if not EMBEDDING.update_held(file, **stored, **values):
        # The row may name it all the same: the news of a write can be lost together with the connection.
        if not VectorFile.objects.filter(file=name).exists():
            delete_stored(name)
        raise LeaseLost
    delete_stored(file.file)
    file.file, file.sha256 = name, digest
    if there:
        EmbeddingChoice.objects.filter(pk=file.choice_id, dimensions=None).update(dimensions=matrix.shape[1])


def _matrix(leaves: list[LeafText], known: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    """One row for each leaf; a document without a passage has none, of a length of 1."""
    return np.stack([known[leaf.text] for leaf in leaves]) if leaves else np.zeros((0, 1), np.float32)


def _kept_vectors(file: VectorFile) -> Known:
    """What an attempt before this one had, and what the document's version before said in the same words."""
    earlier = VectorFile.objects.filter(
        choice=file.choice_id,
        version__document=file.version.document_id,
        version__number__lt=file.version.number,
        status=Status.READY,
    )
    before = earlier.select_related("version").order_by("-version__number").first()
    known = _vectors_in(before, file.choice.max_tokens) if before else {}
    return known | _vectors_in(file, file.choice.max_tokens)


def _vectors_in(file: VectorFile, max_tokens: int) -> Known:
    if not file.file:
        return {}
    try:
        stored = open_vectors(file.file, file.sha256)
        if stored.artefact != file.version.artefact_sha256:
            return {}  # Keys of another reading name other texts.
        rows = dict(zip(stored.keys, stored.rows, strict=True))
        leaves = leaf_texts(open_version(file.version), max_tokens=max_tokens)
        return {leaf.text: rows[leaf.key] for leaf in leaves if leaf.key in rows}
    except ArtefactDamaged:
        return {}


TEST_JOB = "vectorless_web.documents.jobs.try_embedding"
TEST_SECONDS = 120
"""Seconds that the test of an embedding model may take: one short call, with its retries."""
ALIKE = ("The invoice has to be paid within thirty days.", "Payment of the bill is due a month after it was sent.")
UNLIKE = "Penguins breed on the coast of the southern ice."


@dataclass(frozen=True)
class Estimate:
    """What embedding all documents of a workspace would take. Tokens and money are estimates, on what was measured."""

    documents: int
    passages: int
    tokens: int
    cost_usd: float


@transaction.atomic
def choose_embedding(*, actor: User, choice: EmbeddingChoice) -> EmbeddingChoice:
    """Store which model to embed with; Problem while it is on, because vectors of two models do not compare."""
    before = EmbeddingChoice.objects.select_for_update().filter(workspace=choice.workspace_id).first()
    if before is not None and before.enabled:
        raise Problem(
            "Search by meaning is on.",
            remedy="Switch it off before you change its model.",
            code="embedding_is_on",
            status=409,
        )
    if before is None or (before.provider_id, before.model) != (choice.provider_id, choice.model):
        choice.found, choice.dimensions = {}, None
    choice.paused_until, choice.pause_code, choice.pause_message = None, "", ""
    choice.save()
    details = {"model": choice.model, "provider": choice.provider.name}
    record(actor=actor, verb="embedding.chosen", target=choice, details=details)
    return choice


@transaction.atomic
def switch_on(*, actor: User, choice: EmbeddingChoice) -> None:
    """Begin to embed all ready documents, and every document that becomes ready from now on."""
    if EmbeddingChoice.objects.filter(pk=choice.pk, enabled=False).update(enabled=True, **NO_PAUSE):
        choice.refresh_from_db()
        queued = queue_missing(choice)
        EMBEDDING.start_next(choice.workspace_id)
        record(actor=actor, verb="embedding.on", target=choice, details={"documents": queued})


@transaction.atomic
def switch_off(*, actor: User, choice: EmbeddingChoice) -> None:
    """Stop, and delete all stored vectors."""
    if EmbeddingChoice.objects.filter(pk=choice.pk, enabled=True).update(enabled=False, dimensions=None, **NO_PAUSE):
        choice.files.all().delete()
        record(actor=actor, verb="embedding.off", target=choice)


@transaction.atomic
def remove_embedding(*, actor: User, choice: EmbeddingChoice) -> None:
    """Forget the choice, and delete all stored vectors."""
    delete_and_record(choice, actor=actor, verb="embedding.removed")


@transaction.atomic
def retry_embedding(*, actor: User, choice: EmbeddingChoice) -> int:
    """Queue what failed once more and end a pause; how many documents."""
    again = EMBEDDING.retry_failed(choice.files.all(), choice.workspace_id)
    record(actor=actor, verb="embedding.retried", target=choice, details={"documents": again})
    EMBEDDING.start_next(choice.workspace_id)
    return again


@transaction.atomic
def start_embedding_test(*, actor: User, choice: EmbeddingChoice) -> None:
    """Have a worker embed three short texts; what it finds is written to `found`."""
    choice.found = {"testing": True}
    choice.save(update_fields=["found"])
    record(actor=actor, verb="embedding.tested", target=choice)
    job_id = f"embedding-{choice.pk}-{time.time_ns()}"
    jobs.enqueue(TEST_JOB, choice.pk, queue="runs", job_id=job_id, seconds=TEST_SECONDS)


def try_embedding(choice_id: int, *, connect: Connect) -> None:
    """Find out whether the model answers, how fast, how long its vectors are, and whether like texts lie close."""
    choice = EmbeddingChoice.objects.select_related("provider", "workspace").filter(pk=choice_id).first()
    if choice is not None:
        same = EmbeddingChoice.objects.filter(pk=choice_id, provider=choice.provider_id, model=choice.model)
        same.update(found=_test_embedding(choice, connect))


def _test_embedding(choice: EmbeddingChoice, connect: Connect) -> dict[str, Any]:
    started = time.monotonic()
    try:
        embedded = connect(choice).embed([*ALIKE, UNLIKE])
    except ModelError as error:
        return {"works": False, "code": error.code, "message": error.message}
    except SecretUnreadable:
        return {"works": False, "code": "secret_unreadable", "message": UNREADABLE}
    one, two, other = embedded.vectors.astype(np.float64)
    return {
        "works": True,
        "dimensions": int(embedded.vectors.shape[1]),
        "seconds": round(time.monotonic() - started, 2),
        "tells_apart": bool(_cosine(one, two) > max(_cosine(one, other), _cosine(two, other))),
        "counts_tokens": not embedded.usage.estimated,
        "model": clean_name(embedded.model, otherwise=choice.model),
    }


def _cosine(one: Any, two: Any) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(two))
    return float(one @ two) / lengths if lengths else 0.0


def estimate(workspace: Workspace, price: Decimal, seen: Q | None = None) -> Estimate:
    """What it would take to embed every ready document, at `price` US dollars per million tokens.

    `seen` narrows the documents to those that the reader may know of.
    """
    reports = current_versions(workspace.pk).filter(seen or Q()).values_list("report", flat=True)
    sizes = [report.get("embedding", {}) for report in reports]
    passages, tokens = (sum(size.get(name, 0) for size in sizes) for name in ("passages", "tokens"))
    return Estimate(len(sizes), passages, tokens, float(tokens * price / MILLION))
