"""Notices by mail: to confirmed addresses alone, only while they are unread, and only where the site sends mail."""

from datetime import timedelta
from smtplib import SMTPException

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone

from vectorless_web.notices.mail import send_due
from vectorless_web.notices.models import Kind, Notice
from vectorless_web.notices.services import mark_all_read, queue_mail
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import add_comment

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


class BrokenBackend(EmailBackend):
    """A mail server that takes nothing."""

    def send_messages(self, messages) -> int:
        raise SMTPException("451 try again later")


@pytest.fixture(autouse=True)
def _mail_is_on(settings):
    settings.MAIL_ON, settings.SITE_ADDRESS = True, "https://docs.example.com"


@pytest.fixture
def address(bob) -> EmailAddress:
    return EmailAddress.objects.create(user=bob, email=bob.email, verified=True, primary=True)


def mention(run, alice, text="Look, @bob"):
    add_comment(user=alice, run=run, text=text)


def let_time_pass() -> None:
    Notice.objects.exclude(mail_after=None).update(mail_after=timezone.now() - timedelta(seconds=1))


def test_what_was_not_read_is_mailed_once_with_a_way_to_it_and_several_in_one_mail(run, alice, bob, address):
    mention(run, alice)
    send_due(bob.pk)
    assert mail.outbox == []
    let_time_pass()
    send_due(bob.pk)
    send_due(bob.pk)
    [sent] = mail.outbox
    assert sent.to == [bob.email] and sent.subject == "alice mentioned you in a comment"
    assert run.question in sent.body and f"https://docs.example.com/notices/{Notice.objects.get().pk}/" in sent.body

    mention(run, alice)
    mention(run, alice)
    let_time_pass()
    send_due(bob.pk)
    assert mail.outbox[1].subject == "2 notices"


def test_nothing_is_mailed_of_what_was_read_or_closed_meanwhile(run, alice, bob, address):
    mention(run, alice)
    mark_all_read(user_id=bob.pk)
    let_time_pass()
    send_due(bob.pk)
    assert mail.outbox == []

    Run.objects.update(asked_by=alice)
    mention(run, alice)
    Run.objects.update(private=True)
    let_time_pass()
    send_due(bob.pk)
    assert mail.outbox == []


def test_no_mail_goes_to_an_address_that_was_not_confirmed_or_where_none_is_sent(run, alice, bob, address):
    EmailAddress.objects.update(verified=False)
    mention(run, alice)
    assert Notice.objects.get().mail_after is None
    EmailAddress.objects.update(verified=True)
    mention(run, alice)
    EmailAddress.objects.update(verified=False)
    let_time_pass()
    send_due(bob.pk)
    assert mail.outbox == []


def test_a_kind_can_be_mailed_and_not_listed(client, run, alice, bob, address):
    client.force_login(bob)
    wanted = [kind for kind in Kind if kind != Kind.MENTIONED]
    client.post("/account/notices/save/", {"bell": wanted, "mail": list(Kind)})
    mention(run, alice)
    assert "No unread notices" in client.get("/notices/").content.decode()
    let_time_pass()
    send_due(bob.pk)
    assert len(mail.outbox) == 1


def test_a_server_that_takes_nothing_is_tried_again_for_a_day(run, alice, bob, address, settings):
    mention(run, alice)
    let_time_pass()
    settings.EMAIL_BACKEND = f"{__name__}.BrokenBackend"
    send_due(bob.pk)
    assert Notice.objects.get().mail_after > timezone.now()
    Notice.objects.update(created_at=timezone.now() - timedelta(days=2))
    let_time_pass()
    send_due(bob.pk)
    assert Notice.objects.get().mail_after is None


def test_the_sweep_queues_one_job_a_person(run, alice, bob, address, django_capture_on_commit_callbacks, work_off):
    mention(run, alice)
    assert queue_mail() == 0
    let_time_pass()
    with django_capture_on_commit_callbacks(execute=True):
        assert queue_mail() == 1
    assert queue_mail() == 0


def test_without_mail_nothing_is_queued(run, alice, bob, address, settings):
    settings.MAIL_ON = False
    mention(run, alice)
    assert Notice.objects.get().mail_after is None and queue_mail() == 0
