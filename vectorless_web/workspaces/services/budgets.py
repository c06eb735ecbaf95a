"""What a workspace and its members may spend: reserved before a call, settled after it, never more than the limit."""

import threading
from collections.abc import Callable
from datetime import date
from decimal import ROUND_UP, Decimal

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest, Least
from django.utils import timezone

from vectorless_web.infra.money import MOST_USD, money
from vectorless_web.workspaces.models import Budget, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services.recording import record


@transaction.atomic
def set_budget(*, actor: User, budget: Budget) -> Budget:
    """Store a limit for the workspace or one member, in place of the one there is."""
    row, _created = Budget.objects.update_or_create(
        workspace=budget.workspace,
        user=budget.user,
        defaults={"period": budget.period, "limit_usd": budget.limit_usd},
        create_defaults={
            "period": budget.period,
            "limit_usd": budget.limit_usd,
            "period_start": period_start(budget.period),
        },
    )
    details = {"limit_usd": str(row.limit_usd), "period": row.period, "user": str(row.user or "")}
    record(actor=actor, verb="budget.set", workspace=row.workspace, target=row, details=details)
    return row


@transaction.atomic
def remove_budget(*, actor: User, budget: Budget) -> None:
    """Lift a limit."""
    record(actor=actor, verb="budget.removed", workspace=budget.workspace, target=budget)
    budget.delete()


def reserve(*, workspace: Workspace, user: User | None, usd: Decimal) -> bool:
    """Put `usd` aside in every budget that covers the user; false, and nothing put aside, when one lacks it.

    Two calls at the same time cannot both take the last of a budget: each is one conditional UPDATE.
    """
    with transaction.atomic():
        _begin_periods(workspace, user)
        rows = _select_covering(workspace, user)
        wanted = rows.count()
        room = Q(limit_usd__gte=F("spent_usd") + F("reserved_usd") + usd)
        if rows.filter(room).update(reserved_usd=F("reserved_usd") + usd) == wanted:
            return True
        transaction.set_rollback(True)
        return False


def settle(*, workspace: Workspace, user: User | None, reserved_usd: Decimal, spent_usd: Decimal) -> None:
    """Give back what was put aside and book what was really spent, as far as a row holds it."""
    _select_covering(workspace, user).update(
        reserved_usd=Greatest(F("reserved_usd") - reserved_usd, Decimal(0)),
        spent_usd=Least(F("spent_usd") + spent_usd, MOST_USD),
    )


def release_all(*, workspace: Workspace, unless: Callable[[], bool]) -> None:
    """Give back all that is put aside in the workspace, unless somebody may still settle it.

    A worker that dies in mid-call settles nothing. `unless` is asked while the budgets are
    locked, so that nobody can put something aside in between.
    """
    with transaction.atomic():
        rows = Budget.objects.select_for_update().filter(workspace=workspace, reserved_usd__gt=0)
        left = [row.pk for row in rows]
        if left and not unless():
            Budget.objects.filter(pk__in=left).update(reserved_usd=0)


def period_start(period: str, today: date | None = None) -> date:
    """The first day of the period that `today` lies in, in UTC."""
    day = today or timezone.now().date()
    return day.replace(day=1) if period == Budget.Period.MONTH else day


def _select_covering(workspace: Workspace, user: User | None) -> QuerySet[Budget]:
    own = Q(user=None) | Q(user_id=user.pk) if user is not None else Q(user=None)
    return Budget.objects.filter(own, workspace=workspace)


def _begin_periods(workspace: Workspace, user: User | None) -> None:
    """Start a new period where the old one is over; what is put aside stays put aside."""
    for period in Budget.Period:
        start = period_start(period)
        over = _select_covering(workspace, user).filter(period=period, period_start__lt=start)
        over.update(spent_usd=0, period_start=start)


class WorkspaceCostBudget:
    """Pays from every budget that covers the user (None: the workspace's alone), briefly at a time, from any thread."""

    def __init__(self, workspace: Workspace, user: User | None = None) -> None:
        self._workspace, self._user = workspace, user

    def reserve(self, usd: float) -> bool:
        """Put the money aside in every budget; false when one lacks it."""
        try:
            return reserve(workspace=self._workspace, user=self._user, usd=money(usd, rounding=ROUND_UP))
        finally:
            _close_thread_connection()

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Give back what was put aside and book what was spent."""
        reserved, spent = (money(usd, rounding=ROUND_UP) for usd in (reserved_usd, spent_usd))
        try:
            settle(workspace=self._workspace, user=self._user, reserved_usd=reserved, spent_usd=spent)
        finally:
            _close_thread_connection()


def _close_thread_connection() -> None:
    """A walk's thread may end after any call, and its connection with it."""
    if threading.current_thread() is not threading.main_thread():
        connection.close()
