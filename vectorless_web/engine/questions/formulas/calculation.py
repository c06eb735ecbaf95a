"""Finds the calculation a question asks for: one written out, a known ratio, a share, or a growth."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from vectorless_web.engine.questions.focus import QuestionParts
from vectorless_web.engine.questions.formulas.expression import (
    Branch,
    FigureLeaf,
    Tree,
    at_period,
    at_year_end,
    average,
    describe_tree,
    each_leaf,
    formula_of,
    shift_periods,
)
from vectorless_web.engine.questions.formulas.request import BOUND
from vectorless_web.engine.questions.lexicon import Concept, Lexicon, Match, Ratio, RatioOperand
from vectorless_web.engine.questions.periods import periods_in
from vectorless_web.engine.questions.plan import FigureNeed, Formula, Period, Standard
from vectorless_web.engine.text.analyser import analyse

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
_WRITTEN_AVERAGE = re.compile(r"^(?:the\s+)?(?:average|mean)\s+(?:of\s+)?(?:the\s+)?", re.IGNORECASE)
_WRITTEN_CHANGE = re.compile(r"^(?:the\s+)?(?:change|increase|difference)\s+(?:in|of)\s+(?:the\s+)?", re.IGNORECASE)
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
            return self._parse_brackets()
        if sign or not words:
            return None
        return float(words) if _NUMBER.fullmatch(words) else _figure(words, self.leaf)

    def _parse_brackets(self) -> Tree | None:
        tree = self.sum()
        if self.is_done or self.tokens[self.position][0] != ")":
            return None
        self.position += 1
        return tree


def _figure(words: str, leaf: LeafReader) -> Tree | None:
    """One figure, or the average or change of one over the periods it names (this one and the one before, if none)."""
    for pattern, join in ((_WRITTEN_AVERAGE, _average_periods), (_WRITTEN_CHANGE, _difference)):
        match = pattern.match(words)
        if match:
            inner = leaf(words[match.end() :])
            return None if inner is None else join(inner, words)
    return leaf(words)


def _average_periods(tree: Tree, words: str) -> Tree:
    return average(_over_periods(tree, words))


def _difference(tree: Tree, words: str) -> Tree:
    over = _over_periods(tree, words)
    return Branch("-", over[-1], over[0])


def _over_periods(tree: Tree, words: str) -> list[Tree]:
    named = sorted(periods_in(words), key=lambda period: (period.year, period.quarter or 0))
    if len(named) < 2:
        return [shift_periods(tree, 1), tree]
    return [at_period(tree, period) for period in named]


_SHARE = re.compile(
    r"(?P<top>.+?)\s+(?:(?:as\s+)?(?:an?\s+)?(?:%|percent|percentage)|as\s+an?\s+(?:share|proportion|fraction))"
    r"\s+of\s+(?:the\s+)?(?P<bottom>.+)"
    r"|(?:what\s+)?(?:percent|percentage|share|proportion|fraction|%)\s+of\s+(?P<whole>.+?)\s+(?:is|are|was|were"
    r"|came|comes|did)\s+(?P<part>.+)",
    re.IGNORECASE,
)
AT_CLOSE = "with closing balances alone"
"""How a measure differs that takes no average of two balances."""

_OWN_WORDS = "the question's own words"
_RATIO_OF = re.compile(r"\bratio of\s+(?P<top>.+?)\s+to\s+(?P<bottom>.+)", re.IGNORECASE)
_TO_RATIO = re.compile(r"(?P<top>[^,?]+?)[\s-]+to[\s-]+(?P<bottom>(?:[a-z]+[\s-]+){1,4})ratio\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:less|minus|plus|divided by)\b|\s[-+/]\s", re.IGNORECASE)
_AVERAGE = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_GROWTH = re.compile(
    r"\b(?:growth(?: rate)?|grew|grow|year[- ]over[- ]year|yoy|y/y|(?:percent\w*|%) (?:change|increase|decrease"
    r"|decline|growth)|cagr)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:chang\w+|increas\w+|decreas\w+|declin\w+|drop\w*|fell|fall\w*|ris\w+|rose|improv\w+|deteriorat\w+"
    r"|differ\w+|higher|lower"
    r"|stable|steady|consistent\w*|constant"
    r"|expand\w*|contract(?:ed|ing)|grew|accelerat\w+|decelerat\w+|worse\w*|better)\b",
    re.IGNORECASE,
)
_PRONOUNS = frozenset({"it", "this", "that", "which", "here", "the ratio", "the metric", "this metric", "this ratio"})
_COMPOUND = re.compile(r"\bcagr\b|\bcompound", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FormulaTree:
    """The tree of figures, with the name and source of the way it is worked out; `is_percent` for a percentage.

    `words` tell a known ratio's definition, `others` are other ways in use with how they differ;
    `standard` and `share` are the ratio's, `foil` is its foil as a figure, `stated` the ratio itself.
    """

    tree: Tree
    name: str
    source: str
    is_percent: bool = False
    words: str = ""
    others: tuple[tuple[str, Tree], ...] = ()
    standard: Standard | None = None
    foil: FigureLeaf | None = None
    share: bool = False
    stated: FigureLeaf | None = None
    series: tuple[tuple[str, Tree], ...] = ()

    def formula(self) -> tuple[Formula | None, tuple[FigureNeed, ...]]:
        """The formula and the figures it needs; foil and the figure itself come last among them."""
        formula, needs = formula_of(self.tree, self.name, self.source, (*self.others, *self.series))
        if formula is None:
            return None, needs
        ways, series = formula.others[: len(self.others)], formula.others[len(self.others) :]
        formula = replace(formula, others=ways, series=series)
        places = []
        for leaf in (self.foil, self.stated):
            places.append(-1 if leaf is None else len(needs))
            if leaf is not None:
                need = FigureNeed(leaf.concept, leaf.phrases, leaf.period, leaf.statement, leaf.offset, optional=True)
                needs = (*needs, need)
        told = replace(formula, words=self.words, standard=self.standard, is_share=self.share)
        return replace(told, foil=places[0], stated=places[1]), needs


@dataclass(frozen=True, slots=True)
class FormulaReader:
    """Reads figures and calculations with one lexicon; `periods` are those of the whole question."""

    lexicon: Lexicon
    periods: tuple[Period, ...]

    def calculation(self, parts: QuestionParts, matches: Sequence[Match], *, wants_percent: bool) -> FormulaTree | None:
        """The calculation asked for; None when nothing measurable is named."""
        base = (
            self._read_definition(parts)
            or self._share(parts.focus)
            or self._join_parts(parts, matches)
            or self._ratio(matches, parts.focus)
            or self._ratio_named(parts.focus)
        )
        if base is not None and base.words and _UNREAD_SHARE.search(parts.focus):
            return None
        base = base or self._single(matches)
        if base is None or (isinstance(base.tree, FigureLeaf) and _is_forecast(matches)):
            return None
        if _COMPOUND.search(parts.focus) or (_WHICH_PERIOD.search(parts.focus) and not self.periods):
            return None  # a power, or a rank over periods: read from the table itself
        compared = self._compare(base, parts.focus)
        # "Higher than 35%" and "fall below 2" ask for no change, "grow by more than 20%" does.
        is_level = _IS_JUDGED.match(parts.focus) and _LEVEL.search(parts.focus)
        plain = "" if compared or is_level else BOUND.sub(" ", parts.focus)
        return self._over_time(compared or base, plain, wants_percent=wants_percent)

    def _compare(self, base: FormulaTree, focus: str) -> FormulaTree | None:
        """One measure less the other it is compared with: "Was free cash flow higher than net income?\""""
        match = _COMPARED.search(focus) if _IS_JUDGED.match(focus) else None
        other = self._find_amount(match["other"]) or self._find_whole(match["other"]) if match else None
        if other is None:
            return None
        name, part = other if isinstance(other, tuple) else (other.concept, replace(other, period=None))
        tree = Branch("-", base.tree, part)
        return FormulaTree(tree, f"{base.name} less {name}", base.source, words=describe_tree(tree))

    def leaf(self, words: str) -> FigureLeaf | None:
        """The figure these words name: the longest concept in them, else the words themselves."""
        named = periods_in(words)
        period = named[0] if len(named) == 1 else None
        concepts = [(len(match.text), concept) for match in self.lexicon.match(words) if (concept := _concept(match))]
        if concepts:
            concept = max(concepts, key=lambda item: item[0])[1]
            return FigureLeaf(concept.name, concept.phrases, concept.statement, period)
        plain = _plain_words(words)
        return FigureLeaf(plain, (plain,), "", period) if plain else None

    def ratio_tree(self, ratio: Ratio) -> Tree | None:
        """The ratio's expression over its concepts."""
        leaves = {operand.name: self._operand(operand) for operand in ratio.operands}
        return read_expression(ratio.expression, lambda words: leaves.get(words.strip()))

    def _operand(self, operand: RatioOperand) -> FigureLeaf:
        concept = self.lexicon.concept(operand.concept)
        phrases = concept.phrases if concept else (operand.concept,)
        statement = operand.statement or (concept.statement if concept else "")
        return FigureLeaf(operand.concept, phrases, statement, None, operand.offset, operand.included_in)

    def _read_definition(self, parts: QuestionParts) -> FormulaTree | None:
        """A definition given in the question, set into the rest of it: "EBITDA less capex, where EBITDA is ..."."""
        named = {name.lower(): sentence for sentence in parts.definitions if (name := _defined_name(sentence))}
        for sentence in (*parts.definitions, parts.focus):
            others = {name: text for name, text in named.items() if text != sentence}
            tree = read_definition(sentence, partial(self._choose_meaning, definitions=others))
            if tree is not None:
                return self._complete_tree(tree, parts, sentence)
        return None

    def _choose_meaning(self, words: str, definitions: Mapping[str, str]) -> Tree | None:
        """What words in a definition stand for: another definition, a known ratio, or a figure."""
        plain = words.strip().lower()
        if plain in definitions:
            others = {name: text for name, text in definitions.items() if name != plain}
            return read_definition(definitions[plain], partial(self._choose_meaning, definitions=others))
        ratio = self._whole_ratio(words)
        return self.leaf(words) if ratio is None else ratio

    def _whole_ratio(self, words: str) -> Tree | None:
        """The ratio these words are the name of, taken at the period they name."""
        plain = _plain_words(words)
        for match in self.lexicon.match(plain):
            ratio = next((entry for entry in match.entries if isinstance(entry, Ratio)), None)
            if ratio and match.text == plain and not any(isinstance(entry, Concept) for entry in match.entries):
                tree = self.ratio_tree(ratio)
                named = periods_in(words)
                return at_period(tree, named[0]) if tree is not None and len(named) == 1 else tree
        return None

    def _complete_tree(self, tree: Tree, parts: QuestionParts, sentence: str) -> FormulaTree:
        name = _defined_name(sentence)
        rest = re.search(
            rf"{re.escape(name)}\s*(?P<sign>less|minus|plus|%?\s*margin\b|divided by)(?P<more>.*)", parts.focus, re.I
        )
        if not name or rest is None:
            return FormulaTree(tree, name or "as defined in the question", "the question's own definition")
        sign = rest["sign"].lower()
        other = self.leaf("revenue" if "margin" in sign else rest["more"])
        if other is None:
            return FormulaTree(tree, name, "the question's own definition")
        if "margin" in sign:
            joined: Tree = Branch("/", Branch("*", 100.0, tree), other)
            return FormulaTree(joined, f"{name} margin", "the question's own definition", is_percent=True)
        operator = {"less": "-", "minus": "-", "plus": "+"}.get(sign, "/")
        return FormulaTree(
            Branch(operator, tree, other), f"{name} {sign} {other.concept}", "the question's own definition"
        )

    def _share(self, focus: str) -> FormulaTree | None:
        match = _SHARE.search(focus)
        if match is None:
            return None
        top, bottom = match["top"] or match["part"], match["bottom"] or match["whole"]
        upper, lower = self._find_measure(top), self._find_known(bottom)
        if upper is None or lower is None:
            return None
        name, part = upper
        tree = Branch("/", Branch("*", 100.0, part), replace(lower, period=None))
        return FormulaTree(tree, f"{name} as a percentage of {lower.concept}", _OWN_WORDS, is_percent=True)

    def _find_measure(self, words: str) -> tuple[str, Tree] | None:
        """The last known figure in these words, else the known amount that is worked out."""
        leaf = self._find_known(words)
        return (leaf.concept, replace(leaf, period=None)) if leaf is not None else self._find_amount(words)

    def _find_amount(self, words: str) -> tuple[str, Tree] | None:
        """The last known amount in these words that is worked out, as net debt is."""
        ratios = [e for match in self.lexicon.match(words) for e in match.entries if isinstance(e, Ratio)]
        found = next((ratio for ratio in reversed(ratios) if "/" not in ratio.expression), None)
        tree = self.ratio_tree(found) if found else None
        return (_told_name(found), tree) if found and tree is not None else None

    def _find_whole(self, words: str) -> FigureLeaf | None:
        """The known concept that these words name and nothing else, periods apart."""
        leaf, plain = self._find_known(words), set(analyse(_plain_words(words)))
        named = {term for match in self.lexicon.match(words) if _concept(match) for term in analyse(match.text)}
        return leaf if plain <= named else None

    def _find_known(self, words: str) -> FigureLeaf | None:
        """The last known concept with a figure in these words."""
        found = [concept for match in self.lexicon.match(words) if (concept := _concept(match))]
        concepts = [concept for concept in found if concept.is_measured]
        return FigureLeaf(concepts[-1].name, concepts[-1].phrases, concepts[-1].statement) if concepts else None

    def _join_parts(self, parts: QuestionParts, matches: Sequence[Match]) -> FormulaTree | None:
        """Two known figures joined by an operator word: "operating income plus depreciation"."""
        of_to = _RATIO_OF.search(parts.focus)
        if of_to and (upper := self._find_known(of_to["top"])) and (lower := self._find_known(of_to["bottom"])):
            return FormulaTree(Branch("/", upper, lower), f"{upper.concept} to {lower.concept}", _OWN_WORDS)
        signs = (sign for sign in _JOINED.finditer(parts.focus) if not _is_inside(sign, matches))
        sign = next(signs, None)
        if sign is None:
            return None
        left, right = self._find_known(parts.focus[: sign.start()]), self._find_known(parts.focus[sign.end() :])
        if left is None or right is None:
            return None
        operator = {"less": "-", "minus": "-", "plus": "+"}.get(sign.group().strip().lower(), sign.group().strip())
        operator = operator if operator in "+-/" else "/"
        tree = Branch(operator, replace(left, period=None), replace(right, period=None))
        return FormulaTree(tree, f"{left.concept} {sign.group().strip()} {right.concept}", _OWN_WORDS)

    def _ratio_named(self, focus: str) -> FormulaTree | None:
        """A ratio that no name is known of, called by its two sides: "R&D to revenue ratio"."""
        match = _TO_RATIO.search(focus)
        if match is None:
            return None
        averaged = _WRITTEN_AVERAGE.match(match["bottom"])
        below = match["bottom"][averaged.end() :] if averaged else match["bottom"]
        upper, lower = self._find_known(match["top"]), self._find_side(below)
        if upper is None or lower is None or upper.concept == lower.concept:
            return None
        name = f"{upper.concept} to {'average ' if averaged else ''}{lower.concept}"
        return FormulaTree(Branch("/", upper, _average_periods(lower, "") if averaged else lower), name, _OWN_WORDS)

    def _find_side(self, words: str) -> FigureLeaf | None:
        """The concept that these words name, one alone ("asset", "liabilities") as the total of it."""
        plain = _plain_words(words)
        return self._find_whole(words) or self._find_whole(f"total {plain}") or self._find_whole(f"total {plain}s")

    def _ratio(self, matches: Sequence[Match], focus: str) -> FormulaTree | None:
        named = [concept for match in matches if (concept := _concept(match))]
        for match in matches:
            for entry in match.entries:
                if not isinstance(entry, Ratio) or (entry.judged and not _IS_JUDGED.match(focus)):
                    continue
                tree = self.ratio_tree(entry)
                if tree is not None:
                    return self._qualify(self._known_ratio(entry, tree, named), focus, match)
        return None

    def _known_ratio(self, ratio: Ratio, tree: Tree, named: Sequence[Concept]) -> FormulaTree:
        """A ratio with its definition in words, the other ways in use and what it is judged by."""

        def specify(tree: Tree) -> Tree:
            return each_leaf(tree, lambda leaf: _specify_leaf(leaf, named))

        others = [(other.name, other_tree) for other in ratio.others if (other_tree := self.ratio_tree(other))]
        closing = at_year_end(tree)
        others += [] if closing == tree else [(AT_CLOSE, closing)]
        name = _told_name(ratio)
        return FormulaTree(
            specify(tree),
            name,
            ratio.source,
            ratio.percent,
            describe_tree(tree),
            tuple((how, specify(other)) for how, other in others),
            ratio.standard,
            FigureLeaf(ratio.foil[0], ratio.foil, "balance") if ratio.foil else None,
            ratio.share,
            FigureLeaf(name, (name.lower(), *ratio.asked[1:])),
        )

    def _qualify(self, base: FormulaTree, focus: str, match: Match) -> FormulaTree | None:
        """The ratio as a qualifier narrows it ("before depreciation"); None when there is one that cannot be read."""
        rest = focus[match.end :]
        found = [sign for sign in _QUALIFIER.finditer(rest)]
        if not found:
            return base
        leaf = self._find_whole(found[0]["what"]) if len(found) == 1 else None
        sign = _sign_of(found[0]["sign"].lower(), leaf) if leaf is not None else ""
        if leaf is None or not sign or _NARROWED.search(rest):
            return None
        tree = _change_numerator(base.tree, sign, replace(leaf, period=None))
        name = f"{base.name} {found[0]['sign'].lower()} {_plain_words(found[0]['what'])}"
        return FormulaTree(tree, name, base.source, base.is_percent, describe_tree(tree), share=base.share)

    def _single(self, matches: Sequence[Match]) -> FormulaTree | None:
        concepts = [concept for match in matches if (concept := _concept(match)) and concept.is_measured]
        if not concepts:
            return None
        concept = concepts[0]
        return FormulaTree(FigureLeaf(concept.name, concept.phrases, concept.statement), concept.name, concept.source)

    def _over_time(self, base: FormulaTree, focus: str, *, wants_percent: bool) -> FormulaTree:
        """The same over the periods named: an average of them, a growth, a change, or simply the one asked."""
        ordered = sorted(self.periods, key=lambda period: (period.year, period.quarter or 0))
        alone = replace(base, others=(), standard=None, stated=None)
        if _AVERAGE.search(focus) and len(ordered) > 1:
            if _GROWTH.search(focus) and not base.is_percent:
                return _average_growth(alone, ordered)
            trees = [at_period(base.tree, period) for period in ordered]
            return _take_foil(replace(alone, tree=average(trees), name=f"average {base.name}"), ordered)
        is_judged = base.standard is not None and not base.standard.asked
        if not is_judged and (
            _GROWTH.search(focus)
            or (_CHANGE.search(focus) and (len(ordered) > 1 or not isinstance(base.tree, FigureLeaf)))
        ):
            is_growth = _is_growth(focus, base, wants_percent=wants_percent)
            return _take_foil(self._measure_change(alone, ordered, is_growth=is_growth), ordered)
        if not ordered:
            return base
        others = tuple((how, at_period(tree, ordered[-1])) for how, tree in base.others)
        named = [period for period in ordered[:-1] if period in periods_in(focus)] if base.words else []
        series = tuple((period.text or str(period.year), at_period(base.tree, period)) for period in reversed(named))
        told = replace(base, tree=at_period(base.tree, ordered[-1]), others=others, series=series)
        return _take_foil(told, ordered)

    def _measure_change(self, base: FormulaTree, ordered: list[Period], *, is_growth: bool) -> FormulaTree:
        before, after = _split_ends(base.tree, ordered)
        difference = Branch("-", after, before)
        if not is_growth:
            return replace(base, tree=difference, name=f"change in {base.name}")
        growth = Branch("/", Branch("*", 100.0, difference), before)
        return replace(base, tree=growth, name=f"growth of {base.name}", is_percent=True)


