"""JSON: numbers as written."""

from tests.engine.parsing.conftest import shown


def test_numbers_stay_as_they_are_written_however_long(compiled):
    said = shown(compiled(f'{{"short": 1.10, "long": {"9" * 5_000}}}', "fees.json"))
    assert "short: 1.10" in said
    assert said.replace("\n", "").count("9") == 5_000
