"""Hints that documents of a workspace changed. The rows are the truth; a lost hint costs nothing."""

from functools import partial

from django.db import transaction

from vectorless_web.infra import live


def documents_group(workspace_id: int) -> str:
    """The channel group of everybody who has the workspace's list of documents open."""
    return f"documents-{workspace_id}"


def announce(workspace_id: int, document_id: int) -> None:
    """Say, once the current transaction commits, that a document has news."""
    message = {"type": "document.changed", "document": document_id}
    transaction.on_commit(partial(live.publish, documents_group(workspace_id), message))
