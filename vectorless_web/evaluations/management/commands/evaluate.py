"""`manage.py evaluate`: ask golden questions in a terminal or a team's CI, and leave with 1 below a bar."""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web import wiring
from vectorless_web.engine.agent.events import CompleteEvent, Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.local_corpus import LocalCorpus
from vectorless_web.engine.answers.claims import ClaimEvent, Evidence, Support
from vectorless_web.engine.errors import EngineError
from vectorless_web.evaluations import exports, selectors, services
from vectorless_web.evaluations.models import Evaluation, GoldenSet
from vectorless_web.evaluations.reading import Typed, read_import, read_pages
from vectorless_web.evaluations.scoring import Expectation, Given, Place, Score, Tally, score_answer
from vectorless_web.infra.queues.jobs import find_hold
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.line import BACKGROUND_QUEUE
from vectorless_web.runs.selectors import answerers_of

FAILED, PAUSE_SECONDS = 1, 0.5


class Command(BaseCommand):
    help = (
        "Ask a set of golden questions and print how the answers score: a set of a workspace by its name, answered by "
        "the site's workers; or a file of questions about the documents of a folder, answered here without a database."
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("set", help="The name of a set, or a JSON Lines or CSV file of questions.")
        parser.add_argument("--workspace", metavar="SLUG", help="The workspace of the set.")
        parser.add_argument("--documents", type=Path, metavar="FOLDER", help="Where the documents of a file are.")
        parser.add_argument("--model", default="", help="The model that answers; without it whoever usually does.")
        parser.add_argument("--judge", default="", help="The model that judges prose beside the score, in a workspace.")
        parser.add_argument("--min-accuracy", type=float, default=0.0, help="Leave with 1 below this share of right.")
        parser.add_argument("--seconds", type=float, default=3600, help="How long to wait for the workers.")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the table and leave with 0, or with 1 below the bar."""
        try:
            if options["documents"]:
                right = self._ask_files(Path(options["set"]), options["documents"])
            else:
                right = self._ask_set(options)
        except (Problem, EngineError) as error:
            raise CommandError(error.message) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if right.share < options["min_accuracy"]:
            self.stderr.write(f"{right.share:.2f} right is below {options['min_accuracy']:.2f}.")
            sys.exit(FAILED)

    def _ask_set(self, options: dict[str, Any]) -> Tally:
        rows = GoldenSet.objects.filter(name=options["set"], workspace__deleted_at=None)
        if options["workspace"]:
            rows = rows.filter(workspace__slug=options["workspace"])
        found = list(rows.select_related("workspace", "created_by")[:2])
        if len(found) != 1 or found[0].created_by is None:
            raise CommandError("No set, or more than one, has this name. Name its workspace with --workspace.")
        golden_set, user = found[0], found[0].created_by
        evaluation = services.start_evaluation(
            user=user,
            golden_set=golden_set,
            trigger=Evaluation.Trigger.COMMAND,
            answerer=_find_answerer(golden_set, options["model"]),
            judge=_find_answerer(golden_set, options["judge"]),
        )
        self._wait(evaluation, options["seconds"])
        summary = selectors.summarise(evaluation)
        for figure in exports.list_figures(summary):
            self.stdout.write(f"{figure.name:<28} {figure.text}")
        return summary.right

    def _wait(self, evaluation: Evaluation, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while evaluation.state == Evaluation.State.RUNNING:
            if time.monotonic() > deadline:
                hold = find_hold(BACKGROUND_QUEUE)
                why = f"{hold.say}. {hold.remedy}" if hold else "Give them longer with --seconds."
                raise CommandError(f"The workers did not answer all questions in time. {why}")
            time.sleep(PAUSE_SECONDS)
            evaluation.refresh_from_db()
        if evaluation.state == Evaluation.State.STOPPED:
            raise CommandError(f"It was stopped. {evaluation.problem}".strip())

    def _ask_files(self, path: Path, folder: Path) -> Tally:
        rows = read_import(path.read_bytes(), path.name)
        opened = cache(lambda names: LocalCorpus([folder / name for name in names]))
        everything = tuple(sorted(file.name for file in folder.iterdir() if file.is_file()))
        scores: list[Score] = []
        for typed in rows:
            scores.append(score_answer(ask(typed, opened(typed.documents or everything)), expect(typed)))
            self.stdout.write(f"{'right' if scores[-1].right else 'WRONG':<6} {typed.question}")
        right = Tally(sum(score.right for score in scores), len(scores))
        pages = [score.page_right for score in scores if score.page_right is not None]
        self.stdout.write(f"Right: {right.right} of {right.total}. Page right: {sum(pages)} of {len(pages)}.")
        return right


def _find_answerer(golden_set: GoldenSet, model: str) -> str:
    offered = answerers_of(golden_set.workspace)
    found = next((row.value for row in offered if model in (row.value, row.model, row.label)), None)
    if model and found is None:
        raise CommandError(f"{model} is not offered there. Offered are {', '.join(row.label for row in offered)}.")
    return found or "" if model else ""


def ask(typed: Typed, corpus: LocalCorpus) -> Given:
    """What the engine of this process's settings answers to one question over files."""
    events = list(wiring.engine_for(None, wiring.Calls()).reasoner.run(typed.question, corpus, Limits()))
    end = next(event for event in reversed(events) if isinstance(event, CompleteEvent))
    claims = {event.order: event for event in events if isinstance(event, ClaimEvent)}
    standing = [claim for claim in claims.values() if claim.support is not Support.UNSUPPORTED]
    is_answer = end.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
    shown: Sequence[Evidence] = [row for claim in standing for row in claim.citations] if is_answer else end.passages
    names = {entry.id: entry.name for entry in corpus.entries()}
    cited = dict.fromkeys(Place(names[row.document], row.page_index, row.quote) for row in shown)
    return Given(is_answer, end.answer, end.value, end.verdict.value if end.verdict else "", tuple(cited))


def expect(typed: Typed) -> Expectation:
    """What a question of a file expects; documents go by their file names."""
    places = [Place(*found, typed.quote) for written in typed.pages for found in read_pages(written, typed.documents)]
    if typed.quote and not places:
        places = [Place(typed.documents[0] if len(typed.documents) == 1 else "", -1, typed.quote)]
    return Expectation(typed.text, typed.value, typed.mentions, tuple(places), typed.is_absent)
