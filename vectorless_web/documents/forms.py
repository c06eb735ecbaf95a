"""What people may type about documents and about the embedding model of a workspace."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet

from vectorless_web.documents.models import EmbeddingChoice, Folder, PartialUpload
from vectorless_web.documents.selectors import DEFAULT_SORT, DELETED, SORTS, STATUSES, ListQuery
from vectorless_web.documents.services.uploads import SameName
from vectorless_web.engine.parsing.corrections import LONGEST_HEADING, CorrectionAct
from vectorless_web.engine.tables.operations import Comparison
from vectorless_web.infra.limits import LARGEST, SEARCH_MAX, TAG_MAX, TITLE_MAX
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.forms import DollarField
from vectorless_web.workspaces.models import ModelProvider, PeopleGroup, Workspace
from vectorless_web.workspaces.selectors import User, people_in, providers_for
from vectorless_web.workspaces.services import check_address

DEEPEST = 9
"""The deepest level a heading may be moved to, counted from 0."""


class ListForm(forms.Form):
    """The list's address: every field is optional, and a value that makes no sense is left aside."""

    q = forms.CharField(required=False, max_length=SEARCH_MAX)
    status = forms.ChoiceField(required=False, choices=[(name, name) for name in (*STATUSES, DELETED)])
    folder = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)
    tag = forms.CharField(required=False, max_length=TAG_MAX)
    sort = forms.ChoiceField(required=False, choices=[(name, name) for name in SORTS])
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)

    def query(self) -> ListQuery:
        """The list that is asked for."""
        self.is_valid()
        values = self.cleaned_data
        return ListQuery(
            search=values.get("q") or "",
            status=values.get("status") or "",
            folder=values.get("folder"),
            tag=values.get("tag") or "",
            sort=values.get("sort") or DEFAULT_SORT,
            page=values.get("page") or 1,
        )


class ReaderForm(forms.Form):
    """The reader's address: page and version from 1, how to show the page, words to find in it or in the outline,
    the first heading to show of an outline in parts, and the first row (from 1) to show of a table (by its key).
    """

    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)
    version = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)
    view = forms.ChoiceField(required=False, choices=[("page", "Page"), ("text", "Text")])
    find = forms.CharField(required=False, max_length=SEARCH_MAX)
    outline = forms.CharField(required=False, max_length=SEARCH_MAX)
    headings = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)
    table = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)
    row = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)


