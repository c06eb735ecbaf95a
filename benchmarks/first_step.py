"""How soon after the click on Ask the first step stands on the screen.

    python benchmarks/first_step.py [--rounds 15] [--pdf FILE] [--pages 300]

A whole site (the web server, a worker, the render child, Redis) and a real Chromium. A round begins
with the click on Ask on the workspace's page and ends when the first step's card has been
painted on the run's page: two animation frames after the element came. Every round is a run
of its own with the real offline reasoner over a filing (--pdf names one, else one of --pages
pages is drawn) and, first, over a small text.

The peer, in the same rounds: a click on a link from the same page to a finished run, until
its first step has been painted: what the browser and the page take by themselves, with no
question, queue or socket. Times in milliseconds; the parts are medians counted from the click.
"""

import argparse
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.latency import Stage, draw_filing
from benchmarks.site import Site

BAR_MS = 300.0
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
BROWSER = ("posted", "answered", "page asked", "page came", "page read", "socket open", "step came", "painted")
WORKER = ("row stored", "claimed", "step stored")

WATCH = """
const now = () => performance.timeOrigin + performance.now();
const note = (name) => {
  const marks = JSON.parse(sessionStorage.marks ?? "{}");
  if (!(name in marks)) sessionStorage.marks = JSON.stringify({ ...marks, [name]: now() });
};
addEventListener("click", (event) => {
  if (event.target.closest("#ask [type=submit], a[data-peer]")) {
    sessionStorage.removeItem("marks");
    note("clicked");
  }
}, true);
document.addEventListener("htmx:configRequest", () => note("posted"), true);
document.addEventListener("htmx:beforeOnLoad", () => note("answered"), true);
document.addEventListener("DOMContentLoaded", () => note("page read"));
const Bare = WebSocket;
window.WebSocket = class extends Bare {
  constructor(...values) {
    super(...values);
    this.addEventListener("open", () => note("socket open"));
    this.addEventListener("message", (event) => /id="step-\\d/.test(event.data) && note("step came"));
  }
};
const look = () => {
  if (!document.querySelector("#steps > li.step.done")) return false;
  requestAnimationFrame(() => requestAnimationFrame(() => note("painted")));
  return true;
};
if (location.pathname.includes("/runs/")) {
  const observer = new MutationObserver(() => look() && observer.disconnect());
  observer.observe(document, { childList: true, subtree: true });
}
"""
COLLECT = """() => {
  const marks = JSON.parse(sessionStorage.marks);
  const page = performance.getEntriesByType("navigation")[0];
  marks["page asked"] = performance.timeOrigin + page.requestStart;
  marks["page came"] = performance.timeOrigin + page.responseEnd;
  return marks;
}"""


def main() -> int:
    options = _options()
    with Site(static=True) as site:
        for arguments in (("work", "runs"), ("work", "documents"), ("render_child",)):
            site.manage(*arguments)
        stage = Stage(site)
        results = {"small text": list(_rounds(stage, options.rounds))}
        stage.add(options.pdf.read_bytes() if options.pdf else draw_filing(options.pages), "filing.pdf")
        stage.wait_until_read()
        results["filing"] = list(_rounds(stage, options.rounds))
    return _report(results)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--pdf", type=Path, help="the filing to ask of")
    parser.add_argument("--pages", type=int, default=300, help="of the filing that is drawn without --pdf")
    return parser.parse_args()


def _rounds(stage: Stage, count: int) -> Iterator[tuple[dict[str, float], float]]:
    """For each round the parts of an Ask and the peer's time; the first two warm everything up."""
    from playwright.sync_api import sync_playwright

    name, _, value = stage.cookie.partition("=")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies([{"name": name, "value": value, "url": stage.site.address}])
        context.add_init_script(WATCH)
        page = context.new_page()
        told = [_round(page, stage) for _ in range(count + 2)]
        browser.close()
    for run, clicked, asked, peer in told[2:]:
        yield asked | _worker_marks(run, clicked), peer


def _round(page, stage: Stage) -> tuple[int, float, dict[str, float], float]:
    """The run, the moment of its click, the parts that the browser saw, and the peer's time."""
    home = f"{stage.site.address}/w/{stage.workspace.slug}/"
    page.goto(home, wait_until="networkidle")
    page.fill("#question", "What was revenue of the division in 2024?")
    page.click("#ask button[type=submit]")
    clicked, asked = _marks(page)
    run = page.url
    page.locator("#step-now[hidden]").wait_for(state="attached")
    page.goto(home, wait_until="networkidle")
    page.evaluate(PEER_LINK, run)
    page.click("a[data-peer]")
    return int(run.rstrip("/").rsplit("/", 1)[1]), clicked, asked, _marks(page)[1]["painted"]


PEER_LINK = """(address) => {
  const link = Object.assign(document.createElement("a"), { href: address, textContent: "finished run" });
  link.dataset.peer = "";
  document.querySelector("main").prepend(link);
}"""


def _marks(page) -> tuple[float, dict[str, float]]:
    """The last click, in milliseconds of the epoch, and what came when, in milliseconds after it."""
    page.wait_for_url("**/runs/*/")
    page.locator("#steps > li.step.done").first.wait_for()
    while "painted" not in (marks := page.evaluate(COLLECT)):
        page.wait_for_timeout(20)
    return marks["clicked"], {name: marks[name] - marks["clicked"] for name in BROWSER if name in marks}


def _worker_marks(run_id: int, clicked: float) -> dict[str, float]:
    """What the rows say of the run's beginning, in milliseconds after the click."""
    from vectorless_web.runs.models import Run

    run = Run.objects.get(pk=run_id)
    moments = (run.created_at, run.started_at, run.steps.earliest("sequence").created_at)
    return {name: moment.timestamp() * 1000 - clicked for name, moment in zip(WORKER, moments, strict=True)}


def _report(results: dict[str, list[tuple[dict[str, float], float]]]) -> int:
    good = True
    for name, rounds in results.items():
        times, peers = [asked["painted"] for asked, _ in rounds], [peer for _, peer in rounds]
        p95 = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
        good &= median(times) <= BAR_MS
        print(f"{name}: first step after median {median(times):.0f} ms, p95 {p95:.0f} ms, max {max(times):.0f} ms")
        print(f"  peer, a finished run's page: median {median(peers):.0f} ms, max {max(peers):.0f} ms")
        for part in BROWSER + WORKER:
            known = [asked[part] for asked, _ in rounds if part in asked]
            if known:
                print(f"  {part:<14}{median(known):>7.0f} ms ({len(known)} of {len(rounds)} rounds)")
    print(f"bar: median at most {BAR_MS:g} ms: {'kept' if good else 'MISSED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
