import logging
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created

from vectorless_web.infra.letters import add_functions, search_all_letters
from vectorless_web.infra.site import telemetry
from vectorless_web.infra.site.private_files import close_folder

logger = logging.getLogger(__name__)


class LibConfig(AppConfig):
    name = "vectorless_web.infra"

    def ready(self) -> None:
        """Let searches know all letters, on both databases; close the data to other users of the machine."""
        if changed := close_folder(settings.VAR, settings.UMASK):
            logger.warning("%s was open to others: permissions of %d files and folders closed", settings.VAR, changed)
        search_all_letters()
        connection_created.connect(add_functions, dispatch_uid="functions of SQLite")
        connection_created.connect(watch_queries, dispatch_uid="slow queries")
        if settings.SENTRY_DSN:
            telemetry.send_errors(settings.SENTRY_DSN)
        if settings.TRACES:
            telemetry.send_traces()


def watch_queries(connection: Any, **_more: Any) -> None:
    """Have slow queries of a new connection logged, when a setting says which are slow."""
    if settings.SLOW_QUERY_MS:
        telemetry.log_slow_queries(connection, settings.SLOW_QUERY_MS)
