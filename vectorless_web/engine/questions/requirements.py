"""What an answer owes its question: the kinds of thing asked for, in plain words."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from vectorless_web.engine.questions.plan import Intent, QueryPlan
from vectorless_web.engine.text.analyser import analyse


class Wanted(StrEnum):
    """A kind of thing that an answer must hold; the value says it in plain words."""

    PERSON = "a person or a body"
    PARTIES = "the parties by name"
    MESSAGE = "what the head of the message says"
    TERM = "how long the contract runs"
    CONSEQUENCE = "what follows from it"
    DATE = "a date or a time"
    SPAN = "a length of time or how often"
    AMOUNT = "a number"
    CONTACT = "a telephone number or an address"
    LIMIT = "the limit with its exceptions"
    VERDICT = "a rule that settles yes or no"
    MEMBERS = "every member of a list"
    CAUSE = "a cause or a purpose"
    DEFINITION = "what the term means"
    STEPS = "the steps in their order"
    POINTS = "the main points"
    EXTREME = "which is the most or the least"
    SUM = "a figure worked out from others"
    CONTENT = "what it is made up of"
    STATEMENT = "a statement"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that is asked for, with the words of the question that ask for it, and how many parts ask for one."""

    wanted: Wanted
    part: str
    times: int = 1

    def describe(self) -> str:
        """ "a date or a time"."""
        return self.wanted.value


_UNITS_OF_TIME = r"(?:second|minute|hour|day|night|week|month|quarter|year)s?"
_BODIES = (
    r"person|people|firm|company|organi[sz]ation|office|officer|agency|department|authority|body|bank|insurer"
    r"|supplier"
    r"|vendor|landlord|tenant|party|committee|court|hospital|doctor|manager|director|team|institution|ministry|school"
)
_THIS_MESSAGE = r"(?:this|it|(?:the|this|that) (?:e-?mail|mail|message|letter|note))(?: (?:e-?mail|mail|message))?"
_HOW_MUCH_IS = r"\b(?:what|how (?:much|high|large)) (?:is|are|was|were) (?:the )?"
_FEW_WORDS = r"(?:(?!(?:reason|cause|driver|effect|impact|purpose)s?\b)[\w’'%()/-]+ ){0,3}?"
"""Words ahead of the name of what is worked out; "the reason for the change" asks for words."""

_ASKS_CRITERION = (
    r"\bwhen (?:is|are|was|were|do|does|will) [^?.]{2,80}?\b(?:counts?|counted|considered|deemed|regarded|treated"
    r"|classed"
    r"|classified|rated|qualify|qualified)(?: as| to be)? (?!by\b|in\b|at\b|on\b|for\b|again\b|with\b|and\b)[a-z]"
)
"""A question for what a thing has to be to be called so: "When is a claim deemed complete?\""""

ASKS_DOER = re.compile(
    r"^\W*what (?:else )?(?:(?:may|might|could|has|have|had) (?:have )?)?(?:\w+ly )?"
    r"(?P<verb>(?!(?:caus|happen|follow|need|includ|remain|chang|receiv|contain|preced)ed\b|(?:are|is)\b)[a-z]{3,}ed"
    r"|broke|struck|hit|drew|shook|sank|brought about|held up|set off|put out)"
    r" (?:(?:the|an?|its|their|his|her|our|your|my|this|that|these|those|so many)\b|(?-i:[A-Z]))",
    re.IGNORECASE,
)
"""A question for what did a thing: "What diverted the driver's attention?\""""

_BROKEN = r"[a-z]+ed|broken|torn|bent|stuck|lost|hurt|wet|stolen|cut"
_CAME_ABOUT = rf"(?:(?:get|become|end up) (?:{_BROKEN})|start|begin|happen|break|catch fire|come about)"
_ASKS_HOW_IT_CAME = rf"\bhow did (?:[\w’'-]+ ){{1,5}}?{_CAME_ABOUT}\b"
"""A question for what brought a thing about: "How did the window get cracked?\""""

