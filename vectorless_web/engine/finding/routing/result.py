"""What the router answers: a shortlist, and in one line of plain words why each card is on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vectorless_web.engine.finding.routing.signals import RouteMode, RouteScorer, Signals
from vectorless_web.engine.finding.routing.typed import list_named_fields
from vectorless_web.engine.index.snapshot_rows import FIELDS, Array
from vectorless_web.engine.text.analyser import analyse, is_telling
from vectorless_web.engine.text.normalise import lower_capitals


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A document with its score in [0, 1], the signals it is made of (each in [0, 1]) and the reason in plain words.

    `fields` is the agreement of typed fields. `matched_terms` are words of the question,
    `matched_fields` the parts of the card they stand in.
    """

    doc_id: int
    score: float
    bm25: float
    keyword: float
    graph: float
    reason: str
    matched_terms: tuple[str, ...] = ()
    matched_fields: tuple[str, ...] = ()
    fields: float = 0.0
    text: float = 0.0
    """Share of the question that one place of the document's text says."""
    key: int = -1
    """Node of the passage that says most of the question; -1 where the document was not looked into."""
    page_index: int = -1
    """Its page, from 0."""
    passage: str = ""
    """Its beginning, or the sentence of it that says most."""


@dataclass(frozen=True, slots=True)
class RouteResult:
    """The whole shortlist, best first, and how it came about.

    `committed` is the document that the typed fields single out, to be walked first and
    alone, or None. `activated` is false when there were so few documents that all go
    on. `tail` holds those that just missed the cut, best first. `mode_used` is the mode
    that decided in the end, and `note` says why it is not the one asked for.
    `considered` counts the documents looked at. `ambiguous` says that the first two are close.
    """

    candidates: tuple[ScoredCandidate, ...]
    committed: int | None
    mode_used: RouteMode
    activated: bool
    index_version: str
    ambiguous: bool
    seconds: float
    considered: int
    tail: tuple[ScoredCandidate, ...] = field(default=())
    note: str = ""
    edition: str = ""
    """Which edition of a series was taken, when the question wants one."""
    ranked: tuple[int, ...] = ()
    """The documents that a model ranked, best first; no others are walked."""
    steering_terms: tuple[str, ...] = ()
    """Analysed words of the question that chose the first document (edition, kind, issuer, year of the report): a
    reader of that document need not look for them in its text."""
    unknown_terms: tuple[str, ...] = ()
    """Analysed words of the question that no document looked at bears, on its card or in its text."""
    tokens: int = 0
    """Tokens of the model that ranked: a replay asks no model, and tells them all the same."""
    cost_usd: float = 0.0


_SAID = {
    "title": "its title says",
    "tags": "its topics include",
    "hints": "it can answer questions on",
    "overview": "its summary mentions",
    "sections": "it has sections on",
    "body": "its text mentions",
}
_PASSAGE_WORDS = 6
"""Words of the question that a reason names of the best passage."""
_WORDS = 4
"""Words of the question that a reason names of one field of the card; bound by one line of a page."""
_TITLE_CHARACTERS = 60
"""Characters of another document's title in a reason; bound by one line of a page."""


class Explainer:
    """Makes candidates of scored cards. `written` maps an analysed word to the question's own spelling."""

    def __init__(
        self, scorer: RouteScorer, signals: Signals, written: Mapping[str, str], notes: Mapping[int, str] | None = None
    ) -> None:
        self._scorer, self._signals, self._written, self._notes = scorer, signals, written, notes or {}

    def candidates(self, places: Sequence[int]) -> tuple[ScoredCandidate, ...]:
        """The candidates at those places of the signals, in that order, each with its reason."""
        ascending = sorted(places)
        rows = self._signals.rows[ascending]
        matched = map(self._as_asked, self._scorer.lexical.list_matched(rows))
        said = map(self._list_agreed, ascending, self._scorer.typed.list_borne_names(rows))
        found = dict(zip(ascending, zip(matched, said, strict=True), strict=True))
        return tuple(self._candidate(place, *found[place]) for place in places)

    def _list_agreed(self, place: int, names: Sequence[str]) -> list[str]:
        agreed = {name: float(values[place]) for name, values in self._signals.parts.items()}
        return list_named_fields(self._scorer.typed.wanted, agreed, names)

    def _as_asked(self, found: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        """The terms that are words of the question, as it writes them."""
        asked = {name: [word for t, word in self._written.items() if t in terms] for name, terms in found.items()}
        return {name: terms for name, terms in asked.items() if terms}

    def _candidate(self, place: int, found: Mapping[str, list[str]], said: list[str]) -> ScoredCandidate:
        signals = self._signals
        terms = dict.fromkeys(word for words in found.values() for word in words)
        passage = signals.passages.get(int(signals.rows[place]))
        return ScoredCandidate(
            doc_id=int(signals.ids[place]),
            score=float(signals.score[place]),
            bm25=_at(signals.bm25, place),
            keyword=_at(signals.keyword, place),
            graph=_at(signals.graph, place),
            fields=_at(signals.fields, place),
            reason=self._reason(said, found, int(signals.rows[place])),
            matched_terms=tuple(terms),
            matched_fields=tuple(name for name in FIELDS if name in found),
            text=_at(signals.text, place),
            key=passage.key if passage else -1,
            page_index=passage.page_index if passage else -1,
            passage=passage.text if passage else "",
        )

    def _reason(self, said: list[str], found: Mapping[str, list[str]], row: int) -> str:
        parts, told = list(said), set[str]()
        if row in self._notes:
            parts.append(self._notes[row])
        passage = self._signals.passages.get(row)
        if passage is not None:
            terms = {term for word in passage.words for term in analyse(word)}
            told.update(word for term, word in self._written.items() if term in terms)
            if passage.words:
                shown = ", ".join(f"“{word}”" for word in passage.words[:_PASSAGE_WORDS])
                more = " together" if len(passage.words) > 1 else ""
                parts.append(f"page {passage.page_index + 1} says {shown}{more}")
        for name in FIELDS:
            # A word is told where it says most: fields stand in the order of their weight.
            words = [word for word in dict.fromkeys(found.get(name, ())) if word not in told and is_telling(word)]
            told.update(words)
            if words:
                parts.append(f"{_SAID[name]} {', '.join(f'“{word}”' for word in words[:_WORDS])}")
        lender = self._signals.linked.get(row)
        if lender is not None:
            title = self._scorer.snapshot.titles(self._scorer.snapshot.rows_of([lender]))
            parts.append(
                f"linked to {_shorten_title(title[0])}" if title and title[0] else "linked to a strong candidate"
            )
        return "; ".join(parts) or "nothing on its card speaks of the question"


def _shorten_title(title: str) -> str:
    """A title as it fits a reason."""
    text = lower_capitals(title)
    return text if len(text) <= _TITLE_CHARACTERS else text[:_TITLE_CHARACTERS].rsplit(" ", 1)[0] + "…"


def _at(values: Array | None, place: int) -> float:
    return round(float(values[place]), 6) if values is not None else 0.0
