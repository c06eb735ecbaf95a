"""A card as a row of the snapshot: its words, keys and names, and its links to documents with the same keywords."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.finding.routing.editions import Edition, read_edition, series_core, split_file_name
from vectorless_web.engine.finding.routing.lexical import key_idf
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import MAX_COUNT, CardPlace, Edges, encode_row, key_hash, term_hash
from vectorless_web.engine.questions.editions import edition_words, family_of, glue_kind
from vectorless_web.engine.text.analyser import analyse

_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*")
_POSSESSIVE, _POINTS = re.compile(r"['’]s$"), re.compile(r"[.'’]")
_LONGEST_NAME = 5
"""Words of a name that begins a title; more are a sentence."""
_BLENDS = ((2, 2), (3, 2), (2, 3), (3, 3), (3, 4), (4, 4))
"""Letters taken from the first and the second word of a name to make a nickname, as in "FedEx" (3, 2)."""
_FIRST_WORD, _INITIALS, _TWO_INITIALS = 0.75, 0.7, 0.5
"""How sure a guess is that a name is meant by its first word, by three or more initials, by two: the fewer letters, the
more names share them."""
_INITIALS_WITH_AND, _INITIALS_WITH_N, _BLEND = 0.7, 0.4, 0.45
"""The same for two initials with an n between them, when the name has an "and" and when not, and for a blend."""
_SHORTEST_PREFIX, _LONGEST_PREFIX = 3, 10
"""Letters of a name's beginning by which it may be meant: two would be too many names', and ten are nearly all of
one."""


def fold_words(name: str) -> list[str]:
    """The words of a name, lower case, without accents, points, apostrophes and possessive s."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    found = (_POSSESSIVE.sub("", match.group()) for match in _WORD.finditer(plain))
    return [_POINTS.sub("", word) for word in found]


def glue_words(words: Sequence[str]) -> str:
    """The words joined, without linking words: "Sea-Salter", "sea salter" and "SeaSalter" become one key."""
    return "".join(word for word in words if word not in edition_words().linking)


def core_key(name: str) -> str:
    """The glued name without its legal form and numbers beside it."""
    return glue_words(_without_legal_form(_list_name_words(fold_words(name))))


def _list_name_words(words: list[str]) -> list[str]:
    """The words without numbers, which come from dates and file numbers beside a name; all when none is left."""
    return [word for word in words if not word.isdigit()] or words


def is_kind_word(key: str) -> bool:
    """Whether a core key is a kind of document and no name: "handbook" of "handbook-0041.pdf"."""
    return key in edition_words().title_kinds


def name_in_title(title: str) -> str:
    """The name a title begins with ("Fakete Works" of "Fakete Works Annual Report 2019"), or "".

    It ends before a number or a word that says what kind of document it is.
    """
    name: list[str] = []
    for word in title.split():
        plain = word.strip(",;:()").casefold()
        if plain in edition_words().title_kinds or not plain or any(character.isdigit() for character in plain[1:]):
            break
        name.append(word.strip(",;:()"))
    is_name = 0 < len(name) <= _LONGEST_NAME and name[0][0].isupper() and name != title.split()
    return " ".join(name) if is_name else ""


def spellings(name: str) -> dict[str, float]:
    """Keys by which a question may name an organisation -> how sure it is that the key means it, in (0, 1].

    The name without its legal form is certain; its first word, its initials (also with n for "and") and blends of its
    first two words are guesses, of use only when the question writes exactly that.
    """
    folded = fold_words(name)
    words = _list_name_words(folded)
    core = _without_legal_form(words)
    keys: dict[str, float] = {glue_words(folded): 1.0}
    for key, certainty in _guess_spellings(name, words, core):
        if len(key) > 1:
            keys[key] = max(certainty, keys.get(key, 0.0))
    return keys


def _without_legal_form(words: list[str]) -> list[str]:
    core = list(words)
    while len(core) > 1 and (core[-1] in edition_words().legal | edition_words().linking):
        core.pop()
    return core


def _guess_spellings(name: str, words: list[str], core: list[str]) -> Iterator[tuple[str, float]]:
    yield glue_words(words), 1.0
    yield glue_words(core), 1.0
    telling = [word for word in core if word not in edition_words().linking]
    if len(telling) < 2:
        return
    if len(telling[0]) > 2 and telling[0] not in edition_words().legal:
        yield telling[0], _FIRST_WORD
    initials = "".join(word[0] for word in telling)
    yield initials, _INITIALS if len(initials) > 2 else _TWO_INITIALS
    if len(telling) == 2:
        has_and = "&" in name or " and " in name.casefold()
        yield f"{telling[0][0]}n{telling[1][0]}", _INITIALS_WITH_AND if has_and else _INITIALS_WITH_N
    for first, second in _BLENDS:
        if len(telling[0]) > first and len(telling[1]) > second:
            yield telling[0][:first] + telling[1][:second], _BLEND


