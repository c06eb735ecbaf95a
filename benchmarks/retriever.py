"""Times fusing and packing candidates of three lanes: `python benchmarks/retriever.py [--json]`."""

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.finding.retrieval import convex_min_max_fusion, pack, weighted_reciprocal_rank_fusion
from vectorless_web.engine.finding.retrieval.lanes import Scored

BAR_MS = 10.0


def main() -> None:
    """Print median and 95th percentile of each fusion with packing, against the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    lanes = [_lane(options.candidates, seed) for seed in range(3)]
    tokens = {name: 20 + len(name) % 7 for lane in lanes for name, _ in lane}
    found = {
        name: _timed(
            lambda fuse=fuse: pack([(i, tokens[i]) for i, _ in fuse(lanes)], token_budget=8000), options.rounds
        )
        for name, fuse in (("rrf", _rrf), ("convex", _convex))
    }
    if options.json:
        print(json.dumps({"candidates": len(tokens), **found}))
        return
    for name, times in found.items():
        kept = "within" if times["p95_ms"] <= BAR_MS else "over"
        print(
            f"{name}: {len(tokens)} candidates, p50 {times['p50_ms']} ms, p95 {times['p95_ms']} ms ({kept} {BAR_MS} ms)"
        )


def _lane(candidates: int, seed: int) -> list[Scored]:
    """A lane that finds nine in ten of the candidates, in its own order."""
    chance = random.Random(seed)
    names = [f"document:{number}" for number in range(candidates)]
    found = chance.sample(names, candidates * 9 // 10)
    return sorted(((name, chance.random()) for name in found), key=lambda pair: -pair[1])


def _rrf(lanes: list[list[Scored]]) -> list[Scored]:
    return weighted_reciprocal_rank_fusion([([name for name, _ in lane], 1.0) for lane in lanes])


def _convex(lanes: list[list[Scored]]) -> list[Scored]:
    return convex_min_max_fusion([(lane, 1.0) for lane in lanes])


def _timed(act: Callable[[], object], rounds: int) -> dict[str, float]:
    act()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    return {"p50_ms": round(times[len(times) // 2], 2), "p95_ms": round(times[len(times) * 95 // 100], 2)}


if __name__ == "__main__":
    main()
