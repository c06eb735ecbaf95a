"""What happened, told to the apps above that listen: a room below them need not know who they are."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string


def tell(kind: str, *, workspace_id: int, about: Mapping[str, Any]) -> None:
    """Hand an event to each function that the settings name in LISTENERS, within the caller's transaction.

    `about` holds numbers and codes, never a text of a document or a question.
    """
    for path in settings.LISTENERS:
        import_string(path)(kind, workspace_id, about)
