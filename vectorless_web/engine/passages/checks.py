"""Whether a passage holds the kind of thing that a question asks for."""

import re
from collections.abc import Callable

from vectorless_web.engine.questions.requirements import Requirement, Wanted
from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.text.analyser import analyse

_MONTHS = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_COUNTED = (
    r"(?:\d|\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty(?:-\w+)?|half"
    r"|several|hundred)\b)"
)
_TIME_UNITS = r"(?:seconds?|minutes?|hours?|nights?|days?|weeks?|months?|quarters?|years?|hrs?|mins?)"

SPAN = re.compile(
    rf"{_COUNTED}[\s-]*(?:\(\d+\)\s*)?(?:\w+\s+)?{_TIME_UNITS}\b"
    r"|\b(?:daily|weekly|fortnightly|monthly|quarterly|annually|yearly|hourly|twice|once|annual|quarterly|every"
    r"|each (?:day|week|month|quarter|year)"
    r"|immediately|at once|without (?:undue )?delay|indefinite\w*|as long as|for the (?:duration|term|life) of"
    r"|permanent\w*|until)\b",
    re.IGNORECASE,
)
DATE = re.compile(
    rf"\b{_MONTHS}\s+(?:\d|the\b)|\b\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{_MONTHS}\b|\b(?:19|20)\d\d\b"
    rf"|\b\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}\b"
    r"|\b\d{1,2}[:.]\d\d\s*(?:[ap]\.?m\.?|hours|h\b|EST|CST|UTC|GMT)?\b|\b\d{3,4}\s+(?:hours|EST|CST|MST|PST|UTC"
    r"|GMT|local)\b|\b\d{1,2}\s?[ap]\.?m\b"
    r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|\b(?:noon|midnight)\b"
    rf"|{_COUNTED}[\s-]*(?:\w+\s+)?{_TIME_UNITS}\s+(?:before|after|from|of|following|prior|ahead|in advance|later)\b"
    r"|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d+(?:st|nd|rd"
    r"|th)) (?:\w+ )?(?:day|week|month|year)\b"
    r"|\b(?:no later than|within|by the end of|at the end of|on the (?:day|date)|(?:first|last) (?:working "
    r"|business |calendar )?day)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|only|when|where|once|until|unless|after|before|as soon as|provided)\b", re.IGNORECASE)
