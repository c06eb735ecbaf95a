"""From a question to a query plan, without a model: names, terms, intent, kinds of documents, units."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from vectorless_web.engine.questions.focus import QuestionParts, split_question
from vectorless_web.engine.questions.formulas.calculation import FormulaReader, FormulaTree
from vectorless_web.engine.questions.lexicon import (
    WORKSPACE_PACK,
    Concept,
    Lexicon,
    Match,
    Ratio,
    StatementKind,
    default_lexicon,
)
from vectorless_web.engine.questions.periods import periods_in
from vectorless_web.engine.questions.plan import (
    FigureNeed,
    Formula,
    Intent,
    Period,
    Phrase,
    QueryPlan,
    UnitRequest,
    WeightedTerm,
)
from vectorless_web.engine.questions.wordings import FORM, NEAR, OtherWording, other_wordings
from vectorless_web.engine.text.analyser import STOP_WORDS, analyse
from vectorless_web.engine.text.quantities import quantities_in

_TOKEN = re.compile(r"[^\W_]+(?:[&.'’\-][^\W_]+)*\.?")
_LINKS = frozenset({"of", "and", "&", "the", "for", "de", "la", "von", "van"})
_CODES = re.compile(
    r"^(?:FY|CY|Q[1-4]|H[12]|[1-4]Q)['’]?\d*(?:Q[1-4])?$|^\d+(?:[.,]\d+)*$|^\d+(?:st|nd|rd|th)$", re.IGNORECASE
)
_NOT_NAMES = frozenset(
    """usd eur gbp jpy chf cad aud cny inr us ceo cfo coo cto agm egm ipo sec gaap ifrs january february march april may
    june july august september october november december monday tuesday wednesday thursday friday saturday sunday fiscal
    cagr yoy qoq ytd kpi year quarter yes no i form item note annual report board company corporation inc
    kw mw gw kva wh kwh mwh gwh twh mj gj kj hz khz mhz ghz db dba kpa mpa ph co2 co2e pdf""".split()  # noqa: SIM905
)
_LEGAL_FORMS = frozenset({"company", "corporation", "inc", "corp", "ltd", "plc", "group", "holdings"})
_SENTENCE_START = re.compile(r"(?:^|[.?!:]\s+|[\"“(]\s*)$")


def entities_in(text: str, taken: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
    """Names in reading order, each once, possessives dropped; `taken` spans (concepts, periods) are never names."""
    names: list[str] = []
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        if run and (_ends_possessive(run[-1]) or not _belongs(text, run, token, taken)):
            names.extend(_join_name(text, run))
            run = []
        if run or _is_name(text, token, taken, run):
            run.append(token)
    names.extend(_join_name(text, run))
    return tuple(dict.fromkeys(names))


def _belongs(text: str, run: Sequence[re.Match[str]], token: re.Match[str], taken: Sequence[tuple[int, int]]) -> bool:
    """Whether the token carries on the name begun: another name word beside it, or a small word between two."""
    if _is_link(text, token, run):
        return True
    return _continues_name(text, run, token) and _is_name(text, token, taken, run)


def _continues_name(text: str, run: Sequence[re.Match[str]], token: re.Match[str]) -> bool:
    return not run or bool(re.fullmatch(r"\s*&?\s*", text[run[-1].end() : token.start()]))


def _ends_possessive(token: re.Match[str]) -> bool:
    return bool(re.search(r"['’]s$", token.group()))


def _is_link(text: str, token: re.Match[str], run: Sequence[re.Match[str]]) -> bool:
    following = text[token.end() : token.end() + 2]
    is_small = token.group().lower() in _LINKS and token.group().lower() not in ("and", "for", "the")
    return is_small and len(following) == 2 and following[1].isupper() and _continues_name(text, run, token)


def _is_name(text: str, token: re.Match[str], taken: Sequence[tuple[int, int]], run: Sequence[re.Match[str]]) -> bool:
    word = re.sub(r"['’]s?$", "", token.group()).rstrip(".")
    lowered = word.lower()
    if any(start < token.end() and token.start() < end for start, end in taken) or _CODES.match(word):
        return False
    if run and lowered in _LEGAL_FORMS and word[0].isupper():
        return True
    if lowered in _NOT_NAMES or lowered in STOP_WORDS or len(word) < 2:
        return False
    if not _looks_like_name(word):
        return False
    is_first = not run and bool(_SENTENCE_START.search(text[: token.start()]))
    return not is_first or _ends_possessive(token) or _is_marked(word) or _has_name_after(text, token)


def _looks_like_name(word: str) -> bool:
    return word[0].isupper() or _is_marked(word)


def _is_marked(word: str) -> bool:
    """Capitals beyond the first letter or digits beside letters mark a name anywhere: A&B, iPhone, 9X."""
    has_inner_capital = any(character.isupper() for character in word[1:])
    return has_inner_capital or (word[0].isdigit() and any(character.isupper() for character in word))


def _has_name_after(text: str, token: re.Match[str]) -> bool:
    following = _TOKEN.match(text, token.end() + 1)
    return bool(following) and following.group()[0].isupper() if following else False


def _join_name(text: str, run: Sequence[re.Match[str]]) -> list[str]:
    while run and run[-1].group().lower() in _LINKS:
        run = run[:-1]
    if not run:
        return []
    name = text[run[0].start() : run[-1].end()]
    return [re.sub(r"['’]s?$", "", name).rstrip(".,")]


EXPANSION = 0.7
"""Weight of a term that stands in all phrases of a concept; in few of them it weighs less, by the root of its share.
Measured as engine.ranking says: 0.35 loses 2 hits at 10, 1.0 one at 3."""
LEAST = 0.12
"""Weight below which an expanded term is left out: it stands in few of many phrases. Measured as engine.ranking says:
0.06 changes nothing, 0.24 loses 2 questions whose gold pages are all among the first 10."""
_GENERAL = 0.5
"""Share of that weight for concepts of the general pack, whose wordings are common words. Measured as engine.ranking
says: 0.25 and 1.0 change 17 and 16 orders and at most one hit at 3."""
_PHRASE_WEIGHT = 0.7
"""Weight of the documents' wordings as phrases, where the question's own weighs 1. Measured as engine.ranking says:
0.35 loses 1 hit at 1, 1.0 gains one."""
_LEAST_WORDING = 0.05
"""Weight up to which a term of another wording is left out; less than LEAST, for one entry lists many. Measured: 0.12
finds 5 of 76 passages of small documents less at 1, 0 changes at most one of 87 everyday questions at 10."""
_NEAR_PHRASE_WEIGHT = 0.35
"""Weight of an everyday word's near meanings as phrases, half of what a concept's wordings weigh. Measured: 0.15 and
0.5 change at most one passage among the first 3 and 5 of 87 everyday questions."""
_ASKING = frozenset(
    analyse("amount number year report reported company ask answer question mention mentioned based base data")
)
_ASKING_WEIGHT = 0.3
"""Weight of words that only ask ("how long") or tell the case ("for 4 hours"), which a rule does not say. Measured as
engine.ranking says: 0.15 and 0.6 lose 1 hit at 3."""
_HOW = re.compile(r"\bhow\s+(?P<how>long|many|much|often|old|far|big|large|high|soon|quickly)\b", re.IGNORECASE)


def expand_terms(
    focus: str, entities: Sequence[str], concepts: Sequence[Concept], wordings: Sequence[OtherWording] = ()
) -> tuple[WeightedTerm, ...]:
    """The question's terms (names and periods marked as such), then those of its concepts and of other wordings."""
    names = {term for entity in entities for term in analyse(entity)}
    asking = _ASKING | {term for match in _HOW.finditer(focus) for term in analyse(match["how"])}
    asking |= {term for told in quantities_in(focus) if told.unit for term in analyse(told.text)}
    times = {term for period in periods_in(focus) for term in analyse(period.text)}
    terms: dict[str, WeightedTerm] = {}
    for term in analyse(focus):
        source = "period" if term in times else "entity" if term in names else "question"
        weight = _ASKING_WEIGHT if term in asking and source == "question" else 1.0
        terms.setdefault(term, WeightedTerm(term, weight, source))
    for concept in concepts:
        for term, weight in concept_terms(concept).items():
            if term not in terms or terms[term].weight < weight:
                terms[term] = WeightedTerm(term, weight, f"lexicon:{concept.name}")
    for wording in wordings:
        weight = _weigh_wording(wording, terms)
        for term in wording.terms if weight > _LEAST_WORDING else ():
            if term not in terms or terms[term].weight < weight:
                terms[term] = WeightedTerm(term, weight, f"lexicon:{wording.source}")
    return tuple(terms.values())


