"""What people type about sets, golden questions and evaluations."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from vectorless_web.engine.questions.plan import QUESTION_MAX
from vectorless_web.evaluations.models import GoldenSet
from vectorless_web.evaluations.reading import TEXT_MAX, Typed, check_typed, split_parts
from vectorless_web.infra.limits import STEPS_MAX, TITLE_MAX
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.selectors import answerers_of, estimate_of
from vectorless_web.workspaces.models import Workspace


class SetForm(forms.Form):
    """A new set; `asked` is the run that it is made for, if any."""

    name = forms.CharField(label=_("Name of a new set"), max_length=TITLE_MAX)
    asked = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)


class ScheduleForm(forms.Form):
    """When a set is evaluated by itself."""

    schedule = forms.ChoiceField(label=_("Evaluate"), choices=GoldenSet.Schedule.choices, required=False)


class QuestionForm(forms.Form):
    """One golden question."""

    question = forms.CharField(label=_("Question"), max_length=QUESTION_MAX, widget=forms.Textarea(attrs={"rows": 2}))
    documents = forms.CharField(
        label=_("Documents"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Titles or file names, one a line. Empty: the whole workspace but for its restricted folders."),
    )
    is_absent = forms.BooleanField(label=_("The documents do not answer it"), required=False)
    value = forms.CharField(
        label=_("Expected value"),
        required=False,
        max_length=200,
        help_text=_("A number with its unit, a date or a name: “1,577 million”, “12.5%”, “14 March 2019”."),
    )
    mentions = forms.CharField(
        label=_("Must say"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("One thing a line, other wordings of it after a bar: “ten|10”."),
    )
    text = forms.CharField(
        label=_("Expected answer"),
        required=False,
        max_length=TEXT_MAX,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Scored by its words only where no value and nothing that must be said is given."),
    )
    pages = forms.CharField(
        label=_("Expected pages"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("“14, 15”, or “report.pdf: 14” where several documents are asked."),
    )
    quote = forms.CharField(
        label=_("Expected quote"), required=False, max_length=TEXT_MAX, widget=forms.Textarea(attrs={"rows": 2})
    )
    tags = forms.CharField(label=_("Tags"), required=False, max_length=300, help_text=_("Separated by semicolons."))

    def clean(self) -> dict[str, Any]:
        """Something must be expected of the answer."""
        values = super().clean() or self.cleaned_data
        if "question" in values:
            try:
                check_typed(self.typed())
            except Problem as problem:
                raise forms.ValidationError(problem.message, code=problem.code) from problem
        return values

    def typed(self) -> Typed:
        """The question as typed."""
        values = self.cleaned_data
        return Typed(
            values["question"],
            documents=split_parts(values.get("documents", "")),
            text=values.get("text", ""),
            value=values.get("value", ""),
            mentions=split_parts(values.get("mentions", "")),
            pages=split_parts(values.get("pages", "")),
            quote=values.get("quote", ""),
            is_absent=bool(values.get("is_absent")),
            tags=split_parts(values.get("tags", "")),
        )


def fill_form(row: dict[str, Any]) -> QuestionForm:
    """The form with a golden question's row as `write_row` gives it."""
    lines = {name: "\n".join(row[name]) for name in ("documents", "mentions", "pages")}
    return QuestionForm(initial={**row, **lines, "tags": "; ".join(row["tags"])})


class EvaluationForm(forms.Form):
    """Under which setting a set is asked."""

    answerer = forms.ChoiceField(label=_("Answered by"))
    max_steps = forms.IntegerField(
        label=_("Steps a question may take"),
        required=False,
        min_value=1,
        max_value=STEPS_MAX,
        help_text=_("Empty: as the workspace's settings say."),
    )
    judge = forms.ChoiceField(
        label=_("Prose judged by"),
        required=False,
        help_text=_("One call more for each answer in words. What the judge says stands beside the score."),
    )
    expand = forms.BooleanField(label=_("Look for synonyms too"), required=False, initial=True)

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = answerers_of(workspace)
        models = [(row.value, row.label) for row in offered if row.model]
        self._offer("answerer", [(row.value, f"{row.label}: {estimate_of(row)}") for row in offered])
        self._offer("judge", [("", _("Nobody")), *models])
        if not models:
            del self.fields["judge"]

    def _offer(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
