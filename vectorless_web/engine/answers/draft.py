"""The offline draft: a verdict, a calculation, figures, or the sentences that answer, each as a quoted claim."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from vectorless_web.engine.answers.calculation import (
    CalculationResult,
    claim_of,
    describe_omission,
    format_figure,
    make_claim,
    period_words,
    quote_of,
    work_out,
)
from vectorless_web.engine.answers.claims import (
    LISTS_MENTIONS,
    AnswerDraft,
    DraftClaim,
    DraftQuote,
    Signal,
    SynthesisContext,
)
from vectorless_web.engine.answers.readings import claim_of_change, claim_of_reading, claims_of_rows
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.needs import Contest, contest_of, figure_needs
from vectorless_web.engine.passages.extraction import HARD_KINDS
from vectorless_web.engine.passages.passage import Part, Passage
from vectorless_web.engine.passages.pieces import cut_pieces
from vectorless_web.engine.questions.plan import Formula, Intent, QueryPlan
from vectorless_web.engine.questions.requirements import Wanted, asks_for
from vectorless_web.engine.questions.understand import asks_documents, asks_for_all
from vectorless_web.engine.relations.reading import Reading
from vectorless_web.engine.relations.rows import RowsRead, RowTask
from vectorless_web.engine.text.analyser import analyse


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


def figure_claims(plan: QueryPlan, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """One claim per figure, value first, then item and period; the row in full is its quote."""
    once = {(f.document, f.key, f.start, f.column, f.amount): index for index, f in reversed(sorted(figures.items()))}
    return [
        DraftClaim(
            f"{format_figure(figure, plan.unit)}: {_item(plan, index, figure)}.",
            (quote_of(figure),),
            fit=figure.fit,
            needs=(index,),
        )
        for index, figure in sorted(figures.items())
        if index in once.values()
    ]


def _item(plan: QueryPlan, index: int, figure: Figure) -> str:
    when = period_words(figure_needs(plan)[index].period) or figure.period
    label = _SPACES.sub(" ", figure.label).strip(" :.")
    return f"{label}, {when}" if when else label


def choose_passages(plan: QueryPlan, passages: Sequence[Passage]) -> list[Passage]:
    """The passage that answers best, then those that hold what it lacks or come as near; a whole list stands alone."""
    best = sorted(passages, key=lambda passage: (-round(passage.fit, 9), passage.document, passage.key, passage.start))
    best.sort(key=lambda passage: not passage.place)
    if best[0].is_list:
        return best[:1]
    most = MOST_SENTENCES if plan.intent is not Intent.LIST else 3 * MOST_SENTENCES
    chosen, told = best[:1], _words_of(best[0])
    for passage in best[1:]:
        lacking = set(chosen[0].unmet).intersection(*(set(other.unmet) for other in chosen))
        adds = bool(lacking - set(passage.unmet))
        is_near = passage.fit >= _required_share(plan, passage, best[0]) * best[0].fit
        if (adds or is_near) and not passage.is_list and not _words_of(passage) & told and len(chosen) < most:
            told |= _words_of(passage)
            chosen.append(passage)
    return chosen


def _words_of(passage: Passage) -> set[tuple[str, int, int]]:
    """The characters that a passage quotes, by tens, to tell two that share words."""
    places = [(passage.key, passage.start, passage.end)]
    places += [(part.key, part.start, part.start + len(part.quote)) for part in passage.parts]
    return {(passage.document, key, ten) for key, start, end in places for ten in range(-(-start // 10), end // 10)}


def passage_claim(passage: Passage) -> DraftClaim:
    """A passage with what announces and completes it, as a sentence of the answer, in its own words."""
    if passage.parts and not passage.is_list:
        quotes = tuple(_part_quote(passage, part) for part in passage.parts)
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
_COVER = re.compile(r"quick ratio|acid.test|current ratio|working capital ratio|interest coverage|coverage ratio", re.I)
_ADEQUATE = re.compile(
    r"\bhealthy\b|\badequate\w*|\bsufficien\w*|\bstrong\b|\bsolid\b|\bsound\b|\benough\b|\bcover\w*|\bliquid\w*", re.I
)


def judge_figures(plan: QueryPlan, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """Claims of a yes/no question about figures; empty when the figures or the measure are missing."""
    if plan.formula is None:
        return []
    result = work_out(plan, plan.formula, figures)
    if result is None:
        return []
    verdict = _verdict(plan.question, plan.formula, result.value)
    first = make_claim(f"{verdict}{_describe_change(plan, plan.formula, result)}", result)
    return [first, *_calculate_sides(plan, plan.formula, figures)]


def _verdict(question: str, formula: Formula, value: Decimal) -> str:
    """ "Yes. " or "No. " where the question names a direction or a known measure; "" where it takes a judgement."""
    if _is_change(formula):
        direction = 1 if UP.search(question) else -1 if DOWN.search(question) else 0
        if direction:
            return _say_verdict(value * direction > 0)
        return _say_verdict(value != 0) if _CHANGE.search(question) else ""
    if _NEGATIVE.search(question):
        return _say_verdict(value < 0)
    if _POSITIVE.search(question):
        return _say_verdict(value > 0)
    if _COVER.search(formula.name) and _ADEQUATE.search(question):
        return _say_verdict(value >= 1)
    return ""


def _say_verdict(holds: bool) -> str:
    return "Yes. " if holds else "No. "


def _is_change(formula: Formula) -> bool:
    return bool(re.match(r"change in|growth of", formula.name))


def _describe_change(plan: QueryPlan, formula: Formula, result: CalculationResult) -> str:
    """The change in words ("rose by 0.5 percentage points") or the measure with its value."""
    when = period_words(plan.periods[-1]) if len(plan.periods) == 1 else ""
    if not _is_change(formula):
        note = _against_one(formula, result.value)
        return f"{result.text}: {formula.name}{f', {when}' if when else ''}{note}{describe_omission(result)}."
    item = re.sub(r"^(?:change in|growth of)\s+", "", formula.name)
    item = item[:1].upper() + item[1:]
    if result.value == 0:
        return f"{item} did not change."
    verb = "rose" if result.value > 0 else "fell"
    return f"{item} {verb} by {result.text.lstrip('-')}{f' in {when}' if when else ''}."


def _against_one(formula: Formula, value: Decimal) -> str:
    if not _COVER.search(formula.name):
        return ""
    return ", at or above one" if value >= 1 else ", below one"


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
            years = dict.fromkeys(period_words(plan.figures[index].period) for _, index in part.operands)
            text = f"{result.text}: {part.name}, {', '.join(year for year in years if year)}."
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
    r"\bnot only\b|\bno (?:later|longer|less|more|fewer) than\b|\bwhether or not\b|\bnot limited to\b", re.I
)


def verdict_of(question: str, sentence: str) -> str:
    """The word "Yes" or "No" as the sentence answers the question; "" for a sentence that makes an exception.

    Where both tell a direction (rose, fell), they agree or not. Else a sentence that
    denies answers a question that does not with "No", and the other way round.
    """
    if _EXCEPTION.search(sentence):
        return ""
    asked, wordings = _direction(question), _direction(sentence)
    if asked and wordings:
        return "Yes" if asked == wordings else "No"
    return "No" if _denies(sentence) != _denies(question) else "Yes"


def _direction(text: str) -> int:
    """1 up, -1 down, 0 neither or both."""
    return bool(UP.search(text)) - bool(DOWN.search(text))


def _denies(text: str) -> bool:
    return bool(_DENIAL.search(_NO_DENIAL.sub(" ", text)))


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
    context, version = resolve_versions(_set_nearest_aside(context))
    figures = best_figures(context)
    for make in (_draft_rows, _draft_reading, _draft_contest, _draft_verdict, _draft_calculation, _draft_figures):
        draft = make(context, figures)
        if draft is not None:
            return _say_version(draft, version)
    return _say_version(_draft_quotes(context), version)


def _set_nearest_aside(context: SynthesisContext) -> SynthesisContext:
    """The facts without passages that only come near, where others answer."""
    answering = tuple(fact for fact in context.facts if not (isinstance(fact, Passage) and fact.is_nearest))
    return replace(context, facts=answering) if answering else context


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


def resolve_versions(context: SynthesisContext) -> tuple[SynthesisContext, str]:
    """The facts of the version that was asked for, else of the newest, and what to say of it.

    Documents are versions of one another when their titles differ in numbers alone ("Price list 2023" and "2024").
    """
    documents = dict.fromkeys(fact.document for fact in context.facts)
    series: dict[str, list[str]] = {}
    for document in documents:
        title = context.names.get(document, "")
        if _version_of(title):
            series.setdefault(_VERSION.sub("#", title).casefold(), []).append(document)
    dropped: set[str] = set()
    said = ""
    years = {period.year for period in context.plan.periods}
    for members in series.values():
        if len(members) < 2 or len(years) > 1 or asks_documents(context.plan) or _COMPARES.search(context.plan.focus):
            continue
        members.sort(key=lambda document: _version_of(context.names[document]))
        asked = [document for document in members if years & set(_version_of(context.names[document])[:1])]
        kept = asked[-1] if asked else members[-1]
        dropped |= set(members) - {kept}
        said = said or ("" if asked else f"{context.names[kept]}, the newest version")
    if not dropped:
        return context, ""
    return replace(context, facts=tuple(fact for fact in context.facts if fact.document not in dropped)), said


_COMPARES = re.compile(
    r"\b(?:compar\w+|differ\w*|chang\w+|versus|vs|both|each|all (?:years|versions))\b", re.IGNORECASE
)


def _say_version(draft: AnswerDraft, said: str) -> AnswerDraft:
    """The draft with its first sentence saying which version it is of."""
    if not said or not draft.claims:
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
    if result is None:
        return None
    name = _name(plan)
    return AnswerDraft((claim_of(result, name, _name_periods(context)),), value=result.text)


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
    missing = tuple(
        f"{need.concept} {period_words(need.period)}".strip()
        for index, need in enumerate(needs)
        if index not in figures
    )
    value = format_figure(figures[min(figures)], plan.unit) if plan.formula is None else ""
    return AnswerDraft(tuple(figure_claims(plan, figures)), value=value, missing=missing)


def _draft_quotes(context: SynthesisContext) -> AnswerDraft:
    """The passages that may stand as the answer, and what no passage among them holds; else no claim."""
    plan = context.plan
    passages = [fact for fact in context.facts if isinstance(fact, Passage)]
    if asks_for_all(plan) and not any(passage.is_list and passage.suffices for passage in passages):
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
    chosen = choose_passages(plan, standing) if standing else choose_passages(plan, passages)[:1]
    claims = list_claims(chosen[0]) if chosen[0].is_list else [passage_claim(passage) for passage in chosen]
    if plan.intent is Intent.YES_NO:
        claims[0] = _with_verdict(plan.question, claims[0], chosen[0])
    open_parts = [set(passage.unmet) for passage in chosen]
    signals = _measure_passage(chosen, passages)
    return AnswerDraft(
        tuple(replace(claim, signals=signals) for claim in claims),
        missing=tuple(sorted(set.intersection(*open_parts))),
    )


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


def _measure_passage(chosen: Sequence[Passage], passages: Sequence[Passage]) -> tuple[Signal, ...]:
    """What was measured of the passage that comes first; whether it may stand is weighed with all else."""
    passage, cited = chosen[0], {(other.document, other.key) for other in chosen}
    rivals = [other.fit for other in passages if (other.document, other.key) not in cited]
    return (
        Signal("said", passage.said),
        Signal("passage_fit", min(1.0, passage.fit)),
        Signal("passage_ahead", max(0.0, min(1.0, 0.5 + passage.fit - max(rivals, default=0.0)))),
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
    )


def _with_verdict(question: str, claim: DraftClaim, passage: Passage) -> DraftClaim:
    """The first sentence under the verdict that its words give, when it says enough of the question."""
    quote = _deciding_sentence(question, passage)
    if passage.fit < LEAST_FIT or len(quote) > LONGEST_VERDICT or quote.endswith(":") or is_heading(quote):
        return claim
    if passage.is_nearest or (_MONTH.search(question) and _MONTHS.search(quote)):
        return claim
    verdict = verdict_of(question, quote) or _verdict_with_exception(question, quote)
    told = claim.text
    if verdict and f" {quote}" in told and not _LEANS.match(quote):
        # What settles the question comes first, the rule that it bends after it.
        told = f"{quote} {told.replace(f' {quote}', '', 1)}"
    return replace(claim, text=f"{verdict}: {told}") if verdict else claim


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
    """ "No, with an exception": what the words before "unless" or "except" say; "" when they stand at the beginning."""
    rule = _EXCEPTION.split(sentence, maxsplit=1)[0]
    verdict = verdict_of(question, rule) if len(rule.split()) > LEAST_RULE else ""
    return f"{verdict}, with an exception" if verdict else ""


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
