"""Times the index segment beside bm25s and SQLite FTS5: build, open in a fresh fork, query, bytes on disk.

    python benchmarks/index.py --pdfs DIR [--counts 1,15,49] [--queries N] [--cache DIR] [--json FILE]

The rows are the nodes of the first N filings of the folder. Queries are built from the
rows themselves: three to eight distinct terms of a row drawn with a fixed seed. Every
engine answers the same queries, ten hits each; bm25s and FTS5 get the row's fields as one
text. Opening is timed in a forked child that answers one query.
"""

import argparse
import json
import mmap
import os
import random
import sqlite3
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import bm25s

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import FolderCorpus
from vectorless_web.engine.index.segment import Segment, build_segment
from vectorless_web.engine.parsing.compile import FIELDS, index_rows
from vectorless_web.engine.text.analyser import analyse

WEIGHTS = {"title": 2.0, "path": 0.7, "text": 1.0, "table": 1.0}
SEED = 20240611
HITS = 10
COLUMNS = ("title", "path", "text", "headers")
Row = tuple[int, dict[str, str]]
Query = list[str]
Measured = tuple[float, int, float, list[float]]
"""Build ms, bytes on disk, open ms, query ms one by one."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One engine over one collection; times in milliseconds."""

    engine: str
    filings: int
    rows: int
    text_bytes: int
    build_ms: float
    index_bytes: int
    open_ms: float
    query_p50_ms: float
    query_p95_ms: float


def collect(corpus: FolderCorpus, count: int) -> list[Row]:
    """Index rows of the first filings, numbered through."""
    rows: list[Row] = []
    for entry in corpus.entries()[:count]:
        tree = corpus.open(entry.id).tree
        nodes = [tree.node(key) for key in range(len(tree))]
        first = len(rows)
        rows.extend((first + number, texts) for number, (_, texts) in enumerate(index_rows(nodes)))
    return rows


def make_queries(rows: Sequence[Row], count: int) -> list[Query]:
    """Three to eight distinct terms of rows drawn with a fixed seed."""
    chance = random.Random(SEED)
    queries: list[Query] = []
    while len(queries) < count:
        terms = sorted(set(analyse(" ".join(chance.choice(rows)[1].values()))))
        if len(terms) >= 3:
            queries.append(chance.sample(terms, min(len(terms), chance.randint(3, 8))))
    return queries


def percentiles(samples: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    ordered = sorted(samples)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def in_fork(work: Callable[[], object], times: int = 7) -> float:
    """Median milliseconds of the work, each time in a fresh fork."""
    samples = []
    for _ in range(times):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writer, struct.pack("d", timed(work)))
            os._exit(0)
        os.close(writer)
        samples.append(struct.unpack("d", os.read(reader, 8))[0])
        os.close(reader)
        os.waitpid(child, 0)
    return statistics.median(samples)


def open_segment(path: Path) -> Segment:
    """A segment over its mapped file."""
    with path.open("rb") as file:
        return Segment(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))


def measure_segment(rows: Sequence[Row], queries: Sequence[Query], folder: Path) -> Measured:
    """Our segment: build, bytes, open, query times."""
    path = folder / "segment"
    build = timed(lambda: path.write_bytes(build_segment(rows, fields=FIELDS)))
    segment = open_segment(path)

    def ask(index: Segment, query: Query) -> None:
        index.search([(term, 1.0) for term in query], weights=WEIGHTS, limit=HITS)

    ask(segment, queries[0])
    samples = [timed(lambda q=query: ask(segment, q)) for query in queries]
    opening = in_fork(lambda: open_segment(path))
    return build, path.stat().st_size, opening, samples


