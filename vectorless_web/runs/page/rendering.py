"""From rows to what the run page shows, and a step as plain JSON. One builder for first and live rendering."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.infra.templatetags.show import person
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Answer, Citation, Claim, ModelCall, Run, Step
from vectorless_web.workspaces.rendering import AddedTerms, read_added_terms
from vectorless_web.workspaces.selectors import OFFLINE

KIND_LABELS = {
    "route": gettext_lazy("Choosing documents"),
    "scan": gettext_lazy("Looking over"),
    "retrieve": gettext_lazy("Finding passages"),
    "navigate": gettext_lazy("Searching sections"),
    "extract": gettext_lazy("Reading"),
    "synthesize": gettext_lazy("Writing"),
    "verify": gettext_lazy("Checking"),
    "finalize": gettext_lazy("Ending"),
}


QUOTES_SHOWN = 3
"""Quotes of a step that its row shows."""
WORDS_SHOWN = 6
"""Wordings of documents that a step's row shows as looked for too."""


@dataclass(frozen=True)
class QuoteView:
    """Words a step copied, and where they stand."""

    quote: str
    where: str
    page: int | None


@dataclass(frozen=True)
class RefView:
    """A node a step touched; pages from 1."""

    title: str
    page_start: int
    page_end: int
    role: str
    url: str
    sheet_url: str
    document: str = ""
    """The title of its document; "" when the version was purged."""
    node: str = ""
    """ "version/key", by which the map finds its dot; "" when the version was purged."""


@dataclass(frozen=True)
class NamedDocument:
    """A document that a step is about; `id` is its number as text."""

    id: str
    title: str


@dataclass(frozen=True)
class RoutedView:
    """A document that the router looked at: opened, or just not."""

    document: int
    title: str
    reason: str
    opened: bool


@dataclass(frozen=True)
class AdviceView:
    """One decision of a pilot: where it was asked, what came of it and why, how sure it was, what it cost."""

    point: str
    say: str
    confidence: float
    tokens: int


@dataclass(frozen=True)
class StepView:
    """A step's card. `number` counts the run's steps from 1; `markers` are citations whose passage it read first."""

    sequence: int
    number: int
    kind: str
    kind_label: str
    say: str
    thought: str
    seconds: float
    tokens: int
    cost_usd: float
    engine: str
    dead: bool
    broken: bool
    quotes: Sequence[QuoteView]
    refs: Sequence[RefView]
    rejected: Sequence[dict[str, Any]]
    markers: Sequence[int]
    documents: Sequence[NamedDocument] = ()
    added: Sequence[AddedTerms] = ()
    """What the lexicon added to the question; on the first routing step."""
    added_words: Sequence[str] = ()
    unexpanded: bool = False
    routed: Sequence[RoutedView] = ()
    """Of a step that chose documents: those opened, then the near misses."""
    note: str = ""
    search: Sequence[str] = ()
    """Of a search of sections: which were entered and which put aside, and why, a line each."""
    search_cost: str = ""
    advice: Sequence[AdviceView] = ()
    """What the pilot decided, in order."""
    retrieved: Sequence[str] = ()
    """What each retrieval saw and left out, a line each."""
    warnings: Sequence[dict[str, Any]] = ()

    @property
    def is_of_one(self) -> bool:
        """Whether the step is about one document alone."""
        return len(self.documents) == 1


@dataclass(frozen=True)
class TraceRow:
    """Steps that the trace shows as one row: all about one `document` folded under its name, or a step alone."""

    steps: Sequence[StepView]
    document: NamedDocument | None = None
    open: bool = False


@dataclass(frozen=True)
class NowView:
    """What a run is doing at the moment."""

    say: str
    kind: str
    since: datetime


