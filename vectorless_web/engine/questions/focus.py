"""Separates a question from the instructions around it: which role to play, how to round, which page to read."""

import re
from dataclasses import dataclass

from vectorless_web.engine.documents.node import Node

_SENTENCE_END = re.compile(
    r"(?<=[.?!])(?<!\b[A-Z]\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bInc\.)(?<!\bNo\.)\s+(?=[A-Z\"'(0-9])"
)
_WH = r"what|which|who|whom|whose|when|where|why|how"
_AUXILIARY = r"is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|might"
_QUESTION_WORD = re.compile(rf"\b(?:{_WH}|{_AUXILIARY})\b", re.IGNORECASE)
_LEAD_END = re.compile(rf"[,:;]\s*(?=(?:{_WH}|{_AUXILIARY}|by how|in which|of which|for which)\b)", re.IGNORECASE)
_META = re.compile(
    r"\b(?:questions?|answer\w*|respon\w+|repl(?:y|ies)|informations?|details?|data|line items?|analyst|banker"
    r"|expert|assistant|investor"
    r"|perspective|standpoint|judgments?|judgements?|conclusions?|solution|shown|stated|provided|outlined"
    r"|according|primarily)\b",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"^(?:please\b|kindly\b|assume\b|assuming\b|imagine\b|pretend\b|act as\b|you are\b|you're\b|we need\b"
    r"|we want\b|i need\b|i want\b|let us\b|let's\b"
    r"|answer\b|respond\b|reply\b|round\b|express\b|state\b|give\b|provide\b|report\b|return\b|present\b"
    r"|show your\b|base\b|basing\b"
    r"|use\b|using\b|utili[sz]e\b|rely\b|refer\b|consider\b|approach\b|address\b|calculate what\b|compute what\b"
    r"|note that\b|remember\b"
    r"|be (?:concise|brief|precise|specific)\b|keep\b|do not\b|don't\b|only use\b|explain your\b|think\b|limit\b"
    r"|cite\b|format\b)",
    re.IGNORECASE,
)
_FALLBACK = re.compile(
    r"^if\b.*\b(?:state|say|mention|note|explain|answer|respond|reply|indicate|tell|write)\b", re.IGNORECASE
)
_GERUND = re.compile(r"^(?:when|while|where)\s+(?:\w+ly\s+)?\w+ing\b", re.IGNORECASE)
_DEFINITION = re.compile(
    r"^(?:calculate|compute|derive|work out)\b.*\b(?:using|as|by|from)\b|^(?:define\b|here,? |for this\b|where\b)"
    r"|\b(?:is|are|here is)\s+(?:defined|calculated|computed|measured|given)\s+(?:as|by)\b"
    r"|\bmeans\s*:|\bis equal to\b",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s,]*(?:\((?:in|as|round|answer)\b[^)]*\)|,?\s*please\b[^.?]*(?=[.?]|$))", re.IGNORECASE)


_WHITE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """A question taken apart. `focus` is what is asked, `instructions` and `definitions` the sentences around it."""

    focus: str
    instructions: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()


def split_question(question: str) -> QuestionParts:
    """Split a question into what it asks, instructions and definitions; without a clear question all is focus."""
    asked: list[str] = []
    instructions: list[str] = []
    definitions: list[str] = []
    for sentence in _sentences(question):
        if _is_definition(sentence):
            definitions.append(sentence)
        elif _is_instruction(sentence):
            instructions.append(sentence)
        else:
            lead, core = _without_lead(sentence)
            asked.append(core)
            instructions.extend([lead] if lead else [])
    if not asked:
        return QuestionParts(_WHITE.sub(" ", question).strip(), (), tuple(definitions))
    return QuestionParts(_tidy(" ".join(asked)), tuple(instructions), tuple(definitions))


def _sentences(question: str) -> list[str]:
    return [part.strip() for part in _SENTENCE_END.split(_WHITE.sub(" ", question)) if part.strip()]


def _is_definition(sentence: str) -> bool:
    return bool(_DEFINITION.search(sentence)) and not sentence.endswith("?")


def _is_instruction(sentence: str) -> bool:
    """An order about the answer; an order that carries the question after a colon is taken apart later."""
    if sentence.endswith("?"):
        return False
    if _FALLBACK.search(sentence):
        return True
    return bool(_INSTRUCTION.search(sentence))


def _without_lead(sentence: str) -> tuple[str, str]:
    """ "According to the balance sheet, what is ..." is asked from "what"; the lead says where to look."""
    for match in _LEAD_END.finditer(sentence):
        lead, core = sentence[: match.start()], sentence[match.end() :]
        is_order = _INSTRUCTION.search(lead) or _META.search(lead)
        if is_order and (_GERUND.match(lead) or not _QUESTION_WORD.match(lead)):
            return lead, core
    return "", sentence


def _tidy(focus: str) -> str:
    return _WHITE.sub(" ", _TAIL.sub("", focus)).strip()


_PAGE = re.compile(
    r"(?:\b(?:on|at|in|from|of|see|according to)\s+)?\b(?:page|p\.)\s*(?:no\.?\s*)?(\d{1,5})\b(?!\s*%)", re.I
)


def page_asked(question: str, pages: int) -> int | None:
    """The one page, counted from 1, that a question names and a document of so many pages has; else None."""
    named = {int(number) for number in _PAGE.findall(question)}
    page = named.pop() if len(named) == 1 else 0
    return page if 1 <= page <= pages else None


def without_page(question: str) -> str:
    """The question without the page it names, which says where to look, not what for; whole when nothing is left."""
    rest = " ".join(_PAGE.sub(" ", question).split())
    return rest if re.search(r"\w{3}", rest) else question


def covers_page(node: Node, page: int) -> bool:
    """Whether a node covers the page, counted from 1."""
    return node.page_start <= page - 1 <= node.page_end
