"""Makes the document card from the tree alone: title, overview, tags, question hints, and typed fields."""

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from vectorless_web.engine.documents.card import Card, SectionLine, TypedFields
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.parsing.terms import any_of, words_of
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.dates import dates_in

_FORM_OF_COMPANY = any_of("company_form")
_COMPANY = re.compile(
    rf"((?:[A-Z0-9][\w&’'.-]*,?\s+(?:{any_of('within_name')}\s+)?){{1,6}}?"
    rf"(?=[A-Z]|plc)(?i:{any_of('company_form', 'company_kind')})\b\.?(?:\s*&\s*Co\.?)?)"
)
_PARTY = re.compile(_COMPANY.pattern + r",?\s*(?:an? [^()]{3,60})?(?=\()")
_LEGAL_FORM = re.compile(rf"[\s,]+(?:&\s*)?{_FORM_OF_COMPANY}\.?$", re.IGNORECASE)
_EXACT_NAME = re.compile(any_of("exact_name"), re.IGNORECASE)
_DEFINED = re.compile(r"(?P<before>[^()\n]{3,90}?)[\s,]*\((?P<inside>[^()]{2,120})\)")
_QUOTED = re.compile(r"[\"“”]([^\"“”]{2,40})[\"“”]")
_OR_COMPANY = re.compile(
    rf"^(?:or\s+)?([A-Z][\w&.-]*(?:\s[A-Z][\w&.-]*){{0,2}})(?:,| or| and)\s+(?:the\s+)?(?i:{any_of('role')})\b"
)
_TICKER = re.compile(
    rf"\b(?i:{any_of('exchange')})\s*:\s*([A-Z]{{1,5}}(?:\.[A-Z])?)\b|\b([A-Z]{{1,5}})\s+(?i:{any_of('listed_at')})\b"
)
_GENERIC = re.compile(rf"\b{any_of('generic')}\b", re.IGNORECASE)
_ROLE = re.compile(any_of("role"))
_OWN = re.compile(any_of("own_company"))
_LINES, _MOST = 90, 10
"""Lines of the first pages that are taken for the cover, and names of a card at most. Aliases are looked for in twice
as many lines, names inside sentences in four times."""
_COMPANIES, _FREQUENT = 3, 4
"""Companies that a card names at most, and those among the most frequent ones that are considered."""


def find_entities(*, name_words: str, title: str, head: str) -> tuple[str, ...]:
    """Names and aliases in lower case, most certain first; `name_words`: the file name without dates and kinds."""
    lines = [" ".join(line.split()) for line in head.splitlines() if line.strip()][: 4 * _LINES]
    names = list(dict.fromkeys([*_registrants(lines), *_find_companies(lines, title)]))[:_COMPANIES]
    found = [
        name_words,
        *names,
        *map(without_legal_form, names),
        *_aliases(lines[: 2 * _LINES], names),
        *_tickers(lines[:_LINES]),
    ]
    return _lower_names(found)


def without_legal_form(company: str) -> str:
    """A company's name without "Inc.", "Company" and the like."""
    before = ""
    while before != company:
        before, company = company, _LEGAL_FORM.sub("", company).strip(" ,&")
    return company


def _lower_names(found: Iterable[str]) -> tuple[str, ...]:
    names = (re.sub(r"^(?:the|our)\s+", "", name.strip(" .,").casefold()) for name in found)
    return tuple(dict.fromkeys(name for name in names if len(name) > 1 and not _ROLE.fullmatch(name)))[:_MOST]


def _registrants(lines: Sequence[str]) -> Iterator[str]:
    """The line above "(Exact name of registrant ...)" on a cover."""
    for number, line in enumerate(lines[:_LINES]):
        if number and _EXACT_NAME.search(line) and not _GENERIC.search(lines[number - 1]):
            yield lines[number - 1].strip(" .,_")


def _find_companies(lines: Sequence[str], title: str) -> list[str]:
    """Company names: alone on a line of the first page before those inside sentences, the most frequent first."""
    alone = [match[1] for line in lines[:_LINES] if (match := _COMPANY.fullmatch(line.strip(" .,*")))]
    inside = Counter(_trim_name(match[1]) for line in [title, *lines] for match in _COMPANY.finditer(line))
    frequent = [name for name, count in inside.most_common(_FREQUENT) if count > 1 or name in title]
    parties = [_trim_name(match[1]) for match in _PARTY.finditer(" ".join(lines[:_LINES]))]
    return [name for name in [*alone, *parties, *frequent] if _is_name(name)]


