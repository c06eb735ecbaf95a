"""What people type about a grid: where its documents come from, its questions, a correction."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from vectorless_web.documents.models import Document, Folder
from vectorless_web.documents.selectors import folders_of, readable_documents, tags_of
from vectorless_web.engine.text.numbers import MEASURES, read_unit
from vectorless_web.engine.text.typed import SPANS
from vectorless_web.grids.columns import columns_of_set, offered_sets
from vectorless_web.grids.models import Column, Grid
from vectorless_web.grids.selectors import COLUMNS_MAX, Source
from vectorless_web.grids.services import ColumnValues, GridValues
from vectorless_web.infra.limits import SEARCH_MAX, TITLE_MAX
from vectorless_web.infra.templatetags.show import readable
from vectorless_web.runs.selectors import answerers_of, estimate_of
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User

OFFERED = 200
"""Documents that can be ticked one by one; more come by folder, tag or words of their titles."""
LABEL_MAX = 80


def _list_titles(documents: QuerySet[Document]) -> list[tuple[int, str]]:
    """Keys and titles of documents that can be ticked, written as everywhere else."""
    return [(pk, readable(title)) for pk, title in documents.values_list("pk", "title")[:OFFERED]]


class GridForm(forms.Form):
    """A new grid. Ticked documents count before folder, tag and words."""

    name = forms.CharField(label=_("Name"), max_length=TITLE_MAX)
    columns = forms.ChoiceField(
        label=_("Questions to begin with"),
        required=False,
        help_text=_("A set of the library, or the columns of another grid. Each can be changed afterwards."),
    )
    questions = forms.CharField(
        label=_("Own questions, one a line"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "placeholder": _("What is the notice period?")}),
        help_text=_("Each becomes a column. What kind of value it asks for can be set on the column afterwards."),
    )
    documents = forms.ModelMultipleChoiceField(
        Folder.objects.none(),
        label=_("Documents"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Tick some, or leave all unticked and take them by folder, tag or title."),
    )
    folder = forms.ModelChoiceField(Folder.objects.none(), label=_("Folder"), required=False, empty_label=_("Any"))
    follow = forms.BooleanField(label=_("New documents of this folder become rows"), required=False)
    tag = forms.ChoiceField(label=_("Tag"), required=False)
    search = forms.CharField(label=_("Words of the title"), required=False, max_length=SEARCH_MAX)
    answerer = forms.ChoiceField(label=_("Who answers"), required=False)

    def __init__(self, *args: Any, user: User, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.workspace = workspace
        sets = [("", _("None")), *offered_sets(workspace)]
        self.fields["columns"].choices = sets  # type: ignore[attr-defined]
        folders = [folder.pk for folder in folders_of(workspace, user)]
        self.fields["folder"].queryset = Folder.objects.filter(pk__in=folders)  # type: ignore[attr-defined]
        tags = [("", _("Any")), *((tag, tag) for tag, _count in tags_of(workspace, user))]
        self.fields["tag"].choices = tags  # type: ignore[attr-defined]
        documents = readable_documents(workspace, user).order_by("title", "pk")
        self.fields["documents"].queryset = documents  # type: ignore[attr-defined]
        self.fields["documents"].choices = _list_titles(documents)  # type: ignore[attr-defined]
        offered = answerers_of(workspace)
        self.fields["answerer"].choices = [(row.value, estimate_of(row)) for row in offered]  # type: ignore[attr-defined]
        if len(offered) < 2:
            del self.fields["answerer"]

    def clean_questions(self) -> list[ColumnValues]:
        """The lines as columns of texts."""
        lines = [" ".join(line.split()) for line in self.cleaned_data["questions"].splitlines() if line.strip()]
        if len(lines) > COLUMNS_MAX:
            raise forms.ValidationError(_("A grid has at most %(n)s columns.") % {"n": COLUMNS_MAX})
        longest = Column._meta.get_field("question").max_length or 0
        if any(len(line) > longest for line in lines):
            raise forms.ValidationError(_("A question has at most %(n)s characters.") % {"n": longest})
        return [ColumnValues(shorten_label(line), line) for line in lines]

    def source(self) -> Source:
        """Where the documents come from."""
        values = self.cleaned_data
        folder = values["folder"]
        return Source(
            documents=[document.pk for document in values["documents"]],
            folder=folder.pk if folder else None,
            tag=values["tag"],
            search=values["search"],
        )

    def values(self) -> GridValues:
        """What was typed of the grid itself."""
        typed = self.cleaned_data
        folder = typed["folder"] if typed["follow"] else None
        columns = [*columns_of_set(self.workspace, typed["columns"]), *typed["questions"]]
        return GridValues(typed["name"], columns[:COLUMNS_MAX], folder, typed.get("answerer", ""))


def shorten_label(question: str) -> str:
    """A column's name from its question."""
    return question if len(question) <= LABEL_MAX else f"{question[: LABEL_MAX - 1]}…"


