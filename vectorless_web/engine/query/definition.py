"""Reads a calculation that is written out in words and signs: "365 * (average payables between ...) / COGS"."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from vectorless_web.engine.query.expression import Branch, Tree, at_period, average, shifted
from vectorless_web.engine.query.periods import periods_in

LeafReader = Callable[[str], Tree | None]
"""Turns words ("FY2019 revenue") into a figure, or into the calculation they stand for; None when they name none."""

_WORD_OPERATORS = (
    (re.compile(r"\bmultiplied by\b|\btimes\b|[×·]|(?<=\d)\s*x\s*(?=[(\w])", re.IGNORECASE), " * "),
    (re.compile(r"\bdivided by\b|÷|\bas a (?:share|fraction|proportion|ratio) of\b", re.IGNORECASE), " / "),
    (re.compile(r"\bminus\b|\bless\b|[–—−]", re.IGNORECASE), " - "),
    (re.compile(r"\bplus\b", re.IGNORECASE), " + "),
)
_TOKEN = re.compile(r"\s*(?:(?P<sign>[()+*/]|(?<=[\s)])-(?=[\s(]))|(?P<words>(?:(?![()+*/])(?!(?<=[\s)])-[\s(]).)+))")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_AVERAGE = re.compile(r"^(?:the\s+)?(?:average|mean)\s+(?:of\s+)?(?:the\s+)?", re.IGNORECASE)
_CHANGE = re.compile(r"^(?:the\s+)?(?:change|increase|difference)\s+(?:in|of)\s+(?:the\s+)?", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]]*\]")
_BODY = re.compile(
    r"(?:\b(?:is|are|be)\s+)?(?:\b(?:defined|calculated|computed|measured|given)\s+(?:as|by)|\bmeans|\bis equal to"
    r"|\bequals"
    r"|^define\b[^:=]*?\bas)\s*:?\s*(?P<body>.+)|=\s*(?P<after>.+)",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"\b(?:using|with|where)\s+(?P<top>.+?)\s+(?:as|is|for)\s+(?:the\s+)?numerator\s*,?\s*(?:and"
    r"|with)\s+(?P<bottom>.+?)\s+(?:as|is|for)\s+(?:the\s+)?denominator",
    re.IGNORECASE,
)


def read_definition(sentence: str, leaf: LeafReader) -> Tree | None:
    """The calculation a sentence defines; None when it defines none that can be read."""
    fraction = _FRACTION.search(sentence)
    if fraction:
        top, bottom = leaf(fraction["top"]), leaf(fraction["bottom"])
        return None if top is None or bottom is None else Branch("/", top, bottom)
    body = _BODY.search(sentence)
    if body is None:
        return None
    return read_expression(body["body"] or body["after"], leaf)


def read_expression(text: str, leaf: LeafReader) -> Tree | None:
    """A calculation in words and signs as a tree; None when a part of it is no figure, number or operator."""
    plain = _BRACKETS.sub(" ", text.strip().rstrip("."))
    for pattern, sign in _WORD_OPERATORS:
        plain = pattern.sub(sign, plain)
    tokens = [(match["sign"] or "", (match["words"] or "").strip()) for match in _TOKEN.finditer(plain)]
    parser = _Parser([token for token in tokens if token[0] or token[1]], leaf)
    tree = parser.sum()
    return tree if tree is not None and parser.is_done else None


@dataclass
class _Parser:
    """Recursive descent: sum = product (+|- product)*, product = atom (*|/ atom)*, atom = number | figure | (sum)."""

    tokens: list[tuple[str, str]]
    leaf: LeafReader
    position: int = 0

    @property
    def is_done(self) -> bool:
        return self.position >= len(self.tokens)

    def sum(self) -> Tree | None:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> Tree | None:
        return self._chain(("*", "/"), self._atom)

    def _chain(self, signs: tuple[str, ...], part: Callable[[], Tree | None]) -> Tree | None:
        tree = part()
        while tree is not None and not self.is_done and self.tokens[self.position][0] in signs:
            sign = self.tokens[self.position][0]
            self.position += 1
            right = part()
            if right is None:
                return None
            tree = Branch(sign, tree, right)
        return tree

    def _atom(self) -> Tree | None:
        if self.is_done:
            return None
        sign, words = self.tokens[self.position]
        self.position += 1
        if sign == "(":
            return self._bracketed()
        if sign or not words:
            return None
        return float(words) if _NUMBER.fullmatch(words) else _figure(words, self.leaf)

    def _bracketed(self) -> Tree | None:
        tree = self.sum()
        if self.is_done or self.tokens[self.position][0] != ")":
            return None
        self.position += 1
        return tree


def _figure(words: str, leaf: LeafReader) -> Tree | None:
    """One figure, or the average or change of one over the periods it names (this one and the one before, if none)."""
    for pattern, join in ((_AVERAGE, _mean), (_CHANGE, _difference)):
        match = pattern.match(words)
        if match:
            inner = leaf(words[match.end() :])
            return None if inner is None else join(inner, words)
    return leaf(words)


def _mean(tree: Tree, words: str) -> Tree:
    return average(_over_periods(tree, words))


def _difference(tree: Tree, words: str) -> Tree:
    over = _over_periods(tree, words)
    return Branch("-", over[-1], over[0])


def _over_periods(tree: Tree, words: str) -> list[Tree]:
    named = sorted(periods_in(words), key=lambda period: (period.year, period.quarter or 0))
    if len(named) < 2:
        return [shifted(tree, 1), tree]
    return [at_period(tree, period) for period in named]
