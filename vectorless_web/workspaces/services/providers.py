"""Which chat models a workspace may use."""

from django.db import transaction

from vectorless_web.workspaces.models import ModelProvider
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services.recording import record
from vectorless_web.workspaces.storage import encrypt


@transaction.atomic
def save_provider(*, actor: User, provider: ModelProvider, api_key: str = "") -> ModelProvider:
    """Store a new or changed provider. The key is encrypted; "" keeps the stored one.

    A key never goes to another address: changing the address forgets the old key.
    """
    before = ModelProvider.objects.filter(pk=provider.pk).first()
    moved = before is not None and before.base_url != provider.base_url
    if api_key or moved:
        provider.encrypted_key = encrypt(api_key)
    if moved:
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