ASKS_AT_WILL = re.compile(
    r"\bbecause (?:it|he|she|they|we|i|you) (?:just |simply )?(?:wants?|feels? like|fanc(?:y|ies)|likes?|chooses?)\b"
    r"|\b(?:on a whim|for no reason|for any reason|without (?:giving |having )?(?:a |any )?(?:reasons?|cause))\b",
    re.IGNORECASE,
)
"""A question whether somebody may do a thing without a reason: "just because it wants to"."""

_ASKED: tuple[tuple[Wanted, re.Pattern[str]], ...] = tuple(
    (wanted, re.compile(pattern, re.IGNORECASE))
    for wanted, pattern in (
        (
            Wanted.PARTIES,
            r"\bwho (?:are|were|is|was) (?:all )?(?:the |both )?(?:contract(?:ing|ual)? )?(?:part(?:y|ies)|sides)\b"
            r"|\b(?:list|name|which|what are) (?:all )?(?:the )?(?:contracting )?parties\b|\bbetween whom\b"
            r"|\bwho (?:is|are|was) (?:this|the) (?:contract|agreement|lease|deal) (?:between|with)\b"
            r"|\bwho (?:made|concluded|entered into) (?:this|the) (?:contract|agreement|lease|deal)\b",
        ),
        (
            Wanted.MESSAGE,
            rf"\bwho (?:sent|wrote|signed|received|got|has (?:written|signed)) {_THIS_MESSAGE}\b"
            rf"|\bwho (?:is|was) {_THIS_MESSAGE} (?:from|to|by|written by|sent by|sent to|addressed to)\b"
            rf"|\b(?:to|from) whom (?:is|was) {_THIS_MESSAGE}\b"
            rf"|\bwhen (?:was|did) {_THIS_MESSAGE} (?:sent|written|received|arrive|come)\b"
            rf"|\bwho are the (?:recipients|addressees)\b|\bwho (?:is|was) the (?:sender|recipient|addressee)\b",
        ),
        (
            Wanted.TERM,
            r"\b(?:how long|what) (?:is|are|was) the (?:\w+ )?(?:term|duration)\b"
            r"(?! of (?!(?:the|this|our) (?:contract|agreement|lease)))"
            r"|\bhow long (?:does|do|will|is|shall) (?:the|this|our) (?:\w+ )?(?:contract|agreement|lease|tenancy)"
            r"(?: (?:run|last|valid|in force))?\W*$",
        ),
        (
            Wanted.CONSEQUENCE,
            r"\bwhat happens (?:if|when|in case|in the event|should|upon"
            r"|on (?:an?|any|termination|default|breach|death|expiry|insolvency|cancellation))\b"
            r"|\bwhat (?:is|are) the (?:\w+ )?(?:penalt(?:y|ies)|fines?|sanctions?|consequences?)\b"
            r"|\bwhat (?:follows|are the consequences) (?:if|when|of)\b",
        ),
        (
            Wanted.CONTENT,
            r"\bwhat (?:is|are|was|were) (?:included|contained|comprised) in\b"
            r"|\bwhat (?:[\w-]+ ){0,2}(?:do|does|did) .{2,80} (?:include|contain|comprise|consist of)\W*$"
            r"|\bwhat (?:is|are|was|were) .{2,80} (?:made up|composed) of\W*$",
        ),
        (
            Wanted.STATEMENT,
            r"^\W*who (?:must|may|can|should|shall) (?:not|never)\b|^\W*who (?:cannot|can['’]t|mustn['’]t)\b"
            r"|^\W*who (?:is|are) (?:not |never )?"
            r"(?:allowed|eligible|excluded|entitled|exempt|admitted|barred|banned)\b"
            r"|^\W*what (?:is|are|was|were) (?:not |never |also )?"
            r"(?:[a-z]{3,}ed|forbidden|left out|paid for|paid)\b(?! as\b)",
        ),
        (
            Wanted.STEPS,
            r"\bstep[- ]by[- ]step\b|\b(?:the|which|what) (?:steps|procedure|process)\b|\bhow (?:do|can|should"
            r"|must|would)"
            r" (?:i|we|you|one|they|an?|the)\b(?!.*\b(?:know|calculate)\b)|\bhow to\b|^how is an?\b"
            r"|\bwhat (?:(?:must|should|shall) (?:he|she|they|(?:the|an?) \w+(?: \w+)?)"
            r"|(?:do|does) (?:he|she|they|(?:the|an?) \w+(?: \w+)?) (?:have|need|has|needs) to) do\b"
            r"|\bwhat (?:do|must|should) (?:i|we|you)\b.*\bdo\b|\bwhat to do\b"
            r"|\bhow (?:do|does|can|must) (?:an?|the|our|my|your) (?:\w+ ){1,2}?(?:go about|get|apply|become|ask"
            r"|register|join|claim|sign up|request|book|order|cancel|report)\b"
            r"|\bwhat happens\b(?! (?:to|with)\b)",
        ),
        (
            Wanted.SUM,
            r"\bhow (?:many|much) (?:(?:percentage )?points? |percent )?(?:more|less|fewer)\b"
            r"|\bhow much (?:money |cheaper )?(?:do|does|did|would|will|can|could) (?:i|we|you|one|they|he|she) save\b"
            r"|\bdifference between\b|\baltogether\b|\bin total\b"
            r"|\bhow (?:many|much)\b.*\b(?:collectively|taken together)\b"
            r"|\bby how (?:many|much)\b(?!.*\b(?:at most|may|can|could)\b)"
            rf"|{_HOW_MUCH_IS}{_FEW_WORDS}(?:average|mean|ratio|sum)\b"
            rf"|{_HOW_MUCH_IS}{_FEW_WORDS}(?:percentage|percent|per cent) (?:change|increase|decrease|growth)\b"
            rf"|{_HOW_MUCH_IS}{_FEW_WORDS}(?:change|increase|decrease|growth|rise|fall)\b.* in .*\b(?:from|between)\b"
            r".{0,30}?\d.* (?:to|and)\b"
            rf"|{_HOW_MUCH_IS}{_FEW_WORDS}(?:total|combined)\b.*\b(?:19|20)\d\d (?:and|to|through|until) (?:19|20)\d\d",
        ),
        (
            Wanted.DEFINITION,
            rf"{_ASKS_CRITERION}|"
            r"\bwhat makes .{2,60} count as\b|\bmeant by\b|\bdefinition of\b|\bdefine[sd]?\b"
            r"|\bwhat (?:exactly )?(?:do|does) .{2,60} (?:mean|stand for)\b"
            r"|\bwhat counts as\b|\bwhat do (?:they|you|we) call\b|^what (?:is|are) (?:an? |the term )?(?!the\b"
            r"|this\b|that\b|it\b|your\b|our\b|my\b|his\b|her\b|their\b|its\b)[\w-]+(?: [\w-]+){0,2}"
            r"(?:,? as (?:the|an?|it|they)\b.{0,60})?\?*$"
            r"|^what (?:is|are) the (?-i:[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){1,3})\?*$",
        ),
        (Wanted.SPAN, rf"\bhow (?:long|often|soon|quickly|frequently|early)\b|\bhow far (?:ahead|in advance)\b"
         rf"|\bhow fast (?:must|should|do|does|can|may|will|would)\b(?!.*\bhave been\b)"
         rf"|\bhow many (?:[\w-]+ ){{0,2}}{_UNITS_OF_TIME}\b"
         r"|\bhow much (?:notice|warning|time)\b|\b(?:what|which) (?:period|interval|deadline|notice|frequency)\b"),
        (
            Wanted.CONTACT,
            r"\bwhat (?:is|are|was) (?:[\w’'-]+ ){1,3}(?:(?:tele)?phone (?:no|number)|e-?mail(?: address)?|web ?site"
            r"|web address|url|post(?:al)? ?code)\b"
            r"|\b(?:which|what) (?:(?:tele)?phone|e-?mail|web|postal) (?:number|address)\b"
            r"|\b(?:which|what) number (?:do|shall|can|should|must|may) (?:i|we|you)\b",
        ),
        (
            Wanted.DATE,
            r"(?:^|[.,;?!]\s*|\b(?:by|until|since|from|and|but|or|till)\s+)when\b|\b(?:what|which) (?:dates?|years?"
            r"|days?|months?|time|deadline)\b|\bwhat (?:is|was) the (?:[\w-]+ ){0,2}(?:date|deadline|year)"
            r"(?= (?:of|in|when|that|on|for|present|shown|listed)\b|\W*$)|\bhow late\b",
        ),
        (
            Wanted.AMOUNT,
            r"\bhow (?:much|many|large|high|big|far|old|tall|heavy|fast|deep|wide|hot|cold|warm)\b"
            r"|\b(?:what|which) (?:[\w-]+ ){0,3}(?:amount|number|percentage|percent|share|price|cost|fee|rate"
            r"|size|limit"
            r"|dose|temperature|weight|sum|score|distance|port|maximum|minimum|speed)\b|\bwhat (?:does|do"
            r"|did) .{2,60}\bcost\b(?! of\b)"
            r"|\bwhat (?:does|do|did|will|would|must|should) (?:[\w’'-]+ ){1,4}"
            r"(?:charge|pay|set (?:me|us|you|one) back)\b(?! (?:for|with)\b)"
            r"|\bwhat (?:is|was|are|were) the (?:most|least|highest|lowest|top|maximum|minimum) (?:rate\b|(?:that )?"
            r"(?:i|we|you|they|he|she|one|the \w+) (?:(?:can|may|will|could|would|must|have to|has to) )?"
            r"(?:lose|pay|pays|get|gets|spend|charge|claim|owe)\b)"
            r"|\bwhat (?:is|was|are|were) (?:[\w’'-]+ ){1,4}(?:charge|fee|deposit|rent|salary|pay|remuneration"
            r"|allowance|penalty|premium|excess"
            r"|budget|price|cost|wage|fine|discount|limit|weight|dose|temperature|maximum|minimum)s?\b",
        ),
        (
            Wanted.PERSON,
            rf"(?<!prove )(?<!people )(?<!persons )(?<!person )(?<!those )(?<!body )(?<!one )\b(?:who|whom|whose)\b"
            r"|\b(?:which|what) (?:(?!(?:do|does|did|is|are|was|were|can|may|must|shall|should|will|would|has|have"
            r"|had)\b)"
            rf"[\w-]+ )?(?:{_BODIES})\b|\bnames? of the\b",
        ),
        (
            Wanted.CAUSE,
            r"\bwhy\b|\bhow come\b|\bwhat (?:caused|drove|led|made|makes|kept|keeps|explains)\b|\b(?:reasons?"
            r"|causes?|rationale) (?:for|of|why|behind)\b"
            rf"|\bpurpose of\b|\bwhat for\b|\bexplain\b|{ASKS_DOER.pattern}|{_ASKS_HOW_IT_CAME}",
        ),
        (
            Wanted.EXTREME,
            # "Best" in small letters: the name of a firm puts nothing at the end of a scale.
            r"\b(?:which|what|who)\b.*\b(?-i:most|least|highest|lowest|largest|biggest|smallest|greatest|best|worst"
            r"|fastest|slowest|longest"
            r"|shortest|cheapest|oldest|newest|furthest|quietest|loudest|heaviest)\b",
        ),
        (
            Wanted.MEMBERS,
            r"\b(?:list|enumerate)\b|\bname (?:all|every|the)\b"
            r"|\b(?:which|what) (?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[2-9]|1\d)"
            r" (?!(?:second|minute|hour|day|night|week|month|year)s?\b)[a-z]"
            r"|\b(?:which|what) (?:kinds|types|sorts|categories|classes) of\b"
            r"|\b(?:which|what) (?:are|were) (?:all |the )"
            r"|\b(?:which|what) (?:[\w’'-]+ ){0,3}[a-z]{2,}s (?:exist\b"
            r"|(?:are|were) (?:there|available|offered|provided|supported|included|listed|covered)\b"
            r"|(?:do|does|did) (?:it|they|we|you|the \w+) (?:have|offer|use|support|make|sell|run|operate)\b)"
            r"|\bwhich (?:[\w’'-]+ ){0,3}(?!(?:does|has|was|this|is|applies|governs|prevails|decides)\b)[a-z]{3,}s\b"
            r"(?! (?:is|was|has)\b)",
        ),
    )
)  # fmt: skip
_READ_FIRST = [wanted for wanted, _ in _ASKED].index(Wanted.DEFINITION)
"""Place up to which a kind is told by its whole wording; behind it the word that asks first decides."""

