"""Series of documents (one title or issuer, other periods, versions, amendments) and which edition a question wants."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.text.analyser import analyse

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?:19|20)\d\d"
_DATE = re.compile(
    rf"\b(?P<y1>{_YEAR})[-/.](?P<m1>\d\d)(?:[-/.](?P<d1>\d\d))?\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{_MONTH})\.?,?\s+(?P<y2>{_YEAR})\b"
    rf"|\b(?P<m3>{_MONTH})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+(?P<y3>{_YEAR})\b"
    rf"|\b(?P<d5>\d{{1,2}})[./](?P<m5>\d{{1,2}})[./](?P<y5>{_YEAR})\b"
    rf"|\b(?P<m4>{_MONTH})\.?,?\s+(?P<y4>{_YEAR})\b",
    re.IGNORECASE,
)
_NAMED_MONTH = re.compile(rf"\b{_MONTH}\b", re.IGNORECASE)
_MONTH_THEN_DAY = re.compile(rf"\b{_MONTH}\s+\d{{1,2}},?\s+{_YEAR}\b", re.IGNORECASE)
_DAY_THEN_MONTH = re.compile(rf"\b\d{{1,2}}\s+{_MONTH},?\s+{_YEAR}\b", re.IGNORECASE)
_SLASHED = re.compile(rf"\b(\d{{1,2}})/(\d{{1,2}})/{_YEAR}\b")
_QUARTER = re.compile(
    rf"\bQ(?P<q1>[1-4])\W{{0,2}}(?:FY\s?)?(?P<y1>{_YEAR})\b|\b(?P<y2>{_YEAR})\W?Q(?P<q2>[1-4])\b"
    rf"|\b(?P<q3>first|second|third|fourth)[\s-]quarter(?:\s+of)?(?:\s+fiscal)?\s+(?P<y3>{_YEAR})\b",
    re.IGNORECASE,
)
_SEASON = re.compile(rf"\b(?P<first>{_YEAR})\s?[-/–]\s?(?P<last>(?:(?:19|20)\d\d|\d\d))\b(?![-/.\d])")
_TIME_OF_YEAR = re.compile(
    rf"\b(?P<season>spring|summer|autumn|fall|winter)\W{{1,2}}(?P<year>{_YEAR})\b", re.IGNORECASE
)
_SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_IN_SEASON = 32
"""Stands for the day of a season, whose month is its first: behind all days of that month."""
_BARE_YEAR = re.compile(rf"(?<![\d.,$#-])(?:FY\s?)?({_YEAR})(?![\d,.-]\d|\d)", re.IGNORECASE)
_TOLD_DATE = re.compile(
    r"(?:effective|valid|in force|applies|made|entered into|dated?|issued?|issue date|updated|revised|revision"
    r"|adopted|approved|published|publication|(?:year|period|quarter)(?:ly period)?s? ended|held on|meeting of|signed)"
    r"\b[^.\n|]{0,40}$",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"\b(?:v|ver|version|rev|revision|edition|issue|release)\.?[\s:#-]*(?:no\.?\s*)?(?P<number>\d{1,3}(?:\.\d{1,3})?)\b"
    r"|\b(?:rev|revision|edition|issue)\.?[\s:-]+(?P<letter>[A-H])\b"
    r"|\b(?P<ordinal>\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)"
    r"\s+(?:edition|version|issue|revision)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?<!amendment )(?<!addendum )(?<!supplement )(?:\bno\.?|\bnumber|\bnr\.?|#)\s?(?P<number>\d{1,4})\b"
    r"|(?<![\d.,$€£])\b(?P<dotted>\d{1,3}\.\d{1,2})(?:\.\d{1,3})?\b(?![.,]?\d|\s?%)",
    re.IGNORECASE,
)
"""A number that tells one of a series from the others in a title: "Bulletin No. 12", "Pump 2.10 release notes"."""
_NUMBER_OF_YEAR = re.compile(rf"\b\d{{1,3}}\s?/\s?{_YEAR}\b")
"""The number of one of a series within its year: "Circular 3/2020"."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_AMENDMENT = re.compile(
    r"\bamendment(?:\s+no\.?)?\s*(?P<number>\d{1,2})?\b|\bamended(?:\s+and\s+restated)?\b|\b(?:10-?[KQ]|8-?K|20-?F)/?A\b"
    r"|\baddendum\b|\bsupplement(?:\s+no\.?)?\s*\d{0,2}\b|\bcorrigendum\b",
    re.IGNORECASE,
)
_WITHDRAWN = re.compile(
    r"\b(?:superseded|withdrawn|obsolete|repealed|no longer (?:valid|in force|applicable)|expired|archived)\b",
    re.IGNORECASE,
)
_REPLACES_OTHER = re.compile(
    r"\b(?:has|have) (?:superseded|withdrawn|repealed)\b|\ball (?:earlier|previous)", re.IGNORECASE
)
_DRAFT = re.compile(r"\bdraft\b", re.IGNORECASE)
_NOISE = re.compile(
    rf"\b(?:{_MONTH}|FY\s?\d{{2,4}}|Q[1-4]|[12]H|H[12]|(?:first|second|third|fourth)[\s-]quarter|v\d+(?:\.\d+)*"
    r"|(?:rev|revision|edition|issue|release)\.?[\s:-]+[A-H](?=\b)|ver|version|rev|revision|edition|issue|release"
    r"|draft|final|copy|signed|scan(?:ned)?|old|new|updated|revised|current|latest|superseded|withdrawn|archived"
    r"|amendment|amended|restated|addendum|supplement|corrigendum|dated|effective|as of)\b",
    re.IGNORECASE,
)
_HEAD_DATE, _HEAD_VERSION = 2500, 800
"""Characters at the beginning of a document in which its date and its version are looked for; further on others are
mentioned. Chosen by reading covers of policies, manuals, minutes and filings."""
_TOP = 200
"""Characters at the very top, title and the line below it, in which a date needs no word such as "effective"."""
_YEAR_END = 1231
_MONTHS_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class Edition:
    """Which one of its series a document is.

    `day` is yyyymmdd, 0 when unknown; `version` 100 x major + minor, 0 when none is stated; `amendment` the number of
    an amendment, 0 for none.
    """

    day: int = 0
    version: int = 0
    amendment: int = 0
    is_withdrawn: bool = False
    is_draft: bool = False

    def encode(self) -> int:
        """The edition as one number that is kept in a snapshot."""
        flags = self.is_withdrawn | self.is_draft << 1
        return ((self.day << 16 | min(self.version, 0xFFFF)) << 8 | min(self.amendment, 0xFF)) << 2 | flags

    @classmethod
    def decode(cls, number: int) -> "Edition":
        """The edition of such a number."""
        body, flags = number >> 2, number & 3
        return cls(body >> 24, body >> 8 & 0xFFFF, body & 0xFF, bool(flags & 1), bool(flags & 2))

    def describe(self) -> str:
        """In words: "version 2.1", "12 March 2024", "2023"; "" when nothing is known."""
        parts = []
        if self.version:
            major, minor = divmod(self.version, 100)
            parts.append(f"version {major}.{minor}" if minor else f"version {major}")
        if self.day:
            parts.append(_describe_day(self.day))
        if self.amendment:
            parts.append("amended")
        return ", ".join(parts)


