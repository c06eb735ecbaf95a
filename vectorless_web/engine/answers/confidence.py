"""How likely an answer is right: signals measured of it, weighed by a logistic model that was fitted on judged answers.

The weights are data (`calibration.toml`), fitted by `benchmarks/calibration.py`; logistic regression as in
Cox, "The regression analysis of binary sequences", 1958.
"""

import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from vectorless_web.engine.answers.claims import (
    IS_SETTLED,
    LACKS_ASKED,
    LISTS_MENTIONS,
    NEARNESS,
    Check,
    ClaimEvent,
    Confidence,
    DraftClaim,
    Evidence,
    Signal,
    Strength,
    Support,
    is_supported,
)
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.figures.needs import figure_needs
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.passages.checks import is_met, tells_decision
from vectorless_web.engine.passages.context import Reading
from vectorless_web.engine.questions.parts import OF_KIND
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.requirements import Wanted, asks_for, requirements_of
from vectorless_web.engine.questions.understand import asks_documents
from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.text.analyser import analyse


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic model: the log odds at which it begins, what each signal adds to them, the least of each word."""

    intercept: float
    weights: Mapping[str, float]
    strong: float
    moderate: float

    def chance(self, signals: Sequence[Signal]) -> float:
        """The chance in (0, 1) that an answer with these signals is right; a signal it does not know adds nothing."""
        odds = self.intercept + sum(self.weights.get(signal.name, 0.0) * signal.share for signal in signals)
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))

    def name_strength(self, value: float) -> Strength:
        """The word for a confidence."""
        if value >= self.strong:
            return Strength.STRONG
        return Strength.MODERATE if value >= self.moderate else Strength.WEAK


@cache
def calibration_of(engine: str) -> Calibration:
    """The calibration of answers by `model`, by `offline`, or by the latter with `nearness` in meaning measured."""
    table = tomllib.loads(files(__package__).joinpath("calibration.toml").read_text("utf-8"))[engine]
    return Calibration(table["intercept"], table["weights"], table["strong"], table["moderate"])


def calibration_for(signals: Sequence[Signal]) -> Calibration:
    """The calibration of an offline answer: that of the words alone, unless a local model measured its meaning too."""
    return calibration_of(NEARNESS if any(signal.name == NEARNESS for signal in signals) else "offline")


PART_SAID = 0.4
"""Least share of a sub-question that the quotes say when it counts as covered."""


CHECKED = 0.95
"""How firmly an answer of a model stands when every check passed at once.

Of those that showed .80 or more 44 of 45 were right in one round with a live reader, 12 of 12, 19 of 19 and 16 of 16 in
three later ones, and 29 of 32 of all answers in one before: .96 to .99 whichever round is left out.
"""

AGREED = 0.97
"""The same when the offline reasoner, which reads without a model, comes to the same figure."""

MENDED_COST = 0.15
"""Taken off when all sentences had to be mended. A mended sentence passed the same checks, on its second try."""

FUZZY_COST = 0.15
"""Taken off when all quotes were found only nearly (95 % alike, every digit equal)."""

OPEN_PART_COST = 0.3
"""Taken off the parts covered when no part of the question is spoken of: a model may speak of it in other words.

Both answers that showed .6 or less for it were right when read.
"""

PICTURED = 0.6
"""How firmly a sentence stands that was read from a picture: nothing of it was compared word for word.

