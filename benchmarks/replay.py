"""How many stored runs replay identically: offline and led by a model, resumed after a crash too.

    python benchmarks/replay.py --pdfs FOLDER --questions FILE [--documents 3] [--questions-each 2]

A whole database of its own: documents uploaded and compiled, every question asked of all of
them by the offline reasoner and by a model that says something else every time, after any
pause, with errors, prose and broken JSON among it. Of each run the last half is then taken
away and the run resumed, as after a crash. Every run is replayed with its model out of reach.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.site import Site
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.errors import ModelRateLimited, ModelTimeout
from vectorless_web.engine.llm.model import Message, Reply

BAD = ("Let me think about it.", '{"thought": "brok', {"unknown": 1}, ModelRateLimited("429"), ModelTimeout("Late."))


class Moody:
    """Another reply every time, one in four of no use."""

    name = "moody"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """A reply that suits the kind of prompt, or one that suits none."""
        time.sleep(random.random() / 50)
        said = random.choice(BAD) if random.random() < 0.25 else _say(schema)
        if isinstance(said, Exception):
            raise said
        return ScriptedModel([said], name=self.name).complete(messages, schema=schema)

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The same in one piece."""
        yield self.complete(messages).text


def moody_at(_endpoint: object, **_options: object) -> Moody:
    """What the settings name as the model's factory."""
    return Moody()


def _say(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """A reply that fits the schema: a verdict, a ranking of cards, or a turn of the conversation."""
    asked = (schema or {}).get("properties", {})
    if "claims" in asked:
        return {
            "claims": [{"claim": 1, "verdict": "supported", "why": "It says so."}],
            "answers_all": True,
            "missing": [],
        }
    if "calls" not in asked:
        return {"ranking": []}
    node = f"D1.{random.randrange(200)}"
    claim = {"text": "It stands there.", "cites": [node]}
    calls: tuple[dict[str, Any], ...] = (
        {"tool": "outline", "arguments": {"document": "D1"}},
        {"tool": "read", "arguments": {"document": "D1", "node": node}},
        {"tool": "navigate", "arguments": {"document": "D1", "goal": f"total {random.randrange(5)}"}},
        {"tool": "search", "arguments": {"queries": [f"total {random.randrange(5)}"]}},
        {"tool": "route", "arguments": {"query": f"year {random.randrange(5)}"}},
        {"tool": "answer", "arguments": {"outcome": "answered", "claims": [claim]}},
    )
    return {"thought": "Because.", "calls": [random.choice(calls)]}


def main() -> None:
    """Ask, crash, resume, replay; print the verdicts."""
    options = arguments()
    rows = [json.loads(line) for line in Path(options.questions).read_text(encoding="utf-8").splitlines()]
    names = list(dict.fromkeys(row["doc_name"] for row in rows))[: options.documents]
    factory = {"VECTORLESS_MODEL_FACTORY": "benchmarks.replay.moody_at", "VECTORLESS_MODEL": "moody"}
    with Site(**factory):
        told = ask_all(names, rows, options)
    for kind, verdicts in told.items():
        print(f"{kind}: {verdicts['identical']} of {sum(verdicts.values())} replayed identically")


def ask_all(names: Sequence[str], rows: Sequence[Mapping[str, Any]], options: argparse.Namespace) -> dict[str, Counter]:
    """Verdicts by kind of run."""
    workspace, user = filled([Path(options.pdfs) / f"{name}.pdf" for name in names])
    told: dict[str, Counter] = {}
    for name in names:
        for row in [row for row in rows if row["doc_name"] == name][: options.each]:
            for answerer in ("offline", ""):
                run = asked(workspace, user, row["question"], answerer)
                kind = "offline" if answerer else "led by a model"
                told.setdefault(kind, Counter())[verdict(run)] += 1
                resumed(run)
                told.setdefault(f"{kind}, resumed", Counter())[verdict(run)] += 1
    return told


def filled(paths: Sequence[Path]) -> tuple[Any, Any]:
    """A workspace with those documents, compiled, and its owner."""
    from django.contrib.auth import get_user_model
    from django.core.files import File

    from vectorless_web.documents.jobs import compile_version
    from vectorless_web.documents.services import add_document
    from vectorless_web.workspaces.services import create_workspace

    user = get_user_model().objects.create(username="bench")
    workspace = create_workspace(user=user, name="Replays")
    for path in paths:
        with path.open("rb") as file:
            compile_version(add_document(workspace=workspace, user=user, upload=File(file, name=path.name)).version.pk)
    return workspace, user


def asked(workspace: Any, user: Any, question: str, answerer: str) -> Any:
    """A finished run over all documents."""
    from vectorless_web.runs import jobs, services

    run = services.start_run(user=user, workspace=workspace, question=question, answerer=answerer)
    jobs.execute_run(run.pk)
    return run


def resumed(run: Any) -> None:
    """The run again, after its last half was lost."""
    from vectorless_web.runs import jobs
    from vectorless_web.runs.models import Run

    half = run.steps.order_by("sequence").values_list("sequence", flat=True)[run.steps.count() // 2]
    calls = run.model_calls.order_by("pk").values_list("pk", flat=True)
    run.model_calls.filter(pk__in=list(calls[len(calls) // 2 :])).delete()
    run.steps.filter(sequence__gte=half).delete()
    run.claims.all().delete()
    Run.objects.filter(pk=run.pk).update(status="queued", attempt=2)
    jobs.execute_run(run.pk)


def verdict(run: Any) -> str:
    """What a replay finds; a difference is printed."""
    from vectorless_web.runs import jobs, selectors

    found = jobs.find_replay_result(selectors.run_to_execute(run.pk))
    if found.verdict != "identical":
        print(f"run {run.pk}: {found.verdict}. {found.difference}")
    return str(found.verdict)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--documents", type=int, default=3)
    parser.add_argument("--questions-each", dest="each", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
