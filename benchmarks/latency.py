"""How long a step takes from the engine that makes it to the browser that shows it.

    python benchmarks/latency.py [--steps 100] [--pause 0.1] [--pdf FILE] [--skip-compiling]

A run goes the whole way: worker process, database row, hint through Redis, web server, websocket
client. Each step carries the clock at the moment the engine yielded it; the client takes the
difference when the message that holds the step has arrived. The peer, in the same run, is a
bare PUBLISH of the same moment to a Redis subscriber: the floor that no design goes below.
The second measurement repeats it while 300-page filings are being compiled (--pdf names one,
else one is drawn), in the same processes that a site runs. Times in milliseconds.
"""

import argparse
import io
import re
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.site import Site, wait_until

BAR_MEDIAN, BAR_P95 = 10.0, 40.0
STAMP = re.compile(r'id="step-(\d+)".*?made at (\d+)', re.DOTALL)
CHANNEL = "latency-peer"


@dataclass
class Times:
    """Differences in milliseconds: through the product, and through bare Redis."""

    steps: list[float] = field(default_factory=list)
    peer: list[float] = field(default_factory=list)


def main() -> int:
    options = _options()
    stamped = {"STEPS": str(options.steps), "PAUSE": str(options.pause)}
    with Site(VECTORLESS_ENGINE_FACTORY="benchmarks.latency.build_stamping", **stamped) as site:
        site.manage("work", "runs")
        site.manage("work", "documents")
        stage = Stage(site)
        stage.measure()  # Warms every process up: templates, connections, code.
        results = {"idle": stage.measure()}
        if not options.skip_compiling:
            results["while compiling"] = _while_compiling(stage, options.pdf)
    return _report(results)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between steps")
    parser.add_argument("--pdf", type=Path, help="the filing to compile meanwhile")
    parser.add_argument("--skip-compiling", action="store_true")
    return parser.parse_args()


class Stage:
    """A signed-in person, a workspace with a document, and a way to watch a run of it."""

    def __init__(self, site: Site) -> None:
        from django.contrib.auth import get_user_model
        from django.test import Client

        from vectorless_web.workspaces.services import create_workspace

        self.site = site
        self.user = get_user_model().objects.create_user("bench", "bench@example.com", "x")
        self.workspace = create_workspace(user=self.user, name="Benchmark")
        client = Client()
        client.force_login(self.user)
        self.cookie = f"sessionid={client.cookies['sessionid'].value}"
        self.add(b"# Notes\n\nRevenue was 412 million.\n", "notes.md")
        self.wait_until_read()

    def add(self, data: bytes, name: str) -> None:
        """Upload a document."""
        from django.core.files.uploadedfile import SimpleUploadedFile

        from vectorless_web.documents.services import add_document

        add_document(workspace=self.workspace, user=self.user, upload=SimpleUploadedFile(name, data))

    def wait_until_read(self) -> None:
        """Wait until nothing is being compiled."""
        wait_until(lambda: not self.being_read(), seconds=300)

    def being_read(self) -> int:
        """How many versions are waiting or being compiled."""
        from vectorless_web.documents.models import DocumentVersion

        return DocumentVersion.objects.filter(status__in=DocumentVersion.BUSY).count()

    def measure(self) -> Times:
        """One run, watched from its first step to its end."""
        from websockets.sync.client import connect

        from vectorless_web.runs.services import start_run

        times = Times()
        with Peer(self.site.redis_url, times):
            run = start_run(user=self.user, workspace=self.workspace, question="How long does it take?")
            path = f"/ws/w/{self.workspace.slug}/runs/{run.pk}/?after=0"
            address = self.site.address.replace("http", "ws", 1) + path
            headers = {"Cookie": self.cookie}
            with connect(address, additional_headers=headers, origin=self.site.address, max_size=None) as socket:
                for text in socket:
                    arrived = time.time_ns()
                    times.steps += [(arrived - int(made)) / 1e6 for _, made in STAMP.findall(text)]
        return times


