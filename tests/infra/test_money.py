"""Amounts as rows hold them."""

from decimal import ROUND_UP, Decimal

import pytest
from django.db import connection, models

from vectorless_web.infra.money import MOST_TOKENS, MOST_USD, MoneyField, money, token_count


@pytest.mark.parametrize(
    ("usd", "stored"),
    [
        (0.1, "0.1"),
        (0.0000001, "0"),
        (0.1 + 0.2, "0.3"),
        (Decimal("1.5"), "1.5"),
        (-1.0, "0"),
        (float("nan"), "0"),
        (float("inf"), MOST_USD),
        (1e30, MOST_USD),
        (999_999.9999999, MOST_USD),
    ],
)
def test_any_amount_can_be_stored(usd, stored):
    assert money(usd) == Decimal(stored)


def test_what_is_put_aside_is_rounded_up_and_the_field_is_the_plain_one_in_migrations():
    assert money(0.0000001, rounding=ROUND_UP) == Decimal("0.000001")

    field = MoneyField(max_digits=12, decimal_places=6)
    assert field.deconstruct()[1:] == models.DecimalField(max_digits=12, decimal_places=6).deconstruct()[1:]
    assert field.db_type(connection) == models.DecimalField(max_digits=12, decimal_places=6).db_type(connection)


@pytest.mark.parametrize(("tokens", "stored"), [(7, 7), (-1, 0), (10**30, MOST_TOKENS)])
def test_any_count_can_be_stored(tokens, stored):
    assert token_count(tokens) == stored
