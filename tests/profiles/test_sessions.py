"""Where an account is signed in, and signing other browsers out."""

from datetime import UTC, datetime

import pytest
from allauth.usersessions.models import UserSession
from django.test import Client
from django.urls import reverse

from tests.conftest import PASSWORD
from vectorless_web.profiles.selectors import describe_device
from vectorless_web.workspaces.models import AuditEvent

pytestmark = pytest.mark.django_db

LONG_AGO = datetime(2024, 5, 1, tzinfo=UTC)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17 Safari/605.1.15"
EDGE = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0"


def browser(name: str, agent: str) -> Client:
    """A browser in which somebody has signed in."""
    made = Client(headers={"User-Agent": agent})
    made.post("/accounts/login/", {"login": name, "password": PASSWORD})
    return made


def session_number(page: str) -> str:
    return page.partition('name="session" value="')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on macOS"),
        (EDGE, "Edge on Windows"),
        ("curl/8.1", "curl/8.1"),
        ("", "Unknown device"),
    ],
)
def test_devices_are_said_in_words(agent, said):
    assert describe_device(agent) == said


def test_other_browsers_are_listed_and_signed_out_one_or_all(alice):
    here, there = browser("alice", FIREFOX), browser("alice", SAFARI)
    page = here.get(reverse("profiles:sessions")).content.decode()
    assert page.index("Firefox on Linux") < page.index("Safari on macOS")
    assert page.count("this browser") == 1
    here.post(reverse("profiles:end_session"), {"session": session_number(page)})
    assert there.get(reverse("profiles:profile")).status_code == 302
    assert here.get(reverse("profiles:profile")).status_code == 200
    assert AuditEvent.objects.filter(verb="account.sessions_ended", actor=alice).count() == 1

    here, second, third = browser("alice", FIREFOX), browser("alice", SAFARI), browser("alice", EDGE)
    here.post(reverse("profiles:end_other_sessions"))
    assert [each.get("/account/").status_code for each in (here, second, third)] == [200, 302, 302]


def test_a_browser_is_seen_now_and_then(alice):
    here = browser("alice", FIREFOX)
    UserSession.objects.update(last_seen_at=LONG_AGO)
    here.get("/account/")
    assert UserSession.objects.get().last_seen_at == LONG_AGO
    session = here.session
    session["seen"] -= 601
    session.save()
    here.get("/account/")
    assert UserSession.objects.get().last_seen_at > LONG_AGO


def test_nobody_ends_anothers_session(alice, bob):
    here, stranger = browser("alice", FIREFOX), browser("bob", EDGE)
    browser("alice", SAFARI)
    number = session_number(here.get(reverse("profiles:sessions")).content.decode())
    assert stranger.post(reverse("profiles:end_session"), {"session": number}).status_code == 409
    assert here.get(reverse("profiles:sessions")).content.decode().count("<li>") >= 2


def test_the_own_session_is_ended_by_signing_out(alice):
    here = browser("alice", FIREFOX)
    assert here.get("/accounts/sessions/")["Location"] == reverse("profiles:sessions")
    number = UserSession.objects.get(user=alice).pk
    assert here.post(reverse("profiles:end_session"), {"session": number}).status_code == 409
