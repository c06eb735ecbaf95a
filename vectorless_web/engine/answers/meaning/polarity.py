"""Yes and no: whether a claim affirms what its quote denies, or permits what it forbids."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.answers.meaning.prose import ROLES, is_swapped
from vectorless_web.engine.answers.meaning.wording import content_stems, quote_label, split_clauses, stem_words
from vectorless_web.engine.text.analyser import words
from vectorless_web.engine.text.dates import MONTHS

_BOUND_FORMS = re.compile(
    r"\bnot\s+only\b|\b(?:no|not)\s+(?:more|less|later|earlier|fewer|longer|greater|higher|lower|sooner)\s+than\b"
    r"|\bnot\s+(?:\w+\s+)?exceed\w*|\bwhether\s+or\s+not\b|\bnot\s+limited\s+to\b|\bno\s+matter\b|\bif\s+not\b"
    r"|\bor\s+not\b|\bnot\s+later\b|\bnot\s+yet\b|\bno\.\s*\d|\bwhy\s+not\b|\bmay\s+\d|\bmay,?\s+(?:19|20)\d\d",
    re.I,
)
_HEAD = re.compile(r"^\W*(yes|no)\b\s*(?:[,.;:!–—-]+\s*|$)", re.I)
_BOUND = re.compile(
    r"\b(?:not|no|never|neither|cannot|nothing)\b[^.;]{0,22}?\b(?:more|less|fewer|longer|later|earlier|greater|higher"
    r"|lower"
    r"|heavier|older|younger|exceed\w*|above|below|over|under)\b(?=[^.;]{0,20}\d|\s+than)",
    re.I,
)
"""A bound, which denies nothing: "may not weigh more than 10 kg"."""
_SENTENCE = re.compile(r"\n|(?<=[a-z)\d%][.!?])\s+(?=[A-Z\d(“\"])")
_SPLIT = re.compile(
    r"(?:[;:](?=\s)|(?<=[a-z)\d%])\.(?=\s|$))\s*|,?\s+\b(?:but|while|whereas|although|however|though|because|since"
    r"|so)\b\s*,?\s*"
    r"|,?\s+\b(?:and|or)\b\s+(?=(?:if|when|where|unless)\b)"
    r"|,?\s+\b(?:and|or)\b\s+(?=(?:\w+\s+){0,3}?(?:may|must|shall|can|cannot|not|is|are|mandatory|optional|required"
    r"|does|do|need|should|was|were|had|there)\b)",
    re.I,
)

_NOT_ALLOWED = re.compile(
    r"\b(?:may|must|shall|can|should|could)\s*(?:not|never)\b|\bcannot\b|\b(?:mustn|can|shouldn|couldn)['’]t\b"
    r"|\b(?:is|are|be|was|were)\s*(?:not|never|n['’]t)\s+(?:\w+\s+)?(?:allowed|permitted|entitled|eligible"
    r"|authori[sz]ed|able)\b"
    r"|\bn['’]t\s+(?:allowed|permitted|entitled|eligible|able)\b|\bnot\s+(?:allowed|permitted|entitled|eligible)\b"
    r"|\b(?:prohibited|forbidden|banned|disallowed|barred|ineligible|impermissible|prohibits|forbids|bans)\b"
    r"|\bno\s+(?:right|permission|entitlement)\s+to\b|\b(?:never|do\s+not|don['’]t)\s+(?=\w+)|\bno\s+\w+\s+(?:may"
    r"|shall|can)\b"
    r"|\bneither\s+\w+\s+(?:may|shall|can)\b|\bnot\s+have\s+(?:the|a)\s+right\b",
    re.I,
)
_ALLOWED = re.compile(
    r"\b(?:may|can|could)\b(?!\s*(?:not|never|n['’]t))|\b(?:allowed|permitted|entitled|eligible|authori[sz]ed|permits"
    r"|allows|free\s+to|able)\b"
    r"|\bright\s+to\b",
    re.I,
)
_NO_DUTY = re.compile(
    r"\b(?:is|are|be|was|were)?\s*(?:not|n['’]t)\s+(?:\w+\s+)?(?:required|obliged|obligated|mandatory|compulsory"
    r"|necessary|bound)\b"
    r"|\bneed\s*(?:not|n['’]t)\b|\bneedn['’]t\b|\b(?:does|do|did)\s*(?:not|n['’]t)\s+(?:need|have)\b(?!\s+(?:a"
    r"|the)\s+right)"
    r"|\bno\s+(?:need|obligation|duty|requirement)\b|\b(?:optional|voluntary|unnecessary)\b|\bno\s+\w+\s+(?:is"
    r"|are)\s+(?:required|needed|necessary)\b"
    r"|\bneed\s+no\b",
    re.I,
)
_DUTY = re.compile(
    r"\b(?:must|shall)\b(?!\s*(?:not|never))|\b(?:required|obliged|obligated|mandatory|compulsory|necessary|bound)\b"
    r"|\b(?:has|have|needs?)\s+to\b|\b(?:do|does)?\s*needs?\b",
    re.I,
)
_NEGATORS = re.compile(
    r"\b(?:not|never|no|none|neither|nothing|nobody|lacks?|lacked|(?:fails?|failed|refuses?|refused)(?=\s+to))\b"
    r"|n['’]t\b",
    re.I,
)
_BEING = r"\b(?:is|are|was|were|be|been|remains?|remained|stays?|stayed)\s+(?:\w+ly\s+)?"
_LEXICAL = (
    (re.compile(r"\bexclu(?:d|s)\w*", re.I), "cover include included participate eligible part take"),
    (re.compile(r"\bexempt\w*", re.I), "subject required apply applies pay taxed"),
    (re.compile(r"\breject(?:s|ed)\b|\bturn(?:s|ed)\s+down\b|\bvoted\s+down\b", re.I), "approve accept adopt pass"),
    (re.compile(r"\bdismissed\b", re.I), "uphold upheld grant"),
    (re.compile(r"\b(?:lost|loses)\b", re.I), "win won"),
    (re.compile(r"\buninsured\b", re.I), "insured"),
    (re.compile(r"\bunlimited\b", re.I), "limited limit"),
    (re.compile(rf"{_BEING}unavailable\b", re.I), "available"),
    (re.compile(rf"{_BEING}unchanged\b", re.I), "changed change"),
    (re.compile(rf"{_BEING}(?:unlawful|illegal)\b", re.I), "lawful legal"),
    (re.compile(rf"{_BEING}invalid\b", re.I), "valid"),
    (re.compile(rf"{_BEING}unaffected\b", re.I), "affected affect"),
    (re.compile(rf"{_BEING}insignificant\b", re.I), "significant significantly"),
    (re.compile(rf"{_BEING}disabled\b", re.I), "enabled"),
)
_MODES = (("duty", False, _NO_DUTY), ("allow", False, _NOT_ALLOWED), ("duty", True, _DUTY), ("allow", True, _ALLOWED))
_ADVERB = re.compile(r"\b\w+ly\b", re.I)
_VERB = re.compile(
    r"\b(?:may|must|shall|can|cannot|is|are|was|were|be|does|do|did|has|have|had|need|needs|should|will)\b", re.I
)
_DATES = re.compile(rf"\b(?:{'|'.join(month for month in MONTHS if month != 'may')})\b|\b\d[\d,.]*\b", re.I)
_NON = re.compile(r"\bnon-?([a-z]{4,})", re.I)
_CONDITION = re.compile(
    r"\b(unless|except|without|only|other\s+than|until|if|provided|save|subject\s+to\s+(?:the|prior)|before|while"
    r"|during"
    r"|when|after|once|where|in\s+case|always|any\s+more|anymore|no\s+longer|outside|with(?=\s+(?:\w+\s+){0,4}?"
    r"(?:consent|approval|permission|prescription|notice|authori[sz]ation)))\b",
    re.I,
)
"""Words under which a statement holds only in part."""

_CUES = content_stems(
    "allowed permitted entitled eligible authorised able required obliged obligated mandatory compulsory necessary"
    " bound prohibited forbidden banned optional voluntary need needs yes no not right never none neither sure sorry"
    " answer according ineligible do don't isn't aren't cannot can't disallowed barred agreement document"
)
"""Stems that carry the mode of a statement and not its matter."""


Targets = tuple[frozenset[str], ...]
"""What a denial is about: any of these sets of stems."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause: its kind (allow, duty, fact or unclear), whether it affirms, its stems, what its denial is about.

    `conditions` are words such as "unless" and "while"; `sentence` numbers the sentence from 0.
    """

    kind: str
    affirms: bool
    stems: frozenset[str]
    targets: Targets
    conditions: frozenset[str]
    text: str
    sentence: int = 0
    is_verdict: bool = False
    """Whether it follows a "yes" or "no", so that it says something however short it is."""


def read_statements(text: str) -> list[Statement]:
    """The statements of a text. A clause without a subject of its own takes that of the clause before it."""
    bare = _BOUND_FORMS.sub(" ", text)
    found: list[Statement] = []
    subject = frozenset[str]()
    for number, sentence in enumerate(_SENTENCE.split(bare)):
        for clause in _SPLIT.split(sentence):
            if clause and content_stems(clause):
                found.append(replace(_read_clause(clause, subject), sentence=number))
                subject = _subject(clause) or subject
    return found


def _read_clause(clause: str, inherited: frozenset[str]) -> Statement:
    kind, affirms, targets = _mode(clause)
    own = _subject(clause)
    stems = (content_stems(_DATES.sub(" ", clause)) | (frozenset() if own else inherited)) - _CUES
    conditions = frozenset(" ".join(match[1].lower().split()) for match in _CONDITION.finditer(clause))
    return Statement(kind, affirms, stems, targets, conditions, clause)


def _mode(clause: str) -> tuple[str, bool, Targets]:
    if _BOUND.search(clause):
        return "unclear", True, ()
    for kind, affirms, pattern in _MODES:
        match = pattern.search(clause)
        if match is None:
            continue
        # A second denial beside the cue turns it: then nothing is plain.
        others = _NEGATORS.search(clause[: match.start()] + " " + clause[match.end() :])
        if others is None:
            return kind, affirms, () if affirms else _targets(clause, match)
        if affirms and kind == "allow":
            return kind, False, _targets(clause, _NEGATORS.search(clause))
        return "unclear", False, ()
    return _fact(clause)


def _fact(clause: str) -> tuple[str, bool, Targets]:
    denials = list(_NEGATORS.finditer(clause))
    if len(denials) > 1:
        return "unclear", False, ()
    targets = [target for match in denials for target in _targets(clause, match)]
    count = len(denials)
    for pattern, opposites in _LEXICAL:
        for match in pattern.finditer(clause):
            count += 1
            targets += [frozenset({stem}) for stem in content_stems(opposites) | content_stems(match.group())]
    for match in _NON.finditer(clause):
        count += 1
        targets.append(content_stems(match[1]))
    return "fact", count % 2 == 0, tuple(targets)


def _targets(clause: str, match: re.Match[str] | None) -> Targets:
    """The word of meaning behind "not"; the two behind "no", which denies a thing of something."""
    if match is None:
        return ()
    behind, ahead = (_matter(part) for part in (clause[match.end() :], clause[: match.start()]))
    is_thing = bool(re.match(r"no\b|none\b|neither\b|nothing\b|nobody\b", match.group(), re.I))
    found = frozenset(behind[: 2 if is_thing else 1]) or frozenset(ahead[-1:])
    return (found,) if found else ()


def _matter(text: str) -> list[str]:
    """The stems of a text in their order, without adverbs, dates and words of the mode."""
    return [stem for stem in stem_words(_DATES.sub(" ", _ADVERB.sub(" ", text))) if stem not in _CUES]


def _denies(denying: Statement, affirming: Statement) -> bool:
    """Whether what one statement denies is said in the other."""
    return any(target <= affirming.stems for target in denying.targets)


def _subject(clause: str) -> frozenset[str]:
    """Stems before the clause's first verb of being or modal."""
    match = _VERB.search(clause)
    return content_stems(clause[: match.start()]) - _CUES if match else frozenset()


