"""`manage.py welcome`: where the site is, how to sign in, and what to try first."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from vectorless_web.documents.models import Document
from vectorless_web.runs.demo import DOCUMENT, FIRST_QUESTION


class Command(BaseCommand):
    help = "Print the address, the sign-in and what to try first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--address", default="http://127.0.0.1:8000/")
        parser.add_argument("--listens", default="", help="Where the web server started with this listens.")

    def handle(self, *_args: Any, **options: Any) -> None:
        lines = ["", f"  Vectorless is ready at  {options['address']}"]
        if options["listens"] not in ("", options["address"]):
            lines.append(f"  listening on            {options['listens']}")
        lines += [*_sign_in(), ""]
        lines += _try_first()
        if options["listens"]:
            lines.append("  Stop with Ctrl-C.")
        self.stdout.write("\n".join([*lines, ""]))


def _sign_in() -> list[str]:
    """The first account's sign-in, for as long as its first password holds."""
    path = settings.VAR / "demo_password"
    user = get_user_model().objects.filter(username="demo", is_active=True).first()
    if user is None or not path.exists():
        return []
    password = path.read_text().strip()
    if not user.check_password(password):
        return ["  Sign in as              demo, with the password you chose"]
    return [f"  Sign in as              demo   password {password}"]


def _try_first() -> list[str]:
    """The demo's question while the document that answers it is there."""
    if Document.objects.filter(workspace__slug="demo", name=DOCUMENT, deleted_at=None).exists():
        return [
            f'  Try first: open the Demo workspace and ask "{FIRST_QUESTION}",',
            "  or drop in a PDF of your own.",
        ]
    return ["  Add a document, or drop in a PDF, and ask a question about it."]
