"""How long things are kept: each kind with its period, what would go under another one, and the job that removes it."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import open_to
from vectorless_web.infra.web.health import record_heartbeat
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.models import ModelCall, Run, RunInputs, Thread
from vectorless_web.runs.selectors import visible_runs
from vectorless_web.sharing.models import ShareLink, ShareView
from vectorless_web.workspaces.models import AuditEvent, SiteSetting, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import prune_record, record
from vectorless_web.workspaces.site import KEEP, days_kept, forget_values, periods_kept

DAYS_MAX = 3650
"""The longest period; anybody who wants more wants for ever."""
AT_ONCE = 500
"""Rows removed in one transaction: a second's work at most, so that nobody waits for the database longer."""
HELD_SECONDS = 300
"""How long the page goes by what it counted of each kind: 300,000 events take a tenth of a second. What would go is
counted anew each time."""
PASS_SECONDS = 60.0
"""How long one pass of the sweep removes; the rest goes an hour later. The sweep counts as dead after 120 s."""


EVERYWHERE = Q()
"""No condition: things of the whole site."""


@dataclass(frozen=True)
class Held:
    """How many things there are, and when the oldest of them was made; None when there are none."""

    count: int
    oldest: datetime | None = None


@dataclass(frozen=True)
class Kind:
    """One kind of things that are kept for a time."""

    name: str
    label: str
    what: str
    """What goes and what that means, in a sentence or two."""
    place: Callable[[Workspace, User | None], Q] | None
    """The rows of a workspace, as far as an account may know of them; all of it with None. None where a workspace has
    none of its own."""
    rows: Callable[[], QuerySet[Any]]
    """Those that may go when their `field` is long enough ago."""
    field: str = "created_at"
    forget: Callable[[list[int]], object] | None = None
    """Remove the rows of these numbers. None where another job does it."""
    least: int = 1
    """The shortest period in days."""

    @property
    def variable(self) -> str:
        """The variable of the environment that sets the period where nobody did in the console."""
        return f"VECTORLESS_KEEP_{self.name.upper()}_DAYS"

    def count(self, before: datetime | None, place: Q) -> Held:
        """What is older than a moment, of the rows that the condition names; of any age with None."""
        # Not ordered: the order of the model would make the database sort what it only counts.
        found = self._older(before, place).order_by().aggregate(count=Count("pk"), oldest=Min(self.field))
        return Held(found["count"], found["oldest"])

    def remove(self, before: datetime, place: Q) -> int:
        """Remove the first AT_ONCE of what is older than a moment, and record it; how many, 0 when none is left."""
        found = list(self._older(before, place).order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
        if not found or self.forget is None:
            return 0
        with transaction.atomic():
            self.forget(found)
            details = {"kind": self.name, "count": len(found), "before": before.isoformat()}
            name = f"{len(found)} of {self.label.lower()}"
            record(actor=None, verb="retention.removed", name=name, details=details)
        return len(found)

    def _older(self, before: datetime | None, place: Q) -> QuerySet[Any]:
        rows = self.rows().filter(place)
        return rows if before is None else rows.filter(**{f"{self.field}__lt": before})


class _Events(Kind):
    """The record, which is a chain."""

    def remove(self, before: datetime, place: Q) -> int:
        return prune_record(before=before, most=20 * AT_ONCE)


class _Pictures(Kind):
    """Files instead of rows."""

    def count(self, before: datetime | None, place: Q) -> Held:
        ages = [at for at, _ in _pictures(before)]
        return Held(len(ages), datetime.fromtimestamp(min(ages), UTC) if ages else None)

    def remove(self, before: datetime, place: Q) -> int:
        old = [path for _, path in _pictures(before)]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)


def _pictures(before: datetime | None) -> Iterator[tuple[float, Path]]:
    limit = before.timestamp() if before else float("inf")
    for path in (Path(settings.CACHE_ROOT) / "pages").glob("??/*.jpg"):
        with suppress(FileNotFoundError):  # The render child may make room meanwhile.
            if (at := path.stat().st_mtime) < limit:
                yield at, path


def _visible(workspace: Workspace, user: User) -> QuerySet[Run]:
    return visible_runs(user.pk, [workspace.pk]).order_by()