class TableForm(forms.Form):
    """How a table is shown: by which column (from 0) it is sorted, and which rows fit; every field is optional."""

    sort = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    order = forms.ChoiceField(required=False, choices=[("asc", "Ascending"), ("desc", "Descending")])
    column = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    comparison = forms.ChoiceField(
        required=False,
        choices=[
            (Comparison.CONTAINS, "contains"),
            (Comparison.EQUAL, "is"),
            (Comparison.UNEQUAL, "is not"),
            (Comparison.LESS, "is less than"),
            (Comparison.AT_MOST, "is at most"),
            (Comparison.GREATER, "is more than"),
            (Comparison.AT_LEAST, "is at least"),
        ],
    )
    value = forms.CharField(required=False, max_length=SEARCH_MAX)

    def __init__(self, *args: Any, columns: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("sort", "column"):
            field = self.fields[name]
            assert isinstance(field, forms.TypedChoiceField)
            field.choices = [(place, column) for place, column in enumerate(columns)]
            field.error_messages["invalid_choice"] = "The table has no such column."


class ChangesForm(forms.Form):
    """Which two of the versions that have been read are compared: `from` and `to`, by their numbers."""

    def __init__(self, *args: Any, numbers: Sequence[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(number, str(number)) for number in numbers]
        wrong = {"invalid_choice": "Choose two versions that have been read."}
        for name in ("from", "to"):
            self.fields[name] = forms.TypedChoiceField(
                required=False, coerce=int, empty_value=None, choices=choices, error_messages=wrong
            )


class FolderAccessForm(forms.Form):
    """Who may see a restricted folder: groups of the site and people of the workspace; at first who fills it in."""

    groups = forms.ModelMultipleChoiceField(
        PeopleGroup.objects.all(), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, workspace: Workspace, folder: Folder, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["people"] = forms.ModelMultipleChoiceField(
            people_in(workspace), required=False, widget=forms.CheckboxSelectMultiple
        )
        grants = list(folder.grants.all())
        named = [grant.user_id for grant in grants if grant.user_id]
        self.initial["people"] = named if folder.restricted else [user.pk]
        self.initial["groups"] = [grant.group_id for grant in grants if grant.group_id]


class FolderForm(forms.ModelForm):
    """A new folder's name."""

    class Meta:
        model = Folder
        fields = ["name"]


class SameNameForm(forms.Form):
    """What becomes of files that wait because documents of their names are here."""

    LEAVE_OUT = "leave_out"

    same_name = forms.ChoiceField(choices=[(name, name) for name in (SameName.VERSION, SameName.KEEP, LEAVE_OUT)])

    def __init__(self, *args: Any, waiting: "QuerySet[PartialUpload]", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["uploads"] = forms.ModelMultipleChoiceField(waiting)


class TagForm(forms.Form):
    """A tag to add."""

    tag = forms.CharField(max_length=TAG_MAX)


class CorrectionForm(forms.Form):
    """One correction of an outline: which part, what is done to it, its title or its depth (from 0)."""

    key = forms.IntegerField(min_value=1, max_value=LARGEST)
    act = forms.ChoiceField(choices=[(act.value, act.value) for act in CorrectionAct])
    title = forms.CharField(required=False, max_length=LONGEST_HEADING)
    depth = forms.IntegerField(required=False, min_value=0, max_value=DEEPEST)

    def clean(self) -> dict[str, Any]:
        """A new title needs words, a move its depth."""
        values = super().clean() or self.cleaned_data
        if values.get("act") == CorrectionAct.RENAME and not values.get("title"):
            self.add_error("title", "A heading needs words.")
        if values.get("act") == CorrectionAct.MOVE and values.get("depth") is None:
            self.add_error("depth", "Choose the level of the heading.")
        return values


class TitleForm(forms.Form):
    """A document's new title."""

    title = forms.CharField(max_length=TITLE_MAX)


PASSAGE_TOKENS = (64, 32_000)
"""Tokens between which the longest passage that is embedded may be set: below, sentences are cut; above, few embedding
models read."""


class EmbeddingForm(forms.ModelForm):
    """The embedding model: at which address, by what name, at what price, and how much text it takes at once."""

    max_tokens = forms.IntegerField(
        label="Tokens of one passage at most",
        min_value=PASSAGE_TOKENS[0],
        max_value=PASSAGE_TOKENS[1],
        help_text="What a longer passage says beyond this is not embedded. The model's own limit is a good choice.",
    )

    class Meta:
        model = EmbeddingChoice
        fields = ["provider", "model", "price", "max_tokens"]
        field_classes = {"price": DollarField}
        labels = {"provider": "Address and key of", "model": "Embedding model", "price": "USD per million tokens"}
        help_texts = {"model": "Its name as the server knows it, for example text-embedding-3-small."}

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.workspace = workspace
        providers = forms.ModelChoiceField(queryset=providers_for(workspace), label="Address and key of")
        providers.empty_label = None
        self.fields["provider"] = providers
        self.fields["max_tokens"].initial = self.instance.max_tokens

    def clean_provider(self) -> ModelProvider:
        """A provider at an address that may be asked; the list of hosts may have changed since it was saved."""
        provider: ModelProvider = self.cleaned_data["provider"]
        try:
            check_address(provider.base_url)
        except Problem as problem:
            raise forms.ValidationError(problem.message, code=problem.code) from None
        return provider
