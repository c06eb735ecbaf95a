"""The offline draft: a verdict, a calculation, figures, or the sentences that answer, each as a quoted claim."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from vectorless_web.engine.answers.calculation import (
    CalculationResult,
    OtherWays,
    claim_of,
    format_figure,
    period_words,
    quote_of,
    work_out,
    work_out_others,
)
from vectorless_web.engine.answers.changes import claims_of_changes, quote_of_part
from vectorless_web.engine.answers.claims import (
    LACKS_ASKED,
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
from vectorless_web.engine.answers.verdicts.figures import (
    against_standard,
    decide_contest,
    judge_figures,
    say_verdict,
    says_any,
)
from vectorless_web.engine.answers.verdicts.wordings import (
    asks_for_verdict,
    is_heading,
    leaves_open,
    measure_direction,
    with_verdict,
)
from vectorless_web.engine.figures.figure import Figure, amount_words, format_number
from vectorless_web.engine.figures.needs import contest_of, figure_needs
from vectorless_web.engine.passages.checks import ASKS_PART, is_met
from vectorless_web.engine.passages.extraction import CHANGES, POINTS, ROUNDING, leads_by_meaning, list_hard_kinds
from vectorless_web.engine.passages.passage import Part, Passage
from vectorless_web.engine.questions.formulas.calculation import AT_CLOSE
from vectorless_web.engine.questions.formulas.request import read_bound
from vectorless_web.engine.questions.plan import Formula, Intent, QueryPlan
from vectorless_web.engine.questions.requirements import (
    Wanted,
    alternatives_in,
    asks_for,
    asks_manner,
    find_must_show,
    requirements_of,
    says_side,
)
from vectorless_web.engine.questions.understand import asks_documents, asks_for_all
from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.relations.prose import find_part, find_sides
from vectorless_web.engine.relations.reading import Reading
from vectorless_web.engine.relations.relation import words_of
from vectorless_web.engine.relations.rows import RowsRead, RowTask
from vectorless_web.engine.relations.rules import Worked, needs_two_amounts, work_out_date, work_out_rule
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
        adds = bool(lacking - {Wanted.EXTREME.value} - set(passage.unmet)) and _may_complete(passage, best[0])
        is_near = passage.fit >= _required_share(plan, passage, best[0]) * best[0].fit
        if (adds or is_near) and not passage.is_list and not _words_of(passage) & told and len(chosen) < most:
            told |= _words_of(passage)
            chosen.append(passage)
    return chosen


def _list_lacking(plan: QueryPlan, chosen: Sequence[Passage]) -> set[str]:
    """What is asked for and none of the passages holds, with what completes each."""
    texts = [passage_claim(passage).text for passage in chosen]
    unmet = set(chosen[0].unmet).intersection(*(set(other.unmet) for other in chosen))
    rank = {Wanted.EXTREME.value} & set(chosen[0].unmet)
    # That something else is the highest, as another passage may say, ranks nothing of what is asked about.
    return (unmet | rank) - {
        each.describe()
        for each in requirements_of(plan)
        if is_met(each, texts[0] if each.wanted is Wanted.EXTREME else " ".join(texts))
    }


def _may_complete(passage: Passage, best: Passage) -> bool:
    """Whether a passage may hold what the best one lacks: of another document it is about something else, as a rule."""
    return passage.document == best.document or passage.fit >= NEAR_BEST * best.fit


_DEFINES = re.compile(
    r"\b(?:is|are) (?:an?|the|one|what|called|used)\b|\bmeans?\b|\brefers? to\b|\bstands? for\b|\bcontains?\b"
    r"|\bconsists?\b|\b(?:makes?|stores?|provides?|measures?|applies|belongs?)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|\b(?:who|what|which|when|where|why|how|is|are|was|were|do|does|did|can|may|list|name|give|compare|tell"
    r"|show)\b",
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
        quotes = tuple(quote_of_part(passage, part) for part in passage.parts)
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
    """A list as its lead-in and its items, each a claim with its own quote; a point stands behind its heading."""
    claims: list[DraftClaim] = []
    ahead: list[Part] = []
    for place, part in enumerate(passage.parts):
        is_last = place + 1 == len(passage.parts)
        if passage.place == POINTS and part.is_heading and not is_last and len(ahead) < MOST_HEADINGS:
            ahead.append(part)
            continue
        quotes = tuple(quote_of_part(passage, each) for each in (*ahead, part))
        titles = "".join(f"{_sentence(heading.quote).rstrip(' .:')}: " for heading in ahead)
        claims.append(DraftClaim(f"{titles}{_sentence(part.quote)}", quotes))
        ahead = []
    return claims


MOST_HEADINGS = 1
"""Headings that stand before one point; what a heading below it states is a point itself."""


def _required_share(plan: QueryPlan, passage: Passage, best: Passage) -> float:
    if is_name_alone(plan):
        return NEAR_BEST_NAME
    near = (passage.document, passage.page_index) == (best.document, best.page_index)
    if not near and plan.intent is not Intent.LIST:
        return ELSEWHERE
    return NEAR_BEST_TYPED if asks_for(plan, *ONE_THING) else NEAR_BEST


def _quote(passage: Passage) -> DraftQuote:
    return DraftQuote(passage.document, passage.key, passage.quote, passage.start, passage.where)


def _sentence(quote: str) -> str:
    """The quote on one line; a table row's cells are parted by semicolons, and stand in brackets behind a sentence."""
    if "\t" in quote:
        cells = [_SPACES.sub(" ", cell).strip() for cell in quote.split("\t")]
        first, *rest = [cell for cell in cells if cell] or [""]
        if rest and first.endswith(".") and " " in first:
            return f"{first} ({'; '.join(rest)})"
        return f"{first.rstrip(' :')}: {'; '.join(rest)}" if rest else first
    return _SPACES.sub(" ", quote).strip()


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
    missing = best.missing if best.task is RowTask.RANK else tuple(f"anything on {name}" for name in best.missing)
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
    verdict = _verdict_of_change(context.plan, best)
    return AnswerDraft((replace(claim, text=f"{verdict}{claim.text}"),), value=value)


