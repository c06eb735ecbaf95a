"""Pays model calls from the budgets of the workspace and of the person who asked."""

import threading
from decimal import ROUND_UP

from django.db import connection

from vectorless_web.infra.money import money
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services.budgets import reserve, settle


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