Chosen by hand, below what is shown as firm; CHECKED would promise a check that nobody made.
"""

MISSING_COST = 0.15
"""Taken off the parts covered when the model itself says that something is missing."""


@dataclass(frozen=True, slots=True)
class ModelChecks:
    """What the checks found of a model's answer, each share in [0, 1].

    `held` of the sentences it did not withdraw, `mended` of those that hold, `fuzzy` of their
    quotes, `parts` of the question's parts; whether it says that something is missing, whether
    the offline reasoner comes to a figure that the answer states, too, and whether what it
    says first is a judgement, a comparison or a count that no check worked out again.
    """

    held: float
    mended: float
    fuzzy: float
    parts: float
    says_missing: bool
    agrees: bool
    pictured: float = 0.0
    """Share of the sentences that hold which were read from pictures."""
    is_judged: bool = False


def weigh_checks(checks: ModelChecks) -> Confidence:
    """The confidence of a model's answer: sentences that hold x parts covered x how firmly the quotes stand.

    What nothing but the model has judged or counted is never strong.
    """
    covered = 1.0 - OPEN_PART_COST * (1.0 - checks.parts) - MISSING_COST * checks.says_missing
    firm = (AGREED if checks.agrees else CHECKED) - MENDED_COST * checks.mended - FUZZY_COST * checks.fuzzy
    firm = firm * (1.0 - checks.pictured) + min(firm, PICTURED) * checks.pictured
    calibration, value = calibration_of("model"), checks.held * covered * firm
    if checks.is_judged:
        value = min(value, calibration.strong - BELOW_STRONG)
    return Confidence(checks.held, covered, firm, value, calibration.name_strength(value))


def pictured_share(claims: Sequence[ClaimEvent]) -> float:
    """Share of the claims that hold which were read from pictures."""
    held = [claim for claim in claims if is_supported(claim)]
    return _divide_share(sum(claim.support is Support.PICTURED for claim in held), len(held))


def fuzzy_share(claims: Sequence[ClaimEvent]) -> float:
    """Share of the quotes of claims that hold which were found only nearly."""
    quotes = [quote for claim in claims if is_supported(claim) for quote in claim.citations]
    return _divide_share(sum(quote.check is Check.FUZZY for quote in quotes), len(quotes))


def parts_spoken_of(plan: QueryPlan, claims: Sequence[ClaimEvent], finders: Mapping[str, Finder]) -> float:
    """Share of the question's parts that claims which hold speak of, in their own words or in those of their quotes."""
    if not plan.sub_questions:
        return 1.0
    said = [_told_of(part, claims, finders) for part in plan.sub_questions]
    return _divide_share(sum(share >= PART_SAID for share in said), len(said))


def _told_of(part: str, claims: Sequence[ClaimEvent], finders: Mapping[str, Finder]) -> float:
    told = " ".join(claim.text for claim in claims if is_supported(claim))
    quotes = [quote for claim in claims if is_supported(claim) for quote in claim.citations]
    return _find_best_share(
        quotes, finders, lambda finder, text, around: finder.part_coverage(part, f"{told} {text}", around)
    )


def confidence_of(
    plan: QueryPlan, drafts: Sequence[DraftClaim], claims: Sequence[ClaimEvent], finders: Mapping[str, Finder]
) -> Confidence:
    """The confidence of the offline reasoner's answer: the calibrated chance of what was measured of it.

    A list of mentions is not judged as an answer is: its confidence is the product of the three shares, and it is
    strong only where mentions were asked for, for what speaks of a thing need be no member of its kind.
    """
    held = [(draft, claim) for draft, claim in zip(drafts, claims, strict=True) if is_supported(claim)]
    fits = [draft.fit if draft.fit is not None else _measure_question_coverage(claim, finders) for draft, claim in held]
    standing = _divide_share(len(held), len(claims))
    parts = _parts(plan, held, finders)
    fit = _divide_share(sum(max(0.0, min(1.0, fit)) for fit in fits), len(fits))
    signals = (
        Signal("held", standing),
        Signal("parts", parts),
        Signal("fit", fit),
        *_measure_words(held, finders),
        *_measure_specifics(plan, held, finders),
        *_measure_place(held, finders),
        *_name_kind(plan, held),
        *(held[0][0].signals if held else ()),
    )
    signals = (*signals, Signal(IS_FIRM, float(_is_firm(plan, signals))))
    is_list_of_mentions = any(signal.name == LISTS_MENTIONS for signal in signals)
    value = standing * parts * fit if is_list_of_mentions else calibration_for(signals).chance(signals)
    if any(signal.name == IS_SETTLED for signal in signals):
        value = _add_odds(value, SETTLED)
    if is_list_of_mentions and not (_ASKS_MENTIONS.search(plan.focus) or asks_documents(plan)):
        value = min(value, calibration_for(signals).strong - BELOW_STRONG)
    if not all(any(finder.has_stem(name) for finder in finders.values()) for name in _stems_named(plan)):
        value = min(value, OF_SOMETHING_ELSE)
    if any(signal.name == LACKS_ASKED for signal in signals):
        value = min(value, OF_USE_ALONE)
    quotes = held[0][1].citations if len(held) == 1 else ()
    if quotes and all(_only_announces(quote.quote) for quote in quotes):
        value = min(value, OF_USE_ALONE)
    is_passage = any(signal.name == "passage_fit" for signal in signals)
    if is_passage and not _speaks_of_both(plan, held):
        value = min(value, OF_SOMETHING_ELSE)
    return Confidence(standing, parts, fit, value, strength_of(signals, value), signals)


