"""The load that a site of two cores should carry, row by row, on the database that DATABASE_URL names (else SQLite).

    python benchmarks/load.py [--documents 10000] [--runs 50] [--seconds 20] [--arrivals 10000] [--also-live]
    python tools/with_postgresql.py python benchmarks/load.py

Pages: 20 requests a second for a list of so many documents, the time from the planned moment of each. Runs: so many
questions at once, none lost. People: 60 who open a page each ten seconds while 200 questions wait, until none does.
Arrivals: so many small documents of one person, uploaded at 20 a second, from the first one sent to the last one read.
Each row also tells what it took of a processor in all of the site's processes, which other programs hardly change.
`--also-live` runs latency.py and viewers.py as well.
"""

import argparse
import itertools
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from benchmarks.fair_share import NO_LIMITS
from benchmarks.latency import Stage
from benchmarks.memory import tree
from benchmarks.pages import _copy
from benchmarks.site import ROOT, Site, wait_until
from tests.faults.visitor import Visitor
from tests.support.files import upload

RATE, BAR_PAGE_MS = 20, 250.0
PEOPLE, WAITING, BAR_PEOPLE_MS = 60, 200, 2000.0
THINK_SECONDS = 10
PAGES = ("", "documents/", "runs/", "search/?q=revenue")
WORKERS, SENDERS = 2, 4
ARRIVING_TEXT = "The committee met and looked at what the office had bought in the quarter before. " * 12
NEARLY = 0.98
"""Of the planned rate: the last document is read some seconds after it was sent."""
LIVE = (["latency.py", "--skip-compiling"], ["viewers.py"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--arrivals", type=int, default=10_000)
    parser.add_argument("--also-live", action="store_true")
    options = parser.parse_args()
    with Site(**NO_LIMITS, VECTORLESS_UPLOADS_PER_HOUR="1000000") as site:
        for queue in ("documents", *["runs"] * WORKERS):
            site.manage("work", queue)
        site.manage("sweep", "--loop")
        stage = Stage(site)
        kept = [_keep_runs(site, stage, options.runs), _keep_people(site, stage), _keep_pages(site, stage, options)]
        kept.append(_keep_arrivals(site, stage, options.arrivals))
    for command in LIVE if options.also_live else ():
        shown = subprocess.run([sys.executable, f"benchmarks/{command[0]}", *command[1:]], cwd=ROOT, check=False)
        kept.append(shown.returncode == 0)
    return 0 if all(kept) else 1


def _keep_pages(site: Site, stage: Stage, options: argparse.Namespace) -> bool:
    """Whether the list of documents is answered in time at RATE requests a second."""
    _add_documents(stage, options.documents)
    address, late, wrong = f"{site.address}/w/{stage.workspace.slug}/documents/", [], Counter()
    _get(address, stage.cookie)
    began, spent = time.monotonic() + 0.5, _processor_ms(site)

    def ask(at: float) -> None:
        time.sleep(max(0, at - time.monotonic()))
        try:
            _get(address, stage.cookie)
        except (OSError, AssertionError) as error:  # Too many connections are open, when pages take too long.
            wrong[repr(error)] += 1
        late.append((time.monotonic() - at) * 1000)

    threads = [
        threading.Thread(target=ask, args=(began + number / RATE,)) for number in range(int(options.seconds * RATE))
    ]
    _run_all(threads)
    p95, each = quantiles(late, n=20)[-1], (_processor_ms(site) - spent) / max(len(late) - wrong.total(), 1)
    print(
        f"page of {options.documents:,} documents at {RATE} requests/s: p50 {median(late):.0f} ms, p95 {p95:.0f} ms "
        f"(bar {BAR_PAGE_MS:.0f}), {each:.0f} ms of a processor, errors {wrong.total()} (bar 0)",
        *wrong,
        flush=True,
    )
    return p95 <= BAR_PAGE_MS and not wrong


def _processor_ms(site: Site) -> float:
    """Milliseconds of a processor that the site's processes have had, and those of their children that have ended."""
    ticks = 0
    for pid in (pid for process in site.processes for pid in tree(process.pid)):
        with suppress(OSError):
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
            ticks += sum(map(int, stat[11:15]))
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def _run_all(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _get(address: str, cookie: str) -> None:
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Cookie": cookie}), timeout=120) as answer:
        assert answer.status == 200
        answer.read()


def _add_documents(stage: Stage, count: int) -> None:
    """Copies of the one document that was read."""
    from django.db import transaction

    from vectorless_web.documents.models import Document

    original = Document.objects.select_related("current_version__card").get()
    version = original.current_version
    with transaction.atomic():
        for number in range(count - 1):
            document = _copy(original, title=f"Notes {number}", current_version=None)
            document.current_version = _copy(version, document=document)
            document.save()
            _copy(version.card, version=document.current_version)


def _keep_runs(site: Site, stage: Stage, count: int) -> bool:
    """Whether all of so many questions end when they are asked at once."""
    from vectorless_web.documents.models import Document
    from vectorless_web.runs.models import Run

    chosen = list(Document.objects.order_by("pk").values_list("pk", flat=True)[:1])
    began, spent = time.monotonic(), _processor_ms(site)
    for number in range(count):
        _ask(stage, f"What was revenue, asked {number}?", chosen)
    wait_until(lambda: Run.objects.exclude(status__in=Run.ENDED).count() == 0, seconds=600)
    failed = Run.objects.filter(status="failed").count()
    took = time.monotonic() - began
    print(
        f"{count} questions at once: ended after {took:.1f} s with {WORKERS} workers, "
        f"{(_processor_ms(site) - spent) / count:.0f} ms of a processor each, failed or lost {failed} (bar 0)",
        flush=True,
    )
    return not failed


def _keep_people(site: Site, stage: Stage) -> bool:
    """Whether people who look around do not feel that many questions wait."""
    from vectorless_web.runs.models import Run

    cookies, late, wrong = [_join(stage, number) for number in range(PEOPLE)], [], Counter()
    for number in range(WAITING):
        _ask(stage, f"What was revenue, waiting {number}?")
    is_over = threading.Event()

    def look_around(number: int) -> None:
        time.sleep(number * THINK_SECONDS / PEOPLE)
        for page in itertools.cycle(PAGES):
            began = time.monotonic()
            try:
                _get(f"{site.address}/w/{stage.workspace.slug}/{page}", cookies[number])
            except (OSError, AssertionError) as error:
                wrong[repr(error)] += 1
            late.append((time.monotonic() - began) * 1000)
            if is_over.wait(max(0, began + THINK_SECONDS - time.monotonic())):
                return

    threads = [threading.Thread(target=look_around, args=(number,)) for number in range(PEOPLE)]
    began, spent = time.monotonic(), site.processor_ms()
    for thread in threads:
        thread.start()
    wait_until(lambda: not Run.objects.exclude(status__in=Run.ENDED).exists(), seconds=900)
    took = time.monotonic() - began
    time.sleep(max(0, 2 * THINK_SECONDS - took))
    is_over.set()
    for thread in threads:
        thread.join()
    p95 = quantiles(late, n=20)[-1]
    print(
        f"{PEOPLE} people, {len(late)} pages while {WAITING} questions waited ({took:.0f} s): "
        f"p50 {median(late):.0f} ms, p95 {p95:.0f} ms (bar {BAR_PEOPLE_MS:.0f}), "
        f"{(site.processor_ms() - spent) / len(late):.0f} ms of the web process's processor a page, "
        f"errors {wrong.total()} (bar 0)",
        *wrong,
        flush=True,
    )
    return p95 <= BAR_PEOPLE_MS and not wrong


def _keep_arrivals(site: Site, stage: Stage, count: int) -> bool:
    """Whether small documents are taken in and read as quickly as they come, none lost."""
    from vectorless_web.documents.models import DocumentVersion
    from vectorless_web.workspaces.services import create_workspace

    workspace, wrong = create_workspace(user=stage.user, name="Arrivals"), Counter()
    visitor = Visitor(site.port)
    visitor.cookies.load(stage.cookie)
    visitor.ask("GET", f"/w/{workspace.slug}/documents/")
    token = visitor.cookies["csrftoken"].value
    headers = {"Content-Type": MULTIPART_CONTENT, "X-CSRFToken": token, "HX-Request": "true"}

    def send(number: int) -> None:
        time.sleep(max(0, began + number / RATE - time.monotonic()))
        content = f"# Memo {number}\n\n{ARRIVING_TEXT}\n\nIt cost {number} euros.\n".encode()
        body = encode_multipart(BOUNDARY, {"files": upload(content, f"memo-{number}.md")})
        said = visitor.post(f"/w/{workspace.slug}/documents/upload/", body, headers, seconds=120)
        if said.status not in (200, 302):
            wrong[said.status] += 1

    began, spent = time.monotonic(), _processor_ms(site)
    with ThreadPoolExecutor(SENDERS) as pool:
        list(pool.map(send, range(count)))
    sent = time.monotonic() - began
    versions = DocumentVersion.objects.filter(document__workspace=workspace)
    wait_until(lambda: not versions.filter(status__in=DocumentVersion.BUSY).exists(), seconds=7200)
    read = time.monotonic() - began
    lost = count - versions.filter(status="ready").count()
    kept = not lost and count / read >= RATE * NEARLY
    print(
        f"{count:,} documents of {len(ARRIVING_TEXT) / 1000:.0f} KB, {RATE} a second planned: taken in at "
        f"{count / sent:.1f} a second, read at {count / read:.1f} a second (bar {RATE}), not read {lost} (bar 0), "
        f"{(_processor_ms(site) - spent) / count:.0f} ms of a processor each, refused {dict(wrong)}: "
        f"{'kept' if kept else 'MISSED'}"
    )
    return kept


def _join(stage: Stage, number: int) -> str:
    """The cookie of one more member."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    from vectorless_web.workspaces.services import add_member

    client = Client()
    user = get_user_model().objects.create_user(f"person-{number}", f"person-{number}@example.com")
    add_member(workspace=stage.workspace, user=user, role="member")
    client.force_login(user)
    return f"sessionid={client.cookies['sessionid'].value}"


def _ask(stage: Stage, question: str, chosen: list[int] | None = None) -> None:
    from vectorless_web.runs.services import start_run

    start_run(user=stage.user, workspace=stage.workspace, question=question, documents=chosen)


if __name__ == "__main__":
    raise SystemExit(main())
