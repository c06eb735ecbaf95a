"""Writes what comes into a run and what the engine yields as rows under its lease, and pays for its model calls.

Replays compare the same rows; stored calls answer again when a run is resumed or replayed.
"""

import hashlib
import json
import threading
from collections import defaultdict, deque
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from vectorless_web import engine
from vectorless_web.documents.background import is_work_under_way
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.rendering.page import RenderUnavailable, boxes, whole_page
from vectorless_web.engine.agent.events import CONCLUDED, CompleteEvent, NodeRef, Outcome, Rejected, StepEvent
from vectorless_web.engine.agent.limits import Late, Place
from vectorless_web.engine.agent.state import CitedPassage, Conversation, Exchange
from vectorless_web.engine.answers.claims import Check, ClaimEvent, Evidence
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.finding.routing import RouteMode, RouteResult, ScoredCandidate
from vectorless_web.engine.llm.calls import ModelCallRecord
from vectorless_web.engine.llm.model import OUTSIDE, message_from
from vectorless_web.engine.passages.find import Passage
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.infra.leases import LeaseLost, write_under_lease
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.money import money, token_count
from vectorless_web.infra.outages import retry_through_outage
from vectorless_web.runs.corpus import WorkspaceCorpus
from vectorless_web.runs.line import announce
from vectorless_web.runs.models import Answer, Citation, Claim, ModelCall, Run, RunInputs, Step
from vectorless_web.runs.selectors import last_sequence
from vectorless_web.runs.services.asking import conversation_of
from vectorless_web.runs.services.leases import RunLease, end_run
from vectorless_web.workspaces.selectors import lexicon_from, lexicon_rows
from vectorless_web.workspaces.services import WorkspaceCostBudget, close_thread_connection, release_all


def inputs_of(run: Run, lease: RunLease) -> RunInputs:
    """What the run has taken so far; its first attempt keeps the workspace's words and the conversation so far."""
    kept = RunInputs.objects.filter(run=run.pk).first()
    if kept is not None:
        return kept
    before = conversation_of(run)
    with write_under_lease(lease):
        # The question may be answered in the words of what was cited before: who may not see that does not see the run.
        run.named.add(*map(int, before.documents))
        return RunInputs.objects.create(
            run_id=run.pk,
            program=program_digest(),
            lexicon=lexicon_rows(run.workspace),
            previous=clean_for_database(asdict(before)) if before.exchanges else None,
        )


def load_kept_lexicon(inputs: RunInputs) -> Lexicon:
    """The packs with the workspace's entries as they stood."""
    return lexicon_from(tuple((concept, tuple(phrases), statement) for concept, phrases, statement in inputs.lexicon))


def load_kept_conversation(inputs: RunInputs) -> Conversation:
    """The conversation before the question; earlier versions kept the question before it alone."""
    kept = inputs.previous or {"exchanges": []}
    if "exchanges" not in kept:
        return Conversation((Exchange(kept["question"], ""),))
    return Conversation(
        tuple(
            Exchange(row["question"], row["answer"], tuple(CitedPassage(**cited) for cited in row["cited"]))
            for row in kept["exchanges"]
        )
    )


def load_kept_routes(inputs: RunInputs) -> list[RouteResult]:
    """What the router answered, pass by pass."""
    return [_route_from(row) for row in inputs.routes]


def kept_late(inputs: RunInputs) -> list[Late]:
    """Where the wall clock decided."""
    return [_late_from_text(row) if isinstance(row, str) else _late_from(row) for row in inputs.late]


def other_factory() -> str:
    """Dotted path of the site's own engine factory; "" while it uses the built-in one."""
    return "" if settings.ENGINE_FACTORY == settings.BUILT_IN_ENGINE else settings.ENGINE_FACTORY


@cache
def program_digest() -> str:
    """A digest of the engine's sources: another one may reason otherwise over the same inputs."""
    digest = hashlib.sha256()
    root = Path(next(iter(engine.__path__)))
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".toml")):
        digest.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _late_from(row: Mapping[str, Any]) -> Late:
    return Late(Place(row["walk"], row["step"]), row["reading"], row["seconds"])


def _late_from_text(text: str) -> Late:
    """As earlier versions stored it: "further documents", "<walk>.<step>" or "search <place> <reading> <seconds>"."""
    if text == "further documents":
        return Late(Place(0, 0))
    place, *search = text.removeprefix("search ").split()
    walk, step = map(int, place.split("."))
    return Late(Place(walk, step), int(search[0]), float(search[1])) if search else Late(Place(walk, step))


