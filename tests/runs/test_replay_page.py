"""Replaying from a run's page: the press, the worker, the verdict, and what is lost on the way."""

from datetime import timedelta

import django_rq
import pytest
from django.utils import timezone
from rq.job import Job, JobStatus

from tests.runs.test_model import _patience, report  # noqa: F401
from tests.runs.test_replay import answered  # noqa: F401
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs import jobs, line, services
from vectorless_web.runs.models import Replay

pytestmark = [pytest.mark.django_db(transaction=True)]


def earlier(**ago) -> None:
    """As if all replays had been asked for so long ago."""
    for replay in Replay.objects.all():
        replay.asked_at -= timedelta(**ago)
        replay.save()


def test_a_press_has_a_worker_replay_it_and_the_fragment_tells(client, bob, answered, work_off):  # noqa: F811
    client.force_login(bob)
    address = f"/w/{answered.workspace.slug}/runs/{answered.pk}/"

    pressed = client.post(f"{address}replay/", headers={"HX-Request": "true"}).content.decode()
    assert "replaying" in pressed and 'hx-trigger="load delay:1s"' in pressed
    work_off("documents")

    assert "replay: identical" in client.get(f"{address}replay/state/").content.decode()
    assert "replay: identical" in client.get(address).content.decode()


def test_one_is_under_way_at_a_time_beside_the_questions_and_is_carried_out_once(bob, answered):  # noqa: F811
    waiting = django_rq.get_queue("runs").count
    first = services.start_replay(user=bob, run=answered)
    assert services.start_replay(user=bob, run=answered).asked_at == first.asked_at
    assert django_rq.get_queue("runs").count == waiting

    jobs.replay_run(answered.pk)
    ended = Replay.objects.get().ended_at
    jobs.replay_run(answered.pk)
    assert Replay.objects.get().ended_at == ended


def test_an_open_run_is_not_replayed(bob, make_run):
    with pytest.raises(Problem):
        services.start_replay(user=bob, run=make_run())


def test_a_lost_replay_gives_the_button_back_and_may_be_asked_for_again(client, bob, answered):  # noqa: F811
    client.force_login(bob)
    first = services.start_replay(user=bob, run=answered)
    Replay.objects.update(asked_at=timezone.now() - timedelta(hours=1))

    shown = client.get(f"/w/{answered.workspace.slug}/runs/{answered.pk}/replay/state/").content.decode()

    assert "load delay" not in shown
    assert "has not finished" in shown and "<form" in shown
    assert services.start_replay(user=bob, run=answered).asked_at > first.asked_at


def test_a_replay_that_the_queue_never_got_is_enqueued_by_the_sweep(bob, answered, work_off):  # noqa: F811
    services.start_replay(user=bob, run=answered)
    django_rq.get_queue("documents").empty()
    earlier(seconds=10)

    assert (services.recover_replays(), services.recover_replays()) == (1, 0)
    work_off("documents")

    assert Replay.objects.get().verdict == "identical"


def test_a_replay_whose_worker_died_gets_its_end_from_the_sweep(bob, answered):  # noqa: F811
    services.start_replay(user=bob, run=answered)
    earlier(seconds=10)
    replay = Replay.objects.get()
    assert services.recover_replays() == 1, "its job had another name"
    job = Job.fetch(line.replay_job_id(replay), connection=django_rq.get_connection("documents"))
    assert services.recover_replays() == 0, "it waits in the queue"
    job.set_status(JobStatus.FAILED)

    assert (services.recover_replays(), services.recover_replays()) == (1, 0)

    replay.refresh_from_db()
    assert (replay.verdict, replay.difference) == ("impossible", "The process that worked on this replay died.")
    assert services.start_replay(user=bob, run=answered).verdict == ""


def test_each_person_may_start_so_many_an_hour(client, bob, alice, answered, settings):  # noqa: F811
    settings.REPLAYS_PER_HOUR = 1
    address = f"/w/{answered.workspace.slug}/runs/{answered.pk}/replay/"
    client.force_login(bob)
    assert client.post(address).status_code == 302
    assert client.post(address).status_code == 302, "it is under way"
    jobs.replay_run(answered.pk)

    refused = client.post(address)

    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 3600
    assert answered.replay.verdict == "identical", "what was found stays"
    client.force_login(alice)
    assert client.post(address).status_code == 302