_CAPITAL, _SMALL = r"[A-ZÀ-ÖØ-ÞČĐŁŚŠŻŽ]", r"[^\W\d_A-ZÀ-ÖØ-ÞČĐŁŚŠŻŽ]"
_WORD_OF_NAME = rf"{_CAPITAL}(?:{_SMALL}|[’'])+(?:-{_CAPITAL}(?:{_SMALL}|[’'])+)?"
_NAME = re.compile(
    rf"\b(?:Dr|Mr|Mrs|Ms|Prof|Sir|Judge)\.? {_CAPITAL}\w+"
    rf"|\b{_WORD_OF_NAME} (?:{_CAPITAL}\. ?)?{_WORD_OF_NAME}\b(?!-[a-z])"
    rf"|\b{_CAPITAL}[\w&.’'-]+ (?:Inc|Ltd|LLC|plc|GmbH|AG|Corp|Co|SA|BV|AB)\b"
)
_NO_PERSON = re.compile(
    r"\b(?:National|Federal|Board|Act|Program\w*|Office|Safety|Information|Report|Section|United|States|North"
    r"|South|East|West|New|General"
    r"|Agreement|Contract|Policy|Plan|Department|Agency|Service\w*|System\w*|Day|Date|Time|Year|Note|Table"
    r"|Schedule|Annex|Appendix|Article"
    r"|Clause|Committee|Flight|Street|Road|Review|Study|The|This|In|If|On|At|For|No|All|Any|Each)\b"
)
_ROLES = re.compile(
    r"\b(?:manager|director|officer|head|chief|chair\w*|president|secretary|treasurer|board|committee|council"
    r"|court|commission|ministry"
    r"|minister|department|office|agency|authority|bureau|bank|insurer|company|firm|corporation|administrator"
    r"|supervisor|coordinator"
    r"|investigator|physician|doctor|nurse|surgeon|pharmacist|clinician|therapist|landlord|tenant|owner|operator"
    r"|agent|lessor|lessee"
    r"|supplier|vendor|seller|buyer|customer|client|contractor|provider|licensor|licensee|employer|employees?"
    r"|staff|worker|team|party"
    r"|parties|sponsor|patient|user|member|trustee|executor|auditor|inspector|engineer|technician|electrician"
    r"|driver|pilot|captain"
    r"|warden|marshal|police|fire brigade|service desk|help ?desk|security desk|representative|delegate|counsel"
    r"|lawyer|attorney|notary"
    r"|teacher|instructor|student|parent|guardian|resident|applicant|passenger|traveller|policyholder|insured"
    r"|person|fore(?:man|woman|men)|caretaker|janitor|steward|broker|cleaner|gardener|cook|clerk|porter|carer|midwife"
    r"|surveyor|architect|plumber|locksmith|mechanic|skipper|crew|anyone|anybody|everyone|everybody|nobody|no one)s?\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:due to|because|since|as a result|result(?:ed|ing|s)? (?:from|in)|driven by|drove|driver|reflect\w*"
    r"|attributable to|owing to"
    r"|offset by|caus(?:e|es|ed|ing)|reason|so that|so as to|in order to|therefore|thus|hence|which is why"
    r"|lead(?:s|ing)? to|led to"
    r"|leads|mak(?:e|es|ing) it|allow(?:s|ing)? (?:for|the|us|them)|enabl\w+|helps?|ensur\w+|prevent\w*|avoid\w*"
    r"|protect\w*|otherwise"
    r"|for (?:the )?(?:purpose|safety|reason)|the purpose|aims? (?:to|of|is)|intended to|designed to|by (?:means"
    r"|using|[a-z]+ing)|primarily|mainly)\b"
    r"|\b(?:improv|r[io]s|f[ae]ll|gr[eo]w|declin|increas|decreas|drop)\w*\b[^.]{0,60}\bas\b"
    r"|\b(?:rose|gr[eo]w|fell|increased|decreased|declined|improved|dropped)\b[^.;]{0,40}?"
    r" (?:on (?!average\b)(?!\w+ \d)[a-z]+|following|after the)\b"
    r"|\b(?:follow(?:s|ed)?|c[ao]mes?|stem(?:s|med)?|aros?e|arises?) from\b|\bthanks to\b"
    r"|\b(?:of which|to which)\b[^.;]{0,80}\b(?:brought|contributed|added)\b|\bcontributed\b"
    r"|\bexplains? (?:most|much|part|the)\b"
    r"|[:–-] (?:dust|damage)\b|\bas (?:it|they|the|this|there|he|she|we|a)\b|, as\b|\bto (?:keep|make|save|spare|limit"
    r"|meet|reduce|ensure|prevent|avoid|protect|allow|support|improve|determine)\b",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"\b(?:means?|is defined as|are defined as|refers? to|is (?:a|an|the|any|one|called|considered|deemed"
    r"|known as|what (?:we|they|you|one) call)|are (?:those|any|called|considered)"
    r"|shall mean|stands? for|is understood|denotes|includes?|consists?|comprises?|relates?|represents?|i\.e\."
    r"|in other words|counts? as)\b",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"\b(?:at most|at least|up to|no (?:more|less|later|fewer|longer) than|not (?:more|less|later|fewer|exceed\w*"
    r"|longer)|(?:may|must|shall|will|can|is|are) not|cannot|anyone|never|maximum"
    r"|minimum|max|min|only|within|unless|except\w*|exceed\w*|limit\w*|more than|less than|under|over|between"
    r"|below|above|provided|if)\b|[≥≤<>]",
    re.IGNORECASE,
)
_ITEM = r"(?:[\w’'()/&.%£$€-]+ ){0,8}[\w’'()/&.%£$€-]+"
_OPENS_SERIES = (
    r"(?:\b(?:are|is|were|include[sd]?|including|such as|namely|consists? of|comprises?|covers?|contains?"
    r"|assess\w*|following)\b|:)"
)
_SERIES = re.compile(
    rf"{_OPENS_SERIES} {_ITEM}, {_ITEM}(?:, {_ITEM})*,? (?:and|or|as well as) \w"
    rf"|{_OPENS_SERIES}[^;]*;[^;]{{3,120}};|\(a\).{{3,200}}\(b\)|\(1\).{{3,200}}\(2\)"
    rf"|: {_ITEM}(?:,| and| or) \w",
    re.IGNORECASE,
)
_CHANGED = r"(?:increas|decreas|ris[ei]|rose|rais|gr[eo]w|f[ae]ll|declin|drop|reduc|chang|improv|shr[aiu]nk)\w*"
_DIGITS = re.compile(r"\d[\d,.]*")
_HOW_MANY = re.compile(r"\bhow many (?:more |other |different )?(?P<noun>[\w-]+(?: [\w-]+)?)", re.IGNORECASE)
_ASKS_MONEY = re.compile(
    r"\b(?:cost|costs|price|fee|fees|charged?|charges|pay|pays|paid|spend|spends|spent|money|budget|rent|wage"
    r"|salary|deposit|fine|penalty"
    r"|premium|excess|worth|refund\w*|reimburse\w*|allowance|compensation|bonus)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[$£€¥₹]\s?\d|\d\s?[$£€¥%]|\d[\d,.]*\s?(?:per ?cent|percent|USD|EUR|GBP|CHF|euros?|dollars?|pounds?|pence"
    r"|cents?|kronor|francs?|(?:million|billion)\b(?! (?:[a-z]+ ){0,2}[a-z]{3,}s\b))\b"
    r"|\bper ?cent\b|\b(?:USD|EUR|GBP|CHF|Rs\.?)\s?\d|\b(?:free of charge|no (?:charge|fee|cost|extra)|(?:not "
    r"|im)material|nil|months?[’']s?|half|twice|days[’'] pay)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:first|then|next|after (?:that|which|this)|afterwards|finally|before|once|subsequently|until)\b"
    r"|\b[1-9][.)]\s",
    re.IGNORECASE,
)
_NUMBER_WORDS = re.compile(
    r"\b(?:no|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty"
    r"|ninety|hundred|thousand|million|half|twice|double|free of charge|nothing|nil|(?:not |im)material)\b",
    re.IGNORECASE,
)
_EXTREME = re.compile(
    r"\b(?:most|least|first|last|top|leading|maximum|minimum|(?:high|low|larg|bigg|small|great|fast|slow|long"
    r"|short|cheap|old|new|strong|weak)est"
    r"|best|worst|primary|main|principal|only)\b",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"\b(?:if|where|when\w*|after|once|unless|late|later|beyond|exceed\w*|more than|fails?|failure|miss\w*|breach\w*"
    r"|break\w*|anyone|whoever|each|every|any)\b.*\b(?:fees?|fines?|penalt\w+|interest|reduc\w+|deduct\w+|credit\w*|damages"
    r"|surcharge|charged?|costs?|owes?|pays?|paid|liable|liability|banned|ban|warned|warning|terminat\w*|ends?|cancel\w*"
    r"|withdraw\w*|lose[sd]?|forfeit\w*|refus\w+|reject\w*|refund\w*|replac\w+|repair\w*|suspend\w*|dismiss\w*|entitled|must"
    r"|shall|may|stops?|locked|fails?|skip)\b",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE_NUMBER = re.compile(r"^\s*\(?(?:\d+(?:\.\d+)*|[a-z])[.)]?\s+")


def is_met(requirement: Requirement, text: str, *, members: int = 0) -> bool:
    """Whether the words of a passage hold what is asked for.

    `members` counts the items of a list. A number that only counts the clause is no number asked for. Where two parts
    of a question ask for a thing of a kind, two of them have to stand there.
    """
    check, words = _CHECKS.get(requirement.wanted), _CLAUSE_NUMBER.sub("", text)
    if check is not None and not check(requirement.part, words, members):
        return False
    counted = _COUNTED_KINDS.get(requirement.wanted)
    return counted is None or requirement.times == 1 or _count_distinct(counted, words) >= requirement.times


def _count_distinct(pattern: re.Pattern[str], words: str) -> int:
    """How many different things a pattern finds; matches that touch, as a day and its year, are one."""
    found: list[list[int]] = []
    for match in pattern.finditer(words):
        if found and match.start() - found[-1][1] <= 2:
            found[-1][1] = match.end()
        else:
            found.append([match.start(), match.end()])
    return len({words[start:end].lower() for start, end in found})


_COUNTED_KINDS = {
    Wanted.AMOUNT: re.compile(
        r"\d[\d,.]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|\w+teen)\b", re.IGNORECASE
    ),
    Wanted.DATE: DATE,
    Wanted.SPAN: SPAN,
}
"""How things of a kind are counted, where more than one is asked for."""


def _tells_person(part: str, words: str, members: int) -> bool:
    wants_name = re.search(r"\bnames?\b", part, re.IGNORECASE) or (
        _ASKS_HOLDER.match(part) and not re.search(r"\b(?:means|person who|is the|are the)\b", words, re.IGNORECASE)
    )
    return _names_somebody(words, part) or (not wants_name and _tells_role(words, part))


_ASKS_HOLDER = re.compile(
    r"\W*who (?:is|are|was|were) (?:the|our|your|their) [\w’'-]+(?: [\w’'-]+)?\W*$", re.IGNORECASE
)
"""A question for who holds an office or has a part: another party of the sentence is not that one."""


_RELATIVE = re.compile(
    rf"{_COUNTED}[\s-]*(?:\w+\s+)?{_TIME_UNITS}\s+(?:before|prior|ahead|in advance|of|from)\b|within\b|no later than\b",
    re.IGNORECASE,
)
"""What tells how far one thing lies from another, and not when it happened: "55 minutes prior"."""


_EVENTS = (
    (
        re.compile(
            r"\bwhen (?:does|do|will|did|is|was) .{2,60}?\b(?:end|expire|over|run out|finish|finished|close)\W*$", re.I
        ),
        re.compile(r"\b(?:end(?:s|ed|ing)?|expir\w+|until|till|runs?|lasts?|terminat\w+|lapses?|clos\w+|over|finish\w*"
                   r"|last day|to)\b|\d\s?[–-]\s?\d", re.I),
    ),
    (
        re.compile(r"\bwhen (?:does|do|will|did|is|was) .{2,60}?\b(?:start|begin|commence|open)\W*$", re.I),
        re.compile(
            r"\b(?:start\w*|beg[iau]n\w*|commenc\w+|open\w*|from|effective|since|first day)\b|\d\s?[–-]\s?\d", re.I
        ),
    ),
)  # fmt: skip
"""Questions for when a thing ends or starts, each with the words by which a text says so."""
_AT_EVENT = re.compile(
    r"\b(?:may|can|could|to) (?:end|terminate|close|start|open)\b"
    r"|\b(?:at|by|after|before|until|till|from|since|towards|of|following|prior to|upon|on"
    r"|within [\w ]{1,20} (?:of|from|after)) (?:the|its|their|his|her)"
    r" (?:end|start|beginning|expiry|expiration|close|closing|conclusion|termination|opening)"
    r"(?: of (?:the |this |a |an )?[\w-]+)?",
    re.IGNORECASE,
)
"""What names the end or start of a thing without saying when that is: "at the end of the lease"."""


def _tells_event(part: str, words: str) -> bool:
    """Whether a text says when the thing asked about ends or starts, and not only what happens then."""
    said = next((said for asked, said in _EVENTS if asked.search(part)), None)
    return said is None or bool(said.search(_AT_EVENT.sub(" ", words)))


def _tells_date(part: str, words: str, members: int) -> bool:
    """A date, or the condition of a rule: "when may I" is answered by "if"; of an end or a start, the date of that."""
    if not _tells_event(part, words):
        return False
    is_rule = re.search(r"\bwhen (?:am|is|are|can|may|do|does|must|should)\b", part, re.IGNORECASE)
    is_past = re.search(r"\bwhen (?:was|were|did|had|has|have)\b", part, re.IGNORECASE)
    found = (match for match in DATE.finditer(words) if not is_past or not _RELATIVE.match(match.group()))
    return any(found) or bool(is_rule and _CONDITION.search(words))


_LENGTH = re.compile(
    r"\d[\d,.]*[\s-]?(?:mm|cm|km|m|ft|in|inch(?:es)?|foot|feet|yards?|miles?|met(?:er|re)s?|kilomet(?:er|re)s?)\b",
    re.IGNORECASE,
)


def _tells_span(part: str, words: str, members: int) -> bool:
    """A length of time or a frequency; of a thing that is so long, a measure too, and of how early or late, a time."""
    is_thing = re.search(r"\bhow long (?:is|are|was|were)\b", part, re.IGNORECASE)
    is_point = re.search(r"\bhow (?:early|soon|fast|quickly|far)\b", part, re.IGNORECASE)
    return bool(SPAN.search(words) or (is_thing and _LENGTH.search(words)) or (is_point and DATE.search(words)))


def _tells_members(part: str, words: str, members: int) -> bool:
    return members > 1 or bool(_SERIES.search(words))


_PERCENT = r"\d\s?(?:%|per ?cent\b|percentage points?\b)"
_NEVER_COPIED = re.compile(
    r"\bby (?:how|what)\b|\bhow (?:many|much) (?:(?:percentage )?points? |percent )?(?:more|less|fewer)\b"
    r"|\bdifference\b",
    re.IGNORECASE,
)
_POINTS_APART = re.compile(r"\d[- ](?:percentage[- ])?points? (?:more|less|fewer|higher|lower)\b", re.IGNORECASE)
_ASKS_BY_HOW_MUCH = re.compile(rf"\bby how (?:much|many)\b.*\b{_CHANGED}", re.IGNORECASE)
_BOTH_SIDES = re.compile(
    r"\d[^.;:]{0,120}\b(?:up|down) (?:slightly |sharply )?from\b[^.;:\d]{0,12}\d"
    r"|\bfrom [^.;:\d]{0,12}\d[\d,.]*[^.;:]{0,40}\bto [^.;:\d]{0,12}\d",
    re.IGNORECASE,
)
"""What states a figure and what it was before, from which the change between them follows."""
_RESULTS = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(told, re.IGNORECASE))
    for asked, told in (
        (r"\b(?:average|mean)\b", r"\b(?:averag\w*|mean)\b[^.;:]*\d|\d[^.;:]*\bon average\b"),
        (r"\bratio\b", r"\bratio\b[^.;]*\d|\d (?:times|to (?:1|one))\b|\d:\d"),
        (rf"\b(?:percentage|percent|per cent)\b.*\b{_CHANGED}", rf"\b{_CHANGED}\b[^.;]*{_PERCENT}"),
        (rf"\b{_CHANGED}", rf"\b{_CHANGED}\b[^.;]*\d"),
        (
            r"\b(?:total|combined|sum|altogether)\b",
            r"\b(?:total\w*|sum|aggregate\w*|combined|together)\b[^.;]*\d"
            r"|\d[^.;]*\b(?:in (?:total|all)|altogether)\b",
        ),
    )
)
"""Names of figures worked out from others, each with the words by which a text states such a figure itself."""


