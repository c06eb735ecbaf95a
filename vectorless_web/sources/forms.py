"""What owners type about sources."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from vectorless_web.documents.models import Folder
from vectorless_web.infra.places import Access
from vectorless_web.sources.models import Kind

EVERY = [(5, _("5 minutes")), (60, _("hour")), (24 * 60, _("day"))]


class SecretForm(forms.Form):
    """Who enters a place."""

    account = forms.CharField(label=_("User or key id"), max_length=200, required=False)
    secret = forms.CharField(
        label=_("Password or secret key"),
        max_length=500,
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("Stored encrypted, and never shown. Give one that may read and not write."),
    )


class SourceForm(SecretForm):
    """A new source."""

    kind = forms.ChoiceField(label=_("Kind"), choices=Kind.choices)
    address = forms.CharField(
        label=_("Address"),
        max_length=500,
        help_text=_(
            "A folder's path; https://server/bucket/path of S3; or the address of a WebDAV folder, such as "
            "https://cloud.example.com/remote.php/dav/files/anna/Contracts."
        ),
    )
    region = forms.CharField(label=_("Region (S3)"), max_length=40, required=False, help_text=_("Empty: us-east-1."))
    folder = forms.ChoiceField(label=_("Put documents into"), required=False)
    every_minutes = forms.TypedChoiceField(label=_("Look every"), choices=EVERY, coerce=int, initial=60)
    field_order = ("kind", "address", "account", "secret", "region", "folder", "every_minutes")

    def __init__(self, data: Any = None, *, folders: Iterable[Folder]) -> None:
        super().__init__(data)
        kinds = [each for each in Kind.choices if each[0] != Kind.FOLDER or settings.SOURCE_FOLDERS]
        self.fields["kind"].choices = kinds  # type: ignore[attr-defined]
        named = [(str(row.pk), row.name) for row in folders]
        self.fields["folder"].choices = [("", _("No folder")), *named]  # type: ignore[attr-defined]

    def access(self) -> Access:
        """What was typed about the place."""
        typed = self.cleaned_data
        return Access(typed["kind"], typed["address"], typed["account"], typed["secret"], typed["region"])
