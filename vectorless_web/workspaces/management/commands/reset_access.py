"""`manage.py reset_access NAME`: a link with which somebody chooses a new password, while no mail is sent."""

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q

from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.services import make_reset_link, remove_two_step


class Command(BaseCommand):
    help = "Print a link with which an account's password is chosen anew. It works once, for an hour."

    def add_arguments(self, parser: CommandParser) -> None:
        """The account, and what else to do for it."""
        parser.add_argument("account", help="user name or e-mail address")
        parser.add_argument("--without-two-step", action="store_true", help="also switch off two-step sign-in")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the link; CommandError when there is no such account, or more than one."""
        name = options["account"]
        found = list(get_user_model().objects.filter(Q(username__iexact=name) | Q(email__iexact=name))[:2])
        if len(found) != 1:
            raise CommandError(f"There is {'more than one' if found else 'no'} account {name!r}.")
        try:
            path = make_reset_link(actor=None, user=found[0])
        except Problem as problem:
            raise CommandError(problem.message) from None
        if options["without_two_step"] and remove_two_step(actor=None, user=found[0]):
            self.stderr.write("Two-step sign-in was switched off.")
        self.stdout.write(f"{_origin()}{path}")


def _origin() -> str:
    """Where people reach the site, as far as its settings tell."""
    if settings.CSRF_TRUSTED_ORIGINS:
        return str(settings.CSRF_TRUSTED_ORIGINS[0])
    host = next((host for host in settings.ALLOWED_HOSTS if host not in ("*", "[::1]")), "localhost")
    return f"{'https' if settings.HTTPS else 'http'}://{host}"
