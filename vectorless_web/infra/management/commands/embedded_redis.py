"""`manage.py embedded_redis`: become the site's own Redis server."""

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from vectorless_web.infra.site.supervisor import NoRedisServer, find_redis_server, redis_command


class Command(BaseCommand):
    help = "Run Redis on the private socket that the other processes look for."

    def handle(self, *_args: Any, **_options: Any) -> None:
        if not settings.EMBEDDED_REDIS:
            raise CommandError("REDIS_URL names another Redis; unset it to run this one.")
        try:
            server = find_redis_server()
        except NoRedisServer as error:
            raise CommandError(str(error)) from error
        command = redis_command(server, socket=settings.REDIS_SOCKET, folder=settings.VAR / "redis")
        os.execv(command[0], command)  # noqa: S606 - the server found above
