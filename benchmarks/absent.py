"""Does the offline reasoner abstain when the answer is not there, and answer when it is?

Absent: questions about one company asked of another company's filing. They come from
`--questions` (JSON lines with `question`, `doc_name`, `company`) or, without it, from
rows of the one filing. Present: rows and sentences drawn at random from a filing, turned
into questions by fixed patterns; right when a cited page holds the row or sentence.

    python benchmarks/absent.py --pdfs FOLDER [--questions FILE] [--cache FOLDER] [--absent 60] [--present 60]
"""

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from vectorless_web.engine.agent.orchestrator import Orchestrator

from vectorless_web.engine.agent.events import CompleteEvent, Outcome
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.local_corpus import LocalCorpus
from vectorless_web.engine.answers.claims import ClaimEvent, Support
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.passages.extraction import pieces_of
from vectorless_web.engine.tables.view import tables_of

ROW_PATTERNS = ("What was {label} in {year}?", "How much was {label} in {year}?", "What were {label} for FY{year}?")
SENTENCE_PATTERNS = (
    "What does the document say about {topic}?",
    "What is stated about {topic}?",
    "Tell me about {topic}.",
)
_WORD = re.compile(r"[A-Za-z][A-Za-z’'-]+")


@dataclass(frozen=True)
class Case:
    """A question put to one filing; `words` must stand on a cited page for a present one, "" for an absent one."""

    pdf: Path
    question: str
    words: str = ""


