"""How long things are kept: shown and counted before it is set, and obeyed by the sweep."""

import os
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from tests.console.conftest import ask
from vectorless_web.console.subjects import retention
from vectorless_web.documents import services as documents
from vectorless_web.documents.models import Document
from vectorless_web.runs.models import ModelCall, Run, RunInputs, Thread
from vectorless_web.sharing.models import ShareLink, ShareView
from vectorless_web.workspaces.models import AuditEvent, AuditHead, SiteSetting, Workspace
from vectorless_web.workspaces.services import record, verify_record
from vectorless_web.workspaces.site import days_kept
from vectorless_web.workspaces.storage import digest_event

pytestmark = pytest.mark.django_db


def days_ago(days: float):
    return timezone.now() - timedelta(days=days)


@pytest.fixture
def add_run(workspace, alice):
    """A run that ended so many days ago, in a thread of its own."""
    return lambda days: ask(workspace, alice, days_ago=days)


def keep(kind: str, days: int) -> None:
    SiteSetting.objects.update_or_create(name=f"keep.{kind}", defaults={"value": {"days": days}})
    retention.forget_values()


def age_events(days: float) -> None:
    """Make all events of the record look so old, in a chain that holds."""
    digest = ""
    for event in AuditEvent.objects.order_by("pk"):
        event.at = days_ago(days)
        digest = digest_event(digest, vars(event))
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE workspaces_auditevent SET at = %s, digest = %s WHERE id = %s", [event.at, digest, event.pk]
            )
    AuditHead.objects.update(digest=digest)


def test_the_page_says_how_long_each_kind_is_kept_and_what_says_so(staff, settings, add_run):
    settings.KEEP_DAYS = {**settings.KEEP_DAYS, "runs": 90}
    add_run(100)
    keep("views", 7)
    periods = {each.kind.name: each for each in retention.list_periods({"VECTORLESS_KEEP_RUNS_DAYS": "90"})}
    assert (periods["runs"].days, periods["runs"].given, periods["runs"].due.count) == (90, True, 1)
    assert periods["views"].setting is not None
    assert (periods["bin"].days, periods["bin"].given, periods["bin"].setting) == (30, False, None)
    page = staff.get("/console/retention/").content.decode()
    assert "Deleted documents" in page
    assert "default" in page


def test_what_would_go_is_counted_and_a_period_refused_until_it_was_looked_at(staff, add_run):
    old = add_run(400)
    add_run(100)
    add_run(3)
    page = staff.get("/console/retention/", {"kind": "runs", "days": 30}).content.decode()
    assert "2 would be deleted" in page
    assert f"{Run.objects.get(pk=old.pk).created_at:%Y}" in page
    assert not SiteSetting.objects.exists()
    assert Run.objects.count() == 3

    def answer(**sent) -> int:
        return staff.post("/console/retention/runs/", {"days": 30, **sent}).status_code

    assert answer() == 409
    add_run(100)
    assert answer(seen=2) == 409, "more than was shown is asked again"
    assert not SiteSetting.objects.exists()
    assert answer(seen=3) == 302
    assert SiteSetting.objects.get().value == {"days": 30}
    event = AuditEvent.objects.latest("pk")
    assert (event.verb, event.details["going"]) == ("retention.set", 3)


@pytest.mark.parametrize(("kind", "days"), [("runs", -1), ("runs", 99999), ("audit", 3), ("runs", "x")])
def test_a_period_out_of_range_is_refused_with_a_sentence(staff, kind, days):
    assert staff.post(f"/console/retention/{kind}/", {"days": days, "seen": 0}).status_code == 422
    assert staff.post("/console/retention/nothing/", {"days": 4, "seen": 0}).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_old_runs_go_but_those_that_somebody_marked_or_shares_or_that_work_stay(add_run, alice, bob):
    gone, young, working, liked, verified, shared = [add_run(100) for _ in range(6)]
    Run.objects.filter(pk=young.pk).update(created_at=days_ago(5))
    Run.objects.filter(pk=working.pk).update(status="running")
    liked.favoured_by.add(bob)
    verified.verifications.create(user=bob)
    ShareLink.objects.create(run=shared, token_hash="x", expires_at=days_ago(-5))
    ShareLink.objects.create(run=gone, token_hash="y", expires_at=days_ago(1))
    keep("runs", 30)
    assert retention.preview(retention.KINDS["runs"], 30).count == 1
    assert retention.remove_expired() == 1
    assert set(Run.objects.all()) == {young, working, liked, verified, shared}
    assert Thread.objects.count() == 5
    assert AuditEvent.objects.get(verb="retention.removed").details["count"] == 1


def test_old_model_calls_go_and_their_answers_stay(add_run):
    run, other = add_run(3), add_run(3)
    for each, days in ((run, 100), (other, 2)):
        call = ModelCall.objects.create(run=each, purpose="step", request_hash="h")
        ModelCall.objects.filter(pk=call.pk).update(created_at=days_ago(days))
        RunInputs.objects.create(run=each)
    keep("calls", 30)
    assert retention.remove_expired() == 1
    assert Run.objects.count() == 2
    assert [call.run for call in ModelCall.objects.all()] == [other]
    assert [kept.run for kept in RunInputs.objects.all()] == [other], "a run without its calls is not replayed"


