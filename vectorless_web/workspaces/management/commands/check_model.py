"""`manage.py check_model`: what a chat model can do, and which jobs that suits."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from vectorless_web import wiring
from vectorless_web.engine.llm.capability import SelfTest
from vectorless_web.workspaces.models import ModelProvider, Workspace
from vectorless_web.workspaces.selectors import providers_for, settings_of
from vectorless_web.workspaces.storage import SecretUnreadable

USABLE, NOT_USABLE, BAD_SETTINGS = 0, 1, 2
NAMES = {
    "reply": "answers",
    "json_schema": "JSON schema",
    "json_object": "JSON object",
    "tools": "tools",
    "streaming": "streaming",
    "quotes": "quotes",
    "context": "context",
    "speed": "speed",
    "usage": "counts tokens",
}


class BadSettings(Exception):
    """Raised when there is nothing to test; says what to set."""


class Command(BaseCommand):
    help = (
        "Find out what a model can do: that of a workspace, or that of the settings. "
        "Exit code 0: usable, 1: not usable, 2: settings are missing or wrong."
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", metavar="SLUG", help="Test the model of this workspace.")
        parser.add_argument("--provider", metavar="NAME", help="Test this one of the workspace's models.")
        parser.add_argument("--json", action="store_true", help="Print all that was found as one line of JSON.")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print what was found and leave with its exit code."""
        try:
            result = _test_model(options["workspace"], options["provider"])
        except (BadSettings, SecretUnreadable) as error:
            if options["json"]:
                self.stdout.write(json.dumps({"usable": False, "error_code": "bad_settings", "error": str(error)}))
            self.stderr.write(str(error))
            sys.exit(BAD_SETTINGS)
        self.stdout.write(json.dumps(result.as_json()) if options["json"] else _as_text(result))
        self.stdout.flush()
        sys.exit(USABLE if result.usable else BAD_SETTINGS if result.settings_are_wrong else NOT_USABLE)


def _test_model(slug: str | None, name: str | None) -> SelfTest:
    if slug is None:
        if name is not None:
            raise BadSettings("Say whose model that is: --workspace SLUG --provider NAME.")
        result = wiring.test_model(None)
        if result is None:
            raise BadSettings("No model is set. Set VECTORLESS_PROVIDER and VECTORLESS_MODEL, or give --workspace.")
        return result
    row = _provider(slug, name)
    found = wiring.test_model(settings_of(row), context_size=row.context_size)
    assert found is not None, "a provider is a choice"
    return found


def _provider(slug: str, name: str | None) -> ModelProvider:
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise BadSettings(f"There is no workspace {slug!r}.")
    rows = providers_for(workspace)
    row = (rows.filter(name=name) if name is not None else rows.filter(enabled=True)).first()
    if row is None:
        known = ", ".join(repr(str(row)) for row in rows) or "none"
        raise BadSettings(f"That workspace has no such model; it has {known}.")
    return row


def _as_text(result: SelfTest) -> str:
    lines = []
    for row in result.capabilities:
        lines.append(f"{row.found:<8} {NAMES.get(row.name, row.name):<14} {row.sentence}")
        if row.without:
            lines.append(f"{'':<23} {row.without}")
    lines.append("")
    lines += [f"{'yes' if job.suits else 'no':<8} {job.name:<14} {job.sentence}" for job in result.jobs]
    cost = f", {result.cost_usd:.4f} USD" if result.cost_usd else ""
    return "\n".join([*lines, "", result.verdict, f"The test took {result.tokens:,} tokens{cost}."])