def main() -> None:
    """Run both halves and print one line each."""
    options = arguments()
    chance = random.Random(options.seed)
    pdfs = sorted(Path(options.pdfs).glob("*.pdf"))
    corpora = Corpora(Path(options.cache))
    absent = list(absent_cases(pdfs, options, chance, corpora))
    present = list(present_cases(pdfs, options.present, chance, corpora))
    for name, cases, rate in (("absent", absent, abstained), ("present", present, found)):
        started = time.perf_counter()
        outcomes = [(case, *ask(case, corpora)) for case in cases]
        seconds = time.perf_counter() - started
        good = sum(rate(case, claims, end, corpora) for case, claims, end in outcomes)
        print(f"{name}: {good}/{len(cases)} = {good / max(1, len(cases)):.3f} in {seconds:.1f} s")
        if options.show:
            for case, claims, end in outcomes:
                if not rate(case, claims, end, corpora):
                    print(f"   {case.pdf.stem} | {case.question}\n      -> {end.answer[:200] or end.reason!r}")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--questions")
    parser.add_argument("--cache", default="/tmp/vectorless-absent")
    parser.add_argument("--absent", type=int, default=60)
    parser.add_argument("--present", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the questions that went wrong")
    return parser.parse_args()


class Corpora:
    """One compiled corpus per filing, kept."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._made: dict[Path, LocalCorpus] = {}

    def __getitem__(self, pdf: Path) -> LocalCorpus:
        if pdf not in self._made:
            self._made[pdf] = LocalCorpus([pdf], cache=self._cache)
        return self._made[pdf]


def ask(case: Case, corpora: Corpora) -> tuple[list[ClaimEvent], CompleteEvent]:
    """The claims that hold and the end of one run."""
    events = list(Orchestrator().run(case.question, corpora[case.pdf], Limits()))
    held = [
        event
        for event in events
        if isinstance(event, ClaimEvent) and event.support in (Support.SUPPORTED, Support.DERIVED)
    ]
    end = events[-1]
    assert isinstance(end, CompleteEvent)
    return held, end


def abstained(case: Case, claims: Sequence[ClaimEvent], end: CompleteEvent, corpora: Corpora) -> bool:
    """Whether the run said that the answer is not there."""
    return end.outcome in (Outcome.PASSAGES, Outcome.NOT_FOUND)


def found(case: Case, claims: Sequence[ClaimEvent], end: CompleteEvent, corpora: Corpora) -> bool:
    """Whether a cited page holds the row or sentence asked about."""
    document = corpora[case.pdf].open("1")
    wanted = squeezed(case.words)
    pages = {citation.page_index for claim in claims for citation in claim.citations}
    return any(wanted in squeezed(text) for page in pages for text in page_texts(document, page))


def page_texts(document: CompiledDocument, page: int) -> Iterator[str]:
    """The texts of the nodes that stand on a page."""
    for key in document.on_page(page):
        yield document.tree.node(key).text


def squeezed(text: str) -> str:
    """Letters and digits only, lower case."""
    return re.sub(r"[\W_]+", "", text.lower())


def absent_cases(
    pdfs: Sequence[Path], options: argparse.Namespace, chance: random.Random, corpora: Corpora
) -> Iterator[Case]:
    """Questions about one company, each asked of a filing of another."""
    if options.questions:
        rows = [json.loads(line) for line in Path(options.questions).read_text().splitlines() if line.strip()]
        asked = [(row["question"], row["doc_name"].split("_")[0].lower()) for row in rows]
    else:
        asked = [named_question(pdf, chance, corpora) for pdf in pdfs]
    for question, owner in chance.sample(asked, min(options.absent, len(asked))):
        others = [pdf for pdf in pdfs if not pdf.stem.lower().startswith(owner)]
        yield Case(chance.choice(others), question)


def named_question(pdf: Path, chance: random.Random, corpora: Corpora) -> tuple[str, str]:
    """A question about a row of a filing that names its company, and the start of the file's name."""
    card = corpora[pdf].card("1")
    name = card.fields.entities[0].title() if card.fields.entities else pdf.stem.split("_")[0].title()
    label, year, _ = chance.choice(rows_of(pdf, corpora) or [("revenue", 2020, "")])
    return f"What was {label} of {name} in {year}?", pdf.stem.split("_")[0].lower()


def present_cases(pdfs: Sequence[Path], count: int, chance: random.Random, corpora: Corpora) -> Iterator[Case]:
    """Half rows, half sentences, each from a filing drawn at random."""
    for number in range(count):
        pdf = chance.choice(pdfs)
        made = row_case(pdf, chance, corpora) if number % 2 else None
        yield made or sentence_case(pdf, chance, corpora)


def row_case(pdf: Path, chance: random.Random, corpora: Corpora) -> Case | None:
    """A question about a row drawn at random."""
    rows = rows_of(pdf, corpora)
    if not rows:
        return None
    label, year, words = chance.choice(rows)
    return Case(pdf, chance.choice(ROW_PATTERNS).format(label=label, year=year), words)


def rows_of(pdf: Path, corpora: Corpora) -> list[tuple[str, int, str]]:
    """(label, year, words of the row) of every row with a telling label and a year above a number."""
    tree = corpora[pdf].open("1").tree
    found = []
    for view in tables_of(tree, tree.leaves()):
        years = [(i, period.year) for i, period in enumerate(view.periods) if period.year and not period.is_change]
        for row in view.table.body:
            if len(_WORD.findall(row.label)) < 2 or len(row.label) > 70:
                continue
            dated = [(i, year) for i, year in years if i < len(row.cells) and any(map(str.isdigit, row.cells[i].text))]
            if dated:
                found.append((row.label.strip(" :"), dated[0][1], row.label))
    return found


def sentence_case(pdf: Path, chance: random.Random, corpora: Corpora) -> Case:
    """A question about a sentence drawn at random: its first telling words are the topic."""
    tree = corpora[pdf].open("1").tree
    keys = [key for key in tree.leaves() if tree.kind(key) is NodeKind.PARAGRAPH]
    while True:
        pieces = [p.text for p in pieces_of(tree.node(chance.choice(keys))) if 10 <= len(_WORD.findall(p.text)) <= 40]
        if pieces:
            sentence = chance.choice(pieces)
            words = [word for word in _WORD.findall(sentence) if len(word) > 3]
            if len(words) >= 6:
                topic = " ".join(words[:6]).lower()
                return Case(pdf, chance.choice(SENTENCE_PATTERNS).format(topic=topic), sentence)


if __name__ == "__main__":
    main()
