"""The lines in which questions and replays wait for a worker, in turns between the people who asked; notifications.

Each attempt has one job; a doubled call replaces it.
"""

from collections.abc import Callable, Collection, Iterable

from django.db.models import QuerySet

from vectorless_web.infra.live import publish
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.queues.jobs import WaitingLine
from vectorless_web.runs.models import Replay, Run

QUEUE = "runs"
BACKGROUND_QUEUE = "background"
"""Where the many questions of grids and evaluations wait, so that no person waits behind one."""
JOB = "vectorless_web.runs.jobs.execute_run"
BACKGROUND_JOB = "vectorless_web.runs.jobs.execute_turn"
JOB_SECONDS = 900
"""Seconds that the job of a run may take. A run has limits of its own and ends earlier with a sentence; this ends one
that hangs."""
REPLAY_QUEUE = "documents"
"""Replays wait with the uploads: no question waits behind one."""
REPLAY_JOB = "vectorless_web.runs.jobs.replay_run"
REPLAY_JOB_SECONDS = 300
"""The same for a replay, which is given up after REPLAY_SECONDS by itself."""


def job_id(run_id: int, attempt: int) -> str:
    """The name of the job that makes one attempt at a run."""
    return f"run-{run_id}-{attempt}"


def replay_job_id(replay: Replay) -> str:
    """The name of the job that makes this replay; one that is asked for later has another."""
    return f"replay-{replay.run_id}-{int(replay.asked_at.timestamp() * 1000)}"


def _asked_runs(status: str) -> QuerySet[Run]:
    return Run.objects.filter(status=status, purpose=Run.Purpose.QUESTION)


def _background_runs(status: str) -> QuerySet[Run]:
    return Run.objects.filter(status=status).exclude(purpose=Run.Purpose.QUESTION)


def _enqueue_run(run: Run) -> None:
    path = JOB if run.purpose == Run.Purpose.QUESTION else BACKGROUND_JOB
    jobs.enqueue(path, run.pk, queue=line_of(run).queue, job_id=job_id(run.pk, run.attempt), seconds=JOB_SECONDS)


def _enqueue_replay(replay: Replay) -> None:
    name = replay_job_id(replay)
    jobs.enqueue(REPLAY_JOB, replay.run_id, queue=REPLAY_QUEUE, job_id=name, seconds=REPLAY_JOB_SECONDS)


def _make_line(queue: str, rows: Callable[[str], QuerySet[Run]], *, has_short_turns: bool = False) -> WaitingLine:
    return WaitingLine(
        queue=queue,
        person="asked_by",
        waiting=lambda: rows(Run.Status.QUEUED),
        working=lambda: rows(Run.Status.RUNNING),
        job_id=lambda run: job_id(run.pk, run.attempt),
        enqueue=_enqueue_run,
        has_short_turns=has_short_turns,
    )


RUNS = _make_line(QUEUE, _asked_runs)
BACKGROUND = _make_line(BACKGROUND_QUEUE, _background_runs, has_short_turns=True)
REPLAYS = WaitingLine(
    queue=REPLAY_QUEUE,
    person="asked_by",
    waiting=lambda: Replay.objects.filter(verdict=""),
    working=None,
    job_id=replay_job_id,
    enqueue=_enqueue_replay,
)
"""A replay that is being made waits for its verdict like the others: one of each person at a time."""


def line_of(run: Run) -> WaitingLine:
    """The line in which a run waits."""
    return RUNS if run.purpose == Run.Purpose.QUESTION else BACKGROUND


def is_waited_behind(run_id: int) -> bool:
    """Whether a background run of another person than this one's waits."""
    own = Run.objects.filter(pk=run_id).values("asked_by")
    return _background_runs(Run.Status.QUEUED).exclude(asked_by__in=own).exists()


def next_in_turn(run_id: int) -> int | None:
    """The background run that its person's turn goes on with after this one; None when none waits.

    The oldest that waits has its job in the queue already, where another worker may find it.
    """
    waiting = _background_runs(Run.Status.QUEUED).filter(asked_by__in=Run.objects.filter(pk=run_id).values("asked_by"))
    return waiting.order_by("pk").values_list("pk", flat=True)[1:2].first()


def enqueue(run: Run) -> None:
    """Have the run taken in its person's turn, once the transaction commits; without Redis the sweep sees to it."""
    line_of(run).admit(run.asked_by_id)


def admit_after(run_id: int) -> None:
    """Let the next run of its person and line come when the run has made room, once the transaction commits."""
    run = Run.objects.only("asked_by", "purpose").filter(pk=run_id).first()
    if run is not None:
        enqueue(run)


def admit_runs() -> int:
    """Give everybody's oldest waiting run of each line its job where it has none; how many."""
    return RUNS.admit_all() + BACKGROUND.admit_all()


def enqueue_replay(replay: Replay) -> None:
    """Have the replay made when it is its person's turn, once the transaction commits."""
    REPLAYS.admit(replay.asked_by_id)


def admit_replays() -> int:
    """Give everybody's oldest open replay its job where it has none; how many."""
    return REPLAYS.admit_all()


def select_lost(replays: Iterable[Replay], states: Collection[str]) -> list[Replay]:
    """Those whose job is in none of these states; none when Redis is down."""
    named = {replay_job_id(replay): replay for replay in replays}
    gone = jobs.find_lost_jobs(list(named), queue=REPLAY_QUEUE, alive=states)
    return [replay for name, replay in named.items() if name in gone]


def stop_job(run_id: int, attempt: int) -> None:
    """Take the attempt's job out of the queue, or kill the process that works on it."""
    jobs.stop(job_id(run_id, attempt), queue=QUEUE)


def announce(run_id: int, sequence: int = 0) -> None:
    """Send a notification to every open page of the run to read its rows again; it may be lost."""
    publish(group_of(run_id), {"type": "run.changed", "sequence": sequence})


def group_of(run_id: int) -> str:
    """The channel group that the run's pages listen to."""
    return f"run-{run_id}"
