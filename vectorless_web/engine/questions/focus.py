"""Separates a question from the instructions around it: which role to play, how to round, which page to read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.text.analyser import STOP_WORDS

_SENTENCE_END = re.compile(
    r"(?<=[.?!])(?<!\b[A-Z]\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bInc\.)(?<!\bNo\.)\s+(?=[A-Z\"'(0-9])"
)
_WH = r"what|which|who|whom|whose|when|where|why|how"
_AUXILIARY = r"is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|might"
_QUESTION_WORD = re.compile(rf"\b(?:{_WH}|{_AUXILIARY})\b", re.IGNORECASE)
_LEAD_END = re.compile(rf"[,:;]\s*(?=(?:{_WH}|{_AUXILIARY}|by how|in which|of which|for which)\b)", re.IGNORECASE)
_POINTER = re.compile(
    r"^(?:please\s+)?(?:\w+ly\s+)?(?:according to|based (?:up)?on|(?:as )?per|given|going by|judging (?:by|from)"
    r"|considering|referring to|looking at|with (?:reference|regard|respect) to|in (?:\w+ with|light of)|from|in|using"
    r"|by \w+ing|(?:when|while) (?:\w+ly )?\w+ing)\b",
    re.IGNORECASE,
)
"""How a clause begins that says where to look."""
_SOURCES = frozenset(
    """information detail details data figures numbers statement statements sheet sheets account accounts p&l document
    documents file files text table tables page pages section sections report reports filing filings""".split()  # noqa: SIM905
)
"""What such a clause names, one of them at least."""
_AROUND_SOURCES = frozenset(
    """given shown found set out cash flow flows income balance profit loss earnings operations financial position
    condition consolidated line item items content contents annual quarterly conclusions p""".split()  # noqa: SIM905
)
"""What may stand beside them in a clause that says nothing of what is asked."""
_INSTRUCTION = re.compile(
    r"^(?:please\b|kindly\b|assume\b|assuming\b|imagine\b|pretend\b|act as\b|you are\b|you're\b|we need\b"
    r"|we want\b|i need\b|i want\b|let us\b|let's\b"
    r"|answer\b|respond\b|reply\b|round\b|express\b|state\b|give\b|provide\b|report\b|return\b|present\b"
    r"|show your\b|base\b|basing\b"
    r"|use\b|using\b|utili[sz]e\b|rely\b|refer\b|consider\b|note that\b|remember\b"
    r"|\w+ (?:the|this|your|my)\s+(?:\w+\s+)?(?:question|answer|response|result|reply)\b"
    r"|(?:calculate|compute|work out) (?:it|this|that|what)\b"
    r"|be (?:concise|brief|precise|specific)\b|keep\b|do not\b|don't\b|only use\b|explain your\b|think\b|limit\b"
    r"|cite\b|format\b)",
    re.IGNORECASE,
)
_KINDLY = r"(?:(?:and|then|please|just|also|briefly|simply|kindly|clearly)\s+)*"
_TELL = (
    r"(?:state|say|mention|note|explain|answer|respond|reply|indicate|tell|write|describe|show|give|justify"
    r"|walk me through)"
)
_ABOUT_ANSWER = (
    r"(?:so|it|that|this|as much|me|us|why(?: not)?|how(?: (?:so|come|you \w+(?: (?:to|at|it|that|there|this))*))?"
    r"|(?:with )?(?:your|the|all|a)\s+(?:\w+\s+)?(?:answers?|reasons?|reasoning|work|workings?|steps|calculations?"
    r"|thinking|logic|method|maths?|derivation|conclusion)|n/?a|none|unknown|not (?:found|applicable|available|given"
    r"|stated)|in detail|in (?:one|a few|two|your own|short) \w+|briefly|clearly|[\"'“][^\"'”]*[\"'”])"
)
_ORDER = rf"{_KINDLY}{_TELL}(?:\s*(?:and|then|please|{_TELL}|{_ABOUT_ANSWER}))*"
"""An order that concerns the answer alone: "please state that and explain why"."""
_IN_CASE = r"if\b[^?;]*(?:,\s*|\s(?=then\b|please\b))"
_FALLBACK = re.compile(rf"^(?:and |but )?{_IN_CASE}{_ORDER}\s*[.!]*$", re.IGNORECASE)
"""An order for the case that the question cannot be answered as asked: "If there is none, say so.\""""
_WORK = re.compile(rf"^{_ORDER}\s*[.!]*$", re.IGNORECASE)
"""An order to show how the answer came about: "Explain your reasoning briefly.\""""
_TAIL_ORDER = re.compile(
    rf"(?<=[\w)\"'”’%])\s*(?:[;,–—]|\s-\s|\s(?=and\b|but\b))\s*(?:and\s+|but\s+|or\s+)?"
    rf"(?:{_IN_CASE})?{_ORDER}\s*[.?!]*$",
    re.IGNORECASE,
)
"""Both as the end of a sentence: "What is the ratio; if it is not useful, explain why"."""
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
        elif _is_instruction(sentence) or (asked and _WORK.search(sentence)):
            instructions.append(sentence)
        else:
            lead, core = _without_lead(sentence)
            core, tail = _without_tail(core)
            asked.append(core)
            instructions.extend(part for part in (lead, tail) if part)
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
        is_order = _INSTRUCTION.search(lead) or _only_says_where(lead)
        if is_order and (_GERUND.match(lead) or not _QUESTION_WORD.match(lead)):
            return lead, core
    return "", sentence


