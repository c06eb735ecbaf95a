"""Exact look-up: the one cell that accounts for every word that names the figure, where no other fits as well."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files

from vectorless_web.engine.questions.asked import words_around
from vectorless_web.engine.questions.plan import FigureNeed, Period
from vectorless_web.engine.tables.periods import OwnPeriod, agreement, read_header, years_in
from vectorless_web.engine.tables.relation import Axis, Entry, Relation, RelationLine, words_of
from vectorless_web.engine.tables.view import ColumnKind
from vectorless_web.engine.text.analyser import analyse

LEAST_FIT = 0.84
"""Fit from which a cell answers. Fitted on the TAT-QA questions of documents with odd numbers, so that .95 of what is
shown there is right."""

TIE = 0.012
"""Cells whose fits differ by less are equally good."""

LEAST_AGREEMENT = 0.9
"""Agreement of a cell's period with the one asked from which it is that period."""

_PRICES = {"label": 0.0, "axis": 0.0, "group": 0.05, "place": 0.06, "subject": 0.06, "near": 0.4}
"""What it costs, as a share of the words asked, that a word stands not in the label but there."""

_EXTRA = 0.5
"""How much a label's other words tell against it: with as many of them as words that match it keeps .75."""

_ASIDE = 0.25
"""What a word in brackets counts of another one: it says more of the figure that the words before it name."""
_IN_BRACKETS = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)")

_OTHER_NAME_OF_COLUMN = 0.8
"""What a cell keeps whose column has a name that nobody said, beside other columns of its year: too little."""

_UNASKED_PERCENT = 0.98
"""What a percentage keeps when none is asked for: enough to answer, too little beside the amount in the next column."""

_OTHER_SUM = 0.02
"""Taken for each of the summing words that only one of question and label says."""

_OTHER_NAME = 0.98
"""What a cell keeps that bears another name of the lexicon: a row called as the question calls it comes first."""

_OTHER_STATEMENT = 0.98
"""What a cell keeps outside the primary statement in which its figure usually is: enough to yield to that one."""

_OTHER_STATEMENT_OF_CONCEPT = 0.92
"""The same for an operand of a ratio, which the words of the question do not name."""

_OF_A_PART = 0.86
"""What a cell keeps in a table about a part of the whole for which nobody asked."""


@cache
def terms_listed(name: str) -> frozenset[str]:
    """Index terms of one of the lists of words.toml."""
    told = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
    return frozenset(term for word in told[name] for term in analyse(word))


@dataclass(frozen=True, slots=True)
class Target:
    """A figure to find: the terms that all have to be accounted for, further ones said, and the period.

    `phrases` are other names of the same figure by the lexicon, as terms, each with the terms asked that it stands for.
    `statement` is the primary statement it usually is in. The terms `named` must stand in row or column themselves,
    all of those of a concept (`is_concept`) in the row. `is_amount`: the figure is never below nought by its nature.
    """

    terms: tuple[str, ...]
    said: frozenset[str] = frozenset()
    period: Period | None = None
    offset: int = 0
    phrases: tuple[tuple[str, ...], ...] = ()
    statement: str = ""
    is_percent: bool = False
    named: frozenset[str] = frozenset()
    is_concept: bool = False
    is_amount: bool = False


@dataclass(frozen=True)
class Hit:
    """A cell that fits a target, with its fit in [0, 1].

    `is_amount`: the minus of all figures of its row only says that they flow out.
    """

    relation: Relation
    entry: Entry
    fit: float
    is_amount: bool = False

    @property
    def value(self) -> Decimal:
        """The figure in units: what was paid is an amount, in brackets or not."""
        return abs(self.entry.value) if self.is_amount else self.entry.value

    @property
    def row_key(self) -> tuple[str, int, int]:
        """Document, table and row."""
        return self.relation.source.document, self.relation.view.node.key, self.entry.line.row.offset


