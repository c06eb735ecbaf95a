"""The load that a site of two cores should carry, row by row, on the database that DATABASE_URL names (else SQLite).

    python benchmarks/load.py [--documents 10000] [--runs 50] [--seconds 20] [--also-live]
    python tools/with_postgresql.py python benchmarks/load.py
    python benchmarks/load.py --soak 10

Pages: 20 requests a second for a list of so many documents, the time from the planned moment of each. Runs: so many
questions at once, none lost. `--also-live` runs latency.py and viewers.py as well. `--soak` asks and looks for so many
minutes, and prints the memory, open files and disk of the web process and its workers at each tenth.
"""

import argparse
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.latency import Stage
from benchmarks.pages import _copy
from benchmarks.site import ROOT, Site, wait_until

RATE, BAR_PAGE_MS = 20, 250.0
WORKERS = 2
LIVE = (["latency.py", "--skip-compiling"], ["viewers.py"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--also-live", action="store_true")
    parser.add_argument("--soak", type=float, default=0, help="minutes")
    options = parser.parse_args()
    with Site(VECTORLESS_ASKS_PER_HOUR="0", VECTORLESS_WAITING_RUNS_PER_PERSON="0") as site:
        workers = [site.manage("work", queue) for queue in ("documents", *["runs"] * WORKERS)]
        stage = Stage(site)
        if options.soak:
            return _soak(site, stage, [site.web, *workers], options.soak)
        kept = [_keep_pages(site, stage, options), _keep_runs(stage, options.runs)]
    for command in LIVE if options.also_live else ():
        shown = subprocess.run([sys.executable, f"benchmarks/{command[0]}", *command[1:]], cwd=ROOT, check=False)
        kept.append(shown.returncode == 0)
    return 0 if all(kept) else 1


def _keep_pages(site: Site, stage: Stage, options: argparse.Namespace) -> bool:
    """Whether the list of documents is answered in time at RATE requests a second."""
    _add_documents(stage, options.documents)
    address, late = f"{site.address}/w/{stage.workspace.slug}/documents/", []
    _get(address, stage.cookie)
    began = time.monotonic() + 0.5

    def ask(at: float) -> None:
        time.sleep(max(0, at - time.monotonic()))
        _get(address, stage.cookie)
        late.append((time.monotonic() - at) * 1000)

    threads = [
        threading.Thread(target=ask, args=(began + number / RATE,)) for number in range(int(options.seconds * RATE))
    ]
    _run_all(threads)
    p95 = quantiles(late, n=20)[-1]
    print(
        f"page of {options.documents:,} documents at {RATE} requests/s: p50 {median(late):.0f} ms, p95 {p95:.0f} ms",
        end="",
    )
    print(f" (bar {BAR_PAGE_MS:.0f}): {'kept' if p95 <= BAR_PAGE_MS else 'MISSED'}")
    return p95 <= BAR_PAGE_MS


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


def _keep_runs(stage: Stage, count: int) -> bool:
    """Whether all of so many questions end when they are asked at once."""
    from vectorless_web.documents.models import Document
    from vectorless_web.runs.models import Run

    chosen = list(Document.objects.order_by("pk").values_list("pk", flat=True)[:1])
    began = time.monotonic()
    for number in range(count):
        _ask(stage, f"What was revenue, asked {number}?", chosen)
    wait_until(lambda: Run.objects.exclude(status__in=Run.ENDED).count() == 0, seconds=600)
    failed = Run.objects.filter(status="failed").count()
    took = time.monotonic() - began
    print(
        f"{count} questions at once: ended after {took:.1f} s with {WORKERS} workers, failed or lost {failed} (bar 0)"
    )
    return not failed


def _ask(stage: Stage, question: str, chosen: list[int] | None = None) -> None:
    from vectorless_web.runs.services import start_run

    start_run(user=stage.user, workspace=stage.workspace, question=question, documents=chosen)


def _soak(site: Site, stage: Stage, processes: list[subprocess.Popen], minutes: float) -> int:
    """Ask and look all the while; 1 when memory or open files grew by more than a tenth after the first third."""
    rows, address = [], f"{site.address}/w/{stage.workspace.slug}/"
    began, looked = time.monotonic(), 0
    print("minute  PSS MB  files  disk MB  asked")
    while (passed := time.monotonic() - began) < minutes * 60:
        for page in ("", "documents/", "runs/"):
            _get(address + page, stage.cookie)
        _ask(stage, f"What was revenue, asked {looked}?")
        looked += 1
        if passed >= len(rows) * minutes * 6:
            rows.append((_pss_mb(processes), _open_files(processes), _disk_mb(site.folder)))
            print(
                f"{passed / 60:6.1f}  {rows[-1][0]:6.0f}  {rows[-1][1]:5}  {rows[-1][2]:7.1f}  {looked:5}", flush=True
            )
        time.sleep(0.5)
    early, late = rows[len(rows) // 3], rows[-1]
    grew = [late[part] / early[part] for part in (0, 1)]
    print(f"after the first third: memory x {grew[0]:.3f}, files x {grew[1]:.3f} (bar 1.1 each)")
    return 0 if max(grew) <= 1.1 else 1


def _pss_mb(processes: list[subprocess.Popen]) -> float:
    texts = [Path(f"/proc/{each.pid}/smaps_rollup").read_text(encoding="ascii") for each in processes]
    return sum(int(line.split()[1]) for text in texts for line in text.splitlines() if line.startswith("Pss:")) / 1024


def _open_files(processes: list[subprocess.Popen]) -> int:
    return sum(len(list(Path(f"/proc/{each.pid}/fd").iterdir())) for each in processes)


def _disk_mb(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


if __name__ == "__main__":
    raise SystemExit(main())
