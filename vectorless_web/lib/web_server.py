"""The web server: daphne, which ends without dropping what is under way.

Only import this in the process that serves: daphne makes an event loop when it is imported.
"""

from daphne import server
from daphne.cli import CommandLineInterface
from django.conf import settings

from vectorless_web.lib.draining import Draining, end_process


class Server(Draining, server.Server):
    """Daphne's server, drained when it is stopped."""


class CommandLine(CommandLineInterface):
    """Daphne's command line, starting our server."""

    server_class = Server


def serve(host: str, port: int) -> None:
    """Become the web server."""
    CommandLine().run(
        ["-v", "0", "-b", host, "-p", str(port), settings.ASGI_APPLICATION.replace(".application", ":application")]
    )
    end_process()