def _runs() -> QuerySet[Run]:
    """Runs that may go: ended, nobody's favourite, verified by nobody, and shown by no open link."""
    links = ShareLink.objects.filter(run=OuterRef("pk"), revoked_at=None, expires_at__gt=timezone.now())
    marked = Run.favoured_by.through.objects.filter(run=OuterRef("pk"))
    rows = Run.objects.exclude(status__in=Run.OPEN)
    return rows.filter(~Exists(links), ~Exists(marked), verifications=None)


def _forget_runs(found: list[int]) -> None:
    threads = list(Run.objects.filter(pk__in=found).values_list("thread", flat=True))
    # Whoever marked or shared one since has kept it.
    Run.objects.filter(pk__in=_runs().filter(pk__in=found).values("pk")).delete()
    Thread.objects.filter(pk__in=threads, runs=None).delete()


def _forget_calls(found: list[int]) -> None:
    calls = ModelCall.objects.filter(pk__in=found)
    # Without its calls a run cannot be replayed, and says so once its inputs are gone too.
    RunInputs.objects.filter(run__in=calls.values("run")).delete()
    calls.delete()


def _views() -> QuerySet[ShareView]:
    """Views that may go: a link that closes after so many openings needs its own as long as it is open."""
    counting = Q(link__views_max__isnull=False, link__revoked_at=None, link__expires_at__gt=timezone.now())
    return ShareView.objects.exclude(counting)


_ALL = (
    Kind(
        "calls",
        "Model calls",
        "What models were asked and what they replied. Answers stay; a run without its calls cannot be replayed.",
        lambda here, user: Q(run__in=_visible(here, user)) if user else Q(run__workspace=here),
        lambda: ModelCall.objects.exclude(run__status__in=Run.OPEN),
        forget=_forget_calls,
    ),
    Kind(
        "runs",
        "Questions and answers",
        "With their steps, comments and closed links. Favourites, verified answers and those with an open link stay.",
        lambda here, user: Q(pk__in=_visible(here, user)) if user else Q(workspace=here),
        _runs,
        forget=_forget_runs,
    ),
    Kind(
        "bin",
        "Deleted documents",
        "With their files. Until then whoever may delete can bring them back. Citations keep their quotes.",
        lambda here, user: Q(workspace=here) & (open_to(user) if user else Q()),
        lambda: Document.objects.filter(deleted_at__isnull=False),
        field="deleted_at",
    ),
    Kind(
        "views",
        "Views of share links",
        "When and from which network links were opened. Those of an open link with a limit of openings stay.",
        lambda here, user: Q(link__run__in=_visible(here, user)) if user else Q(link__run__workspace=here),
        _views,
        field="at",
        forget=lambda found: ShareView.objects.filter(pk__in=found).delete(),
    ),
    _Pictures(
        "pictures",
        "Page pictures",
        "Those that nobody looked at for so long; they are drawn again when somebody does.",
        None,
        Document.objects.none,
    ),
    _Events(
        "audit",
        "Audit events",
        "The oldest of the record. An anchor stays in the chain, so that what is left can still be verified.",
        None,
        AuditEvent.objects.all,
        field="at",
        least=30,
    ),
)
KINDS = {kind.name: kind for kind in _ALL}


@dataclass(frozen=True)
class Period:
    """One kind as the page shows it."""

    kind: Kind
    days: int
    """0 is for ever."""
    held: Held
    due: Held
    """What the next pass of the sweep removes."""
    setting: SiteSetting | None
    """Who set the period and when; None where the environment or the default did."""
    given: bool
    """Whether the environment sets it, where nobody did in the console."""
    own: int = 0
    """Days that the owners of the workspace set, of which the page is; 0 for none."""


def list_periods(environment: dict[str, str]) -> list[Period]:
    """Every kind with its period, where that comes from, what is there and what is due."""
    stored = {row.name: row for row in SiteSetting.objects.filter(name__startswith=KEEP).select_related("changed_by")}
    return [_describe(kind, stored.get(f"{KEEP}{kind.name}"), environment) for kind in _ALL]


def _describe(kind: Kind, setting: SiteSetting | None, environment: dict[str, str]) -> Period:
    days = int(setting.value["days"]) if setting else int(settings.KEEP_DAYS[kind.name])
    key = f"retention-held-{kind.name}"
    held: Held | None = cache.get(key)
    if held is None:
        held = kind.count(None, EVERYWHERE)
        cache.set(key, held, HELD_SECONDS)
    return Period(kind, days, held, preview(kind, days), setting, kind.variable in environment)


