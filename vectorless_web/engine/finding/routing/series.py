"""Puts the wanted edition of each series of documents first, and says which edition each document is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vectorless_web.engine.finding.routing.editions import Edition, choose_editions, list_valid
from vectorless_web.engine.finding.routing.signals import Signals
from vectorless_web.engine.finding.routing.typed import FieldScorer
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import Array, term_hash
from vectorless_web.engine.questions.editions import Recency, WantedEdition
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse

_LOOKED_AT = 15
"""Documents, the first ones, whose series are looked for."""
_LARGEST = 500
"""Documents of a series, at most: more share a title by chance, such as "invoice"."""
_SAME_NAME = 0.05
"""How far the names of a document may agree less with the question than those of its neighbour in the series."""
_FEW_SAY = 0.5
"""Share of a series up to which a word parts it: what its editions are about is said by most of them."""
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

    def __init__(self, snapshot: Snapshot, typed: FieldScorer, plan: QueryPlan, wanted: WantedEdition | None) -> None:
        self._snapshot, self._typed = snapshot, typed
        self._wanted = wanted
        self._names = list(dict.fromkeys(term.term for term in plan.terms if term.source == "entity"))
        own = dict.fromkeys(term.term for term in plan.terms if term.source in ("question", "entity"))
        self._asked = [term for term in own if wanted is None or term not in analyse(wanted.said)]
        self._named: dict[str, Array] = {}
        self._rows: dict[int, Array] = {}
        # A named period is told apart by the typed fields; the words "as of" and "between" name one themselves.
        self._is_current_meant = wanted is None and not plan.periods

    def relatives(self, signals: Signals, allowed: Array | None) -> Array:
        """Rows of the other editions of the first documents, which their words alone may not have brought."""
        rows = [self._members(int(signals.rows[place]), allowed) for place in signals.order()[:_LOOKED_AT]]
        return np.unique(np.concatenate([np.empty(0, np.int64), *rows]))

    def arrange(self, signals: Signals, allowed: Array | None) -> Arranged:
        """The signals with the wanted editions of each series first."""
        place_of = {row: place for place, row in enumerate(signals.rows.tolist())}
        score, notes, dropped, said = signals.score.copy(), dict[int, str](), set[int](), ""
        seen: set[int] = set()
        for number, place in enumerate(signals.order()[:_LOOKED_AT]):
            row = int(signals.rows[place])
            members = [r for r in self._members(row, allowed).tolist() if r in place_of and r not in seen]
            if row in seen or score[place] <= 0:
                continue
            # What says more of the question and has no editions is none of what comes behind it.
            seen.add(row)
            if len(members) < 2 or self._is_told_by_period(members):
                continue
            seen.update(members)
            editions = [Edition.decode(int(number)) for number in self._snapshot.editions(np.array(members))]
            chosen = [members[at] for at in choose_editions(editions, self._wanted)]
            notes |= _describe_members(members, editions)
            if self._wanted is not None and (chosen or self._can_tell(editions)):
                best = float(score[place])
                for behind, each in enumerate(chosen):
                    score[place_of[each]] = best * (1 - behind * 1e-6)
                dropped |= set(members) - set(chosen)
                said = self._say(members, editions, chosen) if number == 0 else said
            elif self._is_current_meant and chosen and len({(each.day, each.version) for each in editions}) > 1:
                _prefer_current(score, place_of, members, chosen[0])
        score[[place_of[row] for row in dropped]] = 0.0
        return Arranged(replace(signals, score=score), notes, frozenset(dropped), said)

    def _members(self, row: int, allowed: Array | None) -> Array:
        """Rows of the series of a document that bear the names of the question as it does, itself among them."""
        own = np.array([row])
        hashes = self._snapshot.series(own)[0].tolist()
        found = [rows for hashed in hashes if hashed and 1 < len(rows := self._of_series(hashed)) <= _LARGEST]
        if not found:
            return own
        members = np.unique(np.concatenate([own, *found]))
        if allowed is not None:
            members = members[np.isin(members, allowed)]
        agreed = self._typed.agree_on_names(members)
        own_agreement = agreed[:, members == row].max(axis=1, initial=0.0, keepdims=True)
        members = members[np.all(agreed >= own_agreement - _SAME_NAME, axis=0)]
        for name in self._names:
            saying = self._rows_saying(name)
            if np.isin(row, saying):
                members = members[np.isin(members, saying)]
        return self._leave_out_namesakes(row, members)

    def _leave_out_namesakes(self, row: int, members: Array) -> Array:
        """The members without those that share no more than a title such as "Price list" and speak of something else.

        A document that shares one key of a series and not the others, such as the file name, is one of it when it says
        those words of the question too that the first one says and most members do not.
        """
        keys = self._snapshot.series(np.array([row]))[0]
        keys = keys[keys != 0]
        shared = np.isin(self._snapshot.series(members), keys).sum(axis=1)
        is_loose = (shared == 1) & (len(keys) > 1) & (members != row)
        for term in self._asked if is_loose.any() else ():
            says = np.isin(members, self._rows_saying(term))
            if says[members == row].any() and says.sum() <= len(members) * _FEW_SAY:
                kept = says | ~is_loose
                members, is_loose = members[kept], is_loose[kept]
        return members

    def _rows_saying(self, name: str) -> Array:
        """Rows of the documents that say a word: one title may be that of several issuers' documents."""
        if name not in self._named:
            self._named[name] = np.unique(self._snapshot.postings(term_hash(name)).rows)
        return self._named[name]

    def _of_series(self, hashed: int) -> Array:
        if hashed not in self._rows:
            self._rows[hashed] = self._snapshot.key_postings(hashed).rows
        return self._rows[hashed]

    def _is_told_by_period(self, members: Sequence[int]) -> bool:
        """Whether a day or a stretch of time is looked up in reports, each of which covers several periods.

        They are told apart by the typed fields; a report on the next year may be the one that compares both.
        """
        if self._wanted is None or self._wanted.recency not in (Recency.AS_OF, Recency.BETWEEN):
            return False
        return bool(self._typed.is_report(np.array(members)).any())

    def _can_tell(self, editions: Sequence[Edition]) -> bool:
        """Whether editions say enough for none of them to be the wanted one: a version is named in other texts too."""
        is_named = self._wanted is not None and self._wanted.recency is Recency.NAMED
        return not is_named and any(edition.day for edition in editions)

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
            Recency.NAMED: self._wanted.said,
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
    latest, count = list_valid(editions)[-1], len(members)
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
