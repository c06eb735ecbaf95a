"""Yes or no, as the words of a passage answer a question: by the form of their rule, else by what they deny."""

import re
from collections.abc import Sequence
from dataclasses import replace

from vectorless_web.engine.answers.claims import IS_SETTLED, DraftClaim, Signal
from vectorless_web.engine.answers.verdicts.figures import DOWN, UP
from vectorless_web.engine.answers.verdicts.forms import (
    Verdict,
    cannot_settle,
    denies_other,
    find_unsaid,
    gives_no_leave,
    is_of_other_party,
    lacks_matter,
    read_form,
    says_most,
    terms_asked,
    without_votes,
)
from vectorless_web.engine.passages.passage import Passage, cut_pieces
from vectorless_web.engine.questions.plan import Intent, QueryPlan
from vectorless_web.engine.questions.requirements import Wanted, alternatives_in, requirements_of, says_side
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.bands import amount_of, bounds_in
from vectorless_web.engine.text.quantities import quantities_in

_DENIAL = re.compile(
    r"\b(?:no|not|none|neither|never|nor|cannot|nothing|nobody)\b|\b\w+n['’]t\b|\bunlikely\b|\babsence of\b"
    r"|\b(?:forbidden|prohibited|excluded|barred|banned|ineligible|refused|denied|rejected|defeated|blocked|disallowed"
    r"|(?:turned|voted) down)\b",
    re.I,
)
_EXCEPTION = re.compile(r"\b(?:except|other than|unless|apart from)\b", re.I)
_NO_DENIAL = re.compile(
    r"\bnot only\b|\bno(?:t)? (?:later|longer|less|more|fewer|faster|higher|lower|older|younger|greater|earlier) than\b"
    r"|\bwhether or not\b|\bnot limited to\b|\bin the (?:unlikely|improbable) event\b",
    re.I,
)


def verdict_of(question: str, sentence: str) -> str:
    """The word "Yes" or "No" as the sentence answers the question; "" for a sentence that makes an exception.

    Where both tell a direction (rose, fell), they agree or not. Else a sentence that
    denies answers a question that does not with "No", and the other way round.
    """
    if _EXCEPTION.search(sentence):
        return ""
    question = _ALSO_ASKED.sub("", question)
    clause = _clause_asked_about(question, sentence)
    if _UNDECIDED.search(clause):
        return ""
    asked, wordings = _direction(question), _direction(clause)
    if asked and wordings:
        return "Yes" if asked == wordings else "No"
    return "No" if _denies(_main_clause(clause)) != _denies(_main_clause(question)) else "Yes"


_BUT = re.compile(r"[,;]\s*(?:however|but|although|though|whereas|while|yet)\b,?|;", re.IGNORECASE)
_ALSO_ASKED = re.compile(r",?\s+and (?:by |for |to )?(?:who|whom|what|when|where|which|how|why)\b.*", re.I | re.S)
"""What a question for yes or no asks besides."""
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|may|must|can|cannot|could|shall|should|will|would|needs?)\b", re.I
)


def _split_statements(sentence: str) -> list[str]:
    """A sentence cut at "but", and at ", and" where each side says something of its own."""
    found: list[str] = []
    for part in _BUT.split(sentence):
        sides = re.split(r",\s+and\s+", part)
        found.extend(sides if all(map(_FINITE.search, sides)) else [part])
    return found


_UNDECIDED = re.compile(
    r"\b(?:has|have|had) (?:not|never) (?:yet )?been (?:decided|settled|agreed|determined|fixed)\b"
    r"|\b(?:is|are|was|were|remains?) (?:still )?(?:undecided|to be decided|under discussion|unclear|not known"
    r"|unknown)\b"
    r"|\bnot yet (?:decided|settled|known|clear)\b",
    re.IGNORECASE,
)
"""What leaves open whether a thing is so."""
_SIDE = r"(?:(?:even |only )?if|provided(?: that)?|on condition that|(?:as|so) long as|because(?! of)|since)"
_SIDE_AHEAD = re.compile(
    rf"^(?P<mark>\W*(?:\d[\d.]*[.)]?\s+)?)(?:{_SIDE}|when|where|once|as|after|before)\b(?P<case>[^,;]{{4,200}}),\s*",
    re.IGNORECASE,
)
_SIDE_BEHIND = re.compile(rf"(?:,?\s+{_SIDE}|,\s+as)\b(?P<case>[^;.]*)", re.IGNORECASE)


