"""`manage.py render_child`: serves page images and highlight boxes on a private unix socket."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from vectorless_web.documents.drawing.server import serve
from vectorless_web.documents.drawing.worker import RenderConfig
from vectorless_web.documents.storage.files import local_copy


class Command(BaseCommand):
    """Runs until it is stopped."""

    help = "Make page images and highlight boxes for the web processes."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve."""
        serve(render_config())


def render_config() -> RenderConfig:
    """The child's configuration by the settings."""
    return RenderConfig(
        socket=Path(settings.RENDER_SOCKET),
        cache=Path(settings.CACHE_ROOT) / "pages",
        cache_bytes=settings.RENDER_CACHE_BYTES,
        memory_bytes=settings.RENDER_MEMORY_BYTES,
        seconds=settings.RENDER_SECONDS,
        resolve=local_copy,
        workers=max(1, settings.RENDER_WORKERS),
    )
