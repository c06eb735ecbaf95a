"""`manage.py ask "question" FILE...`: the main job in a terminal, with no account, database or Redis."""

import json
import signal
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from vectorless_web import wiring
from vectorless_web.documents.compiling.tesseract import find_recogniser
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, ReasoningEvent, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.local_corpus import LocalCorpus
from vectorless_web.engine.agent.state import CitedPassage, Conversation, Exchange, Settings
from vectorless_web.engine.answers.claims import Check, ClaimEvent, Evidence, Support, Verdict
from vectorless_web.engine.errors import EngineError, InvalidInput
from vectorless_web.engine.llm.calls import ModelCallRecord, discard_record
from vectorless_web.engine.questions.plan import QUESTION_EMPTY, QUESTION_TOO_LONG, check_question
from vectorless_web.infra.limits import check_steps

EXIT_CODES = {
    Outcome.ANSWERED: 0,
    Outcome.PARTIAL: 0,
    Outcome.PASSAGES: 3,
    Outcome.NOT_FOUND: 3,
    Outcome.FAILED: 1,
    Outcome.CANCELLED: 130,
}
BAD_INPUT, INTERRUPTED = 2, 130
VERDICTS = {
    "": "",
    Verdict.EXACT: " (exact)",
    Verdict.VERIFIED: " (verified)",
    Verdict.PARTLY: " (partly verified)",
    Verdict.NOT_VERIFIED: " (not verified)",
}
NO_MODEL = "No model is connected. These passages come closest."
PICTURED = "read from a picture of the page, without words to compare"


