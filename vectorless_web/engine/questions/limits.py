"""The limits of a question, used by pages, commands and the engine."""

from vectorless_web.engine.errors import InvalidInput

QUESTION_MAX = 4000
"""Characters of a question. About 1,000 tokens: a model's prompts repeat the question in every step, and background
longer than this reads better as a document."""
QUESTION_EMPTY, QUESTION_TOO_LONG = "question_empty", "question_too_long"
"""Codes of the two refusals."""


def check_question(question: str) -> str:
    """The question without NULs and outer white space; InvalidInput when it is empty or too long."""
    question = question.replace("\x00", "").strip()
    if not question:
        raise InvalidInput("Write a question first.", code=QUESTION_EMPTY)
    if len(question) > QUESTION_MAX:
        raise InvalidInput(
            f"This question has {len(question):,} characters; at most {QUESTION_MAX:,} can be asked. "
            "Shorten it, or upload long background as a document.",
            code=QUESTION_TOO_LONG,
        )
    return question
