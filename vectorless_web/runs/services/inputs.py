"""Inputs of a run from outside: the first attempt stores them, later attempts and replays read them again."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from vectorless_web import engine
from vectorless_web.engine.agent.limits import FURTHER, Late, Place
from vectorless_web.engine.questions.followup import Previous
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.routing import RouteMode, RouteResult, ScoredCandidate
from vectorless_web.infra.leases import write_under_lease
from vectorless_web.runs.models import Run, RunInputs
from vectorless_web.runs.services.asking import previous_of
from vectorless_web.runs.services.leases import RunLease
from vectorless_web.workspaces.selectors import lexicon_from, lexicon_rows


def inputs_of(run: Run, lease: RunLease) -> RunInputs:
    """What the run has taken so far; its first attempt keeps the workspace's words and what a follow-up leans on."""
    kept = RunInputs.objects.filter(run=run.pk).first()
    if kept is not None:
        return kept
    before = previous_of(run)
    with write_under_lease(lease):
        return RunInputs.objects.create(
            run_id=run.pk,
            program=program_digest(),
            lexicon=lexicon_rows(run.workspace),
            previous=asdict(before) if before else None,
        )


def load_kept_lexicon(inputs: RunInputs) -> Lexicon:
    """The packs with the workspace's entries as they stood."""
    return lexicon_from(tuple((concept, tuple(phrases), statement) for concept, phrases, statement in inputs.lexicon))


def load_kept_previous(inputs: RunInputs) -> Previous | None:
    """What the question leaned on; None when it stood by itself."""
    if inputs.previous is None:
        return None
    read = {document: tuple(keys) for document, keys in inputs.previous["read"].items()}
    return Previous(question=inputs.previous["question"], read=read)


def load_kept_routes(inputs: RunInputs) -> list[RouteResult]:
    """What the router answered, pass by pass."""
    return [_route_from(row) for row in inputs.routes]


def late_rows(late: Sequence[Late]) -> list[dict[str, Any]]:
    """Where the wall clock decided, as it is stored."""
    return [{**asdict(each.place), "reading": each.reading, "seconds": each.seconds} for each in late]


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
        return Late(FURTHER)
    place, *search = text.removeprefix("search ").split()
    walk, step = map(int, place.split("."))
    return Late(Place(walk, step), int(search[0]), float(search[1])) if search else Late(Place(walk, step))


def _route_from(row: Mapping[str, Any]) -> RouteResult:
    lists = {name: tuple(map(_candidate_from, row[name])) for name in ("candidates", "tail")}
    return RouteResult(**{**row, **lists, "mode_used": RouteMode(row["mode_used"])})


def _candidate_from(row: Mapping[str, Any]) -> ScoredCandidate:
    lists = {name: tuple(row[name]) for name in ("matched_terms", "matched_fields")}
    return ScoredCandidate(**{**row, **lists})