def prefixes(key: str) -> list[str]:
    """Beginnings of a glued name by which it may be meant: "tarvi" for "tarvico"."""
    return [key[:length] for length in range(_SHORTEST_PREFIX, min(len(key) - 1, _LONGEST_PREFIX) + 1)]


ENTITY, PREFIX, YEAR, QUARTER, FORM, DATE, KEYWORD = "entity", "prefix", "year", "quarter", "form", "date", "keyword"
SERIES = "series"
_LATER_NAME = 0.85
"""How sure a name is that does not stand first on the card, as a share. Measured: at 0.425, 59 questions commit instead
of 53, all rightly; 1.0 changes no first document. Kept because a second party of a contract is as much its subject as
the first."""
_YEAR_CERTAINTY = (1.0, 0.6, 0.45, 0.3)
"""How sure it is that a document is about each of its card's years, the first of which is its own; later ones are
mostly years compared with. Further years make no key."""
_PREFIXED_NAMES = 2
"""Names of a card, the first ones, that count in its title and may be found by their beginnings."""
_LATER_FORM = 12
"""Strength (of MAX_COUNT, 31) of a kind of document that does not stand first on the card."""
_TAG, _TOPIC = 31, 20
"""Strengths (of MAX_COUNT, 31) of a card's tags, which were chosen, and of its topics, which were counted."""

Keys = dict[tuple[str, str], int]


