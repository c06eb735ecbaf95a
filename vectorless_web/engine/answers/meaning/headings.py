"""Whose a sentence is by the headings it stands below: "Plant Malmo" told of what stands under "Plant Gdansk"."""

import re
from collections.abc import Callable, Iterator, Sequence

from vectorless_web.engine.answers.meaning.prose import ROLES
from vectorless_web.engine.answers.meaning.wording import content_stems, quote_label
from vectorless_web.engine.answers.quotes import PlacedQuote
from vectorless_web.engine.documents.tree import Tree

MOST_BESIDE = 40
"""Sections beside a heading that are compared with it; a catalogue may have thousands."""

LONGEST_TITLE = 6
"""Words of a heading that names a thing or party; a longer one tells something."""

_PLACE_WORDS = content_stems(
    "chapter section part article clause appendix annex page note item table schedule item step"
)
_GENERAL = content_stems("general other all overview introduction summary total common further")
_PEOPLE = (
    content_stems(" ".join(name for pair in ROLES for names in pair for name in names.split()))
    | content_stems("child adult woman man infant staff visitor member resident pensioner volunteer")
) - content_stems("operator operation provider school company publisher")
_CAPITAL = re.compile(
    r"(?<=\s)[A-Z][\w-]+|\w*\d\w*|^[A-Z]\w+(?=\s+(?:Ltd|plc|AG|Inc|GmbH|LLC|SA|SE|Corp|Bank|Group)\b)"
)
_COUNTED = re.compile(
    r"^\W*(?:(?:chapter|section|part|article|clause|note|item|step)\s+)?(?:\d[\d.]*|[ivx]+\.)\W+", re.I
)


def find_heading_mismatches(text: str, places: Sequence[PlacedQuote], tree_of: Callable[[str], Tree]) -> Iterator[str]:
    """A claim that names the heading beside the one its only quote stands below, and that one not."""
    place = places[0] if len(places) == 1 else None
    node = place.node if place is not None else None
    if place is None or node is None:
        return
    tree = tree_of(place.draft.document)
    said = content_stems(text)
    around = content_stems(" ".join([place.text, *tree.path(node.key)]))
    for section in [key for key in (*tree.ancestors(node.key), node.key) if key and tree.is_section(key)]:
        own = _name_of(tree, section)
        for other in _beside(tree, section):
            name = _name_of(tree, other)
            theirs, mine = name - own, own - name
            if not theirs or not mine or not _are_parallel(own, name) or theirs & around or mine & said:
                continue
            if theirs <= said and (name & own & said or _is_named(tree.columns.titles[other], theirs)):
                title, beside = tree.node(section).title, tree.node(other).title
                yield f"The claim tells of {quote_label(beside)} what stands below {quote_label(title)}."
                return


def _beside(tree: Tree, section: int) -> list[int]:
    siblings = [key for key in tree.children(tree.parent(section)) if key != section and tree.is_section(key)]
    return sorted(siblings, key=lambda key: abs(key - section))[:MOST_BESIDE]


def _name_of(tree: Tree, section: int) -> frozenset[str]:
    """Stems of a short heading without its number."""
    title = _COUNTED.sub("", tree.columns.titles[section])
    return content_stems(title) - _PLACE_WORDS if len(title.split()) <= LONGEST_TITLE else frozenset()


def _are_parallel(own: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two headings name things of one kind: they differ in a word or two of their common frame."""
    shared, mine, theirs = own & other, own - other, other - own
    if (mine | theirs) & _GENERAL or len(mine) > 2 or len(theirs) > 2:
        return False
    return bool(shared)


def _is_named(title: str, stems: frozenset[str]) -> bool:
    """Whether words of a heading are a name, or people: then the claim names them without the rest of the heading."""
    names = content_stems(" ".join(_CAPITAL.findall(title)))
    return bool(stems & (names | _PEOPLE))
