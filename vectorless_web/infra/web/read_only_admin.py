"""Admin pages for rows that people only look at, and those whose acts are the services of the pages."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from vectorless_web.infra.web.problems import Problem


class ReadOnlyAdmin(admin.ModelAdmin):
    """Lists and pages without adding, changing or deleting."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes."""
        return False


class ServiceAdmin(admin.ModelAdmin):
    """Deletes one row or many through `remove`, and says what that means instead of listing what hangs on the rows."""

    remove_notice = ""
    """What deleting does, where that is not the end of the row."""

    def remove(self, request: HttpRequest, obj: Any) -> None:
        """Delete the row by its service; Problem when a rule forbids it."""
        raise NotImplementedError

    def why_kept(self, obj: Any) -> list[str]:
        """Sentences that say why the row may not be deleted; [] when it may."""
        return []

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete one row."""
        self._remove(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete the ticked rows."""
        self._remove(request, list(queryset))

    def get_deleted_objects(self, objs: Iterable[Any], request: HttpRequest) -> tuple[Any, Any, set[Any], list[str]]:
        """What the page that asks again shows: the rows, their number, no missing rights, and why some are kept."""
        rows = list(objs)
        names = [f"{self.opts.verbose_name}: {row}" for row in rows]
        notice = [self.remove_notice] if self.remove_notice else []
        kept = [sentence for row in rows for sentence in self.why_kept(row)]
        return [*names, *notice], {self.opts.verbose_name_plural: len(rows)}, set(), kept

    def _remove(self, request: HttpRequest, rows: list[Any]) -> None:
        for row in rows:
            try:
                self.remove(request, row)
            except Problem as problem:
                self.message_user(request, problem.message, messages.ERROR)
