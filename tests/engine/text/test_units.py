"""A figure and a unit put together: scale, currency and percent are each said, and counted, once."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.numbers import numbers_in
from vectorless_web.engine.text.units import missing_unit, with_unit

SCALES = {"": 1, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SIGNS = {"": "", "$": "USD", "€": "EUR", "£": "GBP"}
FORMS = ("{}", "-{}", "({})")
AMOUNTS = st.decimals(min_value=Decimal("0.1"), max_value=9999, places=1)


@pytest.mark.parametrize(
    ("figure", "unit", "shown"),
    [
        ("$220 million", "USD million", "$220 million"),
        ("$220", "USD million", "$220 million"),
        ("220 million", "USD million", "220 million USD"),
        ("1,402", "USD million", "1,402 USD million"),
        ("($38) million", "USD million", "($38) million"),
        ("-$38 million", "USD million", "-$38 million"),
        ("11.8%", "%", "11.8%"),
        ("11.8 percent", "%", "11.8 percent"),
        ("11.8", "%", "11.8 %"),
        ("11.8%", "USD million", "11.8%"),
        ("€5", "USD million", "€5 million"),
        ("4.1 billion", "million", "4.1 billion"),
        ("12 stores", "stores", "12 stores"),
        ("12", "stores", "12 stores"),
        ("7", "", "7"),
        ("", "USD", "USD"),
    ],
)
def test_a_unit_adds_what_the_figure_leaves_unsaid(figure, unit, shown):
    assert with_unit(figure, unit) == shown


@given(
    amount=AMOUNTS,
    form=st.sampled_from(FORMS),
    sign=st.sampled_from(sorted(SIGNS)),
    scale=st.sampled_from(sorted(SCALES)),
    unit_currency=st.sampled_from(["", "USD", "EUR"]),
    unit_scale=st.sampled_from(sorted(SCALES)),
)
def test_scale_and_currency_are_never_said_twice(amount, form, sign, scale, unit_currency, unit_scale):
    figure = f"{form.format(f'{sign}{amount}')} {scale}".strip()
    unit = f"{unit_currency} {unit_scale}".strip()
    words = with_unit(figure, unit).split()

    assert sum(word in SCALES for word in words) == bool(scale or unit_scale)
    assert sum(word in ("USD", "EUR") for word in words) + bool(sign) == bool(sign or unit_currency)
    assert words[: len(figure.split())] == figure.split()


@given(amount=AMOUNTS, form=st.sampled_from(FORMS), unit=st.sampled_from(["", "%", "percent", "USD million"]))
def test_a_percentage_takes_no_further_unit(amount, form, unit):
    assert missing_unit(f"{form.format(amount)}%", unit) == ""
    assert numbers_in(with_unit(f"{amount}%", unit))[0].percent
