"""The fit of confidences: what is fitted, what it is measured on, and where it is written."""

import json
import tomllib

import numpy as np
import pytest

from benchmarks import calibration
from benchmarks.calibration import Judged, calibration_error, find_strong, fit_to, read_sets


@pytest.fixture
def predictions(tmp_path):
    """Fifty answers by words, half of them measured for meaning, and which of them are right."""
    pred, judged = tmp_path / "pred.jsonl", tmp_path / "judged.jsonl"
    near = [{"words": 0.5, "nearness": share / 25} for share in range(25)]
    rows = [*near, *({"words": 0.2} for _ in range(25))]
    pred.write_text("\n".join(json.dumps({"id": str(n), "signals": row}) for n, row in enumerate(rows)))
    judged.write_text("\n".join(json.dumps({"id": str(n), "right": n % 2}) for n in range(50)))
    return ["fifty", str(pred), str(judged)]


def test_only_answers_whose_meaning_was_measured_are_fitted_when_that_is_asked(predictions):
    assert [len(each.right) for each in read_sets([predictions])[1]] == [50]
    names, (measured,) = read_sets([predictions], only="nearness")
    assert (names, len(measured.right)) == (["nearness"], 25)


def test_a_fit_is_written_to_its_own_table_and_leaves_the_others(predictions, tmp_path, monkeypatch):
    where = tmp_path / "calibration.toml"
    where.write_text(calibration.WHERE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(calibration, "WHERE", where)
    before = tomllib.loads(where.read_text())
    monkeypatch.setattr("sys.argv", ["calibration.py", "--set", *predictions, "--nearness", "--write"])
    calibration.main()
    after = tomllib.loads(where.read_text())
    assert {name: after[name] for name in ("model", "offline")} == {name: before[name] for name in ("model", "offline")}
    assert set(after["nearness"]["weights"]) <= {"nearness"}


def test_what_speaks_for_an_answer_never_counts_against_it():
    right = np.array([0.0, 1.0] * 20)
    shares = np.column_stack([1.0 - right, right, 1.0 - right])
    fit = fit_to([Judged("a", shares, right)], 1.0, ["words", "fit", "is_long"])
    assert fit.weights[0] == 0.0
    assert fit.weights[1] > 0.0 > fit.weights[2]


def test_the_calibration_error_is_the_gap_between_what_is_said_and_what_is_right():
    assert calibration_error(np.full(10, 0.75), np.array([1.0] * 5 + [0.0] * 5)) == pytest.approx(0.25)


def test_strong_is_what_holds_in_each_set_and_not_only_in_a_large_one():
    large = np.repeat([0.96, 0.9], 100), np.ones(200)
    small = np.array([0.97] * 6 + [0.9] * 6), np.array([1.0] * 6 + [0.0] * 6)
    assert find_strong([large], 0.5) == 0.9
    assert find_strong([large, small], 0.5) == pytest.approx(0.91)
    few = np.array([0.97] * 4), np.zeros(4)
    assert find_strong([large, few], 0.5) == 0.9
