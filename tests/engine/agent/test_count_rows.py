"""A model counts the rows of a table: that holds only when every row was before it, and only with the right count."""

import pytest

from tests.support.driven_runs import Driven, answer, turn
from vectorless_web.engine.agent.local_corpus import LocalCorpus
from vectorless_web.engine.agent.model.planner import Sizes
from vectorless_web.engine.answers.claims import Support

QUESTION = "How many rows does the table of moorings have?"


@pytest.fixture
def count(tmp_path):
    """Ask of a table of so many rows, and have the model say a number."""

    def ask(said: int, *, rows: int, **sizes):
        moorings = "".join(f"| M{n} | {n % 4 + 2} metres of water | tidal |\n" for n in range(1, rows + 1))
        path = tmp_path / f"port-{rows}.md"
        path.write_text(
            f"# Port guide\n\n## Table of moorings\n\n| Mooring | Depth | Kind |\n| --- | --- | --- |\n{moorings}"
        )
        corpus = LocalCorpus([path])
        tree = corpus.open("1").tree
        key = next(key for key in tree.leaves() if "M1\t" in tree.node(key).text)
        quote = {"node": key, "quote": "M1 | 3 metres of water | tidal"}
        claim = {"text": f"The table of moorings has {said} rows.", "quotes": [quote], "calculations": []}
        replies = [turn(answer=answer(claim)) if sizes else answer(claim), *[answer(claim)] * 3]
        return Driven(replies, corpus, question=QUESTION, sizes=Sizes(**sizes))

    return ask


def test_the_right_count_of_a_table_shown_whole_holds(count):
    assert count(23, rows=23).claims[0].support is Support.SUPPORTED


def test_a_wrong_count_is_sent_back_with_the_right_one(count):
    run = count(22, rows=23)

    assert run.claims[0].because == "The table has 23 rows, not 22."
    assert "The table has 23 rows, not 22." in run.model.calls[-1][-1].content


def test_the_rows_of_a_table_shown_in_part_are_not_counted(count):
    run = count(400, rows=400, whole=0)

    shown = run.model.calls[0][-1].content
    assert "M1 | 3 metres" in shown and any(f"M{number} |" not in shown for number in range(1, 401))
    assert run.claims[0].support is Support.UNSUPPORTED
