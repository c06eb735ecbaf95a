"""How one run reaches many viewers: whether each gets every step, and how late the last one does.

    python benchmarks/viewers.py [--viewers 500] [--steps 20] [--pause 0.5]

All viewers hold a websocket to one daphne process and are signed in as the same person; the
run goes through a real worker and Redis. For each step the delay of a viewer is counted from
the moment the engine yielded it. The peer, in the same run, is one further viewer whose socket
was opened first: what a page that is watched by nobody else would see.
"""

import argparse
import asyncio
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.latency import STAMP, Stage
from benchmarks.site import Site

BAR_MS = 500.0


@dataclass
class Viewer:
    """What one socket received: the steps, and the delay of each in milliseconds."""

    delays: dict[int, float] = field(default_factory=dict)
    twice: int = 0

    def take(self, text: str, arrived: int) -> None:
        """Note the steps of one message."""
        for step, made in STAMP.findall(text):
            self.twice += int(step) in self.delays
            self.delays[int(step)] = (arrived - int(made)) / 1e6


def main() -> int:
    options = _options()
    stamped = {"STEPS": str(options.steps), "PAUSE": str(options.pause)}
    with Site(VECTORLESS_ENGINE_FACTORY="benchmarks.latency.build_stamping", **stamped) as site:
        site.manage("work", "documents")
        stage = Stage(site)
        run = _queued_run(stage)
        viewers = asyncio.run(_watch(site, stage, run.pk, options.viewers))
    return _report(viewers, options.steps)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between steps")
    return parser.parse_args()


def _queued_run(stage: Stage):
    """A run that waits: its worker is started once all viewers are there."""
    from vectorless_web.runs.services import start_run

    return start_run(user=stage.user, workspace=stage.workspace, question="Who is watching?")


async def _watch(site: Site, stage: Stage, run: int, count: int) -> list[Viewer]:
    from websockets.asyncio.client import connect

    address = f"{site.address.replace('http', 'ws', 1)}/ws/w/{stage.workspace.slug}/runs/{run}/?after=0"
    headers = {"Cookie": stage.cookie}
    viewers = [Viewer() for _ in range(count + 1)]
    ready = asyncio.Semaphore(50)

    async def watch(viewer: Viewer) -> None:
        async with ready:
            socket = await connect(address, additional_headers=headers, origin=site.address, open_timeout=60)
            viewer.take(await socket.recv(), time.time_ns())
        joined.append(viewer)
        async for text in socket:
            viewer.take(text, time.time_ns())

    joined: list[Viewer] = []
    tasks = [asyncio.create_task(watch(viewer)) for viewer in viewers]
    while len(joined) < len(viewers):
        await asyncio.sleep(0.05)
    site.manage("work", "runs")
    await asyncio.wait_for(asyncio.gather(*tasks), 300)
    return viewers


def _report(viewers: list[Viewer], steps: int) -> int:
    alone, *crowd = viewers
    complete = sum(len(viewer.delays) == steps for viewer in crowd)
    twice = sum(viewer.twice for viewer in crowd)
    last = [max(viewer.delays.get(step, float("inf")) for viewer in crowd) for step in alone.delays]
    print(f"viewers {len(crowd)}, with all {steps} steps {complete}, steps sent twice {twice}")
    print(f"the last viewer has a step after: median {median(last):.0f} ms, worst {max(last):.0f} ms")
    print(f"the first viewer: median {median(alone.delays.values()):.0f} ms")
    good = complete == len(crowd) and max(last) <= BAR_MS
    print(f"bar: every step to every viewer, the last within {BAR_MS:g} ms: {'kept' if good else 'MISSED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
