"""How well the typed fields of cards agree with the names, periods, dates and kinds of a question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from vectorless_web.engine.finding.routing.card_keys import (
    DATE,
    ENTITY,
    FORM,
    PREFIX,
    QUARTER,
    YEAR,
    fold_words,
    glue_words,
)
from vectorless_web.engine.finding.routing.editions import Edition
from vectorless_web.engine.finding.routing.lexical import key_idf, look_up_values, scale_idf
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import MAX_COUNT, Array, key_hash, term_hash
from vectorless_web.engine.questions.editions import (
    Recency,
    ReportingSpan,
    WantedEdition,
    edition_words,
    family_of,
    read_wanted_edition,
)
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import STOP_WORDS, analyse
from vectorless_web.engine.text.dates import dates_in

_LONGEST = 6
"""Words of the question that are glued together to a name, at most: names of filings seldom have more."""
_UNCAPITALISED = 0.3
"""What a word in small letters counts as a name, as a share: it is rarely meant as one."""
_FULL_NAME = 26
"""Strength of a key (of MAX_COUNT, 31) from which it is a whole name, not a guess such as the first word of one: that
of a later name on a card (0.85 x 31). At 31 names of other companies mentioned on cards are passed over."""
_PREFIX_CERTAINTY = 0.5
"""What a name known by its beginning alone counts, as a share of the whole name."""
_MOST_EXPLAINING, _MOST_SUBJECTS = 200, 3
"""Documents with a nickname, at most, that may explain it (more share it by chance), and subjects it may mean."""
_CONFIDENT_SHARE = 0.9
"""Share of the strongest agreement from which a document counts as explaining a nickname."""
_HEAD_PARTS = np.uint64(0b111)
"""The first three of a document's 64 parts: title and first paragraphs of a page, the first pages of a long report.
Who is named there has issued the document or is its party; further on others are mentioned."""
_MOST_SAYING = 2000
"""Documents that say a name, at most, for their texts to be asked who is named in them: bounds the time."""
_IN_HEAD = 0.6
"""How sure a name is that stands at the beginning of the text and not on the card, in [0, 1]: more than a guess, and
never enough to commit to."""
_IN_TEXT_CERTAINTY = 0.5
"""What a name that no card bears counts, as a share of one that a card bears."""
_WEIGHTS = {"name": 3.0, "year": 2.0, "date": 2.0, "form": 1.5, "span": 1.0}
"""Weights of the parts in the geometric mean of a card. Measured: half or twice the weight of name, year or span
changes the first document for at most one question; date and form for none."""
_FISCAL = 1.5
"""A year called fiscal asks for the report on that year more than a bare one does: the span weighs so many times as
much. Measured: at 3.0 62 documents come first instead of 63."""
_DECISIVE = 5.0
"""Sum of the weights of the parts from which the typed fields count in full, that of a name and a year; less says less.
Measured: at 10 61 documents come first instead of 63, 2.5 changes no first document."""
_NEAR_YEARS = {0: 1.0, 1: 0.3, 2: 0.15, 3: 0.08, -1: 0.15}
"""Agreement by years from the one asked for to the report's own: a report also covers the years before its own; the
year before may look ahead. Measured among 49 filings and 260 made-up ones of other years, quarters and issuers with the
same words: at twice these shares 57 and 57 of 65 documents come first instead of 59 and 58, at half 59 and 58."""
_STILL_HELD = 0.85
"""Agreement of years of a policy, contract or list that was made before the day asked for: it may still have held. A
report tells of its own period only. Little less than a document of that very year."""
_OTHER_SPAN, _YEAR_FOR_QUARTER = 0.35, 0.4
"""Agreement of the stretch of time: another one than asked for, and a report on the year when a quarter is asked for.
Measured: twice the first gives 61 first documents instead of 63."""
_LARGEST_POOL = 2000
"""Documents with one name, at most, that are all looked at: a commoner name tells none apart."""
_SAID_YEAR = 0.9
"""Least agreement of years from which a reason may say that the document covers the year."""
_LEARNT = 0.96
"""How sure a nickname is that only another document about the same subject explains. Measured: at 0.5 50 questions
commit instead of 53."""
_FLOOR = 0.05
"""What a part that disagrees is worth in the geometric mean: not nothing, since fields may have been read wrongly."""


def iso_date(text: str) -> str:
    """ "August 30, 2023", "30 Aug 2023" or "2023-08-30" as "2023-08-30"; "" when it is no full date."""
    day = next((mention.readings[0] for mention in dates_in(text)), None)
    return f"{day.year}-{day.month:02}-{day.day:02}" if day and day.year and day.day else ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the question (`text`, characters `start` to `end`) that some cards bear.

    `weight` in (0, 1] grows with the rarity of the name. `hashes` are the key it matches, then the subjects of the
    cards that have this key: a nickname that one document of a company explains holds for the company's other
    documents; none where only texts say the name. `strongest` is the greatest strength of the first key on any card,
    1 to 31.
    """

    text: str
    start: int
    end: int
    hashes: tuple[int, ...]
    weight: float
    strongest: int