_POINTS = re.compile(
    r"\bsummar\w+\b|\boverview of\b|\bkey (?:points|takeaways)\b|\bsum(?:s|med|ming)? up\b|\bthe gist\b"
    r"|\bin (?:short|brief|a nutshell)\b(?!,? (?:why|what|who|when|where|how|which)\b)|\bmain points\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:at (?:the )?(?:very )?(?:most|least)|no (?:more|less|later|fewer) than|up to|within|unless|except\w*"
    r"|exceed\w*|limit\w*|the most|under what (?:conditions?|circumstances)|what conditions?|allowed to|only)\b",
    re.IGNORECASE,
)
_ASKS_LEAVE = re.compile(r"^\W*(?:is|are|am|was|were|will)\b.{1,60}?\ballowed to\b", re.IGNORECASE)
"""How a question for leave begins, which a rule without limits settles as well: "Is the supplier allowed to"."""
_VERDICT = re.compile(
    r"(?:^|[,.?!;:]\s+)(?:and |but |so )?(?:is|are|am|was|were|does|do|did|has|have|had|can|could|will|would|shall"
    r"|should|may|might|must)"
    r"(?:n['’]t)?\s+(?!not\b\s*$)",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"\s*(?:[;?]\s|,?\s+and\s+(?=(?:(?:by|for|in|at|to|of|on|from|since|until|till|with) )?"
    r"(?:what|which|who|whom|whose|when|where|why|how)\b)|,\s+(?=how\b|who\b))",
    re.IGNORECASE,
)


