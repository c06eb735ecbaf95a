"""Measures the document router beside SQLite FTS5, bm25s and tantivy, on the same cards, in one run.

`python benchmarks/router.py --cards N [--json] [--cards-file FILE --queries-file FILE]`. A cards file holds JSON
lines {id, title, topic_tags, question_hints, overview, sections, body}, a queries file {query, id}.
"""

import argparse
import gc
import json
import mmap
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing import Pipe, get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks.router_cards import BenchCard, Known, made_up, made_up_queries, read_cards, read_queries
from benchmarks.router_peers import PEERS
from vectorless_web.engine.finding.routing import (
    Change,
    DeltaRow,
    DocumentRouter,
    RouterConfig,
    Snapshot,
    build_snapshot,
)
from vectorless_web.engine.finding.routing.router import warm_up_router
from vectorless_web.engine.index.snapshot_rows import term_hash
from vectorless_web.engine.index.word_blocks import WordBlock, WordIndex, WordList, block_of, encode_words
from vectorless_web.engine.llm.model import HeuristicEstimator
from vectorless_web.engine.questions.understand import understand

CONFIG = RouterConfig(activate_threshold=0)
BARS = {1_000: 10, 10_000: 25, 100_000: 80}
"""Cards -> 95th percentile in ms in a fresh fork, and warm, with the words of the documents' texts."""


def main() -> None:
    """Build, ask, print."""
    options = _options()
    cards = read_cards(options.cards_file) if options.cards_file else list(made_up(options.cards))
    cards = cards[: options.cards] if options.cards else cards
    known = read_queries(options.queries_file) if options.queries_file else made_up_queries(cards, options.queries)
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(cards, known, Path(folder), with_peers=not options.no_peers, words=options.words)
    if options.json:
        print(json.dumps(figures))
    else:
        _show(figures)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=0, help="how many cards; 0 with a cards file takes all of it")
    parser.add_argument("--cards-file", type=Path)
    parser.add_argument("--queries-file", type=Path)
    parser.add_argument("--queries", type=int, default=200, help="how many made-up queries")
    parser.add_argument("--words", type=int, default=0, help="further words of text in each document, drawn by Zipf")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if bool(options.cards_file) != bool(options.queries_file):
        parser.error("a cards file needs a queries file, and the other way round")
    if not options.cards and not options.cards_file:
        options.cards = 1_000
    return options


def measure(
    cards: Sequence[BenchCard], known: Sequence[Known], folder: Path, *, with_peers: bool, words: int = 0
) -> dict[str, Any]:
    """All figures, with the keys of the JSON output."""
    started = time.perf_counter()
    path = folder / "cards.snapshot"
    path.write_bytes(build_snapshot(card.row(number) for number, card in enumerate(cards, start=1)))
    write_blocks(cards, folder / "words", words)
    built = time.perf_counter() - started
    queries = [item.query for item in known]
    numbers = {card.id: number for number, card in enumerate(cards, start=1)}
    wanted = [numbers.get(item.id, -1) for item in known]
    warm = in_new_process(_warm, path, queries, wanted)
    times = in_new_process(_ask_in_forks, path, queries[:60])
    figures = {
        "cards": len(cards),
        "queries": len(known),
        "fork_p95_ms": _percentile([wall for wall, _ in times], 95),
        "fork_cpu_p95_ms": _percentile([cpu for _, cpu in times], 95),
        **warm,
        "upsert_ms": _upsert_ms(path, cards[0], folder),
        "build_s": round(built, 1),
        "snapshot_mb": round(path.stat().st_size / 1e6, 1),
        "words_mb": round(sum(block.stat().st_size for block in (folder / "words").iterdir()) / 1e6, 1),
        "all_cards_tokens": sum(HeuristicEstimator().estimate(card.text) for card in cards),
        "peers": {},
    }
    if with_peers:
        figures["peers"] = {name: _peer(build(cards, folder), known) for name, build in PEERS.items()}
    return figures


VOCABULARY = 400_000
"""Different further words; the one of rank r is drawn r^-1.05 as often as the first."""