_KNOWN = ("lexicon", "statement")
"""Roles of words that the lexicon knows."""


def mentions_in(plan: QueryPlan, snapshot: Snapshot) -> list[Mention]:
    """Mentions in reading order, none overlapping: the longest first, then the most telling.

    Words of a known concept are no name, unless the plan took them for one. Only names the plan found may match by
    their beginning ("Tarvi" for TarviCo).
    """
    taken = [(token.start, token.start + len(token.text)) for token in plan.tokens if token.role in _KNOWN]
    found = [m for m in _find_exact_mentions(plan, snapshot) if _is_meant(m, plan.entities, taken)]
    for name in plan.entities:
        starts = [token.start for token in plan.tokens if plan.written(token.start, token.start + len(name)) == name]
        for start in starts[:1]:
            found += _find_by_beginning(name, start, snapshot)
            found += _find_in_texts(name, start, snapshot)
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda m: (m.start - m.end, -m.weight, m.start)):
        if all(mention.end <= other.start or mention.start >= other.end for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def _is_meant(mention: Mention, names: Sequence[str], taken: Sequence[tuple[int, int]]) -> bool:
    if any(mention.text.startswith(name) or name.startswith(mention.text) for name in names):
        return True
    if any(start < mention.end and mention.start < end for start, end in taken):
        return False
    return any(character.isupper() for character in mention.text) or mention.strongest >= _FULL_NAME


def _find_exact_mentions(plan: QueryPlan, snapshot: Snapshot) -> Iterator[Mention]:
    """Mentions by a whole key. All runs of words are looked up at once: most are no name."""
    runs = list(_list_word_runs(plan))
    hashes = [key_hash(ENTITY, key) for _, _, key in runs]
    for at in np.flatnonzero(snapshot.knows(hashes)).tolist():
        (start, end, _), hashed = runs[at], hashes[at]
        rarity = key_idf(snapshot, hashed)
        if rarity > 0:
            text, strongest = plan.written(start, end), int(snapshot.key_postings(hashed).counts.max())
            shape = 1.0 if any(character.isupper() for character in text) else _UNCAPITALISED
            subjects = _list_subjects(hashed, strongest, snapshot)
            yield Mention(text, start, end, (hashed, *subjects), rarity * shape * strongest / MAX_COUNT, strongest)


def _list_word_runs(plan: QueryPlan) -> Iterator[tuple[int, int, str]]:
    """(start, end, glued key) of each run of words that could be a name."""
    written = {token.start: token.text for token in plan.tokens}
    tokens = [(start, start + len(text), fold_words(text)) for start, text in written.items()]
    for first, (start, _, folded) in enumerate(tokens):
        if not folded or folded[0] in STOP_WORDS:
            continue
        key = ""
        for _, end, more in tokens[first : first + _LONGEST]:
            key += glue_words(more)
            if more and more[-1] not in STOP_WORDS and len(key) > 1 and not key.isdigit():
                yield start, end, key


def _list_subjects(hashed: int, strongest: int, snapshot: Snapshot) -> list[int]:
    """Subjects of the documents that surely bear a name; none for a name that very many bear."""
    postings = snapshot.key_postings(hashed)
    if len(postings.rows) > _MOST_EXPLAINING:
        return []
    confident = postings.rows[postings.counts >= _CONFIDENT_SHARE * strongest]
    return sorted({subject for subject in snapshot.subjects(confident) if subject not in (0, hashed)})[:_MOST_SUBJECTS]


def _find_by_beginning(name: str, start: int, snapshot: Snapshot) -> Iterator[Mention]:
    key = glue_words(fold_words(name))
    hashed = key_hash(PREFIX, key)
    if key and not snapshot.key_frequency(key_hash(ENTITY, key)) and (rarity := key_idf(snapshot, hashed)) > 0:
        yield Mention(name, start, start + len(name), (hashed,), rarity * _PREFIX_CERTAINTY, MAX_COUNT)


def _find_in_texts(name: str, start: int, snapshot: Snapshot) -> Iterator[Mention]:
    """A name that no card bears and some documents say at their beginning: an issuer may stand in the text alone."""
    rarity = scale_idf(snapshot, len(find_named_in_text(name, snapshot)))
    if rarity:
        yield Mention(name, start, start + len(name), (), rarity * _IN_TEXT_CERTAINTY, MAX_COUNT)


def find_named_in_text(name: str, snapshot: Snapshot) -> Array:
    """Rows of the documents whose text says all words of a name together at its beginning, ascending."""
    hashes = [term_hash(term) for term in dict.fromkeys(analyse(name))]
    snapshot.prepare(hashes)
    found = [snapshot.text_postings(hashed) for hashed in sorted(hashes, key=snapshot.entries)]
    said = [postings for postings in found if postings is not None]
    if not said or len(said) < len(found) or min(map(snapshot.entries, hashes)) > _MOST_SAYING:
        return np.empty(0, np.int64)
    rows, together = said[0].rows, said[0].parts & _HEAD_PARTS
    for postings in said[1:]:
        together = together & look_up_values(postings.rows, postings.parts, rows)
    return rows[together > 0]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the question names. `year` is the latest year asked for, or that of the quarter asked for; it `is_fiscal`
    when it is written with more than its digits ("FY2022")."""

    mentions: tuple[Mention, ...] = ()
    year: int | None = None
    quarter: int | None = None
    dates: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    is_fiscal: bool = False
    edition: WantedEdition | None = None


def read_wanted_fields(plan: QueryPlan, snapshot: Snapshot) -> Wanted:
    """The typed fields of a question, its names matched against those of the corpus."""
    quarters = [period for period in plan.periods if period.quarter]
    latest = max(quarters, key=lambda period: (period.year, period.quarter or 0), default=None)
    dates = [iso_date(period.text) for period in plan.periods if period.kind == "date"]
    edition = read_wanted_edition(plan)
    families = dict.fromkeys(family_of(form) for form in plan.forms)
    if not families and edition is not None and edition.family and not plan.periods:
        families = dict.fromkeys([edition.family])
    return Wanted(
        mentions=tuple(mentions_in(plan, snapshot)),
        year=latest.year if latest else max((period.year for period in plan.periods), default=None),
        quarter=latest.quarter if latest else None,
        dates=tuple(date for date in dates if date),
        families=tuple(families),
        is_fiscal=any(period.kind == "year" and not period.text.isdigit() for period in plan.periods),
        edition=edition,
    )


@dataclass(slots=True)
class FieldScorer:
    """Agreement of cards with `wanted`, each part in [0, 1]; a part no card can satisfy is left out."""

    snapshot: Snapshot
    wanted: Wanted
    _held: dict[tuple[str, str], tuple[Array, Array]] = field(default_factory=dict)
    _said: dict[str, Array] = field(default_factory=dict)

    def named_rows(self) -> Array:
        """Rows of all documents that bear a name the question mentions, on their cards or at the beginning of their
        texts, ascending; very common names are passed over."""
        found = [self.snapshot.key_postings(hashed).rows for m in self.wanted.mentions for hashed in m.hashes]
        found += [self._in_text(mention) for mention in self.wanted.mentions]
        return np.unique(
            np.concatenate([np.empty(0, np.int64), *(rows for rows in found if len(rows) <= _LARGEST_POOL)])
        )

    def agree_on_names(self, rows: Array) -> Array:
        """How well these rows bear the names and the kinds of document that are asked for, shape (2, rows); 1 for a
        part that is not asked for."""
        agreed, ones = self.parts(rows), np.ones(len(rows))
        return np.stack([agreed.get(part, ones) for part in ("name", "form")])

    def parts(self, rows: Array) -> dict[str, Array]:
        """Agreement of each part with these rows (ascending), by the part's name; only parts that are asked for."""
        wanted = self.wanted
        asked = {
            "name": self._names(rows) if wanted.mentions else None,
            "year": self._years(wanted.year, rows) if wanted.year is not None else None,
            "date": self._best(DATE, wanted.dates, rows) if wanted.dates else None,
            "form": self._best(FORM, wanted.families, rows) if wanted.families else None,
            # A year tells reports of one name apart by the stretch of time that they report on.
            "span": self._spans(rows) if wanted.year is not None and wanted.mentions else None,
        }
        return {name: values for name, values in asked.items() if values is not None and values.any()}

    def scores(self, parts: dict[str, Array], size: int) -> Array | None:
        """The weighted geometric mean of the parts, shape (size,); None when nothing is asked for.

        Geometric, because a card must agree in all: the right company in the wrong year is the wrong document.
        """
        if not parts:
            return None
        weights = self._weights(parts)
        logs = sum((weights[n] * np.log(np.maximum(values, _FLOOR)) for n, values in parts.items()), np.zeros(size))
        mean: Array = np.exp(logs / sum(weights.values()))
        return np.where(np.any(list(parts.values()), axis=0), mean, 0.0)

    def _weights(self, parts: Iterable[str]) -> dict[str, float]:
        weights = {name: _WEIGHTS[name] for name in parts}
        if "name" in weights:
            weights["name"] *= min(1.0, 2 * max(mention.weight for mention in self.wanted.mentions))
        if "span" in weights and self.wanted.is_fiscal:
            weights["span"] *= _FISCAL
        return weights

    def say(self, parts: Iterable[str]) -> float:
        """Share of the full weight that the typed fields get, in [0, 1]: a year alone tells few cards apart."""
        return min(1.0, sum(self._weights(parts).values()) / _DECISIVE)

    def strength(self, kind: str, value: str, rows: Array) -> Array:
        """How surely each row has the key, in [0, 1]."""
        if (kind, value) not in self._held:
            postings = self.snapshot.key_postings(key_hash(kind, value))
            self._held[kind, value] = (postings.rows, postings.counts / MAX_COUNT)
        return look_up_values(*self._held[kind, value], rows)

    def _best(self, kind: str, values: Sequence[str], rows: Array) -> Array:
        found: Array = np.max([self.strength(kind, value, rows) for value in values], axis=0, initial=0.0)
        return found

    def _names(self, rows: Array) -> Array:
        total = sum(mention.weight for mention in self.wanted.mentions)
        held = np.zeros(len(rows))
        for mention in self.wanted.mentions:
            held += mention.weight * self.score_name(mention, rows)
        return held / total

    def score_name(self, mention: Mention, rows: Array) -> Array:
        """How surely each row bears the name, in [0, 1]: 1 for the surest bearer there is."""
        surest: Array = _IN_HEAD * np.isin(rows, self._in_text(mention))
        if not mention.hashes:
            return surest
        first, *others = (self.snapshot.key_postings(hashed) for hashed in mention.hashes)
        surest = np.maximum(surest, look_up_values(first.rows, first.counts / mention.strongest, rows))
        for postings in others:
            learnt = look_up_values(postings.rows, _LEARNT * postings.counts / MAX_COUNT, rows)
            surest = np.maximum(surest, learnt)
        return surest

    def _in_text(self, mention: Mention) -> Array:
        if mention.text not in self._said:
            self._said[mention.text] = find_named_in_text(mention.text, self.snapshot)
        return self._said[mention.text]

    def list_borne_names(self, rows: Array) -> list[list[str]]:
        """For each of these rows (ascending): the names of the question it bears, as the question writes them."""
        held = [(mention.text, self.score_name(mention, rows) > 0) for mention in self.wanted.mentions]
        return [[text for text, bears in held if bears[place]] for place in range(len(rows))]

    def is_report(self, rows: Array) -> Array:
        """Whether each row is a kind of document that reports on a stretch of time."""
        reports = [family for span, found in edition_words().spans.items() if span for family in found]
        return self._best(FORM, reports, rows) > 0

    def _years(self, year: int, rows: Array) -> Array:
        fits = [decay * self.strength(YEAR, str(year + gap), rows) for gap, decay in _NEAR_YEARS.items()]
        best: Array = np.max(fits, axis=0)
        edition = self.wanted.edition
        if edition is not None and edition.recency is Recency.AS_OF:
            days = np.array([Edition.decode(int(number)).day for number in self.snapshot.editions(rows)])
            holds = (days > 0) & (days <= edition.last) & ~self.is_report(rows)
            best = np.where(holds, np.maximum(best, _STILL_HELD), best)
        return best

    def _spans(self, rows: Array) -> Array:
        """Whether the card reports on the stretch of time asked about: a year, or one quarter of it."""
        spans = edition_words().spans
        year, quarter, event = (
            self._best(FORM, spans[span], rows)
            for span in (ReportingSpan.YEAR, ReportingSpan.QUARTER, ReportingSpan.EVENT)
        )
        of_year = year >= np.maximum(quarter, event)
        known = np.max([year, quarter, event], axis=0) > 0
        quarters = [self.strength(QUARTER, f"Q{number}", rows) > 0 for number in (1, 2, 3, 4)]
        if self.wanted.quarter is not None:
            of_quarter = quarters[self.wanted.quarter - 1]
            return np.where(of_quarter, 1.0, np.where(known & of_year, _YEAR_FOR_QUARTER, 0.0))
        return np.where(np.where(known, of_year, ~np.any(quarters, axis=0)), 1.0, _OTHER_SPAN)


def list_named_fields(wanted: Wanted, agreed: Mapping[str, float], names: Sequence[str]) -> list[str]:
    """Phrases for a reason: the fields of the question a card agrees with; `names` are those the card bears."""
    said: list[str] = []
    if names:
        said.append("names " + _join_names([f"“{name}”" for name in dict.fromkeys(names)]))
    if wanted.year is not None and covers_year(agreed):
        quarter = f"Q{wanted.quarter} " if wanted.quarter and agreed.get("span") == 1 else ""
        said.append(f"covers {quarter}{wanted.year}")
    if agreed.get("date", 0) > 0:
        said.append(f"is dated {_join_names(wanted.dates)}")
    if agreed.get("form", 0) > 0:
        said.append(f"is of the kind {_join_names(wanted.families)}")
    return said


def covers_year(agreed: Mapping[str, float]) -> bool:
    """Whether a card is of the very year asked for, by the agreement of its parts."""
    return agreed.get("year", 0) >= _SAID_YEAR


def _join_names(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
