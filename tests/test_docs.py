"""The pages of the documentation name things that are there: files, modules, commands, targets, other pages."""

import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
ROOTS = (ROOT, ROOT / "vectorless_web", ROOT / "vectorless_web" / "engine")
"""Where a path may begin: pages of the engine say `parsing/compile.py`, pages of an app `runs/line.py`."""

DOTTED = re.compile(r"\bvectorless_web(?:\.\w+)+")
SLASHED = re.compile(r"(?<![\w/.:<@-])\w[\w.-]*/[\w./*-]*")
NAMED = re.compile(r"(?<![\w/.*<>-])[\w-]+\.(?:py|sh|toml|html|css|js)\b")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
MADE = re.compile(r"^```\w+\n# (\S+)$", re.MULTILINE)
"""The file that a block of docs/extending.md writes."""
MEDIA_TYPE = re.compile(r"text/(?:csv|html|markdown|plain)")


@cache
def file_names() -> frozenset[str]:
    """The names of all files that the project consists of."""
    folders = ("benchmarks", "docs", "static", "templates", "tests", "tools", "vectorless_web")
    files = [*ROOT.glob("*.*"), *(path for folder in folders for path in (ROOT / folder).rglob("*.*"))]
    return frozenset(path.name for path in files)


def is_there(path: str) -> bool:
    """Whether a path of the project exists, from the root, from the package or from the engine; `*` matches."""
    wanted = path.rstrip("./")
    return any((root / wanted).exists() or ("*" in wanted and any(root.glob(wanted))) for root in ROOTS)


def is_ours(path: str) -> bool:
    """Whether a path claims to be one of the project: its first part is a folder there, and holds no data."""
    first = path.partition("/")[0]
    return first != "var" and not MEDIA_TYPE.fullmatch(path) and any((root / first).is_dir() for root in ROOTS)


def is_importable(name: str) -> bool:
    """Whether a dotted path names a module, or a name in one."""
    try:
        if find_spec(name) is not None:
            return True
    except ModuleNotFoundError:
        pass
    module, _, attribute = name.rpartition(".")
    try:
        return hasattr(import_module(module), attribute)
    except ModuleNotFoundError:
        return False


def missing(text: str) -> list[str]:
    """What a text names as part of the project and is not there, but for the files that its own blocks write."""
    made = MADE.findall(text)
    modules = {file.removesuffix(".py").replace("/", ".") for file in made}
    names = file_names() | {Path(file).name for file in made}
    dotted = [name for name in DOTTED.findall(text) if name not in modules and not is_importable(name)]
    paths = [path for path in SLASHED.findall(text) if path not in made and is_ours(path) and not is_there(path)]
    files = [name for name in NAMED.findall(text) if name not in names]
    return dotted + paths + files


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_only_what_is_there(page):
    text = page.read_text()

    links = [target for target in LINK.findall(text) if not (page.parent / target).exists()]
    commands = set(re.findall(r"manage\.py ([a-z]\w*)", text)) - set(get_commands())
    targets = set(re.findall(r"(?:`|^)(?:\w+=\S+ )*make (\w+)", text, re.MULTILINE)) - makefile_targets()

    assert (missing(text), links, commands, targets) == ([], [], set(), set())


def makefile_targets() -> set[str]:
    """What can be made."""
    return set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_every_page_is_listed_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    pages = [page for page in PAGES if page.parent == ROOT / "docs"]
    assert [page.name for page in pages if f"(docs/{page.name})" not in readme] == []


def test_docstrings_and_comments_name_pages_that_are_there():
    sources = [*(ROOT / "vectorless_web").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
    named = {(file.name, page) for file in sources for page in re.findall(r"\bdocs/\w[\w/-]*\.md", file.read_text())}
    assert {name for _, name in named}, "some do"
    assert [(file, page) for file, page in sorted(named) if not (ROOT / page).exists()] == []
