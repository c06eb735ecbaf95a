"""Forms of the console."""

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import get_user_model

from vectorless_web.console.subjects.audit import AuditQuery
from vectorless_web.console.subjects.retention import DAYS_MAX
from vectorless_web.infra.limits import NAME_MAX, parse_whole_number
from vectorless_web.infra.site.identity import check_issuer
from vectorless_web.profiles.models import SignOnProvider
from vectorless_web.workspaces.forms import InviteForm
from vectorless_web.workspaces.models import Budget, PeopleGroup, Workspace
from vectorless_web.workspaces.selectors import people_in


class AuditForm(forms.Form):
    """The filters of the record; what is no date or no number counts as not given."""

    q = forms.CharField(required=False, max_length=NAME_MAX)
    verb = forms.CharField(required=False, max_length=60)
    person = forms.CharField(required=False, max_length=150)
    workspace = forms.CharField(required=False, max_length=60)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def query(self) -> AuditQuery:
        """What the filters ask for; everything where one of them makes no sense."""
        if not self.is_valid():
            return AuditQuery()
        values = {name: self.cleaned_data[name] for name in AuditForm.base_fields}
        return AuditQuery(text=values.pop("q").strip(), **values)

    def number(self, name: str) -> int | None:
        """A number of the address; None for what is none."""
        return parse_whole_number(self.data.get(name))


class SearchForm(AuditForm):
    """The filters and the name to keep them under."""

    name = forms.CharField(max_length=NAME_MAX)


class InviteAnywhereForm(InviteForm):
    """An invitation into any workspace."""

    workspace = forms.ModelChoiceField(
        Workspace.objects.filter(deleted_at=None).order_by("name"), label="Into", empty_label="Choose"
    )
    field_order = ("workspace",)


class SiteBudgetForm(forms.Form):
    """What the site, a workspace, a person everywhere, or a member of a workspace may spend."""

    workspace = forms.ModelChoiceField(
        Workspace.objects.filter(deleted_at=None).order_by("name"),
        label="Workspace",
        required=False,
        empty_label="The whole site",
    )
    person = forms.CharField(
        label="User name", required=False, max_length=150, help_text="Empty: the budget of the whole workspace."
    )
    period = forms.ChoiceField(label="In", choices=Budget.Period.choices, initial=Budget.Period.MONTH)
    limit_usd = forms.DecimalField(label="Block at, in USD", min_value=0, max_digits=12, decimal_places=4)
    warn_percent = forms.IntegerField(
        label="Warn at, in percent",
        min_value=1,
        max_value=100,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": "80"}),
        help_text="Empty: as before, or 80.",
    )

    def clean(self) -> dict[str, Any]:
        """A member's budget is a member's; a person's is an account's."""
        values = super().clean() or self.cleaned_data
        name, workspace = values.get("person", "").strip(), values.get("workspace")
        person = get_user_model()._default_manager.filter(username__iexact=name).first() if name else None
        if name and person is None:
            self.add_error("person", f"No account is called “{name}”.")
        elif person is not None and workspace is not None and not people_in(workspace).filter(pk=person.pk).exists():
            self.add_error("person", f"{person} does not belong to {workspace}.")
        return {**values, "user": person}

    def budget(self) -> Budget:
        """The budget of administrators as typed, unsaved; without a share to warn at where none was typed."""
        values = {
            name: self.cleaned_data[name] for name in ("workspace", "user", "period", "limit_usd", "warn_percent")
        }
        return Budget(by_staff=True, **values)

    @staticmethod
    def initial_of(budget: Budget) -> dict[str, Any]:
        """What the form of this budget is filled in with."""
        person = budget.user.get_username() if budget.user else ""
        terms = {"period": budget.period, "limit_usd": budget.limit_usd, "warn_percent": budget.warn_percent}
        return {"workspace": budget.workspace_id, "person": person, **terms}


class PeopleGroupForm(forms.ModelForm):
    """A group of people."""

    class Meta:
        model = PeopleGroup
        fields = ["name", "description"]
        error_messages = {"name": {"unique": "There is a group of this name already."}}


class LimitsForm(forms.Form):
    """How much a workspace may store."""

    gigabytes = forms.DecimalField(
        label="Gigabytes it may store",
        required=False,
        min_value=0,
        max_value=1_000_000,
        decimal_places=3,
        help_text="Empty takes the site's limit, 0 is no limit.",
    )
    max_documents = forms.IntegerField(
        label="Documents it may hold", required=False, min_value=0, max_value=10_000_000, help_text="Empty is no limit."
    )

    @classmethod
    def of(cls, workspace: Workspace) -> "LimitsForm":
        """The form with a workspace's limits."""
        bytes_set = workspace.max_bytes
        size = None if bytes_set is None else (Decimal(bytes_set) / 2**30).quantize(Decimal("0.001"))
        return cls(initial={"gigabytes": size, "max_documents": workspace.max_documents})

    def limits(self) -> dict[str, int | None]:
        """The limits as the service takes them."""
        size = self.cleaned_data["gigabytes"]
        return {
            "max_bytes": None if size is None else int(size * 2**30),
            "max_documents": self.cleaned_data["max_documents"],
        }


class SignOnForm(forms.ModelForm):
    """An identity provider. A stored secret is never shown; an empty field keeps it."""

    secret = forms.CharField(
        label="Secret",
        required=False,
        max_length=400,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
    )

    field_order = ("name", "key", "issuer", "client", "secret")

    class Meta:
        model = SignOnProvider
        fields = ["name", "key", "issuer", "client", "workspace", "domain", "group", "role", "enabled"]
        help_texts = {
            "key": "Letters, digits and dashes. Accounts are tied to it, so it stays.",
            "issuer": "Its own address, such as https://id.example.com.",
            "domain": "People with a verified address there join the workspace at their first sign-in.",
            "group": "So do those whose claim “groups” at the provider holds this word.",
        }

        error_messages = {
            "key": {
                "unique": "There is an identity provider of this short name already.",
                "invalid": "Write letters, digits and dashes alone.",
            },
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        workspace = self.fields["workspace"]
        assert isinstance(workspace, forms.ModelChoiceField)
        workspace.queryset = Workspace.objects.filter(deleted_at=None).order_by("name")
        workspace.empty_label = "None by itself"
        if self.instance.pk is not None:
            self.fields["key"].disabled = True

    def clean_issuer(self) -> str:
        """An address over HTTPS: anybody who can change what it answers can sign in as anybody."""
        value: str = self.cleaned_data["issuer"].rstrip("/")
        try:
            check_issuer(value, loopback=settings.SIGN_ON_LOOPBACK)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
        return value

    def clean(self) -> dict[str, Any]:
        """Who joins needs a workspace, and a domain or a group; the settings' own providers keep their names."""
        values = super().clean() or self.cleaned_data
        if bool(values.get("workspace")) != bool(values.get("domain") or values.get("group")):
            self.add_error("domain", "Give a workspace with a domain or a group, or none of the three.")
        if any(each.id == values.get("key") for each in settings.SIGN_ON):
            self.add_error("key", "The settings of the site name a provider by this name.")
        return values


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

    text = forms.CharField(label="Sentence on every page", required=False, max_length=300)
    until = MomentField(label="Until", required=False)
