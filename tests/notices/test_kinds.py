"""Who is told of what: each kind of notice, by the act that gives it."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from tests.conftest import make_user
from tests.notices.conftest import shown
from tests.runs.conftest import work
from tests.support.engines import long_story
from vectorless_web.documents.compiling.process import CompileFailed
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.services.compiling import CANCELLED, end_as_failed
from vectorless_web.notices.models import Notice
from vectorless_web.notices.services import mark_all_read, tidy_notices
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import (
    add_comment,
    remove_comment,
    verify_run,
    withdraw_verification,
)
from vectorless_web.sharing.models import ShareLink
from vectorless_web.sharing.services import LinkTerms, make_link, tell_of_expiring_links
from vectorless_web.workspaces.models import Budget, Membership, Role
from vectorless_web.workspaces.services import accept_invitation, change_role, invite, reserve, settle
from vectorless_web.workspaces.services.settings import period_start

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_who_asked_is_told_that_the_run_has_ended(make_run, bob, alice, told, client):
    client.force_login(bob)
    run = work(make_run(), long_story)
    assert [name for _sentence, name in told(bob)] == [run.question]
    assert told(alice) == []


def test_mentions_and_comments_are_told_once_each(run, alice, bob, charlie, told):
    add_comment(user=alice, run=run, text="Look, @bob and @charlie")
    assert told(bob) == [("alice mentioned you in a comment", run.question)]
    add_comment(user=alice, run=run, text="And again.")
    assert told(bob)[0] == ("alice commented on your question", run.question)
    add_comment(user=bob, run=run, text="Thank you, @alice")
    assert len(told(bob)) == 2 and told(alice) == [("bob mentioned you in a comment", run.question)]
    assert told(charlie) == []


def test_comments_and_verifications_are_told_until_they_are_taken_back(run, alice, bob, told):
    comment = add_comment(user=alice, run=run, text="Look, @bob")
    remove_comment(user=alice, run=run, comment=comment)
    assert told(bob) == []

    verify_run(user=alice, run=run)
    assert told(bob) == [("alice verified the answer", run.question)]
    withdraw_verification(user=alice, run=run)
    assert told(bob) == []


BROKEN = CompileFailed("This is no PDF file.", code="bad_pdf", retryable=True)


@pytest.mark.parametrize(("failure", "count"), [(BROKEN, 1), (CANCELLED, 0)])
def test_who_uploaded_is_told_of_a_document_that_cannot_be_read(report, alice, told, failure, count):
    versions = DocumentVersion.objects.filter(document=report)
    versions.update(added_by=alice)
    end_as_failed(versions, versions.get(), failure)
    assert [name for _sentence, name in told(alice)] == [report.title] * count
    versions.update(status="ready")
    assert told(alice) == []


@pytest.fixture
def upload(workspace, alice):
    """Files of Alice's that arrived together, and one from the day before; each can fail."""

    def add(title: str, *, days_ago: int = 0) -> DocumentVersion:
        document = Document.objects.create(workspace=workspace, title=title)
        version = DocumentVersion.objects.create(document=document, number=1, bytes=1, added_by=alice, status="parsing")
        moment = timezone.now() - timedelta(days=days_ago)
        DocumentVersion.objects.filter(pk=version.pk).update(created_at=moment)
        return version

    return add


def fail(version: DocumentVersion) -> None:
    end_as_failed(DocumentVersion.objects.filter(pk=version.pk), version, BROKEN)


def test_failed_files_of_one_upload_are_told_in_one_notice(upload, workspace, alice, told):
    files = [upload(f"Scan {number}") for number in range(4)]
    fail(upload("Older", days_ago=1))
    for version in files[:3]:
        fail(version)
    assert told(alice) == [
        ("Documents that you uploaded could not be read", "3 of 4 files"),
        ("A document that you uploaded could not be read", "Older"),
    ]
    assert shown(alice)[0].told.url == f"/w/{workspace.slug}/documents/?status=failed"
    DocumentVersion.objects.filter(pk__in=[files[0].pk, files[1].pk]).update(status="ready")
    assert told(alice)[0] == ("A document that you uploaded could not be read", "Scan 2")


def test_a_file_that_fails_after_its_notice_was_read_is_told_anew(upload, alice, told):
    first, second = upload("Scan 1"), upload("Scan 2")
    fail(first)
    mark_all_read(user_id=alice.pk)
    fail(second)
    assert [name for _sentence, name in told(alice)] == ["Scan 2", "Scan 1"]


def test_a_new_role_and_an_accepted_invitation_are_told(workspace, alice, bob, told, charlie):
    change_role(actor=alice, membership=Membership.objects.get(user=bob), role=Role.EDITOR)
    assert told(bob) == [("alice changed your role to editor", workspace.name)]

    invitation, _token = invite(actor=alice, workspace=workspace, role=Role.MEMBER, days=7)
    accept_invitation(user=charlie, invitation=invitation)
    assert told(alice) == [("charlie accepted your invitation", workspace.name)]


