"""The settings a run was asked with, in words, and where two runs differ in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from vectorless_web.engine.agent.limits import Limits
from vectorless_web.runs.models import Run

NAMES = {
    "max_steps": gettext_lazy("Steps in each document, at most"),
    "max_walks": gettext_lazy("Documents opened, at most"),
    "token_budget": gettext_lazy("Tokens of context"),
    "model_tokens": gettext_lazy("Tokens of the model, at most"),
    "money_usd": gettext_lazy("US dollars to spend, at most"),
    "expand": gettext_lazy("Use synonyms"),
    "route_mode": gettext_lazy("Routing"),
}
DEFAULTS = {
    "max_steps": Limits().max_steps,
    "max_walks": Limits().max_walks,
    "model_tokens": Limits().model_tokens,
    "token_budget": Limits().token_budget,
    "money_usd": Limits().money_usd,
    "expand": True,
}
"""What holds for a run that says nothing of its own."""
APART = ("answerer",)
"""Told elsewhere: by who answered."""


@dataclass(frozen=True)
class Setting:
    """One setting of both runs."""

    name: str
    a: str
    b: str


def differing_settings(first: Run, second: Run) -> list[Setting]:
    """The settings in which two runs differ, those with a name of their own first."""
    return [Setting(_label(name), _format_value(a), _format_value(b)) for name, a, b in _both(first, second) if a != b]


def _both(first: Run, second: Run) -> Iterator[tuple[str, Any, Any]]:
    known = {*first.settings, *second.settings} - {*APART}
    for name in [*(name for name in NAMES if name in known), *sorted(known - {*NAMES})]:
        yield name, *(run.settings.get(name, DEFAULTS.get(name)) for run in (first, second))


def _label(name: str) -> str:
    return str(NAMES.get(name) or name.replace("_", " ").capitalize())


def _format_value(value: Any) -> str:
    if value is None:
        return _("no limit")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int | float):
        return formats.number_format(value, use_l10n=True, force_grouping=True)
    return str(value)
