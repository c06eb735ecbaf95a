"""Whether a passage holds the kind of thing that a question asks for."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from vectorless_web.engine.passages.causes import find_effect, tells_cause
from vectorless_web.engine.passages.context import count_announced
from vectorless_web.engine.questions.formulas.request import read_whether_changed
from vectorless_web.engine.questions.requirements import (
    ASKS_AT_WILL,
    ASKS_FINE,
    ASKS_PRICE,
    ASKS_THING,
    Requirement,
    Wanted,
)
from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.text.analyser import analyse

_MONTHS = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_SPELLED = r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty(?:-\w+)?|half|several|hundred"
_COUNTED = rf"(?:\d|\b(?:an?|{_SPELLED})\b)"
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
    rf"|\b(?:end|beginning|start|middle) of {_MONTHS}"
    rf"|\b(?:until|till|since) (?:mid[- ])?{_MONTHS}(?! (?:be|not|have)\b)"
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
    r"|Clause|Committee|Flight|Street|Road|Review|Study|Repairs?|Requests?|Rules?|Forms?|Fees?|Codes?|Notices?|Period"
    r"|Room|Building|Number|Charges?|Limits?|Leave|The|This|In|If|On|At|For|No|All|Any|Each)\b"
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
_MEANS = re.compile(
    r"\b(?:means?|(?:is|are) (?:not )?(?:defined|counted|considered|deemed|regarded|treated|classed|classified|rated)"
    r"|defines?|qualif(?:y|ies) (?:as|if|when)|refers? to|is (?:a|an|the|any|one|called"
    r"|known as|what (?:we|they|you|one) call)|are (?:those|any|called|the|amounts?|fees)"
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
    r"|assess\w*|following|holds|houses|stocks|lends|sells)\b|:)"
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
    r"\b(?:cost|costs|price|fee|fees|charged?|charges|pay|pays|paid|spend|spends|spent|money|budget|rent|wage|earns?|earned"
    r"|salary|deposit|fine|penalty"
    r"|premium|excess|worth|refund\w*|reimburse\w*|allowance|compensation|bonus)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[$£€¥₹]\s?\d|\d\s?[$£€¥%]|\d[\d,.]*\s?(?:per ?cent|percent|USD|EUR|GBP|CHF|euros?|dollars?|pounds?|pence"
    r"|cents?|kronor|francs?|(?:million|billion)\b(?! (?:[a-z]+ ){0,2}[a-z]{3,}s\b))\b"
    r"|\bper ?cent\b|\b(?:USD|EUR|GBP|CHF|Rs\.?)\s?\d|\b(?:free of charge|no (?:charge|fee|cost|extra)|(?:not "
    r"|im)material|nil|months?[’']s?|days[’'] pay"
    r"|(?:half|twice)(?: of)?(?: (?:the|that|this|an?|his|her|their|its|your|our))?(?: \w+)?"
    r" (?:prices?|fees?|fares?|rents?|costs?|rates?|amounts?|sums?|pay|salary|deposits?|premiums?|charges?|wages?))\b",
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
    r"\b(?:(?:the |at )most|most(?! (?:[a-z]+ )?[a-z]{3,}s\b)|least|top|leading|maximum"
    r"|minimum|(?:high|low|larg|bigg|small|great|fast|slow|long|short|cheap|old|new|strong|weak)est"
    r"|best|worst)\b(?! (?:of|people|other)\b)",
    re.IGNORECASE,
)
_CHIEF = re.compile(r"\b(?:most important|main|principal|primary|chief|key|biggest|largest)\b", re.IGNORECASE)
"""How one thing is put before all others of its kind: "the main cause"."""
_FOLLOWS = re.compile(
    r"\b(?:if|where|when\w*|after|once|unless|late|later|beyond|exceed\w*|more than|fails?|failure|miss\w*|breach\w*"
    r"|break\w*|anyone|whoever|each|every|any)\b.*\b(?:fees?|fines?|penalt\w+|interest|reduc\w+|deduct\w+|credit\w*|damages"
    r"|surcharge|charged?|costs?|owes?|pays?|paid|liable|liability|banned|ban|warned|warning|terminat\w*|ends?|cancel\w*"
    r"|withdraw\w*|lose[sd]?|forfeit\w*|refus\w+|reject\w*|refund\w*|replac\w+|repair\w*|suspend\w*|dismiss\w*|entitled|must"
    r"|shall|may|stops?|locked|fails?|skip|restarts?|resumes?|starts? again|lapses?|expires?|reverts?|begins? again)\b",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE_NUMBER = re.compile(r"^\s*\(?(?:\d+(?:\.\d+)*|[a-z])[.)]?\s+")


@lru_cache(maxsize=1 << 10)
def is_met(requirement: Requirement, text: str, *, members: int = 0, heading: str = "") -> bool:
    """Whether the words of a passage below a heading hold what is asked for.

    `members` counts the items of a list. A number that only counts the clause is no number asked for. Where two parts
    of a question ask for a thing of a kind, two of them have to stand there. Kept for the last texts: the steps
    of a question read the same ones.
    """
    check, words = _CHECKS.get(requirement.wanted), _CLAUSE_NUMBER.sub("", text)
    if requirement.wanted in _OF_A_KIND and not _says_kind(requirement.part, f"{heading} {words}"):
        return False
    if requirement.wanted is Wanted.AMOUNT and not (
        _prices_thing(requirement.part, words, heading) and _is_on_matter(requirement.part, words, heading)
    ):
        return False
    if requirement.wanted is Wanted.STATEMENT and not _says_thing(requirement.part, words, heading):
        return False
    if check is not None and not check(requirement.part, words, members):
        return False
    counted = _COUNTED_KINDS.get(requirement.wanted)
    return counted is None or requirement.times == 1 or _count_distinct(counted, words) >= requirement.times


_OF_A_KIND = frozenset({Wanted.VERDICT, Wanted.MEMBERS, Wanted.STATEMENT})
"""What is read into any words on information, be it of the kind asked for or of another."""

_KIND_ASKED = re.compile(
    r"\b(?:my|your|our|their|his|her|its|the|\w+[’']s?|what|which|any|of|about|(?:collect|share|use|store|keep|sell)s?)"
    r"\s+(?:[a-z-]+\s+)?(?P<kind>[a-z-]+)\s+(?:information|data|details|particulars|records|activit(?:y|ies))\b"
    r"(?! (?:transfer|protection|security|sheet|base|processing))",
    re.IGNORECASE,
)
_NO_KIND = frozenset(
    analyse(
        "personal personally private confidential sensitive identifiable identifying other more additional further"
        " certain such same new old relevant important available user customer client member visitor people own all any"
        " some the my your our their his her its this that these those of about and or what which"
    )
)
"""Words before "information" that name no kind of it."""

_KINDS = (
    ("contact", r"\b(?:contact|e-?mail|(?:tele)?phone|address|name)"),
    ("location", r"\b(?:locat|geo|gps|gnss|where you|whereabouts|position|country|region|zip|postal|post ?code|city)"),
    (
        "computer device",
        r"\b(?:computer|device|hardware|browser|operating system|ip address|internet protocol|platform)",
    ),
    (
        "online browsing",
        r"\b(?:online|brows|visit|click|pages? (?:you )?view|surf|cookie|web (?:site )?activit|usage|log)",
    ),
    (
        "financial payment",
        r"\b(?:financ|payment|pay|credit|debit|card|bank|billing|account number|income|salar)",
    ),
    ("health medical", r"\b(?:health|medic|illness|disease|treatment|patient)"),
    ("media", r"\bsocial (?:media|network)"),
    ("demographic", r"\b(?:demograph|age\b|gender|sex\b|birth|income|education|household|marital|ethnic)"),
)
_KIND_SAID = {term: re.compile(look, re.IGNORECASE) for names, look in _KINDS for term in analyse(names)}
"""How words say that they are on information of a kind, by each analysed name of the kind."""


def _says_kind(part: str, words: str) -> bool:
    """Whether words are on the kind of information that is asked for: "location data" is not any data."""
    asked = _KIND_ASKED.search(part)
    kind = set(analyse(asked["kind"])) - _NO_KIND if asked else set()
    if not asked or not kind:
        return True
    said = set(analyse(words))
    if kind & said:
        return True
    looks = [_KIND_SAID[term] for term in kind if term in _KIND_SAID]
    if looks:
        return any(look.search(words) for look in looks)
    return bool(said & {term for wording in other_wordings(asked["kind"]) for term in wording.terms})


def _prices_thing(part: str, words: str, heading: str) -> bool:
    """Asked what a thing costs, whether a sentence with an amount of money, or its heading, is on that thing."""
    asked = ASKS_PRICE.search(part)
    nouns = asked["thing"].split() if asked else []
    if not nouns:
        return True
    wanted = _wordings_of(nouns[-1])
    if not wanted or wanted & set(analyse(heading)):
        return True
    priced = (sentence for sentence in _SENTENCES.split(words) if _MONEY.search(sentence))
    return any(wanted & set(analyse(sentence)) for sentence in priced)


_MATTER = re.compile(
    r"(?i:\bhow much) (?P<noun>(?!(?:money|cash|time|notice|warning|longer|shorter|higher|lower|bigger|smaller|earlier"
    r"|later|faster|slower|more|less|fewer|of|is|are|was|were|be|do|does|did|can|could|may|might|must|should|shall|will"
    r"|would|has|have|had|older|younger|to|in|for|over|under|above|below|before|after|the|a|an|it|they|we|you|i|he|she|cheaper|dearer|larger"
    r"|heavier|lighter|additional|extra|further|other|total|net|gross|better|worse|greater|stronger|weaker)\b)[a-z]{3,})"
    r"(?= (?:do|does|did|can|could|may|must|should|will|would|is|are|was|were|has|have|had)\b)"
)
"""A thing of which an amount is asked for, by its name alone: "How much blood do they take?\""""
_HAS_VOLUME = re.compile(
    rf"(?:\d|\b(?:{_SPELLED}))[\s-]?(?:[kmµ]?g|kilograms?|kilos?|grams?|tonnes?|tons?|[mc]?l|(?:milli)?lit(?:re|er)s?"
    r"|gallons?|pints?|cups?|spoons?|cubic)\b",
    re.IGNORECASE,
)
_SOLD = re.compile(
    r"\bhow much (?:money )?(?:do|does|did|will|would|can|could|has|have|had|is|are|was|were) (?:[\w’'-]+ ){1,5}?"
    r"(?P<deed>sell|sold|selling|lend|lent|borrow|borrowed|donate|donated|invest|invested|win|won|lose|lost)\b",
    re.IGNORECASE,
)
"""A deed that not any amount of money in a sentence belongs to."""