_ASKS_CHANGES = re.compile(
    r"\bwhat(?:['’]s| is| are| was| were| has| have| had)?(?: been)? (?:all )?"
    r"(?:changed|different|new(?=\W*$| (?:in|about|with|since|for|to|compared|from|this|here)\b))\b"
    r"|\bwhat (?:are|were) the (?:\w+ )?(?:changes|updates|amendments|differences|revisions)\b"
    r"|\b(?:list|show|tell me|name) (?:me )?(?:all )?(?:the )?(?:changes|differences) (?:in|to|between|from|of)\b",
    re.IGNORECASE,
)


def asks_changes(plan: QueryPlan) -> bool:
    """Whether the question asks what a text says differently from another version of it."""
    return bool(_ASKS_CHANGES.search(plan.focus))


def without_changes(question: str) -> str:
    """A question without the words that ask for changes and for versions: of "What changed in the fees?" the fees."""
    return _VERSIONS.sub(" ", _ASKS_CHANGES.sub(" ", question))


_VERSIONS = re.compile(
    r"\b(?:between|from|since|compared (?:to|with)|against|versus|vs|to|and|than|over|in|of)\s+(?:the\s+)?"
    r"(?:(?:previous|last|prior|former|old|older|new|newer|latest|current|earlier|first|two|both|this)\s+"
    r"(?:\w+\s+)?(?:versions?|editions?|years?|reports?|filings?|release|revision|one)|(?:19|20)\d\d"
    r"(?:\s+(?:version|edition|report|filing)s?)?|(?:versions?|editions?|revisions?|releases?)\s+[\d.]+|v\d[\d.]*)"
    r"|(?:19|20)\d\d(?:\s+(?:version|edition|report|filing)s?)?",
    re.IGNORECASE,
)