class Command(BaseCommand):
    help = "Ask files a question: the steps go to standard error as they happen, the answer to standard output."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False
    _printed = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            metavar="FILE",
            help="A PDF, a picture, a Word, Excel, HTML, Markdown, text or CSV file.",
        )
        tape = parser.add_mutually_exclusive_group()
        tape.add_argument("--record", type=Path, metavar="CASSETTE", help="Write every call of the model to this file.")
        tape.add_argument(
            "--cassette", type=Path, metavar="CASSETTE", help="Let recorded replies stand in for a model."
        )
        parser.add_argument(
            "--thread",
            type=Path,
            metavar="FILE",
            help="Follow up on what this file holds of earlier questions, and add this one to it.",
        )
        parser.add_argument("--json", action="store_true", help="Print the result as one line of JSON.")
        parser.add_argument(
            "--steps",
            action="store_true",
            help="With --json, print each step and claim as it happens, and the result last, as server-sent events.",
        )
        parser.add_argument("--max-steps", type=int, default=Limits().max_steps, help="Steps, 1 to 30.")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the result and leave with its exit code."""
        as_json = options["json"]
        result = AnswerReport()
        try:
            code = self._ask(options, result)
        except KeyboardInterrupt:
            self.stderr.write("Stopped.")
            result.end, code = replace(result.end, outcome=Outcome.CANCELLED), INTERRUPTED
        except InvalidInput as error:
            self.stderr.write(error.message)
            code = BAD_INPUT
        except OSError as error:
            self.stderr.write(f"{error.filename}: {error.strerror}.")
            code = BAD_INPUT
        except EngineError as error:
            self.stderr.write(error.message)
            code = EXIT_CODES[Outcome.FAILED]
        if as_json and options["steps"]:
            failed = result.end.outcome is Outcome.FAILED
            ended = {"status": result.end.outcome.value, "ended": True, "code": result.end.error_code}
            self._print_event("reasoning/error" if failed else "reasoning/complete", result.as_json() | ended)
        elif as_json:
            self.stdout.write(json.dumps(result.as_json(), ensure_ascii=False))
        elif code in (EXIT_CODES[Outcome.ANSWERED], EXIT_CODES[Outcome.NOT_FOUND]):
            self.stdout.write(result.as_text())
        self.stdout.flush()
        sys.exit(code)

    def _ask(self, options: dict[str, Any], result: "AnswerReport") -> int:
        self._begun: set[tuple[str, str]] = set()
        question = check_question(options["question"])
        limits = Limits(max_steps=check_steps(options["max_steps"]))
        recogniser = find_recogniser(languages=settings.OCR_LANGUAGES, seconds=settings.OCR_SECONDS)
        corpus = LocalCorpus(options["files"], progress=self._tell_stage, recogniser=recogniser)
        keep = wiring.open_recording(options["record"]) if options["record"] else discard_record
        missed: list[str] = []

        def hear(record: ModelCallRecord) -> None:
            keep(record)
            if record.error.startswith("The cassette "):
                missed.append(record.error)

        stopping = _catch_interrupt().is_set
        chosen = Settings(summary_cap=settings.SUMMARY_CAP)
        asked = wiring.Calls(keep=hear, settings=chosen, cassette=options["cassette"], stopping=stopping)
        engine = wiring.engine_for(None, asked)
        thread = TerminalThread(options["thread"], corpus)
        events = engine.reasoner.run(question, corpus, limits, conversation=thread.conversation)
        told = self._print_events(events, corpus) if options["steps"] else events
        code = self._follow(told, corpus, result)
        thread.add(result.tell_exchange(question))
        if missed:
            self._tell(missed[0])
        return code

    def _print_events(self, events: Iterator[ReasoningEvent], corpus: LocalCorpus) -> Iterator[ReasoningEvent]:
        """Hand the events on, each step and claim printed in the form of docs/api.md."""
        names = {entry.id: entry.name for entry in corpus.entries()}
        for event in events:
            if isinstance(event, StepEvent):
                self._print_event("reasoning/step", {"sequence": self._printed + 1, **_step_row(event)})
            if isinstance(event, ClaimEvent):
                cited = [_evidence_row(citation, names) for citation in event.citations]
                row = {"order": event.order, "text": event.text, "support": event.support, "citations": cited}
                self._print_event("reasoning/claim", {"sequence": self._printed + 1, **row})
            yield event

    def _print_event(self, kind: str, data: Mapping[str, Any]) -> None:
        self._printed += 1
        body = json.dumps(data, ensure_ascii=False, default=float)
        self.stdout.write(f"id: {self._printed}\nevent: {kind}\ndata: {body}\n\n")
        self.stdout.flush()

    def _follow(self, events: Iterator[ReasoningEvent], corpus: LocalCorpus, result: "AnswerReport") -> int:
        """Tell each step as it happens; the exit code of the outcome."""
        for event in events:
            match event:
                case StepEvent():
                    result.steps += 1
                    self._tell(f"{result.steps:3d}  {event.kind.value:<10}  {event.say}")
                case ClaimEvent():
                    result.claims[event.order] = event
                case CompleteEvent():
                    result.finish(event, corpus)
                    self._tell(event.reason)
        if result.end.outcome is Outcome.FAILED and result.end.error_code in BAD_INPUT_CODES:
            return BAD_INPUT
        return EXIT_CODES[result.end.outcome]

    def _tell_stage(self, name: str, stage: str, _done: int, total: int) -> None:
        """Print a line when a stage of a file begins."""
        if (name, stage) not in self._begun:
            self._begun.add((name, stage))
            pages = f", {total} pages" if stage == "parsing" and total else ""
            self._tell(f"     {stage:<10}  {name}{pages}")

    def _tell(self, line: str) -> None:
        self.stderr.write(line)
        self.stderr.flush()


class TerminalThread:
    """The questions of a terminal before this one, kept in a JSON file; documents are known by their names there."""

    def __init__(self, path: Path | None, corpus: LocalCorpus) -> None:
        self._path = path
        self._names = {entry.id: entry.name for entry in corpus.entries()}
        self.conversation = Conversation(tuple(map(self._exchange, self._read())))

    def add(self, exchange: Exchange) -> None:
        """Write the conversation with one more exchange; nothing without a file."""
        if self._path is None:
            return
        rows = [asdict(row) for row in (*self.conversation.exchanges, exchange)]
        for row in rows:
            row["cited"] = [{**cited, "document": self._names[cited["document"]]} for cited in row["cited"]]
        self._path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")

    def _read(self) -> list[dict[str, Any]]:
        if self._path is None or not self._path.exists():
            return []
        try:
            rows: list[dict[str, Any]] = json.loads(self._path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InvalidInput(f"{self._path} holds no conversation of this command.") from error
        return rows

    def _exchange(self, row: dict[str, Any]) -> Exchange:
        ids = {name: document for document, name in self._names.items()}
        cited = (CitedPassage(**{**each, "document": ids.get(each["document"], "")}) for each in row["cited"])
        return Exchange(row["question"], row["answer"], tuple(passage for passage in cited if passage.document))


def _catch_interrupt() -> threading.Event:
    """Set by Ctrl-C, which ends the model calls of all walks at once: leaving waits for their threads."""
    stop = threading.Event()

    def interrupt(*_signal: object) -> None:
        stop.set()
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
    return stop


BAD_INPUT_CODES = ("invalid_input", QUESTION_EMPTY, QUESTION_TOO_LONG, "no_documents")


class AnswerReport:
    """The result of a run, printed as text or as one JSON object."""

    def __init__(self) -> None:
        self.end = CompleteEvent(Outcome.FAILED, "")
        self.steps = 0
        self.claims: dict[int, ClaimEvent] = {}
        self._citations: list[dict[str, Any]] = []
        self._passages: list[dict[str, Any]] = []
        self._started = time.monotonic()

    def finish(self, event: CompleteEvent, corpus: LocalCorpus) -> None:
        """Take the end of the run."""
        names = {entry.id: entry.name for entry in corpus.entries()}
        has_no_model = event.outcome is Outcome.PASSAGES and event.engine == "offline"
        self.end = replace(event, reason=NO_MODEL) if has_no_model else event
        self._citations, self._passages = (
            [_evidence_row(row, names) for row in rows] for rows in (self._evidence(), event.passages)
        )

    def tell_exchange(self, question: str) -> Exchange:
        """The question, its answer and what that cites, for the questions that follow."""
        standing = [claim for claim in self.claims.values() if claim.support is not Support.UNSUPPORTED]
        cited = {row.marker: row for claim in standing for row in claim.citations}
        passages = (CitedPassage(row.document, row.key, row.page_index, row.quote) for row in cited.values())
        return Exchange(question, self.end.answer, tuple(passages))

    def as_json(self) -> dict[str, Any]:
        """The result with pages from 1 and seconds since the command began."""
        return {
            "outcome": self.end.outcome.value,
            **{name: getattr(self.end, name) for name in ("reason", "missing", "answer", "value")},
            "verdict": self.end.verdict or "",
            "unknown_words": self.end.unknown_words,
            "note": self.end.note,
            "citations": self._citations,
            "passages": self._passages,
            "steps": self.steps,
            "seconds": round(time.monotonic() - self._started, 3),
        }

    def as_text(self) -> str:
        """The answer, what is still open, each quote with its place; the closest passages; words that stand nowhere."""
        end = self.end
        lines = [f"{end.answer or end.reason}{VERDICTS[end.verdict or '']}", *filter(None, [end.note])]
        if end.missing and end.answer:
            lines += ["", "Still open:", *(f"- {part}" for part in end.missing)]
        if self._citations:
            lines += ["", *(f"[{number}] {_quote_line(row)}" for number, row in enumerate(self._citations, start=1))]
        if end.unknown_words:
            lines += ["", f"In no document: {', '.join(end.unknown_words)}"]
        if self._passages:
            lines += ["", "Closest passages:", *(f"- {_quote_line(row)}{_columns_of(row)}" for row in self._passages)]
        return "\n".join(lines)

    def _evidence(self) -> list[Evidence]:
        """One piece of evidence for each marker, in order, quotes that were not found left out."""
        found: dict[int, Evidence] = {}
        for order in sorted(self.claims):
            for row in self.claims[order].citations:
                if row.check is not Check.MISSING:
                    found.setdefault(row.marker, row)
        return [found[marker] for marker in sorted(found)]


def _step_row(event: StepEvent) -> dict[str, Any]:
    """A step with the fields that a stored one has, its pages counted from 1."""
    row = asdict(event)
    del row["cost_usd"]
    for ref in [*row["refs"], *(each["ref"] for each in row["rejected"] if each["ref"])]:
        ref |= {name: ref[name] + 1 for name in ("page_start", "page_end") if ref.get(name) is not None}
    return row


def _evidence_row(row: Evidence, names: Mapping[str, str]) -> dict[str, Any]:
    """A citation; one that is the picture of a page has no quote, and says so."""
    told = {"document": names[row.document], "page": row.page_index + 1, "quote": row.quote}
    shown = {"passage": asdict(row.passage)} if row.passage else {}
    return told | shown | ({"check": PICTURED} if row.check is Check.PICTURE else {})


def _quote_line(row: dict[str, Any]) -> str:
    if "check" in row:
        return f"{row['document']}, p. {row['page']}: {row['check']}"
    return f"{row['document']}, p. {row['page']}: “{' '.join(row['quote'].split())}”"


def _columns_of(row: dict[str, Any]) -> str:
    """The column names above a passage that is a row of a table, on a line of their own; "" for other passages."""
    names = [name for name in next(iter(row.get("passage", {}).get("rows", ())), ()) if name]
    return f"\n  Columns: {', '.join(names)}" if names else ""
