"""What a question form holds: the question, where to look, how far to go."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import zip_longest
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.translation import get_language

from vectorless_web.documents.models import Card, Document, Folder
from vectorless_web.documents.selectors import folders_of, readable_documents
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import answerers_of, estimate_of
from vectorless_web.runs.services import is_private_anyway
from vectorless_web.workspaces.forms import CAP_LIMITS, EXPANSIONS, FUSIONS, PILOTS, SHARE, STRATEGIES
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User, used_up_budget

STEP_CHOICES = (6, 12, 20, 30)
"""Steps of a walk that the form offers, from the default to the most that is allowed."""
CHOICES_SHOWN = 50
"""Documents on one page of the choice of documents."""
WORDS_SEARCHED = 8
"""Words of a search that are used: each adds a condition to the query."""
TAGS_SHOWN = 4
"""Tags, the most used ones, that are offered as a scope."""
STARTERS_SHOWN = 3
"""Questions to begin with that the page offers."""
STARTERS_SOUGHT = 200
"""Documents, the newest, that are looked at for questions to begin with: nearly every one that has figures has some."""
FOLDERS_SHOWN = 4
"""Folders that are offered as a scope."""


KINDS = [
    ("", "Everything"),
    ("paragraph", "Paragraphs"),
    ("table", "Tables"),
    ("list", "Lists"),
    ("footnote", "Footnotes"),
    ("caption", "Captions"),
    ("figure", "Figures"),
    ("code", "Code"),
    ("equation", "Equations"),
]
USUAL = ("", "As the workspace has it")
PROPERTIES = {"on_page": "page", "part": "label"}
"""Fields of the form and the property of a node that each filters by."""
PART_MAX = 200
"""Characters of the name of a part: that of a heading's number or label."""


class SearchForm(forms.Form):
    """What a question may set of its search; what is left empty is as the workspace has it."""

    label = forms.ChoiceField(label="Only look at", choices=KINDS, required=False)
    on_page = forms.IntegerField(label="Only on page", min_value=1, max_value=1_000_000, required=False)
    part = forms.CharField(
        label="Only in the part called",
        max_length=PART_MAX,
        required=False,
        help_text="As the document writes it: Note 7, Item 1A, 2.3.",
    )
    created_after = forms.DateField(label="Documents dated from", required=False)
    created_before = forms.DateField(label="Documents dated before", required=False)
    pilot = forms.ChoiceField(label="Effort of the search in a document", choices=[USUAL, *PILOTS], required=False)
    strategy = forms.ChoiceField(
        label="How a document's tree is searched", choices=[USUAL, *STRATEGIES], required=False
    )
    fusion = forms.ChoiceField(label="How rankings are put together", choices=[USUAL, *FUSIONS], required=False)
    graph_expand = forms.ChoiceField(
        label="What is added to the passages found",
        choices=[USUAL, ("none", "Nothing"), *EXPANSIONS[1:]],
        required=False,
    )
    community = forms.ChoiceField(
        label="Add the rest of a section that was found", choices=[USUAL, ("yes", "Yes"), ("no", "No")], required=False
    )
    min_confidence = forms.FloatField(label="Least score of a passage, 0 to 1", **SHARE)
    summary_cap = forms.IntegerField(
        label="Characters of a passage, at most", min_value=CAP_LIMITS[0], max_value=CAP_LIMITS[1], required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "search-%s", **kwargs})
        for name in ("created_after", "created_before"):
            self.fields[name].widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    @property
    def filters(self) -> list[forms.BoundField]:
        """What is searched at all."""
        return [self[name] for name in ("label", "on_page", "part", "created_after", "created_before")]

    @property
    def ways(self) -> list[forms.BoundField]:
        """How it is searched."""
        return [field for field in self if field not in self.filters]

    def chosen(self) -> dict[str, Any]:
        """What was set, by the names of engine.agent.state.Settings."""
        given = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        found = {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in given.items()}
        where = {name: found.pop(field) for field, name in PROPERTIES.items() if field in found}
        found |= {"where": where} if where else {}
        found |= {"community": found["community"] == "yes"} if "community" in found else {}
        return found | ({"graph_expand": ""} if found.get("graph_expand") == "none" else {})

    @classmethod
    def refill(cls, chosen: dict[str, Any]) -> "SearchForm":
        """The form as it was filled in for an earlier question."""
        where = chosen.get("where", {})
        shown = chosen | {field: where.get(name) for field, name in PROPERTIES.items()}
        shown |= {"community": "yes" if chosen["community"] else "no"} if "community" in chosen else {}
        return cls(
            initial=shown | ({"graph_expand": chosen["graph_expand"] or "none"} if "graph_expand" in chosen else {})
        )


OPEN_ALONE = "open"
"""The scope of the whole workspace but for its restricted folders."""


