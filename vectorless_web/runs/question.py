"""What a question must be like, wherever it is asked."""

from vectorless_web.engine.errors import InvalidInput

QUESTION_MAX = 4000
STEPS_MIN, STEPS_MAX = 1, 30
WALKS_MAX = 10


def checked_question(question: str) -> str:
    """The question without outer white space and NULs; InvalidInput when it is empty or too long."""
    question = question.replace("\x00", "").strip()
    if not question:
        raise InvalidInput("Write a question first.", code="question_empty")
    if len(question) > QUESTION_MAX:
        raise InvalidInput(
            f"This question has {len(question):,} characters; at most {QUESTION_MAX:,} can be asked. "
            "Shorten it, or upload long background as a document.",
            code="question_too_long",
        )
    return question


def checked_steps(steps: int) -> int:
    """The step limit; InvalidInput when it is out of range."""
    if not STEPS_MIN <= steps <= STEPS_MAX:
        raise InvalidInput(f"The step limit goes from {STEPS_MIN} to {STEPS_MAX}.")
    return steps
