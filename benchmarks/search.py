"""How well the searches reach the section that holds a question's evidence, and what they look at on the way.

    python benchmarks/search.py --questions FILE --pdfs DIR [--cache DIR] [--algorithm beam] [--misses] [--saves]
    python benchmarks/search.py --reading DIR --saves [--set NAME]

A questions file has one JSON object a line: {doc_name, question, evidence: [{evidence_text,
evidence_page_num}]}, pages from 0, documents at DIR/<doc_name>.pdf. The gold sections of a
question are the innermost sections of the leaves on its evidence pages that share most words
with the evidence texts. A section counts as entered when the search reads it; `at 3` asks
whether a gold section is among the first three entered. `leaves` is the share of the
document's leaves that the search asked a score for, `touched` the share that holds any of
the question's words; `over` is the share of questions that asked for more than a quarter of
the leaves (documents of a few pages). The scripted model knows the gold pages; with the
given rate it names a wrong section instead, just as sure, with a direction drawn at random
(walk on, look beside, go back, found). The last line scores every leaf and enters the sections of
the best.

--saves asks instead what guidance saves: how many leaves are read until the first gold leaf is reached; a
question that does not reach it within MOST_READ counts as so many. `best first` opens leaf after leaf by
its rank alone, without a tree; `best, then section` opens the section of each in turn. --reading takes
questions as benchmarks/reading.py does, whose gold leaves are those that share most words with gold_text,
gold_quote or an answer, on the gold pages where they are known.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from statistics import mean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import FolderCorpus
from vectorless_web.engine.documents.artefact import CompiledDocument, open_artefact
from vectorless_web.engine.finding.navigation import (
    EventKind,
    LexicalPilot,
    ModelPilot,
    NoopPilot,
    PilotBudget,
    PilotConfig,
    SearchEvent,
    SearchLimits,
    beam,
    greedy,
    mcts,
)
from vectorless_web.engine.finding.navigation.search import SearchStats
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer, TreeScorer
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.llm.model import Reply, Usage
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.text.analyser import analyse

ALGORITHMS = {"greedy": greedy, "beam": beam, "mcts": mcts}
LIMITS = SearchLimits()
DIRECTIONS = ("go_deeper", "explore_siblings", "backtrack", "found_answer")


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its opened document, plan, gold leaves, gold sections and gold pages (from 0)."""

    question: str
    document: CompiledDocument
    plan: QueryPlan
    leaves: frozenset[int]
    sections: frozenset[int]
    pages: frozenset[int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one search of one case came to. `place` is the rank (from 1) at which gold was entered, 0 for never."""

    place: int
    pages_read: int
    stats: SearchStats
    milliseconds: float
    leaves_share: float
    entered: tuple[int, ...] = ()


MOST_READ = 60
"""Leaves after which a question counts as not reached: more than all steps of a run open."""


class OracleModel:
    """Knows the gold pages; with probability `error` it names another candidate instead, just as sure."""

    name = "oracle"

    def __init__(self, case: Case, *, error: float, seed: str) -> None:
        self._pages, self._error, self._random = case.pages, error, random.Random(seed)
        self.calls = 0

    def complete(self, messages: Sequence[Any], **options: Any) -> Reply:
        self.calls += 1
        data, schema = json.loads(messages[-1].content), options["schema"]
        is_wrong = self._random.random() < self._error
        content = self._content(data, schema["properties"], is_wrong=is_wrong)
        text = json.dumps(content)
        return Reply(text, content, Usage(sum(len(m.content) for m in messages) // 4, len(text) // 4), self.name)

    def _content(self, data: dict[str, Any], fields: dict[str, Any], *, is_wrong: bool) -> dict[str, Any]:
        candidates = data.get("candidates", [])
        right = [candidate["id"] for candidate in candidates if self._holds(candidate["pages"])]
        wrong = [candidate["id"] for candidate in candidates if candidate["id"] not in right]
        if "relevance" in fields:
            is_here = self._holds(data["pages"]) is not is_wrong
            return {"relevance": 0.9 if is_here else 0.1, "is_answer": is_here, "reason": "the gold path"}
        chosen = (self._random.sample(wrong, min(len(wrong), 1)) if is_wrong else right) or []
        ranked = [{"id": name, "score": 0.9, "reason": "the gold path"} for name in chosen]
        if "keep" in fields:
            return {"keep": chosen or [candidate["id"] for candidate in candidates]}
        direction = self._random.choice(DIRECTIONS) if is_wrong else "go_deeper"
        base = {"confidence": 0.9, "reasoning": "", "direction": direction, "target": "", "why_failed": ""}
        return {**base, "ranking": ranked, "alternatives": ranked}

    def _holds(self, pages: str) -> bool:
        first, last = (int(page) - 1 for page in pages.split("-"))
        return any(first <= page <= last for page in self._pages)


def load(questions: Path, pdfs: Path, cache: Path) -> Iterator[Case]:
    """The questions whose documents are there, with their gold leaves."""
    documents: dict[str, CompiledDocument] = {}
    for line in questions.read_text().splitlines():
        item = json.loads(line)
        name = item["doc_name"]
        if name not in documents:
            documents[name] = opened(pdfs / f"{name}.pdf", cache)
        yield case_of(item, documents[name])


def opened(pdf: Path, cache: Path) -> CompiledDocument:
    """The compiled document, from the cache when it is there."""
    path = cache / f"{pdf.stem}.art"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        path.write_bytes(compile_file(pdf, name=pdf.name))
    return open_artefact(path)


def case_of(item: dict[str, Any], document: CompiledDocument) -> Case:
    """A case with its gold leaves: on each evidence page those sharing at least half of the best one's words."""
    found: set[int] = set()
    for evidence in item["evidence"]:
        wanted = Counter(analyse(evidence["evidence_text"]))
        leaves = [key for key in document.on_page(evidence["evidence_page_num"]) if document.tree.node(key).is_leaf]
        shared = {key: (Counter(analyse(document.tree.node(key).text)) & wanted).total() for key in leaves}
        most = max(shared.values(), default=0)
        found.update(key for key, count in shared.items() if count and count * 2 >= most)
    return Case(
        question=item["question"],
        document=document,
        plan=understand(item["question"]),
        leaves=frozenset(found),
        sections=frozenset(document.tree.section_of(key) for key in found),
        pages=frozenset(evidence["evidence_page_num"] for evidence in item["evidence"]),
    )


def load_reading(data: Path, only: str | None, cache: Path) -> Iterator[Case]:
    """The questions of a folder that say where their evidence stands, each with its gold leaves."""
    documents: dict[tuple[str, str], CompiledDocument] = {}
    for line in (data / "questions.jsonl").read_text().splitlines():
        item = json.loads(line)
        name, doc = item.get("set") or "", item["doc"]
        texts = item.get("gold_text") or [quote for quote in [item.get("gold_quote")] if quote]
        texts = texts or (item["answers"] if item.get("gold_pages") else [])
        if only not in (None, name) or not texts or item.get("unanswerable"):
            continue
        if (name, doc) not in documents:
            documents[name, doc] = FolderCorpus(data / "documents" / name, cache=cache, names=[doc]).open("1")
        yield case_of_texts(item["question"], documents[name, doc], texts, item.get("gold_pages"))


def case_of_texts(question: str, document: CompiledDocument, texts: Sequence[str], pages: Sequence[int] | None) -> Case:
    """A case whose gold leaves share at least nine tenths of what the best leaf shares with one of the texts."""
    tree, found = document.tree, set[int]()
    leaves = [key for key in tree.leaves() if pages is None or tree.node(key).page_start in pages]
    for wanted in (Counter(analyse(text)) for text in texts):
        shared = {key: (Counter(analyse(tree.node(key).text)) & wanted).total() for key in leaves}
        most = max(shared.values(), default=0)
        found.update(key for key, count in shared.items() if count and count >= 0.9 * most)
    sections = frozenset(tree.section_of(key) for key in found)
    return Case(question, document, understand(question), frozenset(found), sections, frozenset(pages or ()))


def count_read(case: Case, order: Iterable[int]) -> int:
    """Leaves read, in that order and each once, up to the first gold leaf; MOST_READ when it does not come."""
    once = islice(_drop_repeats(order), MOST_READ)
    return next((number for number, key in enumerate(once, 1) if key in case.leaves), MOST_READ)


def _drop_repeats(order: Iterable[int]) -> Iterator[int]:
    seen: set[int] = set()
    for key in order:
        if key not in seen:
            seen.add(key)
            yield key


def read_by_search(case: Case, algorithm: Callable[..., Iterator[SearchEvent]], pilot: str) -> int:
    """Leaves that a search reads of the sections it enters, then, where gold is in none, of the best by rank."""
    scorer = scorer_of(case)
    guide = pilot_of(case, pilot, scorer, error=0.0, seed=0)
    last = list(algorithm(case.document.tree, case.plan, scorer, guide, LIMITS))[-1]
    return count_read(case, chain((leaf for node in last.ranked for leaf in node.leaves), ranked_leaves(case)))


def ranked_leaves(case: Case) -> list[int]:
    """All leaves, the best first."""
    leaves = case.document.tree.leaves()
    scores = scorer_of(case).scores(leaves)
    return [leaf for _, leaf in sorted(zip((-score for score in scores), leaves, strict=True))]


def section_by_section(case: Case) -> Iterator[int]:
    """The leaves of the section of the best leaf, then of the next best one's."""
    tree = case.document.tree
    for leaf in ranked_leaves(case)[:MOST_READ]:
        yield from (key for key in tree.children(tree.section_of(leaf)) if tree.is_leaf(key))


def report_savings(cases: Sequence[Case]) -> None:
    """How many leaves each way of reading opens for the same evidence."""
    cases = [case for case in cases if case.leaves]
    leaves = median(len(case.document.tree.leaves()) for case in cases)
    print(f"{len(cases)} questions with gold leaves; a document has {leaves:.0f} leaves (median)")
    print(f"{'leaves read until the first gold one':38}  mean  median  reached")
    rows = {"best first": [count_read(case, ranked_leaves(case)) for case in cases]}
    rows["best, then section"] = [count_read(case, section_by_section(case)) for case in cases]
    for name, algorithm in ALGORITHMS.items():
        for pilot in ("none", "lexical", "model"):
            told = f"{name}, {'model that is always right' if pilot == 'model' else pilot}"
            rows[told] = [read_by_search(case, algorithm, pilot) for case in cases]
    for name, read in rows.items():
        print(f"{name:38}{mean(read):6.1f}{median(read):8.0f}{mean(number < MOST_READ for number in read):9.2f}")


def scorer_of(case: Case) -> TreeScorer:
    """The scorer the searches run on."""
    return DocumentScorer(case.document, case.plan)


def searched(
    case: Case, algorithm: Callable[..., Iterator[SearchEvent]], pilot: str, *, error: float = 0.0, seed: int = 0
) -> Outcome:
    """One search, timed with the making of its scorer."""
    begun = time.perf_counter()
    scorer = scorer_of(case)
    guide = pilot_of(case, pilot, scorer, error=error, seed=seed)
    events = list(algorithm(case.document.tree, case.plan, scorer, guide, LIMITS))
    seconds = time.perf_counter() - begun
    entered = [event.key for event in events if event.kind is EventKind.ENTERING]
    reads = {node.key: node.leaves for node in events[-1].ranked}
    return outcome(
        case, [(key, reads[key]) for key in entered], stats=events[-1].stats or SearchStats(), seconds=seconds
    )


def pilot_of(case: Case, name: str, scorer: TreeScorer, *, error: float, seed: int) -> Any:
    """A pilot by its name."""
    if name == "none":
        return NoopPilot()
    lexical = LexicalPilot(scorer)
    if name == "lexical":
        return lexical
    config = PilotConfig.preset("balanced")
    model = OracleModel(case, error=error, seed=f"{seed} {case.question}")
    return ModelPilot(model, budget=PilotBudget(config), fallback=lexical, config=config)


def outcome(case: Case, entered: Sequence[tuple[int, Sequence[int]]], *, stats: SearchStats, seconds: float) -> Outcome:
    """Where gold was entered, and how much was read."""
    tree = case.document.tree
    place = next((number for number, (_, leaves) in enumerate(entered, 1) if case.leaves & set(leaves)), 0)
    read = {page for _, leaves in entered for leaf in leaves for page in spanned(case, leaf)}
    return Outcome(
        place=place,
        pages_read=len(read),
        stats=stats,
        milliseconds=seconds * 1000,
        leaves_share=stats.leaves_scored / max(len(tree.leaves()), 1),
        entered=tuple(key for key, _ in entered),
    )


def spanned(case: Case, leaf: int) -> range:
    """The pages of a leaf."""
    node = case.document.tree.node(leaf)
    return range(node.page_start, node.page_end + 1)


def exhaustive(case: Case) -> Outcome:
    """Every leaf scored; the sections of the best leaves entered in that order."""
    begun = time.perf_counter()
    tree = case.document.tree
    leaves = tree.leaves()
    scores = scorer_of(case).scores(leaves)
    order = [leaf for _, leaf in sorted(zip((-score for score in scores), leaves, strict=True))]
    sections = list(dict.fromkeys(tree.section_of(leaf) for leaf in order))[: LIMITS.results]
    entered = [(key, [child for child in tree.children(key) if tree.node(child).is_leaf]) for key in sections]
    stats = SearchStats(leaves_scored=len(leaves))
    return outcome(case, entered, stats=stats, seconds=time.perf_counter() - begun)


def touched(case: Case) -> float:
    """The share of the leaves that hold any word of the question."""
    segment, tree = Segment(case.document.segment), case.document.tree
    keys = {int(segment.keys[row]) for term in case.plan.terms for row in segment.postings(term.term).rows}
    return sum(tree.node(key).is_leaf for key in keys) / max(len(tree.leaves()), 1)


def report(name: str, outcomes: Sequence[Outcome]) -> None:
    """One line of the table."""
    places = [found.place for found in outcomes]
    print(
        f"{name:26}"
        + "".join(f"{mean(0 < place <= top for place in places):7.3f}" for top in (1, 3, 5))
        + f"{mean(found.leaves_share for found in outcomes):8.3f}"
        + f"{mean(found.leaves_share > 0.25 for found in outcomes):7.3f}"
        + f"{mean(found.stats.sections_scored for found in outcomes):9.1f}"
        + f"{mean(found.pages_read for found in outcomes):7.1f}"
        + f"{median(found.milliseconds for found in outcomes):8.1f}"
        + f"{mean(found.stats.turns for found in outcomes):7.1f}"
        + f"{mean(found.stats.consultations for found in outcomes):7.1f}"
        + f"{mean(found.stats.tokens for found in outcomes):8.0f}"
    )


def main() -> None:
    """Run the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--pdfs", type=Path)
    parser.add_argument("--reading", type=Path, help="folder of questions.jsonl and documents/, in place of the two")
    parser.add_argument("--set", help="only the questions of this set of --reading")
    parser.add_argument("--saves", action="store_true", help="count the leaves read until the evidence is reached")
    parser.add_argument("--cache", type=Path, default=Path("var/benchmarks/compiled"))
    parser.add_argument("--algorithm", choices=list(ALGORITHMS), action="append")
    parser.add_argument("--seeds", type=int, default=3, help="runs with a wrong model are averaged over so many seeds")
    parser.add_argument("--misses", action="store_true", help="list what beam with the lexical pilot missed")
    options = parser.parse_args()
    if options.reading is not None:
        cases = list(load_reading(options.reading, options.set, options.cache))
    elif options.questions is not None and options.pdfs is not None:
        cases = list(load(options.questions, options.pdfs, options.cache))
    else:
        parser.error("name --questions and --pdfs, or --reading")
    if options.saves:
        report_savings(cases)
        return
    without = sum(not case.sections for case in cases)
    print(
        f"{len(cases)} questions, {without} without a gold leaf; {mean(map(touched, cases)):.0%} of the leaves touched"
    )
    print(f"{'':26}  at 1   at 3   at 5  leaves   over sections  pages      ms  turns  asked  tokens")
    for name in options.algorithm or ALGORITHMS:
        run = ALGORITHMS[name]
        report(f"{name}, none", [searched(case, run, "none") for case in cases])
        report(f"{name}, lexical", [searched(case, run, "lexical") for case in cases])
        for error in (0.0, 0.1, 0.3):
            seeds = range(options.seeds if error else 1)
            found = [searched(case, run, "model", error=error, seed=seed) for seed in seeds for case in cases]
            report(f"{name}, model {error:.0%} wrong", found)
    report("every leaf scored", [exhaustive(case) for case in cases])
    if options.misses:
        list_misses(cases)


def list_misses(cases: Sequence[Case]) -> None:
    """The questions whose gold section was not among the first three entered."""
    for case in cases:
        found = searched(case, beam, "lexical")
        if 0 < found.place <= 3:
            continue
        tree = case.document.tree
        print(f"\n{case.document.title} | {case.question[:150]}\n  place {found.place}, pages {sorted(case.pages)}")
        for label, keys in (("gold", sorted(case.sections)), ("entered", found.entered)):
            for key in keys:
                node = tree.node(key)
                print(f"  {label:8} {key:5} pp.{node.page_start}-{node.page_end} {' > '.join(tree.path(key))[-110:]}")


if __name__ == "__main__":
    main()
