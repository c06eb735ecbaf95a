"""Making, changing and deleting workspaces."""

from typing import Any

from django.db import transaction
from django.utils.text import slugify

from vectorless_web.workspaces.models import Membership, Role, Workspace
from vectorless_web.workspaces.selectors import User, account_id
from vectorless_web.workspaces.services.recording import record

SLUG_LENGTH = 50
RESERVED_SLUGS = frozenset({"new", "create", "settings", "admin"})


@transaction.atomic
def create_workspace(*, user: User, name: str, description: str = "") -> Workspace:
    """Make a workspace that `user` owns. Its address comes from the name, numbered when taken."""
    workspace = Workspace.objects.create(
        name=name, slug=_free_slug(name), description=description, created_by_id=account_id(user)
    )
    Membership.objects.create(workspace=workspace, user_id=account_id(user), role=Role.OWNER)
    workspace.role = Role.OWNER
    record(actor=user, verb="workspace.created", workspace=workspace, target=workspace)
    return workspace


@transaction.atomic
def update_workspace(
    *, actor: User, workspace: Workspace, name: str, description: str, settings: dict[str, Any]
) -> Workspace:
    """Change name, description and limits; the address stays, so links hold."""
    changed = {key: value for key, value in settings.items() if workspace.setting(key) != value}
    workspace.name, workspace.description = name, description
    workspace.settings = {**workspace.settings, **settings}
    workspace.save(update_fields=["name", "description", "settings"])
    record(actor=actor, verb="workspace.changed", workspace=workspace, target=workspace, details=changed)
    return workspace


def delete_workspace(*, actor: User, workspace: Workspace) -> None:
    """Remove a workspace with everything in its rows; the record keeps that it was there."""
    with transaction.atomic():
        record(actor=actor, verb="workspace.deleted", target=workspace, details={"slug": workspace.slug})
        workspace.delete()


def _free_slug(name: str) -> str:
    """An unused address made from the name; the unique constraint settles a race."""
    base = slugify(name)[:SLUG_LENGTH].strip("-") or "workspace"
    taken = set(Workspace.objects.filter(slug__startswith=base).values_list("slug", flat=True)) | RESERVED_SLUGS
    if base not in taken:
        return base
    return next(f"{base}-{number}" for number in range(2, len(taken) + 3) if f"{base}-{number}" not in taken)