@dataclass(frozen=True)
class Scope:
    """One place to look, as a chip of the form."""

    value: str
    label: str
    count: int | None
    kind: str


@dataclass(frozen=True)
class Starter:
    """A question that a document was seen to answer."""

    question: str
    document: Document


@dataclass(frozen=True)
class DocumentChoices:
    """Documents to choose from as (id, title): the ticked ones, one page of the others, the number of the next."""

    ticked: Sequence[tuple[int, str]]
    others: Sequence[tuple[int, str]]
    search: str = ""
    next_page: int | None = None


@dataclass(frozen=True)
class AskedForm:
    """What somebody sent. `scope` and `chosen` say which documents are meant."""

    question: str
    scope: str
    chosen: tuple[int, ...]
    max_steps: int | None
    thread: int | None
    expand: bool = True
    answerer: str = ""
    again: int | None = None
    """The run whose question is asked once more, changed or not."""
    money_usd: str = ""
    """The most to spend, in US dollars, as it was typed; "" for the workspace's own limit."""
    private: bool = False
    search: SearchForm = field(default_factory=SearchForm)

    @classmethod
    def read(cls, data: QueryDict) -> "AskedForm":
        """Take the fields from a POST; a number that is none counts as not given.

        The form sends `expand` as "no", and as "yes" after it when the box is ticked.
        """
        return cls(
            question=data.get("question", ""),
            scope=data.get("scope", "").replace("\0", "") or "all",
            chosen=tuple(
                number for text in data.getlist("documents") if (number := parse_whole_number(text)) is not None
            ),
            max_steps=parse_whole_number(data.get("max_steps", "")),
            thread=parse_whole_number(data.get("thread", "")),
            expand=data.get("expand", "yes") == "yes",
            answerer=data.get("answerer", "").replace("\0", ""),
            again=parse_whole_number(data.get("again", "")),
            money_usd=data.get("money_usd", "").replace("\0", "").strip()[:40],
            private=data.get("private") == "yes",
            search=SearchForm(data),
        )


def read_prefill(data: QueryDict, workspace: Workspace) -> AskedForm | None:
    """What a link to the form filled in: a question, chosen documents; None when it filled in nothing."""
    form = AskedForm.read(data)
    if not form.question and not form.chosen:
        return None
    steps = form.max_steps or workspace.setting("max_steps")
    return replace(form, scope="documents" if form.chosen else "all", max_steps=steps, thread=None, again=None)


def documents_meant(form: AskedForm, workspace: Workspace, user: User) -> list[int] | None:
    """The ids of the documents the form's scope means; None for the whole workspace."""
    kind, _, value = form.scope.partition(":")
    if kind == "documents":
        return list(form.chosen)
    rows = readable_documents(workspace, user)
    if kind == "folder":
        return list(rows.filter(folder=parse_whole_number(value)).values_list("pk", flat=True))
    if kind == "tag":
        # Databases store the letters of JSON texts in different ways: the tags are compared here.
        return [pk for pk, tags in rows.exclude(tags=[]).values_list("pk", "tags") if value in tags]
    return None


class AskBox:
    """The form as the page shows it: empty, following up on a run (its scope, its thread), or as it was sent."""

    def __init__(
        self,
        workspace: Workspace,
        user: User,
        *,
        sent: AskedForm | None = None,
        follows: Run | None = None,
        error: str = "",
    ) -> None:
        self.sent = sent = sent or _make_new_form(workspace, follows)
        self.error = error
        self._workspace, self._user = workspace, user
        self._rows = readable_documents(workspace, user).select_related(None)
        self.documents = list(self._rows.filter(pk__in=sent.chosen).only("pk", "title")) if sent.chosen else []
        self.max_steps = sent.max_steps or workspace.setting("max_steps")
        self.step_choices = sorted({*STEP_CHOICES, self.max_steps})
        self.search_fields = _render_search(sent.search)
        """How to search, as the form shows it: safe HTML."""
        self.private = None if is_private_anyway(workspace, follows) else sent.private
        """Whether only who asks is to see it; None where it is so anyway."""
        answerers = answerers_of(workspace)
        self.usual = answerers[0]
        """Who answers unless another is chosen."""
        self.answerers = [(row.value, estimate_of(row)) for row in answerers] if len(answerers) > 1 else []
        """Who can be asked and what that costs at most; empty where only one can."""
        self.estimate = "" if self.answerers else estimate_of(self.usual)
        self.most_usd = workspace.setting("money_usd")
        """The workspace's own limit; None for none."""
        self.may_cost = any(row.usd_per_million for row in answerers)
        """Whether who can answer costs anything."""
        self.used_up = used_up_budget(workspace, user) if self.may_cost else None
        """The budget that pays for no call of a model at present; None while there is room, or nothing costs."""

    def scopes(self) -> list[Scope]:
        """Where to look, for the page that offers it."""
        whole = Scope("all", "Whole workspace", self._rows.count(), "all")
        return [whole, *_open_alone(self._rows), *_folders(self._workspace, self._user), *_tags(self._rows)]

    def starters(self) -> list[Starter]:
        """Questions to begin with, for the page that offers them."""
        return [] if self.sent.question else _find_starters(self._rows, self.sent.chosen)


