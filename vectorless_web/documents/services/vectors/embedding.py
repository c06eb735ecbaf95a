"""Embedding one document version: claimed, fenced and ended by conditional updates, paid from a budget."""

import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from numpy.typing import NDArray

from vectorless_web.documents.models import DocumentVersion, EmbeddingChoice, VectorFile
from vectorless_web.documents.services.leases import EMBEDDINGS, embedding_lease
from vectorless_web.documents.services.vectors.queue import start_next
from vectorless_web.documents.storage.files import delete_stored, open_vectors, open_version, store_vectors
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.vectors import LeafText, leaf_texts, write_vectors
from vectorless_web.engine.errors import ArtefactDamaged, EngineError, ModelError, ModelInvalidReply
from vectorless_web.engine.llm.embedding import Embedder, MeteredEmbedder, batches
from vectorless_web.infra.leases import LeaseLost
from vectorless_web.infra.money import MILLION, money
from vectorless_web.infra.outages import outage_of, retry_through_outage
from vectorless_web.workspaces.services import WorkspaceCostBudget
from vectorless_web.workspaces.storage import SecretUnreadable

Status = VectorFile.Status
Connect = Callable[[EmbeddingChoice], Embedder]
Known = dict[str, NDArray[np.float32]]
"""Texts with their vectors."""

logger = logging.getLogger(__name__)

SOON, LATER = timedelta(minutes=1), timedelta(minutes=15)
"""When a server is asked again: after trouble that passes by itself, after any other."""
TURN_SECONDS = 60.0
"""A document that takes longer is put back behind the uploads that wait, with what was embedded kept."""
INTERNAL = "Something went wrong inside the program; the log has the details. Try again."
UNREADABLE = "The key was stored under another encryption key and cannot be read. Type it again under Models."


def embed_version(file_id: int, *, connect: Connect, turn_seconds: float = TURN_SECONDS) -> None:
    """Work on a queued vector file until it is ready, failed or its turn is over. A second delivery exits quietly.

    Trouble with the server, a refused key, a spent budget or an outage of our own pauses the workspace's
    embedding and gives the file back to the queue: nothing is skipped for it, and what
    came is kept. The next file is begun afterwards.
    """
    file = _claim(file_id)
    if file is None:
        return
    try:
        _embed(file, _meter_embedder(file.choice, connect(file.choice)), turn_seconds)
    except LeaseLost:
        return
    except SecretUnreadable:
        _pause_embedding(file, "secret_unreadable", UNREADABLE, LATER)
    except ModelInvalidReply as error:
        _fail(file, error.code, error.message)
    except ModelError as error:
        _pause_embedding(file, error.code, error.message, SOON if error.retryable else LATER)
    except EngineError as error:
        _fail(file, error.code, error.message)
    except Exception as error:
        outage = outage_of(error)
        if outage is None:
            logger.exception("vector file %d could not be made", file_id)
            _fail(file, "internal_error", INTERNAL)
            raise
        logger.warning("vector file %d waits: %s", file_id, error)
        _pause_embedding(file, outage.code, outage.message, SOON)
    finally:
        retry_through_outage(lambda: start_next(file.choice_id))


@dataclass(frozen=True, slots=True)
class Carried:
    """The vectors of a version that is compiled again, stored for its new file and named by no row yet."""

    file: VectorFile
    name: str
    sha256: str
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
        name, digest = store_vectors(data, f"vectors/{version.sha256}-{secrets.token_hex(8)}.vec")
        carried.append(Carried(file, name, digest, is_whole=len(there) == len(leaves)))
    return carried


def name_carried(carried: Iterable[Carried]) -> None:
    """Let the rows name the carried vectors, in the transaction that replaces the compiled file; queue what lacks some.

    A worker that embeds such a version at this moment loses its lease: its keys are those of before.
    """
    for row in carried:
        values: dict[str, Any] = {"file": row.name, "sha256": row.sha256}
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
    """Embed what is missing for as long as a turn lasts; what came is kept, whatever ends it."""
    until = time.monotonic() + turn_seconds
    leaves = list(leaf_texts(open_version(file.version), max_tokens=file.choice.max_tokens))
    known = _kept_vectors(file)
    missing = list(dict.fromkeys(leaf.text for leaf in leaves if leaf.text not in known))
    file.total = len(leaves)
    _write_heartbeat(file, done=len(leaves) - len(missing), total=file.total)
    try:
        is_done = _ask(file, embedder, missing, known, until=until)
    except ModelError:
        _store(file, leaves, known)
        raise
    ready = {"status": Status.READY, "done": F("total"), "ready_at": timezone.now(), "lease": ""}
    _store(file, leaves, known, **(ready if is_done else EMBEDDINGS.make_requeued_values()))
    EmbeddingChoice.objects.filter(pk=file.choice_id).update(paused_until=None, pause_code="", pause_message="")


def _ask(file: VectorFile, embedder: Embedder, texts: list[str], known: Known, *, until: float) -> bool:
    """Add the vectors of the texts to what is known; false when the turn is over before all are there."""
    for batch in batches(texts):
        embedded = embedder.embed(batch)
        known.update(zip(batch, embedded.vectors, strict=True))
        file.tokens += embedded.usage.tokens_in
        file.cost_usd = money(file.cost_usd + money(embedded.usage.cost_usd))
        _write_heartbeat(file, done=F("done") + len(batch), tokens=file.tokens, cost_usd=file.cost_usd)
        if time.monotonic() > until:
            break
    return all(text in known for text in texts)


def _store(file: VectorFile, leaves: list[LeafText], known: Known, **values: Any) -> None:
    """Put what is known into a file of its own and name it in the row; LeaseLost leaves nothing behind."""
    there = [leaf for leaf in leaves if leaf.text in known]
    matrix = _matrix(there, known)
    artefact = file.version.artefact_sha256
    data = write_vectors([leaf.key for leaf in there], matrix, model=file.model, artefact=artefact)
    name, digest = store_vectors(data, f"vectors/{file.version.sha256}-{file.lease[:16]}.vec")
    stored = {"file": name, "sha256": digest, "dimensions": matrix.shape[1]}
    if not retry_through_outage(lambda: embedding_lease(file).select_held().update(**stored, **values)):
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


def _write_heartbeat(file: VectorFile, **values: object) -> None:
    """Write progress and renew the lease; LeaseLost when the file is no longer ours."""
    retry_through_outage(lambda: embedding_lease(file).renew(**values))


def _fail(file: VectorFile, code: str, message: str) -> None:
    failed = {"status": Status.FAILED, "error_code": code, "error_message": message, "lease": ""}
    retry_through_outage(lambda: embedding_lease(file).select_held().update(**failed))


def _pause_embedding(file: VectorFile, code: str, message: str, pause: timedelta) -> None:
    """Give the file back to the queue, and begin none before the pause is over."""
    if retry_through_outage(lambda: embedding_lease(file).select_held().update(**EMBEDDINGS.make_requeued_values())):
        EmbeddingChoice.objects.filter(pk=file.choice_id).update(
            paused_until=timezone.now() + pause, pause_code=code, pause_message=message
        )
