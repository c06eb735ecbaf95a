"""`manage.py verify_audit`: whether anybody has changed the record of what was done."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.workspaces.services import verify_record


class Command(BaseCommand):
    help = "Follow the chain of digests through the whole record; ends with 1 and names the first event that breaks it."

    def handle(self, *_args: Any, **_options: Any) -> None:
        found = verify_record()
        if found.problem:
            raise CommandError(found.problem)
        self.stdout.write(f"All {found.checked} events of the record stand as they were written.")
