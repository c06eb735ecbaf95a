"""What a question must be like, wherever it is asked."""

import re

from vectorless_web.engine.errors import InvalidInput

QUESTION_MAX = 4000
STEPS_MIN, STEPS_MAX = 1, 30
WALKS_MAX = 10
MONEY_MAX = 10_000.0
"""The most US dollars that anybody may let a run spend."""
_TWO_WAYS = re.compile(r"[1-9]\d*,\d{3}(?!\d)")


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


def checked_money(typed: str | float | None) -> float | None:
    """US dollars as they were typed, with a point or a comma before the cents; None for nothing.

    InvalidInput for what is no amount, and for "1,000", which is a thousand to some and one to others.
    """
    if typed is None or typed == "":
        return None
    try:
        usd = -1.0 if _TWO_WAYS.search(str(typed)) else float(str(typed).replace(",", ".").removeprefix("$"))
    except ValueError:
        usd = -1.0
    if not 0 < usd <= MONEY_MAX:
        raise InvalidInput("Type the most to spend in US dollars, for example 0.25, or nothing.", code="invalid_amount")
    return usd