def _states_result(part: str, words: str, members: int) -> bool:
    """Whether a text states the very figure that would be worked out: an average, a ratio, a change, a total."""
    if _NEVER_COPIED.search(part):
        is_changed = _ASKS_BY_HOW_MUCH.search(part) and _BOTH_SIDES.search(words)
        return bool(is_changed or ("point" in part and _POINTS_APART.search(words)))
    return next((bool(told.search(words)) for asked, told in _RESULTS if asked.search(part)), False)


def _tells_content(part: str, words: str, members: int) -> bool:
    """What a thing is made up of, in words: a row of figures beside its name only says how much it is."""
    cells = [cell for cell in words.split("\t")[1:] if cell.strip()]
    return members > 1 or not cells or any(re.search(r"[A-Za-z]{3}", cell) for cell in cells)


_IN_THAT_CASE = re.compile(
    r"^\W*(?:if|when|in case)\b[^,.]{3,120}(?:,\s*|\b(?=the [a-z]+ [a-z]+s\b))(?!you (?:are|have)\b)[a-z]",
    re.IGNORECASE,
)
"""One step for a case: "If the seal is broken, send the box back"."""


def _tells_steps(part: str, words: str, members: int) -> bool:
    is_case = re.search(r"\b(?:if|when|in case)\b", part, re.IGNORECASE)
    is_ordered = len(_ORDER.findall(words)) > 1 or bool(re.search(r"\bin (?:this|that) order\b", words, re.IGNORECASE))
    return members > 1 or is_ordered or bool(is_case and _IN_THAT_CASE.search(words))


