"""Makes questions from the text of pages, and ranks the pages for them beside flat BM25 in the same run.

    python benchmarks/page_text.py --pdfs DIR [--documents 20] [--questions 100] [--seed 1] [--out QUESTIONS.jsonl]
        [--without-packs] [--cache DIR] [--per-question OUT.jsonl]

Draws documents, and from each as many questions of every form as there is material for. A sentence or a table row is
taken when its words stand together on one page alone; the gold page is that page. It becomes a question by a template
and by edits that need no model: some content words are dropped, some replaced by a general synonym, parts change
places. Rows come from the pages' lines (a label before figures under a line of years), not from what the compiler made
of them. The same folder, numbers and seed give the same questions.

| form | what is taken | asked as |
|---|---|---|
| about | any sentence | What does the company say about ...? |
| whether | any sentence | Does the document state that ...? |
| why | the effect in a sentence with a cause (due to, because of, driven by) | Why ...? |
| when | a sentence with a date, without it | When ...? |
| meaning | a sentence with means, is defined as, refers to | What is meant by ...? |
| rule | a sentence with must, shall, may not, except, unless | What must be observed ...? |
| number | a sentence with an amount, without it | How much or how many ...? |
| row | a table row | How much was ... in ...? |
"""

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import FolderCorpus
from benchmarks.page_ranking import Task, add_ranking_options, lexicon_of, measure, report, save
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.passages.sentences import cut_text
from vectorless_web.engine.text.analyser import STOP_WORDS, analyse

SYNONYMS = {
    word: tuple(others.split("/"))
    for word, others in (
        line.split(" ", 1)
        for line in """increase rise/growth
increased rose/grew/went up
decrease decline/drop
decreased fell/declined/dropped
revenue income/turnover
revenues sales/income
expenses costs/spending
expense cost/charge
employees staff/workers/people
customers clients/buyers
purchase buy/acquisition
purchased bought/acquired
acquired bought/took over
acquisition purchase/takeover
sold disposed of/divested
agreement contract/deal
obligations duties/commitments
approximately about/around/roughly
primarily mainly/mostly
principal main/chief
significant important/major/large
business company/operations
products goods/items
facilities sites/plants
facility site/plant
regulations rules/laws
regulatory legal
lawsuit case/legal action
litigation lawsuits/court cases
proceedings cases
determine decide/establish
require need/call for
required needed/obliged
requires needs/demands
provide give/offer
provided given/offered
provides gives/offers
estimated expected/assessed
estimates judgements/assessments
assets property/holdings
debt borrowings/loans
payment sum paid/remittance
payments sums paid
dividend distribution/payout
dividends distributions/payouts
shares stock
shareholders investors/owners
stockholders investors/owners
method approach/way
changes shifts/movements
impact effect/influence
risk danger/exposure
risks dangers/exposures
benefits advantages/gains
commenced began/started
begin start
completed finished/closed
located situated/based
manufacture make/produce
manufacturing production/making
retirement pension
compensation pay/remuneration
quarter three months
annual yearly
market marketplace
competition rivalry/competitors
suppliers vendors
supply provision/delivery
failure inability/breakdown
ability capacity/power
additional further/extra
prior earlier/previous
certain some/particular
subject exposed
recognized recorded/booked
recorded booked/entered
measured valued/assessed
period time/term
executive senior manager
officers managers
directors board members
""".strip().splitlines()
    )
}
"""General words and what people say instead; replaced by chance, so that no question hangs on one of them."""

DROPPED, REPLACED, MOVED = 0.3, 0.5, 0.3
"""Shares by chance: of content words dropped, of words with a synonym replaced, of questions whose parts change
places. Set so that flat BM25 has the page first for about two of three questions."""
SHORTEST, LONGEST = 8, 45
"""Words of a sentence that is taken."""
FEWEST, MOST = 4, 8
"""Content words of a sentence that a question is made of, a stretch of it before words are dropped: fewer say too
little, a person asks with no more."""
APART = 0.8
"""Share of a sentence's rarer terms; a sentence is no source when another page holds more: it may answer as well."""

