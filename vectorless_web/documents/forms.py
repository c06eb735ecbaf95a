"""What people may type about documents."""

from django import forms

from vectorless_web.documents.models import Folder
from vectorless_web.documents.selectors import DEFAULT_SORT, SORTS, STATUSES, ListQuery


class ListForm(forms.Form):
    """The list's address: every field is optional, and a value that makes no sense is left aside."""

    q = forms.CharField(required=False, max_length=200)
    status = forms.ChoiceField(required=False, choices=[(name, name) for name in STATUSES])
    folder = forms.IntegerField(required=False)
    tag = forms.CharField(required=False, max_length=60)
    sort = forms.ChoiceField(required=False, choices=[(name, name) for name in SORTS])
    page = forms.IntegerField(required=False, min_value=1)

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
    """The reader's address: page and version from 1, how to show the page, words to find."""

    page = forms.IntegerField(required=False, min_value=1)
    version = forms.IntegerField(required=False, min_value=1)
    view = forms.ChoiceField(required=False, choices=[("page", "Page"), ("text", "Text")])
    find = forms.CharField(required=False, max_length=200)
    outline = forms.CharField(required=False, max_length=200)


class FolderForm(forms.ModelForm):
    """A new folder's name."""

    class Meta:
        model = Folder
        fields = ["name"]


class TagForm(forms.Form):
    """A tag to add."""

    tag = forms.CharField(max_length=60)


class TitleForm(forms.Form):
    """A document's new title."""

    title = forms.CharField(max_length=300)
