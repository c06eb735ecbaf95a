"""The benchmark over documents of any format, run over the demo's documents as its command."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA, DEMO = Path(__file__).with_name("reading"), ROOT / "docs" / "demo"
FIELDS = {"id", "outcome", "answer", "value", "unit", "verdict", "maker", "passages", "citations", "seconds"}
FIELDS |= {"engine", "steps", "calls", "tokens"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("compiled")


def run_benchmark(out: Path, cache: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "benchmarks/reading.py", "--out", out, "--cache", cache, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def predictions_in(out: Path) -> dict[str, dict]:
    return {line["id"]: line for line in map(json.loads, out.read_text().splitlines())}


def test_documents_of_each_format_are_answered(tmp_path, cache):
    out = tmp_path / "out.jsonl"
    ended = run_benchmark(out, cache, "--data", DATA, "--documents", DEMO)
    assert ended.returncode == 0, ended.stderr
    found = predictions_in(out)
    assert list(found) == ["handbook-1", "report-1", "absent-1"]
    assert all(line.keys() >= FIELDS for line in found.values())
    assert (found["handbook-1"]["outcome"], found["handbook-1"]["answer"]) == ("passages", "")
    assert any("two years" in row["text"] for row in found["handbook-1"]["passages"][:3])
    assert found["handbook-1"]["passages"][0]["lit"] in found["handbook-1"]["passages"][0]["text"]
    assert (found["report-1"]["outcome"], found["report-1"]["verdict"]) == ("answered", "exact")
    assert found["report-1"]["value"] == "$1,254 million"
    cited = found["report-1"]["citations"][0]
    assert (cited["doc"], cited["page"]) == ("thornbury-annual-report-2023.pdf", 20)
    assert "1,254" in cited["quote"]
    assert found["report-1"]["engine"] == "offline"
    assert found["report-1"]["calls"] == found["report-1"]["tokens"] == 0
    assert found["absent-1"]["outcome"] in ("passages", "not_found")
    assert not found["absent-1"]["answer"]


def test_a_set_is_answered_from_its_own_folder_and_an_interrupted_run_goes_on(tmp_path, cache):
    documents = tmp_path / "data/documents"
    (documents / "manuals").mkdir(parents=True)
    shutil.copy(DEMO / "field-handbook.md", documents / "manuals")
    asked = json.loads((DATA / "questions.jsonl").read_text().splitlines()[0])
    rows = [asked | {"set": "manuals", "id": name} for name in ("first", "second", "third")]
    rows.append({"id": "elsewhere", "set": "reports", "doc": "missing.pdf", "question": "What is missing?"})
    (tmp_path / "data/questions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    out = tmp_path / "out.jsonl"
    out.write_text('{"id": "first"}\n{"id": "sec')
    options = ("--data", tmp_path / "data", "--set", "manuals", "--limit", "2", "--resume")
    ended = run_benchmark(out, cache, *options)
    assert "1 questions (1 done before)" in ended.stderr
    assert list(predictions_in(out)) == ["first", "second"]

    missing = run_benchmark(out, cache, "--data", tmp_path / "data")
    assert missing.returncode == 1
    assert f"There is no document missing.pdf in {documents / 'reports'}." in missing.stderr
