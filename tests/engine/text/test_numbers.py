"""Numbers found in text, and figures said with their units."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.text.numbers import decimal_mark, missing_unit, numbers_in, with_unit


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$ (1,577)", ["-1577"]),
        ("$(34)", ["-34"]),
        ("(12.5%)", ["-12.5"]),
        ("-3.2 million", ["-3200000"]),
        ("$8.70 billion", ["8700000000"]),
        ("£4.9 m for 5 m of pipe", ["4900000", "5"]),
        ("2018-2019", ["2018", "2019"]),
        ("(2018)", ["2018"]),
        ("10-K of 7M for Q2 and FY2018", []),
        ("1,234\t5,678\t—\t56%", ["1234", "5678", "56"]),
        ("see 12)", ["12"]),
        (".5 and 5.2x", ["0.5", "5.2"]),
        ("4-for-1 split", ["1"]),
        ("", []),
    ],
)
def test_values_carry_sign_and_scale(text, values):
    assert [number.value for number in numbers_in(text)] == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    ("text", "point", "comma"),
    [
        ("1.674,00 and 13,9 kg", ["1674", "13.9"], ["1674", "13.9"]),
        ("1,674.00 and 13.9 kg", ["1674", "13.9"], ["1674", "13.9"]),
        ("1'577.3, 0,375 and 1.234.567", ["1577.3", "0.375", "1234567"], ["1577.3", "0.375", "1234567"]),
        ("1,234", ["1234"], ["1.234"]),
        ("(12.345)", ["-12.345"], ["-12345"]),
        ("a fee of 12 500", ["12", "500"], ["12500"]),
        ("12 500,4 km", ["12500.4"], ["12500.4"]),
    ],
)
def test_only_a_number_that_can_be_read_in_two_ways_follows_the_mark(text, point, comma):
    assert [number.value for number in numbers_in(text)] == [Decimal(value) for value in point]
    assert [number.value for number in numbers_in(text, ",")] == [Decimal(value) for value in comma]


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["Ziffer 4.2 und 4.3 gelten.", "die Miete beträgt 1.674,00", "am 12.03.", "13,9 kg"], ","),
        (["see notes 1,2 and [3,4]", "growth of 3.5%", "$12.50", "Total\t12\t345,678\t1,2"], "."),
        (["1,234"], "."),
        (["0,5", "0.5"], ""),
    ],
)
def test_the_decimal_mark_is_told_by_numbers_that_can_be_read_in_one_way(texts, mark):
    assert decimal_mark(texts) == mark


STYLES = {".": (",", "'", "\u202f"), ",": (".", " ", "’")}


@given(
    st.decimals(min_value=0, max_value=10**9, places=2, allow_nan=False),
    st.integers(0, 2),
    st.sampled_from(sorted(STYLES)),
    st.integers(0, 2),
)
def test_a_number_in_each_style_is_read_back(value, places, mark, group):
    written = f"{value:,.{places}f}"
    styled = written.translate({ord(","): STYLES[mark][group], ord("."): mark})
    [number] = numbers_in(f"{styled}", mark)
    assert number.value == Decimal(written.replace(",", ""))


def test_currency_percent_scale_and_place_are_read():
    number = numbers_in("about US$ 3bn in sales")[0]
    assert (number.currency, number.scale, number.text) == ("USD", Decimal(10**9), "US$ 3bn")
    assert numbers_in("EUR 200")[0].currency == "EUR"
    assert numbers_in("(5.3)%")[0].percent


@given(st.text(alphabet="0123456789,.()$€%-– \tkmbnilKQ", max_size=60))
def test_numbers_stand_where_they_say(text):
    for number in numbers_in(text):
        assert text[number.start : number.end] == number.text
        assert any(character.isdigit() for character in number.text)


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
