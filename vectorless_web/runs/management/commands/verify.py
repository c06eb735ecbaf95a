"""`manage.py verify BUNDLE.zip`: checks an evidence bundle, with no account, database or network."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from vectorless_web.documents.compiling.tesseract import find_recogniser
from vectorless_web.engine.errors import EngineError
from vectorless_web.runs.export.bundle_check import Report, check_bundle

GOOD, WRONG, BAD_INPUT = 0, 1, 2


class Command(BaseCommand):
    help = "Check an evidence bundle: every file, every quote; and with --document, that quotes stand in the document."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("bundle", type=Path, metavar="BUNDLE.zip")
        parser.add_argument(
            "--document", type=Path, action="append", default=[], metavar="FILE", help="A quoted document; repeatable."
        )
        parser.add_argument("--fingerprint", default="", help="The bundle's fingerprint, as you were told it.")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print what was found and leave with 0 (good), 1 (something is wrong) or 2 (no bundle)."""
        try:
            report = check_bundle(
                options["bundle"],
                options["document"],
                fingerprint=options["fingerprint"],
                recogniser=find_recogniser(languages=settings.OCR_LANGUAGES, seconds=settings.OCR_SECONDS),
            )
        except EngineError as error:
            self.stderr.write(error.message)
            sys.exit(BAD_INPUT)
        except OSError as error:
            self.stderr.write(f"{error.filename}: {error.strerror}.")
            sys.exit(BAD_INPUT)
        self._tell(report)
        self.stdout.flush()
        sys.exit(WRONG if report.wrong else GOOD)

    def _tell(self, report: Report) -> None:
        for sentence in report.good:
            self.stdout.write(f"good         {sentence}")
        for sentence in report.wrong:
            self.stdout.write(f"WRONG        {sentence}")
        for sentence in report.unchecked:
            self.stdout.write(f"not checked  {sentence}")
        self.stdout.write(f"fingerprint  {report.fingerprint}")
        self.stdout.write(
            "This bundle is not as it was made." if report.wrong else "Nothing is wrong with this bundle."
        )