class StepCardMaker:
    """Makes the cards of one run's steps; it holds the addresses of the documents and pages they touched."""

    def __init__(self, run: Run, versions: Iterable[DocumentVersion], citations: Sequence[Citation] = ()) -> None:
        self._run = run
        self._versions = {str(version.document_id): version for version in versions}
        self._unread = {citation.marker: citation for citation in citations}

    def card(self, step: Step, number: int) -> StepView:
        """The card of one step."""
        question = _question(step)
        added = read_added_terms(question)
        return StepView(
            sequence=step.sequence,
            number=number,
            kind=step.kind,
            kind_label=str(KIND_LABELS.get(step.kind, step.kind)),
            say=step.say,
            thought=step.thought,
            seconds=step.latency_ms / 1000,
            tokens=step.tokens,
            cost_usd=float(step.cost_usd),
            engine=step.engine,
            dead=any(ref.get("role") == "turned_back" for ref in step.refs),
            broken="error" in step.observation,
            quotes=_quotes(step),
            refs=[view for ref in _merge_refs(step.refs) if (view := self._ref(ref))],
            rejected=step.rejected,
            markers=self._take_read(step),
            documents=[
                NamedDocument(name, self._versions[name].document.title)
                for name in step.documents
                if name in self._versions
            ],
            added=added,
            added_words=_words_of(added),
            unexpanded=question.get("expand") is False,
            routed=_list_routed(step),
            note=_note(step),
            search=[line for line in _list_of(step, "log") if isinstance(line, str)],
            search_cost=_describe_search_cost(step),
            advice=[_show_advice(row) for row in _list_of(step, "advice") if isinstance(row, dict)],
            retrieved=list(filter(None, map(_describe_retrieval, _list_retrievals(step)))),
            warnings=_list_warnings(step),
        )

    def _ref(self, ref: dict[str, Any]) -> RefView | None:
        version = self._versions.get(ref["document"])
        slug, page = self._run.workspace.slug, ref["page_start"] + 1
        document = int(ref["document"]) if str(ref["document"]).isdigit() else 0
        return RefView(
            title=ref["title"],
            page_start=page,
            page_end=ref["page_end"] + 1,
            role=ref.get("role", "walked"),
            url=reverse("documents:detail", args=[slug, document]) + f"?page={page}",
            sheet_url=reverse("runs:sheet", args=[slug, self._run.pk, version.pk, page]) if version else "",
            document=version.document.title if version else "",
            node=f"{version.pk}/{ref['key']}" if version else "",
        )

    def _take_read(self, step: Step) -> list[int]:
        """Citations whose passage this step read, and none before it."""
        refs = [ref for ref in step.refs if ref.get("role") == "read"]
        found = sorted(marker for marker, row in self._unread.items() if any(_holds(ref, row) for ref in refs))
        for marker in found:
            del self._unread[marker]
        return found


def _holds(ref: dict[str, Any], citation: Citation) -> bool:
    """Whether a passage that was read has the cited node, or begins above it on the same page."""
    if citation.version is None or str(citation.version.document_id) != str(ref["document"]):
        return False
    on_page = ref["page_start"] <= citation.page_index <= ref["page_end"]
    return ref["key"] == citation.node_key or (on_page and ref["key"] < citation.node_key)


def group_steps(steps: Sequence[StepView], *, live: bool = False) -> list[TraceRow]:
    """The rows of a trace over several documents: each document's steps together, at the place of the first.

    A document's only step is shown as it is. Of a run under way (`live`) the document of the last step is open.
    """
    if len({document.id for step in steps for document in step.documents}) < 2:
        return [TraceRow([step]) for step in steps]
    rows: dict[str, list[StepView]] = {}
    for step in steps:
        rows.setdefault(f"of-{step.documents[0].id}" if step.is_of_one else f"step-{step.sequence}", []).append(step)
    return [
        TraceRow(
            group,
            group[0].documents[0] if group[0].is_of_one else None,
            open=len(group) == 1 or (live and steps[-1] in group),
        )
        for group in rows.values()
    ]


def citations_in(claims: Sequence[Claim]) -> list[Citation]:
    """One citation for each marker, in order."""
    found: dict[int, Citation] = {}
    for claim in claims:
        for citation in claim.citations.all():
            found.setdefault(citation.marker, citation)
    return [found[marker] for marker in sorted(found)]


