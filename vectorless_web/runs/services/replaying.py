"""Replaying: a finished run, asked for once more, is reasoned on the documents as it met them, and compared."""

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.agent.events import CompleteEvent, ReasoningEvent, StepEvent
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import ArtefactDamaged, EngineError, PictureUnavailable
from vectorless_web.engine.finding.routing import RouteResult
from vectorless_web.engine.llm.calls import ModelCallRecord
from vectorless_web.engine.llm.model import OUTSIDE
from vectorless_web.engine.llm.picture import Picture, picture_from
from vectorless_web.infra.queues.jobs import ALIVE, EVER
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import HOUR, count_or_refuse
from vectorless_web.runs import line, selectors
from vectorless_web.runs.corpus import WorkspaceCorpus
from vectorless_web.runs.models import Citation, Replay, Run, RunInputs, Step
from vectorless_web.runs.services.executing import Engine, limits_of
from vectorless_web.runs.services.recording import (
    CITED,
    CLAIM_FIELDS,
    TOLD,
    RowPlace,
    answer_row,
    cited_values,
    claim_row,
    clean_for_database,
    encode_as_stored,
    find_place,
    load_kept_conversation,
    load_kept_routes,
    passage_row,
    program_digest,
    step_row,
)
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

NO_PICTURE_KEPT = "The run looked at no such page."


class PinnedCorpus(WorkspaceCorpus):
    """A corpus that returns the stored shortlists instead of routing again: the workspace may have changed since."""

    def __init__(self, run: Run, inputs: RunInputs, routes: Sequence[RouteResult], steps: Iterable[Step] = ()) -> None:
        super().__init__(run, routes=routes, is_pinned=True)
        self._inputs = inputs
        steps = list(steps)
        kept = (step.observation.get("picture") for step in steps)
        self._refusals = {
            step.arguments.get("page"): str(step.observation["error"])
            for step in steps
            if step.action == "page_image" and "error" in step.observation
        }
        """Why a page could not be drawn then, by its number."""
        self._pictures = {(row["document"], row["page"] - 1): row for row in kept if isinstance(row, dict)}

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the documents at the time of the run."""
        return self._run.corpus_fingerprint

    def entries(self) -> Sequence[DocumentEntry]:
        """Those of the documents that routing named."""
        return self.find_entries(self._inputs.documents)

    @property
    def size(self) -> int:
        """How many documents were considered."""
        return self._inputs.considered

    def find_entries(self, documents: Iterable[str]) -> Sequence[DocumentEntry]:
        """Documents under the names and titles they had."""
        kept = self._inputs.documents
        return [_entry(name, kept[name]) for name in documents if name in kept]

    def open(self, document: str) -> CompiledDocument:
        """Open the compiled document; what the run had to leave out then is left out again."""
        if self._inputs.documents.get(document, {}).get("left_out"):
            raise ArtefactDamaged("The compiled document could not be read when the question was asked.")
        return super().open(document)

    def picture(self, document: str, page_index: int) -> Picture:
        """The picture as a step of the run recorded it, without its data; PictureUnavailable when no step did."""
        row = self._pictures.get((document, page_index), {})
        if "sha256" not in row:
            refused = self._refusals.get(page_index + 1, NO_PICTURE_KEPT)
            raise PictureUnavailable(str(row.get("refused", refused)))
        return picture_from(row)

    def list_missing(self) -> list[str]:
        """Titles of documents on a shortlist whose version is gone."""
        wanted = [str(candidate.doc_id) for route in self.router.known for candidate in route.candidates]
        self._fetch(wanted)
        known = self.find_entries(dict.fromkeys(wanted))
        return [entry.called for entry in known if entry.id not in self._versions]

    def list_altered(self) -> list[str]:
        """Titles of documents that were compiled again since."""
        self.list_missing()
        kept = self._inputs.documents
        rows = self._versions.items()
        return [kept[name]["title"] for name, row in rows if row.artefact_sha256 != kept[name]["artefact"]]

    def without_vectors(self, steps: Iterable[Step]) -> list[str]:
        """Titles of documents that were searched by their vectors, which are gone since."""
        searched = {
            row["document"] for step in steps if "nodes" in step.observation.get("vectors", {}) for row in step.refs
        }
        return [entry.called for entry in self.find_entries(sorted(searched)) if not self._has_vectors(entry.id)]

    def _has_vectors(self, document: str) -> bool:
        try:
            return self.vectors(document) is not None
        except ArtefactDamaged:
            return False

    def _fetch(self, documents: Iterable[str]) -> None:
        """The versions of then, deleted documents among them."""
        kept = self._inputs.documents
        wanted = [kept[name]["version"] for name in documents if name in kept and name not in self._versions]
        if wanted:
            rows = DocumentVersion.objects.filter(pk__in=wanted).select_related("document")
            self._versions |= {str(row.document_id): row for row in rows.defer("report", "corrections")}


def _entry(name: str, kept: dict[str, object]) -> DocumentEntry:
    return DocumentEntry(id=name, name=str(kept["name"]), title=str(kept["title"]), pages=int(str(kept["pages"])))


LONGEST = 160
"""Characters of a value that a sentence shows."""
CLOSE = 1e-9
"""Share by which two floats may differ and still be equal: sums in another order on another machine."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The place where two values differ (`observation.ranked[2].score`), and both values there."""

    where: str
    stored: Any
    replayed: Any

    def describe_difference(self, what: str) -> str:
        """The difference in one sentence: "Step 7 NAVIGATE, say: stored '...', replayed '...'"."""
        where = f", {self.where}" if self.where else ""
        return f"{what}{where}: stored {_format_value(self.stored)}, replayed {_format_value(self.replayed)}."


