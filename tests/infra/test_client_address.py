"""Behind proxies a request counts for the browser's address, and nobody can claim another one."""

import pytest
from django.test import RequestFactory

from vectorless_web.infra.web.request_limits import client_address


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "1.2.3.4", "10.0.0.1"),
        (1, "1.2.3.4", "1.2.3.4"),
        (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        (2, "6.6.6.6, 1.2.3.4, 10.0.0.2", "1.2.3.4"),
        (2, "1.2.3.4", "10.0.0.1"),
        (1, "", "10.0.0.1"),
        (1, "nonsense", "10.0.0.1"),
        (1, "2001:db8::7", "2001:db8::7"),
    ],
)
def test_as_many_proxies_are_believed_as_the_operator_names(settings, proxies, forwarded, address):
    settings.PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert client_address(RequestFactory().get("/", REMOTE_ADDR="10.0.0.1", headers=headers)) == address


@pytest.mark.django_db
def test_failed_sign_ins_count_for_the_browser_behind_the_proxy(client, settings, alice):
    settings.PROXIES = 1
    for address in ("1.2.3.4", "1.2.3.5"):
        for number in range(10):
            values = {"login": f"nobody{number}{address}", "password": "a wrong guess"}
            client.post("/accounts/login/", values, headers={"X-Forwarded-For": address})
    good = {"login": "alice", "password": "correct horse battery"}
    refused = client.post("/accounts/login/", good, headers={"X-Forwarded-For": "1.2.3.4"})
    assert "Too many failed" in refused.content.decode()
    assert client.post("/accounts/login/", good, headers={"X-Forwarded-For": "1.2.3.6"}).status_code == 302