_BEFORE_NAME = re.compile(rf"^(?:(?:{any_of('before_name')}|\d[\d./-]*,?)\s+)+", re.IGNORECASE)


def _trim_name(name: str) -> str:
    """Cut a sentence's first words, a date or a number that stand before the name."""
    name = re.sub(r"^.*?\b(?:19|20)\d\d,?\s+(?=[A-Z])", "", name)
    return _BEFORE_NAME.sub("", name)


def _is_name(name: str) -> bool:
    return not _GENERIC.search(name) and len(name) > 3 and not _ROLE.fullmatch(without_legal_form(name).casefold())


def _aliases(lines: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Short names defined in parentheses after one of the names: `4K Company (the "Company" or "4K")`."""
    words = {word.casefold() for name in names for word in re.findall(r"\w{2,}", without_legal_form(name))}
    for first, second in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        if "(" not in first:
            continue
        for match in _DEFINED.finditer(f"{first} {second}"):
            tail = {word.casefold() for word in re.findall(r"\w{2,}", match["before"])[-4:]}
            if tail & words or any(map(_OWN.fullmatch, tail)):
                yield from (alias for alias in _find_aliases_inside(match["inside"]) if not _GENERIC.search(alias))


def _find_aliases_inside(text: str) -> Iterator[str]:
    yield from _QUOTED.findall(text)
    match = _OR_COMPANY.match(text)
    if match:
        yield match[1]


def _tickers(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        for match in _TICKER.finditer(line):
            yield match[1] or match[2]


_YEAR = re.compile(r"(?<![\d.,$#/-])((?:19|20)\d\d)(?![\d,]|[.-]\d)")
_FISCAL_YEAR = re.compile(r"\b(?:fiscal\s+(?:year\s+)?|FY\s?)((?:19|20)?\d\d)\b", re.I)
_YEAR_ENDED = re.compile(rf"\b{any_of('period')}\s+ended:?\s+\w+\s+\d{{1,2}}\s*,?\s*((?:19|20)\d\d)", re.I)
_ORDINALS = words_of("quarter_ordinal")
_QUARTER = re.compile(rf"\bQ([1-4])\b|(?<=\d{{4}})Q([1-4])|\b({any_of('quarter_ordinal')})[\s-]quarter", re.I)
_QUARTERLY = re.compile(any_of("quarterly"), re.I)
_FORM = re.compile(r"\b(?:form\s+)?(10-?[KQ]|8-?K|20-?F|40-?F|6-?K|S-[1-8]|DEF\s?14A|11-?K)(?:/A)?\b", re.I)
_NAME_NOISE = re.compile(rf"\b(?:{any_of('name_noise')}|v\d+|fy\d*|q[1-4])\b", re.IGNORECASE)
_FIRST = 6_000
"""Characters of the first pages in which quarters and kinds of document are looked for, and half of those for years and
dates: further back others are mentioned."""


def typed_fields(*, name: str, title: str, texts: Sequence[str]) -> TypedFields:
    """Fields of a document; `texts` are its first pages."""
    head = "\n".join(texts)[: _FIRST * 2]
    stem = split_name(name)
    return TypedFields(
        entities=_entities(stem, title, head),
        years=_years(stem, title, head),
        quarters=_quarters(stem, title, head[:_FIRST]),
        forms=_forms(stem, title, head[:_FIRST]),
        dates=_dates(stem, head),
    )


def split_name(name: str) -> str:
    """A file name as words: "BlueBarn_FY2018Q2_10K.pdf" gives "Blue Barn FY 2018 Q2 10K"."""
    stem = PurePath(name).stem
    stem = re.sub(r"[_+]+|(?<!\d)-(?!\d)|(?<=\D)-(?=\d{4})", " ", stem)
    stem = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=FY)(?=\d)|(?<=(?:19|20)\d\d)(?=Q[1-4])", " ", stem)
    return " ".join(stem.split())


def _take_first(found: Sequence[str], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in found if value))[:limit]


def _entities(stem: str, title: str, head: str) -> tuple[str, ...]:
    without_years = re.sub(r"\b(?:19|20)\d\d(?:Q[1-4])?\b(?:-\d\d){0,2}|-\d\d\b", " ", stem)
    return find_entities(name_words=" ".join(_NAME_NOISE.sub(" ", without_years).split()), title=title, head=head)


def _years(stem: str, title: str, head: str) -> tuple[int, ...]:
    named = [int(year) for year in _YEAR.findall(stem + " " + title)]
    fiscal = [_full_year(year) for year in _FISCAL_YEAR.findall(f"{stem} {title} {head}")]
    ended = [int(year) for year in _YEAR_ENDED.findall(head)]
    common = [year for year, count in Counter(int(y) for y in _YEAR.findall(head)).most_common(2) if count > 1]
    return tuple(dict.fromkeys([*named, *ended[:2], *(fiscal[:2]), *([] if named or ended else common)]))[:4]


def _full_year(year: str) -> int:
    return int(year) if len(year) == 4 else 2000 + int(year)


def _quarters(stem: str, title: str, head: str) -> tuple[str, ...]:
    found = []
    told = head[:2000] if _QUARTERLY.search(head[:2000]) else ""
    for source in (stem, title, told):
        for match in _QUARTER.finditer(source):
            number = match[1] or match[2] or str(_ORDINALS.index(match[3].casefold()) + 1)
            found.append(f"Q{number}")
        if found:
            break
    return _take_first(found, 2)


def _forms(stem: str, title: str, head: str) -> tuple[str, ...]:
    coded = [_form_code(match[1]) for source in (stem, title, head) for match in _FORM.finditer(source)]
    words = f"{stem}\n{title}\n{head[: _FIRST // 2]}".casefold()
    named = f"{stem} {title}".casefold()
    kinds = [kind for kind in words_of("document_kind") if re.search(rf"\b{kind}\b", words if " " in kind else named)]
    if re.search(r"\bearnings\b", f"{stem} {title}", re.IGNORECASE):
        kinds.insert(0, "earnings release")
    return _take_first([*coded[:2], *kinds[:3]], 4)


def _form_code(code: str) -> str:
    code = code.upper().replace(" ", "")
    return re.sub(r"^(\d{1,2})-?([KQF])$", r"\1-\2", code)


def _dates(stem: str, head: str) -> tuple[str, ...]:
    """Whole dates that can be read in one way, as ISO."""
    told = [mention.readings[0] for mention in dates_in(f"{stem}\n{head}") if len(mention.readings) == 1]
    return _take_first([f"{day.year}-{day.month:02d}-{day.day:02d}" for day in told if day.year and day.day], 6)


_JUNK_TITLE = re.compile(
    rf"^(?:{any_of('program_title')}.*|document\d*|[\W\d_]*|{any_of('no_name')}"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|qxd|htm?l))$",
    re.I,
)
_NO_TITLE = re.compile(
    rf"{_JUNK_TITLE.pattern}"
    rf"|^(?:{any_of('title_of_all_filings')}\b.*|{any_of('cover')}|{any_of('sheet')}\s?\d{{1,2}})$",
    re.I,
)
"""Headings that name no document: those of every filing, and what programs call a sheet until somebody names it."""
_OVERVIEW, _LINE, _LEAD, _PARAGRAPH = 600, 160, 240, 120
"""Characters: of the overview and of a section's line at most, of a paragraph's beginning that counts as its summary,
and of a paragraph long enough to say something. A card is shown to a model in about 200 tokens."""
_SENTENCES = (30, 400)
"""Characters between which a sentence may stand in the overview."""
_OVERVIEW_PARAGRAPHS, _OVERVIEW_BEGINNING, _OVERVIEW_SENTENCES, _SENTENCES_EACH = 40, 12, 3, 2
"""Paragraphs whose words say what the document is about; those of them, the first, that the overview is taken from;
sentences of the overview, and at most of one paragraph. Chosen by hand, like all values below: bounds of a card."""
_LATER = 0.05
"""What each later paragraph costs a sentence, where its words recur in up to all 40."""
_SHORT_SENTENCE = 8
"""Added to a sentence's number of terms, so that a short one of common words does not win."""
_TOPICS, _TOPIC_NODES = 400, 12
"""Keywords of the topic map, and nodes named for each, at most: bounds the size of a card in the index."""
_TITLE_WEIGHT, _SUMMARY_WEIGHT = 2.0, 1.5
"""Weights of a node in the topic map when the keyword stands in its title or in the summary; 1 in its text."""
_TITLES_TIMES = 3
"""Nodes without the keyword in their title that one with it is worth, when keywords are ranked."""
_TITLE_CHARACTERS = (3, 200)
"""Characters between which a title in the file's metadata is believed."""
_FIRST_NODES = 12
"""Nodes at the beginning among which the heading that serves as title is looked for."""
_DEEPEST_LINES = 6
"""Depth of sections to which a card's table of contents may go."""
_FIRST_SENTENCE = 40
"""Characters above which a paragraph can describe its section."""
_TAG_WORDS, _HINT_WORDS = 4, (2, 7)
"""Words of a title, at most, that may be a tag, and between which one is made a question."""
_TAGS, _HINTS, _HINTS_OF_TABLE = 16, 12, 2
"""Tags and questions of a card, and questions made of one table, at most."""
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=[\"“A-Z0-9À-ÝÀ-ß\u0400-\u042f])")
_SECTION_LINES = 60
"""Sections that a card lists: as many levels as have at most so many together. The first level alone may have twice as
many."""


_AGREEING = 0.5
"""Share of a stored title's words that the first pages or the file's name must say. Titles of a template, or of the
document that a file was made from, share at most a word with it; a third would let them pass, all would refuse a title
whose spelling differs from the print."""


def choose_title(
    *, metadata: str, nodes: Sequence[Node], name: str, printed: str | None = None, shown: str = ""
) -> str:
    """The title: metadata unless it is a converter's leftover, else a heading of the first page, else the file name.

    `shown` is what the first slide or sheet says that the whole file is; it goes before its headings.
    `printed` is what the first pages say; a stored title that neither they nor the name agree with is of another
    document. None where the title is written together with the text, as of a web page.
    """
    metadata = " ".join(metadata.split())
    if (
        _TITLE_CHARACTERS[0] < len(metadata) < _TITLE_CHARACTERS[1]
        and not _JUNK_TITLE.match(metadata)
        and " " in metadata
        and (printed is None or _agrees(metadata, f"{printed} {split_name(name)}"))
    ):
        return metadata
    if shown and not _NO_TITLE.match(shown):
        return shown
    first = next(
        (
            node
            for node in nodes[1:_FIRST_NODES]
            if node.kind is NodeKind.SECTION and node.page_start == 0 and node.depth == 1
        ),
        None,
    )
    if first is not None and _only_top(nodes, first) and not _NO_TITLE.match(first.title):
        return first.title
    return split_name(name) or "Untitled document"


def _agrees(title: str, said: str) -> bool:
    """Whether enough words of a title stand in `said`; True where that has too few words to tell."""
    said = said.casefold()
    words, there = set(_TITLE_WORD.findall(title.casefold())), set(_TITLE_WORD.findall(said))
    # Scripts without spaces have no words to compare: there the letters must follow each other somewhere.
    agreeing = sum(word in there or (not word.isascii() and word in said) for word in words)
    return not words or len(there) < _FEW_WORDS or agreeing >= _AGREEING * len(words)


_TITLE_WORD = re.compile(r"[^\W_]{3,}")
_FEW_WORDS = 12
"""Words below which a first page, as one that is a picture, cannot speak against a title."""


def _only_top(nodes: Sequence[Node], first: Node) -> bool:
    """Whether the first heading holds the whole document, as a title does."""
    return first.subtree_end >= len(nodes) - 2


def make_card(title: str, nodes: Sequence[Node], fields: TypedFields) -> Card:
    """The card of a document whose nodes are numbered already."""
    topics = _topics(nodes)
    return Card(
        title=title,
        overview=_overview(nodes),
        topic_tags=tuple(_tags(nodes, topics)),
        question_hints=tuple(_hints(nodes)),
        sections=tuple(_section_lines(nodes)),
        fields=fields,
        topics=topics,
    )


def _prose(nodes: Sequence[Node]) -> list[Node]:
    """Paragraphs long enough to say something; in a short document any."""
    found = [node for node in nodes if node.kind is NodeKind.PARAGRAPH]
    return [node for node in found if len(node.text) > _PARAGRAPH] or found


def _overview(nodes: Sequence[Node]) -> str:
    """The most central of the first sentences: those whose words recur most in the document."""
    prose = _prose(nodes)[:_OVERVIEW_PARAGRAPHS]
    counts = Counter(term for node in prose for term in set(analyse(node.text)))
    sentences = [
        (s, position)
        for position, node in enumerate(prose[:_OVERVIEW_BEGINNING])
        for s in _SENTENCE.split(node.text)[:_SENTENCES_EACH]
        if _SENTENCES[0] < len(s) < _SENTENCES[1]
    ]
    ranked = sorted(sentences, key=lambda pair: (-_centrality(pair[0], counts) + _LATER * pair[1], pair[1]))
    scored = ranked[:_OVERVIEW_SENTENCES]
    chosen = [sentence for sentence, _ in sorted(scored, key=lambda pair: pair[1])]
    return _clip_text(" ".join(" ".join(sentence.split()) for sentence in chosen), _OVERVIEW)


def _centrality(sentence: str, counts: Counter[str]) -> float:
    terms = set(analyse(sentence))
    return sum(counts[term] for term in terms) / (len(terms) + _SHORT_SENTENCE) if terms else 0.0


def _clip_text(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: text.rfind(" ", 0, limit)].rstrip(" ,;") + " …"


def _section_lines(nodes: Sequence[Node]) -> list[SectionLine]:
    sections = [node for node in nodes if node.kind is NodeKind.SECTION]
    depth = 1
    while sum(node.depth <= depth + 1 for node in sections) <= _SECTION_LINES and depth < _DEEPEST_LINES:
        depth += 1
    return [
        SectionLine(node.key, node.title, _describe(node, nodes), node.page_start, node.page_end)
        for node in sections
        if node.depth <= depth
    ][: 2 * _SECTION_LINES]


def _describe(section: Node, nodes: Sequence[Node]) -> str:
    """One line: the titles of its subsections, else its first sentence."""
    inside = nodes[section.key + 1 : section.subtree_end]
    titles = [node.title for node in inside if node.parent == section.key and node.kind is NodeKind.SECTION]
    if titles:
        return _clip_text("; ".join(titles), _LINE)
    first = next(
        (
            node
            for node in inside
            if node.kind in (NodeKind.PARAGRAPH, NodeKind.LIST) and len(node.text) > _FIRST_SENTENCE
        ),
        None,
    )
    return _clip_text(" ".join(_SENTENCE.split(first.text)[0].split()), _LINE) if first else ""


def _topics(nodes: Sequence[Node]) -> dict[str, tuple[tuple[int, float], ...]]:
    """Keyword -> nodes: titles weigh 2, lead sentences 1.5, text 1; rare keywords rank above common ones."""
    weights: dict[str, dict[int, float]] = defaultdict(dict)
    sections = 0
    for node in nodes[1:]:
        if node.kind is NodeKind.SECTION:
            sections += 1
            for term in set(analyse(node.title)):
                _raise_weight(weights[term], node.key, _TITLE_WEIGHT)
        elif node.kind in (NodeKind.PARAGRAPH, NodeKind.LIST, NodeKind.CAPTION):
            lead = node.text[:_LEAD].partition(". ")[0]
            for term in set(analyse(lead)):
                _raise_weight(weights[term], node.key, _SUMMARY_WEIGHT)
    ranked = sorted(weights, key=lambda term: (-_salience(weights[term], len(nodes)), term))
    return {term: _find_heaviest(weights[term]) for term in sorted(ranked[:_TOPICS]) if not term.isdigit()}


def _raise_weight(found: dict[int, float], key: int, weight: float) -> None:
    found[key] = max(weight, found.get(key, 0.0))


def _salience(found: dict[int, float], nodes: int) -> float:
    titles = list(found.values()).count(_TITLE_WEIGHT)
    return math.sqrt(1 + _TITLES_TIMES * titles + len(found)) * math.log(1 + nodes / len(found))


def _find_heaviest(found: dict[int, float]) -> tuple[tuple[int, float], ...]:
    return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:_TOPIC_NODES])