def _weigh_wording(wording: OtherWording, terms: Mapping[str, WeightedTerm]) -> float:
    """Its weight as a share of that of the words it stands for; 0 for another form of a word that only asks."""
    asked = [terms[term].weight for term in wording.origin if term in terms]
    share = sum(asked) / len(asked) if asked else _ASKING_WEIGHT
    if share <= _ASKING_WEIGHT and wording.weight >= FORM:
        return 0.0
    return round(share * wording.weight / math.sqrt(len(wording.terms)), 4)


def concept_terms(concept: Concept) -> dict[str, float]:
    """Terms of a concept's phrases with their weights, in order of first mention: 0.7 x sqrt(share of the phrases).

    The wordings of the general pack are common words: they weigh half.
    """
    full = EXPANSION * (_GENERAL if concept.pack == "general" else 1.0)
    analysed = [dict.fromkeys(analyse(phrase)) for phrase in concept.phrases]
    counts = Counter(term for phrase in analysed for term in phrase)
    weights = {term: full * math.sqrt(counts[term] / len(analysed)) for phrase in analysed for term in phrase}
    return {term: round(weight, 4) for term, weight in weights.items() if weight >= LEAST}


def question_phrases(
    matches: Sequence[Match], concepts: Sequence[Concept], wordings: Sequence[OtherWording] = ()
) -> tuple[Phrase, ...]:
    """Phrases that should stand together: the question's own, then the documents' wordings."""
    phrases: dict[str, Phrase] = {}
    for match in matches:
        phrases.setdefault(match.text.lower(), Phrase(match.text.lower()))
    for concept in concepts:
        for text in concept.phrases:
            phrases.setdefault(text, Phrase(text, _PHRASE_WEIGHT, f"lexicon:{concept.name}"))
    for wording in wordings:
        if wording.weight <= NEAR:
            phrases.setdefault(wording.text, Phrase(wording.text, _NEAR_PHRASE_WEIGHT, f"lexicon:{wording.source}"))
    return tuple(phrases.values())


