"""Who reads the text of a question: its own room, and those who hand it to a model or show it."""

import re
from pathlib import Path

ENGINE = Path(__file__).parents[3] / "vectorless_web" / "engine"
ROOMS = ("questions", "agent")
TO_A_MODEL = ("finding/routing/result.py", "finding/navigation/model.py")
"""Files that give the question to a chat or embedding model as it was asked."""


def test_no_other_room_reads_the_text_of_a_question() -> None:
    reading = {
        path.relative_to(ENGINE).as_posix()
        for path in ENGINE.rglob("*.py")
        if path.relative_to(ENGINE).parts[0] not in ROOMS
        and re.search(r"\b(?:plan|query)\.question\b", path.read_text(encoding="utf-8"))
    }
    assert reading == set(TO_A_MODEL)