def _tags(nodes: Sequence[Node], topics: dict[str, tuple[tuple[int, float], ...]]) -> list[str]:
    """Short titles of sections without labels, those first whose words recur most in the document."""
    titles = Counter(
        " ".join(node.title.split()).casefold()
        for node in nodes
        if node.kind is NodeKind.SECTION and 1 <= len(node.title.split()) <= _TAG_WORDS and not node.label
    )
    ranked = sorted(
        titles,
        key=lambda title: (-sum(term in topics for term in analyse(title)) * math.log(1 + titles[title] + 1), title),
    )
    return [title for title in ranked if any(character.isalpha() for character in title)][:_TAGS]


def _hints(nodes: Sequence[Node]) -> list[str]:
    """Questions the document can answer, from its tables' rows and its headings."""
    hints: list[str] = []
    for node in nodes:
        if node.table is not None and node.table.statement:
            hints.extend(_table_hints(node))
    for node in nodes:
        if (
            node.kind is NodeKind.SECTION
            and not node.label
            and _HINT_WORDS[0] <= len(node.title.split()) <= _HINT_WORDS[1]
        ):
            hints.append(f"What does the document say about {node.title.strip(' .:')}?")
    return list(dict.fromkeys(hints))[:_HINTS]


def _table_hints(node: Node) -> list[str]:
    table = node.table
    if table is None:
        return []
    period = next((column.period for column in table.columns if column.period), "")
    rows = [row for row in table.body if sum(cell.length > 0 for cell in row.cells) > 1 and row.label]
    return [
        f"What was {row.label} in {period}?" if period else f"What was {row.label}?" for row in rows[:_HINTS_OF_TABLE]
    ]