_ALL = re.compile(
    r"\b(?:list|name|give|find|show|enumerate|identify)\s+(?:me\s+)?(?:all|every|each|any)\b"
    r"|\b(?:what|which) are all\b|\ball (?:the )?(?:places|mentions)\b",
    re.I,
)


_DOCUMENTS = re.compile(
    r"\b(?:(?:which|how many|list|name)\b[^?]{0,30}\b(?:document|file|report|contract|agreement|filing|polic(?:y|ie))s?"
    r"|what (?:documents|files|reports|contracts|agreements|filings|policies))\b[^?]{0,40}"
    r"\b(?:mention|say|contain|include|speak|refer|discuss|cover|state|name|deal|have|has)(?:s|es|ed|ing)?\b",
    re.I,
)


def asks_for_all(plan: QueryPlan) -> bool:
    """Whether a question wants everything: "list all ...", "which of these documents ..."."""
    return bool(_ALL.search(plan.question)) or asks_documents(plan)


def asks_documents(plan: QueryPlan) -> bool:
    """Whether the answer is a list of documents."""
    return bool(_DOCUMENTS.search(plan.question))


_YES_NO = re.compile(
    r"^(?:is|are|am|was|were|does|do|did|has|have|had|can|could|will|would|should|may|might|must|shall)\b",
    re.IGNORECASE,
)
_AUXILIARY_CLAUSE = re.compile(
    r",\s*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b", re.IGNORECASE
)
_EXPLAIN = re.compile(
    r"\b(?:why|how (?:did|does|do|has|have|is|are|was|were|can|could|would|will)\b|explain|reasons?|causes?d?"
    r"|drove|drivers?|driven"
    r"|contribut\w+ to|led to|attributed to|purpose|describe)\b",
    re.IGNORECASE,
)
_DEVELOPS = re.compile(
    r"\bhow (?:did|has|have|does|do)\b.*\b(?:develop|evolv|trend|progress)\w*[^;?]*[?.]*$", re.IGNORECASE
)
_COMPARES = re.compile(r"\bhow (?:does|do|did)\b.*\b(?:compare|differ)\b", re.IGNORECASE)
_SUMMARY = re.compile(
    r"\b(?:summar\w+|overview|key (?:points|takeaways|findings)|what is (?:this|the) (?:document|report) about"
    r"|outline)\b",
    re.I,
)
_LIST = re.compile(
    r"\b(?:list|enumerate|name (?:all|the|\w+)|what (?:are|were)|which (?:\w+ ){0,3}\w+s\b (?:are|were|have|do"
    r"|did)|identify)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:how (?:much|many)|amount|number of|percentage|value of|total|rate|price|cost|size)\b", re.IGNORECASE
)
_LOOKUP = re.compile(
    r"\b(?:who|whom|whose|when|where|which|what (?:date|day|year|name|company|country|law|type|kind))\b", re.IGNORECASE
)