def _describe_day(day: int) -> str:
    year, rest = divmod(day, 10_000)
    if rest == _YEAR_END:
        return str(year)
    month, number = divmod(rest, 100)
    if number == _IN_SEASON:
        return f"{next(name for name, first in _SEASON_MONTHS.items() if first == month)} {year}"
    named = date(year, month, 1).strftime("%B")
    return f"{number} {named} {year}" if number else f"{named} {year}"


def read_head(document: CompiledDocument) -> str:
    """The beginning of a compiled document, in which its edition is looked for."""
    text = ""
    for page_index in range(min(2, len(document.pages))):
        text += document.page_text(page_index) + "\n"
    return text[:_HEAD_DATE]


def read_edition(*, title: str, name: str, card: Card, head: str) -> Edition:
    """The edition of a document, from its title, its file name, its typed fields and the beginning of its text."""
    named = f"{_part_words(name)}\n{title}"
    amendment = _AMENDMENT.search(named) or _AMENDMENT.search(head[:300])
    withdrawn = _WITHDRAWN.search(named) or _find_own_end(head[:_HEAD_VERSION])
    return Edition(
        day=_find_day(named, card, head),
        version=_find_version(named) or _find_version(head[:_HEAD_VERSION]) or _find_number(named),
        amendment=int(amendment.groupdict().get("number") or 1) if amendment else 0,
        is_withdrawn=bool(withdrawn),
        is_draft=bool(_DRAFT.search(named)),
    )