_COMPARED = re.compile(
    r"\b(?:higher|greater|larger|more|lower|less|smaller)\s+than\s+(?:its\s+|the\s+)?(?P<other>[a-z][^,;?]+)",
    re.IGNORECASE,
)
_WHICH_PERIOD = re.compile(
    r"\b(?:which|what)\s+(?:fiscal\s+|financial\s+)?(?:year|quarter|period|month)\b", re.IGNORECASE
)
_LEVEL = re.compile(r"\b(?<!by )(?:above|below|under|beneath)\s+[-$€£\d]", re.IGNORECASE)
_UNREAD_SHARE = re.compile(r"\bas\s+an?\s+(?:%|percent|percentage|share|proportion|fraction)\s+of\b", re.IGNORECASE)
_IS_JUDGED = re.compile(r"^\W*(?:is|are|was|were|does|do|did|has|have|can|could|would|should)\b", re.IGNORECASE)
"""How a question begins that a judgement answers."""

_QUALIFIER = re.compile(
    r"\b(?P<sign>before|excluding|exclusive of|without|adding back|net of|after)\s+(?P<what>[^,;.?()]+)",
    re.IGNORECASE,
)
_NARROWED = re.compile(r"\b(?:only|rather than|instead of|except)\b", re.IGNORECASE)
_COSTS = re.compile(
    r"\b(?:expenses?|costs?|depreciation|amorti[sz]ation|impairments?|charges?|taxes|tax)\b", re.IGNORECASE
)