SETTLED = 1.0
"""What a yes or no that a rule settles outright adds to the log odds of being right. Of 45 such on everyday questions
and on documents of our own each verdict was right, and 7 were withheld without it; 1 still is, half as much shows 3 of
them, twice as much the one that stands beside a sentence on something else."""


def _add_odds(chance: float, more: float) -> float:
    """A chance in [0, 1) with more log odds."""
    odds = math.exp(more) * chance / (1.0 - chance) if chance < 1.0 else math.inf
    return odds / (1.0 + odds) if odds < math.inf else chance


def cap_partial(confidence: Confidence) -> Confidence:
    """The confidence of an answer to some of the things asked: never that of a strong one."""
    value = min(confidence.value, calibration_for(confidence.signals).strong - BELOW_STRONG)
    return replace(confidence, value=value, strength=strength_of(confidence.signals, value))


def says_part(part: str, claims: Sequence[ClaimEvent], finders: Mapping[str, Finder], *, by_itself: bool) -> bool:
    """Whether claims answer one thing asked: they say enough of its words, and hold what it asks for.

    `by_itself` counts only its own words, and not those that other parts lend it.
    """
    quotes = [quote for claim in claims for quote in claim.citations]
    words = " ".join(claim.text for claim in claims)
    told = [" ".join((words, *(quote.quote for quote in quotes))), *(quote.quote for quote in quotes)]
    requirements = requirements_of(next(iter(finders.values())).plan)
    if not all(any(is_met(requirement, text) for text in told) for requirement in requirements):
        return False
    own_words = OF_KIND.sub(" ", part)
    is_untyped = {requirement.wanted for requirement in requirements} <= {Wanted.STATEMENT, Wanted.LIMIT}

    def measure(finder: Finder, text: str, around: str) -> float:
        text = f"{words} {text}"
        own = (by_itself or is_untyped) and bool(set(analyse(own_words)) - _ASKING)
        return finder.part_coverage(own_words, text, around) if own else _share_covered(finder, text, around)

    return _find_best_share(quotes, finders, measure) >= PART_SAID


_ASKING = frozenset(analyse("how many much long often far soon old large high big"))


def strength_of(signals: Sequence[Signal], value: float) -> Strength:
    """The word for an offline answer's confidence; only what is firm is called strong."""
    strength = calibration_for(signals).name_strength(value)
    is_firm = all(signal.share for signal in signals if signal.name == IS_FIRM)
    return strength if is_firm or strength is not Strength.STRONG else Strength.MODERATE


IS_FIRM = "is_firm"
"""The signal of an answer that may be called strong."""

HEAVIEST_SAID = 0.5
"""What `heaviest` is, at least, of a firm answer: no word of more than half the weight of the heaviest is left over."""


