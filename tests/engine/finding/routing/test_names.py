"""Names, kinds and dates as people write them."""

import pytest

from vectorless_web.engine.finding.routing.card_keys import core_key, prefixes, spellings
from vectorless_web.engine.finding.routing.typed import iso_date
from vectorless_web.engine.questions.editions import family_of


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Blue Barn Co., Inc.", "bluebarn"),
        ("BLUEBARN", "bluebarn"),
        ("The Sea-Salter Company", "seasalter"),
        ("Société Hélianthe S.A.", "societehelianthe"),
        ("McFarrow's Corp", "mcfarrow"),
        ("Harmon & Harmon", "harmonharmon"),
        ("4K Company", "4k"),
        ("Cornlocker -08-19", "cornlocker"),
        ("", ""),
    ],
)
def test_the_core_of_a_name_is_one_key(name, key):
    assert core_key(name) == key


@pytest.mark.parametrize(
    ("name", "nickname"),
    [
        ("Harmon & Harmon", "hnh"),
        ("Alpine Exports", "alex"),
        ("Granite Mills Company", "gm"),
        ("Kranz Heller", "kranz"),
        ("Amber Mountain Dairies, Inc.", "amd"),
    ],
)
def test_nicknames_are_guessed_and_less_sure_than_the_name(name, nickname):
    guessed = spellings(name)
    assert 0 < guessed[nickname] < guessed[core_key(name)] == 1.0


def test_beginnings_are_shorter_than_the_name():
    assert prefixes("tarvico") == ["tar", "tarv", "tarvi", "tarvic"]
    assert prefixes("4k") == []


def test_kinds_of_report_are_families_and_an_unknown_kind_is_its_own():
    assert {family_of(form) for form in ("10-K", "10K", "Form 10-K", "annual report", "20-F")} == {"annual report"}
    assert family_of("Cookbook") == "cookbook"


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("August 30, 2023", "2023-08-30"),
        ("30 Aug 2023", "2023-08-30"),
        ("1st of nothing", ""),
        ("2023-08-30", "2023-08-30"),
        ("May 3rd, 2023", "2023-05-03"),
        ("Smarch 3, 2023", ""),
        ("2023-13-01", ""),
    ],
)
def test_dates_become_iso(text, iso):
    assert iso_date(text) == iso