_WHAT_WERE = re.compile(r"\bwhat (?:are|were)\b", re.IGNORECASE)
_REASONS = re.compile(
    r"\b(?:why|reasons?|caus\w+|drove|driv\w+|led to|attribut\w+ to|contribut\w+ to|due to|factors?|impact(?:ed|s)?"
    r"|affect(?:ed|s)?|how come|explain)\b",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"\b(?:most|least|highest|lowest|largest|biggest|smallest|greatest|best|worst|fastest|slowest|more|less|higher|lower"
    r"|larger|smaller|greater|top|rank\w*|exceed\w*|compar\w+)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:which|types?|kinds?|components?|items|list|main|major|key|different|various|sources)\b", re.IGNORECASE
)


def intent_of(focus: str, *, formula: Formula | None, figures: Sequence[FigureNeed]) -> Intent:
    """The intent by its words first, then by what has to be found."""
    if _SUMMARY.search(focus):
        return Intent.SUMMARY
    if _YES_NO.search(focus) or _AUXILIARY_CLAUSE.search(focus):
        return Intent.YES_NO
    if formula is not None and _DEVELOPS.search(focus):
        return Intent.CALCULATION
    if _EXPLAIN.search(focus) and not (figures and _COMPARES.search(focus)):
        return Intent.EXPLAIN
    if formula is not None:
        return Intent.CALCULATION
    if _AMOUNT.search(focus) and not _LIST.search(focus):
        return Intent.FIGURE
    return _by_words(focus, figures)


def asks_reasons(focus: str) -> bool:
    """Whether the question wants to know what brought something about."""
    return bool(_REASONS.search(focus))


def wants_words(focus: str, intent: Intent) -> bool:
    """Whether names or facts are asked for, and no figures have to be compared to find them."""
    return intent in (Intent.LOOKUP, Intent.LIST) and not _SUPERLATIVE.search(focus)


def _by_words(focus: str, figures: Sequence[FigureNeed]) -> Intent:
    """ "What were net sales?" asks for a figure, "What were the main acquisitions?" for a list."""
    if figures and _WHAT_WERE.search(focus) and not _SEVERAL.search(focus):
        return Intent.FIGURE
    if _LIST.search(focus):
        return Intent.LIST
    if _LOOKUP.search(focus):
        return Intent.LOOKUP
    return Intent.FIGURE if figures else Intent.LOOKUP


_FORMS = (
    ("10-k", re.compile(r"\b(?:form\s+)?10-?K\b|\bannual report\b", re.IGNORECASE)),
    ("10-q", re.compile(r"\b(?:form\s+)?10-?Q\b|\bquarterly report\b", re.IGNORECASE)),
    ("8-k", re.compile(r"\b(?:form\s+)?8-?K\b|\bcurrent report\b", re.IGNORECASE)),
    ("20-f", re.compile(r"\b(?:form\s+)?20-?F\b", re.IGNORECASE)),
    ("proxy statement", re.compile(r"\bproxy statement\b|\bDEF 14A\b", re.IGNORECASE)),
    (
        "earnings release",
        re.compile(r"\bearnings (?:release|report|call|presentation)\b|\bpress release\b", re.IGNORECASE),
    ),
    ("prospectus", re.compile(r"\bprospectus\b|\bS-1\b")),
    ("contract", re.compile(r"\b(?:contract|agreement|lease agreement)\b", re.IGNORECASE)),
    ("policy", re.compile(r"\bpolicy document\b", re.IGNORECASE)),
    ("manual", re.compile(r"\b(?:user |owner'?s |operating )?manual\b", re.IGNORECASE)),
)


