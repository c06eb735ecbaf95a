"""Every page and act of the console as staff: with all rights let in, with none refused but for the overview."""

import pytest
from django.db import transaction

from tests.test_permissions import MATRIX, STAFF, world  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db
ROWS = [row for row in MATRIX if row.needs == STAFF]


def ask(client, world, row):  # noqa: F811
    with transaction.atomic():
        response = getattr(client, row.method)(world.address(row), row.data)
        transaction.set_rollback(True)
    return response.status_code


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_superuser_is_let_in_and_staff_without_the_right_is_told(client, grace, alice, give, world, row):  # noqa: F811
    client.force_login(grace)
    assert ask(client, world, row) in (200, 302, 409, 422)
    client.force_login(give(alice))
    assert ask(client, world, row) == (200 if row.name == "console:overview" else 403)
