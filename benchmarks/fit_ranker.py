"""Fits the weights of the ranker on questions with known evidence, cross-validated; writes weights.json.

    python benchmarks/fit_ranker.py --data DIR [--cache DIR] [--worth] [--write]

DIR holds everyday/, reading/ and financebench/ with questions.jsonl and documents, as benchmarks/README.md describes.
Three linear models are fitted by the log-likelihood of the gold candidates among all candidates of a question (a
multinomial logit, with a small ridge): pages by gold pages, nodes and sentences by gold texts. Printed for each set:
hits at 1, 3 and 5 with the weights fitted on everything, on the other four fifths of the documents (the figures to
trust), and on the other sets alone. --worth leaves out each signal in turn. --write stores the weights.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.documents.artefact import CompiledDocument, open_artefact
from vectorless_web.engine.finding.ranking.ranker import WEIGHTS, load_weights, profile_of, rank_documents
from vectorless_web.engine.index.scoring import Floats
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.passages.sentences import collect_candidates, measure_sentences, read_asked
from vectorless_web.engine.questions.understand import understand

SET_WEIGHTS = {"filings": 1.5, "mmlb": 0.5, "everyday": 1.5, "policyqa": 1.0, "tatqa": 0.4}
"""What a question of each set counts: small sets and those nearest to use count more."""
TATQA = 300
"""Questions taken of TAT-QA, every third: it has six times as many as the others and few words to rank."""
FOLDS, ROUNDS, RATE, RIDGE = 5, 200, 0.05, 0.2
KEPT = 120
"""Candidates of a question kept for fitting, the best by the weights in use, and its gold ones."""


@dataclass(frozen=True)
class Question:
    """A question with the document it is asked of and where its answer stands (pages from 0)."""

    id: str
    set: str
    text: str
    document: str
    pages: frozenset[int]
    golds: tuple[str, ...]
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Example:
    """The candidates of one question: signals by name, which are gold, and the group (node) each belongs to."""

    set: str
    document: str
    signals: dict[str, Floats]
    gold: np.ndarray
    groups: np.ndarray


def read_questions(data: Path) -> Iterator[tuple[Question, Path]]:
    """The answerable questions of all sets with the files of their documents; absent files are passed over."""
    for name in ("everyday", "reading", "financebench"):
        for row in map(json.loads, (data / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()):
            question = _read_filing(row) if name == "financebench" else _read_row(row)
            folder = "pdfs" if name == "financebench" else "documents"
            path = data / name / folder / (question.set if name == "reading" else "") / question.document
            if not row.get("unanswerable") and path.exists():
                yield question, path


def _read_filing(row: dict[str, Any]) -> Question:
    pages = frozenset(item["evidence_page_num"] for item in row["evidence"])
    return Question(row["financebench_id"], "filings", row["question"], f"{row['doc_name']}.pdf", pages, (), ())


def _read_row(row: dict[str, Any]) -> Question:
    golds = row.get("gold_quote") or row.get("gold_text") or []
    texts = (golds,) if isinstance(golds, str) else tuple(golds)
    pages = frozenset(row.get("gold_pages") or ())
    known = (row["id"], row.get("set") or "everyday", row["question"], row["doc"])
    return Question(*known, pages, texts, tuple(row["answers"]))


def cut_words(text: object) -> list[str]:
    """Words as `evidence_eval.py` counts them."""
    return re.findall(r"\w+", re.sub(r"(?<=\d),(?=\d{3})", "", str(text).lower()))


def make_judge(question: Question) -> Callable[[str, int], bool]:
    """Tells whether the first so many words of a text hold the question's gold, as `evidence_eval.py` does."""
    known = f" {' '.join(word for text in question.golds for word in cut_words(text))} "
    cut = [cut_words(s) for text in question.golds for s in re.split(r"(?<=[.!?;:])\s+|\n+", text)]
    sentences = [words for words in cut if len(words) >= 3]
    answers = [" ".join(cut_words(answer)) for answer in question.answers]
    bearing = [s for s in sentences if any(a and a in " ".join(s) for a in answers if len(a) > 2)] or sentences

    def holds(text: str, most: int) -> bool:
        words = cut_words(text)[:most]
        joined, bag, own = f" {' '.join(words)} ", Counter(words), _runs(words)
        if any(len(a) > 3 and f" {a} " in joined and f" {a} " in known for a in answers):
            return True
        return any(own & _runs(s) or (bag & Counter(s)).total() >= 0.6 * len(s) for s in bearing)

    return holds