def _is_firm(plan: QueryPlan, signals: Sequence[Signal]) -> bool:
    """Whether an answer may be called strong: a figure may; words where every check of them passed, too.

    They hold all that is asked for, account for the heaviest words, name every name and hold for no other case or year
    than the one asked about. A verdict that is read from a sentence is never called strong: the sentence may be
    certain, its reading is not. Of answers at .75 and more by fits on other sets 135 of 142 firm ones are right of
    questions on financial texts, 155 of 169 of all; of questions on privacy policies 5 of 6, and 22 of 35.
    """
    shares = {signal.name: signal.share for signal in signals}
    if "passage_fit" not in shares:
        return True
    holds = bool(shares["holds_all"] and shares["suffices"])
    is_said = shares["heaviest"] >= HEAVIEST_SAID and shares["names_said"] >= 1.0
    return holds and is_said and not shares["is_other_case"] and not asks_for(plan, Wanted.VERDICT)


_ASKS_MENTIONS = re.compile(
    r"\b(?:mention\w*|places?|passages?|sentences?|references?|occurrences?|statements?|says?|said)\b", re.IGNORECASE
)

OF_SOMETHING_ELSE = 0.25
"""What an answer is worth, at most, to a question that names somebody or a country that no document read ever names.
Three of some 160 answers to questions on reports, policies and everyday matters were so, all of them wrong."""

OF_USE_ALONE = 0.25
"""What an answer is worth, at most, that repeats the effect of which the cause is asked for, or uses the term of which
the meaning is, or that only announces what follows it. Chosen by hand: twice as much would show it, with a tick that
it has not earned."""

_ANNOUNCEMENT = re.compile(r"[^.!?;]*\b(?:as follows|following|below)\b[^.!?;]*:\W*", re.IGNORECASE)


def _only_announces(quote: str) -> bool:
    """Whether a quote is one sentence that says that something follows, and nothing of it: "... is as follows:"."""
    return bool(_ANNOUNCEMENT.fullmatch(quote)) and not tells_decision(quote)


_ENDING = 3
"""Letters at the end of a name that may differ: Canada, Canadian."""

_IN_ENGLISH = re.compile(r"\b(?:the|what|which|who|how|when|is|are|does|did|of)\b", re.IGNORECASE)
"""Other languages write any noun with a capital."""

_NO_NAMES = frozenset(
    """Company Companies Group Board Management Firm Agreement Contract Report Section Table Figure Chapter Policy Party
    Parties Buyer Seller Supplier Customer Tenant Landlord Provider Client Employer Employee Annual Quarter Fiscal
    Appendix Article Clause Schedule Exhibit Answer Internet""".split()  # noqa: SIM905
)
"""Words written with a capital that name nobody: a document may say "we" for the Company."""

_PROPER = re.compile(r"[A-Z][a-z]{4,}")


def _stems_named(plan: QueryPlan) -> list[str]:
    """How the proper names of a question begin, without the first word of a sentence; none of a title in capitals."""
    named = [re.sub(r"['’]s?$", "", name.rstrip(".'’")) for name in _NAMED.findall(plan.focus)]
    words = re.findall(r"[^\W\d_]{4,}", plan.focus)[1:]
    if not _IN_ENGLISH.search(plan.focus) or all(word[0].isupper() for word in words):
        return []
    named = [name for name in named if _PROPER.fullmatch(name) and name not in _NO_NAMES]
    return [name[: max(4, len(name) - _ENDING)] for name in named]


_WEIGHED = re.compile(
    r"\b(?:which|who)\b[^?]*?\b(?:more|less|fewer|better|worse|earlier|later|[a-z]{3,}(?:er|est)|most|least|first)\b"
    r"[^?]*?[,:]\s*(?P<one>[^,:?]*(?:,\d{3}[^,:?]*)*),?\s+or\s+(?P<other>[^?]+)\?",
    re.IGNORECASE,
)
"""Two things put against each other: "Which is cheaper, the ferry or the bus?\""""


