"""Applies the blocks of a page of recipes to a copy of the project, and runs its commands there."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINKED = ("templates", "static", "docs/demo")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"(?<!\S)(?:\.venv/bin/python|python3)(?!\S)")


@dataclass(frozen=True)
class Recipe:
    """One chapter of the page: its title and its blocks as (language, text)."""

    title: str
    blocks: tuple[tuple[str, str], ...]

    def commands(self) -> list[tuple[str, list[str]]]:
        """Each command with the lines that are to be printed."""
        found: list[tuple[str, list[str]]] = []
        for language, text in self.blocks:
            for line in text.splitlines() if language == "console" else ():
                if line.startswith("$ "):
                    found.append((line[2:], []))
                elif line.strip() != "...":
                    found[-1][1].append(line)
        return found


def recipes(page: Path) -> dict[str, Recipe]:
    """The page's chapters by title."""
    chapters = re.split(r"^## ", page.read_text(), flags=re.MULTILINE)[1:]
    titles = [chapter.partition("\n")[0] for chapter in chapters]
    blocks = [tuple(_BLOCK.findall(chapter)) for chapter in chapters]
    return {title: Recipe(title, found) for title, found in zip(titles, blocks, strict=True)}


def holds(printed: str, line: str) -> bool:
    """Whether a line was printed; dots in it stand for anything."""
    pattern = ".*".join(re.escape(part) for part in line.strip().split("..."))
    return re.search(pattern, printed) is not None


class Copy:
    """A copy of the project that recipes change: of its modules, compiled as they are; nothing else is written to."""

    def __init__(self, place: Path) -> None:
        self.place = place
        shutil.copytree(ROOT / "vectorless_web", place / "vectorless_web")
        shutil.copy(ROOT / "manage.py", place)
        (place / "docs").mkdir()
        for name in LINKED:
            (place / name).symlink_to(ROOT / name)
        self._environment: dict[str, str] = {}

    def apply(self, recipe: Recipe) -> None:
        """Write the recipe's files and make its changes."""
        for language, text in recipe.blocks:
            if language == "diff":
                self._change(text)
            elif language in ("python", "csv"):
                self._write(text, keeps_name=language == "python")

    def run(self, command: str) -> subprocess.CompletedProcess:
        """One command of the page; `export` holds for those after it."""
        self._environment |= {"VECTORLESS_VAR": str(self.place / "var")}
        if command.startswith("export "):
            command = f"{command} && env"
        line = _PYTHON.sub(sys.executable, command)
        environment = {**os.environ, **self._environment, "PYTHONPATH": str(self.place)}
        options = {"cwd": self.place, "env": environment, "capture_output": True, "text": True, "timeout": 60}
        done = subprocess.run(line, shell=True, check=False, **options)
        if command.startswith("export "):
            names = re.findall(r"(\w+)=", command)
            seen = dict(row.split("=", 1) for row in done.stdout.splitlines() if "=" in row)
            self._environment |= {name: seen[name] for name in names}
        return done

    def _write(self, text: str, *, keeps_name: bool) -> None:
        head, _, rest = text.partition("\n")
        path = self.place / head.removeprefix("# ")
        assert not path.exists(), f"{path} is there already"
        path.write_text(text if keeps_name else rest)

    def _change(self, text: str) -> None:
        head, _, rest = text.partition("\n")
        path = self.place / head.removeprefix("+++ ")
        now = path.read_text()
        for hunk in rest.split("@@\n")[1:]:
            lines = hunk.splitlines(keepends=True)
            before = "".join(line[1:] for line in lines if line[0] in " -")
            after = "".join(line[1:] for line in lines if line[0] in " +")
            assert now.count(before) == 1, f"{path.name} holds these lines {now.count(before)} times:\n{before}"
            now = now.replace(before, after)
        path.write_text(now)