def _verdict_of_change(plan: QueryPlan, reading: Reading) -> str:
    """ "Yes. " or "No. " where a question for yes or no asks about a change that was worked out; else ""."""
    request = reading.request
    if not request.asks_whether or reading.value is None or read_bound(plan.focus) is not None:
        return ""
    return say_verdict(reading.value * request.way > 0 if request.way else reading.value != 0)


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
    if standard is not None and says_any(plan.question, standard.asked):
        note = against_standard(plan.formula, result.value)
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
        for claim in _rules_told(context.plan, passage, passages):
            rule = " ".join(quote.quote for quote in claim.quotes)
            worked = work_out_rule(context.plan.question, rule, passage.quote)
            worked = worked or work_out_date(context.plan.question, passage.quote)
            if worked is not None:
                signals = (*_measure_passage(context.plan, passage), Signal("is_worked_rule", 1.0))
                return AnswerDraft((replace(_claim_of_worked(worked, claim), signals=signals),), value=worked.result)
    return None


def _rules_told(plan: QueryPlan, passage: Passage, passages: Sequence[Passage]) -> Iterator[DraftClaim]:
    """The rule of a passage; where two amounts are asked for, also with another passage of the same text."""
    claim = passage_claim(passage)
    yield claim
    told = _words_of(passage)
    for other in passages[:RULES_JOINED] if needs_two_amounts(plan.question) else ():
        if other is not passage and other.key == passage.key and not _words_of(other) & told:
            first, last = sorted((passage, other), key=lambda each: each.start)
            pair = (passage_claim(first), passage_claim(last))
            yield replace(claim, text=f"{pair[0].text} {pair[1].text}", quotes=(*pair[0].quotes, *pair[1].quotes))


