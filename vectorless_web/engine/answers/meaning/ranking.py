"""Comparisons a claim makes over quoted rows: what is highest or lowest, and what rose or fell."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.answers.meaning.cells import (
    QuotedCell,
    QuotedRow,
    TableClaim,
    column_names,
)
from vectorless_web.engine.answers.meaning.wording import (
    Told,
    content_stems,
    find_mentions,
    numbers_told,
    quote_label,
    split_clauses,
    terms_of,
)
from vectorless_web.engine.text.numbers import numbers_in

_HIGHEST = re.compile(
    r"\b(?:highest|largest|biggest|greatest|most\s+(?:expensive|frequent|common|often)|costliest|dearest|heaviest"
    r"|longest"
    r"|tallest|maximum\s+of\s+all|(?:the|shipped|sold|had)\s+most|peaked|peak|best\s+(?:\w+\s+)?(?:rate|score|result|rating|mark|return|attendance))\b"
    r"|^\W*most\s+(?!of\b|recent|likely|important)\w+s\b",
    re.I,
)
_LOWEST = re.compile(
    r"\b(?:lowest|smallest|cheapest|fewest|least\s+(?:expensive|frequent|common|often)|lightest|shortest"
    r"|worst\s+(?:\w+\s+)?(?:rate|score|result|rating|mark|return|attendance)"
    r"|the\s+least)\b",
    re.I,
)
_NOT_RANKED = re.compile(
    r"\b(?:second|third|fourth|2nd|3rd|next|one\s+of\s+the|among|not\s+the|at\s+(?:the\s+)?(?:most|least|latest)"
    r"|at\s+the\s+(?:longest|shortest|highest|lowest|earliest)|(?:most|least|highest|lowest)\s+(?:that|you|we|they|it|anyone"
    r"|one|(?:the|a|an|your|our)\s+\w+\s+(?:may|can|will|must|pays?|allows?))|most\s+(?:of"
    r"|recent)"
    r"|part\s+of)\b",
    re.I,
)
_SUM_ROW = re.compile(r"\b(?:total|totals|all|sum|overall|average|mean|median|net|combined|subtotal)\b", re.I)

_UP = (
    r"increas\w*|ris(?:e|es|ing|en)|rose|gr[eo]w|grows|grown|growing|growth|climb\w*|jump\w*|surg\w*|soar\w*|gained"
    r"|rais(?:es|ed)|expand(?:s|ed)|doubled|tripled|went\s+up|go(?:es)?\s+up|gone\s+up|up\s+(?:by|from)|(?:was|were|is|are)\s+up|up\s+(?=[$€£]?\d)"
)
_DOWN = (
    r"decreas\w*|declin\w*|fell|falls|fallen|falling|drop(?:s|ped|ping)?|reduc\w*|shrank|shrinks?|shrunk|slump\w*"
    r"|plung\w*|cuts?|slashed|halved|lowers|lowered|went\s+down|go(?:es)?\s+down|gone\s+down|down\s+(?:by|from)"
    r"|(?:was|were|is|are)\s+down|down\s+(?=[$€£]?\d)"
)
_RISES = re.compile(rf"\b(?:{_UP})(?!\w)", re.I)
_FALLS = re.compile(rf"\b(?:{_DOWN})(?!\w)|(?<=\bto\s)fall\b", re.I)
_COMPARATIVE_UP = re.compile(
    r"\b(?:was|were|is|are|came\s+in)\s+(?:\w+\s+)?(?:higher|larger|greater|bigger)\s+than\b", re.I
)
_COMPARATIVE_DOWN = re.compile(
    r"\b(?:was|were|is|are|came\s+in)\s+(?:\w+\s+)?(?:lower|smaller|less|fewer)\s+than\b", re.I
)
_EARLIER = re.compile(
    r"\b(?:year\s+(?:earlier|before|ago)|(?:previous|prior|preceding|last)\s+(?:year|quarter|period)|in\s+(?:19"
    r"|20)\d\d)",
    re.I,
)
_ANSWER = re.compile(r"^\W*(?:yes|no)\b\s*[,.;:–—-]+\s*", re.I)
_CAUSE = re.compile(
    r"\b(?:because|due\s+to|despite|although|offset|thanks\s+to|driven|as\s+a\s+result|owing|reflecting)\b", re.I
)
_NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|without|than\s+expected|slow\w*|rate\s+of)\b|n['’]t\b", re.I)
_NUMBER = r"(?:(?:EUR|USD|GBP|CHF|JPY|NOK|SEK|US)\s?)?(?:[$€£¥]?\s?\(?\d[\d,.]*\d|[$€£¥]?\s?\d)"


def direction_of(text: str) -> int:
    """1 when a text says that something rises, -1 when it falls, 0 when it says neither, both, or denies it."""
    told = _CAUSE.split(_ANSWER.sub("", text))[0]
    if _NEGATED.search(told):
        return 0
    rises, falls = bool(_RISES.search(told)), bool(_FALLS.search(told))
    return 0 if rises == falls else 1 if rises else -1


def said_directions(text: str) -> frozenset[int]:
    """Every direction that a text has a word for."""
    return frozenset(sign for sign, pattern in ((1, _RISES), (-1, _FALLS)) if pattern.search(text))


def find_comparison_mismatches(claim: TableClaim) -> Iterator[str]:
    """A superlative that another row or column holds; a rise told of a fall in the quoted row."""
    yield from _wrong_superlatives(claim)
    yield from _wrong_trends(claim)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One of the things compared: its name and its value."""

    name: str
    value: Decimal