def _main_clause(sentence: str) -> str:
    """A sentence without its conditions and reasons: what these deny is not what the rule denies."""
    main = _SIDE_BEHIND.sub(" ", _SIDE_AHEAD.sub(" ", sentence, count=1))
    return main if len(main.split()) >= LEAST_RULE else sentence


def _clause_asked_about(question: str, sentence: str) -> str:
    """The side of a sentence with "but" that says more words of the question; the whole where neither says more."""
    asked, main = set(analyse(question)), _main_clause(question)
    terms = terms_asked(main)
    said = [
        ((len(terms - find_unsaid(main, clause)), len(asked & set(analyse(clause)))), clause)
        for clause in _split_statements(sentence)
    ]
    most = max(count for count, _ in said)
    leading = [clause for count, clause in said if count == most]
    return leading[0] if len(leading) == 1 else sentence


def _direction(text: str) -> int:
    """1 up, -1 down, 0 neither or both."""
    return bool(UP.search(text)) - bool(DOWN.search(text))


def _denies(text: str) -> bool:
    return bool(_DENIAL.search(without_votes(_ASIDE.sub(" ", _NO_DENIAL.sub(" ", text)))))


_ASIDE = re.compile(r",\s*(?:which|who|whose)\b[^,;.]*", re.IGNORECASE)
"""What is said beside the rule: "with consent, which is not needed in August" refuses nothing."""


LEAST_FIT = 0.52
"""Fit of a passage from which a yes or no is read."""

LONGEST_VERDICT = 320
"""Characters of a sentence from which it is read: a longer one denies one thing and says another."""

LEAST_RULE = 3
"""Words of a sentence before its exception from which a verdict is read."""


def measure_direction(plan: QueryPlan, passage: Passage) -> tuple[Signal, ...]:
    """Whether a question for yes or no asks for a direction (rose, fell) and the passage tells one."""
    is_told = plan.intent is Intent.YES_NO and _direction(plan.question) and _direction(passage.quote)
    return (Signal("tells_direction", float(bool(is_told))),)


def asks_for_verdict(plan: QueryPlan) -> bool:
    """Whether yes or no is all that is asked, be it behind a case: "The seal is broken. Can I send it back?"."""
    return {requirement.wanted for requirement in requirements_of(plan)} <= {Wanted.VERDICT, Wanted.LIMIT}


def with_verdict(plan: QueryPlan, claim: DraftClaim, passage: Passage) -> DraftClaim:
    """The first sentence under the verdict that its words give, when it says enough of the question.

    Of a question that tells a case first, and of one of which it says little, it must settle it outright.
    """
    question = plan.question
    quote = _deciding_sentence(question, passage)
    if len(quote) > LONGEST_VERDICT or quote.endswith(":") or is_heading(quote):
        return claim
    if (_MONTH.search(question) and _MONTHS.search(quote)) or cannot_settle(question, quote):
        return claim
    if (formed := read_form(question, _sentences_of(passage), claim.text)) is not None:
        return _mark_settled(_tell_verdict(claim, formed)) if formed.word else claim
    return _weigh_words(plan, claim, passage, quote)


def leaves_open(plan: QueryPlan, claim: DraftClaim, passage: Passage) -> bool:
    """Whether a claim settles nothing: a Yes of a thing that the document never names, read from a rule on another, or
    no verdict and only sentences that could give none, as a rule for what was done.

    A rule that denies holds for the special case, too.
    """
    if claim.text.startswith(YES_OR_NO):
        return passage.lacks_thing and claim.text.startswith("Yes")
    return all(cannot_settle(plan.question, sentence) for sentence in _sentences_of(passage))


