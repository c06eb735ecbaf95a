"""Queueing of runs and replays: in fair turns, one job for each attempt; a doubled call replaces the job."""

from collections.abc import Collection, Iterable

from vectorless_web.infra.live import publish
from vectorless_web.infra.queues import jobs
from vectorless_web.runs.line import QUEUE, REPLAY_QUEUE, REPLAYS, RUNS, job_id, replay_job_id
from vectorless_web.runs.models import Replay, Run


def enqueue(run: Run) -> None:
    """Have the run taken in its person's turn, once the transaction commits; without Redis the sweep sees to it."""
    RUNS.admit(run.asked_by_id)


def admit_after(run_id: int) -> None:
    """Let the next question of the run's person come when the run has made room, once the transaction commits."""
    RUNS.admit(Run.objects.values_list("asked_by", flat=True).filter(pk=run_id).first())


def admit_runs() -> int:
    """Give everybody's oldest waiting run its job where it has none; how many."""
    return RUNS.admit_all()


def enqueue_replay(replay: Replay) -> None:
    """Have the replay made when it is its person's turn, once the transaction commits."""
    REPLAYS.admit(replay.asked_by_id)


def admit_replays() -> int:
    """Give everybody's oldest open replay its job where it has none; how many."""
    return REPLAYS.admit_all()


def find_never_enqueued(replays: Iterable[Replay]) -> list[Replay]:
    """Those whose job Redis knows nothing of; none when it is down."""
    return _select_lost(replays, jobs.EVER)


def without_worker(replays: Iterable[Replay]) -> list[Replay]:
    """Those whose job neither waits nor runs; none when Redis is down."""
    return _select_lost(replays, jobs.ALIVE)


def _select_lost(replays: Iterable[Replay], states: Collection[str]) -> list[Replay]:
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
