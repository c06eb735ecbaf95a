"""The web server's address: what it may be, how this machine asks it, what people open."""

import socket

import pytest

from vectorless_web.infra.site.supervisor import CannotListen, Listening

HERE = ["localhost", "127.0.0.1", "[::1]"]


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("::1", "http://[::1]:8000"),
        ("[::1]", "http://[::1]:8000"),
        ("localhost", "http://localhost:8000"),
    ],
)
def test_this_machine_reaches_every_address_that_can_be_listened_on(host, local):
    assert Listening.at(host, 8000).local_url == local


@pytest.mark.parametrize(
    ("hosts", "origins", "https", "address"),
    [
        (HERE, [], False, "http://127.0.0.1:8000/"),
        (["*"], [], False, "http://127.0.0.1:8000/"),
        ([*HERE, "docs.example.com"], [], False, "http://docs.example.com:8000/"),
        (["docs.example.com"], [], True, "https://docs.example.com/"),
        ([".example.com"], [], True, "https://example.com/"),
        (["docs.example.com"], ["https://docs.example.com:8443"], True, "https://docs.example.com:8443/"),
        (HERE, [], True, "https://localhost/"),
    ],
)
def test_people_are_told_the_address_that_works(hosts, origins, https, address):
    assert Listening.at("0.0.0.0", 8000).public_url(hosts=hosts, origins=origins, https=https) == address


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "localhost"])
def test_a_taken_port_is_refused_with_the_remedy(host):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotListen, match=f"Port {port} is taken. Choose another: PORT={port + 1}"):
            Listening.at(host, port).refuse_taken()
    Listening.at(host, port).refuse_taken()


def test_an_address_of_another_machine_is_refused_and_nothing_answers_where_nobody_listens():
    with pytest.raises(CannotListen, match=r"This machine has no address 203\.0\.113\.9"):
        Listening.at("203.0.113.9", 8000).refuse_taken()

    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    assert not Listening.at("127.0.0.1", port).answers("/health/live")
