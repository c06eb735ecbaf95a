"""Compiles every file of a folder as the product does: in a child process under the installation's limits.

    python benchmarks/compile_folder.py FOLDER [--only NAME] [--all]

Prints a line for each file that was refused, crashed or has a reader that failed (with `--all` for each file), then
a row for each ending: files, compiled, refused, crashed, with failed readers; seconds, pages a second and the most
memory of one file. A refusal is an answer (a code and a sentence); a crash is a child that ended without one.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")

from vectorless_web.documents.compiling.process import CompileFailed, Finished, Order, run_child
from vectorless_web.engine.documents.artefact import CompiledDocument

CRASHED = ("reader_crashed", "internal_error", "killed_by_system", "out_of_memory", "compile_timeout")
"""Codes of files on which the reader ended without an answer of its own."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file; `code` is "" for one that compiled, `peak_mb` its memory in megabytes."""

    name: str
    code: str
    reason: str
    seconds: float
    pages: int = 0
    peak_mb: float = 0.0
    failed_readers: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """compiled, refused or crashed."""
        return "compiled" if not self.code else "crashed" if self.code in CRASHED else "refused"


def compile_one(path: Path, target: Path) -> Outcome:
    """Compile a file and say what came of it."""
    started = time.monotonic()
    peak = 0.0
    try:
        for news in run_child(Order(path, path.name, target)):
            peak = news.peak_mb if isinstance(news, Finished) else peak
    except CompileFailed as failure:
        return Outcome(path.name, failure.code, failure.message, time.monotonic() - started)
    seconds = time.monotonic() - started
    document = CompiledDocument(target.read_bytes())
    failed = tuple(said for said in document.report.warnings if "could not be read" in said)
    return Outcome(path.name, "", "", seconds, len(document.pages), peak, failed)


def summarise(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The table of what became of the files, by their endings and of all."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[Path(outcome.name).suffix.lower() or "(none)"].append(outcome)
    columns = ("files", "compiled", "refused", "crashed", "fenced", "seconds", "pages", "pages/s", "peak MB")
    yield f"{'':10}" + "".join(f"{column:>10}" for column in columns)
    for name, own in [*sorted(groups.items()), ("all", list(outcomes))]:
        counts = [sum(outcome.verdict == verdict for outcome in own) for verdict in ("compiled", "refused", "crashed")]
        fenced = sum(bool(outcome.failed_readers) for outcome in own)
        seconds, pages = sum(outcome.seconds for outcome in own), sum(outcome.pages for outcome in own)
        peak = max((outcome.peak_mb for outcome in own), default=0.0)
        figures = (*map(str, (len(own), *counts, fenced)), f"{seconds:.1f}", str(pages), f"{pages / seconds:.1f}")
        yield f"{name:10}" + "".join(f"{figure:>10}" for figure in (*figures, f"{peak:.0f}"))


def main() -> None:
    """Compile the folder and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of files, looked through with its subfolders")
    parser.add_argument("--only", default="", help="only files whose name contains this")
    parser.add_argument("--all", action="store_true", help="a line for each file")
    options = parser.parse_args()
    paths = sorted(path for path in options.folder.rglob("*") if path.is_file() and options.only in path.name)
    if not paths:
        sys.exit("No file there.")
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            outcome = compile_one(path, Path(folder) / "artefact")
            outcomes.append(outcome)
            if options.all or outcome.code or outcome.failed_readers:
                told = [outcome.code, outcome.reason, *outcome.failed_readers]
                print(f"{outcome.name}: {outcome.verdict} {outcome.seconds:.1f} s", *filter(None, told), sep="\n    ")
    print(*summarise(outcomes), sep="\n")


if __name__ == "__main__":
    main()