def column_unit(text: str, kind: str) -> str:
    """The code of the one currency or measure of time that a text names, as the kind of value has it; "" for none."""
    unit = read_unit(text)
    if kind == Column.Kind.DURATION:
        return unit.measure if MEASURES.get(unit.measure, ("", 0))[0] in SPANS else ""
    return unit.currency if kind in Column.IN_CURRENCY else ""


class ColumnForm(forms.ModelForm):
    """A column: its name, its question, the kind of its values and how they are shown."""

    choices = forms.CharField(
        label=_("Choices, one a line"), required=False, widget=forms.Textarea(attrs={"rows": 3}), max_length=2000
    )
    scale = forms.TypedChoiceField(
        label=_("Shown in"),
        coerce=lambda typed: int(typed or 1),
        choices=[(1, _("Units")), (1_000, _("Thousands")), (1_000_000, _("Millions")), (1_000_000_000, _("Billions"))],
    )
    decimals = forms.IntegerField(label=_("Decimal places"), required=False, min_value=0, max_value=6)
    unit = forms.CharField(
        label=_("Currency or unit of time"),
        required=False,
        max_length=20,
        help_text=_(
            "USD or months, for instance. A value that is not exactly so much of it, as one in another currency, is "
            "shown as it is and says so."
        ),
    )

    class Meta:
        model = Column
        fields = ("label", "question", "kind", "hint", "choices", "unit", "scale", "decimals")
        labels = {
            "label": _("Name"),
            "question": _("Question"),
            "kind": _("Kind of value"),
            "hint": _("Hint for who answers"),
        }
        widgets = {"question": forms.Textarea(attrs={"rows": 3})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["label"].required = False
        self.initial["choices"] = "\n".join(self.instance.choices)

    def clean_choices(self) -> list[str]:
        """The choices, each once."""
        lines = (" ".join(line.split()) for line in self.cleaned_data["choices"].splitlines())
        return list(dict.fromkeys(line for line in lines if line))

    def clean(self) -> dict[str, Any]:
        """A choice needs something to choose from; a column without a name gets its question's first words."""
        values: dict[str, Any] = super().clean() or {}
        if values.get("kind") == Column.Kind.CHOICE and len(values.get("choices", ())) < 2:
            self.add_error("choices", _("Write at least two choices."))
        self._read_unit(values)
        if not values.get("label"):
            values["label"] = shorten_label(values.get("question", ""))
        return values

    def _read_unit(self, values: dict[str, Any]) -> None:
        """Replace what was typed of a unit by its code; an error where the kind of value has no such unit."""
        typed, kind = values.get("unit", ""), values.get("kind", "")
        values["unit"] = column_unit(typed, kind) if typed else ""
        if not typed or values["unit"]:
            return
        if kind == Column.Kind.DURATION:
            self.add_error("unit", _("Name a unit of time, as days, months or years."))
        elif kind in Column.IN_CURRENCY:
            self.add_error("unit", _("Name a currency by its code, as USD or EUR."))
        else:
            self.add_error("unit", _("Values of this kind have neither a currency nor a unit of time. Leave it empty."))

    def values(self) -> ColumnValues:
        """What was typed."""
        return ColumnValues(**{name: self.cleaned_data[name] for name in self.Meta.fields})

    def _post_clean(self) -> None:
        """Leave the row as it is: the service writes it and looks at what is another."""


class RowsForm(forms.Form):
    """Documents that a grid has no row for yet."""

    documents = forms.ModelMultipleChoiceField(
        Folder.objects.none(), label=_("Documents to add"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, user: User, grid: Grid, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        documents = readable_documents(grid.workspace, user).exclude(pk__in=grid.rows.values("document"))
        self.fields["documents"].queryset = documents  # type: ignore[attr-defined]
        self.fields["documents"].choices = _list_titles(documents.order_by("title", "pk"))  # type: ignore[attr-defined]


class CorrectionForm(forms.Form):
    text = forms.CharField(label=_("What is right"), max_length=5000, widget=forms.Textarea(attrs={"rows": 3}))
    reason = forms.CharField(label=_("Why"), max_length=300)