def _route_from(row: Mapping[str, Any]) -> RouteResult:
    lists = {name: tuple(map(_candidate_from, row[name])) for name in ("candidates", "tail")}
    return RouteResult(**{**row, **lists, "mode_used": RouteMode(row["mode_used"])})


def _candidate_from(row: Mapping[str, Any]) -> ScoredCandidate:
    lists = {name: tuple(row[name]) for name in ("matched_terms", "matched_fields")}
    return ScoredCandidate(**{**row, **lists})


RowPlace = tuple[int, int, str]
"""Walk, index and kind of a step."""

TOLD = (
    *("say", "thought", "action", "arguments", "observation", "refs", "rejected", "documents"),
    *("confidence", "engine"),
)
"""What a step tells: what time and money it took differs from attempt to attempt."""


def find_place(event: StepEvent, taken: Container[RowPlace]) -> RowPlace:
    """Where a step is; a second one of a kind at the same index moves to the next free index."""
    index = event.index
    while (event.walk, index, event.kind.value) in taken:
        index += 1
    return event.walk, index, event.kind.value


def encode_as_stored(value: Any) -> Any:
    """The value as it comes back from a JSON column: keys of objects are texts there, tuples lists."""
    return json.loads(json.dumps(value))


def clean_for_database(value: Any) -> Any:
    """The value as a database takes it: no null characters and no lone surrogates, which documents may hold."""
    match value:
        case str():
            return value.replace("\0", "").encode("utf-8", "replace").decode()
        case dict():
            return {clean_for_database(key): clean_for_database(item) for key, item in value.items()}
        case list() | tuple():
            return [clean_for_database(item) for item in value]
        case _:
            return value


def step_row(event: StepEvent, place: RowPlace) -> dict[str, Any]:
    """The fields of a Step at its place."""
    row: dict[str, Any] = {
        **dict(zip(("walk", "index", "kind"), place, strict=True)),
        **{name: getattr(event, name) for name in (*TOLD, "latency_ms")},
        "refs": [asdict(ref) for ref in event.refs],
        "rejected": [asdict(row) for row in event.rejected],
        "documents": list(event.documents),
        "tokens": token_count(event.tokens),
        "cost_usd": money(event.cost_usd),
    }
    cleaned: dict[str, Any] = clean_for_database(row)
    return cleaned


CLAIM_FIELDS = ("text", "state", "support", "calculation", "because", "marks", "maker")
"""Columns of a Claim that hold what a claim event says."""


def claim_row(event: ClaimEvent) -> dict[str, Any]:
    """The fields of a Claim, but for its citations, as they come back from their columns."""
    row = {
        "text": event.text,
        "state": event.state,
        "support": event.support.value if event.support else "",
        "calculation": asdict(event.calculation) if event.calculation else None,
        "because": event.because,
        "marks": event.marks,
        "maker": event.maker.value if event.maker else "",
    }
    cleaned: dict[str, Any] = encode_as_stored(clean_for_database(row))
    return cleaned


CITED = ("marker", "version", "node_key", "page_index", "quote", "start", "end", "check_result")
"""What tells one citation from another."""


def cited_values(cited: Evidence, corpus: WorkspaceCorpus) -> list[Any]:
    """A citation in the order of CITED."""
    place = [cited.key, cited.page_index, cited.quote, cited.start, cited.end]
    return [cited.marker, corpus.version(cited.document).pk, *place, cited.check.value]


PASSAGE_FIELDS = ("text", "lit_start", "lit_end", "rows", "lit_row", "lead_in", "path", "kind", "holds", "lacks")
"""What is stored of a passage beside what its citation says."""


def passage_row(passage: Passage | None) -> dict[str, Any] | None:
    """The `passage` of a Citation, as it comes back from its column; None where no passage is shown."""
    if passage is None:
        return None
    row: dict[str, Any] = encode_as_stored({name: getattr(passage, name) for name in PASSAGE_FIELDS})
    # A null character is replaced by another, so that the places of the lit words hold.
    row["text"] = row["text"].replace("\0", " ")
    cleaned: dict[str, Any] = clean_for_database(row)
    return cleaned


