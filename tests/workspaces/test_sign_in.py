"""Guessing a password is slow from everywhere, and never keeps the account's owner out."""

import pytest
from django.test import Client

from tests.conftest import PASSWORD, await_fresh_minute, wait_until
from vectorless_web.workspaces.accounts import adapters as limits

pytestmark = pytest.mark.django_db

HOME, EVIL = "192.0.2.10", "203.0.113.66"


@pytest.fixture(autouse=True)
def _fresh_minute():
    await_fresh_minute(needed=5)


def sign_in(client, name: str, password: str = PASSWORD, address: str = HOME):
    return client.post("/accounts/login/", {"login": name, "password": password}, REMOTE_ADDR=address)


def guess(name: str, times: int, address: str = EVIL) -> list[bool]:
    """Guess wrongly; whether each try was looked at."""
    answers = [sign_in(Client(), name, f"wrong {n}", address).content.decode() for n in range(times)]
    return ["Too many failed" not in answer for answer in answers]


def test_one_address_has_five_guesses_whichever_name_of_the_account_it_types(alice):
    looked_at = guess("alice", 3) + guess("ALICE@example.com", 3) + guess("Alice", 1)
    assert looked_at == [True] * 5 + [False] * 2


def test_an_office_of_two_hundred_signs_in_at_nine_from_one_address(alice, settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    alice.set_password(PASSWORD)
    alice.save()
    assert [sign_in(Client(), "alice").status_code for _ in range(40)] == [302] * 40
    assert int(settings.ACCOUNT_RATE_LIMITS["login"].partition("/")[0]) >= 200


def test_a_known_browser_gets_in_while_its_own_address_is_full_of_guesses(client, alice):
    sign_in(client, "alice")
    client.post("/accounts/logout/")
    for name in ("alice", "bob", "charlie"):
        guess(name, 6, address=HOME)
    assert "Too many" in sign_in(Client(), "alice").content.decode()
    assert sign_in(client, "alice").status_code == 302


def test_a_known_browser_has_no_more_guesses_than_any_other(client, alice):
    sign_in(client, "alice")
    client.post("/accounts/logout/")
    tries = [sign_in(client, "alice", f"wrong {n}").content.decode() for n in range(7)]
    assert ["Too many failed" in text for text in tries] == [False] * 5 + [True] * 2


def test_from_many_addresses_guessing_is_slowed_down_for_seconds_but_known_places_are_not(client, alice, monkeypatch):
    sign_in(client, "alice")
    looked_at = [seen for number in range(12) for seen in guess("alice", 3, address=f"198.51.100.{number}")]
    assert 25 <= sum(looked_at) <= 28, "then one in ten seconds"

    assert sign_in(Client(), "alice", address=HOME).status_code == 302, "an address that signed in before"
    stranger = sign_in(Client(), "alice", address="192.0.2.200").content.decode()
    assert "Try again in" in stranger
    monkeypatch.setattr(limits, "PAUSE_SECONDS", 1)
    wait_until(lambda: sign_in(Client(), "alice", address="192.0.2.200").status_code == 302, seconds=5)


def test_right_passwords_use_no_tries_up_and_the_owner_gets_in_from_another_address(client, alice):
    for _ in range(8):
        assert sign_in(Client(), "alice").status_code == 302

    guess("alice", 8)
    assert sign_in(client, "alice").status_code == 302


def test_an_unknown_name_is_answered_alike(alice):
    assert guess("nobody", 7) == [True] * 5 + [False] * 2


def test_the_cookie_of_one_account_makes_no_other_account_s_browser_known(client, alice, bob):
    sign_in(client, "bob")
    client.post("/accounts/logout/")
    guess("alice", 6, address=HOME)
    assert "Too many" in sign_in(client, "alice").content.decode()
