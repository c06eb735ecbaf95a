"""Causes: whether a question asks for one, whether words tell one, and which sentence beside an effect tells it."""

import re
from itertools import pairwise

from vectorless_web.engine.questions.requirements import ASKS_DOER
from vectorless_web.engine.text.analyser import analyse

_TELLS = re.compile(
    r"\b(?:due to|because|as a result of|result(?:ed|ing|s)? (?:from|in)|driven by|drove|driver|reflect\w*"
    r"|attributable to|owing to|on account of|in (?:the )?light of|in view of|on (?:the )?grounds? (?:that|of)"
    r"|for (?:lack|want|fear) of|thanks to|given (?:the|that|this|these|its|their|his|her|how)"
    r"|since(?! (?:then|(?:[a-z]+ ){0,2}(?:19|20)\d\d|[A-Z]\w+ (?:19|20)\d\d|(?:the )?(?:last|start|beginning|end)\b))"
    r"|offset by|caus(?:e|es|ed|ing)|(?<!any )(?<!any other )reasons?|so that|so as to|in order (?:to|that)"
    r"|lead(?:s|ing)? to|led to|mak(?:e|es|ing) it|allow(?:s|ing)? (?:for|the|us|them)|enabl\w+|helps?|ensur\w+"
    r"|prevent(?:s|ed|ing)?|avoid\w*|protects?|protecting|otherwise|complicat\w+|contribut\w+"
    r"|for (?:[\w-]+ ){0,3}purposes?|the purpose|aims? (?:to|of|is)|intended to|designed to"
    r"|by (?:means|using|(?!(?:operating|investing|financing)\b)[a-z]+ing)"
    r"|primarily|mainly|benefit(?:s|ed|ing|ting|ted)? from"
    r"|(?:follow(?:s|ed)?|c[ao]mes?|stem(?:s|med)?|aros?e|arises?) from|explains? (?:most|much|part|the|why)"
    r"|(?:impact|affect|influenc|caus|trigger|prompt|boost|hurt|hamper|hinder|delay|distract|divert|explain|help"
    r"|support"
    r"|weaken|brought about|held back|slow)(?:e?d)?(?: [a-z]+)? by"
    r"|(?:impact|affect|influenc|hit|hurt|distract|delay)(?:ed)? (?:[\w-]+ ){2,6}by)\b"
    r"|(?:^|[.;:] )as (?:the|an?|our|its|their|more|fewer|less)\b[^,.;]{8,160}, "
    r"|\b(?:improv|r[io]s|f[ae]ll|gr[eo]w|declin|increas|decreas|drop)\w*\b[^.]{0,60}\bas\b"
    r"|\b(?:rose|gr[eo]w|fell|increased|decreased|declined|improved|dropped)\b[^.;]{0,40}?"
    r" (?:on (?!average\b)(?!\w+ \d)[a-z]+|following|after the)\b"
    r"|\b(?:up|down|grew|rose|fell|increased|decreased)\b[^.;]{0,40}, with (?:\w+ ){0,2}"
    r"(?:growth|increases?|declines?|gains|losses)\b"
    r"|\b(?:of which|to which)\b[^.;]{0,80}\b(?:brought|contributed|added)\b"
    r"|, for (?:the|an?|it|he|she|they|there|its|his|her|their|no) (?:[\w’'-]+ ){1,6}[a-z]+"
    r"|[:–-] (?:dust|damage)\b|\bas (?:it|they|this|there|he|she|we)\b|, (?:as|so)\b|\bas if\b"
    r"|\bas (?:the|an?) (?:[\w’'-]+ ){1,10}?(?:is|are|was|were|has|have|had|does|do|did|will|would|can|could|may"
    r"|might)\b"
    r"|\bto (?:keep|make|save|spare|limit|meet|reduce|ensure|prevent|avoid|protect|allow|support|improve|determine|help"
    r"|provide|comply|enable|let|stop|secure|maintain|facilitate|promote|encourage|minimi[sz]e|maximi[sz]e)\b"
    r"|^\W*(?:this|that|it) follow(?:s|ed)\b|(?<=[.;] )(?:this|that|it) follow(?:s|ed)\b",
    re.IGNORECASE,
)
"""Words by which a sentence tells a cause or a purpose itself."""

_THEREFORE = re.compile(
    r"\b(?:therefore|thus|hence|consequently|accordingly|which is why|that is why|as a (?:result|consequence)(?! of)"
    r"|for (?:this|that|these|those) reasons?)\b",
    re.IGNORECASE,
)
"""Words that make a sentence the effect of what stands before them."""

_CLAUSE_AHEAD = re.compile(r"(?:[^\W\d_]+\W+){2}[^\W\d_]+[,;:.!?)]")
"""A clause of three words at least."""

_GIVES = re.compile(
    r"\W*(?:reasons?|causes?|background|rationale|grounds?|justification|explanation|why)\s*[:–—-]\s"
    r"|\W*(?:the|one|another|its|their|his|her|a) (?:\w+ )?(?:reasons?|causes?|background|purpose|aim)\b"
    r"|\W*(?:this|that|it) (?:is|was) (?:because|due|owing|so that|to [a-z]+)\b"
    r"|\W*(?:this|that|it|such an? \w+|the (?:rise|fall|increase|decrease|delay|change|growth|decline|loss))"
    r" (?:mainly |largely |partly |in part )?(?:follow(?:s|ed)|reflect(?:s|ed)|result(?:s|ed) from|c[ao]mes? from"
    r"|stem(?:s|med) from|(?:is|was) (?:mainly |largely |partly )?(?:caused|driven|explained|due|attributable"
    r"|the result))\b"
    r"|\W*(?:because|due to|owing to|on account of|otherwise)\b",
    re.IGNORECASE,
)
"""How a sentence begins that tells the cause of the one before it."""