def answer_row(event: CompleteEvent) -> dict[str, Any]:
    """The fields of the Answer row that records how a run ended."""
    row = {
        "markdown": event.answer,
        "value": event.value[:200],
        "verdict": event.verdict.value if event.verdict else "",
        "grounded": event.grounded,
        "abstained": event.outcome in (Outcome.PASSAGES, Outcome.NOT_FOUND),
        "missing": list(event.missing),
        "unknown_words": list(event.unknown_words),
        "note": event.note,
    }
    cleaned: dict[str, Any] = clean_for_database(row)
    return cleaned


def find_named(event: StepEvent) -> set[int]:
    """The numbers of the documents whose titles a step tells, or in which it worked."""
    told = [event.observation.get(name) for name in ("shortlist", "missed", "left_out")]
    rows = [row.get("document") for found in told if isinstance(found, list) for row in found if isinstance(row, dict)]
    refs = [ref.document for ref in event.refs] + [row.ref.document for row in event.rejected if row.ref]
    return {int(name) for name in map(str, (*rows, *refs, *event.documents)) if name.isdecimal()}


BOXES_WAIT_SECONDS, MOST_BOXES_WAIT_SECONDS = 0.5, 1.5
"""How long a run waits for the boxes of one quote, which take milliseconds, and of all together."""