def target_of(terms: Sequence[str], needs: Sequence[FigureNeed], of_lexicon: frozenset[str] = frozenset()) -> Target:
    """A target of these terms; a lexicon concept named by some of them gives it other names.

    `of_lexicon` are the terms by which the lexicon was found: they name the only concept, be it by an acronym.
    """
    own = frozenset(terms)
    signed = own & terms_listed("signed")
    for need in needs:
        named = [names for phrase in (need.concept, *need.phrases) if (names := _phrase_terms(phrase)) <= own]
        if not named and len({other.concept for other in needs}) == 1:
            named = [own & of_lexicon] if own & of_lexicon else []
        if named:
            rest = tuple(term for term in terms if term not in max(named, key=len))
            phrases = tuple((*rest, *analyse(phrase)) for phrase in need.phrases)
            flows_out = need.statement == "cash_flow" and is_never_negative(need.concept) and not signed
            return Target(tuple(terms), phrases=phrases, statement=need.statement, is_amount=flows_out)
    return Target(tuple(terms))


@lru_cache(maxsize=1 << 12)
def _phrase_terms(phrase: str) -> frozenset[str]:
    return frozenset(analyse(phrase)) or frozenset((phrase,))


def is_never_negative(concept: str) -> bool:
    """Whether a concept's figure is never below nought by its nature: it is printed so where it flows out."""
    return terms_listed("signed").isdisjoint(analyse(concept))


def find_hits(relations: Iterable[Relation], target: Target) -> list[Hit]:
    """Cells that account for every term and are of the period asked, best first."""
    found = [hit for relation in relations for hit in _hits_in(relation, target)]
    return sorted(found, key=lambda hit: (-round(hit.fit, 6), *hit.row_key, hit.entry.axis.index))


def choose_hit(hits: Sequence[Hit]) -> Hit | None:
    """The best of the hits; None where another cell with another value fits as well."""
    # What flows out is printed with a minus in one table and without it in another.
    best = abs(hits[0].value) if hits else None
    rivals = [hit for hit in hits[1:] if hits[0].fit - hit.fit < TIE and abs(hit.value) != best]
    return hits[0] if hits and not rivals else None


def find_series(relations: Iterable[Relation], target: Target) -> list[Hit]:
    """The cells of the one row that the target means, one for each year, earliest first; [] where it has no two."""
    hits = find_hits(relations, target)
    near = [hit for hit in hits if hits[0].fit - hit.fit < TIE]
    places = {(hit.relation.view.node.key, hit.row_key, hit.relation.own_words(hit.entry.axis)) for hit in near}
    years = {hit.entry.period.year or 0: hit for hit in near}
    alone = len(places) == 1 and len(years) == len(near) > 1 and 0 not in years
    return [years[year] for year in sorted(years)] if alone else []


def find_cell(relations: Iterable[Relation], target: Target) -> Hit | None:
    """The one cell that the target means, or None."""
    hits = find_hits(relations, target)
    return choose_hit(_keep_last_day(hits) if target.period else _keep_newest(hits, target.offset))


def _keep_last_day(hits: Sequence[Hit]) -> list[Hit]:
    """Of a row's figures of several days of one year those of the last: a year's balance is that of its end."""
    days: dict[tuple[object, ...], tuple[int, int]] = {}
    for hit in hits:
        period = hit.entry.period
        key = (hit.row_key, hit.relation.own_words(hit.entry.axis), period.year)
        days[key] = max(days.get(key, (0, 0)), (period.month, period.day))
    return [
        hit
        for hit in hits
        if days[hit.row_key, hit.relation.own_words(hit.entry.axis), hit.entry.period.year]
        == (hit.entry.period.month, hit.entry.period.day)
    ]


def _keep_newest(hits: Sequence[Hit], offset: int) -> list[Hit]:
    """Of each row the cells of its newest period, or of so many years before; rows without periods whole."""
    years: dict[tuple[str, int, int], int] = {}
    for hit in hits:
        years[hit.row_key] = max(years.get(hit.row_key, 0), hit.entry.period.year or 0)
    return [hit for hit in hits if (hit.entry.period.year or 0) == max(0, years[hit.row_key] - offset)]


