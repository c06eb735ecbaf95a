"""Fits the confidence of offline answers, and says how well it holds on sets that the fit did not see.

    python benchmarks/calibration.py --set NAME PRED.jsonl JUDGED.jsonl [--set ...] [--nearness] [--write] [--decay 1.0]

PRED.jsonl holds predictions of reading.py or financebench.py made with --withheld; JUDGED.jsonl says by `id` (or
`financebench_id`) and `right` (0 to 1) which of them are right. Only answered questions count. The fit is a logistic
regression over the signals of each answer, every large set weighing the same, with a penalty of --decay on squared
weights, worked out by Newton's method. A set of fewer than 20 answers is left out. Each set has an offset of its own,
which absorbs how hard its questions are and how strictly they were judged, and which the fitted model leaves out
(Gelman and Hill 2007, chapter 12). Each set's row is measured by a fit on all the others. `strong` is the least
confidence from which on .93 of the firm answers are right over those left-out sets and .90 in each, `moderate` about a
half: what is more likely wrong than right is withheld. --write puts the fit on all sets into `calibration.toml`.
There are two fits: of predictions by words alone, and with --nearness of those of a run with the local model of
meaning, only answers that it measured; the others have the first fit there, too.
"""

import argparse
import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.answers.confidence import IS_FIRM

from vectorless_web.engine.answers.claims import NEARNESS
from vectorless_web.engine.index.scoring import Floats

WHERE = Path(__file__).resolve().parents[1] / "vectorless_web/engine/answers/calibration.toml"
STRONG_RIGHT = 0.93
"""Share of answers right from which on a confidence is called strong. Above the .90 that is promised of them, since a
share on other data falls short of the one fitted."""
SET_RIGHT, FEWEST_STRONG = 0.90, 5
"""Share right of what is called strong in each left-out set by itself, where there are at least so many."""
MODERATE = {"offline": 0.58, NEARNESS: 0.52}
"""Confidence from which on an answer is given: below, it is more likely wrong than right. By words alone 8 right and 11
wrong ones lie between .55 and .58. Of what is measured for meaning 23 right and 13 wrong ones lie between .52 and .55,
11 and 13 between .50 and .52."""
NEAR_SIGNALS = frozenset(
    {"nearness", "nearest", "nearer", "passage_fit", "suffices", "names_known", "parts", "ahead"}
    | {"is_lacking", "is_table", "is_list", "is_rule", "is_long"}
    | {"is_verdict", "is_cause", "is_not_worked_out", "is_pictured", "is_other_case"}
)
"""What these are fitted on. Areas under the curve on left-out sets, in brackets with `names_said` in place of
`names_known`, `is_long` and the last five: everyday .88 (.83), MMLongBench .86 (.83), TAT-QA .91 (.90), filings .68
(.60), PolicyQA .74 and our own .92 either way."""
OFFSET_DECAY = 10.0
"""Penalty on the squared offset of a set. Measured on left-out sets: with it the mean log loss is .588, without offsets
.628; with ten times as much it is .614."""
MOST_WEIGHT = 1.0
"""What an answer of a small set weighs at most. Else a set of 55 answers of which 3 are right would decide as much as
one of 300: without the bound 14 right everyday answers are given where 18 are, and 2 wrong ones either way."""
BINS = 10
FEWEST = 20
"""Answers that a share is read from and a set must have, at least: fewer say nothing."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The answers of one set: the share of each signal (answers x names), and how right each is in [0, 1]."""

    name: str
    shares: Floats
    right: Floats
    firm: Floats
    """1 for each answer that passed the checks without which none is called strong, else 0."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A logistic model: its intercept and the weight of each signal."""

    intercept: float
    weights: Floats

    def chances(self, shares: Floats) -> Floats:
        """The chance of each answer to be right."""
        odds: Floats = self.intercept + shares @ self.weights
        return 1.0 / (1.0 + np.exp(-odds))