def find_polarity_mismatches(claim: str, quotes: Sequence[str], question: str) -> Iterator[str]:
    """A claim that affirms what the quote denies, a bare yes or no against it included."""
    stated = read_statements("\n".join(quotes))
    if not stated:
        return
    head = _HEAD.match(claim)
    rest = claim[head.end() :] if head else claim
    said = [replace(one, is_verdict=bool(head)) for one in read_statements(rest) if one.stems]
    judged = [_find_contradiction(statement, stated) for statement in said]
    if found := next((told for told in judged if told), ""):
        yield found
        return
    is_bare = not any(statement.stems & other.stems for statement in said for other in stated)
    if head and is_bare and question:
        for asked in read_statements(question):
            answered = _turn_statement(asked) if head[1].lower() == "no" else asked
            if told := _find_contradiction(answered, stated):
                yield told
                return


def _turn_statement(statement: Statement) -> Statement:
    targets = statement.targets or tuple(frozenset({stem}) for stem in statement.stems)
    return replace(statement, affirms=not statement.affirms, targets=targets)


def _find_contradiction(claim: Statement, stated: Sequence[Statement]) -> str:
    """The objection when the statement of the quote that is most about the same thing says the opposite."""
    deed = _deed(claim)
    near = [(len(claim.stems & other.stems) + len(deed & other.stems), other) for other in stated]
    most = max((shared for shared, _ in near), default=0)
    best = [other for shared, other in near if shared == most and claim.stems & other.stems]
    if not best or any(not _opposes(claim, other) for other in best):
        return ""
    if any(_supports(claim, other) for other in stated if other.sentence != best[0].sentence):
        return ""
    told = "denies" if claim.affirms else "affirms"
    verb = {
        "allow": "forbids" if claim.affirms else "allows",
        "duty": "does not demand" if claim.affirms else "demands",
    }
    return f"The quote {verb.get(best[0].kind, told)} what the claim {_claim_verb(claim)}: {quote_label(best[0].text)}."