def _is_on_matter(part: str, words: str, heading: str) -> bool:
    """Whether words are on the thing of which an amount is asked for, or on the deed that it was had by.

    What has a weight or a volume may go by a pronoun: "They are fed six litres a day".
    """
    matter = None if _HAS_VOLUME.search(words) else _MATTER.search(part)
    for asked in filter(None, (matter, _SOLD.search(part))):
        wanted = _wordings_of(asked.group(asked.lastgroup or 0))
        if wanted and wanted.isdisjoint(analyse(f"{heading} {words}")):
            return False
    return True


_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"(])")

_NAMES_ONE = re.compile(r"(?<=[a-z,;] )[A-Z][\w’'-]+|\b[A-Z]{2,}\b|\b[A-Z]+-?\d+\b|\b\d+(?:st|nd|rd|th)\b")


_ASKS_NAMED = re.compile(
    r"\W*(?:(?:in|to|from|at) )?(?:which|what) (?:\w+ )?(?:languages?|countr(?:y|ies)|cit(?:y|ies)|towns?|villages?"
    r"|brands?|nationalit(?:y|ies)|airports?)\b",
    re.IGNORECASE,
)
"""A question for what has a name with a capital: "in his own language" names none."""


def _says_thing(part: str, words: str, heading: str) -> bool:
    """Whether words or their heading say the thing of which one is asked for, or the words name what may be it."""
    asked = ASKS_THING.match(part)
    if _ASKS_NAMED.match(part) and not _NAMES_ONE.search(words):
        return False
    said = analyse(f"{heading} {words}")
    return asked is None or bool(_wordings_of(asked["thing"]).intersection(said) or _NAMES_ONE.search(words))


def holds_several(requirement: Requirement, text: str, times: int) -> bool:
    """Whether so many things of a kind stand there that can be counted, be they alike; true of other kinds."""
    counted = _COUNTED_KINDS.get(requirement.wanted)
    found = counted.finditer(_CLAUSE_NUMBER.sub("", text)) if counted is not None else iter(())
    ends = [(match.start(), match.end()) for match in found]
    apart = [place for place, (start, _) in enumerate(ends) if not place or start - ends[place - 1][1] > 2]
    return counted is None or len(apart) >= times


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
    if _ASKS_EXCEPTED.search(part) and not _EXCEPTS.search(words):
        return False
    if _TERM_DEFINED.match(words):
        return False
    if _IS_IN_PLACE.search(words) is None and _HAS_LEFT.search(words) and not _ASKS_FORMER.search(part):
        return False
    wants_name = (
        re.search(r"\bnames?\b", part, re.IGNORECASE)
        or _ASKS_WHICH_FIRM.search(part)
        or (
            _ASKS_HOLDER.match(part) and not re.search(r"\b(?:means|person who|is the|are the)\b", words, re.IGNORECASE)
        )
    )
    if _states_holder(part, words) or _names_somebody(words, part):
        return True
    return not wants_name and (_tells_role(words, part) or _tells_doer(words, part))


