"""Questions to begin with: whole sentences on figures and sections, each of which the document answers."""

from tests.engine.parsing.conftest import compiled  # noqa: F401 - a fixture
from vectorless_web.documents.services.starters import answered_questions

BOOK = """# Harbour book

## Bells of the keeper

The keeper winds the bells every evening. The keeper rings them in fog. Nobody else may touch the bells.

## Traffic of the year

| Ships by kind | 2023 | 2024 |
|---|---|---|
| Ferries that called | 40 | 44 |
| Ships in all | 90 | 97 |

## Fees of the year

| Fees | 2024 |
|---|---|
| Ships in all | 1,200 |
| Boats in all | 3,000 |
"""


def test_starters_are_whole_questions_that_the_document_answers_with_what_they_ask_for(compiled):  # noqa: F811
    assert list(answered_questions(compiled(BOOK, "book.md"))) == [
        "What figure is given for “Boats in all” in 2024?",
        "What does the section “Bells of the keeper” say?",
    ], "“Ships in all” has two figures, and a section of tables says nothing"