def citations_of(run: Run, claims: Sequence[Claim]) -> list[Citation]:
    """The citations of a run's claims and the closest passages, one for each marker, in order."""
    shown = {citation.marker: citation for citation in (*selectors.passages_of(run), *citations_in(claims))}
    return [shown[marker] for marker in sorted(shown)]


def name_documents(claims: Sequence[Claim]) -> None:
    """Give each claim of an answer from several documents the titles of those that it cites, as `named`."""
    titles = [list(dict.fromkeys(row.document_title for row in claim.citations.all())) for claim in claims]
    if len({title for named in titles for title in named}) > 1:
        for claim, named in zip(claims, titles, strict=True):
            claim.named = named  # type: ignore[attr-defined]


@dataclass(frozen=True)
class ShownPassage:
    """A passage that comes close: its words in three parts, the middle one lit; of a table the rows instead.

    `citation` is where it is. A passage that an earlier version stored has its quote alone, all of it lit.
    """

    citation: Citation
    before: str
    lit: str
    after: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    lit_row: int = -1
    """The number of the lit row, counting the column names as row 0; -1 for none."""
    lead_in: str = ""
    path: Sequence[str] = ()
    holds: Sequence[str] = ()
    lacks: Sequence[str] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the passage around the quote is known."""
        return self.citation.passage is not None


def show_passage(citation: Citation) -> ShownPassage:
    """A closest passage as it is shown."""
    row = citation.passage
    if row is None:
        return ShownPassage(citation, "", citation.quote, "")
    text, start, end = row["text"], row["lit_start"], row["lit_end"]
    columns, *rows = row["rows"] or [[]]
    return ShownPassage(
        citation,
        text[:start],
        text[start:end],
        text[end:],
        columns,
        rows,
        row["lit_row"],
        row["lead_in"],
        [heading for heading in row["path"] if heading != citation.document_title],
        row["holds"],
        row["lacks"],
    )


def closest_line(run: Run) -> str:
    """The sentence above the closest passages of a run."""
    if run.status == Run.Status.CANCELLED:
        return _("These passages had been found when it was stopped.")
    if run.has_answer:
        return _("These passages come closest to the question.")
    if run.model:
        return run.reason or _("These passages come closest.")
    if run.settings.get("answerer") == OFFLINE:
        return _("No model was asked. These passages come closest.")
    return _("No model is connected. These passages come closest.")


def unknown_line(run: Run, answer: Answer | None) -> str:
    """Which words of the question stand nowhere in its scope, in a sentence; "" for none, and where all is answered."""
    words = answer.unknown_words if answer and run.status != Run.Status.ANSWERED else []
    said = ngettext("%(words)s stands in no document here.", "%(words)s stand in no document here.", len(words))
    return said % {"words": ", ".join(f"“{word}”" for word in words)} if words else ""


def unread_lines(steps: Sequence[Step], versions: Iterable[DocumentVersion]) -> list[str]:
    """What could not be read: documents that were left out, and pages without text of those that were opened."""
    lines = []
    for version in versions:
        pages = version.unread_pages
        if not pages:
            continue
        if version.was_late:
            one = "%(n)d of %(of)d pages of %(title)s has not been read."
            many = "%(n)d of %(of)d pages of %(title)s have not been read."
        else:
            one = "%(n)d of %(of)d pages of %(title)s has no text and could not be read."
            many = "%(n)d of %(of)d pages of %(title)s have no text and could not be read."
        lines.append(ngettext(one, many, pages) % {"n": pages, "of": version.pages, "title": version.document.title})
    left_out = [row["title"] for step in steps for row in step.observation.get("left_out") or [] if "title" in row]
    said = _("%(title)s was being read again and was left out.")
    return lines + [said % {"title": title} for title in dict.fromkeys(left_out)]


def now_of(run: Run, *, mine: bool = False) -> NowView | None:
    """What the run is doing, told to who asked it (`mine`) or to others; None once it has ended."""
    if run.status == Run.Status.QUEUED:
        say = _("Going on after an interruption") if run.attempt > 1 else _describe_waiting(run, mine=mine)
        return NowView(say, "", run.created_at)
    if run.status == Run.Status.RUNNING:
        if run.asked_model_at and run.model and not run.cancel_requested:
            return NowView(_("Waiting for %(model)s") % {"model": run.model}, run.phase or "route", run.asked_model_at)
        say = _("Stopping") if run.cancel_requested else _describe_activity(run)
        return NowView(say, run.phase or "route", run.started_at or run.created_at)
    return None


def _describe_waiting(run: Run, *, mine: bool) -> str:
    """Its place in the line, and who else's turn comes before when its person has asked more."""
    line = selectors.waiting_of(run)
    if line is None:
        return _("Waiting for a free worker")
    if line.hold:
        facts = {"hold": line.hold.say, "place": line.place, "remedy": line.hold.remedy}
        return _("%(hold)s, place %(place)d in the line. %(remedy)s") % facts
    say = _("Waiting for a free worker, place %(place)d in the line") % {"place": line.place}
    if line.waiting + line.working == 1:
        return say
    facts = {"waiting": line.waiting, "working": line.working, "who": person(run.asked_by)}
    if mine:
        why = _("You have %(waiting)d waiting and %(working)d under way; people take turns.") % facts
    else:
        why = _("%(who)s has %(waiting)d waiting and %(working)d under way; people take turns.") % facts
    return f"{say}. {why}"