def is_current(hit: Hit) -> bool:
    """Whether a cell is of the newest period of a primary statement: what a question means that names no period."""
    return bool(hit.relation.view.statement) and hit.entry.period.year == hit.relation.newest_year


def _hits_in(relation: Relation, target: Target) -> Iterator[Hit]:
    wordings = [(target.terms, 1.0)]
    wordings += [(terms, _OTHER_NAME - 0.002 * rank) for rank, terms in enumerate(target.phrases)]
    kept = [(terms, weight) for terms, weight in wordings if terms and relation.knows(terms)]
    if not kept:
        return
    weight = _table_weight(relation, target)
    terms_kept = frozenset(term for terms, _ in kept for term in terms)
    in_header = not terms_kept.isdisjoint(relation.axis_words)
    for line in relation.lines:
        if target.is_concept and not any(_names_concept(line, terms) for terms, _ in kept):
            continue
        is_named = in_header or not terms_kept.isdisjoint(line.row_words | line.group_words)
        is_amount = target.is_amount and all(entry.value <= 0 for entry in relation.entries(line))
        for entry in relation.entries(line) if is_named else ():
            fit = max(_fit_entry(relation, entry, terms, target) * share for terms, share in kept)
            if fit * weight < LEAST_FIT or not _is_of_unit(entry, target):
                continue
            when = period_fit(relation, entry, target.period, relation.source.own)
            if when >= LEAST_AGREEMENT and fit * weight * when >= LEAST_FIT:
                yield Hit(relation, entry, fit * weight * when, is_amount)


def _names_concept(line: RelationLine, terms: Sequence[str]) -> bool:
    """Whether a row has all the words of a concept that name it, in one of its cells of words or its groups."""
    return frozenset(terms) - terms_listed("neutral") - words_around() <= line.row_words | line.group_words


def _table_weight(relation: Relation, target: Target) -> float:
    """How likely the table is the place: its retrieval fit, its statement, whether it is about a part of the whole."""
    weight = 0.97 + 0.02 * min(relation.rank, 1.0)
    if target.statement:
        other = _OTHER_STATEMENT_OF_CONCEPT if target.is_concept else _OTHER_STATEMENT
        weight *= 1.0 if relation.view.statement == target.statement else other
    parts = terms_listed("parts") & words_of(" ".join((*relation.view.path[-1:], relation.view.name)))
    return weight * (_OF_A_PART if parts - set(target.terms) else 1.0)


def _is_of_unit(entry: Entry, target: Target) -> bool:
    """Whether a percentage is told where one is asked for; a change in another column is no value of its own."""
    return not target.is_percent or entry.unit == "%"


def _fit_entry(relation: Relation, entry: Entry, terms: Sequence[str], target: Target) -> float:
    if entry.is_blank and not entry.label:
        return 0.0
    wanted = frozenset(terms) | target.said
    if _holds_change(relation, entry.axis) and not entry.axis.words & target.said:
        return 0.0
    label = entry.label_words
    if not target.named <= label | entry.axis.words | entry.line.group_words:
        return 0.0
    own = frozenset(terms) - terms_listed("neutral") - words_around()
    if target.is_concept and not own <= label | entry.line.group_words:
        return 0.0
    # Words that the lexicon alone says name the figure together: in its row or in its column.
    of_lexicon = frozenset(terms) - frozenset(target.terms)
    if not (of_lexicon <= label | entry.line.group_words or of_lexicon <= entry.axis.words):
        return 0.0
    named = frozenset(terms) & (label | entry.axis.words)
    if not named and not ((label <= terms_listed("summing")) and frozenset(terms) & entry.line.group_words):
        return 0.0
    prices = [_price(relation, entry, term) for term in terms]
    told = [price for price in prices if price is not None]
    far = sum(price in (_PRICES["near"], _PRICES["place"]) for price in told)
    if len(told) < len(terms) or far > sum(price < _PRICES["place"] for price in told):
        return 0.0
    fit = 1.0 - sum(told) / len(terms)
    fit *= _UNASKED_PERCENT if entry.unit == "%" and "percent" not in wanted else 1.0
    return (
        fit
        * _fit_label(entry, wanted, relation.source.subject)
        * _fit_axis(relation, entry, terms, wanted)
        * _fit_group(entry, wanted)
    )


