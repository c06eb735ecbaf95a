"""`manage.py mcp`: the Model Context Protocol over standard input and output, for an assistant on this machine."""

import os
from typing import Any

import anyio
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from mcp.server.stdio import stdio_server

from vectorless_web.api.mcp.door import Door, read_problem
from vectorless_web.api.mcp.server import Protocol
from vectorless_web.infra.web.handler import Handler

VARIABLE = "VECTORLESS_TOKEN"


class Command(BaseCommand):
    help = f"Speak the Model Context Protocol on standard input and output, with the API token in {VARIABLE}."

    def handle(self, *_args: Any, **_options: Any) -> None:
        token = os.environ.get(VARIABLE, "").strip()
        if not token:
            raise CommandError(f"Put an API token into {VARIABLE}. One is made on the site, under your account.")
        named = next((host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"), "localhost")
        headers = {"host": named, "authorization": f"Bearer {token}", "user-agent": "manage.py mcp"}
        anyio.run(_serve, Door(Handler(), "https" if settings.HTTPS else "http", headers))


async def _serve(door: Door) -> None:
    known = await door.call("get", "/me")
    if known.status_code != 200:
        raise CommandError(read_problem(known))
    server = Protocol(lambda _context: door).make_server()
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