@pytest.fixture
def budget(workspace) -> Budget:
    return Budget.objects.create(workspace=workspace, limit_usd=10, period_start=period_start("month"))


def spend(workspace, usd) -> None:
    settle(workspace=workspace, user=None, reserved_usd=Decimal(0), spent_usd=Decimal(usd))


def test_owners_are_told_of_a_budget_at_80_percent_and_at_its_end_once_a_period(workspace, budget, alice, bob, told):
    spend(workspace, "7.9")
    assert told(alice) == []
    spend(workspace, "0.1")
    spend(workspace, "0.1")
    assert told(alice) == [("A budget has reached 80 %", workspace.name)]
    assert not reserve(workspace=workspace, user=None, usd=Decimal(5))
    assert told(alice)[0][0] == "A budget has no room for further model calls"
    spend(workspace, "9")
    assert len(told(alice)) == 2 and told(bob) == []


def test_administrators_are_told_of_the_sites_budget(workspace, alice, told, client, django_user_model):
    root = django_user_model.objects.create(username="root", is_staff=True, is_superuser=True)
    django_user_model.objects.create(username="helper", is_staff=True)
    Budget.objects.create(limit_usd=10, period_start=period_start("month"), by_staff=True)
    spend(workspace, "9")
    assert told(root) == [("A budget has reached 80 %", "The whole site")]
    assert told(alice) == [] and Notice.objects.count() == 1
    root.is_staff = False
    assert told(root) == [], "who has no place in the console any more is told nothing"


def test_whom_a_budget_limits_is_told_too(workspace, alice, bob, told):
    here = Budget.objects.create(workspace=workspace, user=bob, limit_usd=10, period_start=period_start("month"))
    settle(workspace=workspace, user=bob, reserved_usd=Decimal(0), spent_usd=Decimal(8))
    assert told(bob) == told(alice) == [("A budget has reached 80 %", f"{workspace.name}, bob")]
    here.delete()
    Budget.objects.create(user=bob, limit_usd=10, period_start=period_start("month"), by_staff=True)
    settle(workspace=workspace, user=bob, reserved_usd=Decimal(0), spent_usd=Decimal(10))
    assert [name for _sentence, name in told(bob)] == ["bob", "bob"]
    assert told(alice) == []


def test_money_put_aside_for_a_while_uses_no_budget_up(workspace, budget, alice, told):
    assert reserve(workspace=workspace, user=None, usd=Decimal(6))
    assert not reserve(workspace=workspace, user=None, usd=Decimal(6))
    assert told(alice) == []


def test_who_made_a_link_is_told_a_day_before_it_ends(run, bob, told):
    link, _token = make_link(user=bob, run=run, terms=LinkTerms(days=7))
    assert tell_of_expiring_links() == 0
    link.expires_at = timezone.now() + timedelta(hours=20)
    link.created_at = timezone.now() - timedelta(days=6)
    link.save()
    assert (tell_of_expiring_links(), tell_of_expiring_links()) == (1, 0)
    assert told(bob) == [("A share link of yours ends within a day", run.question)]
    ShareLink.objects.update(revoked_at=timezone.now())
    assert told(bob) == []


def test_a_notice_tells_nothing_of_what_its_reader_may_not_see_any_more(run, alice, bob, told, workspace):
    add_comment(user=bob, run=run, text="Look, @alice")
    Run.objects.filter(pk=run.pk).update(private=True)
    assert told(alice) == []
    Run.objects.filter(pk=run.pk).update(private=False)
    assert len(told(alice)) == 1
    Membership.objects.filter(user=alice).delete()
    assert told(alice) == []


def test_notices_stay_when_who_wrote_them_leaves_and_go_with_ones_own_account(
    run, alice, bob, django_user_model, told, workspace
):
    dora = make_user(django_user_model, "dora")
    Membership.objects.create(workspace=workspace, user=dora, role=Role.MEMBER)
    add_comment(user=dora, run=run, text="Look, @bob")
    dora.delete()
    assert told(bob) == [("Someone who left mentioned you in a comment", run.question)]

    add_comment(user=alice, run=run, text="Look, @bob")
    bob.delete()
    assert not Notice.objects.exists()


def test_old_notices_and_those_beyond_the_most_are_tidied(run, alice, bob):
    for text in ("one", "two", "three", "four"):
        add_comment(user=alice, run=run, text=text)
    newest = [each.notice.pk for each in shown(bob)]
    Notice.objects.filter(pk=newest[0]).update(created_at=timezone.now() - timedelta(days=91))
    assert tidy_notices(most=2) == 2
    assert [each.notice.pk for each in shown(bob)] == newest[1:3]