def first_difference(stored: Any, replayed: Any) -> Difference | None:
    """Where the values part first, reading objects by their keys and lists in their order."""
    return next(_differences(stored, replayed, ""), None)


def _differences(stored: Any, replayed: Any, where: str) -> Iterator[Difference]:
    if isinstance(stored, Mapping) and isinstance(replayed, Mapping):
        for key in dict.fromkeys((*stored, *replayed)):
            yield from _differences(stored.get(key), replayed.get(key), f"{where}.{key}" if where else str(key))
    elif all(isinstance(value, Sequence) and not isinstance(value, str) for value in (stored, replayed)):
        for place, pair in enumerate(zip(stored, replayed, strict=False)):
            yield from _differences(*pair, f"{where}[{place}]")
        if len(stored) != len(replayed):
            yield Difference(f"entries of {where}", len(stored), len(replayed))
    elif not _is_same_value(stored, replayed):
        yield Difference(where, stored, replayed)


def _is_same_value(stored: Any, replayed: Any) -> bool:
    if isinstance(stored, float) and isinstance(replayed, float):
        return abs(stored - replayed) <= CLOSE * max(1.0, abs(stored))
    return bool(stored == replayed)


def _format_value(value: Any) -> str:
    text = f"“{value}”" if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


REPLAY_SECONDS = 120.0
"""A replay that takes longer is given up."""

KEPT_NOTHING = "This was asked before runs kept all that a replay needs."
NO_STEPS = "The run ended before its first step: there is nothing to compare."
TOO_LONG = f"The replay was given up after {REPLAY_SECONDS:g} seconds."
OTHER_ENGINE = "An engine of this site's own reasoned here ({}); only the built-in one can be replayed."
BEING_REPAIRED = "{} is being read again, because its compiled file was damaged. Replay the run when that is done."
OPEN = "The run has not ended yet."
OTHER_PROGRAM = "The program has changed since this run; it may reason otherwise now."


@dataclass(frozen=True, slots=True)
class Found:
    """What a replay found: `difference` is the first one, or why there can be no replay."""

    verdict: str
    difference: str = ""
    note: str = ""
    steps: int = 0


@dataclass
class Sink:
    """Takes what a replayed run yields, in memory, as its rows would hold it."""

    corpus: PinnedCorpus
    steps: dict[RowPlace, dict[str, Any]] = field(default_factory=dict)
    claims: dict[int, dict[str, Any]] = field(default_factory=dict)
    end: CompleteEvent | None = None
    calls: list[ModelCallRecord] = field(default_factory=list)

    def take(self, event: ReasoningEvent) -> None:
        """Keep one event."""
        match event:
            case StepEvent():
                self._take_step(event)
            case ClaimEvent():
                self.claims[event.order] = self._claim(event)
            case CompleteEvent():
                self.end = event

    def _take_step(self, event: StepEvent) -> None:
        place = find_place(event, self.steps)
        served = (event.walk, event.index) if event.walk else OUTSIDE
        calls = [call for call in self.calls if (call.walk, call.index) == served]
        self.calls[:] = [call for call in self.calls if call not in calls]
        row: dict[str, Any] = encode_as_stored({name: step_row(event, place)[name] for name in TOLD})
        row["tokens"] = sum(call.tokens_in + call.tokens_out for call in calls) if calls else event.tokens
        self.steps[place] = row

    def _claim(self, event: ClaimEvent) -> dict[str, Any]:
        cited = sorted(cited_values(row, self.corpus) for row in event.citations)
        return {**claim_row(event), "citations": encode_as_stored(clean_for_database(cited))}


Wire = Callable[[Run, RunInputs, Callable[[ModelCallRecord], None]], Engine]
"""The engine that worked on the run, over its stored calls, telling the given function of each."""


