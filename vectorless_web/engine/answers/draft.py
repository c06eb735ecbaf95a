"""The offline draft: a verdict, a calculation, figures, or the sentences that answer, each as a quoted claim."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from vectorless_web.engine.answers.calculation import (
    CalculationResult,
    OtherWays,
    claim_of,
    describe_omission,
    format_figure,
    make_claim,
    period_words,
    quote_of,
    work_out,
    work_out_others,
)
from vectorless_web.engine.answers.changes import claims_of_changes
from vectorless_web.engine.answers.claims import (
    LISTS_MENTIONS,
    NEARNESS,
    AnswerDraft,
    DraftCalculation,
    DraftClaim,
    DraftOperand,
    DraftQuote,
    Signal,
    SynthesisContext,
)
from vectorless_web.engine.answers.readings import claim_of_change, claim_of_reading, claims_of_rows
from vectorless_web.engine.figures.figure import Figure, amount_words, format_number
from vectorless_web.engine.figures.needs import Contest, contest_of, figure_needs
from vectorless_web.engine.passages.checks import is_met
from vectorless_web.engine.passages.extraction import CHANGES, HARD_KINDS, ROUNDING, leads_by_meaning
from vectorless_web.engine.passages.passage import Part, Passage, cut_pieces
from vectorless_web.engine.questions.formulas.calculation import AT_CLOSE
from vectorless_web.engine.questions.formulas.request import BOUND, Threshold, read_bound
from vectorless_web.engine.questions.plan import Formula, Intent, QueryPlan
from vectorless_web.engine.questions.requirements import Wanted, asks_for, requirements_of
from vectorless_web.engine.questions.understand import asks_documents, asks_for_all
from vectorless_web.engine.relations.prose import find_sides
from vectorless_web.engine.relations.reading import Reading
from vectorless_web.engine.relations.relation import words_of
from vectorless_web.engine.relations.rows import RowsRead, RowTask
from vectorless_web.engine.relations.rules import Worked, work_out_date, work_out_rule
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.bands import amount_of, bounds_in
from vectorless_web.engine.text.quantities import quantities_in


def make_sweep_claims(plan: QueryPlan, passages: Sequence[Passage], names: dict[str, str]) -> list[DraftClaim]:
    """All passages in order; of a question for documents the best passage of each, under its title."""
    if not asks_documents(plan):
        return [passage_claim(passage) for passage in passages]
    claims = []
    for document in dict.fromkeys(passage.document for passage in passages):
        best = max((p for p in passages if p.document == document), key=lambda p: (p.fit, -p.key))
        claim = passage_claim(best)
        claims.append(replace(claim, text=f"{names.get(document, document)}: {claim.text}"))
    return claims


MOST_SENTENCES = 3
"""Passages an answer in words quotes."""

NEAR_BEST, NEAR_BEST_TYPED = 0.8, 0.93
"""A passage on the best one's page and within this share of its fit is quoted beside it; of a question for one thing,
as a date, a number or a verdict, it must come nearer ..."""

NEAR_BEST_NAME = 0.6
"""The same of a question that is only a name: wherever the documents speak of it, that is told."""

ONE_THING = (
    Wanted.PERSON,
    Wanted.DATE,
    Wanted.SPAN,
    Wanted.AMOUNT,
    Wanted.LIMIT,
    Wanted.VERDICT,
    Wanted.DEFINITION,
)

ELSEWHERE = 0.93
"""... one on another page must come nearer."""

_SPACES = re.compile(r"\s+")


def figure_claims(
    plan: QueryPlan, figures: Mapping[int, Figure], names: Mapping[str, str] | None = None
) -> list[DraftClaim]:
    """One sentence per figure: item, value, period and document (`names` are titles); the row in full is its quote."""
    once = {(f.document, f.key, f.start, f.column, f.amount): index for index, f in reversed(sorted(figures.items()))}
    return [
        DraftClaim(
            f"{_tell_figure(plan, index, figure)}{source}.",
            (quote_of(figure),),
            fit=figure.fit,
            needs=(index,),
            source=source.strip(),
        )
        for index, figure in sorted(figures.items())
        if index in once.values()
        for title in [(names or {}).get(figure.document, "")]
        for source in [f" ({title})" if title else ""]
    ]


def _tell_figure(plan: QueryPlan, index: int, figure: Figure) -> str:
    when = period_words(figure_needs(plan)[index].period) or figure.period
    label = _SPACES.sub(" ", figure.label).strip(" :.")
    value = format_figure(figure, plan.unit)
    return f"{label[:1].upper()}{label[1:]} came to {value}{f' in {when}' if when else ''}"


def choose_passages(plan: QueryPlan, passages: Sequence[Passage]) -> list[Passage]:
    """The passage that answers best, then those that hold what it lacks or come as near; a whole list stands alone."""
    best = sorted(passages, key=lambda passage: (-round(passage.fit, 9), passage.document, passage.key, passage.start))
    if is_name_alone(plan):
        best.sort(key=lambda passage: not _DEFINES.search(passage.quote))
    best.sort(key=lambda passage: not passage.place)
    if best[0].is_list:
        return best[:1]
    most = MOST_SENTENCES if plan.intent is not Intent.LIST else 3 * MOST_SENTENCES
    chosen, told = best[:1], _words_of(best[0])
    for passage in best[1:]:
        lacking = _list_lacking(plan, chosen)
        adds = bool(lacking - set(passage.unmet)) and _may_complete(passage, best[0])
        is_near = passage.fit >= _required_share(plan, passage, best[0]) * best[0].fit
        if (adds or is_near) and not passage.is_list and not _words_of(passage) & told and len(chosen) < most:
            told |= _words_of(passage)
            chosen.append(passage)
    return chosen


def _list_lacking(plan: QueryPlan, chosen: Sequence[Passage]) -> set[str]:
    """What is asked for and none of the passages holds, with what completes each."""
    told = " ".join(passage_claim(passage).text for passage in chosen)
    unmet = set(chosen[0].unmet).intersection(*(set(other.unmet) for other in chosen))
    return unmet - {each.describe() for each in requirements_of(plan) if is_met(each, told)}


def _may_complete(passage: Passage, best: Passage) -> bool:
    """Whether a passage may hold what the best one lacks: of another document it is about something else, as a rule."""
    return passage.document == best.document or passage.fit >= NEAR_BEST * best.fit


_DEFINES = re.compile(
    r"\b(?:is|are) (?:an?|the|one|what|called|used)\b|\bmeans?\b|\brefers? to\b|\bstands? for\b|\bcontains?\b"
    r"|\bconsists?\b|\b(?:makes?|stores?|provides?|measures?|applies|belongs?)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|\b(?:who|what|which|when|where|why|how|is|are|was|were|do|does|did|can|may|list|name|give|compare|tell|show)\b",
    re.I,
)


def is_name_alone(plan: QueryPlan) -> bool:
    """Whether the question is only a name or a key phrase: what the documents say about it is asked for."""
    return len(plan.question.split()) <= LONGEST_NAME and not _ASKS.search(plan.question)


LONGEST_NAME = 4
"""Words of a name or key phrase."""


def _words_of(passage: Passage) -> set[tuple[str, int, int]]:
    """The characters that a passage quotes, by tens, to tell two that share words."""
    places = [(passage.key, passage.start, passage.end)]
    places += [(part.key, part.start, part.start + len(part.quote)) for part in passage.parts]
    return {(passage.document, key, ten) for key, start, end in places for ten in range(-(-start // 10), end // 10)}


def passage_claim(passage: Passage) -> DraftClaim:
    """A passage with what announces and completes it, as a sentence of the answer, in its own words."""
    if passage.parts and not passage.is_list:
        quotes = tuple(_part_quote(passage, part) for part in passage.parts)
        if passage.lead:
            announced = _join_parts([part for part in passage.parts if part.key != passage.key])
            return DraftClaim(f"{announced} {passage.lead}", quotes)
        return DraftClaim(_join_parts(passage.parts), quotes)
    return DraftClaim(passage.lead or _sentence(passage.quote), (_quote(passage),))


def _join_parts(parts: Sequence[Part]) -> str:
    """The words of the parts; an ellipsis stands where the document says something between two of them.

    Without it "driven by:" and the fourth of its items would read as if nothing else drove it.
    """
    told = _sentence(parts[0].quote)
    for before, part in pairwise(parts):
        told += f" {_sentence(part.quote)}" if _follows(before, part) else f" … {_sentence(part.quote)}"
    return told


_GAP = 6
"""Characters between two parts of one node that are white space and a list's mark."""


