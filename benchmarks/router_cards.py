"""Cards and known-item queries for the router's benchmark: made up, or read from files."""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vectorless_web.engine.documents.card import Card, SectionLine
from vectorless_web.engine.finding.routing import card_row
from vectorless_web.engine.index.word_blocks import PARTS, encode_words
from vectorless_web.engine.parsing.cards.fields import typed_fields
from vectorless_web.engine.text.analyser import analyse

KINDS = ("Annual Report", "Quarterly Report", "Sustainability Report", "User Manual", "Lease Agreement", "White Paper")
FIELDS = (
    ("energy", "turbine grid solar hydrogen storage pipeline reactor emission"),
    ("health", "trial vaccine dosage implant diagnosis antibody clinic screening"),
    ("finance", "credit deposit liquidity hedge loan dividend leverage collateral"),
    ("transport", "cargo fleet rail vessel route customs freight engine"),
    ("software", "compiler kernel encryption schema latency container network cache"),
    ("farming", "irrigation harvest fertiliser orchard livestock silo pesticide seed"),
    ("law", "tenant clause indemnity arbitration covenant licence warranty breach"),
    ("building", "concrete facade insulation beam foundation crane permit drainage"),
)
_MADE_UP = re.compile("(?:[bdfklmnprstvz][aeo]){4}")
"""Details that few cards share, so that a query means one card."""
SYLLABLES = tuple(first + second for first in "bdfklmnprstvz" for second in "aeo")


@dataclass(frozen=True, slots=True)
class BenchCard:
    """A card as the benchmark holds it: `sections` are titles."""

    id: str
    title: str
    topic_tags: tuple[str, ...]
    question_hints: tuple[str, ...]
    overview: str
    sections: tuple[str, ...]
    body: str

    @property
    def text(self) -> str:
        """All of it, for peers that search one text."""
        return "\n".join((self.title, *self.topic_tags, *self.question_hints, self.overview, *self.sections, self.body))

    def row(self, doc_id: int) -> bytes:
        """The card as the router stores it."""
        return card_row(doc_id, self.card())

    def words(self) -> bytes:
        """The words of the document as the router stores them, `body` being its text, in parts of ten words."""
        spread: dict[str, tuple[int, int]] = {}
        parts = ["\n".join((self.title, *self.sections)), self.overview, *_split_body(self.body)]
        for number, text in enumerate(parts):
            for term in analyse(text):
                count, held = spread.get(term, (0, 0))
                spread[term] = (count + 1, held | 1 << number % PARTS)
        return encode_words(spread)

    def card(self) -> Card:
        """The card as a compiled document has it, typed fields read from title and overview."""
        return Card(
            title=self.title,
            overview=self.overview,
            topic_tags=self.topic_tags,
            question_hints=self.question_hints,
            sections=tuple(SectionLine(key, title, "", 0, 0) for key, title in enumerate(self.sections)),
            fields=typed_fields(name="", title=self.title, texts=[self.overview]),
            topics={term: ((0, 1.0),) for term in analyse("\n".join(self.sections))},
        )


def _split_body(body: str) -> list[str]:
    written = body.split()
    return [" ".join(written[start : start + 10]) for start in range(0, len(written), 10)]


@dataclass(frozen=True, slots=True)
class Known:
    """A query and the one card it was made from."""

    query: str
    id: str


def made_up(count: int) -> Iterator[BenchCard]:
    """`count` varied cards, the same every time."""
    chance = random.Random(11)
    rare = [_word(chance, 4) for _ in range(40_000)]
    for number in range(count):
        yield _made_up(number, chance, rare)


def _word(chance: random.Random, syllables: int) -> str:
    return "".join(chance.choice(SYLLABLES) for _ in range(syllables))


def _made_up(number: int, chance: random.Random, rare: Sequence[str]) -> BenchCard:
    field, words = chance.choice(FIELDS)
    known = words.split()
    name = f"{_word(chance, 3).capitalize()} {chance.choice(('Works', 'Group', 'Partners', 'Systems', 'Institute'))}"
    kind, year = chance.choice(KINDS), chance.randrange(2005, 2026)
    own = [chance.choice(rare) for _ in range(30)]
    tags = [*chance.sample(known, 3), field, own[0]]
    sections = [f"{a.capitalize()} and {b}" for a, b in zip(chance.sample(known, 4), own[1:5], strict=True)]
    body = [*own, *chance.choices(known, k=30), *(chance.choice(rare) for _ in range(20)), name, str(year)]
    chance.shuffle(body)
    return BenchCard(
        id=str(number + 1),
        title=f"{name} {kind} {year}",
        topic_tags=tuple(tags),
        question_hints=(f"How does {name} handle {tags[0]}?", f"What was the {tags[1]} of {own[5]} in {year}?"),
        overview=f"The {kind.lower()} of {name} for {year} deals with {', '.join(tags)} and {own[6]}.",
        sections=tuple(sections),
        body=" ".join(body),
    )


def made_up_queries(cards: Sequence[BenchCard], count: int) -> list[Known]:
    """Questions for cards picked at random: by name and year, by topic and detail, by details alone."""
    chance = random.Random(5)
    return [_asked(chance.choice(cards), chance) for _ in range(count)]


def _asked(card: BenchCard, chance: random.Random) -> Known:
    name, year = " ".join(card.title.split()[:2]), card.title.split()[-1]
    one, other = chance.sample([word for word in card.body.split() if _MADE_UP.fullmatch(word)], 2)
    forms = (
        f"What does {name} say about {card.topic_tags[0]} in {year}?",
        f"{card.topic_tags[0]} and {card.topic_tags[1]} with {one} of {name.split()[0]}",
        f"Which report of {year} mentions {one} and {other}?",
        f"{card.sections[0]} in {card.topic_tags[3]}, {one}",
    )
    return Known(chance.choice(forms), card.id)


def read_cards(path: Path) -> list[BenchCard]:
    """Cards from JSON lines {id, title, topic_tags, question_hints, overview, sections, body}."""
    with path.open(encoding="utf-8") as file:
        return [_from_json(json.loads(line)) for line in file if line.strip()]


def _from_json(data: Mapping[str, Any]) -> BenchCard:
    return BenchCard(
        id=str(data["id"]),
        title=str(data.get("title") or ""),
        topic_tags=_texts(data.get("topic_tags")),
        question_hints=_texts(data.get("question_hints")),
        overview=" ".join(_texts(data.get("overview"))),
        sections=_texts(data.get("sections")),
        body=" ".join(_texts(data.get("body"))),
    )


def _texts(value: Any) -> tuple[str, ...]:
    """Strings from a string, a list of strings, or a list of objects with titles."""
    if not value:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping):
        return tuple(text for part in value.values() for text in _texts(part))
    if isinstance(value, Sequence):
        return tuple(" ".join(_texts(part)) for part in value)
    return (str(value),)


def read_queries(path: Path) -> list[Known]:
    """Queries from JSON lines {query, id}."""
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return [Known(str(row["query"]), str(row["id"])) for row in rows]
