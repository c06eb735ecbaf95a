"""People take turns: one job each in the queue, the others' rows wait, and nobody holds every worker."""

from datetime import UTC, datetime, timedelta
from functools import partial

import django_rq
import pytest
from rq.job import Job
from rq.utils import utcformat

from tests.runs.conftest import make_ready
from tests.support.together import at_once
from vectorless_web.infra.queues.jobs import count_workers
from vectorless_web.runs.line import RUNS, enqueue
from vectorless_web.runs.models import Run, Thread
from vectorless_web.runs.services import cancel_run, recover_runs
from vectorless_web.runs.services.leases import claim, end_run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ask(workspace, alice):
    """`ask(alice)` stores a question of hers and enqueues it."""
    make_ready(workspace, alice)
    thread = Thread.objects.create(workspace=workspace, title="Turns", created_by=alice)

    def asked(user) -> Run:
        run = Run.objects.create(thread=thread, workspace=workspace, question="What was revenue?", asked_by=user)
        enqueue(run)
        return run

    return asked


def queued() -> list[int]:
    """The runs whose job is in the queue, in its order."""
    return [int(name.split("-")[1]) for name in django_rq.get_queue("runs").job_ids]


def deliver(run: Run) -> None:
    """Take the run's job out of the queue, as the worker does that begins it."""
    django_rq.get_connection("runs").lrem("rq:queue:runs", 0, f"run-{run.pk}-1")


def test_of_each_person_one_question_is_in_the_queue_however_many_wait(ask, alice, bob):
    mine = [ask(alice) for _ in range(20)]
    his = ask(bob)

    assert queued() == [mine[0].pk, his.pk]


def test_one_person_never_holds_every_worker(ask, alice, bob, workers):
    workers(2)
    first, second, his = ask(alice), ask(alice), ask(bob)
    lease = claim(first.pk)

    assert claim(second.pk) is None, "it waits although its job was delivered"
    assert claim(his.pk) is not None
    end_run(lease, Run.Status.ANSWERED)
    assert claim(second.pk) is not None


def test_a_question_whose_job_came_too_early_comes_when_room_is_made_before_that_job_ends(ask, alice, workers):
    workers(2)
    first, second = ask(alice), ask(alice)
    deliver(first)
    jobs = django_rq.get_queue("runs")
    lease = claim(first.pk)
    too_early = jobs.enqueue_call("os.getpid", job_id=f"run-{second.pk}-1")
    deliver(second)
    too_early.set_status("started")

    assert claim(second.pk) is None
    assert queued() == []
    end_run(lease, Run.Status.ANSWERED)

    assert queued() == [second.pk], "without waiting for the sweep"


def test_a_single_worker_is_kept_for_whoever_comes_between(ask, alice, bob, workers):
    workers(1)
    first, second = ask(alice), ask(alice)
    deliver(first)
    lease = claim(first.pk)
    his = ask(bob)

    end_run(lease, Run.Status.ANSWERED)

    assert queued() == [his.pk, second.pk]


def test_workers_that_were_killed_do_not_count(workers):
    workers(2)
    workers(3, alive=False)

    assert count_workers("runs") == 2


def test_one_person_holds_no_more_when_a_jump_of_the_clock_makes_all_workers_seem_silent(ask, alice, bob, workers):
    workers(2)
    redis = django_rq.get_connection("runs")
    for key in redis.smembers("rq:workers:runs"):
        redis.hset(key, "last_heartbeat", utcformat(datetime.now(UTC) - timedelta(minutes=1)))
    first, second, his = ask(alice), ask(alice), ask(bob)
    assert count_workers("runs") == 0
    assert claim(first.pk) is not None

    assert claim(second.pk) is None
    assert claim(his.pk) is not None


def test_two_workers_that_take_two_questions_at_once_get_one_between_them(ask, alice, workers):
    workers(2)
    pair = [ask(alice).pk, ask(alice).pk]

    taken = at_once(*(partial(claim, pk) for pk in pair))

    assert sum(lease is not None for lease in taken) == 1


def test_a_doubled_call_adds_no_second_job(ask, alice):
    run = ask(alice)
    django_rq.get_queue("runs").empty()
    at_once(*[partial(enqueue, run)] * 8)

    assert queued() in ([run.pk], [])
    recover_runs()
    assert len(queued()) <= 1


def test_an_emptied_queue_is_filled_again_with_everybodys_oldest(ask, alice, bob):
    mine, _, his, _ = ask(alice), ask(alice), ask(bob), ask(bob)
    django_rq.get_connection("runs").flushall()

    assert recover_runs() == 2
    assert queued() == [mine.pk, his.pk]


def test_a_job_whose_worker_died_before_it_began_is_given_out_again(ask, alice):
    run = ask(alice)
    redis = django_rq.get_connection("runs")
    began = datetime.now(UTC) - timedelta(seconds=3)
    redis.delete("rq:queue:runs", f"vectorless:admitting:run-{run.pk}-1")

    def started(moment: datetime) -> None:
        values = {"status": "started", "started_at": moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
        redis.hset(Job.key_for(f"run-{run.pk}-1"), mapping=values)

    started(began)
    assert recover_runs() == 0, "its work may be about to begin"
    started(began - timedelta(minutes=1))
    assert recover_runs() == 1


def test_a_stopped_question_lets_its_person_s_next_come(ask, alice):
    first, second = ask(alice), ask(alice)

    cancel_run(user=alice, run=first)

    assert queued() == [second.pk]


def test_places_follow_the_turns(ask, alice, bob, django_assert_num_queries):
    mine = [ask(alice).pk for _ in range(3)]
    his = [ask(bob).pk for _ in range(2)]

    with django_assert_num_queries(1):
        places = RUNS.places([*mine, *his])

    assert places == {mine[0]: 1, his[0]: 2, mine[1]: 3, his[1]: 4, mine[2]: 5}
