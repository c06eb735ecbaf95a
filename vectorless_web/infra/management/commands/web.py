"""`manage.py web`: the web server alone, for a site whose processes are started one by one."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from vectorless_web.infra.web.server import serve


class Command(BaseCommand):
    help = "Serve pages and websockets."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))

    def handle(self, *_args: Any, **options: Any) -> None:
        serve(options["host"], options["port"])