def list_periods_in(workspace: Workspace, user: User) -> list[Period]:
    """Every kind of things that a workspace has, with its period; counted is what the owner may know of."""
    found = []
    for kind in _ALL:
        if kind.place is None:
            continue
        days, place = days_kept(kind.name, workspace), kind.place(workspace, user)
        held, own = kind.count(None, place), int(workspace.settings.get(f"{KEEP}{kind.name}", 0))
        found.append(Period(kind, days, held, preview(kind, days, place), None, False, own))
    return found


def _before(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def preview(kind: Kind, days: int, place: Q = EVERYWHERE) -> Held:
    """What would go if things of the kind were kept for so many days; nothing with 0."""
    return kind.count(_before(days), place) if days else Held(0)


def check_days(kind: Kind, days: int) -> int:
    """The period; Problem (422) when it is out of range."""
    if days and not kind.least <= days <= DAYS_MAX:
        message = f"{kind.label} are kept for {kind.least} to {DAYS_MAX:,} days, or for ever (0)."
        raise Problem(message, remedy="Choose a period among these.", code="invalid_period")
    return days


@transaction.atomic
def set_period(*, actor: User, kind: Kind, days: int, seen: int | None) -> None:
    """Keep things of the kind for so many days from now on; the sweep removes what is older within the hour.

    `seen` is how many things the person was shown that would go; Problem (409) when that was not
    looked at, or when more would go than were shown.
    """
    check_days(kind, days)
    going = _check_seen(preview(kind, days).count, seen)
    before = days_kept(kind.name)
    SiteSetting.objects.update_or_create(
        name=f"{KEEP}{kind.name}", defaults={"value": {"days": days}, "changed_by_id": actor.pk}
    )
    details = {"kind": kind.name, "days": days, "before": before, "going": going}
    record(actor=actor, verb="retention.set", name=kind.label, details=details)
    transaction.on_commit(forget_values)


@transaction.atomic
def set_period_in(*, actor: User, workspace: Workspace, kind: Kind, days: int, seen: int | None) -> None:
    """Keep things of the kind for so many days in one workspace; 0 takes its own period back. `seen` as before.

    Problem (422) for a period that is longer than the site's: what it removes goes in every workspace.
    """
    place = Workspace.objects.select_for_update().get(pk=workspace.pk)
    before, site = days_kept(kind.name, place), days_kept(kind.name)
    if kind.place is None:
        raise Problem(
            "A workspace keeps none of these by itself.",
            remedy="Set the period for the whole site.",
            code="not_of_a_workspace",
        )
    check_days(kind, days)
    if site and days > site:
        message = f"{kind.label} are kept for {site} days on this site."
        raise Problem(message, remedy="A workspace may keep them for a shorter time.", code="longer_than_site")
    going = _check_seen(preview(kind, days, kind.place(place, actor)).count, seen)
    kept = {name: value for name, value in place.settings.items() if name != f"{KEEP}{kind.name}"}
    place.settings = {**kept, f"{KEEP}{kind.name}": days} if days else kept
    place.save(update_fields=["settings"])
    details = {"kind": kind.name, "days": days, "before": before, "going": going}
    record(actor=actor, verb="retention.set", workspace=place, name=kind.label, details=details)


def _check_seen(going: int, seen: int | None) -> int:
    if going and (seen is None or going > seen):
        message = f"{going:,} would go at once, and you were shown {seen or 0:,}."
        raise Problem(message, remedy="Look at the preview, then set it.", code="not_previewed", status=409)
    return going


@transaction.atomic
def clear_period(*, actor: User, kind: Kind) -> None:
    """Keep things of the kind as long as the environment or the default says again."""
    removed, _ = SiteSetting.objects.filter(name=f"{KEEP}{kind.name}").delete()
    if removed:
        details = {"kind": kind.name, "days": settings.KEEP_DAYS[kind.name]}
        record(actor=actor, verb="retention.cleared", name=kind.label, details=details)
    transaction.on_commit(forget_values)


def remove_expired(*, clock: Callable[[], float] = time.monotonic) -> int:
    """Remove what is older than its kind is kept, for at most PASS_SECONDS; how many things. Called by the sweep."""
    end, total = clock() + PASS_SECONDS, 0
    for kind in _ALL:
        for days, workspace in periods_kept(kind.name):
            place = kind.place(workspace, None) if kind.place and workspace is not None else EVERYWHERE
            before = _before(days)
            while clock() < end and (removed := kind.remove(before, place)):
                total += removed
                record_heartbeat("sweep")
    return total
