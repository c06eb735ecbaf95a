"""How well the typed fields of cards agree with what the question names: names, periods, dates, kinds of document."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import MAX_COUNT, Array, key_hash
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.router.card_keys import DATE, FORM, QUARTER, YEAR
from vectorless_web.engine.router.dates import iso_date
from vectorless_web.engine.router.kinds import SPANS, Span, family_of
from vectorless_web.engine.router.mentions import Mention, mentions_in
from vectorless_web.engine.router.reporting import looks_ahead, names_fiscal_year, reporting_year

_WEIGHTS = {"name": 3.0, "year": 2.0, "date": 2.0, "form": 1.5, "span": 1.0}
_FISCAL = 1.5
"""A year called fiscal asks for the report on that year more than a bare one does."""
_DECISIVE = 5.0
"""A name and a year decide; less says less."""
_NEAR_YEARS = {0: 1.0, 1: 0.6, 2: 0.35, 3: 0.2, -1: 0.3}
"""A report also covers the years before its own; the year before may look ahead."""
_NEAR_YEARS_AHEAD = {-1: 1.0, 0: 0.9, -2: 0.5, 1: 0.3}
"""For a question that looks ahead: what is expected of a year stands in the report of the year before."""
_OTHER_SPAN, _UNKNOWN_SPAN, _YEAR_FOR_QUARTER = 0.35, 0.7, 0.4
_LARGEST_POOL = 2000
_SAID_YEAR = 0.9
_LEARNT = 0.96
"""How sure a nickname is that only another document about the same subject explains."""
_FLOOR = 0.05
"""What a part that disagrees is worth: not nothing, since fields are read by patterns."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the question names. `year` is the latest year asked for, or that of the quarter asked for."""

    mentions: tuple[Mention, ...] = ()
    year: int | None = None
    quarter: int | None = None
    dates: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    is_fiscal: bool = False
    ahead: bool = False


def wanted_by(plan: QueryPlan, snapshot: Snapshot) -> Wanted:
    """The typed fields of a question, its names matched against those of the corpus."""
    quarters = [period for period in plan.periods if period.quarter]
    dates = [iso_date(period.text) for period in plan.periods if period.kind == "date"]
    latest = max(quarters, key=lambda period: (period.year, period.quarter or 0)) if quarters else None
    return Wanted(
        mentions=tuple(mentions_in(plan, snapshot)),
        year=latest.year if latest else reporting_year(plan),
        quarter=latest.quarter if latest else None,
        dates=tuple(date for date in dates if date),
        families=tuple(dict.fromkeys(family_of(form) for form in plan.forms)),
        is_fiscal=names_fiscal_year(plan),
        ahead=latest is None and looks_ahead(plan),
    )