def _weigh_words(plan: QueryPlan, claim: DraftClaim, passage: Passage, quote: str) -> DraftClaim:
    """The first sentence under the verdict that the words of the deciding one, `quote`, give."""
    question = plan.question
    says_little = passage.words_fit < LEAST_FIT or passage.is_nearest or plan.intent is not Intent.YES_NO
    is_said = plan.intent is Intent.YES_NO and says_most(question, quote)
    if says_little and not is_said and (passage.parts or not settles_outright(question, quote, passage.quote)):
        return claim
    lead = passage.parts[0].quote.rstrip() if passage.parts else ""
    is_item = lead.endswith(":") and lead != quote
    if is_item:
        # What announces an item says whether it is allowed or excluded.
        quote = f"{lead} {quote}"
    sides = alternatives_in(question)
    by_case = [(one, found) for one in _sentences_of(passage) if (found := _verdict_of_case(question, one)) is not None]
    if by_case and not is_item:
        quote, verdict = next((pair for pair in by_case if pair[1]), by_case[0])
    elif sides:
        verdict = _verdict_of_sides(question, passage, [own for _, own in sides])
    else:
        verdict = verdict_of(question, quote) or _verdict_with_exception(question, quote)
        verdict = (
            f"{verdict}, {bent}"
            if verdict in YES_OR_NO and (bent := _name_bend(question, quote, claim.text))
            else verdict
        )
    if verdict and not by_case and not is_item and _is_gainsaid(question, quote, claim.text):
        return claim
    settling = quote if says_little and is_said else claim.text
    is_other = _is_other_matter(question, claim.text, settling) or is_of_other_party(question, quote)
    is_other = is_other or gives_no_leave(question, quote)
    if not by_case and verdict.startswith("Yes") and is_other:
        return claim
    is_said = find_unsaid(question, quote) != terms_asked(question)
    is_refused = is_said and _ASKS_LEAVE.search(question) and _REFUSES.search(quote)
    is_plain = not (by_case or is_item or sides or is_refused)
    if is_plain and verdict.startswith("No") and denies_other(question, quote):
        return claim
    told = _tell_verdict(claim, Verdict(verdict, "" if is_item or sides else quote)) if verdict else claim
    return _mark_settled(told) if verdict.startswith("No") and _refuses_leave(question, quote) else told


def _mark_settled(claim: DraftClaim) -> DraftClaim:
    return replace(claim, signals=(*claim.signals, Signal(IS_SETTLED, 1.0)))


def _refuses_leave(question: str, sentence: str) -> bool:
    """Whether a sentence that says a third of a question for leave refuses it, and not under a condition alone."""
    is_leave = _ASKS_LEAVE.search(question) and _REFUSES.search(sentence) and not _CONDITION.search(sentence)
    return bool(is_leave) and 3 * len(find_unsaid(question, sentence)) <= 2 * len(terms_asked(question))


def _is_other_matter(question: str, told: str, settling: str) -> bool:
    """Whether a Yes would be read from words on another matter; where little else speaks for them, `settling` says all.

    A rule that denies holds for the special case, too, while leave for one thing is none for another.
    """
    return lacks_matter(question, told) or (settling is not told and bool(find_unsaid(question, settling)))


def _tell_verdict(claim: DraftClaim, verdict: Verdict) -> DraftClaim:
    """A claim under a verdict that the form of its rule gives, what settles it first."""
    told, first = verdict.told or claim.text, verdict.sentence
    before = told.partition(f" {first}")[0]
    if first and before != told and any(map(str.isalpha, before)) and not _LEANS.match(first):
        # What settles the question comes first, the rule that it bends after it.
        told = f"{first} {told.replace(f' {first}', '', 1)}"
    return replace(claim, text=f"{verdict.word}: {told}")


_LEAVES_OUT = re.compile(r"\b(?:may|must|can|shall|will|do|does|did|is|are|was|were|need) not(?=\s*[,.;]|\s*$)", re.I)
"""What takes its verb from the sentence before, of which it makes an exception: "New members may not."."""


def _is_gainsaid(question: str, sentence: str, told: str) -> bool:
    """Whether what stands before a sentence settles the question otherwise, and says as much of it and of whom it asks.

    "The club collects no cookies. This is a site for members.": which settles it is left to the reader.
    """
    asked, before = set(analyse(question)), told.partition(sentence)[0].strip()
    if not before or sentence not in told or _LEAVES_OUT.search(sentence):
        return False
    subject = set(analyse(question)[:1])
    if subject & set(analyse(sentence)) and not subject & set(analyse(before)):
        return False
    first, last = (len(asked & set(analyse(words))) for words in (before, sentence))
    return first >= last and verdict_of(question, before) not in ("", verdict_of(question, sentence))


