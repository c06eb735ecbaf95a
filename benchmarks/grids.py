"""How fast a grid and an evaluation fill without a model, and how long a large grid takes to be on the screen.

    python benchmarks/grids.py --filings DIR [--documents 40] [--workers 2] [--folder KEPT]

Uploads filings, asks ten questions of each with that many workers, and prints cells per second, the processor time of
a cell, and the 95th percentile of loading the grid's page meanwhile. Then QUESTIONS golden questions are evaluated, and
a grid of 200 documents and 20 questions is
written to the database and loaded in a browser: the server's answer, the first paint, sorting and filtering.
Bars: 6 cells a second on two cores that nothing else uses; 300 ms; 200 questions in 60 s; first paint 400 ms, sort
and filter 60 ms.
"""

import argparse
import os
import statistics
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.site import Site, wait_until

COLUMNS = (
    ("Revenue", "What were total net sales or revenue?", "money"),
    ("Operating margin", "What was the operating margin?", "percent"),
    ("Net income", "What was net income?", "money"),
    ("Total assets", "What were total assets?", "money"),
    ("Free cash flow", "What was free cash flow?", "money"),
    ("Capital expenditure", "What was capital expenditure?", "money"),
    ("Cash", "What were cash and cash equivalents?", "money"),
    ("Employees", "How many employees are there?", "number"),
    ("Auditor", "Who is the auditor?", "text"),
    ("State", "In which state is the company incorporated?", "text"),
)
QUESTIONS = 200
LARGE_ROWS, LARGE_COLUMNS = 200, 20
LOADS = 5
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
SORT = """() => { const began = performance.now();
  document.querySelector('[data-sort-by="3"]').click(); document.body.offsetHeight;
  return performance.now() - began; }"""
FILTER = """(words) => { const began = performance.now(); const field = document.getElementById('grid-find');
  field.value = words; field.dispatchEvent(new Event('input', { bubbles: true })); document.body.offsetHeight;
  return performance.now() - began; }"""


def main() -> None:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filings", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="keep the site here, and use what is there already")
    options = parser.parse_args()
    with Site(static=True, folder=options.folder) as site:
        workspace, user = _make_workspace()
        site.manage("render_child")
        workers = [site.manage("work", "documents") for _ in range(options.workers)]
        site.manage("sweep", "--loop")
        _read_filings(workspace, user, options)
        for worker in workers:
            worker.terminate()
        fillers = [site.manage("work", "background") for _ in range(options.workers)]
        time.sleep(5)
        pids = [worker.pid for worker in fillers]
        _report_filling(site, workspace, user, pids)
        _report_evaluation(workspace, user, pids)
        _report_large(site, workspace, user)


def _make_workspace() -> tuple[Any, Any]:
    from django.contrib.auth import get_user_model

    from vectorless_web.workspaces.models import Workspace
    from vectorless_web.workspaces.services import create_workspace

    user, _made = get_user_model().objects.get_or_create(username="bench", defaults={"email": "b@example.com"})
    return Workspace.objects.first() or create_workspace(user=user, name="Filings"), user


def _read_filings(workspace: Any, user: Any, options: argparse.Namespace) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from vectorless_web.documents.models import DocumentVersion
    from vectorless_web.documents.services import add_document

    files = sorted(options.filings.glob("*.pdf"), key=lambda path: path.stat().st_size)[: options.documents]
    if not workspace.documents.exists():
        for path in files:
            add_document(workspace=workspace, user=user, upload=SimpleUploadedFile(path.name, path.read_bytes()))
    waiting = DocumentVersion.objects.filter(status__in=DocumentVersion.BUSY)
    wait_until(lambda: not waiting.exists(), seconds=3600)