def _runs(words: Sequence[str], length: int = 6) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


def open_compiled(path: Path, cache_folder: Path) -> CompiledDocument:
    """The compiled document of a file, compiled once into the cache."""
    kept = cache_folder / path.parent.name / path.name
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(compile_file(path, name=path.name))
    return _open_once(kept)


@cache
def _open_once(path: Path) -> CompiledDocument:
    return open_artefact(path)


def make_examples(data: Path, cache_folder: Path) -> dict[str, list[Example]]:
    """Examples by level: page, node, sentence."""
    found: dict[str, list[Example]] = {"page": [], "node": [], "sentence": []}
    taken: Counter[str] = Counter()
    for question, path in read_questions(data):
        taken[question.set] += 1
        if question.set == "tatqa" and (taken["tatqa"] % 3 or taken["tatqa"] > 3 * TATQA):
            continue
        plan = understand(question.text)
        ranked = rank_documents([profile_of(open_compiled(path, cache_folder))], plan)
        one, where = ranked[0], (question.set, f"{question.set}/{question.document}")
        if question.pages and question.set != "tatqa":
            gold = np.isin(np.arange(one.profile.page_count), list(question.pages))
            found["page"].append(Example(*where, one.page_signals, gold, np.arange(len(gold))))
        if question.golds:
            holds, texts = make_judge(question), one.profile.tree.columns.texts
            gold = np.array([holds(texts[key], 150) for key in one.profile.keys], dtype=np.bool_)
            found["node"].append(Example(*where, one.node_signals, gold, np.arange(len(gold))))
            candidates = collect_candidates(ranked)
            if candidates:
                signals = measure_sentences(candidates, ranked, read_asked(ranked, plan))
                gold = np.array([holds(candidate.piece.text, 60) for candidate in candidates], dtype=np.bool_)
                rows = np.array([candidate.row for candidate in candidates])
                found["sentence"].append(Example(*where, signals, gold, rows))
    return found


def stack(example: Example, names: Sequence[str]) -> Floats:
    """The signals as a matrix of shape (candidates, names)."""
    return np.stack([example.signals[name] for name in names], axis=1)


def fit(examples: Sequence[Example], names: Sequence[str], start: dict[str, float]) -> Floats:
    """The weights that make the gold candidates likeliest, found by Adam (Kingma and Ba 2015) over all questions."""
    useful = [example for example in examples if example.gold.any()]
    kept = [_keep_best(example, names, start) for example in useful]
    size = max(len(gold) for _, gold in kept)
    matrix = np.zeros((len(kept), size, len(names)))
    gold, real = np.zeros((len(kept), size), bool), np.zeros((len(kept), size), bool)
    for number, (rows, is_gold) in enumerate(kept):
        matrix[number, : len(rows)], gold[number, : len(rows)], real[number, : len(rows)] = rows, is_gold, True
    shares = np.array([SET_WEIGHTS[example.set] for example in useful])
    shares /= shares.sum()
    weights, mean, spread = np.zeros(len(names)), np.zeros(len(names)), np.zeros(len(names))
    for step in range(1, ROUNDS + 1):
        scores = np.where(real, matrix @ weights, -np.inf)
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        right = np.where(gold, likely, 0.0)
        pull = right / np.maximum(right.sum(1, keepdims=True), 1e-12) - likely / likely.sum(1, keepdims=True)
        slope = RIDGE * weights / len(kept) - np.einsum("q,qc,qcn->n", shares, pull, matrix)
        mean, spread = 0.9 * mean + 0.1 * slope, 0.99 * spread + 0.01 * slope**2
        weights = weights - RATE * (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.99**step)) + 1e-9)
    return weights


