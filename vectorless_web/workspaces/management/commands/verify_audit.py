"""`manage.py verify_audit`: whether anybody has changed the record of what was done."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from vectorless_web.workspaces.services import verify_export, verify_record


class Command(BaseCommand):
    help = (
        "Follow the chain of digests through the whole record, or check lines that were exported; ends with 1 and "
        "names the first event that does not fit."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--export", type=Path, help="a file of JSON lines, as the console exports them")

    def handle(self, *_args: Any, export: Path | None = None, **_options: Any) -> None:
        if export is not None:
            self._check_export(export)
            return
        found = verify_record()
        if found.problem:
            raise CommandError(found.problem)
        self.stdout.write(f"All {found.checked} events of the record stand as they were written.")

    def _check_export(self, path: Path) -> None:
        try:
            with path.open(encoding="utf-8") as lines:
                found = verify_export(lines)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{path} cannot be read: {error}") from None
        if found.problem:
            raise CommandError(found.problem)
        self.stdout.write(
            f"All {found.lines} events stand as they were written; {found.following} follow the one before directly. "
            f"Of {found.hidden} the name is hidden and its seal fits the chain"
            + (f", but for {found.unverifiable} from before events had seals." if found.unverifiable else ".")
        )
