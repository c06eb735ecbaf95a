"""How well the confidence of an offline answer tells whether it is right: the reliability curve and its error.

    python benchmarks/reliability.py --pdfs FOLDER [--questions FILE] [--cache FOLDER] [--present 100] [--bins 10]

Right means: for a row or sentence drawn at random, that a cited page holds it (see
absent.py); for a question of the file (JSON lines with `question`, `doc_name`,
`evidence[].evidence_page_num` from 0), that a cited page is one of its evidence pages.
Expected calibration error: the mean over the bins of |mean confidence - share right|,
weighed by how many answers fall into each (Guo et al. 2017). Abstentions are not counted.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.absent import Case, Corpora, ask, found, present_cases

Judged = tuple[float, bool]


def main() -> None:
    """Print the curve and the error of each half and of both."""
    options = arguments()
    pdfs = sorted(Path(options.pdfs).glob("*.pdf"))
    corpora = Corpora(Path(options.cache))
    drawn = list(judged_present(pdfs, options, corpora))
    asked = list(judged_questions(options, corpora)) if options.questions else []
    for name, judged in (("drawn", drawn), ("asked", asked), ("both", [*drawn, *asked])):
        if judged:
            print(f"{name}: {len(judged)} answers, expected calibration error {error(judged, options.bins):.3f}")
    for low, size, confidence, right in curve([*drawn, *asked], options.bins):
        print(f"  {low:.1f}  {size:4d} answers  confidence {confidence:.2f}  right {right:.2f}")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--questions")
    parser.add_argument("--cache", default="/tmp/vectorless-absent")
    parser.add_argument("--present", type=int, default=100)
    parser.add_argument("--bins", type=int, default=10)
    parser.add_argument("--seed", type=int, default=2)
    return parser.parse_args()


def judged_present(pdfs: Sequence[Path], options: argparse.Namespace, corpora: Corpora) -> Iterator[Judged]:
    """Confidence and rightness of answers about rows and sentences drawn at random."""
    for case in present_cases(pdfs, options.present, random.Random(options.seed), corpora):
        claims, end = ask(case, corpora)
        if claims and end.confidence:
            yield end.confidence.value, found(case, claims, end, corpora)


def judged_questions(options: argparse.Namespace, corpora: Corpora) -> Iterator[Judged]:
    """Confidence and rightness of answers to the file's questions, each asked of its own document."""
    for line in Path(options.questions).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pages = {int(evidence["evidence_page_num"]) for evidence in row["evidence"]}
        claims, end = ask(Case(Path(options.pdfs) / f"{row['doc_name']}.pdf", row["question"]), corpora)
        if claims and end.confidence:
            cited = {citation.page_index for claim in claims for citation in claim.citations}
            yield end.confidence.value, bool(cited & pages)


def curve(judged: Sequence[Judged], bins: int) -> Iterator[tuple[float, int, float, float]]:
    """(lower bound, answers, mean confidence, share right) of each bin that is not empty."""
    for number in range(bins):
        inside = [(c, right) for c, right in judged if min(int(c * bins), bins - 1) == number]
        if inside:
            yield number / bins, len(inside), fmean(c for c, _ in inside), fmean(right for _, right in inside)


def error(judged: Sequence[Judged], bins: int) -> float:
    """The expected calibration error."""
    return sum(size * abs(confidence - right) for _, size, confidence, right in curve(judged, bins)) / len(judged)


if __name__ == "__main__":
    main()