def _tree_seconds(pids: list[int]) -> float:
    """Processor seconds of processes and of their children that have ended."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
        total += sum(int(field) for field in fields[11:15])
    return total / os.sysconf("SC_CLK_TCK")


def _report_filling(site: Site, workspace: Any, user: Any, pids: list[int]) -> None:
    from vectorless_web.documents.selectors import readable_documents
    from vectorless_web.grids.models import Cell
    from vectorless_web.grids.services import ColumnValues, GridValues, create_grid, fill_grid

    documents = list(readable_documents(workspace, user))
    columns = [ColumnValues(*column) for column in COLUMNS]
    grid = create_grid(user=user, workspace=workspace, values=GridValues("Filings", columns), documents=documents)
    page = f"{site.address}/w/{workspace.slug}/grids/{grid.pk}/"
    cookie, loads, began, worked = _sign_in(user), [], time.monotonic(), _tree_seconds(pids)
    cells = fill_grid(user=user, grid=grid)
    while Cell.objects.filter(row__grid=grid, state__in=Cell.OPEN).exists():
        loads.append(_load(page, cookie))
        time.sleep(0.5)
    took = time.monotonic() - began
    states = {state: Cell.objects.filter(row__grid=grid, state=state).count() for state in Cell.DONE}
    loads = sorted(loads) or [0.0]
    print(f"{len(documents)} documents x {len(columns)} columns: {cells / took:.1f} cells/s", states)
    print(f"processor: {(_tree_seconds(pids) - worked) / cells:.2f} s a cell")
    print(f"page meanwhile: median {statistics.median(loads):.0f} ms, p95 {loads[int(len(loads) * 0.95)]:.0f} ms")


def _report_evaluation(workspace: Any, user: Any, pids: list[int]) -> None:
    from vectorless_web.documents.selectors import readable_documents
    from vectorless_web.evaluations.models import Evaluation
    from vectorless_web.evaluations.reading import Typed
    from vectorless_web.evaluations.services import add_questions, make_set, start_evaluation

    names = list(readable_documents(workspace, user).values_list("name", flat=True))
    asked = [(question, name) for name in names for _label, question, _kind in COLUMNS]
    rows = [Typed(question, (name,), value="1") for question, name in (asked * QUESTIONS)[:QUESTIONS]]
    golden = make_set(user=user, workspace=workspace, name=f"Figures {time.time():.0f}")
    add_questions(user=user, golden_set=golden, rows=rows)
    began, worked = time.monotonic(), _tree_seconds(pids)
    evaluation = start_evaluation(user=user, golden_set=golden)
    going = Evaluation.objects.filter(pk=evaluation.pk, state=Evaluation.State.RUNNING)
    wait_until(lambda: not going.exists(), seconds=3600)
    took, spent = time.monotonic() - began, _tree_seconds(pids) - worked
    print(f"{QUESTIONS} golden questions: {took:.1f} s, processor {spent / QUESTIONS:.2f} s each")


def _sign_in(user: Any) -> str:
    """The session of a browser in which the user has signed in."""
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def _load(address: str, cookie: str) -> float:
    request = urllib.request.Request(address, headers={"Cookie": f"sessionid={cookie}"})
    began = time.monotonic()
    with urllib.request.urlopen(request, timeout=60) as response:
        response.read()
    return (time.monotonic() - began) * 1000


def _make_large(workspace: Any, user: Any) -> Any:
    from vectorless_web.documents.models import Document
    from vectorless_web.grids.models import Cell
    from vectorless_web.grids.services import ColumnValues, GridValues, create_grid

    documents = Document.objects.bulk_create(
        Document(workspace=workspace, title=f"Filing {number}", name=f"{number}.pdf") for number in range(LARGE_ROWS)
    )
    columns = [ColumnValues(f"Figure {number}", "What was it?", "money") for number in range(LARGE_COLUMNS)]
    grid = create_grid(user=user, workspace=workspace, values=GridValues("Large", columns), documents=documents)
    cells = list(Cell.objects.filter(row__grid=grid))
    for number, cell in enumerate(cells):
        cell.state, cell.verdict, cell.text = "answered", "exact", f"Figure, 2024: ${number * 37 % 9999} million"
        cell.value = {"number": str(number * 37 % 9999 * 1_000_000), "unit": "USD", "text": ""}
    Cell.objects.bulk_update(cells, ["state", "verdict", "text", "value"], batch_size=500)
    return grid


def _report_large(site: Site, workspace: Any, user: Any) -> None:
    from playwright.sync_api import sync_playwright

    grid, cookie = _make_large(workspace, user), _sign_in(user)
    page = f"{site.address}/w/{workspace.slug}/grids/{grid.pk}/"
    answers = [_load(page, cookie) for _ in range(LOADS)]
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as driver:
        chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context()
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": site.address}])
        tab, paints = context.new_page(), []
        for _ in range(LOADS):
            tab.goto(page)
            tab.wait_for_timeout(300)
            paints.append(tab.evaluate(FIRST_PAINT))
        sorts = [tab.evaluate(SORT) for _ in range(LOADS)]
        filters = [tab.evaluate(FILTER, words) for words in ("12", "123", "1234", "filing 9", "")]
        browser.close()
    median = statistics.median
    print(f"{LARGE_ROWS} x {LARGE_COLUMNS}: answered in {median(answers):.0f} ms, first paint {median(paints):.0f} ms")
    print(f"sort {median(sorts):.0f} ms, filter {median(filters):.0f} ms")


if __name__ == "__main__":
    main()
