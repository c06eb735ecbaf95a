"""What people may type about workspaces, members, models and budgets."""

import ipaddress
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from vectorless_web.workspaces.models import Budget, ModelProvider, Role, Workspace

STEP_LIMITS = (6, 30)
TOKEN_LIMITS = (2_000, 200_000)
ROUTE_MODES = [("fast", "Fast"), ("balanced", "Balanced"), ("precise", "Precise")]
INVITATION_DAYS = [(1, "1 day"), (7, "7 days"), (30, "30 days")]


class WorkspaceForm(forms.ModelForm):
    """A new workspace."""

    class Meta:
        model = Workspace
        fields = ["name", "description"]
        widgets = {"description": forms.Textarea(attrs={"rows": 2})}


class SettingsForm(WorkspaceForm):
    """Name, description and the limits of every run in the workspace."""

    max_steps = forms.IntegerField(
        label="Steps a question may take", min_value=STEP_LIMITS[0], max_value=STEP_LIMITS[1]
    )
    token_budget = forms.IntegerField(
        label="Tokens of evidence", min_value=TOKEN_LIMITS[0], max_value=TOKEN_LIMITS[1], step_size=500
    )
    route_mode = forms.ChoiceField(label="How documents are chosen", choices=ROUTE_MODES)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("max_steps", "token_budget", "route_mode"):
            self.fields[name].initial = self.instance.setting(name)

    def limits(self) -> dict[str, Any]:
        """The workspace's settings as typed."""
        return {name: self.cleaned_data[name] for name in ("max_steps", "token_budget", "route_mode")}


class InviteForm(forms.Form):
    """An invitation: the role, how long the link is open, and for whom."""

    role = forms.ChoiceField(label="As", choices=Role.choices, initial=Role.MEMBER)
    days = forms.TypedChoiceField(label="Open for", choices=INVITATION_DAYS, coerce=int, initial=7)
    email = forms.EmailField(label="Only for this address", required=False)


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(choices=Role.choices)


class ProviderForm(forms.ModelForm):
    """A chat model behind an OpenAI-compatible address. A stored key is never shown; an empty field keeps it."""

    api_key = forms.CharField(
        label="API key",
        required=False,
        max_length=400,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
    )

    class Meta:
        model = ModelProvider
        fields = ["name", "base_url", "model", "price_in", "price_out", "context_size", "enabled"]
        labels = {
            "base_url": "Address",
            "price_in": "USD per million tokens in",
            "price_out": "USD per million tokens out",
            "context_size": "Context size in tokens",
            "enabled": "In use",
        }

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.workspace = workspace
        for name in ("price_in", "price_out"):
            self.fields[name].widget.attrs["min"] = "0"

    def clean_base_url(self) -> str:
        """Only http and https, and private addresses only when the operator allows them."""
        value: str = self.cleaned_data["base_url"].rstrip("/")
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise ValidationError("Give an address that begins with https:// or http://, without a user name.")
        if not settings.ALLOW_PRIVATE_MODEL_HOSTS and _is_private(parts.hostname or ""):
            raise ValidationError(
                "This address lies in a private network. Your administrator may allow such addresses."
            )
        return value

    def clean(self) -> dict[str, Any]:
        """Prices are not negative, and a name is used once."""
        values = super().clean() or self.cleaned_data
        for name in ("price_in", "price_out"):
            if values.get(name) is not None and values[name] < Decimal(0):
                self.add_error(name, "A price cannot be negative.")
        twin = ModelProvider.objects.filter(workspace=self.instance.workspace, name=values.get("name", ""))
        if twin.exclude(pk=self.instance.pk).exists():
            self.add_error("name", "There is a model of this name already.")
        return values


class BudgetForm(forms.ModelForm):
    """What a workspace, or one of its members, may spend."""

    class Meta:
        model = Budget
        fields = ["user", "period", "limit_usd"]
        labels = {"user": "For", "period": "In", "limit_usd": "At most, in USD"}

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.workspace = workspace
        people = self.fields["user"]
        assert isinstance(people, forms.ModelChoiceField)
        people.queryset = people.queryset.filter(memberships__workspace=workspace)  # type: ignore[union-attr]
        people.empty_label = "The whole workspace"
        people.required = False

    def clean_limit_usd(self) -> Decimal:
        """A budget may be zero, never negative."""
        limit: Decimal = self.cleaned_data["limit_usd"]
        if limit < 0:
            raise ValidationError("A budget cannot be negative.")
        return limit


class DeleteForm(forms.Form):
    """The workspace's name, typed to confirm that it shall be deleted."""

    name = forms.CharField(label="Type the workspace's name")

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.workspace = workspace

    def clean_name(self) -> str:
        """The very name."""
        if self.cleaned_data["name"] != self.workspace.name:
            raise ValidationError("This is not the workspace's name.")
        return self.workspace.name


def _is_private(host: str) -> bool:
    """Whether a host is written as a private address or a local name; names are resolved only when called."""
    if host.endswith((".localhost", ".local", ".internal")) or ("." not in host and ":" not in host):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return not address.is_global