_ASKS_WHICH_FIRM = re.compile(
    r"\b(?:which|what) (?:[\w’'-]+ )?(?:firm|company|bank|insurer|vendor|university|hospital|airline|charity)\b",
    re.IGNORECASE,
)
"""A question for a body that goes by a name, for which "the operator" is none."""

_TERM_DEFINED = re.compile(
    r"\W*(?:\d[\d.]*\s+)?[“\"'*]*[A-Z][\w ’'-]{2,40}[”\"'*]* (?:means|is defined as|stands for)\b"
)
"""How the definition of a term begins: who stands in it does nothing."""

_HAS_LEFT = re.compile(
    r"\b(?:left (?:the|our|us|in|at|after|on)|former(?:ly)?|retired|resigned|stepped down|predecessor|stood down"
    r"|has died)\b",
    re.IGNORECASE,
)
_IS_IN_PLACE = re.compile(
    r"\b(?:succe(?:eded|ssor)|replaced|took over|since|elected|appointed|is|are|new|joined|now)\b", re.IGNORECASE
)
_ASKS_FORMER = re.compile(
    r"\b(?:was|were|did|had|used to|former\w*|left|leav\w+|retir\w+|resign\w*|step\w* down|gone|went|before"
    r"|previous\w*)\b",
    re.IGNORECASE,
)
"""A question for somebody of the past; of another one nobody is told who has left, and no more."""

