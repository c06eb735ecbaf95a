"""Forms of the console."""

from django import forms

from vectorless_web.console.subjects.audit import AuditQuery
from vectorless_web.console.subjects.retention import DAYS_MAX
from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.workspaces.models import Role, Workspace


class AuditForm(forms.Form):
    """The filters of the record; what is no date or no number counts as not given."""

    q = forms.CharField(required=False, max_length=NAME_MAX)
    verb = forms.CharField(required=False, max_length=60)
    person = forms.CharField(required=False, max_length=150)
    workspace = forms.CharField(required=False, max_length=60)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def query(self) -> AuditQuery:
        """What the filters ask for."""
        values = dict(self.cleaned_data)
        return AuditQuery(text=values.pop("q").strip(), **values)

    def number(self, name: str) -> int | None:
        """A number of the address; None for what is none."""
        text = str(self.data.get(name, ""))
        return int(text) if text.isdecimal() and len(text) < 19 else None


class InviteForm(forms.Form):
    """An invitation into a workspace, by a link that is shown once."""

    workspace = forms.ModelChoiceField(Workspace.objects.order_by("name"), label="Into")
    role = forms.ChoiceField(label="As", choices=Role.choices, initial=Role.MEMBER)
    days = forms.IntegerField(label="Open for days", min_value=1, max_value=30, initial=7)
    email = forms.EmailField(label="Only for this address", required=False)


class PeriodForm(forms.Form):
    """How many days a kind of things is kept, and how many the person was shown that would go."""

    days = forms.IntegerField(label="Days", min_value=0, max_value=DAYS_MAX)
    seen = forms.IntegerField(required=False, min_value=0)


class MomentField(forms.DateTimeField):
    """A date and a time, as browsers let them be chosen, in the person's own time zone."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


class ReadOnlyForm(forms.Form):
    """When the site is read-only, and why; times are in the person's own time zone."""

    begins = MomentField(label="From, now if left out", required=False)
    until = MomentField(label="Expected to end", required=False)
    reason = forms.CharField(label="Why", required=False, max_length=200)


class AnnouncementForm(forms.Form):
    """A sentence on every page, until a time."""

    text = forms.CharField(label="Announcement", required=False, max_length=300)
    until = MomentField(label="Until", required=False)