def forms_in(text: str) -> tuple[str, ...]:
    """Document kinds named, in a fixed order, lower case ("10-k", "earnings release")."""
    return tuple(name for name, pattern in _FORMS if pattern.search(text))


_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "mn": 1e6, "mm": 1e6, "bn": 1e9, "k": 1e3}
_CURRENCIES = {
    "usd": "USD", "us$": "USD", "$": "USD", "us dollar": "USD", "u.s. dollar": "USD", "dollar": "USD", "eur": "EUR",
    "€": "EUR", "euro": "EUR", "gbp": "GBP", "£": "GBP", "pound": "GBP", "jpy": "JPY", "¥": "JPY", "yen": "JPY",
    "chf": "CHF", "cad": "CAD", "aud": "AUD", "cny": "CNY", "inr": "INR",
}  # fmt: skip
_CURRENCY = r"usd|us\$|u\.?s\.? dollars?|dollars?|eur|euros?|gbp|pounds?|jpy|yen|chf|cad|aud|cny|inr|[$€£¥]"
_SCALED = re.compile(
    rf"\b(?:in|as|to the nearest|nearest|expressed in)\s+(?:(?:units?|terms) of\s+)?(?:the\s+)?"
    rf"(?:(?P<c1>{_CURRENCY})\s*)?(?P<scale>thousand|million|billion|trillion|mn|mm|bn|k)s?\b"
    rf"(?:\s+(?:of\s+)?(?P<c2>{_CURRENCY})(?!\w))?",
    re.IGNORECASE,
)
_IN_CURRENCY = re.compile(rf"\b(?:in|as)\s+(?P<currency>{_CURRENCY})(?!\w)", re.IGNORECASE)
_PERCENT = re.compile(
    r"\b(?:as|in|of|by)\s+(?:(?:units?|terms) of\s+|an?\s+|how many\s+)?(?:%|percent(?:s|ages?)?\b"
    r"|percentage points?\b)|\bwhat (?:percent|percentage|%)|\bas an? (?:%|percent|percentage)|\(%\)"
    r"|\bpercentage (?:change|growth|increase|points?)\b"
    r"|\bin %",
    re.IGNORECASE,
)
_COUNT_WORDS = {"no": 0, "zero": 0, "one": 1, "a single": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_DECIMALS = re.compile(
    r"\b(?P<count>no|zero|one|a single|two|three|four|five|\d)\s+(?:decimal|digit)s?(?:\s+(?:places?|points?))?\b"
    r"|\b(?P<nearest>nearest (?:whole number|integer|whole percent))|\b(?P<place>first|second|third) decimal\b",
    re.IGNORECASE,
)
_PLACES = {"first": 1, "second": 2, "third": 3}


def unit_requested(text: str) -> UnitRequest | None:
    """The unit, scale and rounding asked for; None when the question leaves them open."""
    scaled = _SCALED.search(text)
    percent = bool(_PERCENT.search(text))
    decimals = _decimals(text)
    currency = _currency(text, scaled)
    if not (scaled or percent or currency or decimals is not None):
        return None
    scale = _SCALES[scaled["scale"].lower()] if scaled else None
    told = [match.group() for match in (scaled, _DECIMALS.search(text)) if match]
    return UnitRequest(scale, currency, percent, decimals, "; ".join(told))


def _decimals(text: str) -> int | None:
    match = _DECIMALS.search(text)
    if match is None:
        return None
    if match["nearest"]:
        return 0
    if match["place"]:
        return _PLACES[match["place"].lower()]
    count = match["count"].lower()
    return int(count) if count.isdigit() else _COUNT_WORDS[count]


def _currency(text: str, scaled: re.Match[str] | None) -> str:
    written = (scaled["c1"] or scaled["c2"]) if scaled else None
    if not written:
        alone = _IN_CURRENCY.search(text)
        written = alone["currency"] if alone else ""
    key = written.lower().rstrip("s")
    return _CURRENCIES.get(key, _CURRENCIES.get(written.lower(), ""))


_MAX_FIGURES = 12
"""Figures that one question may need; bounds the time of a question over many periods. Measured as engine.ranking says:
6 and 24 change nothing."""
_LISTED = re.compile(r"\b(?P<first>\w+), (?P<second>\w+),? (?:and|or) \w+ (?P<noun>\w+)\b")
_EXCLUDED = re.compile(
    r"\b(?:exclud\w+|without|not including|apart from|ignor\w+|disregard\w+|leaving out|adjusted for|net of)\b",
    re.IGNORECASE,
)
_REACH = 45
"""Characters after "excluding" and the like in which what is named is set aside, unless a comma ends it sooner.
Measured as engine.ranking says: 22 and 90 change nothing."""
_DISCUSSION = ("management's discussion and analysis", "results of operations")
_CLAUSE = re.compile(
    r"\s*(?:;|\band (?=(?:what|which|who|when|where|why|how|is|are|was|were|does|do|did|has|have)\b)|(?<=\?)\s)", re.I
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def understand(question: str, *, lexicon: Lexicon | None = None, expand: bool = True) -> QueryPlan:
    """Read a question into a plan. Without `expand` the plan holds the question's own terms only (figures stay).

    `lexicon` defaults to the packs shipped with the product. Any text gives a plan; an
    empty one gives a plan without terms.
    """
    known = lexicon or default_lexicon()
    parts = split_question(question)
    periods = periods_in(parts.focus) or periods_in(question)
    mentioned = known.match(parts.focus)
    entities = entities_in(parts.focus, _find_taken_spans(parts.focus, mentioned, periods))
    blanked = _with_own_words(_blank_names(parts.focus, entities), mentioned)
    matches = _drop_excluded(known.match(_unfold_lists(blanked)), parts.focus)
    unit = unit_requested(question)
    reader = FormulaReader(known, periods)
    calculation = reader.calculation(parts, matches, wants_percent=bool(unit and unit.percent))
    formula, figures = _figures(calculation, matches, periods)
    intent = intent_of(parts.focus, formula=formula, figures=figures)
    if formula is None and wants_words(parts.focus, intent):
        figures = ()
    required = [need for need in figures if not need.optional]
    concepts = _concepts(known, matches, required)
    wordings = other_wordings(_blank_terms_of_art(blanked, known.match(blanked))) if expand else ()
    return QueryPlan(
        question=question,
        focus=parts.focus,
        intent=intent,
        terms=expand_terms(parts.focus, entities, concepts if expand else (), wordings),
        phrases=question_phrases(matches, concepts if expand else (), wordings),
        concepts=tuple(dict.fromkeys([*(match.text.lower() for match in matches), *(c.name for c in concepts)])),
        entities=entities,
        periods=periods,
        unit=unit,
        statements=_statements(known, parts, required),
        sections=_sections(concepts, explains_figures=intent is Intent.EXPLAIN and bool(figures)),
        forms=forms_in(parts.focus),
        figures=figures,
        formula=formula,
        sub_questions=_sub_questions(parts.focus),
        language=_language(question),
    )


def _figures(
    calculation: FormulaTree | None, matches: Sequence[Match], periods: tuple[Period, ...]
) -> tuple[Formula | None, tuple[FigureNeed, ...]]:
    """The calculation's figures; without one, a figure for every measurable concept named and every period."""
    if calculation is None:
        return None, ()
    formula, needs = calculation.formula()
    if formula is not None:
        return formula, needs
    named = [entry for match in matches for entry in match.entries[:1] if isinstance(entry, Concept)]
    others = [
        FigureNeed(concept.name, concept.phrases, needs[0].period, concept.statement)
        for concept in dict.fromkeys(named)
        if concept.is_measured and concept.name != needs[0].concept
    ]
    every = (*needs, *others)
    return None, _over_periods(every, periods)[:_MAX_FIGURES] if len(periods) > 1 else every[:_MAX_FIGURES]


def _over_periods(needs: Sequence[FigureNeed], periods: Sequence[Period]) -> tuple[FigureNeed, ...]:
    return tuple(FigureNeed(need.concept, need.phrases, period, need.statement) for need in needs for period in periods)


def _blank_names(focus: str, entities: Sequence[str]) -> str:
    """The focus with spaces in place of names, so that "the number of Acme stores" asks for the number of stores."""
    for entity in entities:
        focus = re.sub(rf"{re.escape(entity)}(?:['’]s?)?(?!\w)", lambda match: " " * len(match.group()), focus)
    return focus


def _blank_terms_of_art(blanked: str, mentioned: Sequence[Match]) -> str:
    """Spaces in place of known figures and ratios as well: "cost of sales" has no everyday wordings."""
    for match in mentioned:
        if _is_measured(match):
            blanked = blanked[: match.start] + " " * (match.end - match.start) + blanked[match.end :]
    return blanked


def _with_own_words(blanked: str, mentioned: Sequence[Match]) -> str:
    """The blanked focus with a workspace's own words put back: its nicknames and acronyms look like names."""
    for match in mentioned:
        if any(isinstance(entry, Concept) and entry.pack == WORKSPACE_PACK for entry in match.entries):
            blanked = blanked[: match.start] + match.text + blanked[match.end :]
    return blanked


def _drop_excluded(matches: Sequence[Match], focus: str) -> list[Match]:
    """Matches without those the question sets aside ("excluding acquisitions"); their words stay terms."""
    aside = [(match.end(), focus.find(",", match.end()) % (len(focus) + 1)) for match in _EXCLUDED.finditer(focus)]
    return [m for m in matches if not any(start <= m.start < min(end, start + _REACH) for start, end in aside)]


def _unfold_lists(focus: str) -> str:
    """Adds what a list leaves out: "operating, investing and financing activities" names three kinds of activity."""
    added = [f"{match[part]} {match['noun']}" for match in _LISTED.finditer(focus) for part in ("first", "second")]
    return " ; ".join([focus, *added])


def _find_taken_spans(focus: str, matches: Sequence[Match], periods: Sequence[Period]) -> list[tuple[int, int]]:
    """Spans that are no names: known figures, ratios and statements, and periods."""
    spans = [(match.start, match.end) for match in matches if _is_measured(match)]
    for period in periods:
        start = focus.find(period.text) if period.text else -1
        if start >= 0:
            spans.append((start, start + len(period.text)))
    return spans


def _is_measured(match: Match) -> bool:
    return any(not isinstance(entry, Concept) or entry.pack == "financial" for entry in match.entries)


def _concepts(lexicon: Lexicon, matches: Sequence[Match], figures: Sequence[FigureNeed]) -> tuple[Concept, ...]:
    """All concepts named or needed, each once: those named first."""
    found: dict[str, Concept] = {}
    for concept in (*_list_named_concepts(lexicon, matches), *(lexicon.concept(need.concept) for need in figures)):
        if concept is not None:
            found.setdefault(concept.name, concept)
    return tuple(found.values())


def _list_named_concepts(lexicon: Lexicon, matches: Sequence[Match]) -> Iterator[Concept | None]:
    for match in matches:
        for entry in match.entries:
            if isinstance(entry, Concept):
                yield entry
            elif isinstance(entry, Ratio):
                yield from (lexicon.concept(name) for name in entry.concepts)


def _statements(lexicon: Lexicon, parts: QuestionParts, figures: Sequence[FigureNeed]) -> tuple[str, ...]:
    """Statements named anywhere in the question, then those the figures usually stand in."""
    whole = " . ".join((parts.focus, *parts.instructions, *parts.definitions))
    named = [
        entry.name for match in lexicon.match(whole) for entry in match.entries if isinstance(entry, StatementKind)
    ]
    return tuple(dict.fromkeys([*named, *(need.statement for need in figures if need.statement)]))


def _sections(concepts: Sequence[Concept], *, explains_figures: bool) -> tuple[str, ...]:
    """Sections the concepts stand in; why a figure changed is told where management discusses the results."""
    named = [section for concept in concepts for section in concept.sections]
    return tuple(dict.fromkeys([*(_DISCUSSION if explains_figures else ()), *named]))


def _sub_questions(focus: str) -> tuple[str, ...]:
    parts = [part.strip(" ,?.") for part in _CLAUSE.split(focus) if part and len(part.split()) > 2]
    return tuple(parts) if len(parts) > 1 else ()


def _language(question: str) -> str:
    """A rough guess by script; only what the analyser treats differently matters."""
    return "zh" if _CJK.search(question) else "en"