RULES_JOINED = 6
"""Passages of which the second amount of a comparison may be told."""


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
    passages = [passage for passage in passages if not _only_uses(plan, passage)]
    if not passages:
        return AnswerDraft()
    standing = [passage for passage in passages if passage.suffices]
    # What only uses a term may come nearer in meaning than what defines it.
    by_form = {find_must_show(plan), Wanted.DEFINITION, Wanted.STEPS} & {
        requirement.wanted for requirement in requirements_of(plan)
    }
    may_lead = (p for p in passages if not p.suffices and not {kind.value for kind in by_form if kind} & set(p.unmet))
    if standing and any(leads_by_meaning(passage, passages) for passage in may_lead):
        standing = []
    chosen = choose_passages(plan, standing) if standing else choose_passages(plan, passages)[:1]
    chosen = _with_parts(context, chosen)
    claims = list_claims(chosen[0]) if chosen[0].is_list else [passage_claim(passage) for passage in chosen]
    if plan.intent is Intent.YES_NO or asks_for_verdict(plan):
        claims[0] = with_verdict(plan, claims[0], chosen[0])
    elif changed := _work_out(plan, claims[0], chosen[0]):
        # The sentence was found short of the figure asked for, which is worked out from it now.
        unmet = tuple(part for part in chosen[0].unmet if part not in (Wanted.SUM.value, Wanted.AMOUNT.value))
        met = replace(chosen[0], unmet=unmet, suffices=chosen[0].suffices or not unmet)
        return AnswerDraft((replace(changed[0], signals=_measure_passage(plan, met)),), value=changed[1])
    lacking = _list_lacking(plan, chosen)
    if claims and (sides := alternatives_in(plan.focus)):
        lacking |= _list_untold(sides, " ".join(claim.text for claim in claims))
    if chosen[0].is_value and not any(_states_otherwise(chosen[0], passage) for passage in passages):
        return AnswerDraft((replace(claims[0], fit=1.0, signals=OF_VALUE),))
    signals = (*claims[0].signals, *_measure_passage(plan, chosen[0]), *measure_direction(plan, chosen[0]))
    is_yes_no = plan.intent is Intent.YES_NO or asks_for_verdict(plan)
    is_open = is_yes_no and Wanted.POINTS not in {r.wanted for r in requirements_of(plan)}
    if _lacks_asked(plan, lacking, claims) or (is_open and leaves_open(plan, claims[0], chosen[0])):
        signals = (*signals, Signal(LACKS_ASKED, 1.0))
    return AnswerDraft(
        tuple(replace(claim, signals=signals) for claim in claims),
        missing=tuple(sorted(lacking)),
    )


def _lacks_asked(plan: QueryPlan, lacking: Collection[str], claims: Sequence[DraftClaim]) -> bool:
    """Whether claims lack the very thing asked: what must show, or for steps both these and any deed or way."""
    kind = find_must_show(plan)
    if kind is not None and kind.value in lacking:
        return True
    if Wanted.STEPS.value not in lacking or asks_manner(plan):
        return False
    return not any(_SAYS_WHAT_TO_DO.search(claim.text) for claim in claims)


_SAYS_WHAT_TO_DO = re.compile(
    r"\b(?:must|shall|should|ha(?:s|ve) to|needs?(?: to)?|(?:is|are|was|were) (?:to|then)|can|may|could|please"
    r"|by (?:\w+ly )?\w+ing|on request|in writing|appl(?:y|ies|ications?)|requests?|contacts?|asks?|sends?|calls?"
    r"|writes?"
    r"|(?:tele)?phones?|e-?mails?|fills?|forms?|press(?:es|ing)?|first|then|after(?:wards)?)\b",
    re.IGNORECASE,
)
"""What a sentence has that tells a deed or a way; one that only describes a thing has none."""


def _list_untold(sides: Sequence[tuple[str, frozenset[str]]], told: str) -> set[str]:
    """Of two things that a yes or no is asked of, the one that is not told; none where neither is, or both are."""
    untold = {f"anything on “{words}”" for words, own in sides if not says_side(own, told)}
    return untold if len(untold) < len(sides) else set()


OF_VALUE = (Signal("reads_value", 1.0), Signal("reading_fit", 0.9))
"""What is measured of a line "Name: value" with every word accounted for: the same as of such a cell of a table."""


