"""The one writer of the record."""

from typing import Any

from django.db import models

from vectorless_web.workspaces.models import AuditEvent, Workspace
from vectorless_web.workspaces.selectors import User


def record(
    *,
    actor: User | None,
    verb: str,
    workspace: Workspace | None = None,
    target: models.Model | None = None,
    name: str = "",
    details: dict[str, Any] | None = None,
) -> AuditEvent:
    """Add one row to the record. `verb` reads "document.added"; `target` is what it was done to."""
    return AuditEvent.objects.create(
        actor_id=actor.pk if actor else None,
        verb=verb,
        workspace=workspace,
        object_type=target._meta.model_name or "" if target is not None else "",
        object_id=str(target.pk) if target is not None else "",
        object_name=(name or str(target or ""))[:300],
        details=details or {},
    )
