"""How long one person waits for a worker while another has asked hundreds of questions.

    python benchmarks/fair_share.py [--asks 900] [--others 5] [--workers 2] [--slow SECONDS]

Alice asks as fast as the site takes her questions, with no limit on asking; Bob then asks a few,
one after the other. What is measured is Bob's wait: from the moment his question is stored to the
moment a worker takes it. With --slow each of Alice's runs takes so long, as over a slow model.
The peer, in the same run, is Alice's own wait. Everything goes through real processes: worker,
Redis, database, sweep. Bob's wait must stay under 5 seconds.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.site import Site, wait_until

BAR_SECONDS = 5.0
NO_LIMITS = {
    "VECTORLESS_ASKS_PER_HOUR": "0",
    "VECTORLESS_WAITING_RUNS_PER_PERSON": "0",
    "VECTORLESS_WAITING_RUNS_PER_WORKSPACE": "0",
}
SLOWLY = "Slowly: what was revenue?"


def main() -> int:
    options = _options()
    engine = {"VECTORLESS_ENGINE_FACTORY": "benchmarks.fair_share.build_engine", "SLOW": str(options.slow)}
    with Site(**NO_LIMITS, **engine) as site:
        for _ in range(options.workers):
            site.manage("work", "runs")
        site.manage("work", "documents")
        site.manage("sweep", "--loop")
        return _report(_measure(options))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asks", type=int, default=900)
    parser.add_argument("--others", type=int, default=5, help="questions of the other person")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--slow", type=float, default=0.0, help="seconds that each run of the first person takes")
    return parser.parse_args()


@dataclass(frozen=True)
class Waits:
    """Seconds: of each of Bob's questions, and of those of Alice's that were taken meanwhile. `asking`: her asks."""

    bob: list[float]
    alice: list[float]
    asking: float


def _measure(options: argparse.Namespace) -> Waits:
    from django.contrib.auth import get_user_model
    from django.core.files.uploadedfile import SimpleUploadedFile

    from vectorless_web.documents.models import DocumentVersion
    from vectorless_web.documents.services import add_document
    from vectorless_web.runs.services import start_run
    from vectorless_web.workspaces.models import Membership, Role
    from vectorless_web.workspaces.services import create_workspace

    people = get_user_model().objects
    alice, bob = (people.create_user(name, f"{name}@example.com", "x") for name in ("alice", "bob"))
    place = create_workspace(user=alice, name="Benchmark")
    Membership.objects.create(workspace=place, user=bob, role=Role.MEMBER)
    upload = SimpleUploadedFile("notes.md", b"# Notes\n\nRevenue was 412 million.\n")
    add_document(workspace=place, user=alice, upload=upload)
    ready = DocumentVersion.objects.filter(status=DocumentVersion.Status.READY)
    wait_until(ready.exists)
    began = time.monotonic()
    for _ in range(options.asks):
        start_run(user=alice, workspace=place, question=SLOWLY if options.slow else "What was revenue?")
    asking = time.monotonic() - began
    waits = []
    for _ in range(options.others):
        run = start_run(user=bob, workspace=place, question="What was revenue?")
        wait_until(lambda run=run: _started(run), seconds=1_000)
        waits.append((_started(run) - run.created_at).total_seconds())
        print(f"waited {waits[-1]:.2f} s", flush=True)
    taken = alice_rows(alice).exclude(started_at=None).values_list("created_at", "started_at")
    return Waits(waits, [(started - created).total_seconds() for created, started in taken], asking)


def alice_rows(alice):
    from vectorless_web.runs.models import Run

    return Run.objects.filter(asked_by=alice)


def _started(run):
    from vectorless_web.runs.models import Run

    return Run.objects.values_list("started_at", flat=True).get(pk=run.pk)


def _report(waits: Waits) -> int:
    worst = max(waits.bob)
    longest = max(waits.alice, default=0)
    print(f"{len(waits.alice)} runs of the first person were taken meanwhile; the last waited {longest:.1f} s")
    print(f"her asks took {waits.asking:.1f} s; the other person waited {worst:.2f} s most (bar {BAR_SECONDS:g} s)")
    return int(worst > BAR_SECONDS)


@dataclass(frozen=True)
class SlowReasoner:
    """The real reasoner, after a pause for questions that ask for one; it can be stopped meanwhile."""

    reasoner: object

    def __getattr__(self, name: str):
        return getattr(self.reasoner, name)

    def run(self, question, *arguments, **options) -> Iterator:
        cancelling = options.get("cancelling", lambda: False)
        until = time.monotonic() + (float(os.environ["SLOW"]) if question == SLOWLY else 0)
        while time.monotonic() < until and not cancelling():
            time.sleep(0.05)
        yield from self.reasoner.run(question, *arguments, **options)


def build_engine(settings, calls=None):
    """Called in the worker."""
    from vectorless_web import wiring

    engine = wiring.build_engine(settings, calls)
    return replace(engine, reasoner=SlowReasoner(engine.reasoner))


if __name__ == "__main__":
    raise SystemExit(main())