def _follows(before: Part, part: Part) -> bool:
    if before.key == part.key:
        return part.start - (before.start + len(before.quote)) <= _GAP
    return part.key == before.key + 1


def list_claims(passage: Passage) -> list[DraftClaim]:
    """A list as its lead-in and its items, each a claim with its own quote."""
    return [DraftClaim(_sentence(part.quote), (_part_quote(passage, part),)) for part in passage.parts]


def _required_share(plan: QueryPlan, passage: Passage, best: Passage) -> float:
    if is_name_alone(plan):
        return NEAR_BEST_NAME
    near = (passage.document, passage.page_index) == (best.document, best.page_index)
    if not near and plan.intent is not Intent.LIST:
        return ELSEWHERE
    return NEAR_BEST_TYPED if asks_for(plan, *ONE_THING) else NEAR_BEST


def _quote(passage: Passage) -> DraftQuote:
    return DraftQuote(passage.document, passage.key, passage.quote, passage.start, passage.where)


def _part_quote(passage: Passage, part: Part) -> DraftQuote:
    return DraftQuote(passage.document, part.key, part.quote, part.start, passage.where)


def _sentence(quote: str) -> str:
    """The quote on one line; a table row's cells are parted by semicolons."""
    if "\t" in quote:
        cells = [_SPACES.sub(" ", cell).strip() for cell in quote.split("\t")]
        first, *rest = [cell for cell in cells if cell] or [""]
        return f"{first.rstrip(' :')}: {'; '.join(rest)}" if rest else first
    return _SPACES.sub(" ", quote).strip()


UP = re.compile(
    r"\b(?:improv\w*|increas\w*|grow\w*|grew|ris(?:e|en|es|ing)|rose|higher|expand\w*|accelerat\w*|better|up)\b", re.I
)
DOWN = re.compile(
    r"\b(?:declin\w*|decreas\w*|drop\w*|fall\w*|fell|lower|deteriorat\w*|worse\w*|decelerat\w*|contract(?:ed|ing|ion)|reduc\w*"
    r"|shr(?:ink|ank|unk)\w*|down)\b",
    re.I,
)


_NEGATIVE = re.compile(r"\bnegative\b|\bloss(?:es)?\b", re.I)
_POSITIVE = re.compile(r"\bpositive\b|\bprofitab\w*", re.I)
_CHANGE = re.compile(r"\bchang\w*|\bdiffer\w*", re.I)


