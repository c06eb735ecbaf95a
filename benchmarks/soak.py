"""Whether a site that works for a while stays as large as it was: memory, open files, processes and disk.

    python benchmarks/soak.py [--minutes 30] [--every 60]

`manage.py up`, and a person over HTTP: each second a page, each other second a question whose run is watched over a
websocket to its end, each ten seconds a file. Old questions and files go again, as retention would have it. Between
two spans of work the person waits until the site is quiet, and looks. What counts is the slope of the second half, in
percent of its mean an hour. Two parts of the disk are told, not judged, since they may grow: Redis' journal, which is
written anew at 64 MB, and the database, whose record of acts is kept for ever.
"""

import argparse
import re
import sys
import threading
import time
from collections import deque
from dataclasses import astuple, dataclass
from datetime import timedelta
from pathlib import Path
from statistics import linear_regression, mean, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from benchmarks.memory import look, tree
from benchmarks.site import ROOT, WholeSite, wait_until
from tests.faults.visitor import Visitor, close_code
from tests.support.files import upload

BAR_PERCENT_AN_HOUR = 1.0
FEWEST_LOOKS = 4
"""A slope needs two in the second half."""
ASK_EVERY, UPLOAD_EVERY = 2, 10
"""Seconds. At the 64th file the words of documents go from the database into a first file, which the web process opens:
that is no growth, and has come before the second half."""
KEPT_RUNS, KEPT_FILES = 50, 5
"""So many of the newest stay; two spans make as many, so that the second half removes as much as it adds."""
PAGES = ("", "documents/", "runs/", "search/?q=revenue", "settings/")
REPORT = (ROOT / "docs" / "demo" / "thornbury-annual-report-2024.pdf").read_bytes()
JUDGED = ("PSS MB", "open files", "processes", "files MB")
TOLD = ("journal MB", "database MB")


@dataclass(frozen=True)
class Look:
    """The site when it is quiet: sums over its processes, and its folder."""

    minute: float
    pss_mb: float
    open_files: int
    processes: int
    files_mb: float
    journal_mb: float
    database_mb: float