class Recorder:
    """The one writer of an attempt. It numbers events and stores each exactly once.

    A run that is executed again after a crash yields its events from the start: a step
    that says the same at its place (walk, index, kind) is kept as it is, and so is a claim
    with the same quotes; one that differs is rewritten where it is. What this attempt
    did not come to again is dropped once it has an answer of its own.

    With `is_watched` false, for a run that nobody has asked by itself and that pays nobody, steps are written together
    with the next claim or the end, and the places of quotes on their pages are left to the page that shows them: a
    cell takes half the time.
    """

    def __init__(self, lease: RunLease, corpus: WorkspaceCorpus, *, is_watched: bool = True) -> None:
        self._lease = lease
        self._corpus = corpus
        self._is_watched = is_watched
        self._unwritten: list[Step] = []
        self._unnamed: set[int] = set()
        """The steps that are not stored yet, and the documents that they name."""
        self._boxless: set[int] = set()
        """Versions whose boxes could not be had."""
        rows = Step.objects.filter(run=lease.run_id)
        self._stored: dict[RowPlace, Step] = {(row.walk, row.index, row.kind): row for row in rows}
        self._seen: set[RowPlace] = set()
        self._claimed: set[int] = set()
        self._kept = (0, 0, 0)
        """How much the run's inputs held when they were last written, as the corpus counts it."""
        self._steps = len(self._stored)
        self._sequence = last_sequence(lease.run_id)
        self._pinned = set(
            Run.versions.through.objects.filter(run=lease.run_id).values_list("documentversion", flat=True)
        )
        self._named = set(Run.named.through.objects.filter(run=lease.run_id).values_list("document", flat=True))

    def step(self, event: StepEvent) -> None:
        """Store a step unless an earlier attempt did, then announce it. LeaseLost writes nothing."""
        place = find_place(event, self._seen)
        self._seen.add(place)
        row = step_row(event, place)
        if place in self._stored:
            self._correct(self._stored[place], event, row)
            return
        self._steps += 1
        self._unwritten.append(Step(run_id=self._lease.run_id, sequence=self._sequence + 1, **row))
        self._unnamed |= find_named(event)
        if self._is_watched:
            self.flush()
        self._advance()

    def flush(self) -> None:
        """Store the steps that are not stored yet."""
        if self._unwritten:
            with write_under_lease(self._lease):
                self._write_steps()

    def _write_steps(self) -> None:
        """Write them in the transaction that is open, with what the run has read and taken from outside."""
        self._pin_read_versions()
        self._keep_named(self._unnamed)
        if self._unwritten:
            Step.objects.bulk_create(self._unwritten)
            if self._is_watched:
                for step in self._unwritten:
                    charge(step)
            values = {"phase": self._unwritten[-1].kind, "step_count": self._steps}
            Run.objects.filter(pk=self._lease.run_id).update(**values)
        self._unwritten, self._unnamed = [], set()

    def claim(self, event: ClaimEvent) -> None:
        """Store or rewrite a claim with its citations under the next sequence number, then announce it."""
        self._claimed.add(event.order)
        if self._says_the_same(event):
            return
        citations = [self._citation(evidence) for evidence in event.citations]
        values = {"sequence": self._sequence + 1, **claim_row(event)}
        with write_under_lease(self._lease):
            self._write_steps()
            claim, _ = Claim.objects.update_or_create(run_id=self._lease.run_id, order=event.order, defaults=values)
            claim.citations.all().delete()
            for citation in citations:
                citation.claim = claim
            Citation.objects.bulk_create(citations)
        self._advance()

    def complete(self, event: CompleteEvent) -> None:
        """Store the answer and the end state in one transaction and give the lease back."""
        passages = [self._citation(evidence) for evidence in event.passages]
        with write_under_lease(self._lease):
            self._write_steps()
            late = [{**asdict(each.place), "reading": each.reading, "seconds": each.seconds} for each in event.late]
            RunInputs.objects.filter(run=self._lease.run_id).update(late=late)
            if event.outcome in CONCLUDED:
                self._drop_surplus()
                Answer.objects.update_or_create(run_id=self._lease.run_id, defaults=answer_row(event))
            Citation.objects.filter(run=self._lease.run_id, claim=None).delete()
            Citation.objects.bulk_create(passages)
            end_run(self._lease, event.outcome.value, **clean_for_database(self._ending(event)))
        announce(self._lease.run_id, self._sequence + 1)

    def fail(self, *, code: str, message: str, retryable: bool) -> None:
        """Write that the run failed, with its reason; LeaseLost when another worker has it."""
        values = {"error_code": code, "reason": message, "retryable": retryable}
        if not end_run(self._lease, Run.Status.FAILED, **values):
            raise LeaseLost
        announce(self._lease.run_id, self._sequence + 1)

    def _correct(self, stored: Step, event: StepEvent, row: dict[str, Any]) -> None:
        """Rewrite a step of an earlier attempt that this one took differently."""
        if all(getattr(stored, name) == encode_as_stored(row[name]) for name in TOLD):
            return
        with write_under_lease(self._lease):
            self._pin_read_versions()
            self._keep_named(find_named(event))
            Step.objects.filter(pk=stored.pk).update(**row)
            charge(stored)

    def _keep_inputs(self) -> None:
        """Keep what the router answered and which documents were asked for: others may stand there at a replay."""
        if self._kept != (known := self._corpus.count_inputs()):
            described = clean_for_database(self._corpus.describe_inputs())
            RunInputs.objects.update_or_create(run_id=self._lease.run_id, defaults=described)
            self._kept = known

    def _drop_surplus(self) -> None:
        """Delete the steps and claims of earlier attempts that are no part of this one's result."""
        surplus = [row.pk for place, row in self._stored.items() if place not in self._seen]
        Step.objects.filter(pk__in=surplus).delete()
        Run.objects.filter(pk=self._lease.run_id).update(step_count=len(self._seen))
        Claim.objects.filter(run=self._lease.run_id).exclude(order__in=self._claimed).delete()

    def _advance(self) -> None:
        self._sequence += 1
        if self._is_watched:
            announce(self._lease.run_id, self._sequence)

    def _says_the_same(self, event: ClaimEvent) -> bool:
        """Whether a stored claim already says this; a checked one stands for its own draft too."""
        row, told = Claim.objects.filter(run=self._lease.run_id, order=event.order).first(), claim_row(event)
        if row is None or row.text != told["text"]:
            return False
        if row.state == Claim.State.CHECKED and event.state == Claim.State.DRAFT:
            return True
        return all(getattr(row, name) == told[name] for name in CLAIM_FIELDS) and self._quotes_the_same(row, event)

    def _quotes_the_same(self, row: Claim, event: ClaimEvent) -> bool:
        told = clean_for_database([cited_values(cited, self._corpus) for cited in event.citations])
        return sorted(row.citations.values_list(*CITED)) == sorted(map(tuple, told))

    def _pin_read_versions(self) -> None:
        """Remember which versions the run has opened since the last write, and what it took from outside."""
        self._keep_inputs()
        fresh = self._corpus.opened - self._pinned
        if fresh:
            links = Run.versions.through
            rows = [links(run_id=self._lease.run_id, documentversion_id=pk) for pk in sorted(fresh)]
            links.objects.bulk_create(rows, ignore_conflicts=True)
            self._pinned |= fresh
            read = DocumentVersion.objects.filter(pk__in=fresh).values_list("document", flat=True)
            self._keep_named(set(read))

    def _keep_named(self, documents: set[int]) -> None:
        """Remember which documents the run names: anybody who may not see one of them does not see the run."""
        fresh = documents - self._named
        if fresh:
            links = Run.named.through
            here = Document.objects.filter(pk__in=fresh).values_list("pk", flat=True)
            rows = [links(run_id=self._lease.run_id, document_id=pk) for pk in sorted(here)]
            links.objects.bulk_create(rows, ignore_conflicts=True)
            self._named |= fresh

    def _citation(self, evidence: Evidence) -> Citation:
        version = self._corpus.version(evidence.document)
        spans = [[span.page_index, span.char_index, span.length] for span in evidence.spans]
        return Citation(
            run_id=self._lease.run_id,
            marker=evidence.marker,
            version=version,
            document_title=version.document.title[:TITLE_MAX],
            sha256=version.sha256,
            node_key=evidence.key,
            page_index=evidence.page_index,
            quote=clean_for_database(evidence.quote),
            where=clean_for_database(evidence.where)[:300],
            passage=passage_row(evidence.passage),
            start=evidence.start,
            end=evidence.end,
            spans=spans,
            boxes=self._boxes(evidence, version, spans),
            check_result=evidence.check.value,
            recognised=self._measure_recognition(evidence),
        )

    def _measure_recognition(self, evidence: Evidence) -> int | None:
        """How surely the words of a quote were recognised on a scan; None for text of the file's own.

        It is not known of a document whose compiled file was lost since it was read: the quote is kept all the same.
        """
        try:
            return self._corpus.open(evidence.document).recognition_confidence(evidence.spans)
        except ArtefactDamaged:
            return None

    def _boxes(self, evidence: Evidence, version: DocumentVersion, spans: list[list[int]]) -> list[list[float]]:
        """Where the quote is on its page; [] when that is not known at once, and the page works it out when shown.

        A document that let the run wait is not asked for again, nor is any once the run has waited long enough.
        """
        if evidence.check is Check.PICTURE:
            return whole_page(evidence.page_index, self._corpus.open(evidence.document).pages[evidence.page_index])
        if not self._is_watched or version.pk in self._boxless:
            return []
        if len(self._boxless) * BOXES_WAIT_SECONDS >= MOST_BOXES_WAIT_SECONDS:
            return []
        try:
            return boxes(version, spans, seconds=BOXES_WAIT_SECONDS)
        except RenderUnavailable:
            self._boxless.add(version.pk)
            return []

    def _ending(self, event: CompleteEvent) -> dict[str, Any]:
        return {
            "reason": event.reason,
            "error_code": event.error_code,
            "retryable": event.retryable,
            "engine": "offline" if event.engine == "offline" else "model",
            "checked": [_checked_row(row.ref, row) for row in event.checked if row.ref],
            "tokens": token_count(event.tokens),
            "cost_usd": money(event.cost_usd),
        }


