"""The form that makes a token."""

from django import forms

from vectorless_web.api.models import Scope
from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import workspaces_of

DAYS = [("30", "30 days"), ("90", "90 days"), ("365", "A year"), ("0", "Until it is revoked")]


class TokenForm(forms.Form):
    """A token's name, how far it goes, how long it lasts, and the workspaces that it reaches."""

    name = forms.CharField(
        label="Name", max_length=NAME_MAX, help_text="What will use it, for instance “nightly import”."
    )
    scope = forms.ChoiceField(label="May", choices=Scope.choices, initial=Scope.READ)
    days = forms.TypedChoiceField(label="Lasts", choices=DAYS, coerce=int, initial="90")
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