def _speaks_of_both(plan: QueryPlan, held: "Held") -> bool:
    """Whether quotes say half of the own words of both things that a question weighs; true of other questions."""
    match = _WEIGHED.search(plan.question)
    if match is None:
        return True
    one, other = set(analyse(match["one"])), set(analyse(match["other"]))
    told = {term for _, claim in held for quote in claim.citations for term in analyse(f"{quote.quote} {quote.where}")}
    return all(2 * len(own & told) >= len(own) for own in (one - other, other - one))


BELOW_STRONG = 0.01
"""How far below what counts as strong a list of mentions is kept, as a difference of two confidences."""

Held = Sequence[tuple[DraftClaim, ClaimEvent]]
"""Claims that hold, as drafted and as checked."""


def _measure_words(held: Held, finders: Mapping[str, Finder]) -> list[Signal]:
    """Shares of the weight of the question's own words that the quotes say: by themselves, and with their headings.

    And how heavy the heaviest word is that they leave over, 1 for none, 0 for the heaviest of the question.
    """
    quotes = [quote for _, claim in held for quote in claim.citations]
    alone = _find_best_share(quotes, finders, lambda finder, text, _: _share_said(finder, text))
    around = _find_best_share(quotes, finders, lambda finder, text, where: _share_said(finder, f"{text} {where}"))
    evidence = _find_best_share(quotes, finders, lambda finder, text, where: finder.measure_evidence(text, where))
    heaviest = _find_best_share(quotes, finders, lambda finder, text, _: finder.aspects.measure_heaviest(text))
    return [
        Signal("words", alone),
        Signal("words_around", around),
        Signal("evidence", min(1.0, evidence / MOST_EVIDENCE)),
        Signal("heaviest", heaviest),
    ]


MOST_EVIDENCE = 3.0
"""What words prove (see `Finder.measure_evidence`) from which on more of it adds nothing."""

_NAMED = re.compile(r"(?<![.?!:]\s)(?<!^)(?<![\w'’])(?!I\b|I['’])[A-Z][\w&.'’-]*")


def _measure_specifics(plan: QueryPlan, held: Held, finders: Mapping[str, Finder]) -> list[Signal]:
    """The share of the names in a question that the quotes, or what they stand below, say, 1 of none.

    And whether the answer ends where something should follow. What is told of one firm does not hold for another,
    however alike the words are.
    """
    periods = {term for period in plan.periods for term in analyse(period.text)}
    # "FY2023" names no firm: whether a figure is of that year is checked by its column.
    names = [name for name in _NAMED.findall(plan.focus) if not _NO_NAME.fullmatch(name)]
    named = [set(analyse(name)) for name in names if set(analyse(name)) - periods]
    quotes = [quote for _, claim in held for quote in claim.citations]
    told = {term for quote in quotes for term in analyse(f"{quote.quote} {quote.where} {_titles(quote, finders)}")}
    about = {term for finder in finders.values() for term in _subject_terms(finder)}
    said = _divide_share(sum(bool(name & (told | about)) for name in named), len(named)) if named else 1.0
    known = [any(name & about or _speaks_of(name, finder) for finder in finders.values()) for name in named]
    is_open = len(held) == 1 and quotes[-1].quote.rstrip().endswith((":", ",")) and not tells_decision(quotes[-1].quote)
    return [
        Signal("names_said", said),
        Signal("names_known", _divide_share(sum(known), len(known)) if known else 1.0),
        Signal("is_open", float(is_open)),
        Signal("is_other_case", float(bool(quotes) and is_other_case(plan, quotes[0].quote))),
    ]


def _titles(quote: Evidence, finders: Mapping[str, Finder]) -> str:
    """The headings of the sections that a quote names by their numbers."""
    finder = finders.get(quote.document)
    return Reading(finder.document.tree).titles_named(quote.quote) if finder else ""