def _sign_of(word: str, leaf: FigureLeaf) -> str:
    """What a qualifier does to the figure above the line: a cost left out is added back, anything else comes off."""
    is_cost = bool(_COSTS.search(leaf.concept))
    if word in ("net of", "after"):
        return "-" if is_cost else ""
    if word in ("before", "adding back"):
        return "+" if is_cost else ""
    return "+" if is_cost else "-"


def _change_numerator(tree: Tree, sign: str, leaf: FigureLeaf) -> Tree:
    """The tree with a figure added to, or taken off, what stands above the line."""
    if isinstance(tree, Branch) and tree.operator == "/":
        return Branch("/", _change_numerator(tree.left, sign, leaf), tree.right)
    if isinstance(tree, Branch) and tree.operator == "*" and isinstance(tree.left, float):
        return Branch("*", tree.left, _change_numerator(tree.right, sign, leaf))
    return Branch(sign, tree, leaf)


def _average_growth(base: FormulaTree, ordered: Sequence[Period]) -> FormulaTree:
    """The mean of the growth from each period to the next."""
    trees = [at_period(base.tree, period) for period in ordered]
    rates: list[Tree] = [
        Branch("/", Branch("*", 100.0, Branch("-", after, before)), before) for before, after in pairwise(trees)
    ]
    return replace(base, tree=average(rates), name=f"average growth of {base.name}", is_percent=True)