def _deed(claim: Statement) -> frozenset[str]:
    """The stem behind the statement's verb of being or modal."""
    match = _VERB.search(claim.text)
    return frozenset(_matter(claim.text[match.end() :])[:1]) if match else frozenset()


def _supports(claim: Statement, other: Statement) -> bool:
    """Whether another sentence of the quotes says about the same as the claim."""
    return claim.affirms == other.affirms and len(claim.stems & other.stems) * 2 > len(claim.stems)


def _claim_verb(claim: Statement) -> str:
    if claim.kind == "allow":
        return "allows" if claim.affirms else "forbids"
    if claim.kind == "duty":
        return "demands" if claim.affirms else "says is not needed"
    return "affirms" if claim.affirms else "denies"


def _opposes(claim: Statement, other: Statement) -> bool:
    if "unclear" in (claim.kind, other.kind) or claim.affirms == other.affirms or not _is_same_case(claim, other):
        return False
    if _is_of_other_side(claim, other):
        return False
    denying, affirming = (other, claim) if claim.affirms else (claim, other)
    # "Excluded" speaks of taking part, too.
    shared = len(claim.stems & other.stems) + any(
        target <= affirming.stems - denying.stems for target in denying.targets if denying.kind == "fact"
    )
    least = min(len(claim.stems), len(other.stems))
    if not shared or shared * 5 < max(least * 3, len(claim.stems) * 2) or (shared < 2 and least > 1):
        return False
    if denying.kind == affirming.kind and denying.kind != "fact":
        return denying.kind == "duty" or _denies(denying, affirming) or _is_lexical(denying)
    if denying.kind == "fact" and affirming.kind in ("fact", "allow"):
        return _denies(denying, affirming) and _is_sentence(affirming, denying)
    if denying.kind == "allow" and affirming.kind in ("duty", "fact"):
        is_plain = affirming.kind == "duty" or denying.stems == affirming.stems
        return is_plain and _denies(denying, affirming)
    return False