def _find_own_end(text: str) -> bool:
    """Whether a text says of its own document that it no longer holds; what it replaces is another one."""
    for match in _WITHDRAWN.finditer(text):
        around = text[max(0, match.start() - 40) : match.end() + 10]
        if not _REPLACES_OTHER.search(around) and re.search(
            r"\b(?:this|is|was|been|status|document)\b[^.\n]*$",
            around[: match.start() - max(0, match.start() - 40)],
            re.I,
        ):
            return True
        if match.group().isupper():
            return True
    return False


def _part_words(name: str) -> str:
    stem = re.sub(r"\.[A-Za-z0-9]{1,5}$", "", name)
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=(?:19|20)\d\d)(?=Q[1-4])|(?<=[A-Za-z])(?=(?:19|20)\d\d)", " ", stem)
    spaced = re.sub(r"[_+]+|(?<=\D)-|-(?=\D)", " ", spaced)
    return re.sub(r"(?<=[A-Za-z])-(?=\d{4})|(?<=\d)-(?=[A-Za-z])", " ", spaced)


def _find_day(named: str, card: Card, head: str) -> int:
    """The day in the name, else the one the text says it is of, else that of the typed fields."""
    beginning = head[:_HEAD_DATE]
    is_month_first = _writes_month_first(f"{named}\n{beginning}")
    day = find_day(named, is_month_first=is_month_first)
    told = next((m for m in _DATE.finditer(beginning) if _TOLD_DATE.search(beginning[: m.start()])), None)
    dated = _day_of(told, is_month_first) if told else 0
    if day and (not dated or dated // 10_000 != day // 10_000 or day % 10_000 != _YEAR_END):
        return day
    early = _DATE.search(beginning[:_TOP])
    if dated or early is not None:
        return dated or (_day_of(early, is_month_first) if early else 0)
    fields = card.fields
    if fields.years:
        own = [int(each.replace("-", "")) for each in fields.dates if each.startswith(str(fields.years[0]))]
        quarter = int(fields.quarters[0][1]) if fields.quarters else 0
        return fields.years[0] * 10_000 + (_end_of(quarter) if quarter else own[0] % 10_000 if own else _YEAR_END)
    return int(fields.dates[0].replace("-", "")) if fields.dates else 0


def _writes_month_first(text: str) -> bool:
    """Whether 02/09/2023 is the ninth of February in this text: by a date that can be read in one way only, else by
    how it writes dates in words."""
    for first, second in _SLASHED.findall(text):
        if max(int(first), int(second)) > _MONTHS_A_YEAR:
            return int(second) > _MONTHS_A_YEAR
    return len(_MONTH_THEN_DAY.findall(text)) > len(_DAY_THEN_MONTH.findall(text))


def find_day(text: str, *, is_month_first: bool = False) -> int:
    """The first date, quarter or year of a text as yyyymmdd; a year is its last day; 0 when there is none.

    Of two years such as 2022-23 the first counts: the document holds from then on.
    """
    if match := _QUARTER.search(text):
        found = match.groupdict()
        word = next(found[name] for name in ("q1", "q2", "q3") if found[name])
        quarter = int(word) if word.isdigit() else _ORDINALS.index(word.casefold()) + 1
        return int(next(found[name] for name in ("y1", "y2", "y3") if found[name])) * 10_000 + _end_of(quarter)
    if (match := _SEASON.search(text)) and (int(match["last"]) - int(match["first"])) % 100 == 1:
        return int(match["first"]) * 10_000 + _YEAR_END
    if match := _TIME_OF_YEAR.search(text):
        return int(match["year"]) * 10_000 + _SEASON_MONTHS[match["season"].casefold()] * 100 + _IN_SEASON
    if match := _DATE.search(text):
        return _day_of(match, is_month_first)
    years = [int(year) for year in _BARE_YEAR.findall(text)]
    return max(years) * 10_000 + _YEAR_END if years else 0


def _end_of(quarter: int) -> int:
    return (331, 630, 930, _YEAR_END)[quarter - 1]


def _day_of(match: re.Match[str], is_month_first: bool = False) -> int:
    found = match.groupdict()
    number = next(n for n in "12345" if found.get(f"y{n}"))
    month = found[f"m{number}"]
    at = int(month) if month.isdigit() else _MONTHS.index(month[:3].casefold()) + 1
    day = int(found.get(f"d{number}") or 0)
    if at > _MONTHS_A_YEAR or (is_month_first and "/" in match.group() and number == "5" and day <= _MONTHS_A_YEAR):
        at, day = day, at
    return int(found[f"y{number}"]) * 10_000 + at * 100 + day if 1 <= at <= _MONTHS_A_YEAR and day <= 31 else 0


def _find_version(text: str) -> int:
    match = _VERSION.search(text)
    if match is None:
        return 0
    if match["letter"]:
        return 100 * (ord(match["letter"].upper()) - ord("A") + 1)
    if match["ordinal"]:
        word = match["ordinal"].casefold()
        return 100 * (_ORDINALS.index(word) + 1 if word in _ORDINALS else int(re.sub(r"\D", "", word)))
    major, _, minor = match["number"].partition(".")
    return 100 * int(major) + int((minor or "0")[:2])


def _find_number(named: str) -> int:
    """The number in a title or file name, as a version; dates are no numbers."""
    match = _NUMBERED.search(_DATE.sub(" ", named))
    if match is None:
        return 0
    major, _, minor = (match["number"] or match["dotted"]).partition(".")
    return 100 * int(major) + int(minor or 0)


def series_core(text: str) -> str:
    """A title or file name without its period and version, analysed: "Travel Policy v3 (2024)" is "travel polici"."""
    plain = _part_words(text)
    for pattern in (
        _QUARTER,
        _SEASON,
        _TIME_OF_YEAR,
        _DATE,
        _NUMBER_OF_YEAR,
        _VERSION,
        _AMENDMENT,
        _NUMBERED,
        _BARE_YEAR,
    ):
        plain = pattern.sub(" ", plain)
    return " ".join(analyse(_NOISE.sub(" ", plain)))


class Recency(StrEnum):
    """Which edition of a series a question wants."""

    LATEST = "latest"
    PREVIOUS = "previous"
    OLDEST = "oldest"
    NAMED = "named"
    AS_OF = "as of"
    BETWEEN = "between"


@dataclass(frozen=True, slots=True)
class WantedEdition:
    """The edition that a question asks for; `first` and `last` are days (yyyymmdd) for AS_OF and BETWEEN, `version` is
    that of NAMED."""

    recency: Recency
    first: int = 0
    last: int = 0
    version: int = 0
    said: str = ""
    """The words of the question that say so."""


_KINDS = (
    r"(?:version|edition|revision|issue|release|report|filing|policy|policies|handbook|manual|guide|minutes|meeting"
    r"|agreement|contract|lease|statement|plan|protocol|price list|list|rules?|regulations?|procedure|notice|bulletin"
    r"|newsletter|letter|schedule|tariff|catalogue|assessment|audit|inspection|review|inventory|register|terms|document"
    r"|10-?k|10-?q|8-?k|20-?f|accounts|results|quarter|fiscal year|financial year|year|amendment|memo|circular|budget"
    r"|survey|record|log|specification|brochure|prospectus|return|certificate|permit|licen[cs]e|order|directive"
    r"|standard|code|charter|bylaws?|by-laws?|agenda|summary|update|(?:data|fact)[\s-]?sheet|catalog|budget|menu"
    r"|timetable|syllabus|curriculum|calendar|rulebook|constitution|statement of work|roadmap|playbook|template|form"
    r"|notes)s?"
)
_ONE_OF_SERIES = (
    r"(?:version|edition|issue|release|revision|protocol|policy|handbook|manual|guide|catalogue?|price list|tariff"
    r"|brochure|prospectus|(?:data|fact)[\s-]?sheet|bulletin|newsletter|rules|rulebook|terms|minutes|annual report"
    r"|statement of work|budget|timetable|syllabus|curriculum|plan)"
)
"""Kinds of document of which "the first" means the first of a series; a first notice or inspection is an event."""
_NEWEST = r"(?:current|latest|present|most[\s-]recent|newest|last|new)"
_QUALIFIED = r"(?:(?!(?:in|of|to|the|on|for|and|as|at|by|from|with)\b)[\w'’-]+\s+){0,3}"
"""Words that may stand between "previous" and the kind of document it is said of."""
_LATEST = re.compile(
    r"(?<!at the )(?<!at their )\b(?:latest|most[\s-]recent(?:ly)?|newest|up[\s-]to[\s-]date|last published"
    r"|currently|presently|at present|nowadays|these days|right now|as (?:things|it) stands?"
    r"|now in force|in force (?:now|today)|as (?:of|at) today|today)\b"
    rf"|\bcurrent(?!\s+(?:assets?|liabilit|ratio|portion|maturit|tax|expenses?|account|debt|income|period|market|and))\b"
    rf"|\blast\s+{_QUALIFIED}{_KINDS}\b(?!\s+(?:of|in|before|page|day)\b)",
    re.IGNORECASE,
)
_CHANGED = r"(?:revised|amended|updated|replaced|superseded|reissued|withdrawn)"
_PREVIOUS = re.compile(
    r"\b(?:previous|prior|preceding|former|earlier|penultimate|last but one|next to last|second[\s-](?:latest|last)|old"
    rf"|superseded|outgoing|outdated|out[\s-]of[\s-]date)\s+{_QUALIFIED}{_KINDS}\b"
    rf"|\b(?:before|prior to|preceding|ahead of)\s+(?:(?:the|its|their|this|that)\s+)?{_NEWEST}"
    rf"\s+{_QUALIFIED}(?:{_KINDS}|one)\b"
    rf"|\b(?:replaced|superseded) by\s+(?:the\s+)?{_NEWEST}\s+{_QUALIFIED}(?:{_KINDS}|one)\b"
    rf"|\b{_KINDS}\b[^?.;]{{0,60}}?\bbefore last\b|\blast\s+{_QUALIFIED}{_KINDS} but one\b"
    rf"|\b(?:before|until) [^?.;]{{0,40}}?\b(?:was|were) (?:last )?{_CHANGED}\b"
    rf"|\b(?:one|an?) {_QUALIFIED}(?:week|month|quarter|year|version|edition|issue|release|revision)"
    rf" (?:earlier than|before)\s+(?:the\s+)?{_NEWEST}\b",
    re.IGNORECASE,
)
_NOT_DOCUMENTS = re.compile(
    r"\b(?:(?:fiscal |financial )?(?:years?|quarters?)|(?:previous|prior|preceding|former|earlier|old) notice)$",
    re.IGNORECASE,
)
_OLDEST = re.compile(
    rf"\b(?:oldest|original|first published|very first|first ever|earliest)\s+{_QUALIFIED}{_KINDS}\b"
    rf"|\b(?:first|initial)\s+(?:(?:published|approved|issued|ever)\s+)?{_ONE_OF_SERIES}\b",
    re.IGNORECASE,
)
_AS_OF = re.compile(
    r"\b(?:as (?:of|at)|in force (?:on|in|at)|valid (?:on|in)|applied (?:on|in)|effective (?:on|in)|on|in|at)\s+$", re.I
)
_HELD = re.compile(r"\b(?:appl(?:y|ied|ies)|in force|valid|effective|held)\b", re.IGNORECASE)
"""Words of what holds for a time: with them a bare year asks for what was in force then."""
_IN_YEAR = re.compile(rf"\b(?P<how>in|during|throughout|before)\s+(?P<year>{_YEAR})\b(?![-/.]\d)", re.IGNORECASE)
_MID_MONTH = re.compile(r"\bmid(?:dle)?\b", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\b(?:between|from|since)\s+(?P<first>[^?.,]{4,40}?)\s+(?:and|to|until|through|till)\s+(?P<last>[^?.,]{4,30})",
    re.IGNORECASE,
)


def read_wanted_edition(question: str) -> WantedEdition | None:
    """The edition that a question asks for in words; None when it asks for none."""
    if wanted := _read_stretch(question) or _read_year_of_change(question):
        return wanted
    if (match := _PREVIOUS.search(question)) and not _NOT_DOCUMENTS.search(match.group()):
        return WantedEdition(Recency.PREVIOUS, said=match.group())
    if match := _OLDEST.search(question):
        return WantedEdition(Recency.OLDEST, said=match.group())
    if (match := _VERSION.search(question)) and (version := _find_version(match.group())):
        return WantedEdition(Recency.NAMED, version=version, said=match.group())
    for match in _DATE.finditer(question):
        if _AS_OF.search(question[: match.start()]) and (day := _day_of(match)):
            return WantedEdition(Recency.AS_OF, last=day if day % 100 else day + 31, said=match.group())
    if match := _LATEST.search(question):
        return WantedEdition(Recency.LATEST, said=match.group())
    match = _IN_YEAR.search(question) if _HELD.search(question) else None
    return _read_year(match) if match else None


def _read_year_of_change(question: str) -> WantedEdition | None:
    """What held until a change in a year that is named: "before it was superseded in 2023"."""
    change, year = _PREVIOUS.search(question), _IN_YEAR.search(question)
    is_told = change is not None and year is not None and re.search(_CHANGED + r"\s+$", question[: year.start()], re.I)
    if change is None or year is None or not is_told:
        return None
    before = int(year["year"]) - 1
    return WantedEdition(Recency.AS_OF, last=before * 10_000 + _YEAR_END, said=str(before))


def _read_year(match: re.Match[str]) -> WantedEdition:
    """What was in force at the end of a year, or of the one before it."""
    year = int(match["year"]) - (match["how"].casefold() == "before")
    return WantedEdition(Recency.AS_OF, last=year * 10_000 + _YEAR_END, said=str(year))


def _read_stretch(question: str) -> WantedEdition | None:
    """The stretch of time that a question names; "between March and May 2023" says the year once."""
    match = _BETWEEN.search(question)
    if match is None:
        return None
    last = find_day(match["last"])
    first = find_day(match["first"])
    if last and not first and _NAMED_MONTH.search(match["first"]):
        first = find_day(f"{match['first']} {last // 10_000}")
    if not first or not last:
        return None
    first += 15 if first % 100 == 0 and _MID_MONTH.search(match["first"]) else 0
    first = first // 10_000 * 10_000 + 101 if first % 10_000 == _YEAR_END else first
    return WantedEdition(Recency.BETWEEN, first, last if last % 100 else last + 31, said=match.group())


def order_editions(editions: Sequence[Edition]) -> list[int]:
    """Places of editions of one series, the oldest first; where all state a version it decides, else the day."""
    all_versions = all(edition.version for edition in editions)

    def key(place: int) -> tuple[int, int, int, int]:
        edition = editions[place]
        first, second = (edition.version, edition.day) if all_versions else (edition.day, edition.version)
        return first, second, edition.amendment, place

    return sorted(range(len(editions)), key=key)


def choose_editions(editions: Sequence[Edition], wanted: WantedEdition | None) -> list[int]:
    """Places of the editions that are wanted, the best first; without a wish the latest that is in force.

    Drafts and withdrawn editions count only where nothing else is left, or when every edition is asked for.
    """
    order = order_editions(editions)
    valid = [place for place in order if not editions[place].is_withdrawn and not editions[place].is_draft] or order
    if wanted is None or wanted.recency is Recency.LATEST:
        return _with_base(valid, editions)
    if wanted.recency is Recency.PREVIOUS:
        latest = valid[-1]
        before = [place for place in order if place != latest and not editions[place].is_draft]
        return before[-1:]
    if wanted.recency is Recency.OLDEST:
        return order[:1]
    if wanted.recency is Recency.NAMED:
        return [place for place in reversed(order) if editions[place].version == wanted.version]
    if wanted.recency is Recency.AS_OF:
        then = [place for place in order if 0 < editions[place].day <= wanted.last and not editions[place].is_draft]
        return _with_base(then, editions)
    within = [place for place in order if wanted.first <= editions[place].day <= wanted.last]
    return within[::-1]


def _with_base(order: Sequence[int], editions: Sequence[Edition]) -> list[int]:
    """The last edition; an amendment with what it amends, since the rest of that still holds."""
    chosen: list[int] = []
    for place in reversed(order):
        chosen.append(place)
        if not editions[place].amendment:
            break
    return chosen