def _ranked_entries(claim: TableClaim) -> tuple[QuotedCell, list[_Entry]] | None:
    """The cell that a superlative is told of, and what it is ranked among; None without a plain superlative."""
    if not _superlative(claim.text) or len(claim.rows) != 1:
        return None
    quoted_row = claim.rows[0]
    cells = [cells[0] for _, cells in claim.cells if len(cells) == 1]
    cell = cells[0] if cells else _named_cell(claim, quoted_row)
    if cell is None:
        return None
    return cell, _columns(quoted_row) if _is_over_columns(claim, cell) else _rows(cell)


def _wrong_superlatives(claim: TableClaim) -> Iterator[str]:
    sign, found = _superlative(claim.text), _ranked_entries(claim)
    if found is None:
        return
    cell, entries = found
    own = next((entry for entry in entries if entry.value == cell.value), None)
    best = max(entries, key=lambda entry: entry.value * sign, default=None)
    if own is None or best is None or len(entries) < 2 or best.value == own.value:
        return
    if any(entry.value < 0 for entry in entries) and any(entry.value > 0 for entry in entries):
        return
    if all(entry.value < 0 for entry in entries):
        best = max(entries, key=lambda entry: abs(entry.value) * sign)
        if best.value == own.value:
            return
    word = "highest" if sign > 0 else "lowest"
    yield f"{quote_label(own.name)} with {own.value:,} is not the {word}: {quote_label(best.name)} has {best.value:,}."


def _superlative(text: str) -> int:
    if _NOT_RANKED.search(text):
        return 0
    high, low = bool(_HIGHEST.search(text)), bool(_LOWEST.search(text))
    return 0 if high == low else 1 if high else -1


def _named_cell(claim: TableClaim, quoted_row: QuotedRow) -> QuotedCell | None:
    """The cell of the one column that the claim names, or else the question."""
    names = {quoted_row.view.table.columns[i].header: terms for i, terms in column_names(quoted_row.view).items()}
    for text in (claim.text, claim.question):
        keys = {mention.key for mention in find_mentions(text, names)}
        found = [c for c in quoted_row.cells if quoted_row.view.table.columns[c.column].header in keys]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _is_over_columns(claim: TableClaim, cell: QuotedCell) -> bool:
    """Whether the columns of one row are compared (years, quarters) and not the rows of one column."""
    view = cell.view
    period = view.periods[cell.column] if cell.column < len(view.periods) else None
    terms = set(terms_of(cell.row.label))
    ranked = _ranked_words(claim.text)
    header = view.table.columns[cell.column].header if cell.column < len(view.table.columns) else ""
    if terms & ranked and not set(terms_of(header)) & ranked:
        return True
    if period is None or not (period.year or period.quarter):
        return False
    others = [row for row in view.table.body if row.label and row.label != cell.row.label]
    is_asked = terms and len(terms & content_stems(claim.question)) * 2 >= len(terms)
    asks_when = bool(
        re.search(r"\b(?:when|(?:which|what)\s+(?:\w+\s+)?(?:year|quarter|period|month))\b", claim.question, re.I)
    )
    return bool(asks_when or (is_asked and not re.search(r"\bwhich\b", claim.question, re.I)) or not others)


