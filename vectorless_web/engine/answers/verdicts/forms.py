"""Yes or no where the form of a rule settles it: reserved to one party, listed as no member of a class, optional."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vectorless_web.engine.answers.meaning.prose import ROLES
from vectorless_web.engine.questions.requirements import ASKS_AT_WILL
from vectorless_web.engine.questions.wordings import FORM, other_wordings
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.numbers import Number, numbers_in
from vectorless_web.engine.text.quantities import SPELLED_NUMBERS


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule says of a question, "Yes", "No, with an exception" or "" for neither, and the sentence that does."""

    word: str
    sentence: str = ""
    told: str = ""
    """What is told under it of a longer text, as the lead-in of a list and one of its items; "" for all of the text."""


def read_form(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """The verdict that the form of a rule gives; None where its words have to be weighed.

    `sentences` are those of the passage, `told` all that is quoted of it. A verdict without a word says that none may
    be given: what is told is about another matter.
    """
    for read in _FORMS:
        if (verdict := read(question, sentences, told)) is not None:
            return verdict
    return None


# --- what a text says of a question's words

_LIGHT = frozenset(
    analyse(
        "get got give given take taken make made use used go gone keep put let want wants need needs allow allowed"
        " permit permitted must possible able still ever even also anyway actually really already please any some"
        " anybody anyone somebody someone anywhere somewhere anything something thing things own else time times case"
        " count counts counted towards ok okay fine right legal whether without way simply just own back away"
        " become became year years old aged age subject herself himself themselves myself yourself itself"
        " never not no none nobody m ve ll re"
    )
)
"""Terms that every rule could say: a question is not about them."""


_OWNER = re.compile(r"(?<=\s)[A-Z][\w&.-]*['’]s?(?:\s+(?:business|company|firm|group))?(?=\s)")
"""Whose thing is asked about, which their own document leaves out: "Is Northwind’s business seasonal"."""


def terms_asked(question: str) -> frozenset[str]:
    """The terms that a question is about."""
    return frozenset(analyse(_OWNER.sub(" ", question))) - _LIGHT


def find_unsaid(question: str, text: str) -> frozenset[str]:
    """The terms a question is about that a text says neither by themselves nor in another form or wording."""
    said = frozenset(analyse(text))
    said |= {term for form in other_wordings(text) if form.weight >= FORM for term in form.terms}
    others = {term for other in other_wordings(question) if said.issuperset(other.terms) for term in other.origin}
    unsaid = terms_asked(question) - said - others
    for match in _ALTERNATIVES.finditer(question):
        either = frozenset(analyse(match.group()))
        # Of things that are put as one, "update, change or modify", one that is said is enough.
        unsaid -= either if either - unsaid else frozenset()
    return unsaid


_ALTERNATIVES = re.compile(r"\b[\w’'-]+(?:, [\w’'-]+)*,? or [\w’'-]+\b", re.IGNORECASE)


def says_most(question: str, text: str) -> bool:
    """Whether a text says two thirds of what a question is about, be it in other words."""
    return 3 * len(find_unsaid(question, text)) <= len(terms_asked(question))


_TRAILING = re.compile(
    r"\b(?:for|in|inside|on|onto|at|into|during|after|before|with|without|through|near|outside|as)"
    r"\s+(?P<matter>(?:[\w’'-]+\s+){0,3}[\w’'-]+)\W*$",
    re.IGNORECASE,
)
"""What narrows a question down at its end: "for my business", "on Mondays"."""


def lacks_matter(question: str, text: str) -> bool:
    """Whether a text leaves out so much of a question that it affirms something else.

    Half of what is asked, or what narrows it down: leave to use a thing is none to use it "for my business".
    """
    asked, unsaid = terms_asked(question), find_unsaid(question, text)
    if asked and 2 * len(unsaid) >= len(asked):
        return True
    if _is_parted(question, text):
        return True
    narrowed = _TRAILING.search(question)
    matter = frozenset(analyse(narrowed["matter"])) - _LIGHT if narrowed else frozenset[str]()
    return bool(matter) and matter <= unsaid


def _is_parted(question: str, text: str) -> bool:
    """Whether "but" stands between two words asked for: "keep their wages but lose the bonus"."""
    sides = re.split(r"(?<![,;])\s+but\s+(?!also\b)", text)
    if len(sides) != 2:
        return False
    first, last = (find_unsaid(question, side) for side in sides)
    return bool(first - last) and bool(last - first)


_ASKS_OWN_LEAVE = re.compile(r"(?:^|[.!?]\s+)(?:and |but |so )?(?:can|may|could|might) (?:i|we)\b", re.IGNORECASE)
_GIVES_LEAVE = re.compile(
    r"\b(?:may|can|could|allow(?:s|ed)?|permit(?:s|ted)?|welcome|entitled|free to|able|possible|available|included"
    r"|covered|offer(?:s|ed)?|open to|right to|at any time|fine|accept(?:s|ed)?|choose|option|optional)\b",
    re.IGNORECASE,
)


def gives_no_leave(question: str, sentence: str) -> bool:
    """Whether one asks for leave of one's own, and a sentence speaks of none: "Lockers are emptied every night"."""
    return bool(_ASKS_OWN_LEAVE.search(question)) and not _GIVES_LEAVE.search(sentence)


_PARTS = re.compile(r"[,;]|\b(?:and|but)\b", re.IGNORECASE)


def denies_other(question: str, sentence: str) -> bool:
    """Whether a sentence denies something else than what is asked: "works alone and is not an employee"."""
    denying = [part for part in _PARTS.split(sentence) if _DENIES.search(part)]
    terms = terms_asked(question)
    return bool(denying and terms) and all(find_unsaid(question, part) == terms for part in denying)


# --- who asks, and for what

_AUXILIARY = (
    r"(?:^|[.!?;,]\s+)(?:and |but |so )?(?:can|could|may|might|must|shall|should|will|would|do|does|did|is|are|was|were"
    r"|has|have|had)(?:n['’]t)?"
)
_SUBJECT = re.compile(
    rf"{_AUXILIARY}\s+(?!(?:i|we|you|he|she|it|they|there|this|that|these|those|one)\b)"
    r"(?P<subject>(?:(?:the|an?|our|my|their|your|its|his|her)\s+)?[\w’'-]+(?:\s+[\w’'-]+)?)",
    re.IGNORECASE,
)
_LEAVE = re.compile(
    r"(?:^|[.!?;,]\s+)(?:and |but |so )?(?:can|could|may|might)(?:n['’]t)?\s"
    r"|\b(?:allowed|permitted|entitled|free|right) to\b",
    re.IGNORECASE,
)
_DUTY = re.compile(
    rf"{_AUXILIARY}\s[^?]*\b(?:have to|has to|had to|need(?:s|ed)? (?:to|an?|any)|required|obliged|compulsory"
    r"|mandatory|necessary)\b|(?:^|[.!?;,]\s+)(?:and |but |so )?must\s",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:not|never|no|none|nobody|cannot|neither|nor)\b|n['’]t\b", re.IGNORECASE)
_EXCEPTS = re.compile(r"\b(?:unless|except\w*|however|other than|apart from|does not apply)\b", re.IGNORECASE)


def _subject_of(question: str) -> frozenset[str]:
    """The terms of the one of whom a question is asked, as far as it names somebody."""
    match = _SUBJECT.search(question)
    return frozenset(analyse(match["subject"])[:2]) if match else frozenset()


def _with_exception(word: str, sentence: str) -> Verdict:
    return Verdict(f"{word}, with an exception" if _EXCEPTS.search(sentence) else word, sentence)


# --- "Events not considered to be X are: ..."

_NO_MEMBERS = re.compile(
    r"\b(?:not|never)\s+(?:be\s+)?(?:considered|treated|counted|regarded|deemed|classed|classified|seen|viewed|rated"
    r"|recorded|reported)(?:\s+(?:as|to be))?\s+(?P<kind>[^:;.]{3,60}?)\s*"
    r"(?::|\b(?:are|is|include|includes)\b[^.;]{0,40}?:)\s*(?P<items>.+)",
    re.IGNORECASE | re.DOTALL,
)
_ITEM = re.compile(r"\s*(?:[;\n•▪●]|\s[–-]\s|\.\s+(?=[A-Z•-])|\bor\b(?=\s*[;\n])|\band\b(?=\s*[;\n]))+\s*")
_BENDS_ITEM = re.compile(r"\W*(?:however|but|although|unless|except|this does not)\b", re.IGNORECASE)


def _read_class(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """No for a thing that is listed as no member of the class that it is asked to be one of."""
    match = _NO_MEMBERS.search(told)
    kind = frozenset(analyse(match["kind"])) - _LIGHT if match else frozenset[str]()
    if match is None or not kind or _DENIES.search(question.rpartition(". ")[2]):
        return None
    unsaid = find_unsaid(question, match["kind"])
    asked, matter = terms_asked(question), unsaid - _REPORTING
    if unsaid == asked or not matter:
        return None
    items = _items_of(match)
    said = [
        (0 if _BENDS_ITEM.match(item) else len(matter - find_unsaid(question, item)), place, item)
        for place, item in enumerate(items)
    ]
    most = max((count for count, _, _ in said), default=0)
    best = [(place, item) for count, place, item in said if count == most]
    if not most or len(best) > 1:
        return Verdict("")
    place, item = best[0]
    own = frozenset(analyse(item))
    following = items[place + 1 : place + 2]
    bending = [
        other
        for other in items
        if _BENDS_ITEM.match(other)
        and (own & set(analyse(other)) or (other in following and not _repeats_any(other, items)))
    ]
    is_bent = bending or _EXCEPTS.search(item) or re.search(r",\s*(?:although|but)\b", item)
    lead = told[: match.start("items")].strip()
    return Verdict(
        "No, with an exception" if is_bent else "No",
        told=f"{lead} {'. '.join(one.strip(' .') for one in (item, *bending))}.",
    )


def _repeats_any(text: str, items: Sequence[str]) -> bool:
    """Whether what bends one item names which: it has a word of an item."""
    return any(set(analyse(text)) & set(analyse(item)) for item in items if not _BENDS_ITEM.match(item))


_REPORTING = frozenset(analyse("report reported reportable consider considered treat treated regard regarded deem"))


def _items_of(match: re.Match[str]) -> list[str]:
    return [item for item in _ITEM.split(match["items"]) if item and analyse(item)]


# --- "Only the Buyer may ..."

_HAS_LEAVE = (
    r"(?:may|can|shall|decides?|has (?:the|a) right|(?:is|are) (?:entitled|allowed|permitted|authori[sz]ed|admitted))\b"
)
_RESERVED = re.compile(
    rf"\bonly (?P<who>(?-i:(?:the|an?|our|your) )?[^,;:.]{{2,50}}?) {_HAS_LEAVE}"
    rf"|(?:^|[.;:,]\s*)(?P<alone>[^,;:.]{{2,50}}?) alone {_HAS_LEAVE}",
    re.IGNORECASE,
)


def _read_reserved(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Yes for the one to whom alone a rule gives leave, no for another party."""
    if not _LEAVE.search(question) or _DUTY.search(question) or _DENIES.search(question):
        return None
    refused = _NO_SUCH_RIGHT.search(told)
    if refused and _subject_of(question) & set(analyse(refused["other"])) and not lacks_matter(question, told):
        return Verdict("No", next((one for one in sentences if _NO_SUCH_RIGHT.search(one)), ""))
    for sentence in sentences:
        match = _RESERVED.search(sentence)
        if match is None:
            continue
        holder = match["who"] or match["alone"]
        who, subject = frozenset(analyse(holder)), _subject_of(question)
        if not who and _is_asked_of_self(question) and not lacks_matter(question, sentence):
            return Verdict("Yes" if holder.strip().lower() == "you" else "No", sentence)
        unsaid = find_unsaid(question, sentence) - subject
        is_about = 2 * len(unsaid) <= max(1, len(terms_asked(question)) - 1)
        if not is_about or not who:
            continue
        if who <= frozenset(analyse(question)):
            return Verdict("Yes", sentence)
        kind = analyse(holder)[-1]
        if kind in analyse(question) and kind not in subject:
            return Verdict("No, with an exception", sentence)
        is_one = bool(re.match(r"\W*(?:the|our|your)\b", holder, re.IGNORECASE))
        return Verdict("No" if subject and is_one and not _may_be(subject, who) else "", sentence)
    return None


_NO_SUCH_RIGHT = re.compile(
    r"\bthe (?P<other>[\w’-]+(?: [\w’-]+)?) (?:has|have|had) no"
    r" (?:corresponding|such|similar|equal|equivalent|like) right",
    re.IGNORECASE,
)


def _is_asked_of_self(question: str) -> bool:
    return bool(re.search(rf"{_AUXILIARY}\s+i\b", question, re.IGNORECASE))


_DOER = re.compile(r"\b(?:may|can|shall|must|will|is|are|has|have|had)\b", re.IGNORECASE)


def is_of_other_party(question: str, sentence: str) -> bool:
    """Whether a question asks of one party, as the seller, what a sentence says of the one against them."""
    parties = frozenset[str]().union(*(mine for mine, _ in _sides()))
    subject, verb = _subject_of(question) & parties, _DOER.search(sentence)
    if not subject or verb is None or subject & set(analyse(sentence)):
        return False
    doer = frozenset(analyse(re.split(r"[,;:]", sentence[: verb.start()])[-1]))
    return any(subject & mine and doer & theirs and not doer & mine for mine, theirs in _sides())


def _may_be(subject: frozenset[str], who: frozenset[str]) -> bool:
    """Whether two names may be of the same party."""
    return bool(subject & who) or any(
        set(other.terms) <= who for term in subject for other in other_wordings(term) if other.origin
    )


# --- "Did anybody ...?"

_ASKS_SOMEBODY = re.compile(
    rf"{_AUXILIARY}\s+(?:anybody|anyone|somebody|someone|any"
    r" (?:member|director|trustee|owner|councillor|shareholder|player|pupil|employee|resident"
    r"|person|of (?:them|us))s?)\b",
    re.IGNORECASE,
)
_VOTES = re.compile(
    r",?\s*(?:by )?(?:\w+ votes? to \w+(?:, with [^,.;]*abstentions?(?: \([^)]*\))?)?|unanimously|without (?:dissent"
    r"|opposition|a vote against)|with (?:no|\w+) abstentions?(?: \([^)]*\))?|nem\.? con\.?)",
    re.IGNORECASE,
)
"""How votes are counted, which denies nothing: "by five votes to none"."""


def without_votes(text: str) -> str:
    """A text without the counts of votes."""
    return _VOTES.sub(" ", text)


def _read_somebody(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Yes where a sentence says of somebody what is asked of anybody; no verdict from one about another matter."""
    if not _ASKS_SOMEBODY.search(question) or _LEAVE_TO_BE_GIVEN.search(question):
        return None
    nobody = next((one for one in sentences if (m := _NOBODY.search(one)) and not _acts_unsaid(question, m[0])), "")
    if nobody and 2 * len(find_unsaid(question, told)) <= len(terms_asked(question)):
        return Verdict("No", nobody)
    ranked = sorted(sentences, key=lambda one: len(find_unsaid(question, without_votes(one))))
    if not ranked or 2 * len(find_unsaid(question, without_votes(ranked[0]))) > len(terms_asked(question)):
        return Verdict("")
    bare = without_votes(ranked[0])
    if _acts_unsaid(question, bare):
        return Verdict("")
    if _STAYS_OUT.search(question):
        bare = _TOOK_NO_PART.sub(" ", bare)
    return Verdict("No" if _DENIES.search(bare) else "Yes", ranked[0])


_NOBODY = re.compile(
    r"\b(?:nobody|no one|no-one)\s+(?:was|were|is|has|had)\s+(?:been\s+)?(?:\w+ly\s+)?\w+", re.IGNORECASE
)
"""How a sentence says that what is asked of anybody is true of none, whatever the sentence before it tells."""


_STAYS_OUT = re.compile(
    r"\b(?:stay|keep|kept|sit|sat|leave|left|step|bow)\w* (?:\w+ )?(?:out|away|off|before)\b"
    r"|\b(?:abstain|recuse|withdr)\w*",
    re.IGNORECASE,
)
_TOOK_NO_PART = re.compile(
    r"\b(?:took|taking|takes|take) no part\b|\b(?:did|does|do) not (?:take part|vote|attend|participate)\b"
    r"|\bnot (?:present|in the room)\b",
    re.IGNORECASE,
)
"""A denial by which a text says that somebody stayed out of a thing."""


_LEAVE_TO_BE_GIVEN = re.compile(r"^\W*(?:can|could|may|must|shall|should)\b", re.IGNORECASE)


def _acts_unsaid(question: str, sentence: str) -> bool:
    """Whether a sentence does not say the act, which stands first behind the one of whom it is asked."""
    behind = _ASKS_SOMEBODY.split(question)[-1]
    act = [term for term in analyse(behind) if term not in _LIGHT][:1]
    return bool(set(act) & find_unsaid(question, sentence))


# --- "If the landlord does not answer, consent is deemed to be given"

_CASE_AHEAD = re.compile(
    r"^\W*(?:\d[\d.]*\s+)?(?:if|when|where|once)\b(?P<case>[^,;]{6,160}),\s*(?P<rule>.+)$", re.IGNORECASE | re.DOTALL
)
_AGREES = re.compile(
    r"\b(?:accepted|agreed|approved|granted|given|confirmed|binding|bound|binds|in force|valid|effective)\b",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\b(?:refused|rejected|declined|withdrawn|void|lapse[sd]?|cancelled|invalid|forfeited)\b", re.IGNORECASE
)
_TREATED = re.compile(r"\b(?:treated|deemed|considered|regarded|counts?|taken|becomes?|is|are)\b", re.IGNORECASE)
_ASKS_AGREED = re.compile(
    r"\b(?:count(?:s|ed)? as (?:a |an )?(?:yes|acceptance|consent|agreed|approval)|bind(?:s|ing)?|bound|accepted|agreed"
    r"|approved|valid|stand|in force|go(?:es)? through|a deal|granted|given|effective)\b",
    re.IGNORECASE,
)


def _read_case(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """What a rule makes of the case that is told ahead of the question: accepted, or refused."""
    case, _, asked = question.strip().rpartition(". ")
    if not case or not _ASKS_AGREED.search(asked) or _DENIES.search(asked):
        return None
    for place, sentence in enumerate(sentences):
        match = _CASE_AHEAD.match(sentence)
        if match is None or not _TREATED.search(match["rule"]):
            continue
        around = f"{sentences[place - 1]} {sentence}" if place else sentence
        if bool(_DENIES.search(match["case"])) is not bool(_DENIES.search(case)):
            continue
        if len(find_unsaid(case, around)) * 2 > len(terms_asked(case)):
            continue
        rule = match["rule"].partition("unless")[0]
        if _AGREES.search(rule) and not _DENIES.search(rule):
            return Verdict(_with_exception("Yes", told).word, sentence)
        if _REFUSED.search(rule) and not _DENIES.search(rule):
            return Verdict(_with_exception("No", told).word, sentence)
    return None


# --- "Will they ever ...?"

_ASKS_EVER = re.compile(
    r"\b(?:ever|eventually|at some (?:point|stage)|in the end|sooner or later|later on)\b", re.IGNORECASE
)
_WILL_GET = re.compile(
    r"\b(?:will|shall|may|can|are|is) (?:then |also |later )?(?:be )?(?:given|offered|allowed|granted|permitted|invited"
    r"|able|free)\b(?P<what>[^.;]*)",
    re.IGNORECASE,
)


def _read_ever(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Yes where a later sentence gives what is asked for at any time, though an earlier one denies it for a time."""
    if not _ASKS_EVER.search(question) or _DENIES.search(question):
        return None
    for sentence in sentences:
        match = _WILL_GET.search(sentence) or _THEN_MAY.search(sentence)
        if match is None or _DENIES.search(sentence) or lacks_matter(question, told):
            continue
        return Verdict("Yes", sentence)
    return Verdict("") if any(_FOR_A_TIME.search(one) and _DENIES.search(one) for one in sentences) else None


_THEN_MAY = re.compile(
    r"^\W*(?:afterwards|after (?:that|this)|then|later|from then on|from the \w+ \w+ on|once\b[^,]*,|thereafter)\b"
    r"[^.;]*\b(?:may|can|will)\b",
    re.IGNORECASE,
)
_FOR_A_TIME = re.compile(r"\b(?:first|until|before|during|initial|trial)\b", re.IGNORECASE)


# --- "at no cost"

_GRATIS = re.compile(
    r"\b(?:at no (?:\w+ )?(?:cost|charge)|free of charge|(?:for|is|are) free\b(?! of (?!charge))"
    r"|included in the (?:\w+ )?(?:fee|price|rent|fare|cost)"
    r"|(?:enter|visit|travel|ride|stay|park|swim|camp)s? (?:for )?free|free (?:entry|admission|of charge|tickets?)"
    r"|without (?:charge|payment)|no (?:charge|fee|cost)|costs? nothing|not (?:be )?charged)\b",
    re.IGNORECASE,
)
_ASKS_GRATIS = re.compile(
    r"\b(?:without (?:paying|having to pay|charge)|for free|for nothing|free of charge|at no (?:cost|charge)"
    r"|gratis)\b|\b(?:is|are) .{2,40} free\W*$|\b(?:a|any|get) free (?!to\b|of\b)",
    re.IGNORECASE,
)
_ASKS_PRICE = re.compile(
    r"\b(?:have to|need to|must|will|do|does) (?:\w+ ){0,3}(?:pay|cost|charged?)\b"
    r"|\b(?:have to|need to|must) (?:buy|get|have) (?:an? |the |entry )?tickets?\b"
    r"|\bis there (?:a|any) (?:fee|charge|cost)\b",
    re.IGNORECASE,
)


def _read_gratis(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """What costs nothing is to be had without paying, and need not be paid for."""
    is_free, is_price = _ASKS_GRATIS.search(question), _ASKS_PRICE.search(question)
    if not (is_free or is_price) or _DENIES.search(question):
        return None
    bare = _ASKS_GRATIS.sub(" ", question)
    if is_free and not _GRATIS.search(told):
        paid = next((one for one in sentences if _PRICED.search(one) and not lacks_matter(bare, one)), "")
        return Verdict("No" if paid and not _DENIES.search(paid) else "", paid)
    for sentence in sentences:
        match = _GRATIS.search(sentence)
        if match is None or _DENIES.search(_GRATIS.sub(" ", sentence)):
            continue
        if find_unsaid(bare, sentence) - _PAYING and lacks_matter(bare, sentence):
            continue
        return Verdict(f"{'Yes' if is_free else 'No'}{_on_condition(sentence)}", sentence)
    return None


_PRICED = re.compile(r"\b(?:pays?|paid|costs?|charged?|fee|hired?|rented)\b[^.;]*\d|[$€£¥]\s?\d", re.IGNORECASE)
_PAYING = frozenset(analyse("extra pay paying paid charge fee cost money buy get ticket"))
_IF = re.compile(r"(?<!even )\b(?:if|provided|on condition|as long as|only)\b", re.IGNORECASE)


def _on_condition(sentence: str) -> str:
    return ", on a condition" if _IF.search(sentence) else ""


# --- "To buy a van. Lost, 3 for, 4 against."

_ASKS_VOTE = re.compile(
    r"\b(?:(?P<yes>go[- ]ahead|green light|approv\w+|accept\w*|adopt\w*|agree[d]?(?: to| on)?|carried|pass(?:ed)?"
    r"|get through|got through|waved through)|(?P<no>turned down|voted down|reject\w*|refuse[d]?|defeated|lost))\b",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"(?:^|[.:;]\s+)(?:(?P<no>lost|defeated|rejected|refused|not (?:carried|approved|agreed|passed))"
    r"|(?P<yes>carried|passed|approved|agreed|adopted|accepted))\b(?=\s*(?:[,.;:(]|unanimously|by\b|with\b|\d|$))",
    re.IGNORECASE,
)


def _read_vote(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """What became of a motion whose minutes give the result in a word."""
    asked, results = _ASKS_VOTE.search(question), list(_RESULT.finditer(told))
    if asked is None or len(results) != 1 or _DENIES.search(question) or _LEAVE.search(question):
        return None
    moved = told[: results[0].start()]
    if len(find_unsaid(_ASKS_VOTE.sub(" ", question), moved)) > len(terms_asked(question)) // 2:
        return None
    return Verdict("Yes" if bool(results[0]["yes"]) == bool(asked["yes"]) else "No")


# --- "suggested ..., which was rejected"

_PROPOSES = re.compile(
    r"\b(?:suggest(?:s|ed)|propos(?:es|ed)|request(?:s|ed)|asked (?:for|to|that|whether)|applied (?:for|to)"
    r"|moved that|discussed|(?:an?|the) (?:proposal|suggestion|request|application|idea|motion))\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:proposal|suggestion|request|application|idea|motion|this|that|it|board|committee|council|meeting|trustees"
    r"|members)\b[^.;]*?\b(?:(?P<no>rejected|refused|declined|defeated|dismissed|withdrawn|(?:turned|voted) down)"
    r"|(?P<yes>accepted|approved|agreed|carried|adopted|granted|passed))\b",
    re.IGNORECASE,
)


_TO_DO_SO = re.compile(
    r"\s+to (?:(?P<grants>(?:grant|allow|permit|accept|approve|support|adopt|do (?:so|this|it))\b)"
    r"|(?P<keeps>(?:keep|maintain|retain|continue|uphold) (?:[\w’'-]+ ){1,4}?(?:ban|prohibition|restriction|rule)\b)"
    r"|\w)",
    re.IGNORECASE,
)
"""What was agreed to be done about a proposal, which may be no consent: "agreed to keep the present ban"."""


def _read_proposal(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """What became of a thing that was only proposed: decided upon in the same or the next sentence, else open."""
    if _PROPOSES.search(question) or _DENIES.search(question) or _DECIDED.search(question) or _LEAVE.search(question):
        return None
    for place, sentence in enumerate(sentences):
        match = _PROPOSES.search(sentence)
        if match is None or lacks_matter(question, sentence) or not says_most(question, sentence):
            continue
        following = sentences[place + 1] if place + 1 < len(sentences) else ""
        decided = _DECIDED.search(sentence[match.start() :]) or _DECIDED.search(following)
        if decided is None or _DENIES.search(decided.group()):
            return Verdict("")
        deed = _TO_DO_SO.match(decided.string, decided.end())
        if decided["yes"] and deed and not deed["grants"]:
            return Verdict("No" if deed["keeps"] else "", sentence)
        return Verdict("No" if decided["no"] else "Yes", sentence)
    return None


_KEEPS_BAN = re.compile(
    r"\b(?:ke[ep]pt?|retain(?:s|ed)?|maintain(?:s|ed)?|continued?|uph[eo]ld) [^.;]{0,30}?\b(?:ban|prohibition)\b",
    re.IGNORECASE,
)


def _read_kept_ban(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Asked for leave: that a ban on the thing stays, as in "It was agreed to keep the ban, except for guide dogs"."""
    match = _KEEPS_BAN.search(told)
    if match is None or not _LEAVE.search(question) or _DENIES.search(question) or lacks_matter(question, told):
        return None
    sentence = next((each for each in sentences if match.group() in each), "")
    return Verdict("No, with an exception" if _EXCEPTS.search(sentence) else "No", sentence)


# --- "... was considered and was ruled out"

_ASKS_BLAME = re.compile(
    r"\b(?:to blame|at fault|responsible|(?:the|a|one) (?:[\w’'-]+ )?(?:cause|factor|reason)"
    r"|(?:play|have|had) a (?:part|role)|cause|contribute(?: to)?|behind (?:it|this|that|the \w+))\b"
    r"(?: (?:for|in|of|to) (?:(?:the|this|that) )?[\w’'-]+\W*$)?",
    re.IGNORECASE,
)
_RULED_OUT = re.compile(
    r"\b(?:ruled out|discounted|eliminated|excluded as|found no evidence (?:of|that)|no evidence (?:of|that)"
    r"|(?:was|were|is|are) not (?:a|regarded as a|considered (?:to be )?a) (?:factor|cause)|played no part"
    r"|not regard [^.;]{1,40} as a (?:factor|cause))\b",
    re.IGNORECASE,
)


def _read_ruled_out(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Asked whether a thing was to blame: that it was looked into and ruled out."""
    asked = _ASKS_BLAME.search(question)
    if asked is None or not _RULED_OUT.search(told) or _DENIES.search(question):
        return None
    if lacks_matter(_ASKS_BLAME.sub(" ", question), told):
        return None
    return Verdict("No", next((each for each in sentences if _RULED_OUT.search(each)), ""))


# --- "Anyone aged twelve or over"

_AGE_ASKED = re.compile(r"\b(?P<age>\d{1,2}|[a-z]{3,9})[\s-]years?[\s-]olds?\b", re.IGNORECASE)
_AGE_TOLD = re.compile(
    r"\b(?:(?P<below>under|below|younger than|not yet)|(?P<above>over|above|older than|at least|from))\s+"
    r"(?:the age of\s+)?(?P<bound>\d{1,2}|[a-z]{3,9})\b"
    r"(?!\s*(?:%|[:.]\d|minutes|hours|days|weeks|months|per|euros|dollars|pounds|metres))"
    r"|\b(?P<number>\d{1,2}|[a-z]{3,9})(?: years(?: of age| old)?)? (?:and|or)"
    r" (?P<side>over|older|above|under|younger|below)\b",
    re.IGNORECASE,
)


def _read_age(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Whether somebody of an age has leave, by the one bound of ages in a sentence that settles it."""
    asked = _AGE_ASKED.search(question)
    age = _age_of(asked["age"]) if asked else None
    if age is None or not _LEAVE.search(question) or _DENIES.search(question):
        return None
    for sentence in sentences:
        if (within := _read_range(question, age, sentence)) is not None:
            return within
        bounds = [
            (match, _is_below(match), bound)
            for match in _AGE_TOLD.finditer(sentence)
            if (bound := _age_of(match["bound"] or match["number"])) is not None
        ]
        if len(bounds) != 1 or lacks_matter(_AGE_ASKED.sub(" ", question), sentence):
            continue
        match, is_below, bound = bounds[0]
        is_strict = bool(match["below"] or match["above"]) and (match["above"] or "").lower() not in (
            "at least",
            "from",
        )
        holds = (
            (age < bound or (age == bound and not is_strict))
            if is_below
            else (age > bound or (age == bound and not is_strict))
        )
        if _DENIES.search(sentence):
            return Verdict("No" if holds else "", sentence)
        if _BINDS.search(sentence):
            return Verdict("")
        return Verdict("Yes" if holds else "No", sentence)
    return None


_AGE_RANGE = re.compile(
    r"\b(?:aged?|ages|between) (?:of )?(?P<low>\d{1,2}|[a-z]{3,9}) (?:to|and|–|-) (?P<high>\d{1,2}|[a-z]{3,9})\b",
    re.IGNORECASE,
)


def _read_range(question: str, age: int, sentence: str) -> Verdict | None:
    """Leave for an age within the one range of ages that a sentence gives it to: "Children aged 8 to 12 may swim"."""
    match = _AGE_RANGE.search(sentence)
    bounds = [_age_of(match[name]) for name in ("low", "high")] if match else []
    if not bounds or None in bounds or not _LETS.search(sentence) or _DENIES.search(sentence):
        return None
    if lacks_matter(_AGE_ASKED.sub(" ", question), sentence):
        return None
    low, high = (bound or 0 for bound in bounds)
    return Verdict(f"Yes{_on_condition(sentence)}", sentence) if low <= age <= high else Verdict("")


def _is_below(match: re.Match[str]) -> bool:
    """Whether the ages meant lie below the bound."""
    return bool(match["below"]) or (match["side"] or "").lower() in ("under", "younger", "below")


def _age_of(written: str) -> int | None:
    number = int(written) if written.isdigit() else SPELLED_NUMBERS.get(written.lower())
    return None if number is None else int(number)


# --- "just because it wants to"


def _read_whim(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """No verdict from leave that is given under a condition, where it is asked for without any."""
    if not ASKS_AT_WILL.search(question) or _DENIES.search(question):
        return None
    rules = [one for one in sentences if _LETS.search(one)]
    return Verdict("") if rules and all(_IF.search(one) for one in rules) else None


# --- "as many as planned"

_ASKS_GOAL = re.compile(
    r"\bas (?:many|much|high|low|fast|often)\b[^?]*\bas\b[^?]*\b(?:set out|plan\w*|aim\w*|intended|hoped|wanted"
    r"|promised|budget\w*|target\w*|expected|supposed|asked|requested|applied)\b"
    r"|\b(?:more|less|fewer|higher|lower)\b[^?]*\bthan\b[^?]*\b(?:plan\w*|aim\w*|intended|hoped|expected|budget\w*"
    r"|target\w*|set aside)\b"
    r"|\b(?:reach|meet|met|hit|achieve|exceed|beat|stay within|keep to)\w* (?:its|their|the|our) (?:\w+ )?"
    r"(?:goal|target|budget|aim|plan)\b",
    re.IGNORECASE,
)
_ASKS_LESS = re.compile(r"\b(?:less|fewer|lower|as low|stay within|keep to)\b", re.IGNORECASE)
_GOAL_WORD = (
    r"(?:goals?|targets?|targeted|budget(?:ed)?|aim(?:ed)?|plan(?:ned)?|supposed|expected|forecast|set aside|hoped"
    r"|asked for|requested|applied for)"
)
_GOAL_AHEAD = re.compile(rf"\b{_GOAL_WORD}\b[^.;\d]{{0,60}}$", re.IGNORECASE)
_GOAL_BEHIND = re.compile(rf"[^.;,\d]{{0,30}}\b{_GOAL_WORD}\b", re.IGNORECASE)


def _read_goal(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Whether the one figure told besides that of a goal reaches it; None where these two are not all that is told."""
    if not _ASKS_GOAL.search(question) or _DENIES.search(question):
        return None
    best = min(sentences, key=lambda one: (len(find_unsaid(question, one)), -len(one)), default="")
    if _DENIES.search(best):
        return None
    reached = _reach_goal(question, best) or (None if _DENIES.search(told) else _reach_goal(question, told))
    return reached or (None if _REACHED.search(best) else Verdict(""))


_REACHED = re.compile(
    r"\b(?:met|reached|exceeded|achieved|surpassed|beaten|missed|kept to|on target|short of|ahead of|behind)\b",
    re.IGNORECASE,
)
"""How a text says in words whether a goal was reached."""


def _reach_goal(question: str, told: str) -> Verdict | None:
    numbers = [number for number in numbers_in(told) if not _is_year(number)]
    goals = [number for number in numbers if _GOAL_AHEAD.search(told[: number.start])]
    goals = goals or [number for number in numbers if _GOAL_BEHIND.match(told[number.end :])]
    if len(goals) != 1:
        return None
    goal = goals[0]
    others = [
        n
        for n in numbers
        if n is not goal
        and (n.currency, n.percent) == (goal.currency, goal.percent)
        and not _BEFORE.search(told[n.end : n.end + 40].partition(",")[0].partition(".")[0])
    ]
    if len(others) != 1:
        return None
    actual = others[0]
    is_kept = actual.value <= goal.value if _ASKS_LESS.search(question) else actual.value >= goal.value
    return Verdict("Yes" if is_kept else "No", told)


def _is_year(number: Number) -> bool:
    return not number.currency and not number.percent and bool(re.fullmatch(r"(?:19|20)\d\d", number.text.strip()))


# --- "41, compared with 63 last year"

_ASKS_MORE = re.compile(r"\b(?P<side>more|higher|larger|less|fewer|lower|smaller)\b[^?]*\bthan\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:compared (?:with|to)|as against|against|up from|down from|after|instead of|than)\b", re.IGNORECASE
)
_BEFORE = re.compile(r"\b(?:last|previous|prior|earlier) (?:year|season|month|quarter|term|time)\b", re.IGNORECASE)


def _read_more(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Which of two figures that a sentence puts against each other is more; that it is about them settles nothing."""
    asked = _ASKS_MORE.search(question)
    if asked is None or _DENIES.search(question) or not _BEFORE.search(question):
        return None
    best = min(sentences, key=lambda one: (len(find_unsaid(question, one)), -len(one)), default="")
    link = _COMPARES.search(best)
    if link is None or not _BEFORE.search(best[link.end() :]) or _DENIES.search(best):
        return None
    now, then = (
        [n for n in numbers_in(part) if not _is_year(n)] for part in (best[: link.start()], best[link.end() :])
    )
    if len(now) != 1 or len(then) != 1 or now[0].value == then[0].value:
        return Verdict("")
    is_more = now[0].value > then[0].value
    return Verdict("Yes" if is_more is (asked["side"].lower() in ("more", "higher", "larger")) else "No", best)


# --- "is optional"

_NO_DUTY = re.compile(
    r"\b(?:optional|voluntary|unnecessary|recommended|advisable|encouraged)\b|\bneed(?:s)? not\b|\bneedn['’]t\b"
    r"|\bnot (?:\w+ly )?(?:required|needed|necessary|obliged|compulsory|mandatory)\b"
    r"|\bno (?:\w+ )?(?:is|are) (?:required|needed|necessary)\b|\b(?:do|does|did|will) not (?:need|have) to\b",
    re.IGNORECASE,
)
_BINDS = re.compile(
    r"\b(?:must|shall|required|requires?|obliged|compulsory|mandatory|necessary|has to|have to|had to|needs? to|needs?"
    r"|needed|responsible|bound|is to|are to)\b",
    re.IGNORECASE,
)
_LETS = re.compile(r"\b(?:may|can|could|allowed|permitted)\b", re.IGNORECASE)


def _read_duty(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Asked for a duty, what is optional is none, what another party does is none, and leave alone settles nothing."""
    if not _DUTY.search(question) or _DENIES.search(question):
        return None
    ranked = sorted(sentences, key=lambda one: len(find_unsaid(question, one)))
    if not ranked:
        return None
    clauses = [clause for clause in _PARTS.split(ranked[0]) if analyse(clause)]
    best = min(clauses or [ranked[0]], key=lambda one: len(find_unsaid(question, one)))
    if len(find_unsaid(question, best)) > len(find_unsaid(question, ranked[0])):
        best = ranked[0]
    subject = _subject_of(question)
    for sentence in ranked:
        if subject and find_unsaid(question, sentence) <= subject and _is_of_other_party(subject, sentence):
            return Verdict("No", sentence)
    if 2 * len(find_unsaid(question, best)) >= len(terms_asked(question)):
        return None
    if _NO_DUTY.search(best) and not _BINDS.search(_NO_DUTY.sub(" ", best)):
        return Verdict(_with_exception("No", ranked[0]).word, ranked[0])
    is_leave = _LETS.search(best) and not _BINDS.search(best) and not _DENIES.search(best)
    return Verdict("") if is_leave else None


def _is_of_other_party(subject: frozenset[str], sentence: str) -> bool:
    """Whether a sentence begins with the party that stands against the one asked about: landlord and tenant."""
    first = frozenset(analyse(sentence)[:2])
    return any(subject & mine and first & theirs and not first & mine for mine, theirs in _sides())


def _sides() -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    for one, two in ROLES:
        first, second = frozenset(analyse(one)), frozenset(analyse(two))
        yield first, second
        yield second, first


# --- "A card is not sufficient"

_ASKS_ENOUGH = re.compile(
    r"\b(?:ok(?:ay)?|all right|alright|fine|enough|sufficient|suffice|just|simply|only|accept\w*|valid|count|do)\b"
    r"|(?:^|[.!?;,]\s+)(?:and |but |so )?(?:can|may|could) (?:i|we|you|one)\b",
    re.IGNORECASE,
)
_ENOUGH = re.compile(
    r"^\W*(?:\d[\d.]*\s+)?(?P<way>[^,;:.]{2,60}?) (?:is|are|shall be|will be|does|do)(?P<no> not)?"
    r" (?:sufficient|enough|suffice|accepted|acceptable|valid|adequate)\W*$",
    re.IGNORECASE,
)


def _read_enough(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Whether a way that is asked for is enough, by a sentence that says so of it and nothing else."""
    if not _ASKS_ENOUGH.search(question) or _DENIES.search(question) or _ALTERNATIVES.search(question):
        return None
    if 2 * len(find_unsaid(question, told)) > len(terms_asked(question)):
        return None
    for sentence in sentences:
        match = _ENOUGH.match(sentence)
        ways = re.split(r"\bor\b|\band\b|\bnor\b", match["way"]) if match else []
        if match is None or not any(terms_asked(question) & frozenset(analyse(way)) for way in ways):
            continue
        is_denied = bool(match["no"] or _DENIES.search(match["way"]))
        if is_denied or not lacks_matter(question, told):
            return Verdict("No" if is_denied else "Yes", sentence)
    return None


# --- "Day tickets are not included"

_ASKS_PART = re.compile(
    r"\b(?:appl(?:y|ies)|works?|cover(?:s|ed)?|includ\w*|counts?|valid|holds?|extends?|entitle[sd]?|eligible|qualif\w*"
    r"|insured|part of|affect(?:s|ed)?|go(?:es)? for)\b",
    re.IGNORECASE,
)
_IS_PART = re.compile(
    r"^\W*(?:\d[\d.]*\s+)?(?P<what>[^,;:.]{2,50}?) (?:is|are|was|were)(?P<no> not)?"
    r" (?:included|covered|part of (?:it|this|them)|eligible|affected|insured|counted)\W*$",
    re.IGNORECASE,
)


def _read_part(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """Whether a rule holds for a thing, by a short sentence behind the rule that takes it in or leaves it out."""
    if not _ASKS_PART.search(question) or _DENIES.search(question) or lacks_matter(question, told):
        return None
    for sentence in sentences:
        match = _IS_PART.match(sentence)
        what = frozenset(analyse(match["what"])) if match else frozenset[str]()
        if match is None or not what or not what <= frozenset(analyse(question)):
            continue
        is_denied = bool(match["no"] or _DENIES.search(match["what"]))
        return Verdict("No" if is_denied else "Yes", sentence)
    return None


# --- "A cold is no ground for refusal"

_ASKS_SHUT_OUT = re.compile(
    r"\b(?:rul(?:e|es|ed|ing)|shut(?:s|ting)?|keep(?:s|ing)?|leav(?:e|es|ing)|kept)"
    r" (?:me|us|him|her|them|you|one|it) out\b"
    r"|\b(?:exclude|disqualif|debar)\w*|\b(?:stop|prevent|bar|keep)s? (?:me|us|him|her|them|you|one|it) from\b",
    re.IGNORECASE,
)
_NO_GROUND = re.compile(
    r"\b(?:is|are)(?: themselves| itself)? (?P<no>not|no)(?: an?)?"
    r" (?:reasons?|grounds?|causes?|bars?|obstacles?)(?: (?:for|of|to) (?:an? )?[\w’'-]+)?\W*$"
    r"|\b(?:does|do) (?P<not>not) (?:exclude|disqualify|prevent|bar|rule out)\b",
    re.IGNORECASE,
)


def _read_shut_out(question: str, sentences: Sequence[str], told: str) -> Verdict | None:
    """No, asked whether a thing shuts somebody out, of which a sentence says that it is no reason for it."""
    if not _ASKS_SHUT_OUT.search(question) or _DENIES.search(question):
        return None
    asked = terms_asked(_ASKS_SHUT_OUT.sub(" ", question))
    for sentence in sentences:
        match = _NO_GROUND.search(sentence)
        if match and asked and 2 * len(find_unsaid(question, sentence) & asked) <= len(asked):
            return Verdict("No", sentence)
    return None


# --- what no such sentence settles

_ASKS_TOO = re.compile(r"\b(?:far |much |a bit )?too (?!late\b|\W*$)[a-z]+\b", re.IGNORECASE)
_JUDGES = re.compile(
    r"\btoo\b|\b(?:exceed\w*|excess\w*|above|below|within|beyond|over|under|(?<!no )(?:more|less) than|(?:higher|lower"
    r"|faster|slower|greater|smaller|longer|shorter|later|earlier) than|adequate\w*|inadequate\w*|sufficient\w*"
    r"|insufficient\w*|enough|acceptable|normal\w*|appropriate\w*|reasonabl\w*|proper\w*|correct\w*)\b",
    re.IGNORECASE,
)
_ASKS_HAD = re.compile(
    r"(?:^|[.!?;,]\s+)(?:and |but |so )?(?:would|could|might)(?:n['’]t)?\b[^?]*\bhave (?:been )?(?P<act>[a-z]+)\b", re.I
)


def cannot_settle(question: str, sentence: str) -> bool:
    """Whether a sentence leaves open what is asked, though it speaks of it: it tells the rule and not how it was kept.

    Asked whether somebody was too fast, the permitted speed alone says nothing; asked whether a thing would have
    saved somebody, a sentence that does not say the saving.
    """
    is_judged = _JUDGES.search(sentence) and 2 * len(find_unsaid(question, sentence)) <= len(terms_asked(question))
    if _ASKS_TOO.search(question) and not is_judged:
        return True
    had = _ASKS_HAD.search(question)
    act = frozenset(analyse(had["act"])) if had else frozenset[str]()
    return bool(act & find_unsaid(question, sentence))


_FORMS = (
    _read_enough,
    _read_part,
    _read_shut_out,
    _read_class,
    _read_reserved,
    # Ahead of what somebody does: "Does someone who lives here have to buy a ticket?" asks for a price.
    _read_gratis,
    _read_somebody,
    _read_whim,
    _read_case,
    _read_ever,
    _read_age,
    _read_vote,
    _read_kept_ban,
    _read_ruled_out,
    _read_proposal,
    _read_goal,
    _read_more,
    _read_duty,
)
"""What reads a verdict of the form of a rule; the first that does decides."""
