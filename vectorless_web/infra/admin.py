"""Admin pages of rows that people only look at."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):
    """Lists and pages without adding, changing or deleting."""

    def get_list_select_related(self, request: HttpRequest) -> list[str]:
        """What the columns of the list refer to, and what `list_select_related` names beyond."""
        columns = {field.name for field in self.opts.get_fields() if field.many_to_one and field.concrete}
        return [*columns.intersection(self.list_display), *(self.list_select_related or [])]  # type: ignore[misc]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes."""
        return False


class LookedAt(admin.TabularInline):
    """Rows of another model that are only shown, with their `fields`, under the row that they belong to."""

    extra = 0
    can_delete = False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """All of them, also those that no form could have."""
        return self.fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False


class MembersAdmin(ReadOnlyAdmin):
    """Rows that hold texts of workspaces: administrators look at those that they may read as members, and at no others.

    `path` leads from a row to the rows of `list_readable`, which an app defines once.
    """

    path = "pk"

    def list_readable(self, user: Any) -> QuerySet[Any]:
        """What an account may read."""
        raise NotImplementedError

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The rows of what the administrator may read."""
        # A page asks several times; who belongs where is looked up once.
        kept = vars(request).setdefault("readable", {})
        if self not in kept:
            kept[self] = self.list_readable(request.user).order_by().values("pk")
        return super().get_queryset(request).filter(**{f"{self.path}__in": kept[self]})


# The console's page of queues is the one place where jobs are looked at and stopped.
admin.site.unregister(apps.get_model("django_rq", "Dashboard"))
