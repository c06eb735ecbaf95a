"""How long the console's pages take on a site with many runs, documents, and events of the record.

Fills the database that DATABASE_URL or VECTORLESS_VAR names, which must be a fresh one, then asks every page in this
process and prints in milliseconds: median, 95th percentile, the first time, and the 95th percentile of what the
processor worked, which other programs on the machine hardly lengthen. A live Redis is needed for the queues.

    VECTORLESS_VAR=/tmp/console-bench python benchmarks/console.py --runs 100000 --documents 10000 --events 1000000
"""

import argparse
import os
import random
import statistics
import sys
import time
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")
BATCH = 5000
PAGES = (
    "",
    "queues/",
    "usage/?days=90&by=person",
    "people/",
    "workspaces/",
    "workspaces/1/",
    "budgets/",
    "groups/",
    "sign-in/",
    "work/",
    "models/",
    "links/",
    "retention/",
    "retention/?kind=runs&days=30",
    "maintenance/",
    "settings/",
    "audit/",
    "audit/?verb=run.asked",
    "audit/?q=report 77",
    "audit/?q=report",
    "audit/?q=zebra",
    "audit/?q=report&verb=member.added",
    "audit/?since={week}",
    "audit/?before={middle}",
)


OWNERS_PAGES = ("usage/?days=90", "health/", "retention/", "budgets/", "record/", "record/?q=report")
"""Pages under Settings of a workspace, asked as one of its owners."""


def main() -> None:
    """Fill, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=20)
    given = parser.parse_args()

    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    from vectorless_web.workspaces.models import AuditEvent

    if not AuditEvent.objects.exists():
        fill(given.runs, given.documents, given.events)
    ask_pages(given.times)


def fill(runs: int, documents: int, events: int) -> None:
    """Fifty people in twenty workspaces, with so many runs, documents and events over 90 days."""
    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from vectorless_web.console.subjects.usage import rebuild_usage
    from vectorless_web.documents.models import Document, DocumentVersion
    from vectorless_web.engine.documents.artefact import ENGINE_VERSION
    from vectorless_web.runs.models import Run, Thread
    from vectorless_web.workspaces.models import Membership, Workspace

    dice, now = random.Random(7), timezone.now()
    accounts = get_user_model()
    people = accounts.objects.bulk_create(accounts(username=f"p{n}", email=f"p{n}@x.example") for n in range(50))
    accounts.objects.create_superuser("root", "root@x.example", "quiet river stone 9")
    spaces = Workspace.objects.bulk_create(Workspace(name=f"Workspace {n}", slug=f"w{n}") for n in range(20))
    Membership.objects.bulk_create(Membership(workspace=w, user=p, role="owner") for w in spaces for p in people[:10])
    threads = [Thread.objects.create(workspace=w, title="t") for w in spaces]
    outcomes = ["answered"] * 7 + ["partial", "not_found", "failed"]

    def moment() -> object:
        return now - timedelta(minutes=dice.randrange(90 * 1440))

    def run(n: int) -> object:
        at, thread = moment(), dice.choice(threads)
        return Run(
            thread=thread,
            workspace_id=thread.workspace_id,
            question=f"What does report {n} say?",
            asked_by=dice.choice(people),
            status=dice.choice(outcomes),
            error_code="model_down",
            model=dice.choice(("", "large", "small")),
            tokens=dice.randrange(9000),
            cost_usd=Decimal(dice.randrange(90)) / 1000,
            started_at=at,
            finished_at=at + timedelta(seconds=dice.randrange(60)),
        )

    in_batches(Run, runs, run)
    in_batches(Document, documents, lambda n: Document(workspace=dice.choice(spaces), title=f"Report {n}", name="r"))
    for rows in batches(list(Document.objects.values_list("pk", flat=True))):
        versions = [
            DocumentVersion(
                document_id=pk,
                bytes=10**6,
                artefact_bytes=10**5,
                pages=80,
                sha256=f"{pk:064}",
                status="ready" if dice.random() < 0.99 else "failed",
                engine_version=ENGINE_VERSION,
                ready_at=moment(),
                added_by=dice.choice(people),
            )
            for pk in rows
        ]
        DocumentVersion.objects.bulk_create(versions)
    write_events(events, people, spaces, now, dice)
    begun = time.perf_counter()
    print(f"rollup of {rebuild_usage()} days: {time.perf_counter() - begun:.1f} s")


def write_events(count: int, people: list, spaces: list, now: object, dice: random.Random) -> None:
    """Events in a chain, as `record` would write them one by one."""
    from vectorless_web.workspaces.models import AuditEvent, AuditHead
    from vectorless_web.workspaces.storage import digest_event

    verbs = ["run.asked"] * 6 + ["document.added", "member.added", "run.shared", "workspace.changed"]
    digest, rows = "", []
    for number in range(count):
        person, space = dice.choice(people), dice.choice(spaces)
        event = AuditEvent(
            actor_id=person.pk,
            actor_key=person.pk,
            workspace_id=space.pk,
            workspace_key=space.pk,
            verb=dice.choice(verbs),
            object_name=f"report {number}",
            address="203.0.113.0/24",
            at=now - timedelta(days=90) + timedelta(days=90) * number / count,
        )
        digest = event.digest = digest_event(digest, vars(event))
        rows.append(event)
        if len(rows) == BATCH:
            AuditEvent.objects.bulk_create(rows)
            rows = []
    AuditEvent.objects.bulk_create(rows)
    AuditHead.objects.update_or_create(pk=1, defaults={"count": count, "digest": digest})


def in_batches(model: type, count: int, make: object) -> None:
    """Create `count` rows, some thousand in one message."""
    for rows in batches(range(count)):
        model.objects.bulk_create([make(n) for n in rows])


def batches(values: object) -> object:
    """Parts of a sequence."""
    return (values[first : first + BATCH] for first in range(0, len(values), BATCH))


def find_p95(values: list[float]) -> float:
    """The 95th percentile: of so few values the second largest, or the largest."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def ask_pages(times: int) -> None:
    """Each page so often, as a superuser, in this process."""
    from django.contrib.auth import get_user_model
    from django.test import Client
    from django.utils import timezone

    from vectorless_web.workspaces.models import AuditEvent
    from vectorless_web.workspaces.services import verify_record

    accounts = get_user_model().objects
    staff, owner = Client(SERVER_NAME="localhost"), Client(SERVER_NAME="localhost")
    staff.force_login(accounts.get(username="root"))
    owner.force_login(accounts.get(username="p0"))
    last = AuditEvent.objects.latest("pk").pk
    week = (timezone.now() - timedelta(days=7)).date()
    pages = [(staff, "/console/" + page.format(week=week, middle=last // 2)) for page in PAGES]
    pages += [(owner, f"/w/w1/settings/{page}") for page in OWNERS_PAGES]
    for client, address in pages:
        took, worked = [], []
        for _ in range(times + 1):
            begun, used = time.perf_counter(), time.process_time()
            status = client.get(address).status_code
            took.append((time.perf_counter() - begun) * 1000)
            worked.append((time.process_time() - used) * 1000)
        assert status == 200, (address, status)
        first, rest = took[0], took[1:]
        line = f"| `{address}` | {statistics.median(rest):.0f} | {find_p95(rest):.0f} | {first:.0f} "
        print(f"{line}| {find_p95(worked[1:]):.0f} |", flush=True)
    begun = time.perf_counter()
    found = verify_record()
    print(f"verify: {found.checked} events in {time.perf_counter() - begun:.1f} s, {found.problem or 'whole'}")


if __name__ == "__main__":
    main()