_CASE_ASKED = re.compile(
    r"\b(?:if|when|in case|in the event|should|happens (?:up)?on)\b(?P<case>.+)$", re.IGNORECASE | re.DOTALL
)
_CASE_TOLD = re.compile(
    r"\b(?:if|where|when(?:ever)?|once|unless|in case(?: of)?|in the event of|for (?:each|every|any)|should|on|upon"
    r"|after|without|failure to|late)\b(?P<case>[^,:;.]*)",
    re.IGNORECASE,
)
_PARTICIPANTS = frozenset(
    analyse("supplier buyer customer provider tenant landlord employee company we you party parties they it somebody")
)
"""Words for who acts, which tell no case from another."""


def _tells_consequence(part: str, words: str, members: int) -> bool:
    """What follows in the case asked about: the case that the text itself puts must say something of it."""
    cases = [match["case"] for match in _CASE_TOLD.finditer(words)]
    if not _FOLLOWS.search(words) and not _IN_THAT_CASE.search(words):
        return False
    asked = _CASE_ASKED.search(part)
    if asked is None or not cases:
        return True
    wanted = frozenset(analyse(asked["case"])) - _PARTICIPANTS
    told = set(analyse(" ".join(cases)))
    others = (other.terms for other in other_wordings(asked["case"]) if not set(other.origin) <= _PARTICIPANTS)
    return not wanted or bool(wanted & told) or any(set(terms) <= told for terms in others)


