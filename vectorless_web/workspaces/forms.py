"""What people may type about workspaces, members, words, models, budgets and the router."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from vectorless_web.engine.llm.capability import Preset
from vectorless_web.engine.questions.lexicon import default_lexicon
from vectorless_web.engine.questions.plan import QUESTION_MAX
from vectorless_web.engine.questions.understand import wordings
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.infra.limits import PHRASE_MAX, RUN_USD_MAX, STEPS_MAX
from vectorless_web.infra.templatetags.show import person
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Budget, LexiconEntry, ModelProvider, Role, Workspace
from vectorless_web.workspaces.selectors import groups_to_add, people_in, provider_choice, usable_providers
from vectorless_web.workspaces.services import check_address

USUAL = ("max_steps", "token_budget", "money_usd", "verify", "second_reader", "runs_private", "same_name")
"""Settings that owners change; hardly anybody needs the others."""
MOST_WEIGHT = 10.0
"""The greatest weight of a signal: ten times that of the strongest by default; more changes nothing that one sees."""
STEP_LIMITS = (6, STEPS_MAX)
"""Steps of a walk that an owner may set; six is what the engine takes when nothing is set."""
TOKEN_LIMITS = (2_000, 200_000)
"""Tokens of evidence that an owner may set: below, hardly a table fits; above, few models read it."""
ROUTE_MODES = [("fast", "Fast"), ("balanced", "Balanced"), ("precise", "Precise")]
SAME_NAMES = [
    ("version", "Becomes the next version of the document"),
    ("keep", "Becomes a document of its own"),
]
PILOTS = [
    ("balanced", "Balanced"),
    ("high_quality", "High quality: a model is asked more often"),
    ("low_cost", "Low cost: a model is asked rarely"),
    ("algorithm_only", "Without guidance"),
]
STRATEGIES = [
    ("beam", "The most promising branches together"),
    ("greedy", "The most promising branch first"),
    ("mcts", "By trial walks (Monte Carlo)"),
]
FUSIONS = [
    ("rrf", "By place in each ranking"),
    ("weighted_rrf", "By place, passages counted twice"),
    ("convex", "By scores"),
]
EXPANSIONS = [
    ("", "Nothing"),
    ("decay", "What passages refer to, nearest first"),
    ("ppr", "What passages refer to, by PageRank"),
]
SHARE: dict[str, Any] = {"min_value": 0.0, "max_value": 1.0, "step_size": 0.05, "required": False}
CAP_LIMITS = (40, 20_000)
"""Characters of a node that an owner may set; one of forty says little more than its heading."""
PHRASES_MAX = 20
"""Wordings of one lexicon entry."""
INVITATION_DAYS = [(1, "1 day"), (7, "7 days"), (30, "30 days")]
"""How long an invitation may be open, as offered."""


class WorkspaceForm(forms.ModelForm):
    """A new workspace."""

    class Meta:
        model = Workspace
        fields = ["name", "description"]
        widgets = {"description": forms.Textarea(attrs={"rows": 2})}


def _count(label: str, least: int, most: int, hint: str) -> forms.IntegerField:
    """A field of the router that is a count. The bounds keep a question in a large workspace quick."""
    return forms.IntegerField(label=label, min_value=least, max_value=most, help_text=hint, required=False)


def _weight(label: str, hint: str) -> forms.FloatField:
    """A field for the weight of one of the router's signals."""
    return forms.FloatField(
        label=label, min_value=0.0, max_value=MOST_WEIGHT, step_size=0.05, help_text=hint, required=False
    )