def _render_search(search: SearchForm) -> str:
    """The fields as the form shows them."""
    if search.is_bound or search.initial:
        return render_to_string("runs/_search_fields.html", {"search": search})
    return _render_blank_search(get_language())


@cache
def _render_blank_search(_language: str | None) -> str:
    """The empty fields, which are the same for everybody: they take a tenth of the time of a page that has them."""
    return render_to_string("runs/_search_fields.html", {"search": SearchForm()})


def _find_starters(documents: QuerySet[Document], chosen: Sequence[int]) -> list[Starter]:
    """Questions of the chosen documents in turns, or of those that came last; the same wording of two editions once."""
    meant = documents.filter(pk__in=chosen) if chosen else documents
    newest = list(meant.order_by("-pk").values_list("current_version", flat=True)[:STARTERS_SOUGHT])
    cards = Card.objects.filter(version__in=newest).exclude(question_hints=[])
    cards = cards.select_related("version__document").only("question_hints", "version__document__title")
    latest = cards.order_by("-version__document_id")[:STARTERS_SHOWN]
    asked = [[Starter(question, card.version.document) for question in card.question_hints] for card in latest]
    found: dict[str, Starter] = {}
    for starter in (starter for turn in zip_longest(*asked) for starter in turn if starter):
        found.setdefault(starter.question, starter)
    return list(found.values())[:STARTERS_SHOWN]


def _make_new_form(workspace: Workspace, follows: Run | None) -> AskedForm:
    """A form with nothing asked yet: a new one, or one that goes on where a run left off."""
    if follows is None:
        return AskedForm("", "all", (), workspace.setting("max_steps"), None)
    chosen = () if follows.whole_workspace else tuple(follows.documents.values_list("pk", flat=True))
    return AskedForm(
        question="",
        scope="documents" if chosen else "all",
        chosen=chosen,
        max_steps=workspace.setting("max_steps"),
        thread=follows.thread_id,
        expand=follows.settings.get("expand", True),
        answerer=follows.settings.get("answerer", ""),
    )


def refill_form(run: Run) -> AskedForm:
    """The form with a run's own question, scope and choices, to be changed and asked again."""
    money = run.settings.get("money_typed")
    return replace(
        _make_new_form(run.workspace, run),
        question=run.question,
        max_steps=run.settings.get("max_steps"),
        again=run.pk,
        money_usd="" if money is None else f"{money:g}",
        search=SearchForm.refill(run.settings.get("searched", {})),
    )


def choices_of(
    workspace: Workspace, user: User, ticked: Iterable[Document] = (), *, search: str = "", page: int = 1
) -> DocumentChoices:
    """One page of the documents that can be ticked: on the first those that are, then the others by title."""
    chosen = [(document.pk, document.title) for document in ticked]
    rows = readable_documents(workspace, user).exclude(pk__in=[pk for pk, _ in chosen]).order_by("title", "pk")
    for word in search.split()[:WORDS_SEARCHED]:
        rows = rows.filter(title__icontains=word)
    first = (max(page, 1) - 1) * CHOICES_SHOWN
    found = list(rows.values_list("pk", "title")[first : first + CHOICES_SHOWN + 1])
    more = page + 1 if len(found) > CHOICES_SHOWN else None
    return DocumentChoices(chosen if page <= 1 else [], found[:CHOICES_SHOWN], search, more)


def _open_alone(documents: QuerySet[Document]) -> list[Scope]:
    """For who sees restricted folders: everything else, so that the whole team may see the answer."""
    if not documents.filter(folder__restricted=True).exists():
        return []
    count = documents.exclude(folder__restricted=True).count()
    return [Scope(OPEN_ALONE, "Without restricted folders", count, "all")]


def _folders(workspace: Workspace, user: User) -> list[Scope]:
    folders: list[Folder] = folders_of(workspace, user)
    return [
        Scope(f"folder:{row.pk}", row.name, row.document_count, "folder")  # type: ignore[attr-defined]
        for row in folders[:FOLDERS_SHOWN]
        if row.document_count  # type: ignore[attr-defined]
    ]


def _tags(documents: QuerySet[Document]) -> list[Scope]:
    counts: dict[str, int] = {}
    for tags in documents.exclude(tags=[]).values_list("tags", flat=True):
        for tag in tags:
            counts[tag] = counts.get(tag, 0) + 1
    most_used = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TAGS_SHOWN]
    return [Scope(f"tag:{tag}", tag, count, "tag") for tag, count in most_used]