def _tells_points(part: str, words: str, members: int) -> bool:
    return members > 1


def _never(part: str, words: str, members: int) -> bool:
    """Parties and senders are read from where documents name them, never from words that match."""
    return False


def _searches(pattern: re.Pattern[str]) -> Callable[[str, str, int], bool]:
    return lambda part, words, members: bool(pattern.search(words))


def _names_somebody(words: str, part: str) -> bool:
    """Whether a name stands there that is no office, no place of work and no word of the question."""
    asked = set(analyse(part))
    cells = [cell.strip() for cell in words.split("\t")] if "\t" in words else []
    names = [match.group() for match in _NAME.finditer(words)]
    # A row is full of labels with capitals; a name has a cell of its own there.
    names = [name for name in names if not cells or name in cells]
    if not _ASKS_WORDS.search(part):
        names = [name for name in names if not re.search(rf"{re.escape(name)}{_TELLS}", words)]
    return any(not _NO_PERSON.search(name) and not asked & set(analyse(name)) for name in names)


_TELLS = (
    r",? (?:has |had |also |then )?(?:reported|said|stated|noted|told|explained|asked|announced|mentioned|reminded)\b"
)
"""What makes a name that of somebody who tells a thing, and not of who does it."""

_ASKS_WORDS = re.compile(
    r"\b(?:reported|report|say|said|says|stated|noted|told|tell|tells|explain\w*|asked?|announced?|mention\w*|remind\w*"
    r"|rais\w*|brought up|present\w*|speak|spoke|talk\w*)\b",
    re.IGNORECASE,
)