def _checked_row(ref: NodeRef, row: Rejected) -> dict[str, Any]:
    pages = {"page_start": ref.page_start, "page_end": ref.page_end}
    return {"document": ref.document, "title": row.label, "reason": row.reason, **pages}


def charge(step: Step) -> None:
    """Give a step the model calls that served it, and what they cost together.

    Outside the walks that is whatever was asked since the step of the run before it.
    """
    index = step.index if step.walk else OUTSIDE[1]
    calls = ModelCall.objects.filter(run=step.run_id, walk=step.walk, index=index)
    calls.filter(step=None).update(step=step.pk)
    cost = calls.filter(step=step.pk).aggregate(Sum("tokens_in"), Sum("tokens_out"), Sum("cost_usd"), Count("pk"))
    if cost["pk__count"]:
        tokens = token_count(cost["tokens_in__sum"] + cost["tokens_out__sum"])
        Step.objects.filter(pk=step.pk).update(tokens=tokens, cost_usd=money(cost["cost_usd__sum"]))


Served = tuple[str, int, int]
"""A request's hash, and the walk and index of the step that asked."""


class CallLog:
    """Stores each call of an attempt under the run's lease; one that an earlier attempt stored is kept once.

    A call has been paid for, so the database is waited for when it is away.

    Called from the threads of the walks, each with a connection of its own.
    """

    def __init__(self, lease: RunLease) -> None:
        self._lease = lease
        self._lock = threading.Lock()
        self.stored: Sequence[ModelCallRecord] = stored_calls(lease.run_id)
        self._answered: dict[Served, deque[int]] = defaultdict(deque)
        for pk, digest, walk, index in _calls_of(lease.run_id).values_list("pk", "request_hash", "walk", "index"):
            self._answered[digest, walk, index].append(pk)

    def __call__(self, record: ModelCallRecord) -> None:
        """Store the call. LeaseLost when the run is somebody else's by now."""
        stored = self._find_stored_row(record)
        try:
            retry_through_outage(lambda: self._store(record, stored))
        finally:
            close_thread_connection()

    def _store(self, record: ModelCallRecord, stored: int | None) -> None:
        with write_under_lease(self._lease):
            if stored is None:
                step = _step_at(self._lease.run_id, record)
                ModelCall.objects.create(run_id=self._lease.run_id, step_id=step, **_row(record))
            else:
                ModelCall.objects.filter(pk=stored).update(cached=True)

    def _find_stored_row(self, record: ModelCallRecord) -> int | None:
        """The row that answered this request again, each once; None for a new call."""
        with self._lock:
            rows = self._answered[record.request_hash, record.walk, record.index]
            return rows.popleft() if rows else None


