"""Worked cases: those beside this file, and those of the file that RETRIEVER_CASES names, when it is set."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.retrieval_contract import run_case

OWN = Path(__file__).with_name("cases.jsonl")


def _files() -> list[Path]:
    named = os.environ.get("RETRIEVER_CASES")
    return [OWN, Path(named)] if named else [OWN]


def _cases() -> list[Any]:
    lines = [line for path in _files() for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    return [pytest.param(case, id=case["name"]) for case in map(json.loads, lines)]


def _agree(found: Any, expected: Any) -> bool:
    if isinstance(expected, bool) or expected is None or isinstance(expected, str):
        return type(found) is type(expected) and found == expected
    if isinstance(expected, int | float):
        return not isinstance(found, bool) and math.isclose(found, expected, rel_tol=0, abs_tol=2e-6)
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(_agree(found[key], expected[key]) for key in expected)
    return len(found) == len(expected) and all(map(_agree, found, expected))


@pytest.mark.parametrize("case", _cases())
def test_case_gives_what_is_expected(case: dict[str, Any]) -> None:
    found = run_case(case["group"], case["input"])
    assert _agree(found, case["expected"]), f"found {found!r}, expected {case['expected']!r}"