_CASE = re.compile(
    r"^\W*(?:\d[\d.]*\s+)?(?:(?:if|when|where|whenever|in case(?: of)?|unless|after|once)\b(?P<condition>[^,]{4,160}),"
    r"|(?:(?:a|an|the|any|each|every|all)\s+)?(?:[\w’'-]+\s){1,3}(?:that|who|which|whose)\s(?P<kind>(?:[\w’'-]+\s){2,3}))",
    re.IGNORECASE,
)
"""How a rule begins that holds for a case ("If the seal is broken, ...") or a kind ("Tenants that receive help")."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def is_other_case(plan: QueryPlan, sentence: str) -> bool:
    """Whether a sentence holds for a case, a kind or a year of which the question says nothing."""
    years, told = set(_YEAR.findall(plan.focus)), set(_YEAR.findall(sentence))
    if years and told and not years & told:
        return True
    case = _CASE.match(sentence)
    if case is None:
        return False
    asked = set(analyse(plan.focus)) | {term for wording in other_wordings(plan.focus) for term in wording.terms}
    return not asked & set(analyse(case["condition"] or case["kind"]))


_NO_NAME = re.compile(
    r"OK|Okay|Christmas|Easter|English|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    r"|January|February|March|April|May|June|July|August|September|October|November|December"
)
"""Words written with a capital that name nobody: a document may give a day by its date."""


def _speaks_of(name: set[str], finder: Finder) -> bool:
    """Whether a document speaks of a name at all, be it spelled out: what it never names it says nothing of."""
    segment = Segment(finder.document.segment)
    if any(segment.document_frequency(term) for term in name):
        return True
    others = (other.terms for other in other_wordings(finder.plan.question) if set(other.origin) <= name)
    return any(terms and all(segment.document_frequency(term) for term in terms) for terms in others)


def _subject_terms(finder: Finder) -> set[str]:
    """The terms of a document's title and of what it is about: these hold for all of its text."""
    document = finder.document
    return set(analyse(" ".join((document.title, *document.card.fields.entities))))


def _share_said(finder: Finder, text: str) -> float:
    whole = finder.said_terms(finder.plan.question)
    return finder.said_terms(text) / whole if whole > 0 else 0.0


def _measure_place(held: Held, finders: Mapping[str, Finder]) -> list[Signal]:
    """How high the first quote's page and node rank, and how far above the best node that no claim cites."""
    cited = [quote for _, claim in held for quote in claim.citations if quote.document in finders]
    if not cited:
        return []
    first, finder = cited[0], finders[cited[0].document]
    keys = {quote.key for quote in cited if quote.document == first.document}
    node = finder.fits([first.key])[first.key]
    other = max((candidate.score for candidate in finder.ranked if candidate.key not in keys), default=0.0)
    page = finder.page_fits.get(first.page_index, 0.0)
    table = finder.document.tree.node(first.key).table
    return [
        Signal("page", page),
        Signal("node", node),
        Signal("ahead", max(0.0, min(1.0, 0.5 + (node - other) / 2))),
        Signal("is_pictured", share_pictured(finder.document)),
        Signal("is_table", float(table is not None)),
        Signal("is_statement", float(table is not None and bool(table.statement))),
    ]


def share_pictured(document: CompiledDocument) -> float:
    """The share of a document's pages on which a figure or a caption stands: what is asked may be told by a picture."""
    tree, pages = document.tree, document.tree.columns.integers("page_start")
    pictured = {pages[key] for key in range(len(tree)) if _is_pictured(tree, key)}
    return _divide_share(len(pictured), len(document.pages))


def _is_pictured(tree: Tree, key: int) -> bool:
    """Whether a node is a figure, or a caption that stands beside no table."""
    if tree.kind(key) is not NodeKind.CAPTION:
        return tree.kind(key) is NodeKind.FIGURE
    beside = (near for near in (key - 1, key + 1) if 0 <= near < len(tree))
    return not any(tree.kind(near) is NodeKind.TABLE for near in beside)


