"""What a mini-map is made of: positions in its 320 x 112 box, and the sections and pages they stand for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """A dot: centre and radius, and the keys of the section it stands for, from `key` to before `end`."""

    x: float
    y: float
    r: float
    key: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Cross:
    """A branch that was entered and turned back from."""

    line: str
    key: int
    end: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """The pages of one part on the ruler; `second` alternates the shade."""

    x: float
    width: float
    second: bool


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page that was read, counted from 1; `here` while it is being read."""

    x: float
    here: bool
    page: int = 0
    width: float = 7.0


@dataclass(frozen=True, slots=True)
class PageLabel:
    """A page number under the ruler; `lit` when the page was read."""

    x: float
    text: str
    anchor: str
    lit: bool


@dataclass(frozen=True, slots=True)
class TreeMap:
    """All that the map's template draws, plus how many pages were read."""

    twigs: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    turned: tuple[Cross, ...] = ()
    buds: tuple[Spot, ...] = ()
    knots: tuple[Spot, ...] = ()
    ruler: tuple[Stretch, ...] = ()
    leaves: tuple[Leaf, ...] = ()
    labels: tuple[PageLabel, ...] = ()
    pages_read: int = 0