def requirements_of(plan: QueryPlan) -> tuple[Requirement, ...]:
    """What the question asks for, one requirement for each of its parts; a part that only tells asks nothing.

    "Answer in millions" asks for a number, whatever else the question says.
    """
    found = _read_requirements(plan.focus, plan.intent is Intent.SUMMARY)
    if plan.unit is None or {each.wanted for each in found} != {Wanted.STATEMENT}:
        return found
    return tuple(replace(each, wanted=Wanted.AMOUNT) for each in found)


@lru_cache(maxsize=1 << 8)
def _read_requirements(focus: str, is_summary: bool) -> tuple[Requirement, ...]:
    """The same of the words asked; kept, because every sentence of a document is held against them."""
    if is_summary or _POINTS.search(focus):
        return (Requirement(Wanted.POINTS, focus),)
    focus = _CONTRACTED.sub(r"\1 is", focus)
    parts = [part.strip(" ,.?") for part in _PARTS.split(focus) if part and len(part.strip(" ,.?").split()) > 1]
    found = [Requirement(wanted, part) for part in parts or [focus] if (wanted := _find_wanted(part)) is not None]
    distinct = {requirement.wanted: requirement for requirement in reversed(found)}
    times = Counter(requirement.wanted for requirement in found)
    kept = [replace(each, times=times[each.wanted]) for each in found if distinct[each.wanted] is each]
    if _LIMIT.search(_ASKS_LEAVE.sub(" ", focus)) and Wanted.LIMIT not in distinct:
        kept.append(Requirement(Wanted.LIMIT, focus))
    if _SUPERLATIVE.search(focus) and Wanted.EXTREME not in distinct and Wanted.SUM not in distinct:
        kept.append(Requirement(Wanted.EXTREME, focus))
    if all(requirement.wanted is Wanted.LIMIT for requirement in kept):
        kept.insert(0, Requirement(Wanted.STATEMENT, focus))
    return tuple(kept)


