"""Embedding one document version: claimed, fenced and ended by conditional updates, paid from a budget."""

import logging
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal

import numpy as np
from django.db.models import F, QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from vectorless_web.documents.models import EmbeddingChoice, VectorFile
from vectorless_web.documents.services.vector_queue import start_next
from vectorless_web.documents.storage import delete_stored, open_vectors, open_version, store_vectors
from vectorless_web.engine.document.vectors import LeafText, leaf_texts, write_vectors
from vectorless_web.engine.errors import ArtefactDamaged, EngineError, ModelError, ModelInvalidReply
from vectorless_web.engine.llm.embedding import Embedder, MeteredEmbedder, batches
from vectorless_web.workspaces.services import WorkspacePurse
from vectorless_web.workspaces.storage import SecretUnreadable

Status = VectorFile.Status
Connect = Callable[[EmbeddingChoice], Embedder]
Known = dict[str, NDArray[np.float32]]
"""Texts with their vectors."""

logger = logging.getLogger(__name__)

MILLION = 1_000_000
SOON, LATER = timedelta(minutes=1), timedelta(minutes=15)
"""When a server is asked again: after trouble that passes by itself, after any other."""
INTERNAL = "Something went wrong inside the program; the log has the details. Try again."
UNREADABLE = "The key was stored under another encryption key and cannot be read. Type it again under Models."


class LeaseLost(Exception):
    """Raised when embedding was switched off, the version deleted, or the file given to another worker meanwhile."""


def embed_version(file_id: int, *, connect: Connect) -> None:
    """Make a queued vector file to its end: ready or failed. A second delivery of the job exits quietly.

    Trouble with the server, a refused key or a spent budget pauses the workspace's
    embedding and gives the file back to the queue: nothing is skipped for it. The next
    file is begun afterwards.
    """
    file = _claim(file_id)
    if file is None:
        return
    try:
        _embed(file, _metered(file.choice, connect(file.choice)))
    except LeaseLost:
        return
    except SecretUnreadable:
        _pause(file, "secret_unreadable", UNREADABLE, LATER)
    except ModelInvalidReply as error:
        _fail(file, error.code, error.message)
    except ModelError as error:
        _pause(file, error.code, error.message, SOON if error.retryable else LATER)
    except EngineError as error:
        _fail(file, error.code, error.message)
    except Exception:
        logger.exception("vector file %d could not be made", file_id)
        _fail(file, "internal_error", INTERNAL)
        raise
    finally:
        start_next(file.choice_id)


def _claim(file_id: int) -> VectorFile | None:
    """Take a queued file of a workspace that searches by meaning; None when somebody else has it."""
    lease = secrets.token_hex(16)
    claimed = VectorFile.objects.filter(
        pk=file_id, status=Status.QUEUED, choice__enabled=True, version__document__deleted_at=None
    ).update(status=Status.WORKING, lease=lease, heartbeat_at=timezone.now(), done=0, error_code="", error_message="")
    if not claimed:
        return None
    rows = VectorFile.objects.select_related("choice__workspace", "choice__provider", "version__document")
    return rows.filter(pk=file_id, lease=lease).first()


def _metered(choice: EmbeddingChoice, embedder: Embedder) -> Embedder:
    purse = WorkspacePurse(choice.workspace)
    return MeteredEmbedder(embedder, purse=purse, usd_per_token=float(choice.price) / MILLION)


def _embed(file: VectorFile, embedder: Embedder) -> None:
    version = file.version
    leaves = list(leaf_texts(open_version(version), max_tokens=file.choice.max_tokens))
    known = _kept_vectors(file)
    missing = list(dict.fromkeys(leaf.text for leaf in leaves if leaf.text not in known))
    file.total = len(leaves)
    _beat(file, done=len(leaves) - len(missing), total=file.total)
    for batch in batches(missing):
        embedded = embedder.embed(batch)
        known.update(zip(batch, embedded.vectors, strict=True))
        usage = embedded.usage
        file.tokens += usage.tokens_in
        file.cost_usd += Decimal(str(usage.cost_usd))
        _beat(file, done=F("done") + len(batch), tokens=file.tokens, cost_usd=file.cost_usd)
    matrix = _matrix(leaves, known)
    data = write_vectors([leaf.key for leaf in leaves], matrix, model=file.model, artefact=version.artefact_sha256)
    _finish(file, data, dimensions=matrix.shape[1])


def _matrix(leaves: list[LeafText], known: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    """One row for each leaf; a document without a passage has none, of a length of 1."""
    return np.stack([known[leaf.text] for leaf in leaves]) if leaves else np.zeros((0, 1), np.float32)


def _kept_vectors(file: VectorFile) -> Known:
    """What the document's version before said in the same words keeps its vectors, at no cost."""
    earlier = VectorFile.objects.filter(
        choice=file.choice_id,
        version__document=file.version.document_id,
        version__number__lt=file.version.number,
        status=Status.READY,
    )
    before = earlier.select_related("version").order_by("-version__number").first()
    if before is None:
        return {}
    try:
        stored = open_vectors(before.file, before.sha256)
        leaves = leaf_texts(open_version(before.version), max_tokens=file.choice.max_tokens)
        rows = dict(zip(stored.keys, stored.rows, strict=True))
        return {leaf.text: rows[leaf.key] for leaf in leaves if leaf.key in rows}
    except ArtefactDamaged:
        return {}


def _mine(file: VectorFile) -> QuerySet[VectorFile]:
    """The file's row while this worker holds it and the workspace still wants it."""
    held = VectorFile.objects.filter(pk=file.pk, lease=file.lease, status=Status.WORKING)
    return held.filter(choice__enabled=True, version__document__deleted_at=None)


def _beat(file: VectorFile, **values: object) -> None:
    """Write progress and heartbeat; LeaseLost when the file is no longer ours."""
    if not _mine(file).update(heartbeat_at=timezone.now(), **values):
        raise LeaseLost


def _finish(file: VectorFile, data: bytes, *, dimensions: int) -> None:
    """Store the file, then name it in its row; what nobody names is removed again."""
    version = file.version
    name, digest = store_vectors(data, f"vectors/{version.sha256}-{file.lease[:16]}.vec")
    ended = _mine(file).update(
        status=Status.READY,
        file=name,
        sha256=digest,
        dimensions=dimensions,
        done=F("total"),
        lease="",
        ready_at=timezone.now(),
    )
    if not ended:
        delete_stored(name)
        raise LeaseLost
    EmbeddingChoice.objects.filter(pk=file.choice_id).update(paused_until=None, pause_code="", pause_message="")
    if file.total:
        EmbeddingChoice.objects.filter(pk=file.choice_id, dimensions=None).update(dimensions=dimensions)


def _fail(file: VectorFile, code: str, message: str) -> None:
    _mine(file).update(status=Status.FAILED, error_code=code, error_message=message, lease="")


def _pause(file: VectorFile, code: str, message: str, pause: timedelta) -> None:
    """Give the file back to the queue, and begin none before the pause is over."""
    if _mine(file).update(status=Status.QUEUED, attempt=F("attempt") + 1, lease="", heartbeat_at=None):
        EmbeddingChoice.objects.filter(pk=file.choice_id).update(
            paused_until=timezone.now() + pause, pause_code=code, pause_message=message
        )
