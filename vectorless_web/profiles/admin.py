"""Profiles in the admin site: to look at. What allauth keeps of sessions and sign-ons holds keys, so it has no page."""

from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin

from vectorless_web.infra.admin import ReadOnlyAdmin
from vectorless_web.profiles.models import Portrait, Profile, SignOnProvider

for kept_apart in (UserSession, SocialAccount, SocialApp, SocialToken):
    if admin.site.is_registered(kept_apart):
        admin.site.unregister(kept_apart)


@admin.register(SignOnProvider)
class SignOnProviderAdmin(ReadOnlyAdmin):
    """What is set in the console; the secret has no page."""

    list_display = ("name", "issuer", "client", "enabled")
    exclude = ("encrypted_secret",)


admin.site.register(Profile, ReadOnlyAdmin, list_display=("user", "time_zone"), search_fields=("user__username",))


@admin.register(Portrait)
class PortraitAdmin(ReadOnlyAdmin):
    list_display = ("user", "digest")
    search_fields = ("user__username",)
    fields = ("user", "digest")