def _told_name(ratio: Ratio) -> str:
    """A ratio's name as it is told: "EBITDA" for "ebitda calculation"."""
    return ratio.name.removesuffix(" calculation").replace("ebitda", "EBITDA")


def _take_foil(base: FormulaTree, ordered: Sequence[Period]) -> FormulaTree:
    """Foil and the figure itself at the period asked for last."""
    if not ordered:
        return base
    foil, stated = (leaf and replace(leaf, period=ordered[-1]) for leaf in (base.foil, base.stated))
    return replace(base, foil=foil, stated=stated)


def _is_inside(sign: re.Match[str], matches: Sequence[Match]) -> bool:
    """ "Plant, less accumulated depreciation" is one figure, not a subtraction."""
    return any(match.start <= sign.start() and sign.end() <= match.end for match in matches)


def _is_forecast(matches: Sequence[Match]) -> bool:
    """What is expected stands in an outlook, not in a statement."""
    return any(entry.name == "guidance" for match in matches for entry in match.entries)


def _specify_leaf(leaf: FigureLeaf, named: Sequence[Concept]) -> FigureLeaf:
    """The figure as the question narrows it: "net income attributable to shareholders" for net income."""
    for concept in named:
        if (
            concept.name != leaf.concept
            and concept.name.startswith(leaf.concept)
            and concept.statement == leaf.statement
        ):
            return replace(leaf, concept=concept.name, phrases=concept.phrases)
    return leaf


