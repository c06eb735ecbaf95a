"""Which pages may open a websocket: those of the same scheme, host and port, and those the operator trusts."""

import pytest

from vectorless_web.infra.live import is_own_origin


@pytest.mark.parametrize(
    ("origin", "host", "own"),
    [
        ("http://docs.example.com", "docs.example.com", True),
        ("http://docs.example.com:8000", "docs.example.com:8000", True),
        ("http://docs.example.com:80", "docs.example.com", True),
        ("http://docs.example.com:9000", "docs.example.com:8000", False),
        ("https://docs.example.com", "docs.example.com", False),
        ("http://evil.example", "docs.example.com", False),
        ("http://docs.example.com.evil.example", "docs.example.com", False),
        ("null", "docs.example.com", False),
        ("", "docs.example.com", False),
        ("http://docs.example.com:port", "docs.example.com", False),
        ("http://trusted.example", "docs.example.com", True),
        ("http://a.many.example:8443", "docs.example.com", True),
        ("http://a.many.example", "docs.example.com", False),
    ],
)
def test_an_origin_is_compared_whole(settings, origin, host, own):
    settings.ALLOWED_HOSTS = ["*"]
    settings.CSRF_TRUSTED_ORIGINS = ["http://trusted.example", "http://*.many.example:8443"]
    assert is_own_origin({"origin": origin, "host": host}) is own


def test_a_host_that_is_not_ours_makes_no_origin_ours(settings):
    settings.ALLOWED_HOSTS = ["docs.example.com"]
    assert not is_own_origin({"origin": "http://evil.example", "host": "evil.example"})


def test_behind_a_proxy_the_scheme_is_what_the_browser_used(settings):
    settings.ALLOWED_HOSTS = ["docs.example.com"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    headers = {"host": "docs.example.com", "x-forwarded-proto": "https"}
    assert is_own_origin({**headers, "origin": "https://docs.example.com"})
    assert not is_own_origin({**headers, "origin": "http://docs.example.com"})
