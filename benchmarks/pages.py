"""What a page costs the web process, beside a bare Django list view of the same rows.

    python benchmarks/pages.py [--times 40] [--folder DIR]

The demo's documents are read and its questions answered by the site's own workers; then rows are added: 60 documents
in 4 folders, 100 runs, 6 people and 3 workspaces. Each page is asked over HTTP by somebody who is signed in. Printed,
in milliseconds a page: the processor time of the web process with all its threads and that of a second web process with
a bare list view of the rows that the page shows (`bare.py`); then how many times the bare list the page takes, the bar
for that, and the kilobytes sent. The two are asked in turns, and of three rounds the median counts: a slower or busier
machine slows both. Exits with 1 when a page misses its bar.
"""

import argparse
import sys
import urllib.request
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.site import Site, wait_until

BARS = {"ask": 6.9, "documents": 6.3, "runs": 5.6, "run": 21.3, "reader": 6.9}
"""Times a bare list: 55, 50, 45, 170 and 55 ms, half of what the pages took once, where a bare list took 8 ms."""
ROUNDS = 3
DOCUMENTS, FOLDERS, RUNS, PEOPLE = 60, 4, 100, 6


def main() -> int:
    """Lay out, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--folder", type=Path, help="keep what was laid out here, and measure it again")
    options = parser.parse_args()
    with Site(folder=options.folder, static=True) as site:
        cookie, addresses = lay_out(site)
        product = (site.web, site.port)
        site.start_web(DJANGO_SETTINGS_MODULE="benchmarks.bare")
        bare = (site.web, site.port)
        rounds: dict[str, list[tuple[float, float, float]]] = {page: [] for page in BARS}
        for page, address in list(addresses.items()) * ROUNDS:
            site.web, site.port = product
            own, sent = measure(site, address, cookie, options.times)
            site.web, site.port = bare
            rounds[page].append((own, measure(site, f"/bare/{page}/", cookie, options.times)[0], sent))
    print("| page | ms | a bare list | times | bar | KB |\n|---|---|---|---|---|---|")
    missed = []
    for page, bar in BARS.items():
        own, listed, sent = sorted(rounds[page], key=lambda each: each[0] / max(each[1], 1))[ROUNDS // 2]
        times = own / max(listed, 1)
        print(f"| {page} | {own:.0f} | {listed:.0f} | {times:.1f} | {bar} | {sent:.0f} |")
        missed += [page] if times > bar else []
    print(f"bars: {'kept' if not missed else 'MISSED by ' + ', '.join(missed)}")
    return int(bool(missed))


def measure(site: Site, address: str, cookie: str, times: int) -> tuple[float, float]:
    """Processor milliseconds a page of the newest web process, and kilobytes of the page."""
    sent = 0
    for warming in (8, times):
        before = site.processor_ms()
        for _ in range(warming):
            request = urllib.request.Request(f"{site.address}{address}")
            request.add_header("Cookie", cookie)
            with urllib.request.urlopen(request, timeout=60) as response:
                sent = len(response.read())
                assert response.status == 200 and response.url.endswith(address), (address, response.url)
    return (site.processor_ms() - before) / times, sent / 1000


def lay_out(site: Site) -> tuple[str, dict[str, str]]:
    """Fill the site unless a folder has it already: a cookie of somebody signed in, and the address of each page."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    from vectorless_web.documents.models import Document
    from vectorless_web.runs.models import Run
    from vectorless_web.workspaces.models import Workspace

    if not Workspace.objects.exists():
        site.manage("first_run", "-v", "0").wait()
        workers = [site.manage("work", queue) for queue in ("runs", "documents")]
        site.manage("load_demo").wait()
        wait_until(lambda: Run.objects.filter(status__in=Run.ENDED).count() == 4, seconds=120)
        for worker in workers:
            worker.terminate()
            worker.wait()
        _add_rows()
    client = Client()
    client.force_login(get_user_model().objects.get(username="demo"))
    place = Workspace.objects.get(slug="demo")
    run = Run.objects.order_by("-step_count", "pk").first()
    document = Document.objects.get(name="thornbury-annual-report-2024.pdf", tags=[])
    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    root = f"/w/{place.slug}/"
    return cookie, {
        "ask": root,
        "documents": f"{root}documents/",
        "runs": f"{root}runs/",
        "run": f"{root}runs/{run.pk}/",
        "reader": f"{root}documents/{document.pk}/",
    }


def _add_rows() -> None:
    """Copies of the demo's rows, as many as a team has after a few weeks."""
    from django.contrib.auth import get_user_model

    from vectorless_web.documents.models import Document, Folder
    from vectorless_web.runs.models import Answer, Run
    from vectorless_web.workspaces.models import Membership, Workspace
    from vectorless_web.workspaces.services import create_workspace

    place, people = Workspace.objects.get(slug="demo"), get_user_model().objects
    members = [people.create_user(f"person{n}", f"p{n}@example.com", None, first_name="Per", last_name=f"Son {n}")
               for n in range(PEOPLE)]  # fmt: skip
    Membership.objects.bulk_create(Membership(workspace=place, user=each) for each in members)
    for number in range(2):
        create_workspace(user=people.get(username="demo"), name=f"Team {number}")
    folders = [Folder.objects.create(workspace=place, name=f"Folder {n}") for n in range(FOLDERS)]
    originals = list(Document.objects.select_related("current_version__card").order_by("pk"))
    for number in range(DOCUMENTS - len(originals)):
        original = originals[number % len(originals)]
        version, card = original.current_version, original.current_version.card
        document = _copy(original, title=f"{original.title} {number}", current_version=None, tags=["team", "old"],
                         folder=folders[number % FOLDERS], added_by=members[number % PEOPLE])  # fmt: skip
        document.current_version = _copy(version, document=document, added_by=members[number % PEOPLE])
        document.save()
        _copy(card, version=document.current_version)
    asked = list(Run.objects.select_related("answer", "thread").order_by("pk"))
    for number in range(RUNS - len(asked)):
        original = asked[number % len(asked)]
        run = _copy(original, thread=_copy(original.thread), asked_by=members[number % PEOPLE])
        if answer := Answer.objects.filter(run=original).first():
            _copy(answer, run=run)


def _copy(row: Any, **changed: Any) -> Any:
    """Another row like this one, stored."""
    fields = {
        field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key
    }
    copy = type(row)(**fields)
    for name, value in changed.items():
        setattr(copy, name, value)
    copy.save(force_insert=True)
    return copy


if __name__ == "__main__":
    sys.exit(main())