def measure_bm25s(rows: Sequence[Row], queries: Sequence[Query], folder: Path) -> Measured:
    """bm25s over the same terms, its index saved and mapped."""
    path = folder / "bm25s"

    def build() -> None:
        index = bm25s.BM25(k1=1.2, b=0.75)
        index.index([analyse(" ".join(texts.values())) for _, texts in rows], show_progress=False)
        index.save(str(path), show_progress=False)

    building = timed(build)
    index = bm25s.BM25.load(str(path), mmap=True)
    most = min(HITS, len(rows))

    def ask(query: Query) -> None:
        index.retrieve([query], k=most, show_progress=False, n_threads=0)

    ask(queries[0])
    samples = [timed(lambda q=query: ask(q)) for query in queries]
    size = sum(file.stat().st_size for file in path.iterdir())
    return building, size, in_fork(lambda: bm25s.BM25.load(str(path), mmap=True)), samples


def measure_fts5(rows: Sequence[Row], queries: Sequence[Query], folder: Path) -> Measured:
    """SQLite FTS5 with its bm25() and column weights, fed with the same terms."""
    path = folder / "fts5.sqlite3"

    def build() -> None:
        database = sqlite3.connect(path)
        columns = ", ".join(COLUMNS)
        database.execute(f"CREATE VIRTUAL TABLE node USING fts5({columns}, content='', tokenize='unicode61')")
        values = ([" ".join(analyse(texts.get(name, ""))) for name in FIELDS] for _, texts in rows)
        database.executemany(f"INSERT INTO node({columns}) VALUES (?, ?, ?, ?)", values)
        database.execute("INSERT INTO node(node) VALUES ('optimize')")
        database.commit()
        database.close()

    building = timed(build)
    rank = "bm25(node, 2.0, 0.7, 1.0, 1.0)"
    select = f"SELECT rowid, {rank} AS score FROM node WHERE node MATCH ? ORDER BY score LIMIT {HITS}"

    def ask(database: sqlite3.Connection, query: Query) -> None:
        database.execute(select, (" OR ".join(f'"{term}"' for term in query),)).fetchall()

    database = sqlite3.connect(path)
    ask(database, queries[0])
    samples = [timed(lambda q=query: ask(database, q)) for query in queries]
    opening = in_fork(lambda: sqlite3.connect(path).execute("SELECT count(*) FROM node_config").fetchone())
    return building, path.stat().st_size, opening, samples


ENGINES = {"segment": measure_segment, "bm25s": measure_bm25s, "fts5": measure_fts5}


def measure(rows: Sequence[Row], filings: int, queries: Sequence[Query]) -> list[Figures]:
    """All engines over one collection."""
    text = sum(len(texts.get("title", "").encode()) + len(texts.get("text", "").encode()) for _, texts in rows)
    found = []
    for name, engine in ENGINES.items():
        with tempfile.TemporaryDirectory() as folder:
            build, size, opening, samples = engine(rows, queries, Path(folder))
        found.append(Figures(name, filings, len(rows), text, build, size, opening, *percentiles(samples)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--counts", default="1,15,49")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--cache", default="var/benchmarks")
    parser.add_argument("--json", default="")
    arguments = parser.parse_args()
    corpus = FolderCorpus(Path(arguments.pdfs), cache=Path(arguments.cache))
    found: list[Figures] = []
    print("| engine | filings | rows | text MB | build ms | index MB | open ms | query p50 ms | p95 ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    for count in (int(part) for part in arguments.counts.split(",")):
        rows = collect(corpus, count)
        for f in measure(rows, count, make_queries(rows, arguments.queries)):
            found.append(f)
            print(
                f"| {f.engine} | {f.filings} | {f.rows} | {f.text_bytes / 1e6:.2f} | {f.build_ms:.0f} | "
                f"{f.index_bytes / 1e6:.2f} | {f.open_ms:.2f} | {f.query_p50_ms:.3f} | {f.query_p95_ms:.3f} |"
            )
    if arguments.json:
        Path(arguments.json).write_text(json.dumps([asdict(figures) for figures in found], indent=1))


if __name__ == "__main__":
    main()
