"""Editions of one series among the documents of a shortlist: the wanted one comes first, and it is said which it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import Array
from vectorless_web.engine.routing.card_keys import FORM, SPANS
from vectorless_web.engine.routing.editions import (
    Edition,
    Recency,
    WantedEdition,
    choose_editions,
    order_editions,
)
from vectorless_web.engine.routing.signals import Signals
from vectorless_web.engine.routing.typed import FieldScorer

_LOOKED_AT = 15
"""Documents, the first ones, whose series are looked for."""
_LARGEST = 500
"""Documents of a series, at most: more share a title by chance, such as "invoice"."""
_SAME_NAME = 0.05
"""How far the names of a document may agree less with the question than those of its neighbour in the series."""
_NEARLY = 0.75
"""Share of the score of an earlier edition from which the one in force takes its place unasked."""
_EARLIER = 0.9
"""What an edition that is not in force keeps of its score when the question names no period."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """Signals with the wanted editions first. `notes` say by row which edition a document is; `dropped` rows are those
    that the question does not want; `said` is one sentence on the first series, or ""."""

    signals: Signals
    notes: Mapping[int, str] = field(default_factory=dict)
    dropped: frozenset[int] = frozenset()
    said: str = ""


class SeriesArranger:
    """Finds the series of likely documents and applies what the question wants of them."""

    def __init__(
        self, snapshot: Snapshot, typed: FieldScorer, *, wanted: WantedEdition | None, has_period: bool
    ) -> None:
        self._snapshot, self._typed = snapshot, typed
        self._wanted = wanted
        # A named period is told apart by the typed fields; the words "as of" and "between" name one themselves.
        self._is_current_meant = wanted is None and not has_period

    def relatives(self, signals: Signals, allowed: Array | None) -> Array:
        """Rows of the other editions of the first documents, which their words alone may not have brought."""
        rows = [self._members(int(signals.rows[place]), allowed) for place in signals.order()[:_LOOKED_AT]]
        return np.unique(np.concatenate([np.empty(0, np.int64), *rows]))

    def arrange(self, signals: Signals, allowed: Array | None) -> Arranged:
        """The signals with the wanted editions of each series first."""
        place_of = {row: place for place, row in enumerate(signals.rows.tolist())}
        score, notes, dropped, said = signals.score.copy(), dict[int, str](), set[int](), ""
        seen: set[int] = set()
        for place in signals.order()[:_LOOKED_AT]:
            row = int(signals.rows[place])
            members = [r for r in self._members(row, allowed).tolist() if r in place_of and r not in seen]
            if row in seen or len(members) < 2 or score[place] <= 0 or self._is_told_by_period(members):
                continue
            seen.update(members)
            editions = [Edition.decode(int(number)) for number in self._snapshot.editions(np.array(members))]
            chosen = [members[at] for at in choose_editions(editions, self._wanted)]
            notes |= _describe_members(members, editions)
            if self._wanted is not None:
                best = float(score[place])
                for number, each in enumerate(chosen):
                    score[place_of[each]] = best * (1 - number * 1e-6)
                dropped |= set(members) - set(chosen)
                said = said or self._say(members, editions, chosen)
            elif self._is_current_meant and chosen and len({(each.day, each.version) for each in editions}) > 1:
                _prefer_current(score, place_of, members, chosen[0])
        score[[place_of[row] for row in dropped]] = 0.0
        return Arranged(replace(signals, score=score), notes, frozenset(dropped), said)

    def _members(self, row: int, allowed: Array | None) -> Array:
        """Rows of the series of a document that bear the names of the question as it does, itself among them."""
        found = [np.array([row])]
        for hashed in self._snapshot.series(np.array([row]))[0].tolist():
            rows = self._snapshot.postings(hashed).rows if hashed else np.empty(0, np.int64)
            if len(rows) <= _LARGEST:
                found.append(rows)
        members = np.unique(np.concatenate(found))
        if allowed is not None:
            members = members[np.isin(members, allowed)]
        for kind in ("name", "form"):
            agreed = self._typed.parts(members).get(kind)
            if agreed is not None:
                own = agreed[members == row]
                members = members[agreed >= (own[0] if len(own) else 0.0) - _SAME_NAME]
        return members

    def _is_told_by_period(self, members: Sequence[int]) -> bool:
        """Whether a day or a stretch of time is looked up in reports, each of which covers several periods.

        They are told apart by the typed fields; a report on the next year may be the one that compares both.
        """
        if self._wanted is None or self._wanted.recency not in (Recency.AS_OF, Recency.BETWEEN):
            return False
        rows = np.array(members)
        return any(self._typed.strength(FORM, each, rows).any() for span in SPANS.values() for each in span)

    def _say(self, members: Sequence[int], editions: Sequence[Edition], chosen: Sequence[int]) -> str:
        assert self._wanted is not None
        if not chosen:
            return f"Of {len(members)} editions none is {self._wanted.said}"
        told = [editions[members.index(row)].describe() or "added last" for row in chosen]
        if self._wanted.recency is Recency.BETWEEN:
            return f"Took {len(chosen)} of {len(members)} editions, those {self._wanted.said.strip()}"
        which = {
            Recency.LATEST: "the latest",
            Recency.PREVIOUS: "the one before the latest",
            Recency.OLDEST: "the oldest",
            Recency.AS_OF: f"the one in force on {self._wanted.said}",
        }[self._wanted.recency]
        return f"Took {which} of {len(members)} editions: {told[0]}"


def _prefer_current(score: Array, place_of: Mapping[int, int], members: Sequence[int], current: int) -> None:
    """Let the edition in force come before the others where it says nearly as much."""
    best = max(score[place_of[row]] for row in members)
    if score[place_of[current]] < _NEARLY * best:
        return
    for row in members:
        score[place_of[row]] *= _EARLIER
    score[place_of[current]] = best


def _describe_members(members: Sequence[int], editions: Sequence[Edition]) -> dict[int, str]:
    """For each document of a series which edition it is and whether a later one exists."""
    order = order_editions(editions)
    valid = [at for at in order if not editions[at].is_withdrawn and not editions[at].is_draft] or order
    latest, count = valid[-1], len(members)
    notes = {}
    for at, row in enumerate(members):
        edition = editions[at]
        said = f" ({edition.describe()})" if edition.describe() else ""
        if at == latest:
            notes[row] = f"the latest of {count} editions{said}"
        elif edition.is_withdrawn:
            notes[row] = f"no longer in force{said}"
        elif edition.is_draft:
            notes[row] = f"a draft{said}"
        else:
            later = editions[latest].describe()
            notes[row] = f"an earlier edition{said}" + (f", the latest is of {later}" if later else "")
    return notes
