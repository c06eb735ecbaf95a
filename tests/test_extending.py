"""docs/extending.md: every recipe is applied to a copy of the project as it stands there, and changes what it says."""

import json

import pytest

from tests.support.extending import ROOT, Copy, Recipe, holds, recipes

RECIPES = recipes(ROOT / "docs" / "extending.md")
NOT_FOUND = 3
"""How `ask` leaves when the documents do not hold the answer."""


@pytest.fixture
def cooked(tmp_path):
    """A copy with a recipe applied and its commands run, and what each printed."""

    def cook(title: str) -> tuple[Copy, list[str]]:
        recipe: Recipe = RECIPES[title]
        copy = Copy(tmp_path)
        copy.apply(recipe)
        printed = []
        for command, expected in recipe.commands():
            done = copy.run(command)
            assert done.returncode in (0, NOT_FOUND), f"{command}\n{done.stderr}"
            printed.append(done.stdout + done.stderr)
            for line in expected:
                assert holds(printed[-1], line), f"{line} is missing: {command}\nprinted\n{printed[-1]}"
        return copy, printed

    return cook


def test_the_page_has_every_recipe():
    assert list(RECIPES) == [
        "The engine in a program",
        "A provider",
        "A pilot",
        "A router",
        "A retriever lane",
        "A file format",
    ]
    assert all(recipe.commands() for recipe in RECIPES.values())


def test_a_corpus_of_ones_own_leaves_documents_out(cooked):
    copy, printed = cooked("The engine in a program")
    (copy.place / "old.md").write_text((copy.place / "docs/demo/field-handbook.md").read_text())

    alone = copy.run('python3 ask_files.py "How often may crew travel home?" old.md')

    assert "finalize | " in printed[0]
    assert "failed | There is no document to read." in alone.stdout


def test_a_new_provider_writes_the_answer_and_verifies_it(cooked):
    _, printed = cooked("A provider")
    assert "Crew may travel home once every 42 days. [1]" in printed[1]


@pytest.mark.parametrize("title", ["A pilot", "A router", "A retriever lane"])
def test_what_a_recipe_finds_is_what_the_page_says(title, cooked):
    _, printed = cooked(title)
    assert all(printed)


def test_a_new_file_format_compiles_with_all_of_its_text(cooked):
    copy, _ = cooked("A file format")

    (copy.place / "vessels.txt").write_text((copy.place / "vessels.psv").read_text())
    read = copy.run("python3 manage.py compile vessels.psv vessels.txt --json").stdout
    table, text = map(json.loads, read.splitlines())

    assert (table["coverage"], table["tables"], table["leaves"]) == (1.0, 1, 1)
    assert text["tables"] == 0, "other names are read as before"