def write_blocks(cards: Sequence[BenchCard], folder: Path, words: int) -> None:
    """The words of all cards in blocks, as a workspace keeps them, with `words` further ones each."""
    folder.mkdir()
    draw = np.random.default_rng(1)
    chances = np.cumsum(1 / np.arange(1, VOCABULARY + 1) ** 1.05)
    block, lists = WordBlock.empty(), dict[int, bytes | None]()
    for number, card in enumerate(cards, start=1):
        spread = WordList.decode(card.words())
        lists[number] = _with_further(spread, draw, chances, words)
        if number == len(cards) or block_of(number + 1) != block_of(number):
            (folder / str(block_of(number))).write_bytes(block.with_lists(lists))
            lists = {}


def _with_further(own: WordList, draw: np.random.Generator, chances: Any, words: int) -> bytes:
    ranks, counts = np.unique(np.searchsorted(chances, draw.random(words) * chances[-1]), return_counts=True)
    # Ranks stand for hashes of words: multiplied by an odd number they spread over 64 bits.
    hashes = np.concatenate([own.hashes, ranks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)])
    held = np.concatenate([own.parts, draw.integers(0, 2**63, len(ranks), dtype=np.uint64)])
    stored = np.concatenate([own.counts, np.minimum(counts, 255)])
    order = np.unique(hashes, return_index=True)[1]
    return WordList(own.length + words, hashes[order], stored[order], held[order]).encode()


def in_child(act: Callable[[], Any]) -> Any:
    """What `act` returns in a fork of this process, which has everything imported and nothing mapped."""
    here, there = Pipe()
    child = os.fork()
    if child == 0:
        there.send(act())
        os._exit(0)
    found = here.recv()
    os.waitpid(child, 0)
    return found


def in_new_process(act: Callable[..., Any], *arguments: Any) -> Any:
    """What `act` returns in a process that shares no memory with this one, so that its size is its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(act, arguments)


def opened(path: Path) -> Snapshot:
    """The snapshot with the words of its documents, mapped."""
    blocks = [WordBlock.open(memoryview(_map(block))) for block in (path.parent / "words").iterdir()]
    return Snapshot.open(memoryview(_map(path)), version="0").with_words(WordIndex(blocks))


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


COLLECTING = (20_000, 20, 20)
"""Objects made between collections, as a worker sets it (`infra/queues/jobs.py`)."""


def _ask_in_forks(path: Path, queries: Sequence[str]) -> list[tuple[float, float]]:
    """For each query the milliseconds on the clock and of the processor in a fork of a process that is as a worker is.

    A worker loads what every question needs and freezes it before it forks; a fork reads the question and then routes.
    """
    warm_up_router(understand("What was revenue in 2024?"))
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)
    return [in_child(lambda query=query: _fresh(path, query)) for query in queries]


def _fresh(path: Path, query: str) -> tuple[float, float]:
    plan = understand(query)
    started, used = time.perf_counter(), time.process_time()
    DocumentRouter(opened(path), CONFIG).route(plan)
    return (time.perf_counter() - started) * 1000, (time.process_time() - used) * 1000


def _warm(path: Path, queries: Sequence[str], wanted: Sequence[int]) -> dict[str, float]:
    plans = [understand(query) for query in queries]
    router = DocumentRouter(opened(path), CONFIG)
    for plan in plans[:5]:
        router.route(plan)
    times, ranks = [], []
    for plan, number in zip(plans, wanted, strict=True):
        started = time.perf_counter()
        found = [candidate.doc_id for candidate in router.route(plan).candidates]
        times.append((time.perf_counter() - started) * 1000)
        ranks.append(found.index(number) + 1 if number in found else 0)
    return {
        "p50_ms": _percentile(times, 50),
        "p95_ms": _percentile(times, 95),
        "hit1": _share(ranks, 1),
        "hit10": _share(ranks, 10),
        "pss_mb": _pss_mb(),
    }


def _pss_mb() -> float:
    """Proportional set size of this process, with everything it has imported."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return round(int(next(line.split()[1] for line in lines if line.startswith("Pss:"))) / 1024, 1)