_CONTRACTED = re.compile(r"\b(what|who|where|when|how|why)['’]?s\b(?! (?:got|been)\b)", re.IGNORECASE)
"""What stands for "what is" in speech: "What's the phone number?\""""

_SUPERLATIVE = re.compile(
    r"\b(?:what|which|who)\b[^?]*?\b(?:the (?:\w+ly )?(?:"
    r"(?!(?:inter|requ|cont|for|harv|inv|lat|near|hon|prot|dig|arr|northw|southw)est\b)[a-z]{3,}est|worst)"
    r"|(?:longest|shortest|highest|lowest|fastest|slowest|hardest|worst))\b",
    re.IGNORECASE,
)
"""A question for the end of a scale, whatever else it asks for: "What is the strictest limit for noise?\""""

_ASKS_CAUSE = re.compile(
    r"\bwhy\b|\bhow come\b|\bwhat (?:caused|drove|led|made|makes|kept|keeps|explains)\b"
    rf"|\b(?:reasons?|causes?) (?:for|of|why|behind)\b|{ASKS_DOER.pattern}|{_ASKS_HOW_IT_CAME}",
    re.IGNORECASE,
)


_ASKS_MEANING = re.compile(
    rf"\bwhat (?:exactly )?(?:do|does) .{{2,60}} mean\b|\bmeant by\b|\bdefinition of\b|{_ASKS_CRITERION}", re.IGNORECASE
)


ASKS_THING = re.compile(
    r"^\W*(?:(?:on|in|at|by|to|from|with|under|for|of)\s+)?(?:which|what)\s+(?:[a-z-]+\s+)?(?P<thing>(?![a-z]+ly\b)(?!(?:of|information|data|else|matter)\b)[a-z-]{2,}[a-rt-z])\s+"
    r"(?:is|are|was|were|do|does|did|has|have|can|may|must|should|will|shall)\b",
    re.IGNORECASE,
)
"""A question for one thing of a kind: "On which floor is the counter?\""""


ASKS_PRICE = re.compile(
    r"^\W*(?:how much|what) (?:do|does|did|will|would) (?:an?|the|one|our|my|your|its|their)\s"
    r"(?P<thing>[a-z][\w-]*(?:\s[\w-]+){0,3})\scost\b",
    re.IGNORECASE,
)
"""A question for what one thing costs: "How much does the sauna cost?\""""


_ASKS_MANNER = re.compile(r"^\W*how (?:do|does|did) (?:you|they|it|we|the [\w-]+)\b", re.IGNORECASE)
"""A question for how somebody does a thing, which a sentence may tell as well as steps: "How do you inform users?\""""


def asks_manner(plan: QueryPlan) -> bool:
    """Whether it is asked how somebody does a thing, and not what to do."""
    return bool(_ASKS_MANNER.match(plan.focus))


ASKS_FINE = re.compile(r"\b(?:fine[sd]?|penalt|sanction)", re.IGNORECASE)
"""A question for what is to be paid or borne: "What's the fine for speeding?\""""


