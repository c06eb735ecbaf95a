"""The form that makes a token."""

from django import forms

from vectorless_web.api.models import Scope
from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspaces_of

DAYS = [("30", "30 days"), ("90", "90 days"), ("365", "A year"), ("0", "Until it is revoked")]


class ServiceTokenForm(forms.Form):
    """A token's name, how far it goes, and how long it lasts."""

    name = forms.CharField(
        label="Name", max_length=NAME_MAX, help_text="What will use it, for instance “nightly import”."
    )
    scope = forms.ChoiceField(label="May", choices=Scope.choices, initial=Scope.READ)
    days = forms.TypedChoiceField(label="Lasts", choices=DAYS, coerce=int, initial="90")


class TokenForm(ServiceTokenForm):
    """A person's own token, and the workspaces that it reaches."""

    workspaces = forms.ModelMultipleChoiceField(
        Workspace.objects.none(),
        label="Only in",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="With none chosen it reaches all your workspaces, later ones too.",
    )

    def __init__(self, *args: object, user: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        mine = [row.pk for row in workspaces_of(user)]  # type: ignore[arg-type]
        field = self.fields["workspaces"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        field.queryset = Workspace.objects.filter(pk__in=mine).order_by("name")


class AccountForm(forms.Form):
    """A program's name and its role."""

    name = forms.CharField(label="Name", max_length=60, help_text="What it is, for instance “nightly import”.")
    role = forms.ChoiceField(
        label="Role", choices=[row for row in Role.choices if row[0] != Role.OWNER], initial=Role.MEMBER
    )
