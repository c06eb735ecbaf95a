"""Links that show a grid, read-only, to anybody who holds them. Rows in restricted folders are left out."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from vectorless_web.grids.models import Grid, GridLink
from vectorless_web.sharing.services import end_after
from vectorless_web.workspaces.selectors import User, belongs
from vectorless_web.workspaces.services import record
from vectorless_web.workspaces.storage import hash_token, new_token


@transaction.atomic
def make_link(*, user: User, grid: Grid, days: int) -> tuple[GridLink, str]:
    """A link to a grid and its token, returned this once."""
    token, end = new_token(), end_after(days)
    link = GridLink.objects.create(grid=grid, token_hash=hash_token(token), created_by_id=user.pk, expires_at=end)
    record(actor=user, verb="grid.shared", workspace=grid.workspace, target=grid, details={"days": days})
    return link, token


@transaction.atomic
def revoke_link(*, user: User, link: GridLink) -> None:
    """Close a link for good; closing it twice changes nothing."""
    if GridLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor=user, verb="grid.unshared", workspace=link.grid.workspace, target=link.grid)


def links_of(grid: Grid) -> QuerySet[GridLink]:
    """The links of a grid that are open, newest first."""
    return _open_links().filter(grid=grid)


def open_link(token: str) -> GridLink | None:
    """The link with this token; None alike when it expired, was revoked, or never existed.

    It ends, too, with the membership of who made it. The token is looked up by its hash, so the time this takes says
    nothing about stored ones.
    """
    return _open_links().filter(token_hash=hash_token(token)).first()


def _open_links() -> QuerySet[GridLink]:
    rows = GridLink.objects.filter(belongs("grid__workspace", "created_by"), revoked_at=None)
    return rows.filter(expires_at__gt=timezone.now()).select_related("grid__workspace")