def _name_kind(plan: QueryPlan, held: Held) -> list[Signal]:
    """What form the answer has, each 1 or 0.

    Of answers in words also what they answer: what shows in no form, yes or no, a cause, or a figure that should have
    been worked out and was not. Yes or no is read into many a sentence, while a cause shows.
    """
    calculated = any(claim.calculation is not None for _, claim in held)
    figures = any(draft.needs for draft, _ in held)
    wanted = {requirement.wanted for requirement in requirements_of(plan)}
    is_quote, is_untyped = not figures and not calculated, wanted <= {Wanted.STATEMENT, Wanted.LIMIT}
    return [
        Signal("is_calculated", float(calculated)),
        Signal("is_figure", float(figures and not calculated)),
        Signal("is_quote", float(is_quote)),
        Signal("is_untyped", float(is_quote and is_untyped)),
        Signal("is_verdict", float(is_quote and Wanted.VERDICT in wanted)),
        Signal("is_cause", float(is_quote and Wanted.CAUSE in wanted)),
        Signal("is_not_worked_out", float(is_quote and Wanted.SUM in wanted)),
    ]


def _parts(plan: QueryPlan, held: Held, finders: Mapping[str, Finder]) -> float:
    """Share of the figures needed that were used, else of the sub-questions that the quotes speak of."""
    if not held:
        return 0.0
    used = {need for draft, _ in held for need in draft.needs}
    if used:
        needs = [need for need in figure_needs(plan) if not need.optional]
        return _divide_share(len(used), max(len(needs), len(used)))
    if not plan.sub_questions:
        return 1.0
    quotes = [quote for _, claim in held for quote in claim.citations]
    said = [
        _measure_part_coverage(part, quotes, finders) >= PART_SAID
        or (not set(analyse(part)) - _ASKING - _LEANING and _holds_all(plan, quotes))
        for part in plan.sub_questions
    ]
    return _divide_share(sum(said), len(said))


_LEANING = frozenset(analyse("over before after then else now earlier later last first again end so other both each"))
"""Words of a part that leans on the one before it, as in "and when is it over?"; it has none of its own."""


def _holds_all(plan: QueryPlan, quotes: Sequence[Evidence]) -> bool:
    """Whether one quote holds all that is asked for, two dates where two parts ask when."""
    return any(all(is_met(requirement, quote.quote) for requirement in requirements_of(plan)) for quote in quotes)


def _measure_question_coverage(claim: ClaimEvent, finders: Mapping[str, Finder]) -> float:
    """Share of the question that the claim's quotes say, headings counting less; the best document's."""
    return _find_best_share(claim.citations, finders, _share_covered)


def _share_covered(finder: Finder, text: str, around: str) -> float:
    """The share of a question that a text says; of a question that is only a name, the share of the name."""
    if finder.aspects.pieces:
        return finder.coverage(text, around)
    terms = {term.term for term in finder.plan.terms}
    return _divide_share(len(terms & set(analyse(text))), len(terms))


def _measure_part_coverage(part: str, quotes: Sequence[Evidence], finders: Mapping[str, Finder]) -> float:
    return _find_best_share(quotes, finders, lambda finder, text, around: finder.part_coverage(part, text, around))


def _find_best_share(
    quotes: Sequence[Evidence], finders: Mapping[str, Finder], measure: Callable[[Finder, str, str], float]
) -> float:
    shares = []
    for name in dict.fromkeys(quote.document for quote in quotes if quote.document in finders):
        own = [quote for quote in quotes if quote.document == name]
        text, around = " ".join(q.quote for q in own), " ".join(q.where for q in own)
        shares.append(measure(finders[name], text, around))
    return max(shares, default=0.0)


def _divide_share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0