_HAPPENED_BEFORE = re.compile(r"(?:it|they|he|she) had (?:not |already |just |been )*[a-z]+", re.IGNORECASE)
"""What had happened before what the last sentence tells: "The signal was silent. It had been switched off."."""

_PUTS_OFF = re.compile(
    r"\b(?:defer\w*|postpon\w*|put off|adjourn\w*|suspend\w*|delay\w*|refus\w*|reject\w*|declin(?:ed|es) to"
    r"|withdr[ae]w\w*"
    r"|cancel\w*|held over|left open|called off|abandon\w*|turned down|not (?:yet )?(?:decided|approved|granted"
    r"|agreed))\b",
    re.IGNORECASE,
)
_STILL_LACKS = re.compile(
    r"\b(?:not yet|no(?:t)? (?:\w+ ){0,3}(?:yet|so far)|still (?:to|un|await|wait|miss|outstand|pend|open|lack)\w*"
    r"|await\w*"
    r"|pending|outstanding|missing|lack(?:s|ed|ing)?|unclear|unknown|uncertain|incomplete|insufficient|too (?:few"
    r"|little|late)"
    r"|(?:has|have|had) (?:not|no|never)|(?:is|are|was|were) no|there (?:is|are|was|were) no|without)\b",
    re.IGNORECASE,
)
_REASON_COLUMN = re.compile(
    r"\b(?:reasons?|causes?|why|grounds?|rationale|justification|explanation|purpose)\b", re.IGNORECASE
)


def tells_cause(part: str, words: str) -> bool:
    """Whether words, in reading order, tell a cause for what the part of a question asks about.

    What is only called an effect ("The Board therefore put it off") tells none, unless what it follows from
    stands ahead of it. Asked what did a thing, the doer has to be told.
    """
    if (asked := ASKS_DOER.search(part)) is not None:
        if _DONE_BY.search(words) or _tells_doer(asked["verb"], part, words):
            return True
        if not _BRINGS_ABOUT.fullmatch(asked["verb"]):
            return False
    if any(_CLAUSE_AHEAD.search(words[: match.start()]) for match in _THEREFORE.finditer(words)):
        return True
    sentences = _SENTENCE_ENDS.split(words)
    are_held_up = (is_held_up(one, other) or is_held_up(other, one) for one, other in pairwise(sentences))
    is_before = any(_HAPPENED_BEFORE.match(sentence) for sentence in sentences[1:])
    return is_before or bool(_TELLS.search(_THEREFORE.sub(" ", words))) or any(are_held_up)


def find_effect(words: str) -> str:
    """The words in which a cause is told up to where it begins: the effect; all of them where it stands first."""
    begins = _TELLS.search(words)
    return words[: begins.start()] if begins is not None and words[: begins.start()].strip() else words


_BRINGS_ABOUT = re.compile(r"(?:impact|affect|influenc|trigger|prompt|determin|driv|brought about|set off)\w*", re.I)
"""Verbs of bringing about: what did it is told by any words for a cause."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_DONE_BY = re.compile(
    r"\b(?:because|due to|owing to|as a result of|thanks to|[a-z]{3,}(?:ed|ung|ck|en) (?:[a-z]+ly )?by (?!\d"
    r"|the end\b))\b",
    re.IGNORECASE,
)
"""What tells who or what did a thing that is told in the passive."""


_ATTENTION = frozenset(analyse("divert distract occupy absorb preoccupy"))
_BUSY_WITH = re.compile(
    r"\b(?:was|were|while|when|been)\s+(?:\w+ly\s+|busy\s+|still\s+)?(?!being\b)[a-z]{3,}ing\b|\blook(?:ed"
    r"|ing) (?:at|down)\b",
    re.IGNORECASE,
)
"""What somebody was doing, which is what takes attention."""
_NO_DOER = re.compile(r"(?:['’]s?|\b(?:the|an?|his|her|its|their|our|your|of|any|no|this|that|is|are|was|were|be|been"
                      r"|being)(?: \w+ly)?)\s*$", re.IGNORECASE)  # fmt: skip
"""What stands before a participle that says what was done, or what a thing was like, and not who did it."""


def _tells_doer(verb: str, part: str, words: str) -> bool:
    """Whether words tell what did something: a subject of their own ahead of the verb."""
    stems, asked = set(analyse(verb)), set(analyse(part))
    if stems & _ATTENTION and _BUSY_WITH.search(words):
        return True
    for match in re.finditer(r"[^\W\d_]{3,}", words):
        if set(analyse(match.group())) & stems:
            ahead = re.split(r"[.;!?]", words[: match.start()])[-1]
            if not _NO_DOER.search(ahead) and set(analyse(ahead)) - asked:
                return True
    return False


def points_back(sentence: str) -> bool:
    """Whether a sentence is called an effect of what the sentence before it says: "The Board therefore ..."."""
    match = _THEREFORE.search(sentence)
    return match is not None and not _CLAUSE_AHEAD.search(sentence[: match.start()])


def gives_cause(sentence: str) -> bool:
    """Whether a sentence begins by giving the cause of the one before it: "The reason is ...", "Reason: ..."."""
    return bool(_GIVES.match(sentence) or _HAPPENED_BEFORE.match(sentence))


def is_held_up(effect: str, beside: str) -> bool:
    """Whether one sentence puts off or refuses a thing and the one beside it says what was still lacking."""
    return bool(_PUTS_OFF.search(effect)) and bool(_STILL_LACKS.search(beside))


def names_reason(header: str) -> bool:
    """Whether the header of a column says that reasons stand below it."""
    return bool(_REASON_COLUMN.search(header))
