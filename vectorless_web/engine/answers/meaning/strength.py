"""How strongly a claim says what its quote says: duty and permission, all and some, planned and done, bounds, dates."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vectorless_web.engine.answers.meaning.prose import AHEAD, clause_around
from vectorless_web.engine.answers.meaning.wording import (
    agree_told,
    content_stems,
    numbers_told,
    quote_label,
    split_clauses,
    stem_words,
)
from vectorless_web.engine.text.dates import dates_in


def find_strength_mismatches(claim: str, quote: str) -> Iterator[str]:
    """What the quote says less, more or otherwise strongly than the claim, a sentence each."""
    yield from _other_force(claim, quote)
    yield from _other_share(claim, quote)
    yield from _other_stage(claim, quote)
    yield from _dropped_bound(claim, quote)
    yield from _added_bound(claim, quote)
    yield from _swapped_date(claim, quote)


@dataclass(frozen=True, slots=True)
class _Said:
    """A clause, what its cue says and the first stems behind the cue, where the deed is."""

    clause: str
    kind: str
    deed: tuple[str, ...]


# --- duty and permission

_MUST = re.compile(
    r"\b(?:must|shall|(?:has|have|had)\s+to|(?:is|are|be)\s+(?:required|obliged|obligated)\s+to|mandatory|compulsory)\b",
    re.I,
)
_MAY = re.compile(
    r"\b(?<!as )may\b(?!\s*\d|,?\s+(?:19|20)\d\d)|\b(?:is|are|be)\s+(?:free|allowed|permitted|entitled)\s+to\b"
    r"|\b(?:is|are)\s+optional\b",
    re.I,
)
_ADVISED = re.compile(
    r"\b(?:encouraged|recommended|advised|invited)\s+to\b|\bit\s+is\s+(?:recommended|advised)\b", re.I
)
_NOT_PLAIN = re.compile(r"\b(?:not|never|no|only|unless|cannot|neither|nor|until|otherwise)\b|n['’]t\b", re.I)


def _other_force(claim: str, quote: str) -> Iterator[str]:
    """ "Must" told of "may", and the other way round, of the same deed by the same doer."""
    stated = [said for clause in split_clauses(quote) if (said := _read_force(clause))]
    for clause in split_clauses(claim):
        ours = _read_force(clause)
        if ours is None or ours.kind == "advised":
            continue
        near = [other for other in stated if _is_same_deed(ours, other)]
        if near and all(other.kind != ours.kind for other in near):
            verbs = {"must": "demands", "may": "allows", "advised": "recommends"}
            if ours.kind == "may" and near[0].kind == "advised":
                continue
            stated_as = quote_label(near[0].clause)
            only = "only " if ours.kind == "must" else ""
            yield f"The claim {verbs[ours.kind]} what the quote {only}{verbs[near[0].kind]}: {stated_as}."


def _read_force(clause: str) -> _Said | None:
    """The one mode of a clause; None for a clause that is denied, conditional or of two modes."""
    if _NOT_PLAIN.search(clause):
        return None
    found = [
        (kind, match)
        for kind, pattern in (("must", _MUST), ("may", _MAY), ("advised", _ADVISED))
        if (match := pattern.search(clause))
    ]
    if len(found) != 1:
        return None
    kind, match = found[0]
    return _Said(clause, kind, stem_words(re.sub(r"\d[\d.,]*", " ", clause[match.end() :]))[:3])


def _is_same_deed(ours: _Said, other: _Said) -> bool:
    """Whether the words behind both modals begin with the same deed and the clauses agree in most of the rest."""
    if not (set(ours.deed[:1]) & set(other.deed) or set(other.deed[:1]) & set(ours.deed)):
        return False
    said, stated = content_stems(ours.clause), content_stems(other.clause)
    shared = said & stated
    return len(shared) >= 2 and len(shared) * 2 >= min(len(said), len(stated))


# --- all, most, some

_SHARES = (
    (
        "all",
        re.compile(
            r"(?<!not )(?<!n't )(?<!nearly )(?<!almost )\b(?:all|every|each)\b(?!\s+(?:day|week|month|year|other)\b)",
            re.I,
        ),
    ),
    (
        "most",
        re.compile(
            r"(?<!at )(?<!the )\b(?:most|nearly\s+all|almost\s+all)\b|\b(?:the|a)\s+(?:large\s+|great\s+)?majority\b",
            re.I,
        ),
    ),
    (
        "some",
        re.compile(
            r"(?<!only )\b(?:some|several|certain|many|(?:a\s+)?few(?!er)|a\s+(?:small\s+|large\s+)?number\s+of"
            r"|a\s+lot\s+of|a\s+minority)\b(?!\s+of\s+(?:its|their)\b)(?!\s+\d)",
            re.I,
        ),
    ),
)
_BEHIND_SHARE = re.compile(r"\s+(?:of\s+)?(?:the\s+|our\s+|its\s+|their\s+)?((?:[\w-]+\s*){1,3})")
_ALWAYS = re.compile(r"(?<!not )\b(?:always|invariably|in\s+(?:every|all)\s+cases?|without\s+exception)\b", re.I)
_USUALLY = re.compile(
    r"\b(?:usually|normally|generally|typically|often|mostly|sometimes|occasionally|in\s+most\s+cases|frequently)\b",
    re.I,
)
_EXCEPT = re.compile(
    r"\b(?:except|excluding|apart\s+from|other\s+than|with\s+the\s+exception|but\s+not|save\s+for)\b", re.I
)
_LEAVES_OUT = re.compile(r"\b(?:not|no|unless|without|only|but|exclud\w+)\b|n['’]t\b", re.I)


def _other_share(claim: str, quote: str) -> Iterator[str]:
    """All told of some, some told of all, always told of usually, all told of all with an exception."""
    ours, theirs = _read_shares(claim), _read_shares(quote)
    for noun, share in ours.items():
        stated = theirs.get(noun)
        if stated and share != stated and _shares_matter(claim, quote):
            yield f"The claim says this of {share} of them; the quote says it of {stated}: {quote_label(quote)}."
            return
        if share == "all" == stated and _is_exception_left_out(claim, quote):
            yield f"The claim leaves out the exception of the quote: {quote_label(quote)}."
            return
    usually = _USUALLY.search(quote)
    is_always = _ALWAYS.search(claim) and not _USUALLY.search(claim)
    if usually and is_always and not _ALWAYS.search(quote) and _shares_matter(claim, quote):
        yield f"The claim says always; the quote says {usually[0].lower()}: {quote_label(quote)}."


def _read_shares(text: str) -> dict[str, str]:
    """How much of each noun is spoken of; a noun of which two different shares are told is left out."""
    found: dict[str, set[str]] = {}
    for share, pattern in _SHARES:
        for match in pattern.finditer(text):
            behind = _BEHIND_SHARE.match(text, match.end())
            stems = stem_words(behind[1]) if behind else ()
            if stems:
                found.setdefault(stems[0], set()).add(share)
    return {noun: shares.pop() for noun, shares in found.items() if len(shares) == 1}


def _shares_matter(claim: str, quote: str) -> bool:
    """Whether claim and quote agree in two thirds of the words of the shorter one."""
    said, stated = content_stems(claim), content_stems(quote)
    return len(said & stated) * 3 >= 2 * min(len(said), len(stated)) and len(said & stated) > 1


def _is_exception_left_out(claim: str, quote: str) -> bool:
    match = _EXCEPT.search(quote)
    if match is None or _EXCEPT.search(claim) or _LEAVES_OUT.search(claim):
        return False
    return not content_stems(quote[match.end() :]) & content_stems(claim)


# --- planned and done

_PLANNED = re.compile(
    r"\b(?:plan(?:s|ned|ning)?(?=\s+(?:to|for)\b)|intend(?:s|ed|ing)?\s+to|propos(?:es|ed|al|ing|e)|expect(?:s|ed)?\s+to"
    r"|will|is\s+going\s+to|are\s+going\s+to|(?:is|are)\s+(?:due\s+)?to|considering|under\s+consideration|aims?\s+to"
    r"|draft|wants?\s+to|hopes?\s+to|would|planned|scheduled|seeks?\s+to|subject\s+to\s+approval)\b",
    re.I,
)
_DONE = re.compile(r"\b(?:has|have|had|was|were|did)\b|\b\w{2,}ed\b", re.I)
_MODAL = re.compile(
    r"\b(?:(?-i:may)|must|can|could|should|might|if|whether|not|never|no|goal|target|yet)\b|n['’]t\b", re.I
)
_PAST_OF = {
    "build": "built", "sell": "sold", "buy": "bought", "begin": "began", "make": "made", "pay": "paid", "hold": "held",
    "spend": "spent", "take": "took", "give": "gave", "cut": "cut", "raise": "raised", "rise": "rose", "set": "set",
    "leave": "left", "win": "won", "lose": "lost", "lead": "led", "find": "found", "grow": "grew", "shut": "shut",
}  # fmt: skip
_PRESENT_OF = {past: present for present, past in _PAST_OF.items()}
_SETTLED = re.compile(
    r"(?<!is )(?<!are )(?<!be )\b(?:paid|adopted|approved|enacted|introduced|in\s+force|took\s+effect|implemented"
    r"|completed|signed)\b",
    re.I,
)
_ADJECTIVE = re.compile(r"\b(?:proposed|draft|planned)\s+((?:[\w-]+\s*){1,2})", re.I)


def _other_stage(claim: str, quote: str) -> Iterator[str]:
    """Done told of planned, and planned told of done, of the same deed."""
    ours, theirs = bool(_PLANNED.search(claim)), bool(_PLANNED.search(quote))
    if ours == theirs or _MODAL.search(claim) or _MODAL.search(quote) or not _is_about_same(claim, quote):
        return
    deeds, done = (_planned_deeds(quote), _done_deeds(claim)) if theirs else (_planned_deeds(claim), _done_deeds(quote))
    if theirs and (deeds & done or (_SETTLED.search(claim) and _names_planned(quote, claim))):
        if not deeds & _done_deeds(_PLANNED.sub(" ", quote)):
            yield f"The claim tells as done what the quote tells as planned: {quote_label(quote)}."
    elif ours and deeds & done - _named_deeds(quote):
        yield f"The claim tells as planned what the quote tells as done: {quote_label(quote)}."


def _planned_deeds(text: str) -> frozenset[str]:
    """Stems of the words right behind what says that something is planned."""
    return frozenset(stem for match in _PLANNED.finditer(text) for stem in _verbs(text[match.end() :])[:3])


def _done_deeds(text: str) -> frozenset[str]:
    """Stems of the words that tell something as done."""
    words = re.findall(r"(?<!is )(?<!are )(?<!be )\b[A-Za-z]+", text)
    return frozenset(_verbs(" ".join(word for word in words if _is_done(word))))


def _named_deeds(text: str) -> frozenset[str]:
    """Stems of the words that name a deed without telling it as done: "prevent 20 deaths" beside "18 prevented"."""
    return frozenset(stem for word in re.findall(r"[A-Za-z]+", text) if not _is_done(word) for stem in stem_words(word))


def _is_done(word: str) -> bool:
    return word.lower() in _PRESENT_OF or (word.lower().endswith("ed") and len(word) > 4)


def _verbs(text: str) -> list[str]:
    words = [_PRESENT_OF.get(word.lower(), word.lower()) for word in re.findall(r"[A-Za-z]+", text)[:8]]
    return [stem for word in words for stem in stem_words(word)]


def _names_planned(quote: str, claim: str) -> bool:
    """Whether the claim speaks of the very thing that the quote calls proposed or a draft."""
    return any(content_stems(match[1]) & content_stems(claim) for match in _ADJECTIVE.finditer(quote))


def _is_about_same(claim: str, quote: str) -> bool:
    said, stated = content_stems(claim), content_stems(quote)
    return len(said & stated) >= 2 and len(said & stated) * 2 >= min(len(said), len(stated))


# --- bounds and roundings that one side has alone

_UP_TO = re.compile(r"\bup\s+to\s+(?:an?\s+|the\s+)?[$€£]?\s*$", re.I)
_ANY_BOUND = re.compile(
    r"\bup\s+to\b|\bmost\b|\bmax\w*|\blimit\w*|\bcap(?:s|ped)?\b|\bno\s+\w+\s+than\b|\bnot\s+\w+\s+than\b|\bwithin\b"
    r"|\bexceed\w*|\bas\s+(?:much|many|long|far|high)\s+as\b|\bmay\b|\bcan\b|\bunder\b|\bbelow\b|\bless\b|\bor\s+fewer\b"
    r"|\bhighest\b|\blongest\b|\blargest\b|\ballowed\b|\bpermitted\b|\bcould\b|\bbetween\b|\brang\w+|\bto\s+a\b|\bupper\b"
    r"|\buntil\b|\bceiling\b|\bthreshold\b|\bentitled\b",
    re.I,
)
_HEDGED = re.compile(
    r"\b(?:about|approximately|roughly|around|nearly|almost|circa|some|over|more\s+than)\s+[$€£]?\s*$", re.I
)
_EXACTLY = re.compile(r"\b(?:exactly|precisely)\s+[$€£]?\s*$", re.I)
_BEYOND = re.compile(
    r"\b(?:has|had|have|was|were|is|are|employs?|employed|totall?ed|came\s+to|stands\s+at|reached|of)\s+"
    r"(?P<way>more\s+than|over|fewer\s+than|less\s+than|under|nearly|almost)\s+[$€£]?\s*$",
    re.I,
)
_RULE = re.compile(
    r"\b(?:limit|max\w*|min\w*|least|most|up\s+to|cap\w*|exceed\w*|within|no\s+more|not|threshold|above|below|over|under"
    r"|more|less|fewer|about|around|approximately|roughly|nearly|almost|some|from|between|rose|fell|grew|[a-z]{3,}er(?=\s+than)|or)\b|\+",
    re.I,
)


def _dropped_bound(claim: str, quote: str) -> Iterator[str]:
    """The number itself told of "up to" it; "exactly" told of "about"."""
    for told in numbers_told(claim):
        same = [other for other in numbers_told(quote) if agree_told(told, other)]
        if len(same) != 1 or len(numbers_told(claim)) != 1:
            continue
        ahead = quote[max(0, same[0].start - AHEAD) : same[0].start]
        if _UP_TO.search(ahead) and not _ANY_BOUND.search(claim):
            yield f"The claim says {told.number.text}; the quote says up to {told.number.text}."
        elif _EXACTLY.search(claim[max(0, told.start - AHEAD) : told.start]) and _HEDGED.search(ahead):
            yield f"The claim says exactly {told.number.text}; the quote does not: {quote_label(quote)}."


def _added_bound(claim: str, quote: str) -> Iterator[str]:
    """ "More than 620" told of 620."""
    for told in numbers_told(claim):
        beyond = _BEYOND.search(claim[max(0, told.start - AHEAD) : told.start])
        same = [other for other in numbers_told(quote) if other.value == told.value]
        if beyond and len(same) == 1 and not _RULE.search(clause_around(quote, same[0].start)):
            number = told.number.text
            yield f"The claim says {beyond['way'].lower()} {number}; the quote says {number} itself."


# --- before and after a date

_BEFORE_DATE = re.compile(
    r"(?P<later>\b(?:no|not)\s+later\s+than|\bat\s+the\s+latest\s+on|\buntil|\btill|\bby|\bbefore|\bprior\s+to"
    r"|\bup\s+to|\bends?\s+on|\bended\s+on|\bthrough|\bexpires?\s+on)\s+(?:the\s+)?(?:end\s+of\s+)?$",
    re.I,
)
_AFTER_DATE = re.compile(
    r"(?:\b(?:no|not)\s+(?:earlier|before)(?:\s+than)?|\bfrom|\bsince|\bafter|\bfollowing|\bas\s+of|\bstarting(?:\s+on)?"
    r"|\bbegins?\s+on|\bbeginning(?:\s+on)?)\s+(?:the\s+)?$",
    re.I,
)
_TURNED = re.compile(r"\b(?:not|no\s+longer|never|cannot)\b|n['’]t\b", re.I)


def _swapped_date(claim: str, quote: str) -> Iterator[str]:
    """ "From 31 March" told of "until 31 March"."""
    if _TURNED.search(claim.replace("not later", "")) or _TURNED.search(quote.replace("not later", "")):
        return
    stated = [(mention, _side_of(quote, mention.start)) for mention in dates_in(quote)]
    for mention in dates_in(claim):
        ours = _side_of(claim, mention.start)
        theirs = [side for other, side in stated if set(mention.readings) & set(other.readings)]
        if ours and len(theirs) == 1 and theirs[0] and theirs[0] != ours:
            yield f"The claim says {ours} {mention.text}; the quote says {theirs[0]} it: {quote_label(quote)}."


def _side_of(text: str, place: int) -> str:
    ahead = text[max(0, place - AHEAD) : place]
    if _AFTER_DATE.search(ahead):
        return "after"
    return "before" if _BEFORE_DATE.search(ahead) else ""
