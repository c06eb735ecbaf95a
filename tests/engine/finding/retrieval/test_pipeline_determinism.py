"""The same question gives the same bytes, in any process."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.mixed_corpus import corpus, retriever
from vectorless_web.engine.finding.retrieval import MemoryCollection

ROOT = Path(__file__).parents[4]


def _run(seed: str) -> bytes:
    command = [sys.executable, "-m", "tests.support.mixed_corpus"]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True).stdout


def test_two_processes_with_other_hash_seeds_give_the_same_bytes() -> None:
    first, second = _run("1"), _run("2147")
    assert first == second
    assert len(first.split(b"\n")) == 50
    assert b'"items"' in first


def test_the_fingerprint_follows_the_query() -> None:
    source = corpus()
    fingerprints = {retriever(number, source).execute().fingerprint for number in range(50)}
    assert len(fingerprints) == 50


def test_the_fingerprint_follows_the_corpus() -> None:
    source = corpus()
    nodes = [node for node in map(source.node, source.ids()) if node is not None]
    smaller = MemoryCollection([], edges=[])
    assert len(nodes) == 40
    query = retriever(1, source)._query
    assert query.fingerprint(source.version, "e") != query.fingerprint(smaller.version, "e")