def _describe_activity(run: Run) -> str:
    if not run.phase:
        return _("Choosing which documents to open")
    if run.phase in ("verify", "finalize"):
        return _("Finishing")
    return _("Reading, and deciding what to look at next")


def scope_line(run: Run, size: int) -> str:
    """Where the question looks, in words."""
    documents = ngettext("%(n)d document", "%(n)d documents", size) % {"n": size}
    return _("Whole workspace, %s") % documents if run.whole_workspace else documents


def engine_line(engine: str, model: str) -> str:
    """Who answers, in words."""
    return model if engine != "offline" and model else _("offline reasoner, no model")


@dataclass(frozen=True)
class Intervention:
    """The notice that something went otherwise than asked: a sentence, and a second one with the cause."""

    say: str
    cause: str
    """Empty where the first sentence names it."""
    whole: bool = False
    """Whether no call of the model was answered at all."""


def takeover_of(run: Run, answer: Answer | None) -> Intervention | None:
    """What went otherwise than asked, as a model that did not answer; None when nothing did."""
    if run.is_open:
        return None
    failed, answered = selectors.model_failure(run) if run.model else (None, False)
    whole, note = failed is not None and not answered, answer.note if answer else ""
    if not note and not whole and (failed is None or run.engine != "offline"):
        return None
    said = _("%(model)s did not answer.") if whole else _("%(model)s stopped answering.")
    say, cause = note or said % {"model": run.model}, failed.error if failed else ""
    return Intervention(say, "" if cause in say else cause, whole)


def struck_of(run: Run, claims: Sequence[Claim]) -> Intervention | None:
    """That sentences of the model were struck, and where the reasons stand; None when all hold, or it wrote none."""
    struck = [claim for claim in claims if claim.support == "unsupported"]
    if run.is_open or run.engine == "offline" or not run.model or not struck:
        return None
    one, many = "%(n)d sentence of %(model)s was struck out.", "%(n)d sentences of %(model)s were struck out."
    say = ngettext(one, many, len(struck))
    cause = ngettext("Its reason stands below it.", "The reason for each stands below it.", len(struck))
    return Intervention(say % {"n": len(struck), "model": run.model}, cause)


def _note(step: Step) -> str:
    """What did not go as wished at a step: a model that could not be asked, a search without vectors; "" otherwise."""
    vectors = step.observation.get("vectors")
    notes = [step.observation.get("note"), vectors.get("note") if isinstance(vectors, dict) else ""]
    said = next(filter(None, notes), "")
    return said if isinstance(said, str) else ""


