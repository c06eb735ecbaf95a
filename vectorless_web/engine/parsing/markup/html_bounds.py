"""Bounds what makes the HTML parser slow: it takes time by the square of nesting, attributes and choices.

One pass over the marks of a page, with the parser's own rules for which end closes what. A page
within the bounds is handed on as it is; of any other, the marks beyond them are left out. Its words stay.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

DEEPEST = 512
"""Elements open inside each other, as in browsers, which nest no deeper either."""
DEEPEST_INLINE = 256
MOST_FORMATS = 32
"""Formats open at once: every paragraph opens all of them again, so this multiplies what is built."""
MOST_ATTRIBUTES = 1_000
"""Of one element; ten times as many cost the parser 0.2 s, a hundred times 20 s."""
MOST_OPTIONS = 2_000
"""Of one list of choices, none of which is read; twice as many cost 0.05 s, ten times as many 1.3 s."""
MOST_ROOTS = 16
"""Repeated `<html>` and `<body>`, whose attributes are gathered on the first."""

_ATTRIBUTE = r"[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|(?![\"'])[^\s>]*+))?+"
_MARK = re.compile(
    rf"<(?:!--(?:-?>|.*?(?:--!?>|\Z))|(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+)(?P<rest>(?:{_ATTRIBUTE})*+)[\s/]*+(?:>|\Z))",
    re.DOTALL,
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_SHORT = 2 * MOST_ATTRIBUTES
"""Characters that cannot hold more attributes than are allowed."""


def _split_names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VERBATIM = _split_names("script style textarea title xmp iframe noembed noframes")
_SINGLE = _split_names(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr"
)
_IMPLIED = _split_names("caption colgroup dd dt head li p rb rp rt rtc tbody td tfoot th thead tr")
"""They end where the next one begins, so their number at a place is bounded by that of all others."""
_CHOICES = frozenset(("option", "optgroup"))
_ROOTS = frozenset(("html", "body"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_FORMATS = _split_names("a b big code em font i nobr s small strike strong tt u")
_READ_IN_SVG = ("foreignobject", "desc")
"""Parts of a drawing whose marks are read as those of a page."""
_WALLS = _split_names("applet button foreignobject marquee object select svg table template")
"""An end mark inside one of these closes nothing outside of it."""
_BLOCKS = _split_names(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form"
    " frameset header hgroup listing main menu nav noscript ol plaintext pre search section summary ul"
)
_SPECIAL = _BLOCKS | _WALLS | _HEADINGS


@dataclass(frozen=True, slots=True)
class BoundedPage:
    """A page whose parsing takes time by its length; `remarks` are sentences about what was left out of it."""

    source: str
    remarks: Sequence[str] = ()


def bound_page(source: str) -> BoundedPage:
    """The page without marks beyond the bounds; the very same string when there are none."""
    return _Pass(source).run()


@dataclass(slots=True)
class _Pass:
    """One reading of a page's marks. `opened` names the elements open at this place, the innermost last."""

    source: str
    opened: list[str] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)
    """How often each name is in `opened`."""
    special: int = 0
    formats: int = 0
    options: int = 0
    roots: int = 0
    unopened: Counter[str] = field(default_factory=Counter)
    """Names of elements that were left out and not yet closed: their ends are left out too."""
    cuts: list[tuple[int, int]] = field(default_factory=list)
    nested: int = 0
    attributes: int = 0

    def run(self) -> BoundedPage:
        position = 0
        while (mark := _MARK.search(self.source, position)) is not None:
            position = mark.end()
            if mark["name"] is None:
                continue  # a comment
            name = mark["name"].lower()
            if mark["end"]:
                self._end(name, mark)
                continue
            if len(mark["rest"]) > _SHORT:
                self._cut_attributes(mark)
            self._begin(name, mark)
            if name in _VERBATIM:
                position = self._behind(name, position)
        return BoundedPage(self._build_source(), tuple(self._remarks()))

    def _behind(self, name: str, position: int) -> int:
        """Where the end mark of a verbatim element begins: nothing before it is a mark."""
        end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self.source, position)
        return end.start() if end else len(self.source)

    def _begin(self, name: str, mark: re.Match[str]) -> None:
        if name in _SINGLE or name in _IMPLIED or name in _VERBATIM:
            return
        if name in _CHOICES:
            self._choice(mark)
        elif name in _ROOTS:
            self.roots += 1
            if self.roots > MOST_ROOTS:
                self._leave_out(mark)
        else:
            if name in _HEADINGS and self.opened and self.opened[-1] in _HEADINGS:
                self._close(len(self.opened) - 1)
            if self._is_drawn(mark):
                return
            if self._is_full(name):
                self.nested += name not in _FORMATS
                self.unopened[name] += 1
                self._leave_out(mark)
            else:
                self._open(name)

    def _choice(self, mark: re.Match[str]) -> None:
        """A choice begins or ends inside a list of choices; elsewhere it nests no deeper than others."""
        if self.count["select"]:
            self.options += not mark["end"]
            if self.options > MOST_OPTIONS:
                self._leave_out(mark)

    def _is_drawn(self, mark: re.Match[str]) -> bool:
        """Whether an element is a part of a drawing that ends where it begins: only there `/>` closes one."""
        return bool(self.count["svg"]) and mark[0].endswith("/>") and not any(self.count[name] for name in _READ_IN_SVG)

    def _is_full(self, name: str) -> bool:
        if name in _FORMATS:
            return self.formats >= MOST_FORMATS
        if name in _SPECIAL:
            return self.special >= DEEPEST
        return len(self.opened) - self.special - self.formats >= DEEPEST_INLINE

    def _open(self, name: str) -> None:
        self.opened.append(name)
        self.count[name] += 1
        self.special += name in _SPECIAL
        self.formats += name in _FORMATS
        if name == "select":
            self.options = 0

    def _end(self, name: str, mark: re.Match[str]) -> None:
        if self.unopened[name]:
            self.unopened[name] -= 1
            self._leave_out(mark)
        elif name in _CHOICES:
            self._choice(mark)
        elif name in _HEADINGS:
            self._end_special(_HEADINGS)
        elif not self.count[name]:
            return
        elif name in _FORMATS:
            self._end_format(name)
        elif name in _SPECIAL:
            self._end_special((name,))
        else:
            self._end_inline(name)

    def _end_special(self, names: Sequence[str] | frozenset[str]) -> None:
        """Close the nearest of these names and all within it but the formats, which go on behind it."""
        for place in range(len(self.opened) - 1, -1, -1):
            if self.opened[place] in names:
                self._close(place)
                return
            if self.opened[place] in _WALLS:
                return

    def _end_format(self, name: str) -> None:
        """Close a format: blocks that were opened within stay open, other elements do not."""
        place = len(self.opened) - 1 - self.opened[::-1].index(name)
        inside = self.opened[place + 1 :]
        if any(inner in _SPECIAL for inner in inside):
            del self.opened[place]
            self._forget(name)
        else:
            self._close(place)

    def _end_inline(self, name: str) -> None:
        for place in range(len(self.opened) - 1, -1, -1):
            if self.opened[place] == name:
                self._close(place)
                return
            if self.opened[place] in _SPECIAL:
                return

    def _close(self, place: int) -> None:
        """Take the element at a place off, with all inside it but formats."""
        closed, inside = self.opened[place], self.opened[place + 1 :]
        kept = [name for name in inside if name in _FORMATS]
        self.opened[place:] = kept
        self._forget(closed)
        for name in inside:
            if name not in _FORMATS:
                self._forget(name)

    def _forget(self, name: str) -> None:
        self.count[name] -= 1
        self.special -= name in _SPECIAL
        self.formats -= name in _FORMATS

    def _leave_out(self, mark: re.Match[str]) -> None:
        self.cuts.append(mark.span())

    def _cut_attributes(self, mark: re.Match[str]) -> None:
        """Leave out the attributes of an element beyond the first MOST_ATTRIBUTES."""
        for number, attribute in enumerate(_ATTRIBUTES.finditer(self.source, *mark.span("rest"))):
            if number == MOST_ATTRIBUTES:
                self.attributes += 1
                self.cuts.append((attribute.start(), mark.end("rest")))
                return

    def _build_source(self) -> str:
        if not self.cuts:
            return self.source
        parts, position = [], 0
        for start, end in sorted(self.cuts):
            parts.append(self.source[position:start])
            position = max(position, end)
        parts.append(self.source[position:])
        return "".join(parts)

    def _remarks(self) -> list[str]:
        remarks = []
        if self.nested:
            remarks.append(
                f"Elements of this page are nested deeper than {DEEPEST} levels; those beyond are read as plain text."
            )
        if self.attributes:
            remarks.append(
                f"An element of this page has more than {MOST_ATTRIBUTES:,} attributes; the others were left out."
            )
        return remarks