class SettingsForm(WorkspaceForm):
    """Name, description, the limits of every run in the workspace, and how it chooses documents."""

    max_steps = forms.IntegerField(
        label="Steps a question may take", min_value=STEP_LIMITS[0], max_value=STEP_LIMITS[1]
    )
    token_budget = forms.IntegerField(
        label="Tokens of evidence", min_value=TOKEN_LIMITS[0], max_value=TOKEN_LIMITS[1], step_size=500
    )
    money_usd = forms.FloatField(
        label="US dollars a question may cost",
        min_value=0.001,
        max_value=RUN_USD_MAX,
        required=False,
        help_text="For models with a price. Empty: as much as its tokens and the budgets allow.",
    )
    verify = forms.BooleanField(
        label="A second call checks every answer",
        required=False,
        help_text="It costs about a third more tokens. Without it sentences are quoted and not verified.",
    )
    second_reader = forms.ChoiceField(
        label="Who reads a second time",
        required=False,
        help_text="Another model sees other mistakes. The claims and the passages they cite are sent to its address.",
    )
    runs_private = forms.BooleanField(
        label="Questions are private until whoever asked shares them",
        required=False,
        help_text="Holds for questions asked from now on.",
    )
    same_name = forms.ChoiceField(
        label="A changed file of the same name that a program sends",
        choices=SAME_NAMES,
        required=False,
        help_text="Holds for the API, where a request does not say it. People who upload are asked.",
    )
    route_mode = forms.ChoiceField(label="How documents are chosen", choices=ROUTE_MODES)
    pilot = forms.ChoiceField(label="Effort of the search in a document", choices=PILOTS, required=False)
    strategy = forms.ChoiceField(label="How a document's tree is searched", choices=STRATEGIES, required=False)
    fusion = forms.ChoiceField(label="How rankings are put together", choices=FUSIONS, required=False)
    graph_expand = forms.ChoiceField(label="What is added to the passages found", choices=EXPANSIONS, required=False)
    community = forms.BooleanField(label="Add the rest of a section that was found", required=False)
    min_confidence = forms.FloatField(
        label="Least score of a passage",
        help_text="As a share of the best that is possible, 0 to 1. Empty: none is left out.",
        **SHARE,
    )
    summary_cap = forms.IntegerField(
        label="Characters of a passage, at most",
        min_value=CAP_LIMITS[0],
        max_value=CAP_LIMITS[1],
        required=False,
        help_text="Where passages are packed into the tokens of evidence. Empty: as the site sets it.",
    )
    activate_threshold = _count(
        "Open all documents up to", 0, 1_000, "With more documents than this, the cards of all are compared first."
    )
    max_candidates = _count("Documents on the shortlist", 1, 50, "Of these the best are opened.")
    bm25_top_k = _count("Cards looked at closely", 1, 500, "At least as many as the shortlist has.")
    w_bm25 = _weight("Weight of words", "Words of the question on the card and in the text.")
    w_keyword = _weight("Weight of keywords", "Its concepts among the tags and topics.")
    w_graph = _weight("Weight of links", "Links to documents that fit well.")
    w_fields = _weight("Weight of names and periods", "Names, years, quarters and kinds of document.")
    w_text = _weight("Weight of passages", "What one passage of the document says of the question.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in Workspace.DEFAULTS:
            self.fields[name].initial = self.instance.setting(name)
        readers = self.fields["second_reader"]
        assert isinstance(readers, forms.ChoiceField)
        others = [(provider_choice(row), f"{row.name} ({row.model})") for row in usable_providers(self.instance)]
        readers.choices = [("", "The model that answers"), *others]

    def clean(self) -> dict[str, Any]:
        """What is left empty is as by default. Some weight must decide, and the shortlist is of the cards looked at."""
        values = super().clean() or self.cleaned_data
        values.update(
            (name, Workspace.DEFAULTS[name]) for name in Workspace.DEFAULTS if values.get(name, 0) in (None, "")
        )
        if all(values.get(name) == 0 for name in Workspace.DEFAULTS if name.startswith("w_")):
            self.add_error("w_bm25", "One of the weights must be more than 0.")
        if values.get("bm25_top_k", 0) < values.get("max_candidates", 0) and "bm25_top_k" in values:
            self.add_error("bm25_top_k", "This cannot be less than the documents on the shortlist.")
        return values

    def limits(self) -> dict[str, Any]:
        """The workspace's settings as typed."""
        return {name: self.cleaned_data[name] for name in Workspace.DEFAULTS}

    @property
    def usual(self) -> list[forms.BoundField]:
        """The fields that owners change."""
        return [self[name] for name in (*WorkspaceForm.Meta.fields, *USUAL)]

    @property
    def finer(self) -> list[forms.BoundField]:
        """The fields that hardly anybody needs: how documents are searched and chosen."""
        return [self[name] for name in Workspace.DEFAULTS if name not in USUAL]

    @property
    def is_finer_wrong(self) -> bool:
        """Whether one of the finer fields cannot be used, so that it must be seen."""
        return any(field.errors for field in self.finer)


class InviteForm(forms.Form):
    """An invitation: the role, how long the link is open, and for whom."""

    role = forms.ChoiceField(label="As", choices=Role.choices, initial=Role.MEMBER)
    days = forms.TypedChoiceField(label="Open for", choices=INVITATION_DAYS, coerce=int, initial=7)
    email = forms.EmailField(label="Only for this address", required=False)


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(choices=Role.choices)


class GroupForm(forms.Form):
    """A group of people to let in, and its role."""

    role = forms.ChoiceField(label="As", choices=Role.choices, initial=Role.MEMBER)

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = groups_to_add(workspace)
        self.fields["group"] = forms.ModelChoiceField(rows, label="Group", empty_label="Choose a group")
        self.order_fields(["group"])


class DollarField(forms.DecimalField):
    """An amount of US dollars; it may be zero."""

    default_error_messages = {"min_value": "It cannot be negative."}

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, **options)