Parts = dict[str, tuple[float, int]]
"""PSS in MB and open files of each process, by its name."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--every", type=float, default=60, help="seconds of work between two looks")
    options = parser.parse_args()
    with WholeSite(VECTORLESS_ASKS_PER_HOUR="0") as site:
        person, looks, parts, began = Person(site), [], [], time.monotonic()
        print("minute ", *JUDGED, *TOLD, sep="  ", flush=True)
        while time.monotonic() - began < options.minutes * 60 or len(looks) < FEWEST_LOOKS:
            person.work(options.every)
            looks.append(_look(site, (time.monotonic() - began) / 60, parts))
            print(*(f"{value:10.2f}" for value in astuple(looks[-1])), flush=True)
    _report_processes(parts[len(parts) // 2 :])
    return _report(looks, person)


class Person:
    """Signed in as the first account; looks, asks, watches, uploads, and has what is old removed."""

    def __init__(self, site: WholeSite) -> None:
        from django.contrib.auth import get_user_model

        self._visitor = Visitor(site.port)
        assert self._visitor.sign_in((site.var / "demo_password").read_text()).status == 302
        self._user = get_user_model().objects.get(username="demo")
        self._seconds = 0
        self._watching: deque[threading.Thread] = deque()
        self.late_ms: list[float] = []
        self.asked = self.sent = self.seen = 0

    def work(self, seconds: float) -> None:
        """Work for so long, then wait until all is done."""
        until = time.monotonic() + seconds
        while (began := time.monotonic()) < until:
            page = self._visitor.ask("GET", f"/w/demo/{PAGES[self._seconds % len(PAGES)]}")
            assert page.status == 200, page.status
            self.late_ms.append((time.monotonic() - began) * 1000)
            if self._seconds % ASK_EVERY == 0:
                self._ask()
            if self._seconds % UPLOAD_EVERY == 0:
                self._send()
            self._seconds += 1
            time.sleep(max(0, began + 1 - time.monotonic()))
        self._remove_old()
        while self._watching:
            self._watching.popleft().join(120)

    def _ask(self) -> None:
        form = {"question": f"What was capital expenditure in 2024, asked {self.asked}?", "scope": "all"}
        said = self._visitor.ask("POST", "/w/demo/ask/", form)
        assert said.status == 302, said.body
        self.asked += 1
        run = re.search(r"/runs/(\d+)/", said.headers["Location"])[1]
        assert self._visitor.ask("GET", f"/w/demo/runs/{run}/").status == 200
        opened = self._visitor.open_socket(f"/ws/w/demo/runs/{run}/?after=0")
        opened.settimeout(120)

        def watch() -> None:
            with opened:
                close_code(opened)
                self.seen += 1

        self._watching.append(threading.Thread(target=watch))
        self._watching[-1].start()

    def _send(self) -> None:
        content = REPORT + f"\n% copy {self.sent}\n".encode()
        body = encode_multipart(BOUNDARY, {"files": upload(content, f"copy-{self.sent}.pdf")})
        token = self._visitor.cookies["csrftoken"].value
        headers = {"Content-Type": MULTIPART_CONTENT, "X-CSRFToken": token, "HX-Request": "true"}
        said = self._visitor.post("/w/demo/documents/upload/", body, headers)
        assert said.status in (200, 302), said.body
        self.sent += 1

    def _remove_old(self) -> None:
        """Delete all but the newest, and have the time pass in which that can be undone; the sweep removes them."""
        from django.utils import timezone

        from vectorless_web.documents.models import Document
        from vectorless_web.documents.services import delete_document
        from vectorless_web.runs.models import Run
        from vectorless_web.runs.services import delete_run, purge_removed_runs
        from vectorless_web.workspaces.selectors import workspace_for

        long_ago = timezone.now() - timedelta(days=400)
        place = workspace_for(self._user, "demo")
        for run in Run.objects.filter(workspace=place, status__in=Run.ENDED).order_by("-pk")[KEPT_RUNS:]:
            run.workspace = place
            delete_run(user=self._user, run=run)
        Run.with_removed.exclude(removed_at=None).update(removed_at=long_ago)
        purge_removed_runs()
        sent = Document.objects.filter(name__startswith="copy-", deleted_at=None)
        for document in sent.order_by("-pk")[KEPT_FILES:]:
            delete_document(actor=self._user, document=document)
        Document.objects.exclude(deleted_at=None).update(deleted_at=long_ago)


def _look(site: WholeSite, minute: float, parts: list[Parts]) -> Look:
    from vectorless_web.documents.models import DocumentVersion
    from vectorless_web.runs.models import Run

    wait_until(lambda: not Run.objects.exclude(status__in=Run.ENDED).exists(), seconds=300)
    wait_until(lambda: not DocumentVersion.objects.filter(status__in=DocumentVersion.BUSY).exists(), seconds=300)
    wait_until(lambda: not any(": job " in name for name, *_ in look(site.web.pid)), seconds=300)
    time.sleep(5)
    rows, files = look(site.web.pid), [len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in tree(site.web.pid)]
    parts.append({f"{name} {at}": (pss, n) for at, ((name, pss, _), n) in enumerate(zip(rows, files, strict=True))})
    sizes = {path: path.lstat().st_size / 2**20 for path in site.var.rglob("*") if path.is_file()}
    journal = sum(size for path, size in sizes.items() if path.is_relative_to(site.var / "redis"))
    database = sum(size for path, size in sizes.items() if path.name.startswith("db.sqlite3"))
    kept = sum(sizes.values()) - journal - database
    return Look(minute, sum(pss for _, pss, _ in rows), sum(files), len(rows), kept, journal, database)


def _report_processes(late: list[Parts]) -> None:
    """Print how each process that lived all the time changed, by means of the first and the last third."""
    third = max(len(late) // 3, 1)
    for name in (name for name in late[0] if all(name in each for each in late)):
        (before, files_before), (after, files_after) = (
            [mean(column) for column in zip(*(each[name] for each in part), strict=True)]
            for part in (late[:third], late[-third:])
        )
        print(f"{name}: {before:.1f} to {after:.1f} MB, {files_before:.1f} to {files_after:.1f} open files")


def _report(looks: list[Look], person: Person) -> int:
    late = looks[len(looks) // 2 :]
    minutes = [each.minute for each in late]
    columns = list(zip(*(astuple(each)[1:] for each in late), strict=True))
    slopes = [linear_regression(minutes, column).slope * 60 for column in columns]
    kept = []
    for name, column, slope in zip((*JUDGED, *TOLD), columns, slopes, strict=True):
        percent = 100 * slope / mean(column)
        kept.append(name in TOLD or percent <= BAR_PERCENT_AN_HOUR)
        verdict = "told" if name in TOLD else "kept" if kept[-1] else "MISSED"
        print(f"{name}: {mean(column):.1f}, {percent:+.2f} % an hour (bar {BAR_PERCENT_AN_HOUR:g}): {verdict}")
    p95 = quantiles(person.late_ms, n=20)[-1]
    print(f"asked {person.asked}, watched to the end {person.seen}, sent {person.sent}, page p95 {p95:.0f} ms")
    return 0 if all(kept) and person.seen == person.asked else 1


if __name__ == "__main__":
    raise SystemExit(main())
