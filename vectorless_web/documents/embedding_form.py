"""What an owner may type about the embedding model of a workspace."""

from decimal import Decimal
from typing import Any

from django import forms

from vectorless_web.documents.models import EmbeddingChoice
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import providers_for

PASSAGE_TOKENS = (64, 32_000)


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
        labels = {"provider": "Address and key of", "model": "Embedding model", "price": "USD per million tokens"}
        help_texts = {"model": "Its name as the server knows it, for example text-embedding-3-small."}

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.workspace = workspace
        providers = forms.ModelChoiceField(queryset=providers_for(workspace), label="Address and key of")
        providers.empty_label = None
        self.fields["provider"] = providers
        self.fields["price"].widget.attrs["min"] = "0"
        self.fields["max_tokens"].initial = self.instance.max_tokens

    def clean_model(self) -> str:
        """The name without spaces around it."""
        return str(self.cleaned_data["model"]).strip()

    def clean_price(self) -> Decimal:
        """Not negative."""
        value: Decimal = self.cleaned_data["price"]
        if value < 0:
            raise forms.ValidationError("A price cannot be negative.")
        return value
