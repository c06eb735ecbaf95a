"""What a run pays its model calls from: the budgets of its workspace and of who asked."""

import threading
from decimal import ROUND_UP, Decimal

from django.db import connection

from vectorless_web.runs.models import Run
from vectorless_web.workspaces.services import release_all, reserve, settle

CENT_PARTS = Decimal("0.000001")


class RunPurse:
    """Pays the calls of one run, each in short transactions of its own, from any thread.

    Made at the start of an attempt: what died workers left put aside is given back then,
    unless another run of the workspace is under way.
    """

    def __init__(self, run: Run) -> None:
        self._workspace = run.workspace
        self._user = run.asked_by
        others = Run.objects.filter(workspace=run.workspace_id, status=Run.Status.RUNNING).exclude(pk=run.pk)
        release_all(workspace=self._workspace, unless=others.exists)

    def reserve(self, usd: float) -> bool:
        """Put the money aside in every budget that covers the run; false when one lacks it."""
        try:
            return reserve(workspace=self._workspace, user=self._user, usd=_money(usd))
        finally:
            _let_go()

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Give back what was put aside and book what was spent."""
        spent = {"reserved_usd": _money(reserved_usd), "spent_usd": _money(spent_usd)}
        try:
            settle(workspace=self._workspace, user=self._user, **spent)
        finally:
            _let_go()


def _money(usd: float) -> Decimal:
    return Decimal(str(usd)).quantize(CENT_PARTS, rounding=ROUND_UP)


def _let_go() -> None:
    """A walk's thread may end after any call, and its connection with it."""
    if threading.current_thread() is not threading.main_thread():
        connection.close()