def _only_says_where(lead: str) -> bool:
    """Whether a clause names where to look and nothing else: "Using the details shown in the balance sheet"."""
    opening = _POINTER.search(lead)
    if opening is None:
        return False
    named = re.findall(r"[^\W\d_](?:[\w&]*\w)?", lead[opening.end() :].lower())
    rest = [word for word in named if word not in _SOURCES | _AROUND_SOURCES | STOP_WORDS]
    return len(rest) < len(named) and not _SOURCES.isdisjoint(named) and all(map(_PARTICIPLE.search, rest))


_PARTICIPLE = re.compile(r"(?:ly|ed|ing)$")


def _without_tail(sentence: str) -> tuple[str, str]:
    """ "What is the ratio; if it is not useful, explain why" asks for the ratio; the rest is about the answer."""
    match = _TAIL_ORDER.search(sentence)
    if match is None or len(sentence[: match.start()].split()) < _SHORTEST_ASKED:
        return sentence, ""
    return f"{sentence[: match.start()].rstrip()}?", match.group().strip(" ;,-–—")


_SHORTEST_ASKED = 3
"""Words before an order at the end of a sentence, at least, for them to be the question. Chosen by hand."""


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


_PLACE = re.compile(
    r"\b((?i:note|table|figure|section|sec\.|clause|article|chapter|part|item|appendix|annex|schedule|exhibit|rule))s?"
    r"\s+(?:(?i:no\.?|number)\s*)?(\d{1,3}[A-Za-z]?(?:\.\d{1,3}){0,4}|[IVX]{1,5}|[A-Z])\b(?!\s?%|\.\d)"
    r"|(§)\s*(\d{1,3}[A-Za-z]?(?:\.\d{1,3}){0,4})"
)
_CAPTIONED = frozenset(("table", "figure"))
_BY_NUMBER = frozenset(("note", "section", "clause", "article", "chapter", "rule", "§"))
"""Places that may be headed by their number alone: "Note 7" by "7. Leases"."""
_SAME = {"sec.": ("section",), "section": ("§",), "clause": ("section", "§"), "§": ("section", "clause")}
"""Other words for a place, as its heading may put them."""
LONGEST_CAPTION = 300
"""Characters of a line beside a table that may be its caption."""


def find_places(question: str, tree: Tree) -> tuple[int, ...]:
    """The leaves of the sections, notes and tables that a question names by their number; none when there are none."""
    found: dict[int, None] = {}
    for match in _PLACE.finditer(question):
        kind, number = (match[1] or match[3]).casefold(), match[2] or match[4]
        leaves = _captioned(tree, kind, number) if kind in _CAPTIONED else _headed(tree, kind, number)
        found.update(dict.fromkeys(leaves))
    return tuple(found)


def _headed(tree: Tree, kind: str, number: str) -> list[int]:
    """The leaves below the heading of that label; of several the one with the most below it."""
    labels = [f"{word} {number}".casefold() for word in (kind, *_SAME.get(kind, ()))]
    labels += [number.casefold()] if kind in _BY_NUMBER else []
    sections = [(key, (tree.node(key).label or "").casefold()) for key in tree.sections()]
    for label in labels:
        keys = [key for key, own in sections if own == label]
        noted = [key for key in keys if kind == "note" and "note" in " ".join(tree.path(key)).casefold()]
        if keys:
            return tree.leaves(max(noted or keys, key=lambda key: (tree.node(key).token_count, -key)))
    return []


def _captioned(tree: Tree, kind: str, number: str) -> Iterator[int]:
    """Tables by their title, and what stands beside a line that begins with that caption."""
    caption = re.compile(rf"\s*{kind}\s+(?:no\.?\s*)?{re.escape(number)}(?![\w.]*\w)", re.IGNORECASE)
    for key in tree.leaves():
        node = tree.node(key)
        if caption.match(node.title):
            yield key
        elif node.kind is not NodeKind.TABLE and len(node.text) <= LONGEST_CAPTION and caption.match(node.text):
            tables = [beside for beside in (key + 1, key - 1) if 0 < beside < len(tree)]
            yield from [key, *[beside for beside in tables if tree.kind(beside) is NodeKind.TABLE][:1]]
