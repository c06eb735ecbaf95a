import logging

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created

from vectorless_web.infra.letters import add_functions, search_all_letters
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