YES_OR_NO = ("Yes", "No")

_HOLDS_IF = re.compile(
    r"(?<!even )\b(?:if|provided(?: that)?|on (?:the )?condition that|(?:as|so) long as|subject to|depending on)\b"
    r"(?P<case>[^,;.]*)",
    re.IGNORECASE,
)


_SUBJECT_TO = re.compile(r"\bsubject to (?:clause|section|article|paragraph|rule)s?\b", re.IGNORECASE)


_APPLIES_NOT = re.compile(r"\b(?:this|that|it|the same|the rule) (?:does|shall|do) not apply\b", re.IGNORECASE)


def _name_bend(question: str, sentence: str, told: str) -> str:
    """What bends a rule: an exception told beside it, or a condition of which the question says less than half."""
    if _SUBJECT_TO.search(sentence) or _APPLIES_NOT.search(told):
        return "with an exception"
    clause, asked = _clause_asked_about(question, sentence), set(analyse(question))
    cases = [set(analyse(match["case"])) for match in _HOLDS_IF.finditer(clause)]
    return "on a condition" if any(case and 2 * len(case & asked) < len(case) for case in cases) else ""


def _verdict_of_sides(question: str, passage: Passage, sides: Sequence[frozenset[str]]) -> str:
    """Yes or no of two things asked about together, as far as they are told; "" where they differ."""
    clauses = [clause for sentence in _sentences_of(passage) for clause in _split_statements(sentence)]
    found = set()
    for own in sides:
        said = [(len(own & set(analyse(clause))), clause) for clause in clauses if says_side(own, clause)]
        if said:
            found.add(verdict_of(question, max(said, key=lambda pair: pair[0])[1]))
    return found.pop() if len(found) == 1 else ""


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
    r"|\b(?:forbidden|prohibited|excluded|barred|banned|refused|blocked)\b|\bno \w+(?: \w+)? (?:is|are|may)\b"
    r"|\b(?:nobody|no one) (?:may|can|is)\b",
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

_LEANS = re.compile(
    r"(?:he|she|it|they|this|these|those|such|however|but|otherwise|in (?:this|that)|if (?:he|she|it|they|this|not"
    r"|so))\b",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\s*(?:(?:article|clause|section|part)\s+)?\d+(?:\.\d+)*[.)]?\s+[A-Z][^.;:!?]{2,80}$", re.IGNORECASE
)


def is_heading(text: str) -> bool:
    """Whether words are the numbered heading of a clause, which says nothing by itself."""
    return bool(_HEADING.match(text.strip()))


_SPEAKS_ON = re.compile(r"(?:he|she|it|they|these|this|after that)\b(?! (?:does|do|shall) not apply)", re.IGNORECASE)
"""How a sentence begins that speaks on of the one before: "They are not allowed on the beach"."""


def _says_more(question: str, sentence: str, before: str) -> bool:
    """Whether a sentence that speaks on says what the one before leaves out of the question, and no less of the rest.

    What it speaks of is named before.
    """
    terms, first, then = terms_asked(question), find_unsaid(question, before), find_unsaid(question, sentence)
    return bool(first - then) and len(terms - then) + 1 >= len(terms - first)


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
    """The sentence of a rule that settles the question: a later one that says what the first leaves out of it.

    It names who or what is asked about, which the first does not, or says no less of the question.
    """
    asked = set(analyse(question))
    after = " ".join(part.quote for part in passage.parts).partition(passage.quote)[2]
    told, subject = asked & set(analyse(passage.quote)), set(analyse(question)[:1])
    for piece in cut_pieces(after, by_line=False):
        said = asked & set(analyse(piece.text))
        if said - told and (subject & said - told or len(said) >= len(told) or _LEAVES_OUT.search(piece.text)):
            return piece.text
        if _SPEAKS_ON.match(piece.text) and _says_more(question, piece.text, passage.quote):
            return piece.text
    sentences = [piece.text for piece in cut_pieces(passage.quote, by_line=False)]
    # Of several sentences in one item the last of those that say most of the question bends the others.
    return (
        max(reversed(sentences), key=lambda text: len(asked & set(analyse(text))), default="") or passage.quote.rstrip()
    )
