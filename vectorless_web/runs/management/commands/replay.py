"""`manage.py replay RUN`: execute a finished run again from its stored inputs and calls, and compare the results."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.runs.jobs import verdict_of
from vectorless_web.runs.models import Replay, Run
from vectorless_web.runs.services import Found

IDENTICAL, DIFFERENT, BAD_INPUT = 0, 1, 2


class Command(BaseCommand):
    help = "Replay finished runs from their stored calls, without network: identical, or the first difference."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", nargs="?", help="The number of a run, as its address ends.")
        parser.add_argument("--all", action="store_true", help="Replay every run that has ended.")
        parser.add_argument("--json", action="store_true", help="Print one line of JSON for each run.")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print a line a run and leave with 0 (all identical), 1 (some are not) or 2 (nothing to replay)."""
        runs = self._runs(options["run"], every=options["all"])
        if not runs:
            sys.exit(BAD_INPUT)
        verdicts = [self._replay(run, as_json=options["json"]) for run in runs]
        if len(runs) > 1 and not options["json"]:
            same = verdicts.count(Replay.Verdict.IDENTICAL)
            self.stdout.write(f"{same} of {len(runs)} identical, {verdicts.count(Replay.Verdict.DIFFERENT)} different.")
        if len(runs) == 1 and verdicts[0] == Replay.Verdict.IMPOSSIBLE:
            sys.exit(BAD_INPUT)
        sys.exit(DIFFERENT if Replay.Verdict.DIFFERENT in verdicts else IDENTICAL)

    def _runs(self, named: str | None, *, every: bool) -> list[Run]:
        rows = Run.objects.select_related("workspace").order_by("pk")
        if every == bool(named):
            self.stderr.write("Name one run by its number, or give --all.")
            return []
        if every:
            return list(rows.filter(status__in=Run.ENDED))
        found = list(rows.filter(pk=parse_whole_number(named) or 0))
        if not found:
            self.stderr.write(f"There is no run {named}.")
        elif found[0].is_open:
            self.stderr.write(f"Run {named} has not ended yet.")
            return []
        return found

    def _replay(self, run: Run, *, as_json: bool) -> str:
        found = verdict_of(run)
        if as_json:
            row = {"run": run.pk, "verdict": str(found.verdict), "difference": found.difference, "steps": found.steps}
            self.stdout.write(json.dumps({**row, "note": found.note}, ensure_ascii=False))
        else:
            self.stdout.write(_line(run, found))
        self.stdout.flush()
        return found.verdict


def _line(run: Run, found: Found) -> str:
    if found.verdict == Replay.Verdict.IDENTICAL:
        return f"run {run.pk}: identical, {found.steps} steps"
    return " ".join(filter(None, (f"run {run.pk}: {found.verdict}.", found.difference, found.note)))