def _keep_best(example: Example, names: Sequence[str], start: dict[str, float]) -> tuple[Floats, np.ndarray]:
    rows = stack(example, names)
    order = np.argsort(-(rows @ np.array([start.get(name, 0.0) for name in names])), kind="stable")[:KEPT]
    kept = np.union1d(order, np.flatnonzero(example.gold)[:8])
    return rows[kept], example.gold[kept]


def count_hits(examples: Sequence[Example], names: Sequence[str], weights: Floats) -> list[tuple[bool, bool, bool]]:
    """For each question whether a gold candidate is among the first 1, 3, 5; the best of each group stands for it."""
    found = []
    for example in examples:
        order = np.argsort(-np.round(stack(example, names) @ weights, 9), kind="stable")
        firsts = list({int(example.groups[i]): int(i) for i in order[::-1]}.values())[::-1]
        best = [i for i in order.tolist() if i in set(firsts)][:5]
        found.append((example.gold[best[:1]].any(), example.gold[best[:3]].any(), example.gold[best[:5]].any()))
    return found


def cross_validate(
    examples: Sequence[Example], names: Sequence[str], start: dict[str, float], part_of: Callable[[Example], object]
) -> dict[str, list[float]]:
    """Mean hits by set; each part is judged by weights fitted on the others."""
    hits: dict[str, list[tuple[bool, bool, bool]]] = {}
    for part in sorted({part_of(example) for example in examples}, key=str):
        inside = [example for example in examples if part_of(example) == part]
        weights = fit([example for example in examples if part_of(example) != part], names, start)
        for example, hit in zip(inside, count_hits(inside, names, weights), strict=True):
            hits.setdefault(example.set, []).append(hit)
    return {name: np.mean(values, axis=0).round(3).tolist() for name, values in sorted(hits.items())}


def fold_of(examples: Sequence[Example]) -> Callable[[Example], object]:
    """Assigns documents, not questions, to folds."""
    documents = sorted({example.document for example in examples})
    return lambda example: documents.index(example.document) % FOLDS


def main() -> None:
    """Fit each level, print what it reaches, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("/tmp/vectorless-artefacts"))
    parser.add_argument("--levels", default="page,node,sentence", help="levels to fit, in order")
    parser.add_argument("--worth", action="store_true", help="leave out each signal in turn")
    parser.add_argument("--write", action="store_true", help="store the weights")
    options = parser.parse_args()
    # Each level reads the one before it, so that its examples are made with the weights just fitted.
    for level in options.levels.split(","):
        fit_level(level, make_examples(options.data, options.cache)[level], worth=options.worth, write=options.write)


def fit_level(level: str, examples: Sequence[Example], *, worth: bool, write: bool) -> None:
    """Fit one level's weights for the signals that weights.json names; print, and write where asked."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    start = stored[level]
    names = [name for name in start if name in examples[0].signals]
    weights = fit(examples, names, start)
    print(level, dict(zip(names, weights.round(2).tolist(), strict=True)))
    fitted = [(example.set, hit) for example, hit in zip(examples, count_hits(examples, names, weights), strict=True)]
    for name in sorted({name for name, _ in fitted}):
        print(f"  fitted on all  {name:9}", np.mean([hit for own, hit in fitted if own == name], axis=0).round(3))
    print("  other fifths  ", cross_validate(examples, names, start, fold_of(examples)), flush=True)
    print("  other sets    ", cross_validate(examples, names, start, lambda example: example.set), flush=True)
    for name in names if worth else ():
        rest = [other for other in names if other != name]
        print(f"  without {name:14}", cross_validate(examples, rest, start, fold_of(examples)), flush=True)
    if write:
        others = {name: weight for name, weight in start.items() if name not in names}
        stored[level] = {**dict(zip(names, weights.round(3).tolist(), strict=True)), **others}
        lines = [f' "{key}": {json.dumps(values)}' for key, values in stored.items()]
        WEIGHTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        load_weights.cache_clear()


if __name__ == "__main__":
    main()
