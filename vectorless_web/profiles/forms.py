"""Forms of one's own account."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib.auth.models import AbstractUser

PERSON_MAX = AbstractUser._meta.get_field("first_name").max_length
"""Characters of a name: each of the two columns it is kept in holds so many, and a name may have no blank."""
NO_PLACES = ("Etc/", "SystemV/")
"""Names in the database of time zones that are offsets, not places."""


def _list_zones() -> list[tuple[str, str]]:
    places = (name for name in available_timezones() if "/" in name and not name.startswith(NO_PLACES))
    return [("", "As the site"), ("UTC", "UTC"), *((name, name.replace("_", " ")) for name in sorted(places))]


class ProfileForm(forms.Form):
    """The name that others read, and the zone in which times are shown."""

    name = forms.CharField(
        label="Name",
        max_length=PERSON_MAX,
        required=False,
        help_text="Others read it beside what you ask, upload and share. Empty: your user name.",
    )
    time_zone = forms.ChoiceField(label="Time zone", choices=_list_zones, required=False)

    def clean_name(self) -> str:
        """One line, with single blanks."""
        return " ".join(self.cleaned_data["name"].split())


class LeaveForm(forms.Form):
    """Deleting one's account, once its user name and its password were typed."""

    user_name = forms.CharField(label="Type your user name to confirm", required=True)
    password = forms.CharField(
        label="Your password", widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, *args: Any, user: AbstractUser, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if not user.has_usable_password():
            # Who signs in by a service has none here.
            del self.fields["password"]

    def clean_password(self) -> str:
        """The password as typed; ValidationError for another one."""
        typed: str = self.cleaned_data["password"]
        if not self.user.check_password(typed):
            raise forms.ValidationError("This is not your password.")
        return typed

    def clean_user_name(self) -> str:
        """The name as typed; ValidationError for any other than one's own."""
        typed: str = self.cleaned_data["user_name"]
        if typed != self.user.get_username():
            raise forms.ValidationError("This is not your user name.")
        return typed
