"""How far up the evidence sentence stands with and without the local model of meaning, the document given, offline.

    python benchmarks/nearness.py --data DIR [--set NAME] [--every N] [--sentences N] [--cache DIR] [--documents DIR]

DIR is a folder as `reading.py` takes it; evidence is what a question's `gold_quote`, `more_quotes` or `gold_text` say,
else its `gold_pages`. Printed are shares of the questions that can be answered: the evidence is the first quote shown
(of the answer, else of the closest passages), it is among the first four, a gold page is among the first five
retrieved; then processor seconds a question, the median and the 95th percentile: by words alone, with the model the
first time, and once more with its vectors kept.
"""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.orchestrator import Orchestrator

from benchmarks.answering import Question
from benchmarks.corpus import FolderCorpus
from benchmarks.reading import corpora_of, questions_in, set_of
from vectorless_web.engine.agent.events import CompleteEvent, StepEvent, StepKind
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.llm.embedding import MOST_TEXTS, RecordedNearness
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.providers.local_nearness import LocalNearness

SHARED = 0.6
"""Least share of the words of the evidence, or of the quote if it has fewer, that both have."""

LEAST_WORDS = 4
"""Words of a quote before it is taken for evidence by what it shares."""


class Kept(dict[str, bytes]):
    """Vectors in memory."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Those that are kept."""
        return {key: self[key] for key in keys if key in self}

    def set_many(self, data: dict[str, bytes], timeout: float) -> None:
        """Keep them."""
        self.update(data)


@dataclass(frozen=True, slots=True)
class Seen:
    """What one run showed: whether each quote is evidence, whether each page retrieved is a gold page, its seconds."""

    quotes: tuple[bool, ...]
    pages: tuple[bool, ...]
    seconds: float


def ask(question: Question, corpus: FolderCorpus, nearness: RecordedNearness | None) -> Seen:
    """One offline run."""
    walking = Walking()
    walking.nearness = nearness
    started = time.process_time()
    events = list(Orchestrator(walking=walking).run(question["question"], corpus, Limits(wall_seconds=300.0)))
    seconds = time.process_time() - started
    done = next(event for event in reversed(events) if isinstance(event, CompleteEvent))
    cited = [quote for event in events if isinstance(event, ClaimEvent) for quote in event.citations]
    gold = gold_of(question)
    shown = tuple(
        is_evidence(quote.quote, gold) if gold else quote.page_index in (question["gold_pages"] or ())
        for quote in (cited or done.passages)
    )
    items = [
        row["page"] - 1
        for event in events
        if isinstance(event, StepEvent) and event.kind is StepKind.RETRIEVE
        for row in event.observation.get("items", ())
    ]
    pages = tuple(page in (question["gold_pages"] or ()) for page in dict.fromkeys(items))
    return Seen(shown, pages, seconds)


def gold_of(question: Question) -> list[str]:
    """The texts that hold the evidence; none where only pages are known."""
    more = [row["quote"] for row in question.get("more_quotes", ())]
    return [text for text in (question.get("gold_quote"), *more, *(question.get("gold_text") or ())) if text]


def is_evidence(quote: str, gold: Sequence[str]) -> bool:
    """Whether a quote is one of the texts, a part of one, or shares most of its words."""
    own = analyse(quote)
    return any(_is_alike(own, analyse(text)) for text in gold)


def _is_alike(own: Sequence[str], text: Sequence[str]) -> bool:
    if f" {' '.join(text)} " in f" {' '.join(own)} ":
        return True
    least = min(len(set(own)), len(set(text)))
    return least >= LEAST_WORDS and len(set(own) & set(text)) >= SHARED * least


def describe(name: str, seen: Sequence[Seen]) -> str:
    """One line of the table."""
    shares = [
        sum(any(run.quotes[:1]) for run in seen),
        sum(any(run.quotes[:4]) for run in seen),
        sum(any(run.pages[:5]) for run in seen),
    ]
    first, four, page = (f"{share / len(seen):.3f}" for share in shares)
    seconds = sorted(run.seconds for run in seen)
    slow = seconds[int(len(seconds) * 0.95)]
    return (
        f"{name:12} first {first}  in four {four}  page in five {page}  s {seconds[len(seconds) // 2]:.2f} / {slow:.2f}"
    )


def main() -> None:
    """Ask every question by words, with the model, and with it once more."""
    options = _arguments()
    data = Path(options.data)
    questions = [row for row in questions_in(data, options.set) if not row["unanswerable"]][:: options.every]
    corpora = corpora_of(questions, Path(options.documents or data / "documents"), Path(options.cache))
    kept = Kept()
    for name in ("words", "meaning", "once more"):
        seen = []
        for question in questions:
            corpus = corpora[set_of(question)]
            model = LocalNearness(store=kept, seconds=60.0) if name != "words" else None
            nearness = RecordedNearness(model, most=options.sentences) if model else None
            seen.append(ask(question, corpus.only(corpus.id_of(question["doc"])), nearness))
        print(describe(name, seen), f" n {len(questions)}", flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of questions.jsonl and documents/")
    parser.add_argument("--documents", help="folder of the documents, if not documents/ in --data")
    parser.add_argument("--set", help="only the questions of this set")
    parser.add_argument("--every", type=int, default=1, help="only every N-th question")
    parser.add_argument("--sentences", type=int, default=MOST_TEXTS, help="sentences read for a question")
    parser.add_argument("--cache", default="var/benchmarks", help="folder of the documents compiled before")
    return parser.parse_args()


if __name__ == "__main__":
    main()
