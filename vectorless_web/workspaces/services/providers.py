"""Which chat models a workspace may use."""

import time
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils import timezone

from vectorless_web.engine.llm.capability import SelfTest
from vectorless_web.lib import jobs
from vectorless_web.workspaces.models import ModelProvider
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services.recording import record
from vectorless_web.workspaces.storage import SecretUnreadable, encrypt

TEST_JOB = "vectorless_web.workspaces.jobs.test_provider"
TEST_SECONDS = 600


@transaction.atomic
def save_provider(*, actor: User, provider: ModelProvider, api_key: str = "") -> ModelProvider:
    """Store a new or changed provider. The key is encrypted; "" keeps the stored one.

    A key never goes to another address: changing the address forgets the old key.
    """
    before = ModelProvider.objects.filter(pk=provider.pk).first()
    moved = before is not None and before.base_url != provider.base_url
    if api_key or moved:
        provider.encrypted_key = encrypt(api_key)
    if before is not None and (moved or before.model != provider.model):
        provider.capabilities = {}
    provider.save()
    verb = "provider.changed" if before else "provider.added"
    details = {"base_url": provider.base_url, "model": provider.model, "new_key": bool(api_key)}
    record(actor=actor, verb=verb, workspace=provider.workspace, target=provider, details=details)
    return provider


@transaction.atomic
def remove_provider(*, actor: User, provider: ModelProvider) -> None:
    """Forget a provider and its key."""
    record(actor=actor, verb="provider.removed", workspace=provider.workspace, target=provider)
    provider.delete()


@transaction.atomic
def start_test(*, actor: User, provider: ModelProvider) -> None:
    """Have a worker ask the model a few questions; what it finds is written to `capabilities`."""
    provider.capabilities = {"testing": True}
    provider.save(update_fields=["capabilities"])
    record(actor=actor, verb="provider.tested", workspace=provider.workspace, target=provider)
    job_id = f"provider-{provider.pk}-{time.time_ns()}"
    jobs.enqueue(TEST_JOB, provider.pk, queue="runs", job_id=job_id, seconds=TEST_SECONDS)


def test_provider(*, provider: ModelProvider, examine: Callable[[ModelProvider], SelfTest]) -> None:
    """Have the model examined and keep what was found: runs ask it in the way that works."""
    found = _found(provider, examine)
    # Another address or model has not been tested by this.
    same = ModelProvider.objects.filter(pk=provider.pk, base_url=provider.base_url, model=provider.model)
    same.update(capabilities={**found, "tested_at": timezone.now().isoformat()})


def _found(provider: ModelProvider, examine: Callable[[ModelProvider], SelfTest]) -> dict[str, Any]:
    try:
        result = examine(provider)
    except SecretUnreadable as error:
        return {"works": False, "code": "secret_unreadable", "message": f"{error} Type the key again."}
    if result.error_code:
        return {"works": False, "code": result.error_code, "message": result.error}
    return {"works": result.usable, **result.as_json()}