WORDS_OF_OFFICE = 5
"""Words of a cell that names an office, at most."""


def _tells_role(words: str, part: str) -> bool:
    """Whether an office or a party stands there that the question does not name itself."""
    asked = set(analyse(part))
    # In a row "6 hours (Pilot in command)" is about hours: an office has a cell of its own there.
    cells = [cell for cell in words.split("\t") if len(cell.split()) <= WORDS_OF_OFFICE] if "\t" in words else [words]
    return any(not set(analyse(match.group())) <= asked for cell in cells for match in _ROLES.finditer(cell))


def names_nobody(part: str, words: str) -> bool:
    """Whether words that should tell a person hold no name, so that whoever holds the office may be looked up."""
    return not _names_somebody(words, part)


def names_office(words: str) -> bool:
    """Whether an office, or a part in making something, is named."""
    return bool(_ROLES.search(words) or _MAKERS.search(words))


_MAKERS = re.compile(
    r"\b(?:lead(?:er)?s?|masters?|deans?|mayors?|rectors?|principals?|curators?|authors?|editors?|translators?"
    r"|contacts?|illustrators?|photographers?)\b",
    re.IGNORECASE,
)


def names_holder(words: str) -> bool:
    """Whether a cell or a value is, or begins with, somebody's name."""
    match = _NAME.search(words)
    return match is not None and not _NO_PERSON.search(match.group())


_ASKS_PEOPLE = re.compile(r"^(?:people|persons?|men|women|others|of (?:them|us))\b", re.IGNORECASE)
_COUNTS_PEOPLE = re.compile(
    r"\s+(?:of (?:the )?)?(?:[\w’'-]+ ){0,2}(?:members?|participants?|passengers?|inhabitants?|residents?|visitors?"
    r"|persons?|people|adults?|children|pupils?|students?|patients?|subjects?|individuals|volunteers?|employees?|workers?"
    r"|staff|guests?|delegates?|shareholders?|owners?|tenants?|users|households|injured|killed)\b",
    re.IGNORECASE,
)
"""What follows a number that counts people, whatever the document calls them: "six of the 83 passengers"."""

_SHARE = re.compile(r"\s?(?:%|per ?cent\b)", re.IGNORECASE)


_MEASURES = re.compile(
    rf"[\s-]?(?:{_TIME_UNITS}|(?:working|business|calendar) days?|[ap]\.?m\b|euros?|dollars?|pounds?|pence|cents?"
    r"|USD|EUR|GBP|[km]?g|kilograms?|tonnes?|[cmk]m|miles?|met(?:re|er)s?|lit(?:re|er)s?|ml|degrees?|°\w?)\b(?![\s-]old)",
    re.IGNORECASE,
)
_BEFORE_MONEY = re.compile(r"(?:[$£€¥₹]|\b(?:USD|EUR|GBP|CHF))\s?$")
_ONE_IN = re.compile(r"\b(?:one|every) (?:in|out of)\s+$", re.IGNORECASE)
_IN_SO_MANY = re.compile(
    r"\s+(?:in|out of) (?:every )?(?:\d|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b)"
)
_COUNTS_NOTHING = frozenset({"free of charge", "nil", "nothing", "half", "twice", "double"})


def _may_count(words: str, number: re.Match[str]) -> bool:
    """Whether a number may count things: in "calls within 5 minutes", "a bed is free of charge", "one in seven calls"
    and "six percent of the workforce" it counts or measures something else, or nothing."""
    if number.group().lower() in _COUNTS_NOTHING or "material" in number.group().lower():
        return False
    is_measure = _SHARE.match(words, number.end()) or _MEASURES.match(words, number.end())
    is_share = _ONE_IN.search(words[: number.start()]) or _IN_SO_MANY.match(words, number.end())
    return not is_measure and not is_share and not _BEFORE_MONEY.search(words[: number.start()])


