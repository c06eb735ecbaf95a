"""What staff set for the whole site, as everything else reads it: read-only mode, announcements, how long things stay.

It is stored by the console. Names of settings: "read_only", "announcement", and "keep.<kind>" for what is kept.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import SiteSetting, Workspace

READ_ONLY, ANNOUNCEMENT, KEEP = "read_only", "announcement", "keep."
CACHE_KEY = "site-settings"
CACHED_SECONDS = 5
"""How long another process may go by the old values when Redis is away; with Redis they are forgotten on a change."""
LONGEST_WAIT = 3600
"""Seconds; the most that a client is asked to wait before it tries again."""
ALLOWED = ("maintenance.", "backup.", "audit.", "queue.", "worker.")
"""Beginnings of the verbs of acts that read-only mode lets through: those an operator needs meanwhile."""


@dataclass(frozen=True)
class ReadOnlyPlan:
    """A time during which nothing is written. It ends when staff switch it off; `until` is what people are told."""

    begins: datetime
    until: datetime | None = None
    reason: str = ""

    @property
    def is_on(self) -> bool:
        """Whether it has begun."""
        return self.begins <= timezone.now()

    @property
    def is_overdue(self) -> bool:
        """Whether it lasts longer than was told."""
        return self.until is not None and self.until < timezone.now()


@dataclass(frozen=True)
class Announcement:
    """A sentence on every page, until a time."""

    text: str
    until: datetime | None = None


_held: ContextVar[dict[str, Any] | None] = ContextVar("site_values", default=None)


@contextmanager
def hold_values() -> Iterator[None]:
    """Read the settings at most once inside, as for one request; what is changed there is read again."""
    token = _held.set({})
    try:
        yield
    finally:
        _held.reset(token)


def read_values() -> dict[str, Any]:
    """Every setting's value by its name; kept for some seconds, for every page asks."""
    held = _held.get()
    if held is None:
        return _fetch_values()
    if not held:
        held["values"] = _fetch_values()
    values: dict[str, Any] = held["values"]
    return values


def _fetch_values() -> dict[str, Any]:
    values: dict[str, Any] | None = cache.get(CACHE_KEY)
    if values is None:
        values = dict(SiteSetting.objects.values_list("name", "value"))
        cache.set(CACHE_KEY, values, CACHED_SECONDS)
    return values


def forget_values() -> None:
    """Have the next reader ask the database."""
    (_held.get() or {}).clear()
    cache.delete(CACHE_KEY)


def read_only_plan() -> ReadOnlyPlan | None:
    """The planned or present time without writing; None when there is none."""
    value = read_values().get(READ_ONLY)
    begins = _moment(value, "begins")
    return ReadOnlyPlan(begins, _moment(value, "until"), value.get("reason", "")) if value and begins else None


def is_read_only() -> bool:
    """Whether nothing may be written now."""
    plan = read_only_plan()
    return plan is not None and plan.is_on


def announcement() -> Announcement | None:
    """What staff announce on every page; None when nothing, or when its time is over."""
    value = read_values().get(ANNOUNCEMENT) or {}
    until = _moment(value, "until")
    if not value.get("text") or (until is not None and until < timezone.now()):
        return None
    return Announcement(value["text"], until)


def _moment(value: dict[str, Any] | None, name: str) -> datetime | None:
    text = (value or {}).get(name)
    return parse_datetime(text) if text else None


def refuse_while_read_only(verb: str = "") -> None:
    """Problem (503, "read_only_mode") while the site is read-only, unless the act named `verb` is let through."""
    plan = read_only_plan()
    if plan is not None and plan.is_on and not (verb and verb.startswith(ALLOWED)):
        raise explain_read_only(plan)


def explain_read_only(plan: ReadOnlyPlan) -> Problem:
    """The problem of anybody who wants to write meanwhile."""
    wait = LONGEST_WAIT
    if plan.until is not None:
        wait = max(60, min(LONGEST_WAIT, int((plan.until - timezone.now()).total_seconds())))
    when = f" It is expected to end at {timezone.localtime(plan.until):%H:%M %Z}." if plan.until else ""
    return Problem(
        "This site is read-only while its administrators work on it, so nothing was stored.",
        remedy=f"What you typed is still in the form; send it again afterwards.{when}",
        code="read_only_mode",
        status=503,
        retry_after=wait,
    )


def days_kept(kind: str, workspace: Workspace | None = None) -> int:
    """Days that things of a kind of KEEP_DAYS stay, as staff set it, else as the settings say; 0 is for ever.

    In a workspace whose owners set a period of their own, the shorter of both.
    """
    value = read_values().get(f"{KEEP}{kind}")
    site = int(value["days"]) if value else int(settings.KEEP_DAYS[kind])
    own = int(workspace.settings.get(f"{KEEP}{kind}", 0)) if workspace is not None else 0
    return min((days for days in (site, own) if days), default=0)


def periods_kept(kind: str) -> Iterator[tuple[int, Workspace | None]]:
    """Each period of a kind after which things go: that of the site for all, then shorter ones of workspaces."""
    site = days_kept(kind)
    if site:
        yield site, None
    for workspace in Workspace.objects.filter(settings__has_key=f"{KEEP}{kind}"):
        days = days_kept(kind, workspace)
        if days != site:
            yield days, workspace


def time_kept(kind: str, workspace: Workspace | None = None) -> str:
    """The same in words, to go after "is kept": "for 30 days", or "until staff remove it"."""
    days = days_kept(kind, workspace)
    return f"for {days} day{'' if days == 1 else 's'}" if days else "until staff remove it"
