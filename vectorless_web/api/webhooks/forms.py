"""The form that adds a webhook."""

from django import forms

from vectorless_web.api.models import EventKind


class WebhookForm(forms.Form):
    """An address and what it is told of."""

    address = forms.CharField(
        label="Address", max_length=500, help_text="Begins with https://. Events are posted there as JSON."
    )
    events = forms.MultipleChoiceField(
        label="Told of", choices=EventKind.choices, widget=forms.CheckboxSelectMultiple, initial=EventKind.values
    )
