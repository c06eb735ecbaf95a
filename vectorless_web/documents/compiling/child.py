"""The child process that reads one uploaded file, under limits, without Django, database or secrets.

Run as `python -m vectorless_web.documents.compiling.child`, with JSON on standard input: `path`,
the fields of an Order (compile_process.py) and `parent`. It writes one JSON object a line to
standard output: {"stage", "done", "total"} while it works, then {"ready": true, "peak_mb", "seconds"}
or {"error": code, "message": sentence, "retryable": bool}, or {"error": "os_error", "errno", "message"} for
what the system refused.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

PROGRESS_SECONDS = 0.2
"""Seconds between two messages about the same stage: pages show progress about once a second."""
PR_SET_PDEATHSIG = 1
"""Linux' number of the request for a signal when the parent dies (prctl(2)). Stated here too, because the child imports
no module of the site but the compiler."""
NICENESS = 10
"""Answers come before reading: the child yields the processor to the workers of runs."""


def main(work: Callable[[dict[str, Any]], None] | None = None) -> int:
    """Compile the file that standard input describes, or do other work with it."""
    wanted = json.load(sys.stdin)
    limits = {name: wanted[name] for name in ("memory_bytes", "cpu_seconds", "parent")}
    _confine(**limits)
    started = time.monotonic()
    try:
        (work or _compile)(wanted)
    except MemoryError:
        _write_message(error="out_of_memory", message="", retryable=False)
        return 1
    except OSError as error:
        # A full disk, a file that went away: what the system refused is no fault of the document.
        if error.errno is None:
            raise
        _write_message(error="os_error", errno=error.errno, message=error.strerror or "")
        return 1
    _write_message(ready=True, peak_mb=_peak_mb(), seconds=round(time.monotonic() - started, 2))
    return 0


def _compile(wanted: dict[str, Any]) -> None:
    # Imported under the limits: the parser and its libraries are what they are for.
    from vectorless_web.documents.compiling.tesseract import find_recogniser  # noqa: PLC0415
    from vectorless_web.engine.errors import EngineError  # noqa: PLC0415
    from vectorless_web.engine.parsing.compile import compile_file  # noqa: PLC0415
    from vectorless_web.engine.parsing.corrections import Correction, CorrectionAct  # noqa: PLC0415
    from vectorless_web.engine.parsing.limits import CompileLimits  # noqa: PLC0415
    from vectorless_web.engine.parsing.scans.recognition import NoRecogniser, Recogniser  # noqa: PLC0415

    corrections = [Correction(**{**row, "act": CorrectionAct(row["act"])}) for row in wanted["corrections"]]
    recogniser: Recogniser = NoRecogniser("text recognition (OCR) is switched off here")
    if wanted["ocr_pages"]:
        recogniser = find_recogniser(languages=wanted["ocr_languages"], seconds=wanted["ocr_seconds"])
    try:
        artefact = compile_file(
            Path(wanted["path"]),
            name=wanted["name"],
            ignore_bookmarks=wanted["ignore_bookmarks"],
            progress=ProgressReporter(),
            limits=CompileLimits(
                pages=wanted["max_pages"],
                bytes=wanted["max_bytes"],
                scans=max(wanted["ocr_pages"], 1),
                seconds=wanted["reading_seconds"],
            ),
            recogniser=recogniser,
            corrections=corrections,
        )
    except EngineError as error:
        report_refusal(error.code, error.message, retryable=error.retryable)
    Path(wanted["target"]).write_bytes(artefact)


def report_refusal(code: str, message: str, *, retryable: bool) -> NoReturn:
    """Say why a file cannot be read, and end the process."""
    _write_message(error=code, message=message, retryable=retryable)
    sys.exit(1)


class ProgressReporter:
    """Reports a stage's first and last count, and those between at most five times a second."""

    def __init__(self) -> None:
        self._stage = ""
        self._said_at = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage == self._stage and done < total and now - self._said_at < PROGRESS_SECONDS:
            return
        self._stage, self._said_at = stage, now
        _write_message(stage=stage, done=done, total=total)


def _confine(*, memory_bytes: int, cpu_seconds: int, parent: int) -> None:
    """Set limits that neither the parser nor its libraries can lift, and die with the parent."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)  # The parent died before the kernel was told to watch it.
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The soft limit comes first, with a signal of its own: a hard one kills as a lack of memory does.
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


def _peak_mb() -> float:
    """The most memory this program has held; `ru_maxrss` would count what the parent held before the start."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return round(int(line.split()[1]) / 1024, 1)


def _write_message(**message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
