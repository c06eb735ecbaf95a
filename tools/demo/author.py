"""The author of the demo's model run: answers the engine's real prompts by rules written by hand. No model is asked."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vectorless_web.engine.llm.budget import expected_tokens
from vectorless_web.engine.llm.model import Message, Reply, Usage

MODEL = "demo-script"
PRICE_IN, PRICE_OUT = 0.15, 0.60
"""Example prices, US dollars per million tokens, so that the demo shows where a cost would stand."""

QUESTION = "What was the operating margin in 2024, what was it in 2023, and why did the gross margin improve?"

_STATEMENT, _DISCUSSION = "Consolidated Statements of Income", "Gross Margin"
_REASON = (
    "Gross margin improved because software grew faster than instruments and because the fourth Skua cost a fifth "
    "less to build than the first."
)
_PASSAGE = re.compile(r"^\[(?P<key>\d+)\] page [^\n]*\n(?P<text>.*?)(?=^\[\d+\] page |^document>>>)", re.M | re.S)


class Author:
    """Reads each prompt as a model would, and replies with the next sensible step, choice or answer."""

    name = MODEL

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """The reply that fits the prompt; LookupError when the prompt lacks what it should show."""
        prompt = "\n".join(message.content for message in messages if message.role == "user")
        if "Choose the next steps" in prompt:
            said = turn(prompt)
        elif "Write the answer" in prompt:
            said = answer(prompt)
        else:
            said = choice(messages[-1].content, schema or {})
        text = json.dumps(said, ensure_ascii=False)
        return Reply(text, said, _usage(messages, text), self.name)

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The reply in one piece."""
        yield self.complete(messages).text


def turn(prompt: str) -> dict[str, Any]:
    """Look for the statement of income and for what management says about the margin; then answer."""
    if "Results:" not in prompt:
        thought = "The statement of income has both years; why the margin improved is told in the discussion."
        steps = [
            {"action": "read", "node": None, "text": _STATEMENT},
            {"action": "search", "node": None, "text": "gross margin improved because"},
        ]
        return {"thought": thought, "steps": steps, "answer": None}
    if _key_of(prompt, "Operating income |") is None or _key_of(prompt, _REASON) is None:
        step = {"action": "read", "node": None, "text": _DISCUSSION}
        return {"thought": "The reason was not shown yet.", "steps": [step], "answer": None}
    said = answer(prompt)
    return {"thought": said.pop("thought"), "steps": [], "answer": said}


def choice(prompt: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Guide the search: the financial statements first, then management's discussion."""
    asked = json.loads(prompt)
    ranking = []
    for line in asked.get("candidates", ()):
        key, title = str(line.get("id")), str(line.get("title"))
        if score := next((worth for words, worth in _WORTH if words in title), 0.0):
            ranking.append({"id": key, "score": score, "reason": f"{title} should hold the figures or the reason."})
    ranking.sort(key=lambda row: (-row["score"], row["id"]))
    if not ranking and asked.get("candidates"):
        ranking = [{"id": str(asked["candidates"][0]["id"]), "score": 0.2, "reason": "Nothing nearer is listed."}]
    replies: dict[str, Any] = {
        "ranking": ranking,
        "direction": "go_deeper",
        "target": "",
        "confidence": 0.8,
        "reasoning": "The statement of income answers the first two parts, the discussion the third.",
        "why_failed": "It does not state the figures.",
        "alternatives": ranking,
        "relevance": 0.6,
        "is_answer": False,
        "reason": "Part of the answer stands here.",
        "keep": [row["id"] for row in ranking],
    }
    return {name: replies[name] for name in schema.get("properties", {})}


_WORTH = ((_STATEMENT, 0.9), ("Item 8", 0.8), ("Item 7.", 0.7), ("Results of Operations", 0.6), (_DISCUSSION, 0.6))


def answer(prompt: str) -> dict[str, Any]:
    """Two margins worked out from the statement of income, and management's sentence."""
    statement, discussion = _key_of(prompt, "Operating income |"), _key_of(prompt, _REASON)
    if statement is None or discussion is None:
        raise LookupError("The prompt of the answer does not show the statement of income and the discussion.")
    rows = {name: _row(prompt, name) for name in ("Operating income", "Total net revenue")}
    quotes = [{"node": statement, "quote": row} for row in rows.values()]
    claims = [
        _margin(f"The operating margin was {{}} in {year}.", quotes, [_cell(row, column) for row in rows.values()])
        for column, year in ((1, 2024), (2, 2023))
    ]
    reason = {"text": _REASON, "quotes": [{"node": discussion, "quote": _REASON}], "calculations": []}
    thought = "Operating income over total net revenue for each year, then the sentence that gives the reason."
    value = claims[0]["calculations"][0]["result"]
    return {"thought": thought, "not_found": False, "claims": [*claims, reason], "value": value, "missing": []}


def _margin(text: str, quotes: list[dict[str, str]], figures: list[str]) -> dict[str, Any]:
    income, revenue = (float(figure.replace(",", "").strip("$ ")) for figure in figures)
    result = f"{100 * income / revenue:.1f}%"
    operands = [
        {"name": name, "value": figure, "quote": number}
        for number, (name, figure) in enumerate(zip(("operating_income", "net_revenue"), figures, strict=True))
    ]
    calculation = {"expression": "operating_income / net_revenue", "operands": operands, "result": result}
    return {"text": text.format(result), "quotes": quotes, "calculations": [calculation]}


def _key_of(prompt: str, words: str) -> str | None:
    """The passage that shows the words, in one line or over several."""
    wanted = " ".join(words.split())
    shown = _PASSAGE.finditer(prompt)
    return next((found["key"] for found in shown if wanted in " ".join(found["text"].split())), None)


def _row(prompt: str, name: str) -> str:
    """The table row of that caption as the prompt shows it."""
    return next(line for line in prompt.splitlines() if line.startswith(f"{name} |"))


def _cell(row: str, column: int) -> str:
    return row.split("|")[column].strip()


def _usage(messages: Sequence[Message], text: str) -> Usage:
    tokens_in, tokens_out = sum(expected_tokens(message.content) for message in messages), expected_tokens(text)
    return Usage(tokens_in, tokens_out, round((tokens_in * PRICE_IN + tokens_out * PRICE_OUT) / 1_000_000, 9))
