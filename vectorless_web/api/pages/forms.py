"""Forms that make tokens, service accounts and webhooks."""

from django import forms

from vectorless_web.api.models import EventKind, Scope
from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, workspaces_of

DAYS = [("30", "30 days"), ("90", "90 days"), ("365", "A year"), ("0", "Until it is revoked")]


class ServiceTokenForm(forms.Form):
    """A token's name, how far it goes, and how long it lasts."""

    name = forms.CharField(
        label="Name", max_length=NAME_MAX, help_text="What will use it, for instance “nightly import”."
    )
    scope = forms.ChoiceField(label="May", choices=Scope.choices, initial=Scope.READ)
    days = forms.TypedChoiceField(label="Lasts", choices=DAYS, coerce=lambda text: int(text) or None, initial="90")


class TokenForm(ServiceTokenForm):
    """A person's own token, and the workspaces that it reaches."""

    workspaces = forms.ModelMultipleChoiceField(
        Workspace.objects.none(),
        label="Only in",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="With none chosen it reaches all your workspaces, later ones too.",
    )

    def __init__(self, *args: object, user: User) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        mine = Workspace.objects.filter(pk__in=[row.pk for row in workspaces_of(user)])
        self.fields["workspaces"].queryset = mine.order_by("name")  # type: ignore[attr-defined]


class AccountForm(forms.Form):
    """A program's name and its role."""

    name = forms.CharField(label="Name", max_length=60, help_text="What it is, for instance “nightly import”.")
    role = forms.ChoiceField(
        label="Role", choices=[row for row in Role.choices if row[0] != Role.OWNER], initial=Role.MEMBER
    )


class WebhookForm(forms.Form):
    """An address and what it is told of."""

    address = forms.CharField(
        label="Address", max_length=500, help_text="Begins with https://. Events are posted there as JSON."
    )
    events = forms.MultipleChoiceField(
        label="Told of", choices=EventKind.choices, widget=forms.CheckboxSelectMultiple, initial=EventKind.values
    )
