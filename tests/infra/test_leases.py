"""Leases: one worker at a time may write to a row, and a row whose worker is lost comes back."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.db.models import Q

from tests.conftest import wait_until
from tests.runs.conftest import make_ready
from tests.support.together import at_once
from vectorless_web.documents.models import EmbeddingChoice, VectorFile
from vectorless_web.documents.services.background import EMBEDDINGS, READINGS, REPAIRS
from vectorless_web.infra.leases import Lease, LeaseLost, LeaseRule, Watch, write_under_lease
from vectorless_web.runs.models import Run, Thread
from vectorless_web.workspaces.models import ModelProvider

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

SECONDS = 10.0
OF_RUNS = partial(
    LeaseRule,
    model=Run,
    waiting=Run.Status.QUEUED,
    working=(Run.Status.RUNNING,),
    asked_to_stop="cancel_requested",
    may_retry=lambda run: run.attempt < 3,
)
RULES = {
    "by its end": OF_RUNS(seconds=lambda: SECONDS, renewed="lease_until", is_end=True),
    "by its last renewal": OF_RUNS(seconds=lambda: SECONDS, renewed="started_at", wanted=Q(thread__title="Turns")),
}


@pytest.fixture(params=RULES)
def rule(request) -> LeaseRule[Run]:
    return RULES[request.param]


@pytest.fixture
def run(workspace, alice) -> Run:
    """A waiting row."""
    thread = Thread.objects.create(workspace=workspace, title="Turns", created_by=alice)
    return Run.objects.create(thread=thread, workspace=workspace, question="Whose turn is it?", asked_by=alice)


def claimed(rule: LeaseRule, row) -> Lease:
    token = rule.claim(row.pk)
    assert token is not None
    return Lease(rule, row.pk, token)


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def move_clock(rule: LeaseRule, seconds: float) -> None:
    """As if the clock had been moved forward (or, below zero, back) since the lease was renewed."""
    for row in rule.model.objects.all():
        moment = getattr(row, rule.renewed) - timedelta(seconds=seconds)
        rule.model.objects.filter(pk=row.pk).update(**{rule.renewed: moment})


def writes(lease: Lease, **values) -> bool:
    """Write values in a transaction that the lease fences; whether it stood."""
    try:
        with write_under_lease(lease):
            Run.objects.filter(pk=lease.pk).update(**values)
    except LeaseLost:
        return False
    return True


def sweep(rule: LeaseRule) -> int:
    def end(rows, _run) -> bool:
        return bool(rows.update(**rule.make_released_values(), status=Run.Status.FAILED, error_code="lease_lost"))

    return rule.recover(
        rule.select_expired(), requeue=lambda rows, _run: bool(rows.update(**rule.make_requeued_values())), give_up=end
    )


def test_one_of_many_claimers_gets_the_row(rule, run):
    for _ in range(5):
        tokens = [token for token in at_once(*[lambda: rule.claim(run.pk)] * 6) if token]
        assert tokens == [fresh(run).lease]
        assert fresh(run).status == "running"
        Run.objects.update(**rule.make_requeued_values())


def test_what_else_must_be_true_is_checked_at_each_write(run):
    lease = claimed(RULES["by its last renewal"], run)
    lease.renew()
    Thread.objects.update(title="Not wanted any more")
    with pytest.raises(LeaseLost):
        lease.renew()


def test_whoever_lost_the_lease_writes_nothing(rule, run):
    lease = claimed(rule, run)
    Run.objects.update(**rule.make_requeued_values())
    other = claimed(rule, run)
    with pytest.raises(LeaseLost), write_under_lease(lease):
        raise AssertionError("the fence let a write through")
    with pytest.raises(LeaseLost):
        lease.renew(phase="scan")
    assert lease.select_held().update(status="failed") == 0
    other.renew(phase="route")
    assert (fresh(run).status, fresh(run).phase, fresh(run).attempt) == ("running", "route", 2)


def test_a_fenced_write_and_a_sweep_never_both_stand(rule, run):
    """Whichever comes first: the write renews the lease and the sweep leaves it, or the sweep takes it away."""
    for _ in range(5):
        lease = claimed(rule, run)
        move_clock(rule, SECONDS + 1)
        before, turn = fresh(run).attempt, iter(range(2))

        def race(turn=turn, lease=lease) -> str:
            if next(turn):
                return "swept" if sweep(rule) else "left"
            return "written" if writes(lease, phase=lease.token[:8]) else "refused"

        outcome, row = set(at_once(race, race)), fresh(run)
        if outcome == {"written", "left"}:
            assert (row.phase, row.attempt, row.lease) == (lease.token[:8], before, lease.token)
        else:
            assert outcome == {"refused", "swept"}
            assert (row.phase != lease.token[:8], row.attempt, row.lease) == (True, before + 1, "")
        Run.objects.update(**rule.make_requeued_values() | {"attempt": 1})


def test_an_expired_lease_is_given_back_once_by_however_many_sweeps(rule, run):
    claimed(rule, run)
    assert sweep(rule) == 0
    move_clock(rule, SECONDS + 1)
    assert sum(at_once(*[lambda: sweep(rule)] * 6)) == 1
    row = fresh(run)
    assert (row.status, row.attempt, row.lease, getattr(row, rule.renewed)) == ("queued", 2, "", None)


def test_after_its_attempts_a_row_is_ended_with_a_code(rule, run):
    for _ in range(3):
        claimed(rule, run)
        move_clock(rule, SECONDS + 1)
        assert sweep(rule) == 1
    assert (fresh(run).status, fresh(run).error_code, fresh(run).lease) == ("failed", "lease_lost", "")
    assert sweep(rule) == 0


@pytest.mark.parametrize(("seconds", "lost"), [(-7200, 1), (-SECONDS - 1, 1), (-5, 0), (5, 0), (SECONDS + 1, 1)])
def test_a_clock_that_was_moved_hides_no_dead_worker_and_a_living_one_renews_by_the_new_clock(rule, run, seconds, lost):
    lease = claimed(rule, run)
    move_clock(rule, seconds)
    assert rule.select_expired().count() == lost
    lease.renew()
    assert not rule.select_expired().exists()


def test_a_sweep_that_read_the_row_before_it_was_renewed_leaves_it(rule, run):
    lease = claimed(rule, run)
    move_clock(rule, SECONDS + 1)
    [seen] = rule.select_expired()
    lease.renew()
    assert not rule.as_seen(seen).exists()


@pytest.mark.parametrize("seed", range(2))
def test_any_order_of_events_leaves_one_holder_whose_writes_alone_stand(rule, run, seed):
    """Claims, renewals, writes, clock steps and sweeps in any order, against a model of a few lines."""
    dice, leases, holder, number = random.Random(seed), [], None, 0
    for _ in range(60):
        match dice.choice(["claim", "write", "write", "move", "sweep", "give back"]):
            case "claim":
                token = rule.claim(run.pk)
                assert (token is None) == (holder is not None)
                holder = Lease(rule, run.pk, token) if token else holder
                leases.append(holder)
            case "write" if leases:
                lease, number = dice.choice(leases), number + 1
                assert writes(lease, step_count=number) == (lease == holder)
                assert (fresh(run).step_count == number) == (lease == holder)
            case "move" if holder:
                move_clock(rule, dice.choice([-3 * SECONDS, -3, 3, 2 * SECONDS]))
            case "sweep":
                was_lost = rule.select_expired().exists()
                assert sweep(rule) == was_lost
                holder = None if was_lost else holder
                if fresh(run).status == "failed":
                    Run.objects.update(status="queued", attempt=1)
            case "give back" if holder:
                assert holder.select_held().update(**rule.make_requeued_values() | {"attempt": 1}) == 1
                holder = None


def test_the_watch_renews_the_lease_and_hears_of_a_stop(run):
    rule = OF_RUNS(seconds=lambda: 1.0, renewed="lease_until", is_end=True)
    lease, overdue = claimed(rule, run), threading.Event()
    with Watch(lease, on_overdue=overdue.set) as watch:
        first = fresh(run).lease_until
        wait_until(lambda: fresh(run).lease_until > first, seconds=5)
        assert not watch.is_stopping()
        Run.objects.update(cancel_requested=True)
        wait_until(watch.is_stopping, seconds=5)
    assert not overdue.is_set(), "it ended in time"


def test_the_watch_tells_that_the_lease_is_gone_and_that_nobody_reacted(run):
    lease, overdue = claimed(RULES["by its end"], run), threading.Event()
    with Watch(lease, on_overdue=overdue.set) as watch:
        Run.objects.update(lease="somebody else's")
        wait_until(watch.is_stopping, seconds=5)
        assert overdue.wait(5)


@pytest.fixture
def rows(workspace, alice):
    """A waiting row for each way in which documents are worked on."""
    version = make_ready(workspace, alice).current_version
    provider = ModelProvider.objects.create(workspace=workspace, name="here", base_url="http://here")
    choice = EmbeddingChoice.objects.create(workspace=workspace, provider=provider, model="bag", enabled=True)
    return {
        "repair": (REPAIRS, version, {"repair": "queued"}),
        "reading": (READINGS, version, {"status": "queued"}),
        "embedding": (EMBEDDINGS, VectorFile.objects.create(choice=choice, version=version, model="bag"), {}),
    }


@pytest.mark.parametrize("kind", ["reading", "repair", "embedding"])
def test_two_workers_never_get_the_same_document(rows, kind):
    """Also when one waits for the other's write: PostgreSQL then checks again what stands in the UPDATE itself."""
    rule, row, values = rows[kind]
    type(row).objects.filter(pk=row.pk).update(**values)
    undeleted = Q(version__document__deleted_at=None) if kind == "embedding" else Q(document__deleted_at=None)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first = rule.claim(row.pk, only=undeleted)
            second = pool.submit(at_once, lambda: rule.claim(row.pk, only=undeleted))
            if connection.vendor == "postgresql":
                wait_until(waits_for_a_lock, seconds=5)
        assert second.result(30) == [None]
    assert first is not None


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0
