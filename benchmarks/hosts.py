"""How many more questions two machines answer than one.

    python tools/with_postgresql.py python benchmarks/hosts.py [--asks 60] [--rounds 3]

A machine is a worker "runs" that is bound to a core of its own, with a folder of its own and nothing of another's disk:
files lie in an S3 server, rows in PostgreSQL. In turns one and two of them answer as many questions of eight people,
asked once the workers are there; counted is from the first answer to the last. The computer that this runs on must have
two cores; PostgreSQL, Redis and the S3 server share them, as they would not at a real site: the ratio has to bear that.
"""

import argparse
import os
import secrets
import sys
import tempfile
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fair_share import NO_LIMITS
from benchmarks.latency import Stage
from benchmarks.site import ROOT, Site, wait_until
from tests.support.object_store import ObjectStoreServer

BAR = 1.7
PEOPLE = 8
REPORT = ROOT / "docs" / "demo" / "thornbury-annual-report-2024.pdf"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asks", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if "DATABASE_URL" not in os.environ:
        parser.error("Machines share no file, so this needs PostgreSQL: start it by tools/with_postgresql.py.")
    with tempfile.TemporaryDirectory(prefix="vw-objects-") as folder:
        objects = ObjectStoreServer(Path(folder))
        objects.start()
        try:
            ratios = _compare(objects, options)
        finally:
            objects.stop()
    ratio = median(ratios)
    print(f"two machines answer {ratio:.2f} times what one does (bar {BAR}): {'kept' if ratio >= BAR else 'MISSED'}")
    return 0 if ratio >= BAR else 1


def _compare(objects: ObjectStoreServer, options: argparse.Namespace) -> list[float]:
    """Of each round, the questions a second of two machines over those of one."""
    shared = {**objects.environment, "VECTORLESS_STORAGE": objects.url, "SECRET_KEY": secrets.token_hex(32)}
    with Site(**NO_LIMITS, **shared) as site:
        site.manage("work", "documents")
        site.manage("sweep", "--loop")
        stage = Stage(site)
        stage.add(REPORT.read_bytes(), REPORT.name)
        stage.wait_until_read()
        people = [_join(stage, number) for number in range(PEOPLE)]
        ratios = []
        for _ in range(options.rounds):
            rates = [_rate(site, stage, people, machines, options.asks) for machines in (1, 2)]
            print(
                f"questions a second: one {rates[0]:.2f}, two {rates[1]:.2f}; load {os.getloadavg()[0]:.1f}", flush=True
            )
            ratios.append(rates[1] / rates[0])
    return ratios


def _rate(site: Site, stage: Stage, people: list, machines: int, asks: int) -> float:
    """Questions a second that so many machines answer."""
    from django_rq import get_queue
    from rq import Worker

    from vectorless_web.runs.models import Run
    from vectorless_web.runs.services import start_run

    first = Run.objects.order_by("pk").last()
    runs = Run.objects.filter(pk__gt=first.pk if first else 0)
    workers = []
    for core in sorted(os.sched_getaffinity(0))[:machines]:
        var = site.folder / f"machine-{core}"
        var.mkdir(exist_ok=True)
        command = ["taskset", "--cpu-list", str(core), sys.executable, "manage.py", "work", "runs"]
        workers.append(site.start(command, VECTORLESS_VAR=str(var)))
    queue = get_queue("runs")
    wait_until(lambda: Worker.count(queue=queue) == machines, seconds=120)
    for number in range(asks):
        question = f"What was capital expenditure in 2024, asked {number}?"
        start_run(user=people[number % PEOPLE], workspace=stage.workspace, question=question)
    wait_until(lambda: not runs.exclude(status__in=Run.ENDED).exists(), seconds=600)
    for worker in workers:
        worker.terminate()
        worker.wait(60)
    failed = runs.filter(status="failed").values_list("reason", flat=True)
    assert not failed, list(failed)
    ended = sorted(runs.values_list("finished_at", flat=True))
    return (len(ended) - 1) / (ended[-1] - ended[0]).total_seconds()


def _join(stage: Stage, number: int):
    from django.contrib.auth import get_user_model

    from vectorless_web.workspaces.services import add_member

    user = get_user_model().objects.create_user(f"person-{number}", f"person-{number}@example.com")
    add_member(workspace=stage.workspace, user=user, role="member")
    return user


if __name__ == "__main__":
    raise SystemExit(main())