def _list_of(step: Step, name: str) -> list[Any]:
    """A list that a step observed; [] where it stored something else."""
    found = step.observation.get(name)
    return found if isinstance(found, list) else []


def _describe_search_cost(step: Step) -> str:
    """What a search of sections compared, and what its pilot asked of a model; "" for any other step."""
    compared = step.observation.get("sections_compared")
    if not isinstance(compared, int):
        return ""
    said = ngettext("%(n)d section compared", "%(n)d sections compared", compared) % {"n": compared}
    calls = step.model_calls.filter(purpose__startswith="pilot").count() if step.tokens else 0
    if not calls:
        return _("%(compared)s; no model was asked.") % {"compared": said}
    asked = ngettext("%(n)d call", "%(n)d calls", calls) % {"n": calls}
    tokens = ngettext("%(n)d token", "%(n)d tokens", step.tokens) % {"n": step.tokens}
    return _("%(compared)s; the pilot asked the model: %(calls)s, %(tokens)s.") % {
        "compared": said,
        "calls": asked,
        "tokens": tokens,
    }


POINTS = {
    "start": gettext_lazy("At the start"),
    "fork": gettext_lazy("At a fork"),
    "backtrack": gettext_lazy("Going back"),
    "evaluate": gettext_lazy("In a section"),
}
"""Where a pilot is asked (engine.finding.navigation.pilot.InterventionPoint)."""


def _show_advice(row: dict[str, Any]) -> AdviceView:
    say, why = row.get("say", ""), row.get("reasoning", "")
    said = f"{say}. {why}" if why and why not in say else say
    return AdviceView(str(POINTS.get(row.get("point", ""), "")), said, row.get("confidence", 0.0), row.get("tokens", 0))


REASONS = {
    "limit": gettext_lazy("%(n)d over the limit"),
    "budget": gettext_lazy("%(n)d over the tokens of evidence"),
    "confidence": gettext_lazy("%(n)d below the least score"),
}
"""Why the Retriever left candidates out (engine.finding.retrieval.packing.DropReason)."""
SHAPES = {
    "bimodal": gettext_lazy("the scores fall into two groups"),
    "long-tail": gettext_lazy("a few stand far above the rest"),
    "uniform": gettext_lazy("the scores lie close together"),
}
"""How the scores of what was packed are spread (engine.finding.retrieval.result.Shape)."""


def _list_retrievals(step: Step) -> list[dict[str, Any]]:
    return [row for row in _list_of(step, "retrieval") if isinstance(row, dict)]


def _describe_retrieval(row: dict[str, Any]) -> str:
    """Candidates seen, kept and left out, tokens, and how the scores lie; "" where that is not known."""
    if "candidates_seen" not in row:
        return ""
    seen, packed = row["candidates_seen"], row["packed"]
    said = ngettext("%(n)d candidate seen", "%(n)d candidates seen", seen) % {"n": seen}
    parts = [said, _("%(n)d kept") % {"n": packed}]
    parts += [str(REASONS[name]) % {"n": count} for name, count in row["dropped"].items() if name in REASONS]
    if row["token_budget"]:
        parts.append(_("%(used)d of %(most)d tokens") % {"used": row["tokens"], "most": row["token_budget"]})
    shape = SHAPES.get(row["shape"])
    return ", ".join(parts) + (f"; {shape}" if shape else "")


def _list_warnings(step: Step) -> list[dict[str, Any]]:
    """The warnings of a step's retrievals, each once, with the setting to change and what to do."""
    found = [
        warning for row in _list_retrievals(step) for warning in row.get("warnings", []) if isinstance(warning, dict)
    ]
    return list({warning["code"]: warning for warning in found}.values())


def _question(step: Step) -> dict[str, Any]:
    """How the question was understood, which the first routing step tells."""
    question = step.observation.get("question")
    return question if isinstance(question, dict) and not step.arguments.get("again") else {}