def _is_sentence(affirming: Statement, denying: Statement) -> bool:
    """Whether a statement says something: a verb of being or a modal, or a subject ahead of the word denied."""
    if _VERB.search(affirming.text) or affirming.is_verdict:
        return True
    placed = stem_words(affirming.text)
    return bool(placed) and all(placed[0] not in target for target in denying.targets) and len(placed) > 2


def _is_of_other_side(claim: Statement, other: Statement) -> bool:
    """Whether the claim speaks of one party (the insured) and the quote of the other (the insurer) alone."""
    verb = _VERB.search(claim.text)
    doer = _bare_words(claim.text[: verb.start()]) if verb else frozenset[str]()
    said = _bare_words(other.text)
    for one, two in ROLES:
        first, second = frozenset(one.split()), frozenset(two.split())
        for mine, theirs in ((first, second), (second, first)):
            if mine & doer and theirs & said and not mine & said:
                return True
    return False


def _bare_words(text: str) -> frozenset[str]:
    return frozenset(word.text.lower().removesuffix("s") for word in words(text))


def _is_lexical(statement: Statement) -> bool:
    return bool(
        re.search(
            r"\b(?:prohibit|forbid|forbad|bann|disallow|barr|ineligib)\w*|\bnot\s+(?:allowed|permitted)",
            statement.text,
            re.I,
        )
    )