def replay(run: Run, *, wire: Wire) -> Found:
    """Reason once more over what was kept of a run, and find the first difference. Writes nothing."""
    inputs = RunInputs.objects.filter(run=run.pk).first()
    steps = selectors.steps_of(run)
    if problem := _impossible(run, inputs, steps):
        return Found(Replay.Verdict.IMPOSSIBLE, problem)
    assert inputs is not None
    corpus = PinnedCorpus(run, inputs, load_kept_routes(inputs), steps)
    if problem := _explain_missing(corpus, steps):
        return Found(Replay.Verdict.IMPOSSIBLE, problem)
    sink, deadline = Sink(corpus), time.monotonic() + REPLAY_SECONDS
    try:
        engine = wire(run, inputs, sink.calls.append)
    except EngineError as error:
        return Found(Replay.Verdict.IMPOSSIBLE, error.message)
    before = load_kept_conversation(inputs)
    try:
        for event in engine.reasoner.run(
            run.question, corpus, limits_of(run), cancelling=lambda: time.monotonic() > deadline, conversation=before
        ):
            sink.take(event)
    except EngineError as error:
        return Found(Replay.Verdict.DIFFERENT, f"The replay ended in an error: {error.message}", _note(inputs, corpus))
    if time.monotonic() > deadline:
        return Found(Replay.Verdict.IMPOSSIBLE, TOO_LONG)
    if corpus.left_out:
        title = inputs.documents[min(corpus.left_out)]["title"]
        return Found(Replay.Verdict.IMPOSSIBLE, BEING_REPAIRED.format(title))
    difference = compare_replay(run, steps, sink)
    if not difference:
        return Found(Replay.Verdict.IDENTICAL, steps=len(steps))
    return Found(Replay.Verdict.DIFFERENT, difference, _note(inputs, corpus), len(steps))


def compare_replay(run: Run, steps: Sequence[Step], sink: Sink) -> str:
    """The first difference between the rows of a run and its replay, "" for none.

    A run that was stopped, or whose worker failed, is compared as far as it came.
    """
    parts = [_in_steps(run, steps, sink), _in_claims(run, sink)]
    if run.status in Run.CONCLUDED:
        parts += [_too_many(sink, steps), _in_end(run, sink)]
    return next((part for part in parts if part), "")


def _impossible(run: Run, inputs: RunInputs | None, steps: Sequence[Step]) -> str:
    if run.is_open:
        return OPEN
    if not steps:
        return NO_STEPS
    if inputs is not None and inputs.factory:
        return OTHER_ENGINE.format(inputs.factory)
    return KEPT_NOTHING if inputs is None or not (inputs.routes or inputs.documents) else ""


def _explain_missing(corpus: PinnedCorpus, steps: Sequence[Step]) -> str:
    if missing := corpus.list_missing():
        return f"{missing[0]} was among the documents and has been removed since."
    lost = corpus.without_vectors(steps)
    return f"The vectors of {lost[0]} have been deleted since." if lost else ""


def _in_steps(run: Run, steps: Sequence[Step], sink: Sink) -> str:
    for number, step in enumerate(steps, start=1):
        name = f"Step {number} {step.kind.upper()}"
        replayed = sink.steps.get((step.walk, step.index, step.kind))
        if replayed is None:
            return f"{name}: stored “{step.say}”, not taken by the replay."
        stored = {name: getattr(step, name) for name in TOLD}
        # What an earlier attempt paid for in vain stands in the step too.
        if run.attempt == 1 and run.status in Run.CONCLUDED:
            stored["tokens"] = step.tokens
        if difference := first_difference(stored, {key: replayed[key] for key in stored}):
            return difference.describe_difference(name)
    return ""


def _too_many(sink: Sink, steps: Sequence[Step]) -> str:
    known = {(step.walk, step.index, step.kind) for step in steps}
    for place, row in sink.steps.items():
        if place not in known:
            return f"The replay took a step more: {place[2].upper()} “{row['say']}”."
    return ""


def _in_claims(run: Run, sink: Sink) -> str:
    rows = selectors.claims_of(run)
    for claim in rows:
        stored = {name: getattr(claim, name) for name in CLAIM_FIELDS}
        stored["citations"] = encode_as_stored(sorted([list(cited) for cited in claim.citations.values_list(*CITED)]))
        replayed = sink.claims.get(claim.order)
        if replayed is None:
            return f"Sentence {claim.order}: stored “{claim.text}”, not written by the replay."
        if claim.state != replayed["state"] and run.status not in Run.CONCLUDED:
            replayed = {**stored, "text": replayed["text"]}
        if difference := first_difference(stored, replayed):
            return difference.describe_difference(f"Sentence {claim.order}")
    extra = sorted(set(sink.claims) - {claim.order for claim in rows})
    if extra and run.status in Run.CONCLUDED:
        return f"The replay wrote a sentence more: “{sink.claims[extra[0]]['text']}”."
    return ""