_NAMES_THING = re.compile(
    r"[A-Za-z]-?$|\b[A-Z]{2,}-\w*-$|\b(?:age|aged|page|section|clause|phase|version|table|figure|chapter|appendix|step|note|item|part|no\.?"
    r"|regulation|rule|article|act|unit|question|quiz|paragraph|exhibit|schedule|annex|room|gate|lesson|grade)\s$",
    re.IGNORECASE,
)
"""What stands before a number that is part of a name or tells an age or a place: "PA-22", "age 85", "page 3"."""


_BEFORE_YEAR = re.compile(
    r"\b(?:in|of|since|during|until|till|by|from|to|and|or|before|after|for|fiscal|year|years|ended|ending|through"
    r"|regulations|acts?|orders?|rules|standards?|census|edition"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{1,2},?)?)\s+$",
    re.IGNORECASE,
)


def _is_year(words: str, start: int, number: str) -> bool:
    """Whether a number tells when something is, and is no amount: "in 2024", "May 3, 2024"."""
    return bool(re.fullmatch(r"(?:19|20)\d\d[.,]?", number)) and bool(_BEFORE_YEAR.search(words[:start]))


_DAYS = re.compile(
    rf"\b{_MONTHS}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:\s?(?:[-–]|to|and)\s?(?:{_MONTHS}\s+)?\d{{1,2}}(?:st|nd|rd|th)?)?"
    rf"(?:,?\s+(?:19|20)\d\d)?\b|\b\d{{1,2}}(?:\s?(?:[-–]|to|and)\s?\d{{1,2}})?\s{_MONTHS}(?:\s+(?:19|20)\d\d)?\b"
)
"""Days of a month, one or several: "Jan. 9-14, 2019"."""

_SLIGHT = frozenset({"no", "one"})
"""Words that mostly count nothing: "one of them"."""


_ASKS_LEVEL = re.compile(
    rf"^(?!.*\b(?:{_CHANGED}|discount\w*|extra|additional|surcharge|rebate|rise|cut)\b).*"
    r"\b(?:how (?:much|high|large)|what) (?:is|are|was|were)\b",
    re.IGNORECASE | re.DOTALL,
)
"""How a question begins that asks how much a thing is, and not by how much it changed."""

_SO_MUCH = r"[$€£]?\d[\d,.]*(?:\s?(?:million|billion|thousand|%|per ?cent\b|percentage points?))?"
_BY_SO_MUCH = re.compile(
    rf"\b{_CHANGED}\s+(?:(?:by|of)\s+)?(?:(?:about|approximately|nearly|over|some|only)\s+)?{_SO_MUCH}"
    rf"(?:,?\s+(?:or|and)\s+{_SO_MUCH}|\s+\({_SO_MUCH}\))?",
    re.IGNORECASE,
)
"""By how much a thing changed, which does not say how much it is: "rose by 12 million or 6%"."""


_ASKS_SHARE = re.compile(
    r"\bpercent(?:age)?\b|\bper cent\b|\b(?:interest|tax|discount|coupon|default|vacancy|retention|inflation"
    r"|commission) rate\b|\brate of (?:interest|tax|return|inflation)\b",
    re.IGNORECASE,
)
"""What asks for a share of a hundred: a rate of interest is no ratio of 3 to 1."""


def _states_amount(part: str, words: str, members: int) -> bool:
    """Whether a number stands there that can be the one asked for: money for a price, "23 calls" for how many calls."""
    if _ASKS_SHARE.search(part):
        return bool(re.search(r"\d\s?%|\bper ?cent\b|\bpercentage points?\b", words, re.IGNORECASE))
    if _ASKS_MONEY.search(part):
        return bool(_MONEY.search(words))
    counted = _HOW_MANY.search(part)
    if _ASKS_LEVEL.match(part):
        words = _BY_SO_MUCH.sub(" ", words)
    named = {number.strip(".,") for number in _DIGITS.findall(part)}
    digits = (number for number in _DIGITS.finditer(words) if number.group().strip(".,") not in named)
    numbers = [
        number
        for number in digits
        if not _NAMES_THING.search(words[: number.start()]) and not _is_year(words, number.start(), number.group())
    ]
    spelled = (number for number in _NUMBER_WORDS.finditer(words) if counted or number.group().lower() not in _SLIGHT)
    numbers = [*numbers, *spelled]
    if counted is None:
        return bool(numbers)
    # "Jan. 9-14, 2019" counts nothing.
    dates = [match.span() for match in _DAYS.finditer(words)]
    numbers = [number for number in numbers if not any(start <= number.start() < end for start, end in dates)]
    is_measure = bool(_MEASURES.match(f" {counted['noun']}"))
    numbers = [number for number in numbers if is_measure or _may_count(words, number)]
    nouns = set(analyse(counted["noun"]))
    beside = (words[max(0, number.start() - 45) : number.end() + 60] for number in numbers)
    if not nouns or any(nouns & set(analyse(around)) for around in beside):
        return bool(numbers)
    is_people = _ASKS_PEOPLE.match(counted["noun"])
    return bool(is_people) and any(_COUNTS_PEOPLE.match(words, number.end()) for number in numbers)