def _ranked_words(text: str) -> frozenset[str]:
    """The stems of what is ranked: "annual deductible" in "the lowest annual deductible, $750"."""
    match = _HIGHEST.search(text) or _LOWEST.search(text)
    behind = (
        re.split(r"[,.;:(]|\b(?:was|is|were|are|in|of|with|at|for|has|had)\b", text[match.end() :])[0] if match else ""
    )
    return content_stems(" ".join(behind.split()[:4]))


def _columns(quoted_row: QuotedRow) -> list[_Entry]:
    """The cells of a row in columns of one kind: its periods, or else those told apart by name."""
    view = quoted_row.view
    dated = [c for c in quoted_row.cells if c.column < len(view.periods) and not view.periods[c.column].is_change]
    periodic = [c for c in dated if view.periods[c.column].year or view.periods[c.column].quarter]
    named = column_names(view)
    cells = periodic or [c for c in dated if c.column in named]
    return [_Entry(view.table.columns[cell.column].header, cell.value) for cell in cells]


def _rows(cell: QuotedCell) -> list[_Entry]:
    """The rows beside the cell's own, sums left out; none when they are not of one kind."""
    found: list[_Entry] = []
    for row in cell.view.table.body:
        if row.path != cell.row.path or (_SUM_ROW.search(row.label) and row is not cell.row):
            continue
        text = row.cells[cell.column].text if cell.column < len(row.cells) else ""
        numbers = numbers_in(text)
        if len(numbers) > 1 or (numbers and _unit_words(text) != _unit_words(cell.text)):
            return []
        if numbers:
            found.append(_Entry(row.label, numbers[0].value))
    return found if _is_one_measure(cell) else []


def _unit_words(text: str) -> str:
    return " ".join(re.findall(r"[A-Za-z%$€£]+", text)).lower().rstrip("s")


def _is_one_measure(cell: QuotedCell) -> bool:
    """Rows of one measure are named, not measured: no row says a unit of its own, and the table is no statement."""
    if cell.view.statement:
        return False
    units = {re.search(r"\(([^)]*)\)", row.label) is not None for row in cell.view.table.body if row.label}
    return units == {False}


def _wrong_trends(claim: TableClaim) -> Iterator[str]:
    """A rise told of a row that falls from the earlier to the later period, and the other way round."""
    sign = direction_of(claim.text) or _comparative(claim.text)
    if not sign or len(claim.rows) != 1:
        return
    quoted_row = claim.rows[0]
    terms = set(terms_of(quoted_row.row.label))
    if not terms & claim.stems or len(terms & claim.stems) * 2 < len(terms):
        return
    pair = _compared_cells(claim, quoted_row)
    if pair is None:
        return
    earlier, later = pair
    if earlier.value <= 0 and later.value <= 0:
        earlier, later = later, earlier
    elif earlier.value < 0 or later.value < 0:
        return
    first, last = (pair[0], pair[1])
    if (later.value - earlier.value) * sign < 0:
        verb = "rose" if sign < 0 else "fell"
        columns = quoted_row.view.table.columns
        yield (
            f"{quote_label(quoted_row.row.label)} {verb} from {first.text.strip()} ({columns[first.column].header})"
            f" to {last.text.strip()} ({columns[last.column].header}); the claim says the opposite."
        )


