"""Every page and act of the console as staff: with all rights let in, with none refused but for the overview."""

from copy import copy

import pytest

from tests.test_permissions import MATRIX, STAFF, undone, world  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db


def test_a_superuser_is_let_in_and_staff_without_the_right_is_told(client, grace, alice, give, world):  # noqa: F811
    rows = [row for row in MATRIX if row.needs == STAFF]
    let_in, refused = (200, 302, 409, 422), (403,)
    wrong = {}
    for person, usual in ((grace, let_in), (give(alice), refused)):
        client.force_login(person)
        signed_in = copy(client.cookies)
        for row in rows:
            client.cookies = copy(signed_in)
            with undone():
                found = getattr(client, row.method)(world.address(row), row.data).status_code
            if found not in ((200,) if row.name == "console:overview" else usual):
                wrong[row.name, person.username] = found
    assert not wrong
