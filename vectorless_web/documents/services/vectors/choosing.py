"""Searching by meaning in a workspace: choosing a model, switching it on and off, trying it, what it would cost."""

import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F

from vectorless_web.documents.models import DocumentVersion, EmbeddingChoice, VectorFile
from vectorless_web.documents.services.compiled_rows import embedding_size
from vectorless_web.documents.services.vectors.embedding import UNREADABLE, Connect
from vectorless_web.documents.services.vectors.queue import queue_missing, start_next
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.errors import ArtefactDamaged, ModelError
from vectorless_web.engine.llm.model import clean_name
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record
from vectorless_web.workspaces.storage import SecretUnreadable

Status = VectorFile.Status

TEST_JOB = "vectorless_web.documents.jobs.try_embedding"
TEST_SECONDS = 120
ALIKE = ("The invoice has to be paid within thirty days.", "Payment of the bill is due a month after it was sent.")
UNLIKE = "Penguins breed on the coast of the southern ice."
MILLION = 1_000_000
OPENED = 20
"""Documents opened for one estimate because nobody has counted them; those beyond it are taken to be like the rest."""


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
        raise Problem("Switch search by meaning off before you change its model.", code="embedding_is_on", status=409)
    if before is None or (before.provider_id, before.model) != (choice.provider_id, choice.model):
        choice.found, choice.dimensions = {}, None
    choice.paused_until, choice.pause_code, choice.pause_message = None, "", ""
    choice.save()
    details = {"model": choice.model, "provider": choice.provider.name}
    record(actor=actor, verb="embedding.chosen", workspace=choice.workspace, target=choice, details=details)
    return choice


@transaction.atomic
def switch_on(*, actor: User, choice: EmbeddingChoice) -> None:
    """Begin to embed all ready documents, and every document that becomes ready from now on."""
    if EmbeddingChoice.objects.filter(pk=choice.pk, enabled=False).update(enabled=True, **_NO_PAUSE):
        choice.refresh_from_db()
        queued = queue_missing(choice)
        start_next(choice.pk)
        record(
            actor=actor, verb="embedding.on", workspace=choice.workspace, target=choice, details={"documents": queued}
        )


@transaction.atomic
def switch_off(*, actor: User, choice: EmbeddingChoice) -> None:
    """Stop, and delete all stored vectors."""
    if EmbeddingChoice.objects.filter(pk=choice.pk, enabled=True).update(enabled=False, dimensions=None, **_NO_PAUSE):
        choice.files.all().delete()
        record(actor=actor, verb="embedding.off", workspace=choice.workspace, target=choice)


@transaction.atomic
def remove_embedding(*, actor: User, choice: EmbeddingChoice) -> None:
    """Forget the choice, and delete all stored vectors."""
    record(actor=actor, verb="embedding.removed", workspace=choice.workspace, target=choice)
    choice.delete()


@transaction.atomic
def retry_embedding(*, actor: User, choice: EmbeddingChoice) -> int:
    """Queue what failed once more and end a pause; how many documents."""
    failed = choice.files.filter(status=Status.FAILED)
    again = failed.update(status=Status.QUEUED, attempt=F("attempt") + 1, error_code="", error_message="")
    EmbeddingChoice.objects.filter(pk=choice.pk).update(**_NO_PAUSE)
    record(
        actor=actor, verb="embedding.retried", workspace=choice.workspace, target=choice, details={"documents": again}
    )
    start_next(choice.pk)
    return again


@transaction.atomic
def start_embedding_test(*, actor: User, choice: EmbeddingChoice) -> None:
    """Have a worker embed three short texts; what it finds is written to `found`."""
    choice.found = {"testing": True}
    choice.save(update_fields=["found"])
    record(actor=actor, verb="embedding.tested", workspace=choice.workspace, target=choice)
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


def estimate(workspace: Workspace, price: Decimal) -> Estimate:
    """What it would take to embed every ready document, at `price` US dollars per million tokens."""
    current = DocumentVersion.objects.filter(
        document__workspace=workspace, document__deleted_at=None, document__current_version=F("pk")
    ).order_by("pk")
    passages, tokens, opened, unmeasured = 0, 0, 0, 0
    for version in current:
        size = version.report.get("embedding")
        if size is None and opened < OPENED:
            size, opened = _measure_version(version), opened + 1
        if size is None:
            unmeasured += int(version.report.get("leaves", 0))
            continue
        passages, tokens = passages + size["passages"], tokens + size["tokens"]
    tokens += round(unmeasured * tokens / max(1, passages))
    passages += unmeasured
    return Estimate(current.count(), passages, tokens, float(tokens * price / MILLION))


def _measure_version(version: DocumentVersion) -> dict[str, int]:
    """Passages and tokens of a version that was read before they were counted."""
    try:
        return embedding_size(open_version(version))
    except ArtefactDamaged:
        return {"passages": 0, "tokens": 0}


_NO_PAUSE: dict[str, Any] = {"paused_until": None, "pause_code": "", "pause_message": ""}