def _in_end(run: Run, sink: Sink) -> str:
    if sink.end is None:
        return "The replay came to no end."
    passages = selectors.passages_of(run)
    stored = {"outcome": run.status, **_ending(run), "passages": [[*_place_of(row), row.passage] for row in passages]}
    told = [[*cited_values(row, sink.corpus), passage_row(row.passage)] for row in sink.end.passages]
    replayed = {"outcome": sink.end.outcome.value, **_replayed_ending(sink.end), "passages": clean_for_database(told)}
    difference = first_difference(encode_as_stored(stored), encode_as_stored(replayed))
    return difference.describe_difference("End") if difference else ""


def _place_of(citation: Citation) -> list[Any]:
    """The citation in the order of CITED."""
    return [getattr(citation, "version_id" if name == "version" else name) for name in CITED]


def _ending(run: Run) -> dict[str, Any]:
    answer = selectors.answer_of(run)
    names = ("markdown", "value", "verdict", "grounded", "missing", "unknown_words", "note")
    return {"reason": run.reason, "tokens": run.tokens, "engine": run.engine} | {
        name: getattr(answer, name, None) for name in names
    }


def _replayed_ending(end: CompleteEvent) -> Mapping[str, Any]:
    engine = "offline" if end.engine == "offline" else "model"
    row = answer_row(end)
    row.pop("abstained")
    return {"reason": clean_for_database(end.reason), "tokens": end.tokens, "engine": engine} | row


def _note(inputs: RunInputs, corpus: PinnedCorpus) -> str:
    notes = [OTHER_PROGRAM] if inputs.program != program_digest() else []
    notes += [f"{title} was compiled again since." for title in corpus.list_altered()]
    return " ".join(notes)


QUEUE_GRACE = timedelta(seconds=3)
"""A replay this young may still be between its commit and its job."""

DIED = "The process that worked on this replay died."
NOBODY = "No worker could take this replay in time; it can be asked for again."


@transaction.atomic
def start_replay(*, user: User, run: Run) -> Replay:
    """Have a finished run replayed by a worker; while one is under way a second press changes nothing.

    Problem 409 for an open run, 429 when this user has started as many as an hour allows.
    """
    if run.is_open:
        raise Problem(
            "This is still under way.",
            remedy="Wait until it has ended; then it can be replayed.",
            code="still_running",
            status=409,
        )
    Run.objects.select_for_update().get(pk=run.pk)
    last = Replay.objects.filter(run=run.pk).first()
    if last is not None and last.is_under_way:
        return last
    _check_replay_rate(user)
    now = timezone.now()
    fresh = {**asdict(Found("")), "asked_at": now, "ended_at": None, "asked_by_id": user.pk}
    replay, _ = Replay.objects.update_or_create(run=run, defaults=fresh)
    record(actor=user, verb="run.replayed", workspace=run.workspace, target=run)
    line.enqueue_replay(replay)
    return replay


def keep_verdict(run: Run, found: Found) -> Replay:
    """Write what a replay found."""
    now = timezone.now()
    values = {**asdict(found), "ended_at": now}
    replay, _ = Replay.objects.update_or_create(run=run, defaults=values, create_defaults={**values, "asked_at": now})
    line.enqueue_replay(replay)
    return replay


def is_waited_for(run: Run) -> bool:
    """Whether a replay was asked for that has no verdict yet: a second delivery of its job finds that it has one."""
    return Replay.objects.filter(run=run.pk, verdict="").exists()


def recover_replays() -> int:
    """Enqueue replays whose turn has come, end those whose worker died; how many were touched.

    Each change is one conditional UPDATE or a job under the same name, so any number of sweeps may run at once.
    """
    waiting = list(Replay.objects.filter(verdict="", asked_at__lt=timezone.now() - QUEUE_GRACE).order_by("pk"))
    unknown = {replay.pk for replay in line.select_lost(waiting, EVER)}
    ended = sum(_end_lost(replay, unknown) for replay in line.select_lost(waiting, ALIVE))
    return ended + line.admit_replays()


def _end_lost(replay: Replay, unknown: Collection[int]) -> int:
    if replay.pk not in unknown:
        return _end(replay, DIED)
    return _end(replay, NOBODY) if replay.is_lost else 0


def _end(replay: Replay, why: str) -> int:
    same = Replay.objects.filter(pk=replay.pk, verdict="", asked_at=replay.asked_at)
    return same.update(verdict=Replay.Verdict.IMPOSSIBLE, difference=why, ended_at=timezone.now())


def _check_replay_rate(user: User) -> None:
    """Problem (429) when this would be more than one person may replay in an hour."""
    cause, most = f"You may replay {settings.REPLAYS_PER_HOUR:,} runs in an hour.", settings.REPLAYS_PER_HOUR
    count_or_refuse(f"replays-{user.pk}", cause, limit=most, seconds=HOUR, code="too_many_replays")
