"""How the product is built: modules, folders, importers, templates, names; one column for each tree.

    python benchmarks/house.py [TREE ...] [--names]

A tree is a checkout of the project; without one it is that of this script. Counted are the modules of
`vectorless_web` and the files of `templates`; migrations never count, and an `__init__.py` counts as an importer
and for its lines, not as a module. `--names` lists what stands behind each figure of the last tree.

* one importer: modules that exactly one other module of the product imports, functions' own imports included
* bare participle: functions and methods named by one past participle alone (`told`, not `tell_progress`);
  properties are left out, they are read as adjectives; a form that is its own imperative (`read`, `cut`) is none
* -ing word: the same of one word in -ing, but for words that are nouns of the domain (`heading`, `ranking`)
"""

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PRODUCT = "vectorless_web"
WIDE, CROWDED = 120, 12
"""Characters of a template's line and modules of a folder that are still fine."""

IRREGULAR = re.compile(
    "begun|borne|bought|broken|brought|built|chosen|done|drawn|driven|fallen|felt|found|given|gone|grown|heard|held|hidden"
    "|kept|known|laid|led|left|lent|lost|made|meant|met|paid|said|seen|sent|shown|slept|sold|spent|spoken|stood|taken"
    "|taught|thought|told|torn|understood|undone|unread|unsent|went|won|worn|written"
)
NO_PARTICIPLES = re.compile(
    "(?:dis|em|ex|in|pro|re|suc|un)?(?:bed|bleed|breed|ceed|deed|feed|heed|need|seed|shed|speed)"
)
NOUNS_IN_ING = re.compile(
    "beginning|building|embedding|ending|evening|finding|heading|listing|meaning|meeting|morning|numbering|opening|ranking"
    "|rating|reading|recording|rendering|routing|setting|spelling|spending|string|thing|warning|wording"
)
PROPERTIES = ("property", "cached_property", "setter")


@dataclass(frozen=True, slots=True)
class House:
    """What was counted in one tree, by name."""

    modules: Sequence[str]
    lone: Sequence[str]
    """Modules with one importer, and that importer."""
    crowded: Sequence[str]
    """Folders over twelve modules, with their number."""
    wide: Sequence[str]
    """Places of template lines over 120 characters."""
    participles: Sequence[str]
    gerunds: Sequence[str]
    lines: int

    def figures(self) -> list[tuple[str, str, str]]:
        """(what, figure, bar) for each line of the table."""
        share = len(self.lone) / max(1, len(self.modules))
        return [
            ("modules", f"{len(self.modules)}", "320"),
            ("modules with one importer", f"{len(self.lone)} ({share:.1%})", "20 %"),
            (f"folders over {CROWDED} modules", f"{len(self.crowded)}", "0"),
            (f"template lines over {WIDE} characters", f"{len(self.wide)}", "0"),
            ("functions named by a bare participle", f"{len(self.participles)}", "0"),
            ("functions named by one -ing word", f"{len(self.gerunds)}", ""),
            ("lines of product code", f"{self.lines}", "43000"),
        ]


def survey(tree: Path) -> House:
    """Count everything in one tree."""
    paths = [path for path in sorted((tree / PRODUCT).rglob("*.py")) if "migrations" not in path.parts]
    parsed = {path.relative_to(tree): ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    modules = {path: dotted(path) for path in parsed if path.name != "__init__.py"}
    importers = find_importers(parsed)
    folders = Counter(str(path.parent) for path in modules)
    names = [(f"{path}:{node.lineno}", node.name) for path, module in parsed.items() for node in functions_in(module)]
    return House(
        modules=list(modules.values()),
        lone=[f"{m} <- {next(iter(importers[m]))}" for m in modules.values() if len(importers.get(m, ())) == 1],
        crowded=[f"{folder}: {count}" for folder, count in sorted(folders.items()) if count > CROWDED],
        wide=list(wide_lines(tree)),
        participles=[f"{place} {name}" for place, name in names if is_participle(name)],
        gerunds=[f"{place} {name}" for place, name in names if is_gerund(name)],
        lines=sum(path.read_text(encoding="utf-8").count("\n") for path in paths),
    )


def dotted(path: Path) -> str:
    """The module's name; that of its package for an `__init__.py`."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def find_importers(parsed: dict[Path, ast.Module]) -> dict[str, set[str]]:
    """Which modules of the product import each module of it."""
    known = {dotted(path) for path in parsed}
    found: dict[str, set[str]] = {}
    for path, module in parsed.items():
        for name in imported_by(module, known):
            if name != dotted(path):
                found.setdefault(name, set()).add(dotted(path))
    return found


def imported_by(module: ast.Module, known: set[str]) -> Iterator[str]:
    """The modules among those known that a module imports anywhere in it."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield from (name for name in (inner if inner in known else node.module,) if name in known)


def functions_in(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods, but no properties."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_property(node):
            yield node


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is read as an attribute."""
    return any(ast.unparse(decorator).split(".")[-1] in PROPERTIES for decorator in node.decorator_list)


def is_participle(name: str) -> bool:
    """Whether a name is one past participle and nothing else."""
    word = name.strip("_")
    is_regular = is_word(word) and word.endswith("ed") and not NO_PARTICIPLES.fullmatch(word)
    return is_regular or IRREGULAR.fullmatch(word) is not None


def is_gerund(name: str) -> bool:
    """Whether a name is one word in -ing that is not a noun of the domain."""
    word = name.strip("_")
    return is_word(word) and word.endswith("ing") and not NOUNS_IN_ING.fullmatch(word)


def is_word(name: str) -> bool:
    """Whether a name is one word; `dataReceived`, which a library asks for, is two."""
    return name.isalpha() and name.islower()


def wide_lines(tree: Path) -> Iterator[str]:
    """Places of template lines that are too long to read."""
    for path in sorted(path for path in (tree / "templates").rglob("*") if path.is_file()):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if len(line) > WIDE:
                yield f"{path.relative_to(tree)}:{number} {len(line)}"


def main() -> None:
    """Print the table, and the names if they are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", type=Path, default=[Path(__file__).resolve().parents[1]])
    parser.add_argument("--names", action="store_true", help="list what stands behind the figures of the last tree")
    options = parser.parse_args()
    houses = [survey(tree) for tree in options.trees]
    print("| | " + " | ".join(tree.resolve().name for tree in options.trees) + " | bar |")
    print("|---" * (len(houses) + 2) + "|")
    for rows in zip(*(house.figures() for house in houses), strict=True):
        print(f"| {rows[0][0]} | " + " | ".join(figure for _, figure, _ in rows) + f" | {rows[0][2]} |")
    if options.names:
        house = houses[-1]
        for what in ("lone", "crowded", "wide", "participles", "gerunds"):
            print(f"\n{what}:", *getattr(house, what), sep="\n  ")


if __name__ == "__main__":
    main()
