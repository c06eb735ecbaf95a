"""Notifications to the open pages of a grid that its cells have changed."""

from functools import partial

from django.db import transaction

from vectorless_web.infra.live import publish


def group_of(grid_id: int) -> str:
    """The channel group that the grid's pages listen to."""
    return f"grid-{grid_id}"


def announce(grid_id: int) -> None:
    """Have every open page of the grid read its cells again, once the transaction commits; it may be lost."""
    transaction.on_commit(partial(publish, group_of(grid_id), {"type": "grid.changed"}))
