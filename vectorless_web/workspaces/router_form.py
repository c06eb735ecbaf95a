"""How a workspace chooses documents: the router's settings, each with its usual value when left empty."""

from typing import Any

from django import forms

from vectorless_web.workspaces.models import Workspace

COUNTS = {
    "activate_threshold": ("Open all documents up to", 0, 1_000, "Above so many, the cards of all decide which go on."),
    "max_candidates": ("Documents on the shortlist", 1, 50, "Of these the best are opened."),
    "bm25_top_k": ("Cards looked at closely", 1, 500, "No fewer than the shortlist has."),
}
WEIGHTS = {
    "w_bm25": ("Weight of words", "Words of the question on the card and in the text."),
    "w_keyword": ("Weight of keywords", "Its concepts among the tags and topics."),
    "w_graph": ("Weight of links", "Links to documents that fit well."),
    "w_fields": ("Weight of names and periods", "Names, years, quarters and kinds of document."),
}
MOST_WEIGHT = 10.0


def router_fields() -> dict[str, forms.Field]:
    """A form field for each setting."""
    counts = {
        name: forms.IntegerField(label=label, min_value=least, max_value=most, help_text=hint, required=False)
        for name, (label, least, most, hint) in COUNTS.items()
    }
    weights = {
        name: forms.FloatField(
            label=label, min_value=0.0, max_value=MOST_WEIGHT, step_size=0.05, help_text=hint, required=False
        )
        for name, (label, hint) in WEIGHTS.items()
    }
    return {**counts, **weights}


class RouterForm(forms.Form):
    """The part of the settings that is about choosing documents; mixed into the form of all settings."""

    instance: Workspace

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in router_fields().items():
            field.initial = self.instance.setting(name)
            self.fields[name] = field

    def clean(self) -> dict[str, Any]:
        """Some weight must decide, and the shortlist comes from the cards looked at."""
        values = super().clean() or self.cleaned_data
        for name in (*COUNTS, *WEIGHTS):
            if name in values and values[name] is None:
                values[name] = Workspace.DEFAULTS[name]
        if all(values.get(name) == 0 for name in WEIGHTS):
            self.add_error("w_bm25", "One of the weights must be more than 0.")
        if values.get("bm25_top_k", 0) < values.get("max_candidates", 0) and "bm25_top_k" in values:
            self.add_error("bm25_top_k", "This cannot be less than the documents on the shortlist.")
        return values

    def routing(self) -> dict[str, Any]:
        """The router's settings as typed."""
        return {name: self.cleaned_data[name] for name in (*COUNTS, *WEIGHTS)}