class Peer:
    """A thread that subscribes to bare Redis and notes how long each moment took."""

    def __init__(self, url: str, times: Times) -> None:
        from redis import Redis

        self._times = times
        self._pubsub = Redis.from_url(url).pubsub(ignore_subscribe_messages=True)
        self._pubsub.subscribe(CHANNEL)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> "Peer":
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._over.set()
        self._thread.join()
        self._pubsub.close()

    def _listen(self) -> None:
        while not self._over.is_set():
            message = self._pubsub.get_message(timeout=0.2)
            if message:
                self._times.peer.append((time.time_ns() - int(message["data"])) / 1e6)


def _while_compiling(stage: Stage, pdf: Path | None) -> Times:
    """A run while one filing after the other is read: copies that differ in their last bytes."""
    data = pdf.read_bytes() if pdf else draw_filing(300)
    for copy in range(12):
        stage.add(data + f"\n% copy {copy}\n".encode(), f"filing-{copy}.pdf")
    wait_until(lambda: stage.being_read() < 12)
    times = stage.measure()
    left = stage.being_read()
    print(f"filings still to read at the end: {left}" + ("" if left else " (the load was over too early)"))
    return times


def draw_filing(pages: int) -> bytes:
    """A PDF of headings, paragraphs and tables."""
    from reportlab.lib.pagesizes import letter
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

    styles, parts = getSampleStyleSheet(), []
    sentence = "Revenue of the division rose by three percent because volumes grew in all regions. "
    for page in range(1, pages + 1):
        parts += [Paragraph(f"Note {page}. Segment {page}", styles["Heading2"]), Paragraph(sentence * 24)]
        rows = [[f"Item {row}", f"{page * row:,}", f"{page + row:,}"] for row in range(1, 16)]
        parts += [Table([["In millions", "2024", "2023"], *rows]), PageBreak()]
    target = io.BytesIO()
    SimpleDocTemplate(target, pagesize=letter).build(parts)
    return target.getvalue()


def _report(results: dict[str, Times]) -> int:
    print(f"{'':<18}{'steps':>6}{'median':>9}{'p95':>8}{'max':>8}   bare Redis median, p95")
    good = True
    for name, times in results.items():
        p95 = quantiles(times.steps, n=20)[-1]
        floor = f"{median(times.peer):.2f}, {quantiles(times.peer, n=20)[-1]:.2f}"
        row = f"{median(times.steps):>9.1f}{p95:>8.1f}{max(times.steps):>8.1f}"
        print(f"{name:<18}{len(times.steps):>6}{row}   {floor}")
        good &= p95 <= BAR_P95 and (name != "idle" or median(times.steps) <= BAR_MEDIAN)
    print(f"bars: median {BAR_MEDIAN:g} when idle, p95 {BAR_P95:g}: {'kept' if good else 'MISSED'}")
    return 0 if good else 1


# -- In the worker ---------------------------------------------------------------------------------------------------


class Stamping:
    """Yields steps that carry the moment at which they were made."""

    def run(self, question: str, corpus, limits, *, cancelling, conversation=None) -> Iterator:
        import os

        from django.conf import settings
        from redis import Redis

        from vectorless_web.engine.agent.events import CompleteEvent, NodeRef, Outcome, StepEvent, StepKind

        document = corpus.entries()[0].id
        corpus.open(document)
        refs = (NodeRef(document, 1, "Notes", 0, 0, "read"),)
        redis = Redis.from_url(settings.REDIS_URL)
        for number in range(int(os.environ["STEPS"])):
            time.sleep(float(os.environ["PAUSE"]))
            now = time.time_ns()
            say, thought = f"Step {number}", f"made at {now}"
            yield StepEvent(say, refs=refs, thought=thought, walk=1, index=number, kind=StepKind.RETRIEVE)
            redis.publish(CHANNEL, time.time_ns())
        yield CompleteEvent(Outcome.NOT_FOUND, "Measured.")


def build_stamping(_choice: object = None, _calls: object = None) -> object:
    """The engine factory that the benchmark's worker uses."""
    from vectorless_web.wiring import Engine

    return Engine(reasoner=Stamping())


if __name__ == "__main__":
    sys.exit(main())