def _comparative(text: str) -> int:
    if _NEGATED.search(_ANSWER.sub("", text)) or not _EARLIER.search(text):
        return 0
    up, down = bool(_COMPARATIVE_UP.search(text)), bool(_COMPARATIVE_DOWN.search(text))
    return 0 if up == down else 1 if up else -1


def _compared_cells(claim: TableClaim, quoted_row: QuotedRow) -> tuple[QuotedCell, QuotedCell] | None:
    """The earlier and the later cell that the claim speaks of; None when that is not plain."""
    view = quoted_row.view
    dated = [c for c in quoted_row.cells if c.column < len(view.periods) and view.periods[c.column].year]
    dated = [c for c in dated if not view.periods[c.column].is_change]
    told = [cells[0] for _, cells in claim.cells if len(cells) == 1 and cells[0] in dated]
    years = {int(year) for year in re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", claim.text)}
    if len(told) == 2:
        chosen = told
    elif len(told) == 1 and len(years) < 2:
        chosen = [*told, *_year_before(told[0], dated)]
    elif not claim.cells and len(years) == 1:
        newer = [c for c in dated if view.periods[c.column].year in years]
        chosen = [newer[0], *_year_before(newer[0], dated)] if len(newer) == 1 else []
    else:
        chosen = []
    return _order_cells(chosen)


def _year_before(cell: QuotedCell, dated: Sequence[QuotedCell]) -> list[QuotedCell]:
    period = cell.view.periods[cell.column]
    return [
        other
        for other in dated
        if (before := cell.view.periods[other.column]).year == (period.year or 0) - 1
        and (before.months, before.quarter, before.month) == (period.months, period.quarter, period.month)
    ]


def _order_cells(cells: Sequence[QuotedCell]) -> tuple[QuotedCell, QuotedCell] | None:
    if len(cells) != 2:
        return None
    first, second = sorted(cells, key=lambda cell: cell.view.periods[cell.column].year or 0)
    one, other = first.view.periods[first.column], second.view.periods[second.column]
    if one.year == other.year or (one.months, one.quarter, one.month) != (other.months, other.quarter, other.month):
        return None
    return first, second


_FROM_TO = re.compile(rf"\bfrom\s+(?P<a>{_NUMBER})(?P<ua>[^.;()]{{0,40}}?)\bto\s+(?P<b>{_NUMBER})(?P<ub>\s?%)?", re.I)
_TO_FROM = re.compile(
    rf"\bto\s+(?P<b>{_NUMBER})(?P<ub>[^.;\d]{{0,30}}?(?:\bin\s+(?:19|20)\d\d)?[^.;\d]{{0,20}}?),?\s*\b(?:from|against"
    rf"|compared\s+(?:with|to))\s+(?P<a>{_NUMBER})",
    re.I,
)
_UP_FROM = re.compile(rf"(?P<b>{_NUMBER})[^.;\d]{{0,40}}?,?\s*\b(?:up|down)\s+from\s+(?P<a>{_NUMBER})", re.I)


def find_own_contradiction(text: str) -> Iterator[str]:
    """A rise, a fall or a comparison that the claim's own two figures contradict: "decreased to 20.1% from 20.0%"."""
    yield from _find_wrong_comparison(text)
    nouns = re.compile(r"\b(?:slight|sharp|small|steep)?\s*(?:drop|fall|rise|decline|decrease|increase)\b", re.I)
    sign = direction_of(text)
    if not sign and not said_directions(text) and nouns.search(text) and not _NEGATED.search(text):
        sign = -1 if re.search(r"\bfall\b", text, re.I) else 0
    if not sign or re.search(r"\bloss|\bdeficit|\(\s*[$€£]?\d|[-–−]\s?[$€£]?\d", text, re.I):
        return
    match = _FROM_TO.search(text) or _TO_FROM.search(text) or _UP_FROM.search(text)
    if match is None:
        return
    earlier, later = _amount(match, "a", text), _amount(match, "b", text)
    if earlier is None or later is None or earlier == later:
        return
    if (later - earlier) * sign < 0:
        yield (
            f"The claim tells a {'rise' if sign > 0 else 'fall'}, but from {match['a'].strip()} to {match['b'].strip()}"
            f" is a {'fall' if sign > 0 else 'rise'}."
        )


def _amount(match: re.Match[str], group: str, text: str) -> Decimal | None:
    start = match.start(group)
    found = [number for number in numbers_in(text) if number.end > start and number.start <= match.end(group)]
    if not found or re.fullmatch(r"(?:19|20)\d\d", found[0].text.strip()):
        return None
    return found[0].value


_SET_AGAINST = (
    r"(?=\s*[,:;(]|\s+(?:than|by|at|with|against|is|was|are|were)\b|\s+[$€£]?\d|\s*$"
    r"|(?:\s+[\w’'-]+){1,2}?(?:\s+than\b|\s*[,:(]\s*(?:with\s+|at\s+)?(?:[A-Z]{3}\s)?[$€£]?\d))"
)
"""What follows a word that compares: "fewer cars than", "faster: by 9%"; "through lower exposure" compares nothing."""
_MORE = re.compile(
    r"\b(?:(?:more(?!\s+(?:slowly|slow|recent))|higher|larger|greater|bigger|faster|longer|older|heavier|most|highest|largest"
    rf"|fastest)\b{_SET_AGAINST}|(?:exceed|outpac|outnumber)\w*)",
    re.I,
)
_LESS = re.compile(
    r"\b(?:less|fewer|lower|smaller|slower|more\s+slow(?:ly)?|shorter|younger|lighter|cheaper|fewest|least|lowest|smallest"
    rf"|slowest)\b{_SET_AGAINST}",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:against|than|versus|vs\.?|compared\s+(?:with|to)|(?P<ahead>ahead\s+of)|(?P<behind>behind)"
    r"|(?:is|are|was|were|remains|stays|lies|lay)\s+(?:\w+\s+)?(?:(?P<above>above|over)|(?P<below>below|under)))\b",
    re.I,
)
_UNRANKED = re.compile(
    r"\b(?:not|no(?!\s*[,:;.–—-])|never|neither|nor|at\s+(?:most|least)|equal\w*|same|from|respectively|only|if|unless"
    r"|difference|times|twice|double|half|despite|although|while|whereas|but)\b|n['’]t\b",
    re.I,
)


def _compared_numbers(clause: str) -> tuple[Told, Told, re.Match[str]] | None:
    """The two numbers of a clause with the word between them that sets one against the other; None for any other."""
    numbers = numbers_told(clause)
    if len(numbers) != 2 or any(numbers_in(one.number.text)[1:] for one in numbers):
        return None
    first, second = numbers
    joints = [
        match for match in _AGAINST.finditer(clause) if first.end <= match.start() and match.end() <= second.start
    ]
    is_alike = first.number.percent == second.number.percent and first.number.currency == second.number.currency
    return (first, second, joints[-1]) if joints and is_alike else None


def _read_comparison(clause: str) -> tuple[Told, Told, int] | None:
    """The two numbers that a clause compares, and 1 when it calls the first one more, -1 when less."""
    found = _compared_numbers(clause)
    if found is None or _UNRANKED.search(clause):
        return None
    first, second, joint = found
    if first.value < 0 or second.value < 0 or _is_step(clause, first):
        return None
    before = clause[: joint.end()]
    up = bool(_MORE.search(before) or joint["ahead"] or joint["above"])
    down = bool(_LESS.search(before) or joint["behind"] or joint["below"])
    return (first, second, 1 if up else -1) if up != down else None


def _comparisons(text: str) -> list[tuple[Told, Told, int]]:
    clauses = split_clauses(_ANSWER.sub("", text).replace(": ", ", "))
    return [found for clause in clauses if (found := _read_comparison(clause))]


def _find_wrong_comparison(text: str) -> Iterator[str]:
    """More told of the smaller of two numbers: "faster: by 6.1%, against 9.8%"."""
    for first, second, sign in _comparisons(text):
        if (first.value - second.value) * sign < 0:
            word = "more" if sign > 0 else "less"
            yield f"The claim calls {first.number.text} {word} than {second.number.text}, which it is not."


def settles_comparison(claim: TableClaim) -> bool:
    """Whether what a sentence compares was compared by the program: two of its figures, or a row with all others."""
    if _comparisons(claim.text):
        return True
    moves = _FROM_TO.search(claim.text) or _TO_FROM.search(claim.text) or _UP_FROM.search(claim.text)
    if moves is not None and direction_of(claim.text):
        return True
    found = _ranked_entries(claim)
    return found is not None and len(found[1]) > 1


_STEP = re.compile(
    r"\s*(?:%|percent\w*|[a-z]+illion|(?!is\b|was\b|has\b)\w+s)?\s*(?:more|less|fewer|higher|lower|above|below|over|under|longer|older|shorter"
    r"|larger|smaller|greater|faster|slower)\b",
    re.I,
)


def _is_step(clause: str, told: Told) -> bool:
    """Whether a number tells by how much: "12 more than the 40", "5% above"."""
    return bool(_STEP.match(clause, told.end))


_COUNTED = re.compile(
    r"\s+(?P<noun>(?:[a-z][\w’'-]*\s+){0,4}?[a-z][\w’'-]*s|people|women|men|children)(?P<joint>,|:|\s\()\s*"
    r"(?P<list>[^;()]+)"
)
_LISTED_NAME = re.compile(r"(?:the\s+)?[A-Z][\w.&’'-]*(?:\s+(?:of|the|de|du|van|von|&|[A-Z][\w.&’'-]*|[\d.]+)){0,5}")
_FREE_LIST = re.compile(
    r"\b(?:such\s+as|including|includes?|among|e\.g|for\s+example|mainly|mostly|notably|like|especially|of\s+which)\b",
    re.I,
)


_TOLD = re.compile(r"\d|\b(?:is|are|was|were|will|must|may|can|shall|has|have|had|does|do)\b", re.I)
"""What a plain list of things does not have: numbers and verbs."""


def find_wrong_counts(text: str) -> Iterator[str]:
    """Three countries told where two are named: "in three countries, Germany and Poland"."""
    bare = _ASIDE.sub("", text)
    for told in numbers_told(bare):
        match = _COUNTED.match(bare, told.end)
        if match is None or not _is_small_count(told) or numbers_told(match["noun"]):
            continue
        listed = re.split(r"[.!?](?=\s|$)", match["list"])[0]
        if _FREE_LIST.search(listed) or _TOLD.search(listed) or bare.startswith("(", match.end("list")):
            continue
        least, most = _count_listed(listed, names_only=match["joint"] != ":")
        if least and not least <= told.value <= most:
            yield f"The claim counts {told.number.text} {match['noun']}, but names {most}: {quote_label(listed)}."


_ASIDE = re.compile(r"\s*\((?!\s*[A-Z][^()]*(?:,|\band\b)[^()]*\))[^()]*\)")
"""What stands in parentheses and is no list of names: "fish (fresh or frozen), livestock"."""


def _is_small_count(told: Told) -> bool:
    number = told.number
    is_bare = not number.percent and not number.currency and number.scale == 1
    return is_bare and told.value == told.value.to_integral_value() and 2 <= told.value <= MOST_NAMED


MOST_NAMED = 60
"""Things that a sentence names one by one at most."""

_COMMA = re.compile(r",\s*(?:(?:and|or)\s+)?")
_CONJUNCTION = re.compile(r",\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+")
_LAST_TWO = re.compile(r"(?<!,)\s(?:and|or|&)\s[^,]*$")


def _count_listed(listed: str, *, names_only: bool) -> tuple[int, int]:
    """The fewest and the most items that a list may have ("wear and tear" is one or two); (0, 0) for no plain list."""
    parts = [part.strip() for part in _CONJUNCTION.split(listed.strip()) if part.strip()]
    if len(parts) < 2 or (names_only and not all(_LISTED_NAME.fullmatch(part) for part in parts)):
        return 0, 0
    least = len([part for part in _COMMA.split(listed.strip()) if part.strip()]) + bool(_LAST_TWO.search(listed))
    return least, len(parts)