_WORD = re.compile(r"[A-Za-z][A-Za-z'’&-]*[A-Za-z]|\d[\d,.]*\d|\d")
_CAUSE = re.compile(
    r",?\s*\b(?:primarily |mainly |largely |mostly |partially |principally )?(?:due (?:primarily |mainly |in part )?to"
    r"|because(?: of)?|driven (?:primarily |mainly )?by|as a result of|resulting from|attributable (?:primarily )?to"
    r"|reflecting)\b"
)
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    rf",?\s*\b(?:on|in|by|until|as of|at|effective|since|through|during)\s+(?:{_MONTH} )(?:\d+, )?\d{{4}}"
)
_MEANS = re.compile(r"\b(?:means|is defined as|are defined as|refers? to|is the term)\b")
_RULE = re.compile(r"\b(?:must|shall|may not|are required to|is required to|except|unless|prohibit\w*)\b")
_AMOUNT = re.compile(r"\$\s?\d[\d,.]*(?:\s(?:million|billion|thousand))?|\b\d[\d,.]*\s?(?:%|percent|million|billion)")
_ROW = re.compile(r"^\s*([A-Za-z][^\d$%(]{5,90})([\d$%().,\s—–-]+)$")
_YEARS = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Source:
    """What a question is made of: a page (from 0), the words that it may say, and for a row its column."""

    page: int
    words: str
    column: str = ""


class Pages:
    """The text of a document's pages, and on which of them terms stand."""

    def __init__(self, document: CompiledDocument) -> None:
        self.texts = [document.page_text(page) for page in range(len(document.pages))]
        self.terms = [frozenset(analyse(text)) for text in self.texts]
        self._counts = Counter(term for terms in self.terms for term in terms)

    def draw(self, find: "Callable[[Pages], Iterator[Source]]", rng: random.Random) -> Iterator[Source]:
        """The sources found whose words stand on one page alone, in random order."""
        found = list(find(self))
        rng.shuffle(found)
        often = Counter(source.words for source in found)
        return (source for source in found if self._is_source(source, is_single=often[source.words] == 1))

    def _is_source(self, source: Source, *, is_single: bool) -> bool:
        """A row whose label no other row has; a sentence of whose rarer terms no other page holds as many."""
        return is_single and (bool(source.column) or self._is_apart(source.page, source.words))

    def _is_apart(self, page: int, text: str) -> bool:
        wanted = {term for term in analyse(text) if self._counts[term] < len(self.terms) / 2}
        if len(wanted) < FEWEST - 1 or not wanted <= self.terms[page]:
            return False
        others = (len(wanted & terms) / len(wanted) for other, terms in enumerate(self.terms) if other != page)
        return max(others, default=0.0) <= APART

    def sentences(self) -> Iterator[tuple[int, str]]:
        """Whole sentences with their pages."""
        for page, text in enumerate(self.texts):
            for piece in cut_text(re.sub(r"(?<!\n)\s*\r?\n(?!\s*\n)", " ", text)):
                sentence = " ".join(piece.text.split())
                words = _WORD.findall(sentence)
                is_prose = sentence[:1].isupper() and sentence[-1:] == "." and len(_AMOUNT.findall(sentence)) < 4
                if is_prose and SHORTEST <= len(words) <= LONGEST:
                    yield page, sentence

    def rows(self) -> Iterator[Source]:
        """Rows of figures under a line of years, one source each, for one of its columns."""
        for page, text in enumerate(self.texts):
            years: list[str] = []
            for line in text.splitlines():
                found = _YEARS.findall(line)
                if len(found) > 1 and len(_WORD.findall(line)) < 16:
                    years = found
                row = _ROW.match(line)
                if row and years and len(re.findall(r"\d[\d,.]*", row[2])) == len(years):
                    yield Source(page, row[1].strip(" .,-—"), years[-1] if len(line) % 2 else years[0])


def prose_sources(pages: Pages, take: Callable[[str], str]) -> Iterator[Source]:
    """The part of each sentence that `take` gives ("" for none)."""
    for page, sentence in pages.sentences():
        taken = take(sentence)
        if len(_content(taken)) >= FEWEST:
            yield Source(page, taken)


def _effect(sentence: str) -> str:
    cause = _CAUSE.search(sentence)
    return sentence[: cause.start()] if cause and cause.start() > 30 else ""


def _undated(sentence: str) -> str:
    return _DATE.sub("", sentence) if _DATE.search(sentence) else ""


def _defined(sentence: str) -> str:
    means = _MEANS.search(sentence)
    return sentence if means and means.start() < 90 else ""


def _ruled(sentence: str) -> str:
    return sentence if _RULE.search(sentence) else ""


def _uncounted(sentence: str) -> str:
    return _AMOUNT.sub("", sentence) if len(_AMOUNT.findall(sentence)) == 1 else ""


def _content(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.lower() not in STOP_WORDS]