def _states_otherwise(passage: Passage, other: Passage) -> bool:
    """Whether another line states the same thing differently, so that which of them is meant stays open."""
    return other.is_value and " ".join(other.quote.split()) != " ".join(passage.quote.split())


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


def _count_parts(passage: Passage) -> int:
    """The characters of all that a passage quotes."""
    return sum(len(part.quote) for part in passage.parts)


PLACED = 0.6
"""What it counts, beside a cell for which every word is accounted, that something stands where documents say such
things. Chosen by hand: the words of a question for the parties say nothing of the lines that name them."""


def _measure_passage(plan: QueryPlan, passage: Passage) -> tuple[Signal, ...]:
    """What was measured of the passage that comes first; whether it may stand is weighed with all else."""
    return (
        Signal("said", passage.said),
        Signal("passage_fit", min(1.0, passage.words_fit)),
        Signal("holds_all", float(not passage.unmet)),
        Signal("is_lacking", float(any(kind.value in passage.unmet for kind in list_hard_kinds(plan)))),
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


_MEANING_ASKED = re.compile(r"^\W*what (?:is|are) an? [\w-]+(?: [\w-]+)?\W*$", re.IGNORECASE)
"""A question for what a common thing is."""


def _only_uses(plan: QueryPlan, passage: Passage) -> bool:
    """Whether a passage, asked what a thing is, only uses its name: that says nothing of what it means."""
    return bool(_MEANING_ASKED.match(plan.focus)) and Wanted.DEFINITION.value in passage.unmet


_BY_HOW_MUCH = re.compile(
    r"\bby (?:how (?:much|many)|what (?:amount|percentage|margin))\b"
    r"|\bhow (?:much|many) (?:more|less|fewer)\b[^?]*\bthan\b"
    r"|\bhow (?:much|many)\b[^?]*"
    r"\b(?:chang|increas|decreas|reduc|rais|ris|rose|lift|cut|grow|grew|f[ae]ll|shorten|extend)",
    re.I,
)


PAIR = 2
"""Numbers of a sentence that states one thing before and after."""


def _with_difference(plan: QueryPlan, claim: DraftClaim, passage: Passage) -> tuple[DraftClaim, str] | None:
    """A sentence that states both sides of a change, under the difference between them, and that difference."""
    # Another wording only where there is nothing to choose: of several pairs the question's own words must tell it.
    is_only_pair = len(re.findall(r"\d[\d,.]*", passage.quote)) == PAIR
    sides = find_sides(passage.quote, _terms_asked(plan) if is_only_pair else words_of(plan.focus))
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


def _terms_asked(plan: QueryPlan) -> frozenset[str]:
    """The terms of the question and the single ones that may stand for them."""
    others = (term for other in other_wordings(plan.focus) if len(other.terms) == 1 for term in other.terms)
    return words_of(plan.focus) | frozenset(others)


def _with_share(plan: QueryPlan, claim: DraftClaim, passage: Passage) -> tuple[DraftClaim, str] | None:
    """A sentence that states a part and its whole, under the share that the part is of it, and that share."""
    found = find_part(passage.quote, _terms_asked(plan))
    if found is None:
        return None
    part, whole = found
    told = f"{format_number(round(100 * part.value / whole.value, 1))}%"
    operands = tuple(
        DraftOperand(name, number.text.strip(), "", 0) for name, number in (("part", part), ("whole", whole))
    )
    text = f"{told}, {part.text.strip()} of {whole.text.strip()}: {claim.text}"
    return replace(claim, text=text, calculation=DraftCalculation("part / whole * 100", operands, told)), told


def _work_out(plan: QueryPlan, claim: DraftClaim, passage: Passage) -> tuple[DraftClaim, str] | None:
    """A sentence under the difference or the share that follows from the figures it states, where that is asked."""
    if _BY_HOW_MUCH.search(plan.focus):
        return _with_difference(plan, claim, passage)
    is_share = ASKS_PART.search(plan.focus) and "%" not in passage.quote and "per cent" not in passage.quote.lower()
    return _with_share(plan, claim, passage) if is_share else None
