"""What the documents of a run do not hold of a question."""

import pytest

from tests.support.conversing import shelf
from tests.support.engine_documents import compiled, paragraph
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.retrieving import list_absent
from vectorless_web.engine.agent.state import RunState
from vectorless_web.engine.questions.understand import understand


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        (
            "Was randomisation taught to teachers sur the CEO by a forerunner?",
            ("taught", "CEO", "forerunner"),
        ),
        ("Welchen Zuschlag darf dieser Lehrer dafür verlangen?", ("Zuschlag", "Lehrer", "verlangen")),
        (
            "Dans l’étude sur les patientes d’un cancer, à quels moments leur est-on utile ?",
            ("l’étude", "cancer", "moments"),
        ),
        ("¿Contra qué chocó la avioneta antes de quedar cerca?", ("chocó", "avioneta", "quedar")),
        ("千佛山医院的研究对患者的病程有什么要求？", ()),
    ],
)
def test_words_of_a_question_that_stand_nowhere_are_told_but_for_those_that_say_nothing_by_themselves(
    question: str, absent: tuple[str, ...]
) -> None:
    document = compiled("Report", paragraph("Patients were randomized by their teacher to the VAT group in utility."))
    corpus = shelf(a=document)
    state = RunState(question, corpus, Limits())
    assert list_absent(state, [understand(question, expand=False)], {"a": document}) == absent
