"""A section, note or table that a question names by its number is read first, offline and with a model."""

import pytest

from tests.support.driven_runs import Driven, answer, turn
from vectorless_web.engine.agent.events import StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.local_corpus import LocalCorpus
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.questions.focus import find_places

YEARS = range(2, 12)
NOTES = "".join(
    f"## {year}. Leave granted\n\nThe crew of quay {year} was granted {year + 10} days of leave in the season.\n\n"
    f"Leave of the crew of quay {year} is granted by the master of the quay and counted in days of the season.\n\n"
    for year in YEARS
)
TABLES = "".join(
    f"Table {number}: Fees of the office\n\n| Fee | Amount |\n| --- | --- |\n| Leave form | {number * 7} euros |\n\n"
    for number in range(1, 4)
)
GUIDE = f"# Harbour handbook\n\n{NOTES}## Annex B\n\nDogs stay on the lead.\n\n## Fees\n\n{TABLES}"


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "guide.md"
    path.write_text(GUIDE)
    return LocalCorpus([path])


def texts_of(corpus, question):
    tree = corpus.open("1").tree
    return [tree.node(key).text for key in find_places(question, tree)]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many days of leave does section 7 grant?", "quay 7"),
        ("In Note 9, how many days were granted?", "quay 9"),
        ("According to clause 4, who grants leave?", "quay 4"),
        ("What is said of dogs in Annex B?", "on the lead"),
        ("What does the leave form cost in table 2?", "14 euros"),
    ],
)
def test_places_are_found_by_the_number_that_a_question_gives(corpus, question, words):
    texts = texts_of(corpus, question)
    assert texts and any(words in text for text in texts)


@pytest.mark.parametrize(
    "question",
    [
        "How many days of leave were granted?",
        "What does section 40 say?",
        "How many days does the crew of quay 7 have?",
        "Which part I should read?",
        "Is 7 a section?",
        "What does annex b say?",
    ],
)
def test_what_names_no_place_of_the_document_finds_none(corpus, question):
    assert texts_of(corpus, question) == []


@pytest.mark.parametrize("number", [3, 6, 11])
def test_the_offline_answer_comes_from_the_section_named(corpus, number):
    question = f"According to section {number}, how many days of leave was the crew granted?"
    events = list(Orchestrator().run(question, corpus, Limits()))

    assert f"{number + 10} days" in events[-1].answer
    assert any("the place asked for" in event.say for event in events if isinstance(event, StepEvent))


def test_a_model_is_shown_the_place_named_before_all_others(corpus):
    run = Driven([turn(answer=answer())], corpus, question="How many days of leave does section 7 grant to the crew?")

    shown = run.model.calls[0][-1].content.split("Passages that come nearest")[1]
    assert shown.index("quay 7 was granted") < min(
        shown.find(f"quay {n} was") for n in (2, 5) if f"quay {n} was" in shown
    )


def test_a_table_named_beside_a_page_is_shown_before_the_page(corpus):
    question = "What does the leave form cost in table 3, and what does page 1 say of leave?"
    shown = Driven([turn(answer=answer())], corpus, question=question).model.calls[0][-1].content
    passages = shown.split("Passages that come nearest")[1]

    assert passages.index("21 euros") < passages.index("quay 2 was granted")
