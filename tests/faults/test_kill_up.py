"""The supervisor is killed, or told to end: the next start finds everything as it was."""

import signal

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(150)]


def test_a_killed_site_starts_again_on_its_own_data(make_site):
    site = make_site()
    site.start()
    site.await_ready()
    people = site.rows("select count(*) from auth_user")
    site.stop(signal.SIGKILL)
    site.start()
    site.await_ready()
    assert site.rows("select count(*) from auth_user") == people
    site.stop()
