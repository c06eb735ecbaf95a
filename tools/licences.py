"""Lists what is installed with its licence, and fails for one that this project may not stand on.

    .venv/bin/python tools/licences.py [--all]

GPL and AGPL are refused: they would reach what is built on them. LGPL and MPL are used unmodified and are fine. A
package of which no licence can be told is refused until somebody has looked and added it to KNOWN.
"""

import argparse
import re
import sys
from collections import Counter
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REFUSED = re.compile(r"(?<!L)(?<!Lesser )\bA?GPL|(?<!Lesser )General Public License|Affero|SSPL|Business Source", re.I)
LESSER = re.compile(r"LGPL|Lesser General Public|Library General Public", re.I)
KNOWN: dict[str, str] = {"axe-playwright-python": "MIT"}
"""Packages whose own description names no licence, and what somebody found instead."""
DATA = {"vectorless_web/engine/text/word_vectors.npy": "Apache-2.0; WordNet 3.0"}
"""Data files made from works of others, with the licences; beside each stands its notice, NAME.licence.txt."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="list every package")
    options = parser.parse_args()
    locked = read_locked(*ROOT.glob("requirements*.txt"))
    found = {name_of(each): licence_of(each) for each in distributions() if name_of(each) in locked}
    bad = {name: licence for name, licence in found.items() if not licence or is_refused(licence)}
    for file, licence in DATA.items():
        bad |= {} if (ROOT / file).with_suffix(".licence.txt").is_file() else {file: "has no notice beside it"}
        found[file] = licence
    for name, licence in sorted((found if options.all else bad).items()):
        print(f"{name:32} {licence or 'names no licence'}")
    counts = Counter(licence.split(";")[0][:30] for licence in found.values())
    usual = ", ".join(f"{count} {name}" for name, count in counts.most_common(6))
    print(f"{len(found)} packages and data files: {usual}, ...")
    if bad:
        print(
            f"{len(bad)} may not be used: take another library, or add what its licence is to KNOWN.", file=sys.stderr
        )
    return 1 if bad else 0


def read_locked(*files: Path) -> set[str]:
    """Names of the locked packages."""
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return {normalise(line.split("==")[0]) for line in lines if re.match(r"[A-Za-z0-9]", line) and "==" in line}


def is_refused(licence: str) -> bool:
    """Whether a licence, or each of those that one may choose from ("OR", or several classifiers), is refused."""
    return all(REFUSED.search(LESSER.sub("", part)) is not None for part in re.split(r"\bOR\b|;", licence))


def licence_of(package: Distribution) -> str:
    """What a package says of its licence: the expression, else the classifiers, else the field's first line."""
    about = package.metadata
    name = normalise(about["Name"] or "")
    classified = [row.split(" :: ")[-1] for row in about.get_all("Classifier") or [] if row.startswith("License ::")]
    classified = [row for row in classified if row != "OSI Approved"]
    first = (about.get("License") or "").strip().split("\n")[0][:60]
    return about.get("License-Expression") or "; ".join(classified) or first or KNOWN.get(name, "")


def name_of(package: Distribution) -> str:
    """A package's name as the locks write it."""
    return normalise(package.metadata["Name"] or "")


def normalise(name: str) -> str:
    """A package's name as the locks write it."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


if __name__ == "__main__":
    raise SystemExit(main())