def find_must_show(plan: QueryPlan) -> Wanted | None:
    """The kind that alone is asked for in such words that nothing else is an answer, however alike; None for none.

    Of a cause it is not the effect that it is asked of, of a meaning no use of the term, of the end of a scale no other
    place on it, of one thing of a kind ("which floor") no words on another kind, of a price not that of another thing,
    of a telephone number no words without one, of a fine not the rule that is broken.
    """
    wanted = [each for each in requirements_of(plan) if each.wanted is not Wanted.LIMIT]
    for kind, asked in ((Wanted.CAUSE, _ASKS_CAUSE), (Wanted.DEFINITION, _ASKS_MEANING)):
        if wanted and all(each.wanted is kind and asked.search(each.part) for each in wanted):
            return kind
    if any(each.wanted is Wanted.EXTREME for each in wanted):
        return Wanted.EXTREME
    if wanted and all(each.wanted is Wanted.CONTACT for each in wanted):
        return Wanted.CONTACT
    if wanted and all(each.wanted is Wanted.CONSEQUENCE and ASKS_FINE.search(each.part) for each in wanted):
        return Wanted.CONSEQUENCE
    if wanted and all(each.wanted is Wanted.AMOUNT and ASKS_PRICE.search(each.part) for each in wanted):
        return Wanted.AMOUNT
    is_thing = wanted and all(each.wanted is Wanted.STATEMENT and ASKS_THING.match(each.part) for each in wanted)
    return Wanted.STATEMENT if is_thing else None


_OR = re.compile(r"(?P<one>[^?.;]+?),?\s+or\s+(?P<other>[^?.;,]{3,100})", re.IGNORECASE)


@lru_cache(maxsize=1 << 8)
def alternatives_in(question: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The two things that a yes or no is asked of, as in "Will helpers be paid or fed?", each with its own terms.

    The first begins where it is as long as the second; words that stand before both are no terms of either. None where
    the question asks about one thing, or where "or" parts no words of their own.
    """
    match = _OR.search(question) if _VERDICT.match(question) else None
    if match is None:
        return ()
    ahead, other = match["one"].split(), match["other"].strip()
    length = min(len(other.split()), len(ahead) - 2)
    one, shared = " ".join(ahead[-length:]), set(analyse(" ".join(ahead[:-length])))
    first, second = (frozenset(analyse(side)) - shared for side in (one, other))
    return ((one, first - second), (other, second - first)) if first - second and second - first else ()


def says_side(own: frozenset[str], text: str) -> bool:
    """Whether a text says half of the own terms of one of two things."""
    return 2 * len(own & set(analyse(text))) >= len(own)


_INTERROGATIVE = re.compile(r"\b(?:what|which|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)


def parts_asked(plan: QueryPlan) -> tuple[str, ...]:
    """The questions that one question puts together ("Who pays, and by when?"); none where it asks one thing."""
    if plan.intent is Intent.SUMMARY or _POINTS.search(plan.focus):
        return ()
    parts = [part.strip(" ,.?") for part in _PARTS.split(plan.focus) if part]
    asking = tuple(part for part in parts if len(part.split()) > 1 and _INTERROGATIVE.search(part))
    return asking if len(asking) > 1 else ()


def _find_wanted(part: str) -> Wanted | None:
    """The kind asked for by the word that asks first."""
    if _VERDICT.search(part) and not re.match(r"(?:who|what|which|when|where|why|how)\b", _last_sentence(part), re.I):
        return Wanted.VERDICT
    if _BEGINS_WITH_WHY.match(_last_sentence(part)):
        return Wanted.CAUSE
    found = [
        (match.start(), order, wanted)
        for order, (wanted, pattern) in enumerate(_ASKED)
        if (match := pattern.search(part))
    ]
    return min(found, key=lambda row: (row[1] > _READ_FIRST, row[0], row[1]))[2] if found else None


_BEGINS_WITH_WHY = re.compile(r"\W*(?:and |but |so )?(?:why|how come)\b", re.IGNORECASE)
"""How a part begins that asks for a cause, whatever else it names: "Why does it expect a decline in total sales?\""""


def _last_sentence(part: str) -> str:
    """The sentence that asks, which comes last: what stands before it tells the case."""
    return re.split(r"[.!?]\s+", part.strip())[-1]


def asks_for(plan: QueryPlan, *kinds: Wanted) -> bool:
    """Whether the question asks for a thing of one of these kinds."""
    return any(requirement.wanted in kinds for requirement in requirements_of(plan))
