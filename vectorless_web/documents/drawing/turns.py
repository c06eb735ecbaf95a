"""Whose page is drawn next: documents take turns, and one that is slow to draw waits behind all others."""

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Waiter = TypeVar("Waiter")

MOST_WAITING = 128
MOST_WAITING_OF_FILE = 24
"""Two screens of a run's source pane; more pages of one document are asked for again by the browser."""
SLOW_SECONDS = 600.0
"""For how long a document that had a page time out is taken for slow."""
MOST_SLOW = 1_000


@dataclass(eq=False)
class DrawJob(Generic[Waiter]):
    """One request: `waiters` are all who asked for the same and wait for its reply. Times are of a monotonic clock."""

    file: str
    line: bytes
    is_page: bool
    asked_at: float
    waiters: list[Waiter] = field(default_factory=list)
    crashes: int = 0


class Turns(Generic[Waiter]):
    """The jobs that wait and those that are worked on.

    Boxes are small and go first. A document has one page drawn at a time and never all
    workers; the pages of slow documents have one worker among them.
    """

    def __init__(self, workers: int) -> None:
        self._most_of_file = max(1, workers - 1)
        self._waiting: OrderedDict[str, deque[DrawJob[Waiter]]] = OrderedDict()
        self._working: list[DrawJob[Waiter]] = []
        self._slow: OrderedDict[str, float] = OrderedDict()

    def add(self, job: DrawJob[Waiter]) -> bool:
        """Let a job wait, or its waiters wait with the same one; false when too many wait already."""
        for other in self._same_file(job.file):
            if other.line == job.line:
                other.waiters.extend(job.waiters)
                return True
        own = self._waiting.get(job.file, ())
        if len(own) >= MOST_WAITING_OF_FILE or sum(map(len, self._waiting.values())) >= MOST_WAITING:
            return False
        self._waiting.setdefault(job.file, deque()).append(job)
        return True

    def take(self, now: float) -> DrawJob[Waiter] | None:
        """The job that may begin, which counts as worked on from here; None when none may."""
        for may_begin in (self._may_box, self._may_draw, self._may_draw_slow):
            for file, jobs in self._waiting.items():
                job = next((job for job in jobs if may_begin(job, now)), None)
                if job is not None:
                    self._remove(job)
                    if file in self._waiting:
                        self._waiting.move_to_end(file)
                    self._working.append(job)
                    return job
        return None

    def finish(self, job: DrawJob[Waiter], now: float, *, timed_out: bool = False) -> None:
        """A job has ended; one that ended by its time limit makes its document a slow one."""
        self._working.remove(job)
        if timed_out:
            self._slow[job.file] = now
            self._slow.move_to_end(job.file)
            while len(self._slow) > MOST_SLOW:
                self._slow.popitem(last=False)

    def repeat(self, job: DrawJob[Waiter], *, crashed: bool) -> None:
        """A job ended with its worker, perhaps not by its own fault: it is the next of its document."""
        self._working.remove(job)
        job.crashes += crashed
        if job.waiters:
            self._waiting.setdefault(job.file, deque()).appendleft(job)

    def overdue(self, asked_before: float) -> list[DrawJob[Waiter]]:
        """Take out and return the jobs that have waited since before a moment."""
        late = [job for jobs in self._waiting.values() for job in jobs if job.asked_at < asked_before]
        for job in late:
            self._remove(job)
        return late

    def leave(self, waiter: Waiter) -> None:
        """Somebody waits no longer; a job that nobody waits for is not begun."""
        for job in [job for jobs in self._waiting.values() for job in jobs if waiter in job.waiters]:
            job.waiters.remove(waiter)
            if not job.waiters:
                self._remove(job)
        for job in self._working:
            if waiter in job.waiters:
                job.waiters.remove(waiter)

    def is_slow(self, file: str, now: float) -> bool:
        """Whether a page of this document has timed out lately."""
        return now - self._slow.get(file, -SLOW_SECONDS) < SLOW_SECONDS

    def _same_file(self, file: str) -> Iterator[DrawJob[Waiter]]:
        yield from self._waiting.get(file, ())
        yield from (job for job in self._working if job.file == file)

    def _remove(self, job: DrawJob[Waiter]) -> None:
        jobs = self._waiting[job.file]
        jobs.remove(job)
        if not jobs:
            del self._waiting[job.file]

    def _may_box(self, job: DrawJob[Waiter], now: float) -> bool:
        return not job.is_page and sum(other.file == job.file for other in self._working) < self._most_of_file

    def _may_draw(self, job: DrawJob[Waiter], now: float) -> bool:
        return job.is_page and not self.is_slow(job.file, now) and self._draws_no_other(job)

    def _may_draw_slow(self, job: DrawJob[Waiter], now: float) -> bool:
        if not job.is_page or not self._draws_no_other(job):
            return False
        return not any(other.is_page and self.is_slow(other.file, now) for other in self._working)

    def _draws_no_other(self, job: DrawJob[Waiter]) -> bool:
        same = [other for other in self._working if other.file == job.file]
        return not any(other.is_page for other in same) and len(same) < self._most_of_file