def test_old_views_of_links_go(add_run):
    link = ShareLink.objects.create(run=add_run(1), token_hash="x", expires_at=days_ago(-5))
    old, new = ShareView.objects.create(link=link), ShareView.objects.create(link=link)
    ShareView.objects.filter(pk=old.pk).update(at=days_ago(40))
    limited = ShareLink.objects.create(run=add_run(1), token_hash="z", expires_at=days_ago(-5), views_max=1)
    counted = ShareView.objects.create(link=limited)
    ShareView.objects.filter(pk=counted.pk).update(at=days_ago(40))
    keep("views", 30)
    assert retention.remove_expired() == 1
    assert set(ShareView.objects.all()) == {new, counted}, "a link that closes after one opening must stay closed"


def test_pictures_that_nobody_looked_at_go(settings, tmp_path):
    settings.CACHE_ROOT = tmp_path
    for name, days in (("old", 40), ("new", 2)):
        path = tmp_path / "pages" / "ab" / f"{name}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, times=(days_ago(days).timestamp(),) * 2)
    keep("pictures", 30)
    assert retention.preview(retention.KINDS["pictures"], 30).count == 1
    assert retention.remove_expired() == 1
    assert [path.stem for path in tmp_path.glob("pages/*/*")] == ["new"]


def test_the_bin_obeys_the_console_too(workspace, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    Document.objects.create(workspace=workspace, title="t", name="n", deleted_at=days_ago(10))
    assert documents.purge_deleted() == 0
    keep("bin", 0)
    assert documents.purge_deleted() == 0
    keep("bin", 7)
    documents.watch_files()
    assert documents.purge_deleted() == 1


@pytest.mark.django_db(transaction=True)
def test_the_record_is_pruned_and_its_chain_still_holds(alice, monkeypatch):
    for _ in range(5):
        record(actor=alice, verb="x.old")
    age_events(100)
    for _ in range(3):
        record(actor=alice, verb="x.new")
    assert verify_record().problem == ""
    keep("audit", 30)
    assert retention.remove_expired() == 5
    verbs = list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["x.new"] * 3 + ["audit.pruned"]
    found = verify_record()
    assert (found.problem, found.checked, found.total) == ("", 4, 4)
    assert verify_record(newest=2).problem == ""
    record(actor=alice, verb="x.new")
    assert retention.remove_expired() == 0


def test_a_pass_ends_in_time_and_the_next_goes_on(add_run, monkeypatch):
    monkeypatch.setattr(retention, "AT_ONCE", 1)
    for _ in range(3):
        add_run(100)
    keep("runs", 30)
    ticks = iter([0, 1, 2, 999, *[1000] * 20])
    assert retention.remove_expired(clock=lambda: next(ticks)) == 2
    assert retention.remove_expired() == 1


class TestOfAWorkspace:
    """Owners keep things for a shorter time than the site does."""

    @pytest.fixture
    def owner(self, client, alice, workspace):
        """Look at the page, or with `days` set a period, as Alice."""
        client.force_login(alice)
        address = f"/w/{workspace.slug}/settings/retention/"

        def go(kind: str = "", of: str = "", **sent):
            return client.post(f"{address}{kind}/", sent) if kind else client.get(address, {"kind": of, **sent})

        return go

    def test_what_would_go_is_shown_then_it_is_set_and_goes_there_alone(self, owner, add_run, alice):
        here, young = add_run(40), add_run(2)
        other = Workspace.objects.create(name="Other", slug="other")
        elsewhere = ask(other, alice, days_ago=40)
        assert owner("runs", days=30).status_code == 409
        assert "as on the whole site" in owner().content.decode()
        assert "1 would be deleted if they were kept for 30 days" in preview_of(owner, 30)
        assert owner("runs", days=30, seen=1).status_code == 302
        assert retention.remove_expired() == 1
        assert set(Run.objects.values_list("pk", flat=True)) == {young.pk, elsewhere.pk}
        assert not Run.objects.filter(pk=here.pk).exists()
        event = AuditEvent.objects.filter(verb="retention.set").latest("pk")
        assert (event.actor, event.details["days"], event.workspace_id) == (alice, 30, young.workspace_id)

    def test_never_for_longer_than_the_site(self, owner, add_run, workspace):
        keep("runs", 10)
        answer = owner("runs", days=20)
        assert answer.status_code == 422
        assert "are kept for 10 days on this site" in answer.content.decode()
        assert owner("runs", days=5).status_code == 302
        keep("runs", 3)
        workspace.refresh_from_db()
        assert days_kept("runs", workspace) == 3, "the site may shorten it later"
        keep("runs", 0)
        assert days_kept("runs", workspace) == 5
        assert owner("runs", days=0).status_code == 302
        workspace.refresh_from_db()
        assert days_kept("runs", workspace) == 0

    @pytest.mark.parametrize("days", ["-1", "<b>", "9" * 30, ""])
    def test_what_is_no_period_is_refused_and_the_record_and_the_pictures_are_the_sites(self, owner, days):
        answer = owner("runs", days=days)
        assert answer.status_code == 422
        assert "are kept for 1 to 3,650 days" in answer.content.decode()
        for kind in ("audit", "pictures"):
            assert owner(kind, days="30").status_code == 422
            assert f'value="{kind}"' not in owner().content.decode()

    def test_questions_that_are_private_to_others_are_not_counted(self, owner, add_run, bob):
        Run.objects.filter(pk=add_run(40).pk).update(private=True, asked_by=bob)
        assert "nothing would be deleted now" in preview_of(owner, 30)
        assert "1 kept now" not in preview_of(owner, 30)
        assert owner("runs", days=30, seen=0).status_code == 302
        assert retention.remove_expired() == 1, "and go with the rest all the same"


def preview_of(owner, days: int) -> str:
    """What the page says under a period of questions."""
    return " ".join(owner(of="runs", days=days).content.decode().split())