def card_row(
    doc_id: int,
    card: Card,
    keywords: Iterable[str] = (),
    *,
    name: str = "",
    edges: Edges = (),
    edition: Edition | None = None,
) -> bytes:
    """The snapshot row of a card. `name` is the file name; `keywords` join the card's topics.

    The topic map stands in for the body, each keyword as often as it has nodes, until the snapshot knows the words of
    the document. Without an `edition` it is read from title, name and fields.
    """
    title = card.title or name
    terms = {
        "title": analyse(f"{title} {split_file_name(name)} {' '.join(card.fields.entities[:_PREFIXED_NAMES])}"),
        "tags": analyse("\n".join(card.topic_tags)),
        "hints": analyse("\n".join(card.question_hints)),
        "overview": analyse(card.overview),
        "sections": analyse("\n".join(f"{line.title}\n{line.description}" for line in card.sections)),
        "body": [topic for topic, nodes in card.topics.items() for _ in range(min(len(nodes), MAX_COUNT))],
    }
    subject = core_key((card.fields.entities or (name_in_title(card.title),))[0])
    series = _name_series(card, subject, title, name)
    keys = {**_keyword_keys(card, keywords), **_field_keys(card, name), **dict.fromkeys(series, MAX_COUNT)}
    known = edition or read_edition(title=title, name=name, card=card, head="")
    if known.day and not card.fields.years:
        keys[YEAR, str(known.day // 10_000)] = MAX_COUNT
    place = CardPlace(
        key_hash(ENTITY, subject) if subject else 0, tuple(key_hash(*key) for key in series), known.encode()
    )
    return encode_row(doc_id, terms, keys=keys, edges=edges, title=title, place=place)


def _name_series(card: Card, subject: str, title: str, name: str) -> list[tuple[str, str]]:
    """Keys of the series that a document may be one of: by its title, its file name, its subject and kind."""
    cores = dict.fromkeys(core for core in (series_core(title), series_core(name)) if core)
    families = [family_of(form) for form in card.fields.forms[:1]]
    # "handbook" of "handbook-0041.pdf" is a kind and no issuer: every numbered file would be of one series.
    is_issuer = bool(subject) and glue_kind(subject) not in edition_words().families and not is_kind_word(subject)
    of_subject = [f"{subject}\n{family}" for family in families if is_issuer]
    return [(SERIES, key) for key in (*cores, *of_subject)]


def keyword_units(phrase: str) -> list[str]:
    """The units a keyword or concept is compared by: its words, and the phrase when it has several."""
    words = analyse(phrase)
    return [*dict.fromkeys(words), " ".join(words)] if len(words) > 1 else words


def rank_tags(card: Card, snapshot: Snapshot) -> list[str]:
    """The card's topic tags, those first that fewest documents of the workspace share; equally rare ones as they were.

    What a document is compiled with cannot know the others: "general terms" heads every agreement of some workspaces.
    """
    weights = {
        tag: max((key_idf(snapshot, key_hash(KEYWORD, unit)) for unit in keyword_units(tag)), default=0.0)
        for tag in card.topic_tags
    }
    return sorted(card.topic_tags, key=lambda tag: -round(weights[tag], 9))


def _keyword_keys(card: Card, keywords: Iterable[str]) -> Keys:
    keys: Keys = {(KEYWORD, topic): _TOPIC for topic in card.topics}
    for phrase in keywords:
        keys |= {(KEYWORD, unit): _TOPIC for unit in keyword_units(phrase)}
    for tag in card.topic_tags:
        keys |= {(KEYWORD, unit): _TAG for unit in keyword_units(tag)}
    return keys


def _field_keys(card: Card, name: str) -> Keys:
    fields = card.fields
    keys = _entity_keys(card, name)
    for year, certainty in zip(fields.years, _YEAR_CERTAINTY, strict=False):
        keys[YEAR, str(year)] = _strength(certainty)
    for quarter in fields.quarters:
        keys[QUARTER, quarter.upper()] = MAX_COUNT
    for place, family in enumerate(dict.fromkeys(map(family_of, (*_find_named_forms(name), *fields.forms)))):
        keys[FORM, family] = MAX_COUNT if place == 0 else _LATER_FORM
    for date in fields.dates:
        keys[DATE, date] = MAX_COUNT
    return keys


def _find_named_forms(name: str) -> list[str]:
    """Words of the file name that are kinds of document, such as EARNINGS or 10Q."""
    return [word for word in split_file_name(name).split() if family_of(word) != word.casefold()]


def _entity_keys(card: Card, name: str) -> Keys:
    keys: Keys = {}
    titled = name_in_title(card.title)
    for place, entity in enumerate((*card.fields.entities, *([titled] if titled else []))):
        certainty = 1.0 if place < _PREFIXED_NAMES or entity == titled else _LATER_NAME
        for key, likely in spellings(entity).items():
            keys[ENTITY, key] = max(_strength(certainty * likely), keys.get((ENTITY, key), 0))
        if place < _PREFIXED_NAMES:
            keys |= {(PREFIX, start): MAX_COUNT for start in prefixes(glue_words(fold_words(entity)))}
    return keys


def _strength(certainty: float) -> int:
    return max(1, round(MAX_COUNT * certainty))


MIN_SHARED = 2
"""Telling keywords that two documents share at least to be linked: one may be chance."""
MAX_LINKS = 20
"""Links stored for a document, the strongest; bounds the size of a snapshot."""
_MOST_KEYWORDS = 60
"""Keywords of a card, the most telling ones, that make links."""
_COMMON_SHARE, _MANY = 0.2, 2000
"""Share and number of the other documents above which a keyword is filler and makes no link: beside fewer than five,
nothing tells what is rare."""


def links_for(
    card: Card, snapshot: Snapshot, *, doc_id: int, keywords: Iterable[str] = ()
) -> list[tuple[int, float, list[str]]]:
    """Links of one document: (document id, weight in (0, 1], shared keywords), strongest first, at most MAX_LINKS.

    The weight is the idf of the shared keywords over that of as many of the card's most telling ones as make links,
    those that no other document has among them. Costs as much as the postings of those keywords, not of the corpus.
    """
    known = _weigh_keywords(card, snapshot, keywords)
    telling = _find_rare_keywords(known, snapshot, doc_id)
    if not telling:
        return []
    whole = sum(sorted((weight or 1.0 for weight in known.values()), reverse=True)[:_MOST_KEYWORDS])
    rows = [np.unique(snapshot.key_postings(key_hash(KEYWORD, keyword)).rows) for keyword in telling]
    weights = np.concatenate(
        [np.full(len(found), telling[keyword]) for keyword, found in zip(telling, rows, strict=True)]
    )
    owners, place, shared = np.unique(np.concatenate(rows), return_inverse=True, return_counts=True)
    totals = np.bincount(place, weights=weights) / whole
    ids = snapshot.row_ids(owners)
    kept = np.flatnonzero((shared >= MIN_SHARED) & (ids != doc_id))
    order = kept[np.lexsort((ids[kept], -np.round(totals[kept], 9)))][:MAX_LINKS]
    return [
        (
            int(ids[i]),
            min(float(totals[i]), 1.0),
            [k for k, found in zip(telling, rows, strict=True) if owners[i] in found],
        )
        for i in order
    ]


def _weigh_keywords(card: Card, snapshot: Snapshot, keywords: Iterable[str]) -> dict[str, float]:
    """The card's keywords with their idf, 0 where no card has them. A number is none: "1.1" is a heading everywhere."""
    units = dict.fromkeys([*card.topics, *(u for k in (*card.topic_tags, *keywords) for u in keyword_units(k))])
    return {u: key_idf(snapshot, key_hash(KEYWORD, u)) for u in units if any(letter.isalpha() for letter in u)}


def _find_rare_keywords(known: Mapping[str, float], snapshot: Snapshot, doc_id: int) -> dict[str, float]:
    """The most telling of the keywords, by falling idf: few other cards have them, and few other texts say them."""
    own = len(snapshot.rows_of([doc_id]))
    most = min(_COMMON_SHARE * (len(snapshot) - own), _MANY)
    rare = [unit for unit, weight in known.items() if weight > 0 and _count_saying(unit, snapshot) - own <= most]
    rare.sort(key=lambda unit: (-known[unit], unit))
    return {unit: known[unit] for unit in rare[:_MOST_KEYWORDS]}


def _count_saying(unit: str, snapshot: Snapshot) -> int:
    """Documents that have a keyword or say it in their text; of a phrase, those that say its rarest word."""
    said = min(snapshot.frequency(term_hash(word)) for word in unit.split())
    return max(snapshot.key_frequency(key_hash(KEYWORD, unit)), said)