def _is_same_case(claim: Statement, other: Statement) -> bool:
    """Whether both speak under the same conditions; a flat denial of a rule with an exception is judged too."""
    if claim.conditions == other.conditions:
        return True
    if claim.conditions:
        return False
    return other.conditions <= ({"unless", "except", "without", "until"} if claim.affirms else {"without"})


# --- words that mean the opposite


def _pairs(*written: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Pairs of sets of words from "a b|c d"."""
    sides = [pair.partition("|") for pair in written]
    return tuple((frozenset(one.split()), frozenset(two.split())) for one, _, two in sides)


_CONTRARIES = _pairs(
    "open opens opened opening|close closes closed closing shut shuts",
    "free|charged",
    "profit profits|loss losses",
    "gross|net",
    "minimum|maximum",
    "lowest|highest",
    "smallest|largest biggest",
    "shortest|longest",
    "cheapest|dearest",
    "earliest|latest",
    "oldest|youngest newest",
    "first|last",
    "best|worst",
    "inside|outside",
    "indoor indoors|outdoor outdoors",
    "upstairs|downstairs",
    "upper|lower",
    "northern|southern",
    "eastern|western",
    "permanent permanently|temporary temporarily",
    "public publicly|private privately",
    "internal|external",
    "domestic|foreign",
    "fixed|variable",
    "hot|cold",
    "wet|dry",
    "full|empty",
    "morning mornings|afternoon afternoons evening evenings",
    "summer|winter",
    "weekday weekdays|weekend weekends",
    "married|single",
    "majority|minority",
    "positive|negative",
    "succeeded|failed",
    "accepted approved carried adopted passed|rejected defeated refused",
    "credit credited|debit debited",
    "import imports imported|export exports exported",
    "early|late",
)
_ORDERED = _pairs("before|after", "above|below", "north|south")
"""Contraries that put one thing against another: turned around, they say the same ("A before B", "B after A")."""
_ORDERS = tuple(sorted(word for pair in _ORDERED for side in pair for word in side))
_DENYING_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "anti", "counter")
_BENDS = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|except|unless|other|otherwise|instead|rather|hardly|rarely|seldom"
    r"|apart|only|non|until|till|less|fewer)\b|n['’]t\b",
    re.I,
)


def find_contrary_mismatches(claim: str, quote: str) -> Iterator[str]:
    """A claim that repeats the quote with one word turned into its opposite: open for closed, before for after.

    Only where both say nearly the same beside that word, and neither denies or excepts anything.
    """
    stated = [clause for clause in split_clauses(quote) if not _BENDS.search(clause)]
    claimed_anywhere = _words_of(claim)
    for clause in split_clauses(claim):
        if _BENDS.search(clause):
            continue
        for other in stated:
            if word := next((word for word in _ORDERS if _is_turned_around(clause, other, word)), ""):
                yield f"The claim turns around what the quote puts {word} what: {quote_label(other)}."
                return
            turned = list(_contraries(_words_of(clause), _words_of(other)))
            # Two words turned around may come to the same: "the lower, the longer", "the higher, the shorter".
            if len(turned) != 1 or turned[0][1] in claimed_anywhere or not _says_the_rest(clause, other, *turned[0]):
                continue
            mine, theirs = turned[0]
            if not any(mine in _words_of(one) and _is_said_in(clause, one) for one in split_clauses(quote)):
                yield f"The claim says “{mine}” where the quote says “{theirs}”: {quote_label(other)}."
                return


def _is_turned_around(clause: str, other: str, word: str) -> bool:
    """Whether "A before B" is told of "B before A"."""
    if word not in _words_of(clause) or word not in _words_of(other):
        return False
    return is_swapped(_parts_around(clause, word), _parts_around(other, word))


def _is_said_in(clause: str, other: str) -> bool:
    """Whether another clause of the quote says at least half of what the claim says."""
    said = content_stems(clause)
    return len(said & content_stems(other)) * 2 > len(said)


def _words_of(text: str) -> frozenset[str]:
    return frozenset(word.text.lower() for word in words(text))


def _contraries(claimed: frozenset[str], stated: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The words of a claim, each with its opposite in the quote; a side that both say is no opposite."""
    for one, two in (*_CONTRARIES, *_ORDERED):
        for mine, theirs in ((one, two), (two, one)):
            if claimed & mine and stated & theirs and not claimed & theirs and not stated & mine:
                yield min(claimed & mine), min(stated & theirs)
    for longer, shorter, is_claimed in ((claimed, stated, True), (stated, claimed, False)):
        for word in longer - shorter:
            bare = next((word.removeprefix(prefix) for prefix in _DENYING_PREFIXES if word.startswith(prefix)), "")
            if len(bare) > 2 and bare in shorter - longer:
                yield (word, bare) if is_claimed else (bare, word)


def _says_the_rest(clause: str, other: str, mine: str, theirs: str) -> bool:
    """Whether two clauses say the same beside one word, and the same on each side of it where that matters."""
    ours, stated = content_stems(clause) - content_stems(mine), content_stems(other) - content_stems(theirs)
    shared = len(ours & stated)
    if (shared < 2 and ours != stated) or not shared or shared * 4 < len(ours) * 3 or shared * 2 < len(stated):
        return False
    if not any(mine in one | two for one, two in _ORDERED):
        return True
    (ahead, behind), (ahead_stated, behind_stated) = _parts_around(clause, mine), _parts_around(other, theirs)
    return bool(ahead & ahead_stated and behind & behind_stated) and not (
        ahead & behind_stated - ahead_stated or behind & ahead_stated - behind_stated
    )


def _parts_around(clause: str, word: str) -> tuple[frozenset[str], frozenset[str]]:
    """Stems of what is put in place and of what it is put against: behind the word, up to a comma at the beginning."""
    match = re.search(rf"\b{re.escape(word)}\b", clause, re.I)
    if match is None:
        return frozenset(), frozenset()
    ahead, behind = clause[: match.start()], clause[match.end() :]
    if not content_stems(ahead) and "," in behind:
        behind, _, ahead = behind.partition(",")
    return content_stems(ahead), content_stems(behind)
