"""What programs wait for beside people: each GET of the API beside the page that shows the same, and `retrieve`.

    python benchmarks/api.py [--times 60] [--pdf FILING] [--folder DIR]

The demo is laid out as in pages.py, with a set of 10,000 golden questions and an evaluation of it. Page and operation
are asked in turns over HTTP, so that both meet the same machine. Printed: the 95th percentile of each in milliseconds,
their ratio, that of the medians, and the processor time of the web process for each. `retrieve` over one document, a
short one, a report and a filing, stands beside the engine's own call on the same opened document, in this process, in
turns. Bars: GETs 1.2 of the page, retrieve
1.5 of the engine's call, the pages of 10,000 golden questions 150 ms. Exits with 1 when one is missed.
"""

import argparse
import json
import sys
import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.pages import lay_out
from benchmarks.site import Site

GET_BAR, RETRIEVE_BAR, PAGE_BAR = 1.2, 1.5, 150.0
QUESTIONS = 10_000
QUERY = "capital expenditure and free cash flow in 2024"


def main() -> int:
    """Lay out, ask in turns, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--pdf", type=Path, help="the filing that retrieve searches; one is drawn without it")
    parser.add_argument("--folder", type=Path, help="keep what was laid out here, and measure it again")
    options = parser.parse_args()
    with Site(folder=options.folder, static=True, VECTORLESS_API_PER_MINUTE="1000000") as site:
        cookie, pages = lay_out(site)
        rows = _add_golden_questions()
        token, document, pairs = _pair(pages, rows)
        people, programs = {"Cookie": cookie}, {"Authorization": f"Bearer {token}"}
        print("| what | page, p95 ms | API, p95 ms | ratio | of medians | processor, ms |\n|---|---|---|---|---|---|")
        missed = [name for name, page, operation in pairs
                  if not _compare(site, name, (page, people), (operation, programs), options.times)]  # fmt: skip
        from vectorless_web.documents.models import Document

        short = Document.objects.filter(workspace__slug="demo", name="field-handbook.md").earliest("pk").pk
        searched = {"short": short, "report": document, "filing": _add_filing(options.pdf)}
        missed += [f"retrieve ({name})" for name, pk in searched.items()
                   if not _compare_retrieve(site, name, pk, programs, options.times)]  # fmt: skip
        print("| page over 10,000 golden questions | p95 ms | processor, ms |\n|---|---|---|")
        for name, address in (("set", f"sets/{rows['set']}/"), ("evaluation", f"{rows['evaluation']}/")):
            before = site.processor_ms()
            took = [_ask(f"{site.address}/w/demo/evaluations/{address}", people) for _ in range(options.times)]
            print(f"| {name} | {_p95(took):.0f} | {(site.processor_ms() - before) / options.times:.0f} |")
            missed += [name] if _p95(took) > PAGE_BAR else []
    print(f"bars: {'kept' if not missed else 'MISSED by ' + ', '.join(missed)}")
    return int(bool(missed))


def _add_golden_questions() -> dict[str, int]:
    """A set of QUESTIONS with an ended evaluation, unless it is here already: the numbers of both."""
    from django.contrib.auth import get_user_model

    from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, GoldenSet, Result
    from vectorless_web.workspaces.models import Workspace

    user, place = get_user_model().objects.get(username="demo"), Workspace.objects.get(slug="demo")
    golden, is_new = GoldenSet.objects.get_or_create(workspace=place, name="Large", defaults={"created_by": user})
    if is_new:
        made = GoldenQuestion.objects.bulk_create(
            GoldenQuestion(golden_set=golden, question=f"What was figure {number}?", value=str(number))
            for number in range(QUESTIONS)
        )
        links, documents = GoldenQuestion.named.through, list(place.documents.values_list("pk", flat=True)[:5])
        links.objects.bulk_create(links(goldenquestion=row, document_id=documents[row.pk % 5]) for row in made)
        whole = Evaluation.objects.create(golden_set=golden, label="Offline", state="ended", asked_by=user)
        Result.objects.bulk_create(
            Result(evaluation=whole, golden=row, state="scored", right=row.pk % 3 > 0, verdict="exact", is_answer=True)
            for row in made
        )
    return {"set": golden.pk, "evaluation": golden.evaluations.get().pk}


def _pair(pages: dict[str, str], rows: dict[str, int]) -> tuple[str, int, list[tuple[str, str, str]]]:
    """A token, the document that is searched, and by name the page and the operation that show the same."""
    from django.contrib.auth import get_user_model

    from vectorless_web.api.services import make_token
    from vectorless_web.grids.models import Grid

    user = get_user_model().objects.get(username="demo")
    _token, text = make_token(user=user, name=f"bench {time.time():.0f}", scope="admin", days=1)
    root, api = "/w/demo/", "/api/v1/workspaces/demo/"
    run, document = pages["run"].rstrip("/").rpartition("/")[2], pages["reader"].rstrip("/").rpartition("/")[2]
    grid = Grid.objects.filter(workspace__slug="demo").earliest("pk").pk
    pairs = [
        ("documents", pages["documents"], f"{api}documents"),
        ("one document", pages["reader"], f"{api}documents/{document}"),
        ("its outline", pages["reader"], f"{api}documents/{document}/outline"),
        ("a page of it", f"{pages['reader']}pages/5/", f"{api}documents/{document}/pages/5"),
        ("runs", pages["runs"], f"{api}runs"),
        ("one run", pages["run"], f"{api}runs/{run}"),
        ("its steps", pages["run"], f"{api}runs/{run}/steps"),
        ("search", f"{root}search/?q=capital+expenditure", f"{api}search?text=capital+expenditure"),
        ("a grid", f"{root}grids/{grid}/", f"{api}grids/{grid}"),
        ("golden sets", f"{root}evaluations/", f"{api}golden-sets"),
        ("an evaluation", f"{root}evaluations/{rows['evaluation']}/", f"{api}evaluations/{rows['evaluation']}"),
        ("its results", f"{root}evaluations/{rows['evaluation']}/", f"{api}evaluations/{rows['evaluation']}/results"),
    ]
    return text, int(document), pairs


Asked = tuple[str, dict[str, str]]


def _compare(site: Site, name: str, page: Asked, operation: Asked, times: int) -> bool:
    """Ask both in turns and print a row; whether the bar is kept."""
    took: dict[str, list[float]] = {}
    spent: dict[str, float] = {}
    for address, headers in [page, operation] * (times + 2):
        before = site.processor_ms()
        took.setdefault(address, []).append(_ask(f"{site.address}{address}", headers))
        spent[address] = spent.get(address, 0.0) + site.processor_ms() - before
    seen, told = (took[address][2:] for address, _headers in (page, operation))
    work = " and ".join(f"{spent[address] / (times + 2):.0f}" for address, _headers in (page, operation))
    return _print(name, seen, told, work) <= GET_BAR


def _print(name: str, seen: list[float], told: list[float], work: str) -> float:
    """A row of the table; the ratio of the 95th percentiles."""
    ratio = _p95(told) / _p95(seen)
    ratios = f"{ratio:.2f} | {median(told) / median(seen):.2f}"
    print(f"| {name} | {_p95(seen):.0f} | {_p95(told):.0f} | {ratios} | {work} |", flush=True)
    return ratio


def _compare_retrieve(site: Site, name: str, pk: int, headers: dict[str, str], times: int) -> bool:
    """The operation in turns with the engine's own call on the same document, on one connection as programs have it."""
    from vectorless_web.documents.models import Document
    from vectorless_web.documents.storage.files import open_version
    from vectorless_web.engine.finding.retrieval import DocumentCollection, RetrievalQuery, search_documents
    from vectorless_web.engine.questions.understand import understand
    from vectorless_web.workspaces.selectors import lexicon_of

    found = Document.objects.select_related("workspace", "current_version").get(pk=pk)
    document, lexicon = open_version(found.current_version), lexicon_of(found.workspace)

    def call() -> Any:
        plan = understand(QUERY, lexicon=lexicon)
        query = RetrievalQuery(token_budget=2000, summary_cap=1200)
        return search_documents(plan, DocumentCollection({pk: document}), query)

    body = json.dumps({"query": QUERY, "documents": [pk], "summary_cap": 1200})
    line = HTTPConnection("127.0.0.1", site.port, timeout=60)

    def ask() -> None:
        line.request("POST", "/api/v1/workspaces/demo/retrieve", body, {**headers, "Content-Type": "application/json"})
        reply = line.getresponse()
        assert json.loads(reply.read())["items"] and reply.status == 200, reply.status

    own, told, work = [], [], []
    for _ in range(times + 5):
        spent, served = time.process_time(), site.processor_ms()
        own.append(_time(call))
        spent = time.process_time() - spent
        told.append(_time(ask))
        work.append((spent * 1000, site.processor_ms() - served))
    each = " and ".join(f"{sum(row[side] for row in work) / len(work):.0f}" for side in (0, 1))
    shown = f"retrieve over {found.current_version.pages} pages ({name}), beside the engine's call"
    return _print(shown, own[5:], told[5:], each) <= RETRIEVE_BAR


def _add_filing(path: Path | None) -> int:
    """The filing that is searched: the PDF at `path`, else a drawn one of 160 pages; its number, read once."""
    from django.contrib.auth import get_user_model

    from benchmarks.latency import draw_filing
    from tests.support.compiled import compiled_document
    from vectorless_web.workspaces.models import Workspace

    place, name = Workspace.objects.get(slug="demo"), path.name if path else "drawn-filing.pdf"
    found = place.documents.filter(name=name).values_list("pk", flat=True).first()
    if found:
        return found
    data = path.read_bytes() if path else draw_filing(160)
    return compiled_document(place, get_user_model().objects.get(username="demo"), data, name).pk


def _ask(address: str, headers: dict[str, str], body: bytes | None = None) -> float:
    """Milliseconds until the whole reply is here."""
    request = urllib.request.Request(address, data=body, headers=headers)

    def fetch() -> None:
        with urllib.request.urlopen(request, timeout=60) as response:
            response.read()

    return _time(fetch)


def _time(act: Callable[[], Any]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def _p95(took: list[float]) -> float:
    return sorted(took)[int(len(took) * 0.95)]


if __name__ == "__main__":
    sys.exit(main())