CALL_FIELDS = (
    *("purpose", "request_hash", "reply", "model", "tokens_in", "tokens_out", "latency_ms"),
    *("error_code", "error", "walk", "index"),
)
"""What a row and a record of a call have under the same names."""


def stored_calls(run_id: int) -> list[ModelCallRecord]:
    """The calls of a run in the order in which they were made."""
    return [
        ModelCallRecord(
            messages=tuple(map(message_from, row.prompt)),
            cost_usd=float(row.cost_usd),
            **{name: getattr(row, name) for name in CALL_FIELDS},
        )
        for row in _calls_of(run_id)
    ]


def _step_at(run_id: int, record: ModelCallRecord) -> int | None:
    """The step of a walk that the call serves, when an earlier attempt stored it; a new one takes its calls itself."""
    if not record.walk:
        return None
    return Step.objects.filter(run=run_id, walk=record.walk, index=record.index).values_list("pk", flat=True).first()


def _calls_of(run_id: int) -> QuerySet[ModelCall]:
    return ModelCall.objects.filter(run=run_id).order_by("pk")


def _row(record: ModelCallRecord) -> dict[str, object]:
    row = {name: getattr(record, name) for name in CALL_FIELDS} | {
        "purpose": record.purpose[:40],
        "prompt": [message.as_stored() for message in record.messages],
        "model": record.model[:120],
        "tokens_in": token_count(record.tokens_in),
        "tokens_out": token_count(record.tokens_out),
        "cost_usd": money(record.cost_usd),
    }
    cleaned: dict[str, object] = clean_for_database(row)
    return cleaned


class RunCostBudget(WorkspaceCostBudget):
    """Pays the calls of one run, and keeps on its row since when one is waited for.

    Made at the start of an attempt: what died workers left put aside is given back then,
    unless somebody else in the workspace may still settle it: another run, or
    the embedding or summarising of a document.
    """

    def __init__(self, run: Run) -> None:
        super().__init__(run.workspace, run.asked_by)
        self._rows = Run.objects.filter(pk=run.pk, attempt=run.attempt)
        self._run_id = run.pk
        runs = Run.objects.filter(workspace=run.workspace_id, status=Run.Status.RUNNING).exclude(pk=run.pk)
        release_all(workspace=run.workspace, unless=lambda: runs.exists() or is_work_under_way(run.workspace_id))
        others = Run.objects.filter(status=Run.Status.RUNNING).exclude(pk=run.pk)
        release_all(workspace=None, unless=lambda: others.exists() or is_work_under_way())

    def reserve(self, usd: float) -> bool:
        """Put the money aside; the page says from now on that the model's reply is waited for."""
        is_covered = super().reserve(usd)
        if is_covered:
            self._tell_waiting(timezone.now())
        return is_covered

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Book what was spent; nothing is waited for any more."""
        super().settle(reserved_usd, spent_usd)
        self._tell_waiting(None)

    def _tell_waiting(self, since: datetime | None) -> None:
        try:
            self._rows.update(asked_model_at=since)
        finally:
            close_thread_connection()
        announce(self._run_id)