_ASKS_EXCEPTED = re.compile(
    r"\bwho\b.*\b(?:exceptions?|excepted|exempt\w*|excluded|barred|banned|left out)\b"
    r"|\bwho (?:may|can|must|shall|should|is|are) (?:not|never)\b|\bwho (?:cannot|can['’]t|mustn['’]t)\b",
    re.IGNORECASE,
)
"""A question for those to whom a rule does not apply, or whom it refuses a thing."""
_EXCEPTS = re.compile(
    r"\b(?:except\w*|exclu\w+|exempt\w*|other than|apart from|but not|unless|without|barred|banned|ineligible|forbidden"
    r"|prohibited|refused|not|never|no|nor|neither|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)


_ASKS_CASE = re.compile(r"(?:^|[.!?]\s+)\W*(?:and |but |so )?what if\b", re.IGNORECASE)


_ASKS_GROUNDS = re.compile(
    r"\b(?:on|for|under|in|with) (?:what|which) (?:grounds|reasons?|circumstances|conditions?|cases?)\b", re.IGNORECASE
)
_GIVES_GROUNDS = re.compile(
    r"\b(?:if|when\w*|where|once|unless|only|provided|because|grounds?|reasons?|cases?|circumstances?|conditions?|events?"
    r"|exempt\w*|except\w*|excus\w*|qualif\w+|subject to|causes?|for (?:lack|want))\b",
    re.IGNORECASE,
)
"""What a text puts as the case in which something may be: "only on medical grounds"."""


_ASKS_NEED = re.compile(r"\bwhat (?:do|does|would|will|did) (?:i|we|you|one|an? \w+) need\b(?! to do\b)", re.IGNORECASE)
_STATES_NEED = re.compile(
    r"\b(?:need\w*|requir\w*|must|shall|should|only|at least|provided|unless|if|conditions?|prerequisites?|minimum"
    r"|following|bring|have|has|necessary|essential|at hand|mandatory|compulsory|eligible|qualif\w+)\b",
    re.IGNORECASE,
)
"""What a text says is needed for a thing."""
_STATED = ((_ASKS_GROUNDS, _GIVES_GROUNDS), (_ASKS_NEED, _STATES_NEED))


def _tells_excepted(part: str, words: str, members: int) -> bool:
    """Asked who may not do a thing, words that refuse somebody something; asked "what if", words that put a case.

    Of other questions any statement.
    """
    if _ASKS_CASE.search(part) and not _CASE_TOLD.search(words):
        return False
    for asked, told in _STATED:
        if asked.search(part) and not told.search(words):
            return False
    return not _ASKS_EXCEPTED.search(part) or (bool(_EXCEPTS.search(words)) and names_office(words))


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


_ASKS_CLOCK = re.compile(
    r"\b(?:(?:what|which) time|what hour)\b(?! of (?:the )?(?:year|month|week)|s\b|frame)", re.IGNORECASE
)
_CLOCK = re.compile(
    r"\b[0-2]?\d[:.h][0-5]\d\b|\b\d{1,2}\s?[ap]\.?m\b|\b(?:0\d|1[0-8]|2[1-4])[0-5]\d\b|\b(?:19|20)[0-5]\d\s+(?:hours|h\b|local|[A-Z]{3}\b)"
    r"|\b(?:noon|midday|midnight|sunrise|sunset|dawn|dusk|o['’]clock|(?:seconds?|minutes?|hours?)"
    r" (?:before|after|prior|later|earlier|ahead))\b",
    re.IGNORECASE,
)
"""What tells a time of day, which a date does not."""


_ASKS_CALENDAR = re.compile(r"\b(?:what|which) (?:exact )?(?:date|year)\b", re.IGNORECASE)
_CALENDAR = re.compile(
    rf"\b{_MONTHS}\s+\d|\b\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{_MONTHS}\b|\b(?:19|20)\d\d\b"
    r"|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b(?:end|beginning|start|middle) of ",
    re.IGNORECASE,
)
"""A day or a year as a calendar has it, which a length of time is not."""


def _tells_date(part: str, words: str, members: int) -> bool:
    """A date, or the condition of a rule: "when may I" is answered by "if"; of an end or a start, the date of that."""
    if not _tells_event(part, words) or (_ASKS_CLOCK.search(part) and not _CLOCK.search(words)):
        return False
    if _ASKS_CALENDAR.search(part) and not _CALENDAR.search(words):
        return False
    is_rule = re.search(
        r"\bwhen (?:am|is|are|can|could|may|might|do|does|must|should|shall|would|will)\b", part, re.IGNORECASE
    )
    is_past = re.search(r"\bwhen (?:was|were|did|had|has|have)\b", part, re.IGNORECASE)
    found = (match for match in DATE.finditer(words) if not is_past or not _RELATIVE.match(match.group()))
    return any(found) or bool(is_rule and _CONDITION.search(words))


_LENGTH = re.compile(
    r"\d[\d,.]*[\s-]?(?:mm|cm|km|m|ft|in|inch(?:es)?|foot|feet|yards?|miles?"
    r"|(?:kilo|centi|milli)?met(?:er|re)s?)\b",
    re.IGNORECASE,
)


_ASKS_TEXT = re.compile(r"\bhow long .*\b(?:be|is|are)\b", re.IGNORECASE)
_TEXT_LENGTH = re.compile(
    rf"(?:\d|\b(?:{_SPELLED}))[\s-](?:characters?|letters?|digits?|words?|pages?|lines?|signs?)\b", re.IGNORECASE
)
"""How long a text is: "a password of at least 12 characters"."""

_HOW_HIGH_UP = re.compile(
    rf"{_LENGTH.pattern} (?:above|below|from|away|behind|beside|off|in front|apart)\b", re.IGNORECASE
)
"""What says where a thing is and not how long it is: "80 cm above the floor"."""


def _tells_span(part: str, words: str, members: int) -> bool:
    """A length of time or a frequency; of a thing that is so long, a measure too, and of how early or late, a time.

    A question for warning is met by words that say somebody is told beforehand.
    """
    if _ASKS_NOTICE.search(part) and not _GIVES_NOTICE.search(words):
        return False
    if asked := _ASKS_LENGTH.search(part):
        words = _HOW_OFTEN.sub(" ", words)
        if not _says_unit(asked["unit"], words):
            return False
    is_thing = re.search(r"\bhow long (?:is|are|was|were)\b", part, re.IGNORECASE)
    words = _HOW_HIGH_UP.sub(" ", words) if is_thing else words
    is_point = re.search(r"\bhow (?:early|soon|fast|quickly|far)\b", part, re.IGNORECASE)
    is_text = _ASKS_TEXT.search(part) and _TEXT_LENGTH.search(words)
    is_row = asked and re.search(rf"\b{asked['unit']}\b[^.;]{{0,30}}?\s\d", words, re.IGNORECASE)
    has_length = SPAN.search(words) or (is_thing and _LENGTH.search(words)) or (is_point and DATE.search(words))
    return bool(has_length or is_text or is_row)


_ASKS_LENGTH = re.compile(rf"\bhow many (?P<unit>{_TIME_UNITS})\b(?! (?:a|per|each|every)\b)", re.IGNORECASE)
_UNITS_BESIDE = {
    "second": "second|sec|s",
    "minute": "minute|min|hour|hr|h",
    "hour": "hour|hr|h|minute|min|day",
    "night": "night|day|week",
    "day": "day|night|week|hour|month",
    "week": "week|fortnight|day|month",
    "month": "month|week|quarter|year",
    "quarter": "quarter|month|year",
    "year": "year|month|decade",
}
"""Units in which a length is told that is asked for in one of them: days in weeks, and no seconds in minutes."""


def _says_unit(unit: str, words: str) -> bool:
    """Whether a length is told in a unit that the asked one is easily read from."""
    units = _UNITS_BESIDE.get(unit.lower().removesuffix("s"))
    return units is None or bool(re.search(rf"(?:\d|\b)(?:{units})s?\b", words, re.IGNORECASE))


_HOW_OFTEN = re.compile(
    rf"\b(?:once|twice|(?:\w+) times) (?:an?|per|each|every) \w+|\b(?:every|each|per) (?:\w+ )?{_TIME_UNITS}\b"
    r"|\b(?:daily|weekly|fortnightly|monthly|quarterly|yearly|annually|hourly|annual)\b",
    re.IGNORECASE,
)
"""What says how often a thing is done, and not how many minutes it takes."""

_ASKS_NOTICE = re.compile(r"\bhow (?:much|long) (?:advance )?(?:notice|warning|a warning)\b", re.IGNORECASE)
_GIVES_NOTICE = re.compile(
    r"\b(?:notice|notif\w+|notification|warn\w*|inform\w*|announc\w+|tells?|told|appl(?:y|ied|ications?)|ask(?:s|ed)?"
    r"|request\w*|book\w*|advance|ahead|prior|beforehand|earlier|report\w*|cancel\w*|terminat\w+|withdraw\w*)\b",
    re.IGNORECASE,
)
"""What says that something is made known before it happens."""


def _tells_members(part: str, words: str, members: int) -> bool:
    """A list, or a series in a sentence, of as many members at least as the question or the words themselves count."""
    count = max(count_announced(part, part), count_announced(words, part))
    if members > 1:
        return members >= count
    words = _THOUSANDS.sub("", words)
    is_series = bool(_SERIES.search(words)) or _tells_series(part, words)
    return is_series and len(_BETWEEN_MEMBERS.findall(words)) + 1 >= count


def _tells_series(part: str, words: str) -> bool:
    """Whether a sentence says most of what is asked and then counts up three things or more.

    "Which parts sustained damage?" is met by "it sustained damage to the tail, the flap and a door".
    """
    noun = _MEMBER_NOUN.search(part)
    asked = set(analyse(part)) - (set(analyse(noun["noun"])) if noun else set())
    for match in _PLAIN_SERIES.finditer(words):
        before = re.split(r"[.!?;]\s", words[: match.start("second")])[-1]
        if len(asked & set(analyse(before))) >= max(2, SAID_BEFORE_SERIES * len(asked)):
            return True
    return False


SAID_BEFORE_SERIES = 0.66
"""Share of the question's words, without what it calls the members, that a sentence says before it counts them up."""

_MEMBER_NOUN = re.compile(r"\b(?:which|what)\s+(?P<noun>(?:[\w’'-]+\s+){0,2}?[\w’'-]{3,}s)\b", re.IGNORECASE)
_THING = r"(?!(?:which|who|whom|where|when|while|but|because|if|although|as|is|was|were|are|has|had|have)\b)"
_THING += r"(?:[\w’'()/&.%£$€-]+ ){0,5}[\w’'()/&.%£$€-]*[\w)%]"
_PLAIN_SERIES = re.compile(
    rf"[\w)], (?P<second>{_THING})(?:, {_THING}){{0,20}},? (?:and|or|as well as) \w", re.IGNORECASE
)
_BETWEEN_MEMBERS = re.compile(r"[,;\n]|\b(?:and|or|as well as)\b", re.IGNORECASE)

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
"""The comma within a number, which parts no two members."""


_PERCENT = r"\d\s?(?:%|per ?cent\b|percentage points?\b)"
_NEVER_COPIED = re.compile(
    r"\bby (?:how|what)\b|\bhow (?:many|much) (?:(?:percentage )?points? |percent )?(?:more|less|fewer)\b"
    r"|\bdifference\b",
    re.IGNORECASE,
)
_POINTS_APART = re.compile(r"\d[- ](?:percentage[- ])?points? (?:more|less|fewer|higher|lower)\b", re.IGNORECASE)
_ASKS_BY_HOW_MUCH = re.compile(
    rf"\bby how (?:much|many)\b.*\b{_CHANGED}"
    r"|\bhow (?:much|many) (?:more|less|fewer)\b.*\bthan (?:the |in |in the )?(?:(?:year|season|month|week|day) before"
    r"|last|previous|prior|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_BOTH_SIDES = re.compile(
    r"\d[^.;:]{0,120}\b(?:up|down) (?:slightly |sharply )?from\b[^.;:\d]{0,12}\d"
    r"|\bfrom [^.;:\d]{0,12}\d[\d,.]*[^.;:]{0,40}\bto [^.;:\d]{0,12}\d"
    r"|\d[^.;:\d]{0,40}\b(?:against|compared (?:with|to)|versus|instead of) [^.;:\d]{0,12}\d",
    re.IGNORECASE,
)
"""What states a figure and what it was before, from which the change between them follows."""
_RESULTS = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(told, re.IGNORECASE))
    for asked, told in (
        (r"\b(?:average|mean)\b", r"\b(?:averag\w*|mean)\b[^.;:]*\d|\d[^.;:]*\bon average\b"),
        (
            r"\bsave\b",
            r"\b(?:sav\w+|discount\w*|cheaper|reduc\w+)\b[^.;]*\d|\d[^.;]*\b(?:off|saved|cheaper|discount)\b",
        ),
        (r"\bratio\b", r"\bratio\b[^.;]*\d|\d (?:times|to (?:1|one))\b|\d:\d"),
        (rf"\b(?:percentage|percent|per cent)\b.*\b{_CHANGED}", rf"\b{_CHANGED}\b[^.;]*{_PERCENT}"),
        (rf"\b{_CHANGED}", rf"\b{_CHANGED}\b[^.;]*\d"),
        (
            r"\b(?:total|combined|sum|altogether|collectively|taken together)\b",
            r"\b(?:total\w*|sum|aggregate\w*|combined|together|collectively)\b[^.;]*\d"
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
    if _MUST_DO.search(part) and _PROVIDED.search(words):
        return True
    # Two words of order in one clause put nothing in order: "then renewed unless notice is given before its end".
    told = sum(bool(_ORDER.search(clause)) for clause in _CLAUSE_ENDS.split(words)) + len(_ORDERS.findall(words))
    is_ordered = told > 1 or bool(re.search(r"\bin (?:this|that) order\b", words, re.IGNORECASE))
    for_purpose = any(set(analyse(match["deed"])) & set(analyse(part)) for match in _TO_DO.finditer(words))
    is_list = members > 1 and not _LISTS_THINGS.search(words)
    return is_list or is_ordered or for_purpose or bool(is_case and _IN_THAT_CASE.search(words))


_MUST_DO = re.compile(
    r"\b(?:must|have to|has to|need to|needs to|should) .{0,40}\bdo\b|\b(?:have|has|need) to do\b", re.IGNORECASE
)
_PROVIDED = re.compile(r"\b(?:provided(?: that)?|on condition that|as long as)\b", re.IGNORECASE)
"""What somebody has to do for something, told as its condition."""

_CLAUSE_ENDS = re.compile(r"[.;:,\n]\s*(?!\d*[.)]\s)")

_ORDERS = re.compile(
    r"(?:^|(?<=[.!?:;]\s)|(?<=\n))(?:Add|Apply|Attach|Bring|Call|Check|Choose|Click|Clean|Close|Complete|Connect|Contact|Cut|Dial"
    r"|Disconnect|Download|Email|Empty|Enter|Fill|Fit|Fold|Go|Hand|Hold|Insert|Install|Keep|Lay|Leave|Let|Lift|Log|Make|Measure"
    r"|Mix|Move|Open|Pay|Place|Post|Pour|Press|Pull|Push|Put|Read|Record|Register|Release|Remove|Repeat|Replace|Report|Reset"
    r"|Return|Ring|Rinse|Run|Save|Select|Send|Set|Shut|Sign|Start|Stop|Submit|Switch|Take|Tell|Tick|Tighten|Turn|Unplug"
    r"|Upload|Use|Wait|Wash|Wipe|Write)\b(?=\s+[a-z])"
)
"""Sentences that tell somebody what to do: "Bring proof of who you are"."""

_LISTS_THINGS = re.compile(
    r"\b(?:pay for|cover(?:s|ed)?|include[sd]?|consists? of|provides?|contains?|offers?|entitled to)\s*:", re.IGNORECASE
)
"""How a list is announced of things, and not of what to do: "We also pay for: - towing"."""

_TO_DO = re.compile(
    r"(?:^|\n)\W*(?:\d{1,2}|[a-z]|[ivx]+)[.)]\s|\b(?:must|shall|should|have to|has to|need(?:s|ed)? to|steps?|procedure"
    r"|follows?|following|as follows|proceed\w*|order|act|do|to [a-z]+)\b"
    rf"|{_ORDERS.pattern}",
    re.MULTILINE,
)
"""What a list has that tells what to do: numbers, orders, a duty. "We also pay for: - towing" has none."""

_TO_DO = re.compile(
    r"(?:^|[.!?:]\s+)(?:in order )?to (?P<deed>[a-z]+)\b[^.,;:]{0,80}, "
    r"(?!(?:the|an?|this|that|these|it|they|there)\b)\w+",
    re.IGNORECASE,
)
"""What is done for a purpose: "To register, send form A"."""


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


_STATES_FINE = re.compile(
    r"\b(?:fine[sd]?|penalt\w+|sanction\w*|surcharge\w*|fees?|charge[sd]?|pays?|paid|interest|banned|warning|dismiss\w*"
    r"|terminat\w*|forfeit\w*|lose[sd]?|deduct\w*|credit\w*)\b|[$£€¥]|\d\s?%|\bper ?cent\b",
    re.IGNORECASE,
)


def _tells_consequence(part: str, words: str, members: int) -> bool:
    """What follows in the case asked about: the case that the text itself puts must say something of it."""
    if ASKS_FINE.search(part) and not _STATES_FINE.search(words):
        return False
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
    return any(
        not set(analyse(match.group())) <= asked
        for cell in cells
        for match in _ROLES.finditer(cell)
        if not (_ANYBODY.fullmatch(match.group()) and _SO_MANY.search(cell[: match.start()]))
    )


_HELD = re.compile(r"\W{0,3}(?P<name>[A-Z][\w ’'/&()-]{1,60}?)\s*:\s*(?P<value>[A-ZÀ-ÖØ-Þ][^\W\d]+(?: .*)?)", re.DOTALL)
_DONE_BY = re.compile(
    r"\b(?:[a-z]{2,}(?:ed|able|ible)|paid|borne|met|held|kept|run|led|taken|given|made|done|set|sent|drawn|chosen"
    r"|written) by (?:the|an?|our|its|their|your|his|her) (?!(?:\w+ )?(?:end|date|time|day|week|month"
    r"|year|use|help|means|following|same|first|last|way)\b)(?P<doer>[\w’'-]+)",
    re.IGNORECASE,
)
"""How a text says who does a thing, whatever they are called: "borne by the hirer"."""
_DONE_LATER_BY = re.compile(
    r"\b(?:was|were|is|are|been|be|being)\b(?: [\w’'-]+){1,3} (?:in|on|at|from|since|during|every|each) [^.;,]{2,30}?"
    r"\bby (?:(?:the|an?|our|its|their) )?(?!(?:the |an? )?(?:end|date|time|day|week|month|year|use|means|way)\b)"
    rf"(?P<doer>{_CAPITAL}[\w’'-]+)"
)
"""The same with the time or the place between: "laid out in 1961 by the Probert brothers"."""
_SO_MANY = re.compile(rf"(?:\d|\b(?:{_SPELLED}|more than|fewer than))\s+$", re.IGNORECASE)
"""What stands before people who are counted, of whom nothing is done: "seats thirty persons"."""
_ANYBODY = re.compile(r"(?:persons?|members?|users?|passengers?|residents?|patients?|people)", re.IGNORECASE)


def _states_holder(part: str, words: str) -> bool:
    """Whether a line names the very office that is asked for, and states who holds it: "Operator: Marlin"."""
    match = _HELD.fullmatch(words.strip())
    name = set(analyse(match["name"])) if match else set()
    return bool(name) and name <= set(analyse(part))


def _tells_doer(words: str, part: str) -> bool:
    asked = set(analyse(part))
    done = (match for pattern in (_DONE_BY, _DONE_LATER_BY) for match in pattern.finditer(words))
    return any(not set(analyse(match["doer"])) <= asked for match in done)


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


_TIMES_ASKED = re.compile(r"times\b", re.IGNORECASE)
_SO_OFTEN = re.compile(r"\b(?:once|twice|thrice)\b", re.IGNORECASE)
_ASKS_PEOPLE = re.compile(
    r"^(?:people|persons?|men|women|others|locals|folks?|guys|kids|of (?:them|us))\b", re.IGNORECASE
)
_COUNTS_PEOPLE = re.compile(
    r"\s+(?:of (?:the )?)?(?:[\w’'-]+ ){0,2}(?:members?|participants?|passengers?|inhabitants?|residents?|visitors?"
    r"|persons?|people|adults?|children|pupils?|students?|patients?|subjects?|individuals|volunteers?|employees?|workers?"
    r"|staff|guests?|delegates?|shareholders?|owners?|tenants?|users|households|injured|killed)\b(?! [a-z]{3,}s\b)",
    re.IGNORECASE,
)
"""What follows a number that counts people, whatever the document calls them: "six of the 83 passengers"."""

_SHARE = re.compile(r"\s?(?:%|per ?cent\b)", re.IGNORECASE)


_MEASURES = re.compile(
    rf"[\s-]?(?:{_TIME_UNITS}|(?:working|business|calendar) days?|[ap]\.?m\b|euros?|dollars?|pounds?|pence|cents?"
    r"|kronor|kroner|francs?|yen|rupees?|roubles?|lira|pesos?|USD|EUR|GBP|CHF|[km]?g|kilograms?|tonnes?|[cmk]m|miles?|met(?:re|er)s?|lit(?:re|er)s?|ml|degrees?|°\w?)\b(?![\s-]old)",
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
    r"|asc|asu|sfas|ifrs|ias|iso|din|regulation|rule|article|act|unit|question|quiz|paragraph|exhibit|schedule|annex|room|gate|lesson|grade)\s$",
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


_UNITS = (
    (r"heav(?:y|ier)|weigh\w*", r"(?:[kmµ]?g|kilo\w*|grams?|tons?|tonnes?|t|lbs?|pounds?|ounces?|oz|stone)\b"),
    (
        r"far|tall|deep|wide|thick",
        r"(?:[cmk]?m|in|inch(?:es)?|ft|foot|feet|yards?|miles?|\w*met(?:re|er)s?|hours?|minutes?|stor(?:ey|ie)s|[^\w\s])",
    ),
    (r"hot|cold|warm", r"(?:°|degrees?\b|[CFK]\b)"),
    (r"loud|noisy|quiet", r"(?:dB|decibels?)"),
    (
        r"fast",
        r"(?:knots?|kt|mph|km/h|[mk]\w*/\w+|rpm|\w+ (?:per|an?) \w+|[kM]bit\w*|bits?|times"
        r"|\w*seconds?|minutes?|hours?|days?)",
    ),
)
"""What an adjective asks for, and the units that follow a number which tells it."""
_MEASURED = tuple(
    (
        re.compile(rf"\bhow (?:{asked})\b", re.IGNORECASE),
        re.compile(rf"(?:\d|\b(?:{_SPELLED}))[\s-]*{unit}", re.IGNORECASE),
    )
    for asked, unit in _UNITS
)


_ASKS_SHARE = re.compile(
    r"\bpercent(?:age)?\b|\bper cent\b|\b(?:interest|tax|discount|coupon|default|vacancy|retention|inflation"
    r"|commission) rate\b|\brate of (?:interest|tax|return|inflation)\b",
    re.IGNORECASE,
)
"""What asks for a share of a hundred: a rate of interest is no ratio of 3 to 1."""


ASKS_PART = re.compile(r"\b(?:what|which|how (?:big|large|high) an?) (?:share|proportion|fraction) of\b", re.IGNORECASE)
"""A question for which part of a whole something is."""
_STATES_PART = re.compile(
    r"\d\s?%|\bper ?cent\b|\b(?:half|halves|thirds?|quarters?|fifths?|sixths?|eighths?|tenths?|majority|most|all"
    r"|none)\b"
    r"|\b(?:one|two|three|four|five|nine|\d+) (?:in|out of) (?:every )?(?:\d|two|three|four|five|six|ten)"
    r"|\d[\d,.]* of (?:the |its |their |our )?\d|\bof (?:which|these|whom)\b.*\d",
    re.IGNORECASE,
)
"""What says which part of a whole something is: "two thirds", "one in four", "37 of the 52"."""
_OTHER_MILLIONS = re.compile(
    r"(?<![$£€¥₹\d.,])\d[\d,.]*\s(?:million|billion) (?:[a-z]+ ){0,2}[a-z]{3,}s\b[^.;£$€]*"
    r"\d[\d,.]*\s(?:million|billion)\b(?! (?:USD|EUR|GBP|euros|dollars|pounds))",
    re.IGNORECASE,
)
"""Things counted in millions, and as many of them as before: "412 million litres, against 405 million"."""
_ASKS_REST = re.compile(
    r"\bhow (?:much|many)\b.{0,40}\b(?:is|are|was|were|will be|do|does) (?:[\w’']+ ){0,4}?"
    r"(?:left|remain\w*|outstanding|still owe)\b",
    re.IGNORECASE,
)
_STATES_REST = re.compile(
    r"(?:\b(?:left|remain\w*|outstanding|balance|rest|owe[sd]?|unspent|unsold|unused)\b[^.;]*[\d£$€]"
    r"|[\d£$€][^.;]*\b(?:left|remain\w*|outstanding|balance|rest|owe[sd]?|unspent|unsold|unused)\b)",
    re.IGNORECASE,
)
"""What says how much is left of something, in one clause."""
_HOW_MUCH_OF = re.compile(
    r"\bhow much (?!(?:time|notice|warning|longer|earlier|later|is|are|was|were|do|does|did|can|may|must|should|will"
    r"|would|more|less|older|younger|leave|holiday|sick|vacation|parental|training|experience|flying|overtime|rest|sleep)\b)[a-z]",
    re.IGNORECASE,
)
_LASTS = re.compile(rf"(?:\d[\d,.]*|\b(?:{_SPELLED}))(?:\s?(?:[-–]|to|or)\s?\w+)?[\s-]{_TIME_UNITS}\b", re.IGNORECASE)
"""A length of time, which is no answer to how much of a thing there is."""


def _states_amount(part: str, words: str, members: int) -> bool:
    """Whether a number stands there that can be the one asked for: money for a price, "23 calls" for how many calls."""
    if ASKS_PART.search(part):
        return bool(_STATES_PART.search(words))
    if _ASKS_REST.search(part) and not _STATES_REST.search(words):
        return False
    if _ASKS_SHARE.search(part):
        return bool(re.search(r"\d\s?%|\bper ?cent\b|\bpercentage points?\b", words, re.IGNORECASE))
    if _ASKS_MONEY.search(part):
        return bool(_MONEY.search(_OTHER_MILLIONS.sub(" ", words)))
    measured = next((told for asked, told in _MEASURED if asked.search(part)), None)
    if measured is not None and not measured.search(words):
        return False
    counted = _HOW_MANY.search(part)
    if _ASKS_LEVEL.match(part):
        words = _BY_SO_MUCH.sub(" ", words)
    if _HOW_MUCH_OF.search(part):
        words = _LASTS.sub(" ", words)
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
    return _counts_thing(part, words, counted["noun"], numbers)


def _counts_thing(part: str, words: str, noun: str, numbers: Sequence[re.Match[str]]) -> bool:
    """Whether one of the numbers counts what is asked for: of "how many times" what is done, too."""
    # "Jan. 9-14, 2019" counts nothing.
    dates = [match.span() for match in _DAYS.finditer(words)]
    numbers = [number for number in numbers if not any(start <= number.start() < end for start, end in dates)]
    is_measure = bool(_MEASURES.match(f" {noun}"))
    numbers = [number for number in numbers if is_measure or _may_count(words, number)]
    nouns = _wordings_of(noun)
    if not nouns or any(_counts(words, number, nouns) for number in numbers):
        return bool(numbers)
    if _TIMES_ASKED.match(noun):
        deeds = frozenset(analyse(part))
        return bool(_SO_OFTEN.search(words)) or any(_counts(words, number, deeds) for number in numbers)
    return bool(_ASKS_PEOPLE.match(noun)) and any(_COUNTS_PEOPLE.match(words, number.end()) for number in numbers)


def _wordings_of(noun: str) -> frozenset[str]:
    """The stems of what is counted, and of the single words that documents have for it: households for families."""
    others = (other.terms for other in other_wordings(noun) if len(other.terms) == 1)
    return frozenset([*analyse(noun), *(term for terms in others for term in terms)])


_SINGLE = re.compile(r"\b(?:each|every|any|per|an?)\s+[\w’'-]+", re.IGNORECASE)
"""One taken for all: "each family", of which no number is told."""


_PLURAL = re.compile(r"[a-z]{3,}(?<!ou)(?<!s)s", re.IGNORECASE)


def _counts(words: str, number: re.Match[str], nouns: frozenset[str]) -> bool:
    """Whether a number stands beside one of the nouns, ahead of it or behind it.

    In "Each family works at three meets" no families are counted, in "40 member farms" no members, and in "passwords of
    at least 12 characters" no passwords.
    """
    after, before = words[number.end() : number.end() + 60], words[max(0, number.start() - 45) : number.start()]
    following = re.findall(r"[^\W\d_]+|[^\w\s’'-]", after)
    for place, word in enumerate(following):
        is_plural = bool(_PLURAL.fullmatch(word))
        ahead = following[place + 1] if place + 1 < len(following) else ""
        if nouns & set(analyse(word)) and (is_plural or not _PLURAL.fullmatch(ahead)):
            return True
        if is_plural and place < _NEXT_TO and ahead.lower() != "of":
            return ahead.lower() in ("and", "or", ",") and bool(
                nouns & set(analyse(" ".join(following[place + 2 :][:2])))
            )
    return bool(nouns & set(analyse(_SINGLE.sub(" ", before))))


_NEXT_TO = 3
"""Words behind a number among which a noun in the plural is what it counts."""


_ASKS_MEANING = frozenset(
    analyse(
        "exactly meant meaning mean definition define defined term call called stand count example use used considered"
        " deemed regarded treated classed classified rated qualify"
    )
)


def _defines(part: str, text: str, members: int) -> bool:
    """Whether the words before "means" or "is a" are those of the term asked for."""
    term = set(analyse(part)) - _ASKS_MEANING
    names = bool(re.search(r"\bwhat (?:do|does) \w+ call\b|\bwhat is .{2,80} called\b", part, re.IGNORECASE))
    for match in _MEANS.finditer(text):
        # Asked what something is called, the description stands behind the word that defines.
        beside = text[match.end() : match.end() + 200] if names else text[max(0, match.start() - 120) : match.start()]
        # "Damage is counted as minor if ...": the name stands behind the words that give it.
        beside += text[match.end() : match.end() + 40] if _NAMES_BEHIND.search(match.group()) else ""
        subject = set(analyse(beside))
        if not term or len(term & subject) >= min(len(term), 2) or (subject and subject <= term):
            return True
    return bool(term) and (_is_entry(term, text) or _explains_in_brackets(term, text))


_BRACKETS = re.compile(r"(?P<term>[\w’'-]+)\s+\((?P<meaning>[^()]{20,300})\)")
LEAST_MEANING = 5
"""Words in brackets behind a term that say what it means; fewer are another name of it."""


def _explains_in_brackets(term: set[str], text: str) -> bool:
    """Whether brackets right behind a word of the term say what it means: "affordable (a premium below ...)"."""
    return any(
        len(match["meaning"].split()) >= LEAST_MEANING and term & set(analyse(match["term"]))
        for match in _BRACKETS.finditer(text)
    )


_NAMES_BEHIND = re.compile(
    r"count|consider|deem|regard|treat|class|rated|qualif|define(?:s|d)?$|call|known as", re.IGNORECASE
)

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


_AT_WILL = re.compile(
    r"\b(?:for any reason|without (?:giving |stating |having |needing )?(?:an?y? )?(?:reasons?|cause)"
    r"|for (?:\w+ )?convenience|at will|at (?:its|their|his|her|your|our|any) (?:\w+ )?(?:discretion|time)|no reason"
    r"|whenever|(?:good|serious) (?:cause|reason)|only (?:for|if|with))\b",
    re.IGNORECASE,
)
"""How a rule says that a reason is needed for a thing, or none."""


_DECIDED = re.compile(
    r"\b(?:was|were|is|are|been|be)\s+(?:\w+ly\s+|not\s+)?(?:approved|adopted|carried|passed|ratified|accepted|granted"
    r"|defeated|rejected|refused|dismissed|declined|lost|withdrawn|postponed|upheld|overturned|confirmed)\W*$",
    re.IGNORECASE,
)


def tells_decision(sentence: str) -> bool:
    """Whether a sentence ends by saying what was decided: "The proposal was defeated:", whatever votes follow it."""
    return bool(_DECIDED.search(sentence)) and not re.search(r"\bfollowing\b", sentence, re.IGNORECASE)


_ASKS_PAST = re.compile(
    r"\W*(?:(?:and|but|so)\s+)?(?:did|was there|were there|has there|have there|has (?:\w+ ){1,4}(?:already|yet|changed"
    r"|increased|decreased|grown|fallen|risen|dropped))\b",
    re.IGNORECASE,
)
"""How a question begins that asks whether something has happened."""
_WILL_BE = re.compile(
    r"\b(?:(?:expects?|plans?|intends?|anticipates?|hopes?|proposes?) (?:\w+ )?to|will|may|is going to"
    r"|are going to|aims? to)\b",
    re.IGNORECASE,
)
_HAS_BEEN = re.compile(
    r"\b(?:was|were|did|had|has|have|been|since|ago|fell|rose|grew|made|paid|took|gave|went|came|sold|bought|became"
    r"|began|kept|held|left|lost|won|met|set|cut|built|(?!need|exceed|proceed|indeed|feed|speed)[a-z]{3,}ed)\b",
    re.IGNORECASE,
)


def _only_foretells(words: str) -> bool:
    """Whether words say what is to come or may be, and nothing of what was: "We expect to close four shops."."""
    return bool(_WILL_BE.search(words)) and not _HAS_BEEN.search(words)


_ASKS_PACE = re.compile(
    r"\b(?:accelerat\w*|decelerat\w*|speed(?:ing|ed)? up|sped up|slow(?:s|er|ing|ed)?(?: down)?|faster|quicken\w*"
    r"|pick(?:s|ed|ing)? up|los(?:e|es|ing|t) pace|gain(?:s|ed|ing)? pace)\b",
    re.IGNORECASE,
)
"""Words on whether growth itself grows, of which a rate of growth alone says nothing."""
_ASKS_WHETHER_HAS = re.compile(
    r"\W*(?:does|do|did)\s+[^,;?]{2,80}?\s+have\s+(?:any |an? |the )?(?:previous|prior|earlier|past"
    r"|former|formal|relevant)\s+(?:[\w’'-]+\s+){0,2}?(?P<noun>[\w’'-]{4,})(?=\s+(?:in|of|with|at|from|as|to|for|on)\b|\W*$)",
    re.IGNORECASE,
)
"""How a question asks for what somebody brings along: "Does the new cook have previous experience in schools?\""""


_HAS_CHANGED = re.compile(
    r"\b(?:rose|risen|fell|fallen|grew|grown|shr[au]nk|dropped|increased|decreased|declined|expanded|improved|changed"
    r"|unchanged|remained|stayed|doubled|halved|up|down|higher|lower|more|fewer|less|same|stable|no change|opened"
    r"|closed|added|lost|gained|was|were)\b",
    re.IGNORECASE,
)
"""What tells of a change that has come about, or that none has."""


def _settles(part: str, words: str, members: int) -> bool:
    """Asked for leave or duty ("May I ..."), words that give or refuse it; whether a thing happened, no mere plan.

    Whether a thing changed is settled by words on that thing, not by another one's change that it explains, and whether
    somebody may do a thing at will by words that say whether a reason is needed. Of other questions any statement.
    """
    if ASKS_AT_WILL.search(part) and not _AT_WILL.search(words):
        return False
    if _ASKS_PAST.match(part) and _only_foretells(words):
        return False
    if _ASKS_PACE.search(part) and not _ASKS_PACE.search(words):
        return False
    if (held := _ASKS_WHETHER_HAS.match(part)) and set(analyse(words)).isdisjoint(_wordings_of(held["noun"])):
        return False
    changed = read_whether_changed(part)
    if changed is not None:
        is_on_it = not set(analyse(changed.operands[0].words)).isdisjoint(analyse(find_effect(words)))
        if not is_on_it or not _HAS_CHANGED.search(words):
            return False
    return not _ASKS_LEAVE.search(part) or bool(_GIVES_LEAVE.search(words))


_END = (
    r"(?:(?!(?:inter|requ|cont|for|harv|inv|northw|southw|dig|prot|arr|hon|mod|manif|sugg)est\b)[a-z]{3,}est"
    r"|more than any|exceeds? all|record)"
)
_SUPERLATIVE = re.compile(rf"\b{_END}\b", re.IGNORECASE)
_AT_THE_END = re.compile(
    rf"\b(?:{_END}|at most|at least|up to|no (?:more|less|fewer|longer|later) than|not (?:exceed|more|less)\w*)\b",
    re.IGNORECASE,
)
"""Words by which a text puts a thing at the end of a scale: a superlative, or a bound."""


_ASKS_MEMBER = re.compile(r"\b(?:which|who)\b", re.IGNORECASE)


def _tells_extreme(part: str, words: str, members: int) -> bool:
    """Asked which of several things is the most, a superlative; asked for the most of one thing, its bound as well."""
    if _CHIEF.search(part) and _CHIEF.search(words):
        return True
    return bool(
        _EXTREME.search(words) or (_AT_THE_END if _ASKS_MEMBER.search(part) is None else _SUPERLATIVE).search(words)
    )


_CHECKS: dict[Wanted, Callable[[str, str, int], bool]] = {
    Wanted.PERSON: _tells_person,
    Wanted.DATE: _tells_date,
    Wanted.SPAN: _tells_span,
    Wanted.AMOUNT: _states_amount,
    Wanted.CONTACT: _tells_contact,
    Wanted.LIMIT: _searches(_LIMITS),
    Wanted.MEMBERS: _tells_members,
    Wanted.CAUSE: lambda part, words, members: tells_cause(part, words),
    Wanted.DEFINITION: _defines,
    Wanted.STEPS: _tells_steps,
    Wanted.POINTS: _tells_points,
    Wanted.PARTIES: _never,
    Wanted.MESSAGE: _never,
    Wanted.TERM: _searches(SPAN),
    Wanted.CONSEQUENCE: _tells_consequence,
    Wanted.EXTREME: _tells_extreme,
    Wanted.SUM: _states_result,
    Wanted.CONTENT: _tells_content,
    Wanted.VERDICT: _settles,
    Wanted.STATEMENT: _tells_excepted,
}
"""The check of each kind: of the part of the question, the words, and the number of members. Others need none."""
