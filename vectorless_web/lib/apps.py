from django.apps import AppConfig
from django.db.backends.signals import connection_created

from vectorless_web.lib.letters import add_functions, search_all_letters


class LibConfig(AppConfig):
    name = "vectorless_web.lib"

    def ready(self) -> None:
        """Let searches know all letters, on both databases."""
        search_all_letters()
        connection_created.connect(add_functions, dispatch_uid="functions of SQLite")