def _split_ends(tree: Tree, ordered: list[Period]) -> tuple[Tree, Tree]:
    if not ordered:
        return shift_periods(tree, 1), tree
    last = at_period(tree, ordered[-1])
    return (at_period(tree, ordered[0]) if len(ordered) > 1 else shift_periods(last, 1)), last


def _is_growth(focus: str, base: FormulaTree, *, wants_percent: bool) -> bool:
    """Of a ratio in percent the change is a difference in points; of an amount it is a rate when one is asked."""
    if base.is_percent or _COMPOUND.search(focus):
        return False
    return wants_percent or bool(_GROWTH.search(focus))


def _concept(match: Match) -> Concept | None:
    return next((entry for entry in match.entries if isinstance(entry, Concept)), None)


def _defined_name(sentence: str) -> str:
    match = re.match(
        r"(?:define\s+|calculate\s+|compute\s+)?(?P<name>.+?)\s+(?:here\s+)?(?:as\b|is\b|using\b|means\b|equals\b|=)",
        sentence,
        re.I,
    )
    name = match["name"].strip() if match else ""
    return "" if name.lower() in _PRONOUNS else name


def _plain_words(words: str) -> str:
    """The words of a figure without periods and fillers."""
    plain = words
    for period in periods_in(words):
        plain = plain.replace(period.text, " ")
    plain = re.sub(
        r"\b(?:the|annual|total amount of|reported|between|and|from|to|in|of|for|at|end|year)\b\s*$",
        " ",
        plain,
        flags=re.I,
    )
    return re.sub(r"\s+", " ", plain).strip(" ,.:;-").lower()
