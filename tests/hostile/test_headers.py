"""Every page tells the browser how little it may do: each header with its value, over HTTPS, for whoever asks."""

import pytest
from django.test import Client

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

EXPECTED = {
    "Content-Security-Policy": {
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "manifest-src 'self'",
    },
    "X-Content-Type-Options": {"nosniff"},
    "X-Frame-Options": {"DENY"},
    "Referrer-Policy": {"same-origin"},
    "Cross-Origin-Opener-Policy": {"same-origin"},
    "Strict-Transport-Security": {"max-age=31536000"},
}


@pytest.fixture
def https(settings):
    """The settings that VECTORLESS_HTTPS makes."""
    settings.SECURE_HSTS_SECONDS, settings.SECURE_SSL_REDIRECT = 31_536_000, True
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    return Client(raise_request_exception=False)


def parts(response, name: str) -> set[str]:
    return {part.strip() for part in response.headers.get(name, "").split(";") if part.strip()}


PLACES = [
    "/accounts/login/",
    "/",
    "/w/{slug}/documents/",
    "/w/{slug}/settings/",
    "/w/none/",
    "/s/none/",
    "/console/",
    "/help/",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("signed_in", [False, True])
def test_each_header_has_its_value_everywhere(https, alice, workspace, place, signed_in):
    if signed_in:
        https.force_login(alice)
    response = https.get(place.format(slug=workspace.slug), secure=True)
    assert {name: parts(response, name) for name in EXPECTED} == EXPECTED
    assert "unsafe" not in response["Content-Security-Policy"]
    assert "Server" not in response.headers and "X-Powered-By" not in response.headers


def test_cookies_go_over_https_alone_and_the_session_to_no_script(https, alice):
    https.get("/accounts/login/", secure=True)
    https.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"}, secure=True)
    session, token = https.cookies["sessionid"], https.cookies["csrftoken"]
    assert session["secure"] and session["httponly"] and session["samesite"] == "Lax"
    assert token["secure"] and token["samesite"] == "Lax"


def test_who_comes_without_https_is_sent_there(https):
    response = https.get("/accounts/login/")
    assert (response.status_code, response["Location"].split("//")[0]) == (301, "https:")