def _holds_change(relation: Relation, axis: Axis) -> bool:
    kinds = relation.view.kinds
    return axis.index < len(kinds) and kinds[axis.index] is ColumnKind.CHANGE


def _price(relation: Relation, entry: Entry, term: str) -> float | None:
    places = (
        ("label", entry.label_words),
        ("axis", entry.axis.words),
        ("group", entry.line.group_words),
        ("place", relation.place_words),
        ("subject", relation.source.subject),
        ("near", relation.near_words),
    )
    if term == "percent" and entry.unit == "%":
        return 0.0
    return next((_PRICES[name] for name, words in places if term in words), None)


def _fit_label(entry: Entry, wanted: frozenset[str], subject: frozenset[str]) -> float:
    """How much a label's other words tell against it, but for the document's subject.

    A label without any word asked for is a period or a sum.
    """
    label = entry.label_words
    summing = terms_listed("summing")
    extra = {term for term in label - wanted - terms_listed("neutral") - words_around() - subject if not _is_mark(term)}
    hits = label & wanted
    if not hits:
        return 1.0 if not extra or read_header(entry.label).is_said else 0.0
    told = len(hits - terms_listed("neutral")) or len(hits)
    aside = extra - words_of(_IN_BRACKETS.sub(" ", entry.label))
    weight = len(extra) - (1.0 - _ASIDE) * len(aside)
    fit = 1.0 - _EXTRA * weight / (told + weight)
    return fit - _OTHER_SUM * len((label ^ wanted) & summing)


def _is_mark(term: str) -> bool:
    return len(term) == 1 or term.isdigit()


def _fit_axis(relation: Relation, entry: Entry, terms: Sequence[str], wanted: frozenset[str]) -> float:
    """How much a header's other words tell against a column: those that only some columns have."""
    axis = entry.axis
    own = relation.own_words(axis)
    others = frozenset[str]().union(*(relation.own_words(other) for other in relation.axes)) - own
    if others & wanted & words_around() - entry.label_words and own.isdisjoint(terms):
        return _OTHER_NAME_OF_COLUMN
    extra = own - wanted - entry.label_words - words_around()
    if not extra or extra <= terms_listed("neutral"):
        return 1.0
    years = [other.period.year for other in relation.entries(entry.line)]
    if entry.period.year and years.count(entry.period.year) > 1 and not relation.own_words(axis) & wanted:
        return _OTHER_NAME_OF_COLUMN
    return 1.0 - min(0.03 * len(extra), 0.09) if entry.period.year or axis.words & wanted else 0.9


def _fit_group(entry: Entry, wanted: frozenset[str]) -> float:
    """How much a group's other words tell against its rows: "Revenue" and "Cost of revenue" may hold like rows."""
    inner = words_of(entry.line.groups[-1]) if entry.line.groups else frozenset[str]()
    return 1.0 - min(0.015 * len(inner - wanted - entry.label_words - words_around()), 0.05)


def period_fit(relation: Relation, entry: Entry, wanted: Period | None, own: OwnPeriod | None) -> float:
    """How well a cell's period is the one asked for, in [0, 1]: its column's or row's, else its group's or table's."""
    if wanted is None:
        return 1.0
    if entry.period.year:
        return _agree(entry, wanted, own)
    grouped = set(years_in(" ".join(entry.line.groups)))
    if grouped or relation.has_periods:
        return 0.98 if grouped == {wanted.year} else 0.0
    years = relation.near_years
    return 0.97 if years == {wanted.year} and wanted.quarter is None else 0.0


def _agree(entry: Entry, wanted: Period, own: OwnPeriod | None) -> float:
    fit = agreement(replace(entry.period, is_change=False), wanted, own)
    if not fit or wanted.kind != "date":
        return fit
    asked = read_header(wanted.text)
    if asked.month and entry.period.month and asked.month != entry.period.month:
        return 0.0
    return 0.0 if asked.day and entry.period.day and asked.day != entry.period.day else fit