@dataclass(slots=True)
class FieldScorer:
    """Agreement of cards with `wanted`, each part in [0, 1]; a part no card can satisfy is left out."""

    snapshot: Snapshot
    wanted: Wanted
    _held: dict[tuple[str, str], tuple[Array, Array]] = field(default_factory=dict)

    def named_rows(self) -> Array:
        """Rows of all cards that bear a name the question mentions, ascending; very common names are passed over."""
        found = [self.snapshot.postings(hashed).rows for m in self.wanted.mentions for hashed in m.hashes]
        return np.unique(
            np.concatenate([np.empty(0, np.int64), *(rows for rows in found if len(rows) <= _LARGEST_POOL)])
        )

    def parts(self, rows: Array) -> dict[str, Array]:
        """Agreement of each part with these rows (ascending), by the part's name; only parts that are asked for."""
        asked = {
            "name": self._names(rows) if self.wanted.mentions else None,
            "year": self._years(rows) if self.wanted.year is not None else None,
            "date": self._dates(rows) if self.wanted.dates else None,
            "form": self._forms(rows) if self.wanted.families else None,
            "span": self._spans(rows) if self._asks_for_span else None,
        }
        return {name: values for name, values in asked.items() if values is not None and values.any()}

    @property
    def _asks_for_span(self) -> bool:
        """A year tells reports of one name apart; an outlook may stand in any of them."""
        wanted = self.wanted
        return wanted.year is not None and bool(wanted.mentions) and not wanted.ahead

    def scores(self, parts: dict[str, Array], size: int) -> Array | None:
        """The weighted geometric mean of the parts, shape (size,); None when nothing is asked for.

        Geometric, because a card must agree in all: the right company in the wrong year is
        the wrong document.
        """
        if not parts:
            return None
        weights = self._weights(parts)
        total = sum(weights.values())
        logs = sum((weights[n] * np.log(np.maximum(values, _FLOOR)) for n, values in parts.items()), np.zeros(size))
        mean: Array = np.exp(logs / total)
        return np.where(np.any(list(parts.values()), axis=0), mean, 0.0)

    def _weights(self, parts: Iterable[str]) -> dict[str, float]:
        weights = {name: _WEIGHTS[name] for name in parts}
        if "name" in weights:
            weights["name"] *= min(1.0, 2 * max(mention.weight for mention in self.wanted.mentions))
        if "span" in weights and self.wanted.is_fiscal:
            weights["span"] *= _FISCAL
        return weights

    def say(self, parts: Iterable[str]) -> float:
        """How much the parts say together, in [0, 1]: a year alone tells few cards apart."""
        return min(1.0, sum(self._weights(parts).values()) / _DECISIVE)

    def strength(self, kind: str, value: str, rows: Array) -> Array:
        """How surely each row has the key, in [0, 1]."""
        if (kind, value) not in self._held:
            postings = self.snapshot.postings(key_hash(kind, value))
            self._held[kind, value] = (postings.rows, postings.counts / MAX_COUNT)
        return looked_up(*self._held[kind, value], rows)

    def _names(self, rows: Array) -> Array:
        total = sum(mention.weight for mention in self.wanted.mentions)
        held = np.zeros(len(rows))
        for mention in self.wanted.mentions:
            held += mention.weight * self._named(mention, rows)
        return held / total

    def _named(self, mention: Mention, rows: Array) -> Array:
        """How surely each row bears the name, in [0, 1]: 1 for the surest bearer there is."""
        first, *others = (self.snapshot.postings(hashed) for hashed in mention.hashes)
        surest = looked_up(first.rows, first.counts / mention.strongest, rows)
        for postings in others:
            learnt = looked_up(postings.rows, _LEARNT * postings.counts / MAX_COUNT, rows)
            surest = np.maximum(surest, learnt)
        return surest

    def borne(self, rows: Array) -> list[list[str]]:
        """For each of these rows (ascending): the names of the question it bears, as the question writes them."""
        held = [(mention.text, self._named(mention, rows) > 0) for mention in self.wanted.mentions]
        return [[text for text, bears in held if bears[place]] for place in range(len(rows))]

    def _years(self, rows: Array) -> Array:
        assert self.wanted.year is not None
        near = _NEAR_YEARS_AHEAD if self.wanted.ahead else _NEAR_YEARS
        fits = [decay * self.strength(YEAR, str(self.wanted.year + gap), rows) for gap, decay in near.items()]
        best: Array = np.max(fits, axis=0)
        return best

    def _dates(self, rows: Array) -> Array:
        found: Array = np.max([self.strength(DATE, date, rows) for date in self.wanted.dates], axis=0)
        return found

    def _forms(self, rows: Array) -> Array:
        found: Array = np.max([self.strength(FORM, family, rows) for family in self.wanted.families], axis=0)
        return found

    def _spans(self, rows: Array) -> Array:
        """Whether the card reports on the stretch of time asked about: a year, or one quarter of it."""
        by_span = {
            span: np.max([self.strength(FORM, family, rows) for family in families], axis=0)
            for span, families in SPANS.items()
        }
        of_year = by_span[Span.YEAR] >= np.maximum(by_span[Span.QUARTER], by_span[Span.EVENT])
        known = np.max(list(by_span.values()), axis=0) > 0
        quarters = [self.strength(QUARTER, f"Q{number}", rows) > 0 for number in (1, 2, 3, 4)]
        if self.wanted.quarter is None:
            of_quarter = np.any(quarters, axis=0)
            fit = np.where(known, np.where(of_year, 1.0, _OTHER_SPAN), np.where(of_quarter, _OTHER_SPAN, _UNKNOWN_SPAN))
            return fit
        fit = np.where(quarters[self.wanted.quarter - 1], 1.0, np.where(known & of_year, _YEAR_FOR_QUARTER, 0.0))
        return fit


def looked_up(held: Array, values: Array, rows: Array) -> Array:
    """The value of each of `rows` in (held, values), `held` ascending; 0 where it is not held."""
    places = np.searchsorted(held, rows)
    found = np.zeros(len(rows))
    inside = np.flatnonzero(places < len(held))
    inside = inside[held[places[inside]] == rows[inside]]
    found[inside] = values[places[inside]]
    return found


def named_fields(wanted: Wanted, agreed: Mapping[str, float], names: Sequence[str]) -> list[str]:
    """What of the question's fields a card agrees with, in plain words; `names` are those it bears."""
    said: list[str] = []
    if names:
        said.append("names " + _listed([f"“{name}”" for name in dict.fromkeys(names)]))
    if wanted.year is not None and agreed.get("year", 0) >= _SAID_YEAR:
        quarter = f"Q{wanted.quarter} " if wanted.quarter and agreed.get("span") == 1 else ""
        said.append(f"covers {quarter}{wanted.year}")
    if agreed.get("date", 0) > 0:
        said.append(f"is dated {_listed(wanted.dates)}")
    if agreed.get("form", 0) > 0:
        said.append(f"is of the kind {_listed(wanted.families)}")
    return said


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
