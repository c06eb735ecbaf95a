"""Notices in the admin site: to look at."""

from django.contrib import admin

from vectorless_web.infra.admin import ReadOnlyAdmin
from vectorless_web.notices.models import Mute, Notice


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin):
    list_display = ("kind", "user", "workspace", "created_at", "read_at", "mailed_at")
    list_filter = ("kind", "created_at")
    search_fields = ("user__username",)


@admin.register(Mute)
class MuteAdmin(ReadOnlyAdmin):
    list_display = ("user", "kind", "channel")
    list_filter = ("kind", "channel")
    search_fields = ("user__username",)