def edit(text: str, rng: random.Random) -> str:
    """The words of a text as another person might say them: fewer, some replaced, parts in another order."""
    words = _stretch(_WORD.findall(text), rng)
    content = [place for place, word in enumerate(words) if word.lower() not in STOP_WORDS]
    dropped = set(rng.sample(content, min(round(DROPPED * len(content)), len(content) - FEWEST + 1)))
    kept = [_reword(word, rng) for place, word in enumerate(words) if place not in dropped]
    kept = [word for word, following in zip(kept, [*kept[1:], ""], strict=True) if word or following]
    if rng.random() < MOVED and len(kept) > 6:
        cut = rng.randrange(len(kept) // 3, 2 * len(kept) // 3)
        kept = [*kept[cut:], *kept[:cut]]
    phrase = " ".join(kept)
    return phrase[:1].lower() + phrase[1:] if phrase[1:2].islower() else phrase


def _stretch(words: Sequence[str], rng: random.Random) -> list[str]:
    """Words in a row, from one content word to another, that hold as many content words as a question has."""
    content = [place for place, word in enumerate(words) if word.lower() not in STOP_WORDS]
    taken = min(len(content), rng.randint(FEWEST + 1, MOST))
    first = rng.randint(0, len(content) - taken)
    return list(words[content[first] : content[first + taken - 1] + 1])


def _reword(word: str, rng: random.Random) -> str:
    others = SYNONYMS.get(word.lower())
    return rng.choice(others) if others and rng.random() < REPLACED else word


FORMS: dict[str, tuple[Callable[[Pages], Iterator[Source]], tuple[str, ...]]] = {
    "about": (
        lambda pages: prose_sources(pages, lambda sentence: sentence),
        ("What does the company say about {}?", "What is said about {}?", "Tell me about {}."),
    ),
    "row": (Pages.rows, ("How much was {} in {column}?", "What was {} for {column}?", "{} {column}?")),
    "why": (
        lambda pages: prose_sources(pages, _effect),
        ("Why {}?", "What was the reason that {}?", "What caused {}?"),
    ),
    "when": (lambda pages: prose_sources(pages, _undated), ("When {}?", "On what date {}?", "Since when {}?")),
    "number": (
        lambda pages: prose_sources(pages, _uncounted),
        ("How much {}?", "What amount {}?", "How many or how much {}?"),
    ),
    "rule": (
        lambda pages: prose_sources(pages, _ruled),
        ("What must be observed about {}?", "Which rule applies to {}?", "Under what conditions {}?"),
    ),
    "meaning": (
        lambda pages: prose_sources(pages, _defined),
        ("What is meant by {}?", "How does the document define {}?"),
    ),
    "whether": (
        lambda pages: prose_sources(pages, lambda sentence: sentence),
        ("Does the document state that {}?", "Is it true that {}?"),
    ),
}


def make_questions(corpus: FolderCorpus, names: Sequence[str], count: int, seed: int) -> list[Task]:
    """`count` questions over the named documents: the documents and the forms by turns."""
    rng = random.Random(seed)
    drawn: dict[tuple[str, str], Iterator[Source]] = {}
    for name in names:
        pages = Pages(corpus.open(corpus.id_of(name)))
        drawn.update({(name, form): pages.draw(find, rng) for form, (find, _) in FORMS.items()})
    tasks: list[Task] = []
    turns = [(name, form) for start in range(len(FORMS)) for name, form in _turn(names, start)]
    place = 0
    while len(tasks) < count and drawn:
        turn = turns[place % len(turns)]
        place += 1
        source = next(drawn[turn], None) if turn in drawn else None
        if source is None:
            drawn.pop(turn, None)
            continue
        template = rng.choice(FORMS[turn[1]][1])
        words = source.words if turn[1] == "row" else edit(source.words, rng)
        question = template.format(words, column=source.column)
        tasks.append(Task(question[:1].upper() + question[1:], turn[0], frozenset({source.page}), turn[1]))
    return tasks


def _turn(names: Sequence[str], start: int) -> list[tuple[str, str]]:
    forms = list(FORMS)
    return [(name, forms[(number + start) % len(forms)]) for number, name in enumerate(names)]


def main() -> None:
    """Draw documents, make questions, rank, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="", help="file for the questions")
    add_ranking_options(parser)
    options = parser.parse_args()
    stems = sorted(path.stem for path in Path(options.pdfs).glob("*.pdf"))
    names = sorted(random.Random(options.seed).sample(stems, min(options.documents, len(stems))))
    corpus = FolderCorpus(Path(options.pdfs), cache=Path(options.cache), names=names)
    tasks = make_questions(corpus, names, options.questions, options.seed)
    if options.out:
        rows = [{"question": t.question, "doc": t.doc, "gold_pages": sorted(t.gold), "form": t.group} for t in tasks]
        Path(options.out).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = measure(tasks, corpus, lexicon_of(options))
    report(found, f"page text, seed {options.seed}")
    if options.per_question:
        save(found, Path(options.per_question))


if __name__ == "__main__":
    main()