_ASKS_MEANING = frozenset(
    analyse("meant meaning mean definition define defined term call called stand count example use used")
)


def _defines(part: str, text: str, members: int) -> bool:
    """Whether the words before "means" or "is a" are those of the term asked for."""
    term = set(analyse(part)) - _ASKS_MEANING
    names = bool(re.search(r"\bwhat (?:do|does) \w+ call\b|\bwhat is .{2,80} called\b", part, re.IGNORECASE))
    for match in _MEANS.finditer(text):
        # Asked what something is called, the description stands behind the word that defines.
        beside = text[match.end() : match.end() + 200] if names else text[max(0, match.start() - 120) : match.start()]
        subject = set(analyse(beside))
        if not term or len(term & subject) >= min(len(term), 2):
            return True
    return bool(term) and _is_entry(term, text)


_ENTRY = re.compile(r"\W*(?P<head>[^:–—\n]{2,50}?)\s*(?::|\s[–—]|\n\s*:?)\s*(?=[a-z]+ )")
"""An entry of a glossary: "Swath: the strip of seabed that the sonar covers on one line"."""


def _is_entry(term: set[str], text: str) -> bool:
    """Whether a text is the entry of a glossary, headed by just the term."""
    match = _ENTRY.match(text)
    return match is not None and set(analyse(match["head"])) == term


_REACHES = (
    (re.compile(r"\be-?mail\b", re.IGNORECASE), re.compile(r"\S@\w")),
    (
        re.compile(r"\bweb|\burl\b", re.IGNORECASE),
        re.compile(r"\bwww\.|https?:|\w\.(?:com|org|net|gov|edu|eu|uk|de)\b"),
    ),
    (re.compile(r""), re.compile(r"\d[\d ()/.–-]{3,}\d|\b[A-Z]{1,2}\d{1,2} \d[A-Z]{2}\b")),
)
"""What is asked for, an address on the web, a number, and how it looks."""


def _tells_contact(part: str, words: str, members: int) -> bool:
    """An e-mail address, an address on the web, or else a number to dial."""
    return next(bool(looks.search(words)) for asked, looks in _REACHES if asked.search(part))


_ASKS_LEAVE = re.compile(
    r"(?:^|[.!?,;]\s+)(?:and |but |so )?(?:can|may|must|should|am i|are we|do (?:i|we) (?:have|need))\b", re.I
)
"""How a question for leave or duty begins."""

_GIVES_LEAVE = re.compile(
    r"\b(?:must|may|might|can|cannot|shall|should|not|no|nor|never|neither|only|any|every|all|allowed|permitted"
    r"|permissible|forbidden|prohibited|banned|required|requires?|compulsory|mandatory|optional|optionally|possible"
    r"|entitled|eligible|exempt\w*|exclud\w*|includ\w*|covered|consent|permission|approval|authori[sz]\w*|unless|except\w*|if|free"
    r"|needed?|needs|refused?|accepted?|granted?|tolerated|welcome|available|provided|subject to|on request"
    r"|have to|has to|will be)\b",
    re.IGNORECASE,
)
"""What words have that give leave, refuse it or bind."""


def _settles(part: str, words: str, members: int) -> bool:
    """Asked for leave or duty ("May I ..."), words that give or refuse it; of other questions any statement."""
    return not _ASKS_LEAVE.search(part) or bool(_GIVES_LEAVE.search(words))


_CHECKS: dict[Wanted, Callable[[str, str, int], bool]] = {
    Wanted.PERSON: _tells_person,
    Wanted.DATE: _tells_date,
    Wanted.SPAN: _tells_span,
    Wanted.AMOUNT: _states_amount,
    Wanted.CONTACT: _tells_contact,
    Wanted.LIMIT: _searches(_LIMITS),
    Wanted.MEMBERS: _tells_members,
    Wanted.CAUSE: _searches(_CAUSE),
    Wanted.DEFINITION: _defines,
    Wanted.STEPS: _tells_steps,
    Wanted.POINTS: _tells_points,
    Wanted.PARTIES: _never,
    Wanted.MESSAGE: _never,
    Wanted.TERM: _searches(SPAN),
    Wanted.CONSEQUENCE: _tells_consequence,
    Wanted.EXTREME: _searches(_EXTREME),
    Wanted.SUM: _states_result,
    Wanted.CONTENT: _tells_content,
    Wanted.VERDICT: _settles,
}
"""The check of each kind: of the part of the question, the words, and the number of members. Others need none."""