class ProviderForm(forms.ModelForm):
    """A chat model behind an OpenAI-compatible address. A stored key is never shown; an empty field keeps it."""

    api_key = forms.CharField(
        label="API key",
        required=False,
        max_length=400,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
    )

    field_order = ("name", "base_url", "model", "api_key")

    class Meta:
        model = ModelProvider
        fields = ["name", "base_url", "model", "price_in", "price_out", "context_size", "pictures", "enabled"]
        field_classes = {"price_in": DollarField, "price_out": DollarField}
        labels = {
            "base_url": "Address",
            "price_in": "USD per million tokens in",
            "price_out": "USD per million tokens out",
            "context_size": "Context size in tokens",
            "pictures": "Pictures of pages",
            "enabled": "In use",
        }
        help_texts = {
            "pictures": "A model that reads pictures may look at charts and scanned pages; these go to its address."
        }

    def __init__(self, *args: Any, workspace: Workspace | None, preset: Preset | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.workspace = workspace
        if preset is not None:
            self._fill_in(preset)

    def _fill_in(self, preset: Preset) -> None:
        self.initial.update(name=preset.label if preset.base_url else "", base_url=preset.base_url)
        if preset.model:
            self.fields["model"].widget.attrs["placeholder"] = preset.model
            self.fields["model"].help_text = f"For example {preset.model}."
        self.fields["api_key"].required = preset.needs_key

    def clean_base_url(self) -> str:
        """The address as it is stored; ValidationError for one to which nothing is sent."""
        try:
            return check_address(self.cleaned_data["base_url"])
        except Problem as problem:
            raise ValidationError(problem.message, code=problem.code) from None

    def clean_api_key(self) -> str:
        """A key travels in a header: one line of plain characters."""
        value: str = self.cleaned_data["api_key"]
        if not (value.isascii() and value.isprintable()):
            raise ValidationError("A key is one line of letters, digits and signs. Copy it again.")
        return value

    def clean(self) -> dict[str, Any]:
        """A name is used once."""
        values = super().clean() or self.cleaned_data
        workspace = values.get("workspace", self.instance.workspace)
        twin = ModelProvider.objects.filter(workspace=workspace, name=values.get("name", ""))
        if twin.exclude(pk=self.instance.pk).exists():
            self.add_error("name", "There is a model of this name already.")
        return values


class PersonField(forms.ModelChoiceField):
    """A choice among people, by the names that others read."""

    def label_from_instance(self, user: Any) -> str:
        """The name of one."""
        return person(user)


class BudgetForm(forms.ModelForm):
    """What a workspace, or one of its members, may spend."""

    class Meta:
        model = Budget
        fields = ["user", "period", "limit_usd", "warn_percent"]
        field_classes = {"user": PersonField, "limit_usd": DollarField}
        labels = {"user": "For", "period": "In", "limit_usd": "At most, in USD", "warn_percent": "Warn at, in percent"}

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.workspace = workspace
        warn = self.fields["warn_percent"]
        warn.required, warn.initial = False, None
        warn.widget.attrs["placeholder"] = "80"
        people = self.fields["user"]
        assert isinstance(people, forms.ModelChoiceField)
        people.queryset = people_in(workspace)
        people.empty_label = "The whole workspace"
        people.required = False

    def budget(self) -> Budget:
        """The budget as typed, unsaved; without a share to warn at where none was typed."""
        return Budget(workspace=self.workspace, **{name: self.cleaned_data[name] for name in self.Meta.fields})


def _list_statements() -> list[tuple[str, str]]:
    kinds = [(kind.name, kind.titles[0].capitalize()) for kind in default_lexicon().statements]
    return [("", "No statement"), *kinds]


class LexiconEntryForm(forms.ModelForm):
    """A workspace's own words: how people ask, and how documents word it, one wording to a line."""

    phrases = forms.CharField(
        label="Documents say",
        help_text="One wording to a line, as it stands in the documents.",
        max_length=PHRASES_MAX * (PHRASE_MAX + 2),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    statement = forms.ChoiceField(
        label="It is a figure of",
        choices=_list_statements,
        required=False,
        help_text="For figures that stand in a primary statement.",
    )

    class Meta:
        model = LexiconEntry
        fields = ["concept", "phrases", "statement", "note"]
        labels = {"concept": "People ask for"}
        help_texts = {"concept": "A term, an acronym or a nickname; separate several by commas."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["phrases"] = "\n".join(self.instance.phrases)

    def clean_concept(self) -> str:
        """At least one name, and none that search leaves out."""
        value = " ".join(self.cleaned_data["concept"].split())
        if not wordings(value):
            raise ValidationError("Write at least one term.")
        _refuse_small_words(wordings(value))
        return value

    def clean_phrases(self) -> list[str]:
        """The wordings, each once."""
        lines = [" ".join(line.split()) for line in self.cleaned_data["phrases"].splitlines()]
        phrases = list(dict.fromkeys(line for line in lines if line))
        if len(phrases) > PHRASES_MAX:
            raise ValidationError(f"There are {len(phrases)} wordings; {PHRASES_MAX} are the most.")
        long = next((phrase for phrase in phrases if len(phrase) > PHRASE_MAX), None)
        if long:
            raise ValidationError(f"“{long[:40]}…” is longer than {PHRASE_MAX} characters.")
        _refuse_small_words(phrases)
        return phrases


class PreviewForm(forms.Form):
    """A question to try the lexicon with."""

    question = forms.CharField(label="Question", max_length=QUESTION_MAX)


class DeleteForm(forms.Form):
    """The workspace's name, typed to confirm that it shall be deleted."""

    name = forms.CharField(label="Type the workspace's name")

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.workspace = workspace

    def clean_name(self) -> str:
        """The very name."""
        if self.cleaned_data["name"] != self.workspace.name:
            raise ValidationError("This is not the workspace's name.")
        return self.workspace.name


def _refuse_small_words(texts: Iterable[str]) -> None:
    """ValidationError for a wording of which nothing is left once "the", "of" and the like are dropped."""
    for text in texts:
        if not analyse(text):
            raise ValidationError(f"“{text}” has no word that could be searched for.")
