"""Which addresses are private, however they are written, and which of them an operator lets people use."""

import socket

import pytest

from vectorless_web.infra.addresses import allowed_hosts, is_private

NAMES = {"localtest.example": "192.168.1.7", "ollama": "192.168.1.8", "models.example": "93.184.216.34"}
"""Names that resolve; addresses are read by the real resolver."""


@pytest.fixture(autouse=True)
def _names(monkeypatch):
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *more, **named: resolve(NAMES.get(host, host), *more, **named)
    )


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.0.0.1",
        "10.1.2.3",
        "::1",
        "169.254.169.254",
        "ollama",
        "a.internal",
        "127.1",
        "0x7f.1",
        "2130706433",
        "::ffff:10.1.2.3",
        "64:ff9b::a01:203",
        "64:ff9b:1::808:808",
        "localhost.",
        "localtest.example",
    ],
)
def test_every_spelling_of_a_private_address_is_told(host):
    assert is_private(host)


@pytest.mark.parametrize(
    ("host", "setting", "is_allowed"),
    [
        ("localhost", "loopback", True),
        ("127.0.0.1", "loopback", True),
        ("::1", "loopback", True),
        ("10.1.2.3", "loopback", False),
        ("169.254.169.254", "loopback", False),
        ("0.0.0.0", "loopback", False),
        ("localtest.example", "loopback", False),
        ("ollama", "loopback", False),
        ("10.1.2.3", "loopback, 10.1.0.0/16", True),
        ("10.2.2.3", "loopback, 10.1.0.0/16", False),
        ("127.0.0.1", "10.1.0.0/16", False),
        ("ollama", "Ollama", True),
        ("localtest.example", "localtest.example", True),
        ("192.168.1.7", "localtest.example", False),
        ("models.example", "loopback", True),
    ],
)
def test_the_operator_lists_private_hosts(host, setting, is_allowed):
    assert is_private(host, allowed_hosts(setting)) is not is_allowed