def judge_figures(plan: QueryPlan, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """Claims of a yes/no question about figures; empty when the figures or the measure are missing."""
    if plan.formula is None:
        return []
    result = work_out(plan, plan.formula, figures)
    if result is None:
        return []
    verdict = _verdict(plan.focus, plan.formula, result)
    ways = work_out_others(plan, plan.formula, figures, result)
    first = make_claim(f"{verdict}{_describe_change(plan, plan.formula, result, ways)}", result, ways)
    standard = plan.formula.standard
    rules = (*([standard.words] if standard else ()), WITHIN, BEYOND)
    first = replace(first, asides=(*first.asides, *(rule for rule in rules if rule in first.text)))
    return [first, *_calculate_sides(plan, plan.formula, figures)]


def _verdict(question: str, formula: Formula, result: CalculationResult) -> str:
    """ "Yes. " or "No. " where the question names a bound, a direction or a known measure; "" for a judgement."""
    value, bound, asked = result.value, read_bound(question), BOUND.sub(" ", question)
    direction = 1 if UP.search(asked) else -1 if DOWN.search(asked) else 0
    if bound is not None:
        return _say_verdict(_keeps(bound, formula, result, direction))
    if _COMPARED_WITH.search(formula.name):
        return _say_verdict(value < 0 if _IS_LESS.search(question) else value > 0)
    if _is_change(formula):
        return _judge_change(question, formula, value, direction)
    if _NEGATIVE.search(question):
        return _say_verdict(value < 0)
    if _POSITIVE.search(question):
        return _say_verdict(value > 0)
    standard = formula.standard
    if standard is not None and (not standard.asked or _says_any(question, standard.asked)):
        return _say_verdict(float(value) >= standard.least)
    return ""


def _says_any(question: str, asked: Sequence[str]) -> bool:
    return not set(analyse(question)).isdisjoint(term for word in asked for term in analyse(word))


def _judge_change(question: str, formula: Formula, value: Decimal, direction: int) -> str:
    if _STABLE.search(question):
        return _say_verdict(abs(value) < STABLE_POINTS) if _is_in_points(formula) else ""
    if direction:
        return _say_verdict(value * direction > 0)
    return _say_verdict(value != 0) if _CHANGE.search(question) else ""


_COMPARED_WITH = re.compile(r"\bless\b")
_IS_LESS = re.compile(r"\b(?:lower|less|smaller|below)\b", re.I)
_STABLE = re.compile(r"\b(?:stable|steady|consistent\w*|constant)\b", re.I)
_HUNDREDFOLD = re.compile(r"\b100 \*")

STABLE_POINTS = 2
"""Percentage points by which a margin may move and be called stable, a rule of thumb."""

WITHIN = ", within the two points that count as stable by a rule of thumb"
BEYOND = ", beyond the two points that count as stable by a rule of thumb"


def _is_in_points(formula: Formula) -> bool:
    return formula.name.startswith("change in") and bool(_HUNDREDFOLD.match(formula.expression))


def _keeps(bound: Threshold, formula: Formula, result: CalculationResult, direction: int) -> bool:
    """Whether the result lies on the asked side of the bound, in the units that the bound is told in."""
    value, limit = result.value, bound.amount
    if _is_change(formula) and direction:
        value *= direction
    if result.degree == 1 and bound.amount != bound.bare:
        value *= result.scale
    elif result.degree == 1:
        limit = bound.bare
    elif bound.percent and not _HUNDREDFOLD.search(formula.expression):
        value *= 100
    return bound.inclusive if value == limit else (value > limit) == bound.above


def _say_verdict(holds: bool) -> str:
    return "Yes. " if holds else "No. "


def _is_change(formula: Formula) -> bool:
    return bool(re.match(r"change in|growth of", formula.name))


def _describe_change(plan: QueryPlan, formula: Formula, result: CalculationResult, ways: OtherWays) -> str:
    """The change in words ("rose by 0.5 percentage points") or the measure with its value and what it is judged by."""
    when = period_words(plan.periods[-1]) if len(plan.periods) == 1 else ""
    if not _is_change(formula):
        note = _against_standard(formula, result.value)
        told = f"{formula.name}{f', {when}' if when else ''}{note}{ways.text}{describe_omission(result)}"
        return f"{result.text}: {told}."
    item = re.sub(r"^(?:change in|growth of)\s+", "", formula.name)
    item = item[:1].upper() + item[1:]
    if result.value == 0:
        return f"{item} did not change."
    verb = "rose" if result.value > 0 else "fell"
    is_rule = _STABLE.search(plan.focus) and _is_in_points(formula)
    note = (WITHIN if abs(result.value) < STABLE_POINTS else BEYOND) if is_rule else ""
    return f"{item} {verb} by {result.text.lstrip('-')}{f' in {when}' if when else ''}{note}{ways.text}."


def _against_standard(formula: Formula, value: Decimal) -> str:
    """How the value stands to what it is judged by: "below one"."""
    standard = formula.standard
    if standard is None:
        return ""
    return f", {'at or above' if float(value) >= standard.least else 'below'} {standard.words}"


def _calculate_sides(plan: QueryPlan, formula: Formula, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """The two sides of a change of a ratio, each worked out by itself; none for a plain amount."""
    top = ast.parse(formula.expression, mode="eval").body
    if not _is_change(formula) or not isinstance(top, ast.BinOp) or not isinstance(top.op, ast.Sub):
        return []
    claims = []
    for side in (top.left, top.right):
        part = _make_side_formula(formula, side)
        result = work_out(plan, part, figures) if len(part.operands) > 1 else None
        if result is not None:
            years = dict.fromkeys(
                period_words(plan.figures[index].period) or figures[index].period for _, index in part.operands
            )
            when = ", ".join(year for year in years if year)
            text = f"{result.text}: {part.name}{f', {when}' if when else ''}."
            claims.append(make_claim(text, result))
    return claims


def _make_side_formula(formula: Formula, side: ast.expr) -> Formula:
    names = {node.id for node in ast.walk(side) if isinstance(node, ast.Name)}
    operands = tuple(operand for operand in formula.operands if operand[0] in names)
    return replace(
        formula, name=formula.name.removeprefix("change in "), expression=ast.unparse(side), operands=operands
    )


_DENIAL = re.compile(
    r"\b(?:no|not|none|neither|never|nor|cannot|nothing|nobody)\b|\b\w+n['’]t\b|\bunlikely\b|\babsence of\b"
    r"|\b(?:forbidden|prohibited|excluded|barred|banned|ineligible|refused|denied)\b",
    re.I,
)
_EXCEPTION = re.compile(r"\b(?:except|other than|unless|apart from)\b", re.I)
_NO_DENIAL = re.compile(
    r"\bnot only\b|\bno(?:t)? (?:later|longer|less|more|fewer|faster|higher|lower|older|younger|greater|earlier) than\b"
    r"|\bwhether or not\b|\bnot limited to\b",
    re.I,
)


def verdict_of(question: str, sentence: str) -> str:
    """The word "Yes" or "No" as the sentence answers the question; "" for a sentence that makes an exception.

    Where both tell a direction (rose, fell), they agree or not. Else a sentence that
    denies answers a question that does not with "No", and the other way round.
    """
    if _EXCEPTION.search(sentence):
        return ""
    clause = _clause_asked_about(question, sentence)
    asked, wordings = _direction(question), _direction(clause)
    if asked and wordings:
        return "Yes" if asked == wordings else "No"
    return "No" if _denies(clause) != _denies(question) else "Yes"


_BUT = re.compile(r"[,;]\s*(?:however|but|although|though|whereas|while|yet)\b,?", re.IGNORECASE)


def _clause_asked_about(question: str, sentence: str) -> str:
    """The side of a sentence with "but" that says more words of the question; the whole where neither says more."""
    asked = set(analyse(question))
    said = [(len(asked & set(analyse(clause))), clause) for clause in _BUT.split(sentence)]
    most = max(count for count, _ in said)
    leading = [clause for count, clause in said if count == most]
    return leading[0] if len(leading) == 1 else sentence


def _direction(text: str) -> int:
    """1 up, -1 down, 0 neither or both."""
    return bool(UP.search(text)) - bool(DOWN.search(text))


def _denies(text: str) -> bool:
    return bool(_DENIAL.search(_ASIDE.sub(" ", _NO_DENIAL.sub(" ", text))))


_ASIDE = re.compile(r",\s*(?:which|who|whose)\b[^,;.]*", re.IGNORECASE)
"""What is said beside the rule: "with consent, which is not needed in August" refuses nothing."""


def decide_contest(plan: QueryPlan, contest: Contest, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """The winner with its figure first, the others beside it; empty unless every alternative has a figure."""
    if any(index not in figures for index in range(len(contest.needs))):
        return []
    order = sorted(figures, key=lambda index: figures[index].value, reverse=contest.greatest)
    wordings = [f"{contest.needs[index].concept} {format_figure(figures[index], plan.unit)}" for index in order]
    when = period_words(contest.needs[0].period)
    first = wordings[0][:1].upper() + wordings[0][1:]
    rank = "highest" if contest.greatest else "lowest"
    text = f"{first}{f' in {when}' if when else ''}, the {rank}; {', '.join(wordings[1:])}."
    fit = sum(figure.fit for figure in figures.values()) / len(figures)
    return [DraftClaim(text, tuple(quote_of(figures[index]) for index in order), fit=fit, needs=tuple(order))]


LEAST_FIT = 0.52
"""Fit of a passage from which a yes or no is read."""

LONGEST_VERDICT = 320
"""Characters of a sentence from which it is read: a longer one denies one thing and says another."""

LEAST_RULE = 3
"""Words of a sentence before its exception from which a verdict is read."""

_PRONOUNS = frozenset({"it", "this", "that", "which", "here"})


def compose(context: SynthesisContext) -> AnswerDraft:
    """An answer from the facts of all walks; without facts a draft without claims."""
    compared = find_versions(context)
    if compared is not None:
        return AnswerDraft(tuple(claims_of_changes(*compared, context.names)))
    context = _without_wordings(context)
    context, versions = resolve_versions(_set_nearest_aside(context))
    figures = best_figures(context)
    for make in (
        _draft_rows,
        _draft_reading,
        _draft_contest,
        _draft_verdict,
        _draft_calculation,
        _draft_foil,
        _draft_figures,
        _draft_rule,
    ):
        draft = make(context, figures)
        if draft is not None:
            return _say_version(draft, versions)
    return _say_version(_draft_quotes(context), versions)


def find_versions(context: SynthesisContext) -> tuple[Passage, Passage] | None:
    """The wording that the question names in two versions of a document, the older first; None without two."""
    wordings = {f.document: f for f in context.facts if isinstance(f, Passage) and f.place == CHANGES}
    years = {period.year for period in context.plan.periods}
    for members in _group_versions(context, list(wordings)):
        dated = [document for document in members if years & set(_version_of(context.names[document])[:1])]
        older, newer = (dated if len(dated) > 1 else members)[-2:]
        return wordings[older], wordings[newer]
    return None


def _without_wordings(context: SynthesisContext) -> SynthesisContext:
    """The facts without wordings that were copied to be compared."""
    facts = (fact for fact in context.facts if not isinstance(fact, Passage) or fact.place != CHANGES)
    return replace(context, facts=tuple(facts))


def _set_nearest_aside(context: SynthesisContext) -> SynthesisContext:
    """The facts without passages that only come near, where others answer."""
    answering = tuple(fact for fact in context.facts if not (isinstance(fact, Passage) and fact.is_nearest))
    is_answered = any(not (isinstance(fact, Passage) and fact.answers) for fact in answering)
    return replace(context, facts=answering) if is_answered else context


def best_figures(context: SynthesisContext) -> dict[int, Figure]:
    """For each figure needed the best one found, over all documents; the first found wins a tie."""
    best: dict[int, Figure] = {}
    for fact in context.facts:
        if isinstance(fact, Figure) and fact.need >= 0:
            held = best.get(fact.need)
            if held is None or fact.fit > held.fit:
                best[fact.need] = fact
    return best


def _draft_rows(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    """What the rows of a table say, of the document in which they fit best; of two versions both and what differs."""
    found = [fact for fact in context.facts if isinstance(fact, RowsRead)]
    if not found:
        return None
    changed = [fact for fact in found if fact.task is RowTask.CHANGE and not fact.measure]
    if changed:
        versions = {str(period.year): period for period in context.plan.periods}
        return _draft_change_between(context, changed, sorted(versions))
    best = max(found, key=lambda read: round(read.fit, 6))
    claims, value = claims_of_rows(best, context.names.get(best.document, ""))
    missing = tuple(f"anything on {name}" for name in best.missing)
    return AnswerDraft(tuple(claims), value=value, missing=missing)


def _draft_change_between(context: SynthesisContext, found: Sequence[RowsRead], years: Sequence[str]) -> AnswerDraft:
    """The same cell in two versions of a document, told side by side; one alone tells only its own side."""
    dated = sorted((_version_of(context.names.get(read.document, "")), order, read) for order, read in enumerate(found))
    asked = [row for row in dated if not years or (row[0] and str(row[0][0]) in years)]
    ends = [asked[0][2], asked[-1][2]] if len(asked) > 1 else []
    if not ends or asked[0][0] == asked[-1][0]:
        claims, value = claims_of_rows(found[0], context.names.get(found[0].document, ""))
        return AnswerDraft(tuple(claims), value=value, missing=("the other version",))
    return AnswerDraft((claim_of_change(ends[0], ends[1], context.names),))


_VERSION = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<![\d.])\d{1,3}(?:\.\d{1,3})*(?![\d.])")


def _version_of(title: str) -> tuple[int, ...]:
    """The numbers of a title by which versions are told apart, years first: "Price list 2024" gives (2024,)."""
    numbers = [tuple(int(part) for part in match.split(".")) for match in _VERSION.findall(title)]
    years = [number for number in numbers if len(number) == 1 and number[0] > 1900]
    return tuple(part for number in (*years[-1:], *(n for n in numbers if n not in years)) for part in number)


def resolve_versions(context: SynthesisContext) -> tuple[SynthesisContext, dict[str, str]]:
    """The facts of the versions that were asked for, else of the newest, and of these, by document, what to say.

    Documents are versions of one another when their titles differ in numbers alone ("Price list 2023" and "2024").
    """
    dropped: set[str] = set()
    said: dict[str, str] = {}
    years = {period.year for period in context.plan.periods}
    for members in _group_versions(context, list(dict.fromkeys(fact.document for fact in context.facts))):
        if len(years) > 1 or asks_documents(context.plan) or _COMPARES.search(context.plan.focus):
            continue
        asked = [document for document in members if years & set(_version_of(context.names[document])[:1])]
        kept = asked[-1] if asked else members[-1]
        dropped |= set(members) - {kept}
        if not asked:
            said[kept] = f"{context.names[kept]}, the newest version"
    return replace(context, facts=tuple(fact for fact in context.facts if fact.document not in dropped)), said


def _group_versions(context: SynthesisContext, documents: Sequence[str]) -> list[list[str]]:
    """The documents that are versions of one another, at least two of each, the oldest first."""
    series: dict[str, list[str]] = {}
    for document in documents:
        title = context.names.get(document, "")
        if _version_of(title):
            series.setdefault(_VERSION.sub("#", title).casefold(), []).append(document)
    return [
        sorted(members, key=lambda document: _version_of(context.names[document]))
        for members in series.values()
        if len(members) > 1
    ]


_COMPARES = re.compile(
    r"\b(?:compar\w+|differ\w*|chang\w+|versus|vs|both|each|all (?:years|versions))\b", re.IGNORECASE
)


def _say_version(draft: AnswerDraft, versions: Mapping[str, str]) -> AnswerDraft:
    """The draft with its first sentence saying which version it is of, where it quotes one of several."""
    quoted = draft.claims[0].quotes if draft.claims else ()
    said = next((versions[quote.document] for quote in quoted if quote.document in versions), "")
    if not said:
        return draft
    first, *others = draft.claims
    title = said.rpartition(", ")[0]
    if first.source and title in first.source:
        named = first.source.replace(title, said)
        told = first.text.replace(first.source, named)
    else:
        named, told = f"({said})", f"{first.text} ({said})"
    return replace(draft, claims=(replace(first, text=told, source=named), *others))


def _draft_reading(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    """What the best reading of all documents came to; the first one read wins a tie."""
    readings = [fact for fact in context.facts if isinstance(fact, Reading)]
    if not readings:
        return None
    best = max(readings, key=lambda reading: round(reading.fit, 6))
    claim, value = claim_of_reading(context.plan, best, context.names.get(best.document, ""))
    return AnswerDraft((claim,), value=value)


def _draft_contest(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    contest = contest_of(context.plan)
    claims = decide_contest(context.plan, contest, figures) if contest else []
    return AnswerDraft(tuple(claims)) if claims else None


def _draft_verdict(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    if context.plan.intent is not Intent.YES_NO:
        return None
    claims = judge_figures(context.plan, figures)
    return AnswerDraft(tuple(claims)) if claims else None


def _draft_calculation(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    plan = context.plan
    if plan.formula is None or not figure_needs(plan):
        return None
    result = work_out(plan, plan.formula, figures)
    stated = _stated_result(plan.formula, figures, result)
    if stated is not None:
        place = plan.formula.stated
        claims = figure_claims(plan, {place: stated})
        return AnswerDraft(tuple(claims), value=format_figure(stated, plan.unit))
    if result is None:
        return _draft_closing(context, plan.formula, figures)
    ways = work_out_others(plan, plan.formula, figures, result)
    standard = plan.formula.standard
    if standard is not None and _says_any(plan.question, standard.asked):
        note = _against_standard(plan.formula, result.value)
        ways = replace(ways, text=f"{note}{ways.text}")
    if not plan.formula.series:
        return AnswerDraft((claim_of(result, _name(plan), _name_periods(context), ways),), value=result.text)
    newest = max(plan.periods, key=lambda period: (period.year, period.quarter or 0))
    claims, missing = [claim_of(result, _name(plan), period_words(newest), ways)], []
    for earlier in plan.formula.series:
        other = work_out(plan, replace(earlier, name=plan.formula.name, is_share=plan.formula.is_share), figures)
        if other is None:
            missing.append(f"{_name(plan)} {earlier.name}")
        else:
            claims.append(claim_of(other, _name(plan), earlier.name))
    return AnswerDraft(tuple(claims), missing=tuple(missing))


def _draft_closing(context: SynthesisContext, formula: Formula, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    """A measure with closing balances, where those of the year before for an average are not shown."""
    way = next((way for way in formula.others if way.name == AT_CLOSE), None)
    named = replace(way, name=formula.name, is_share=formula.is_share) if way else None
    result = work_out(context.plan, named, figures) if named else None
    if result is None or result.left_out:
        return None
    told = OtherWays(f" ({AT_CLOSE}, for no others are shown)", definition=f"{AT_CLOSE}, for no others are shown")
    return AnswerDraft((claim_of(result, _name(context.plan), _name_periods(context), told),), value=result.text)


def _stated_result(formula: Formula, figures: Mapping[int, Figure], result: CalculationResult | None) -> Figure | None:
    """The row that states the result itself: of an amount always, of a ratio where it cannot be worked out."""
    figure = figures.get(formula.stated)
    if figure is None or figure.fit < STATED_FIT or (result is not None and result.degree != 1):
        return None
    is_ratio = formula.is_share or "/" in formula.expression
    if is_ratio and figure.percent != (formula.is_share or formula.expression.startswith("100 *")):
        return None
    return None if (is_ratio and figure.currency) or (not is_ratio and figure.percent) else figure


STATED_FIT = 0.95
"""Fit of a row that states what would be worked out: its label is the measure's name and no more."""


def _draft_foil(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    """That a measure does not apply, where the document shows what only those report for whom it means nothing."""
    formula = context.plan.formula
    foil = figures.get(formula.foil) if formula is not None else None
    if formula is None or foil is None or foil.fit < FOIL_FIT:
        return None
    lacking = [context.plan.figures[index].concept for _, index in formula.operands if index not in figures]
    if not lacking or not figure_needs(context.plan):
        return None
    shown = _SPACES.sub(" ", foil.label).strip(" :.").lower()
    name = re.sub(r"^(?:change in|growth of|average)\s+", "", formula.name)
    absent = f" and no {lacking[-1]}"
    claim = DraftClaim(
        f"The {name} does not apply here: as a bank's, the document shows {shown}{absent}.",
        (quote_of(foil),),
        fit=foil.fit,
        needs=(formula.foil,),
        asides=(f"The {name} does not apply here: as a bank's, ", absent),
    )
    return AnswerDraft((claim,))


FOIL_FIT = 0.9
"""Fit of a row that tells that a measure does not apply: "Customer deposits" are not a bank's deposits."""


def _name(plan: QueryPlan) -> str:
    """What was worked out; a definition that names nothing has the name of the question's first concept."""
    name = plan.formula.name if plan.formula else ""
    is_named = name and name.lower() not in _PRONOUNS and not name.startswith("as defined")
    return name if is_named else next(iter(plan.concepts), "the result")


def _name_periods(context: SynthesisContext) -> str:
    """The periods of the question; of several only the first and last."""
    words = [period_words(period) for period in sorted(context.plan.periods, key=lambda p: (p.year, p.quarter or 0))]
    return words[0] if len(set(words)) == 1 else f"{words[0]} to {words[-1]}" if words else ""


def _draft_figures(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    if not figures:
        return None
    plan, needs = context.plan, figure_needs(context.plan)
    figures = {index: figure for index, figure in figures.items() if not needs[index].optional}
    if not figures:
        return None
    missing = tuple(
        f"{need.concept} {period_words(need.period)}".strip()
        for index, need in enumerate(needs)
        if index not in figures and not need.optional
    )
    value = format_figure(figures[min(figures)], plan.unit) if plan.formula is None else ""
    return AnswerDraft(tuple(figure_claims(plan, figures, context.names)), value=value, missing=missing)


def _draft_rule(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    """What a rule comes to for the numbers that the question gives, the rule in its own words behind it."""
    passages = [fact for fact in context.facts if isinstance(fact, Passage) and not fact.is_list and not fact.place]
    passages.sort(key=lambda passage: (-round(passage.fit, 9), passage.document, passage.key, passage.start))
    for passage in passages[:RULES_TRIED]:
        if passage.fit < RULE_NEAR_BEST * passages[0].fit:
            break
        claim = passage_claim(passage)
        rule = " ".join(quote.quote for quote in claim.quotes)
        worked = work_out_rule(context.plan.question, rule, passage.quote)
        worked = worked or work_out_date(context.plan.question, passage.quote)
        if worked is not None:
            signals = (*_measure_passage(passage), Signal("is_worked_rule", 1.0))
            return AnswerDraft((replace(_claim_of_worked(worked, claim), signals=signals),), value=worked.result)
    return None


RULES_TRIED, RULE_NEAR_BEST = 3, 0.85
"""Passages of which a rule is worked out, at most, and the share of the best one's fit that each needs: the rule that
is worked out must be about what is asked."""


def _claim_of_worked(worked: Worked, claim: DraftClaim) -> DraftClaim:
    text = f"{worked.result}: {worked.how}. {claim.text}"
    if not worked.expression:
        return replace(claim, text=text)
    operands = tuple(
        DraftOperand(name, words, "", _place_of(words, claim.quotes) if is_stated else -1)
        for name, words, is_stated in worked.operands
    )
    calculation = DraftCalculation(worked.expression, operands, worked.result)
    return replace(claim, text=text, calculation=calculation, asides=(f"{worked.how}.",))


def _place_of(words: str, quotes: Sequence[DraftQuote]) -> int:
    """The quote that states an operand: the first with its number."""
    wanted = {number.value for number in quantities_in(words)}
    found = (place for place, quote in enumerate(quotes) if wanted & {n.value for n in quantities_in(quote.quote)})
    return next(found, 0)


def _draft_quotes(context: SynthesisContext) -> AnswerDraft:
    """The passages that may stand as the answer, and what no passage among them holds; else no claim."""
    plan = context.plan
    passages = [fact for fact in context.facts if isinstance(fact, Passage) and not fact.answers]
    if asks_for_all(plan) and not any(p.is_list and (p.suffices or p.is_nearest) for p in passages):
        # One sentence that holds no members is no list.
        is_list = len(passages) > 1 or asks_documents(plan) or not any(passage.unmet for passage in passages)
        claims = make_sweep_claims(plan, passages, dict(context.names)) if is_list else []
        return AnswerDraft(tuple(replace(claim, signals=(Signal(LISTS_MENTIONS, 1.0),)) for claim in claims))
    if not passages:
        return AnswerDraft()
    passages = [passage for passage in passages if passage.parts or not is_heading(passage.quote)]
    if not passages:
        return AnswerDraft()
    standing = [passage for passage in passages if passage.suffices]
    if standing and any(leads_by_meaning(passage, passages) for passage in passages if not passage.suffices):
        standing = []
    chosen = choose_passages(plan, standing) if standing else choose_passages(plan, passages)[:1]
    chosen = _with_parts(context, chosen)
    claims = list_claims(chosen[0]) if chosen[0].is_list else [passage_claim(passage) for passage in chosen]
    if plan.intent is Intent.YES_NO or asks_for_verdict(plan):
        claims[0] = _with_verdict(plan, claims[0], chosen[0])
    elif _BY_HOW_MUCH.search(plan.focus) and (changed := _with_difference(plan, claims[0], chosen[0])):
        # The sentence was found short of the figure asked for, which is worked out from it now.
        unmet = tuple(part for part in chosen[0].unmet if part not in (Wanted.SUM.value, Wanted.AMOUNT.value))
        met = replace(chosen[0], unmet=unmet, suffices=chosen[0].suffices or not unmet)
        return AnswerDraft((replace(changed[0], signals=_measure_passage(met)),), value=changed[1])
    signals = (*_measure_passage(chosen[0]), *_measure_direction(plan, chosen[0]))
    return AnswerDraft(
        tuple(replace(claim, signals=signals) for claim in claims),
        missing=tuple(sorted(_list_lacking(plan, chosen))),
    )


def _with_parts(context: SynthesisContext, chosen: list[Passage]) -> list[Passage]:
    """The passages chosen, with those that answer a part of the question which the first does not."""
    if chosen[0].is_list or chosen[0].place:
        return chosen
    told = {words for passage in chosen for words in _words_of(passage)}
    added: list[Passage] = []
    best: dict[str, Passage] = {}
    for fact in context.facts:
        if isinstance(fact, Passage) and fact.answers and fact.fit > best.get(fact.answers, fact).fit - ROUNDING:
            best[fact.answers] = fact
    for part in best.values():
        if part.document == chosen[0].document and not part.is_list and not _words_of(part) & told:
            told |= _words_of(part)
            added.append(part)
    return [*chosen, *added]


LONG = 1000
"""Characters of an answer in words that leaves its reader to look for what was asked."""

_SHOWING = frozenset(wanted.value for wanted in HARD_KINDS)
"""What a passage shows or lacks beyond doubt."""


def _count_parts(passage: Passage) -> int:
    """The characters of all that a passage quotes."""
    return sum(len(part.quote) for part in passage.parts)


PLACED = 0.6
"""What it counts, beside a cell for which every word is accounted, that something stands where documents say such
things. Chosen by hand: the words of a question for the parties say nothing of the lines that name them."""


def _measure_passage(passage: Passage) -> tuple[Signal, ...]:
    """What was measured of the passage that comes first; whether it may stand is weighed with all else."""
    return (
        Signal("said", passage.said),
        Signal("passage_fit", min(1.0, passage.words_fit)),
        Signal("holds_all", float(not passage.unmet)),
        Signal("is_lacking", float(bool(_SHOWING & set(passage.unmet)))),
        Signal("is_long", min(1.0, max(len(passage.quote), _count_parts(passage)) / LONG)),
        Signal("suffices", float(passage.suffices)),
        Signal("is_list", float(passage.is_list)),
        Signal("is_rule", float(bool(passage.parts))),
        *(
            (Signal(f"reads_{passage.place}", 1.0), Signal("reading_fit", PLACED * passage.said))
            if passage.place
            else ()
        ),
        *_measure_meaning(passage),
    )


def _measure_meaning(passage: Passage) -> tuple[Signal, ...]:
    """What a local model of meaning measured of the passage beside the other passages; nothing without one."""
    standing = passage.standing
    if passage.nearness is None or standing is None:
        return ()
    return (
        Signal(NEARNESS, passage.nearness),
        Signal("nearest", _place_around_half(standing.ahead)),
        Signal("nearer", _place_around_half(standing.above)),
        Signal("leads", _place_around_half(2 * standing.margin)),
        Signal("first_by_words", float(standing.is_first_by_words)),
    )


def _place_around_half(difference: float) -> float:
    """A difference as a share in [0, 1]: a half for none, 0 and 1 from a half on, which it hardly ever is."""
    return max(0.0, min(1.0, 0.5 + difference))


_BY_HOW_MUCH = re.compile(
    r"\bby (?:how (?:much|many)|what (?:amount|percentage|margin))\b"
    r"|\bhow (?:much|many)\b[^?]*"
    r"\b(?:chang|increas|decreas|reduc|rais|ris|rose|lift|cut|grow|grew|f[ae]ll|shorten|extend)",
    re.I,
)


def _with_difference(plan: QueryPlan, claim: DraftClaim, passage: Passage) -> tuple[DraftClaim, str] | None:
    """A sentence that states both sides of a change, under the difference between them, and that difference."""
    sides = find_sides(passage.quote, words_of(plan.focus))
    if sides is None:
        return None
    before, after = sides
    scale = after.scale if after.scale == before.scale else Decimal(1)
    amount = abs(after.value - before.value)
    unit = re.match(r"\s*([a-z]{3,})\b", passage.quote[after.end :])
    if after.percent:
        told = f"{format_number(amount)} percentage point{'' if amount == 1 else 's'}"
    else:
        told = f"{amount_words(amount, scale=scale, currency=after.currency)} {unit[1] if unit else ''}".strip()
    operands = tuple(
        DraftOperand(name, number.text.strip(), "", 0) for name, number in (("after", after), ("before", before))
    )
    expression = "after - before" if after.value > before.value else "before - after"
    calculation = DraftCalculation(expression, operands, told)
    text = f"{told}, from {before.text.strip()} to {after.text.strip()}: {claim.text}"
    return replace(claim, text=text, calculation=calculation), told


def _measure_direction(plan: QueryPlan, passage: Passage) -> tuple[Signal, ...]:
    """Whether a question for yes or no asks for a direction (rose, fell) and the passage tells one."""
    is_told = plan.intent is Intent.YES_NO and _direction(plan.question) and _direction(passage.quote)
    return (Signal("tells_direction", float(bool(is_told))),)


def asks_for_verdict(plan: QueryPlan) -> bool:
    """Whether yes or no is all that is asked, be it behind a case: "The seal is broken. Can I send it back?"."""
    return {requirement.wanted for requirement in requirements_of(plan)} <= {Wanted.VERDICT, Wanted.LIMIT}


def _with_verdict(plan: QueryPlan, claim: DraftClaim, passage: Passage) -> DraftClaim:
    """The first sentence under the verdict that its words give, when it says enough of the question.

    Of a question that tells a case first, and of one of which it says little, it must settle it outright.
    """
    question = plan.question
    quote = _deciding_sentence(question, passage)
    if len(quote) > LONGEST_VERDICT or quote.endswith(":") or is_heading(quote):
        return claim
    if _MONTH.search(question) and _MONTHS.search(quote):
        return claim
    says_little = passage.words_fit < LEAST_FIT or passage.is_nearest or plan.intent is not Intent.YES_NO
    if says_little and (passage.parts or not settles_outright(question, quote, passage.quote)):
        return claim
    lead = passage.parts[0].quote.rstrip() if passage.parts else ""
    is_item = lead.endswith(":") and lead != quote
    if is_item:
        # What announces an item says whether it is allowed or excluded.
        quote = f"{lead} {quote}"
    by_case = [(one, found) for one in _sentences_of(passage) if (found := _verdict_of_case(question, one)) is not None]
    if by_case and not is_item:
        quote, verdict = next((pair for pair in by_case if pair[1]), by_case[0])
    else:
        verdict = verdict_of(question, quote) or _verdict_with_exception(question, quote)
    told = claim.text
    before = told.partition(f" {quote}")[0]
    is_moved = before != told and any(character.isalpha() for character in before)
    if verdict and not is_item and is_moved and not _LEANS.match(quote):
        # What settles the question comes first, the rule that it bends after it.
        told = f"{quote} {told.replace(f' {quote}', '', 1)}"
    return replace(claim, text=f"{verdict}: {told}") if verdict else claim


_CONDITION = re.compile(
    r"(?<!even )\bif\b|\b(?:only|until|when|where|once|provided|subject to|in case|depending"
    r"|with (?:the )?(?:\w+ ){0,2}(?:consent|agreement|permission|approval))\b",
    re.IGNORECASE,
)
_ASKS_LEAVE = re.compile(
    r"(?:^|[.!?]\s+)(?:and |but |so )?(?:can|may|am i|are we|is it (?:ok|fine|all right))\b", re.IGNORECASE
)
_LEAVE = re.compile(r"\b(?:may|can|(?:is|are) (?:always )?(?:allowed|permitted|welcome))\b(?! not\b)", re.IGNORECASE)
_REFUSES = re.compile(
    r"\b(?:may|must|can|shall) (?:not|never)\b|\bcannot\b|^\W*(?:do not|don['’]t|never)\b"
    r"|\b(?:not|never) (?:be )?(?:allowed|permitted|admitted)\b"
    r"|\b(?:forbidden|prohibited|excluded|barred|banned|refused)\b|\bno \w+(?: \w+)? (?:is|are|may)\b",
    re.IGNORECASE,
)
_ASKED_ACT = re.compile(
    r"(?:^|[.!?]\s+)(?:and |but |so )?(?:do|does|did|will|have|has) (?:i|we|you|they|he|she|it) (?P<act>.*)",
    re.IGNORECASE,
)


def settles_outright(question: str, sentence: str, passage: str) -> bool:
    """Whether a sentence settles a question of which it says few words, and does so without a condition.

    Asked for leave it gives or refuses it; asked whether somebody does a thing it denies that very act. It says more of
    the question than any other sentence of its passage.
    """
    if _CONDITION.search(sentence) or _denies(question):
        return False
    asked = set(analyse(question))
    others = [piece.text for piece in cut_pieces(passage, by_line=False) if piece.text != sentence]
    said = len(asked & set(analyse(sentence)))
    if any(len(asked & set(analyse(other))) >= said for other in others):
        return False
    if _ASKS_LEAVE.search(question):
        return bool(_LEAVE.search(sentence) or _REFUSES.search(sentence))
    act = analyse(match["act"])[:1] if (match := _ASKED_ACT.search(question)) else []
    return _denies(sentence) and bool(set(act) & set(analyse(sentence)))


_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|winter|summer)\b"
)
_MONTHS = re.compile(rf"\bfrom {_MONTH.pattern}.{{0,12}}? (?:to|until|through) {_MONTH.pattern}")
"""A rule that differs by months: which part of it holds for a month is left to the reader."""

_LEANS = re.compile(r"(?:he|she|it|they|this|these|those|such|however|but|otherwise|in (?:this|that))\b", re.IGNORECASE)
_HEADING = re.compile(
    r"\s*(?:(?:article|clause|section|part)\s+)?\d+(?:\.\d+)*[.)]?\s+[A-Z][^.;:!?]{2,80}$", re.IGNORECASE
)


def is_heading(text: str) -> bool:
    """Whether words are the numbered heading of a clause, which says nothing by itself."""
    return bool(_HEADING.match(text.strip()))


def _verdict_with_exception(question: str, sentence: str) -> str:
    """ "No, with an exception": what the words before "unless" or "except" say; "" when they stand at the beginning.

    "Yes, as an exception" where the question asks for the very thing that is excepted.
    """
    rule, _, excepted = sentence.partition(found[0]) if (found := _EXCEPTION.search(sentence)) else (sentence, "", "")
    verdict = verdict_of(question, rule) if len(rule.split()) > LEAST_RULE else ""
    if verdict and found and found[0].lower() != "unless":
        named = set(analyse(" ".join(re.split(r"[,;]", excepted)[0].split()[:WORDS_EXCEPTED])))
        asked, ruled = set(analyse(question)), set(analyse(rule))
        if asked & named - ruled and len(asked & named) >= len(asked & ruled):
            return f"{'No' if verdict == 'Yes' else 'Yes'}, as an exception"
    return f"{verdict}, with an exception" if verdict else ""


WORDS_EXCEPTED = 4
"""Words behind "except" that name what is excepted; those further behind say under what conditions."""

_ASKS_FOR_LEAVE = re.compile(
    r"^\W*(?:can|may|could|am i|are (?:we|you|they)|is (?:it|there)|will)\b(?!.*\b(?:need|have to|must|required)\b)",
    re.I,
)
_ASKS_FOR_DUTY = re.compile(
    r"^\W*(?:(?:do|does|did|will|would) (?:\w+ ){1,3}?(?:need|have to|require)|must|is .{2,60} (?:needed|required)|are"
    r" .{2,60} (?:needed|required))\b",
    re.I,
)


def _sentences_of(passage: Passage) -> list[str]:
    quotes = [part.quote for part in passage.parts] or [passage.quote]
    return [piece.text for quote in quotes for piece in cut_pieces(quote, by_line=False)]


def _verdict_of_case(question: str, sentence: str) -> str | None:
    """Yes or no for the number of the question, by the one bound of its kind in the sentence.

    "" where the sentence has another number of its kind, which need not settle it; None where it has none.
    """
    given = [quantity for quantity in quantities_in(question) if quantity.dimension]
    if len(given) != 1 or not set(analyse(question)) & set(analyse(sentence)):
        return None
    kind = given[0].dimension
    bounds = [bound for bound in bounds_in(sentence) if bound.dimension == kind]
    others = [quantity for quantity in quantities_in(sentence) if quantity.dimension == kind]
    if not bounds or len(others) > 1 or _denies(sentence):
        return "" if others and all(other.value != given[0].value for other in others) else None
    holds = bounds[0].holds(amount_of(given[0]))
    if _ASKS_FOR_LEAVE.search(question) and bounds[0].low is None:
        return "Yes" if holds else "No"
    if _ASKS_FOR_DUTY.search(question) and bounds[0].high is None:
        return "Yes" if holds else "No"
    return ""


def _deciding_sentence(question: str, passage: Passage) -> str:
    """The sentence of a rule that settles the question: a later one that says what the first leaves out of it."""
    asked = set(analyse(question))
    after = " ".join(part.quote for part in passage.parts).partition(passage.quote)[2]
    for piece in cut_pieces(after, by_line=False):
        if asked & set(analyse(piece.text)) - set(analyse(passage.quote)):
            return piece.text
    sentences = [piece.text for piece in cut_pieces(passage.quote, by_line=False)]
    # Of several sentences in one item the last of those that say most of the question bends the others.
    return (
        max(reversed(sentences), key=lambda text: len(asked & set(analyse(text))), default="") or passage.quote.rstrip()
    )