def main() -> None:
    """Print the table of left-out sets, then the fit on all of them."""
    options = _arguments()
    table = NEARNESS if options.nearness else "offline"
    names, sets = read_sets(options.set, only=NEARNESS if options.nearness else "")
    others = [(each, [other for other in sets if other is not each]) for each in sets if len(sets) > 1]
    measured = [(each, fit_to(rest, options.decay, names).chances(each.shares)) for each, rest in others]
    whole = fit_to(sets, options.decay, names)
    measured = measured or [(each, whole.chances(each.shares)) for each in sets]
    strong = find_strong(
        [(found[each.firm > 0], each.right[each.firm > 0]) for each, found in measured], MODERATE[table]
    )
    print("| set | answers | right | calibration error | given | right | strong | right | withheld | right |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for each, found in measured:
        print(_row(each, found, strong, MODERATE[table]))
    every = Judged(
        "all", *(np.concatenate([getattr(e, part) for e, _ in measured]) for part in ("shares", "right", "firm"))
    )
    print(_row(every, np.concatenate([found for _, found in measured]), strong, MODERATE[table]))
    for name, weight in sorted(zip(names, whole.weights, strict=True), key=lambda pair: -abs(pair[1])):
        print(f"{weight:+.2f} {name}")
    if options.write:
        WHERE.write_text(_toml(table, names, whole, strong), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=3, action="append", required=True, metavar=("NAME", "PRED", "JUDGED"))
    parser.add_argument("--decay", type=float, default=1.0)
    parser.add_argument("--nearness", action="store_true", help="fit answers whose meaning was measured")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def read_sets(paths: Sequence[Sequence[str]], *, only: str = "") -> tuple[list[str], list[Judged]]:
    """The names of all signals, and the answered questions of each set; `only` those that have a signal."""
    rows = {
        name: [row for row in _answers(Path(predicted), Path(judged)) if not only or only in row[0]]
        for name, predicted, judged in paths
    }
    held = {signal for found in rows.values() for signals, _ in found for signal in signals} - {IS_FIRM}
    names = sorted(held & NEAR_SIGNALS if only == NEARNESS else held)
    sets = [
        Judged(
            name,
            np.array([[signals.get(signal, 0.0) for signal in names] for signals, _ in found]),
            np.array([right for _, right in found]),
            np.array([signals.get(IS_FIRM, 1.0) for signals, _ in found]),
        )
        for name, found in rows.items()
        if len(found) >= FEWEST
    ]
    return names, sets


def _answers(predicted: Path, judged: Path) -> list[tuple[Mapping[str, float], float]]:
    right = {_id_of(row): float(row["right"]) for row in _lines(judged)}
    found = [(row["signals"], right[_id_of(row)]) for row in _lines(predicted) if _id_of(row) in right]
    return [(signals, share) for signals, share in found if signals]


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _id_of(row: Mapping[str, object]) -> object:
    return row.get("id") or row["financebench_id"]


def fit_to(sets: Sequence[Judged], decay: float, names: Sequence[str]) -> Fit:
    """The logistic model that fits these sets best, each weighing as much as the mean set.

    What speaks for an answer may not speak against it: where the best weight of a share would
    be negative, the share is left out. Only signals that name a kind of answer may be either.
    """
    kinds = np.array([name.startswith(("is_", "reads_")) for name in names])
    used = np.ones(len(names), dtype=bool)
    while True:
        fit = _solve(sets, decay, used)
        wrong = used & ~kinds & (fit.weights < 0)
        if not wrong.any():
            return fit
        used &= ~wrong


def _solve(sets: Sequence[Judged], decay: float, used: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Fit:
    shares = np.concatenate([each.shares for each in sets])[:, used]
    right = np.concatenate([each.right for each in sets])
    even = [min(MOST_WEIGHT, len(right) / len(sets) / len(each.right)) for each in sets]
    heavy = np.concatenate([np.full(len(each.right), weight) for each, weight in zip(sets, even, strict=True)])
    offsets = np.repeat(np.eye(len(sets)), [len(each.right) for each in sets], axis=0)
    inputs = np.column_stack([np.ones(len(right)), shares, offsets])
    penalty = np.diag([0.0, *[decay] * shares.shape[1], *[OFFSET_DECAY] * len(sets)])
    weights = np.zeros(inputs.shape[1])
    for _ in range(30):
        chances = 1.0 / (1.0 + np.exp(-(inputs @ weights)))
        slope = inputs.T @ (heavy * (right - chances)) - penalty @ weights
        bend = (inputs * (heavy * chances * (1 - chances))[:, None]).T @ inputs + penalty
        step = np.linalg.solve(bend + 1e-9 * np.eye(len(weights)), slope)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-8:
            break
    whole = np.zeros(len(used))
    whole[used] = weights[1 : 1 + shares.shape[1]]
    return Fit(float(weights[0]), whole)


def least_chance(chances: Floats, right: Floats, share: float) -> float:
    """The least confidence from which on so large a share of the answers is right; 1 when there is none."""
    order = np.argsort(-chances)
    held = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = [place for place in range(min(FEWEST, len(order)) - 1, len(order)) if held[place] >= share]
    return float(chances[order][good[-1]]) if good else 1.0


def find_strong(measured: Sequence[tuple[Floats, Floats]], moderate: float) -> float:
    """The least confidence, from `moderate` on, that is rightly called strong over all sets and in each of them.

    `measured` are the confidences of each set and how right its answers are; 1 when there is none.
    """
    chances, right = np.concatenate([c for c, _ in measured]), np.concatenate([r for _, r in measured])
    least = max(least_chance(chances, right, STRONG_RIGHT), moderate)

    def holds(cut: float) -> bool:
        chosen = [r[c >= cut] for c, r in measured]
        return all(len(r) < FEWEST_STRONG or float(r.mean()) >= SET_RIGHT for r in chosen)

    cuts = (round(cut, 2) for cut in np.arange(math.ceil(least * 100 - 1e-9) / 100, 1.0, 0.01).tolist())
    return next((cut for cut in cuts if holds(cut)), 1.0)


def calibration_error(chances: Floats, right: Floats) -> float:
    """Expected calibration error over equal bins, weighed by answers (Guo et al. 2017)."""
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    gaps = [abs(float(chances[bins == b].mean() - right[bins == b].mean())) * int((bins == b).sum()) for b in set(bins)]
    return sum(gaps) / len(right)


def _row(judged: Judged, chances: Floats, strong: float, moderate: float) -> str:
    def told(chosen: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> str:
        return f"{int(chosen.sum())} | {judged.right[chosen].mean():.2f}" if chosen.any() else "0 | "

    error, shown = calibration_error(chances, judged.right), chances >= moderate
    given = f"{told(shown)} | {told(shown & (judged.firm > 0) & (chances >= strong))} | {told(~shown)}"
    return f"| {judged.name} | {len(judged.right)} | {judged.right.mean():.2f} | {error:.2f} | {given} |"


def _toml(table: str, names: Sequence[str], fit: Fit, strong: float) -> str:
    """The text of the file with one fit in place of the one it had."""
    weights = "".join(f"{name} = {weight:.3f}\n" for name, weight in zip(names, fit.weights, strict=True) if weight)
    cuts = f"intercept = {fit.intercept:.3f}\nstrong = {strong:.2f}\nmoderate = {MODERATE[table]:.2f}\n"
    head, *tables = re.split(r"(?m)^(?=\[\w+\]$)", WHERE.read_text(encoding="utf-8").rstrip() + "\n")
    kept = [text for text in tables if not text.startswith(f"[{table}]")]
    return "\n".join(
        [
            head.rstrip() + "\n",
            *(text.rstrip() + "\n" for text in kept),
            f"[{table}]\n{cuts}\n[{table}.weights]\n{weights}",
        ]
    )


if __name__ == "__main__":
    main()