def _words_of(added: Sequence[AddedTerms]) -> list[str]:
    """The first few wordings that were looked for too, each concept's in turn, the first named first."""
    turns = zip_longest(*(concept.phrases for concept in added))
    words = [word for turn in turns for word in turn if word]
    return list(dict.fromkeys(words))[:WORDS_SHOWN]


def _merge_refs(refs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The touched sections, each title of a page once: a section and its own rows read as one."""
    return list({(row["document"], row["title"], row["page_start"]): row for row in reversed(refs)}.values())[::-1]


def _quotes(step: Step) -> list[QuoteView]:
    return [
        QuoteView(
            quote=row["quote"],
            where=", ".join(row[name] for name in ("row", "column") if row.get(name)),
            page=row.get("page"),
        )
        for row in _list_observed_quotes(step)[:QUOTES_SHOWN]
    ]


def _list_observed_quotes(step: Step) -> list[dict[str, Any]]:
    """What a step copied, figures before passages: [{key, page, quote, row?, column?}]."""
    lists = [step.observation.get(name) for name in ("figures", "passages")]
    rows = [row for listed in lists if isinstance(listed, list) for row in listed]  # Other steps store counts.
    return [row for row in rows if isinstance(row, dict) and row.get("quote")]


def _list_routed(step: Step) -> list[RoutedView]:
    """Documents opened and nearly opened, [] for any other step and for one stored before both were kept."""
    lists = [step.observation.get(name) for name in ("shortlist", "missed")]
    if step.kind != "route" or not all(isinstance(rows, list) for rows in lists):
        return []
    return [
        RoutedView(int(row["document"]), row["title"], row["reason"], opened=number == 0)
        for number, rows in enumerate(lists)
        for row in rows
        if str(row["document"]).isdecimal()
    ]


@dataclass(frozen=True)
class ReadingView:
    """How many documents a run read, opened and put aside, in words, and those put aside that it named and why."""

    say: str
    aside: Sequence[RoutedView]


def describe_reading(steps: Sequence[Step], versions: Sequence[DocumentVersion]) -> ReadingView | None:
    """What became of the documents that a run considered; None where there was one."""
    routes = [step for step in steps if step.kind == "route"]
    opened = {version.document_id for version in versions}
    missed = {row.document: row for step in routes for row in _list_routed(step) if row.document not in opened}
    considered = max((int(step.observation.get("considered") or 0) for step in routes), default=0)
    left = max(considered - len(opened), len(missed))
    if len(opened) + left < 2:
        return None
    refs = (ref for step in steps for ref in step.refs if ref.get("role", "walked") in ("read", "walked"))
    read = len({ref["document"] for ref in refs} & {str(document) for document in opened})
    parts = (
        (read, ngettext("%(n)d document read", "%(n)d documents read", read)),
        (
            len(opened) - read,
            _("%(n)d opened but not read")
            if read
            else ngettext("%(n)d document opened", "%(n)d documents opened", len(opened)),
        ),
        (left, _("%(n)d put aside")),
    )
    return ReadingView(", ".join(said % {"n": n} for n, said in parts if n), list(missed.values()))


RAW_FIELDS = (
    *("sequence", "walk", "index", "kind", "say", "thought", "action", "arguments", "observation", "refs"),
    *("rejected", "documents", "confidence", "latency_ms", "tokens", "cost_usd", "engine"),
)
CALL_FIELDS = (
    *("purpose", "model", "tokens_in", "tokens_out", "cost_usd", "latency_ms", "cached", "error_code", "error"),
    "request_hash",
)


def raw_step(step: Step) -> str:
    """The stored row as indented JSON, for the disclosure under the card, which fetches it when it is opened."""
    values: dict[str, Any] = {name: getattr(step, name) for name in RAW_FIELDS}
    values["model_calls"] = list(ModelCall.objects.filter(step=step.pk).order_by("pk").values(*CALL_FIELDS))
    return json.dumps(values, indent=2, ensure_ascii=False, default=_simplify_value)


def _simplify_value(value: object) -> object:
    return float(value) if isinstance(value, Decimal) else str(value)
