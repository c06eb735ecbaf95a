"""Every page and act of the console as staff: with all rights let in, with none refused but for the overview."""

import pytest

from tests.test_permissions import MATRIX, STAFF, undone, world  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db


def test_a_superuser_is_let_in_and_staff_without_the_right_is_told(client, grace, alice, give, world):  # noqa: F811
    rows = [row for row in MATRIX if row.needs == STAFF]
    staff = give(alice)
    wrong = {}
    for row in rows:
        staff_gets = (200 if row.name == "console:overview" else 403,)
        for person, allowed in (
            (grace, (200, 302, 409, 422)),
            (staff, staff_gets),
        ):
            with undone():
                client.force_login(person)
                found = getattr(client, row.method)(world.address(row), row.data).status_code
            if found not in allowed:
                wrong[row.name, person.username] = found
    assert not wrong