def _upsert_ms(path: Path, card: BenchCard, folder: Path, rounds: int = 15) -> float:
    """Median from the call of `upsert` until another process holds a snapshot with the document in it."""
    base = sqlite3.connect(folder / "changes.db")
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("PRAGMA synchronous=NORMAL")
    base.execute("CREATE TABLE changes (version INTEGER PRIMARY KEY, doc_id INTEGER, data BLOB, words BLOB)")
    base.commit()
    here, there = Pipe()
    child = os.fork()
    if child == 0:
        _follow(path, folder, there)
        os._exit(0)
    here.recv()
    router = DocumentRouter(opened(path), CONFIG)
    words = _long_document()
    times = []
    for number in range(rounds):
        made = card.card()
        started = time.perf_counter()
        row = router.upsert(10_000_000 + number, made)
        values = (row.doc_id, row.data, words)
        base.execute("INSERT INTO changes (doc_id, data, words) VALUES (?, ?, ?)", values)
        base.commit()
        here.send(row.doc_id)
        assert here.recv(), "the other process does not see the document"
        times.append((time.perf_counter() - started) * 1000)
    here.send(0)
    os.waitpid(child, 0)
    return _percentile(times, 50)


def _follow(path: Path, folder: Path, pipe: Any) -> None:
    """The other process: at each hint it reads the rows that came since, and says whether the document is there."""
    base = sqlite3.connect(folder / "changes.db")
    snapshot, version = opened(path), 0
    snapshot.all_rows()
    pipe.send(True)
    while doc_id := pipe.recv():
        wanted = "SELECT version, doc_id, data, words FROM changes WHERE version > ?"
        rows = base.execute(wanted, (version,)).fetchall()
        version = rows[-1][0]
        changes = [DeltaRow(row[1], Change.UPSERT, row[2]) for row in rows]
        snapshot = snapshot.with_changes(changes, version=str(version))
        snapshot = snapshot.with_words(snapshot.words.with_lists({row[1]: row[3] for row in rows}))
        pipe.send(doc_id in snapshot.row_ids(snapshot.postings(term_hash("furtherword1")).rows).tolist())


def _long_document() -> bytes:
    """The words of a document of 150 pages: 60,000, of which 4,200 differ."""
    return encode_words({f"furtherword{number}": (14, 1) for number in range(4_200)})


def _peer(search: Callable[[str], list[str]], known: Sequence[Known]) -> dict[str, float]:
    for item in known[:5]:
        search(item.query)
    times, ranks = [], []
    for item in known:
        started = time.perf_counter()
        found = search(item.query)
        times.append((time.perf_counter() - started) * 1000)
        ranks.append(found.index(item.id) + 1 if item.id in found else 0)
    return {
        "p50_ms": _percentile(times, 50),
        "p95_ms": _percentile(times, 95),
        "hit1": _share(ranks, 1),
        "hit10": _share(ranks, 10),
    }


def _percentile(values: Sequence[float], share: int) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) * share // 100, len(ordered) - 1)], 2) if ordered else 0.0


def _share(ranks: Sequence[int], most: int) -> float:
    return round(sum(0 < rank <= most for rank in ranks) / len(ranks), 4) if ranks else 0.0


def _show(figures: dict[str, Any]) -> None:
    bar = BARS.get(figures["cards"], "-")
    sizes = f"{figures['snapshot_mb']} MB of cards and {figures['words_mb']} MB of words on disk"
    print(f"{figures['cards']} cards, built in {figures['build_s']} s, {sizes}")
    print(f"fresh fork p95 {figures['fork_p95_ms']} ms (bar {bar}), of the processor {figures['fork_cpu_p95_ms']} ms")
    print(f"warm p50 {figures['p50_ms']} ms, p95 {figures['p95_ms']} ms (bar {bar})")
    print(f"upsert {figures['upsert_ms']} ms (bar 100); memory {figures['pss_mb']} MB (bar 1,000)")
    print(f"known item: hit@1 {figures['hit1']}, hit@10 {figures['hit10']}")
    for name, peer in figures["peers"].items():
        print(f"  {name}: hit@1 {peer['hit1']}, hit@10 {peer['hit10']}, p50 {peer['p50_ms']} p95 {peer['p95_ms']} ms")
    print(f"all cards in one prompt: {figures['all_cards_tokens']:,} tokens")


if __name__ == "__main__":
    main()
