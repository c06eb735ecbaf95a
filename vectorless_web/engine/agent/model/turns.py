"""The conversation of a walk: one first message, then results of the tools after each reply; nothing is rewritten.

Every message is a pure function of what was known when it was sent, and earlier ones are
sent again as they were, so that a server reads them once. Only when the model's context
is too small are the oldest results replaced by a mark; the first message stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vectorless_web.engine.agent.model.cutting import message_tokens, tokens_of
from vectorless_web.engine.agent.model.pictures import attach_pictures, explain_pictures
from vectorless_web.engine.agent.model.prompts import (
    ANSWER_EXAMPLE,
    ANSWER_RULES,
    PARTING,
    NodeNames,
    passage_text,
    section_of,
    shown_text,
    stems_asked,
    system_prompt,
)
from vectorless_web.engine.agent.planner import ToolResult, WalkContext
from vectorless_web.engine.answers.claims import PackedNode
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.llm.calls import fence_text
from vectorless_web.engine.llm.model import Message

FIRST_TOKENS = 4000
"""Tokens of the first message: about 1,000 of rules, an eighth of outline, the rest passages."""

TURN_TOKENS = 2400
"""Tokens of the results of one turn."""

CONVERSATION_TOKENS = 14_000
"""Tokens of a whole conversation before its oldest results are left out."""

OUTLINE_SHARE = 0.18
"""Share of what rules leave of the first message that the outline may have."""

BEST, BEST_TOKENS, OTHER_TOKENS = 3, 900, 380
"""Passages of the first message that are shown at length, the tokens of each of them, and of each other."""

HEADING_TOKENS = 40
"""Tokens of the line above a passage."""

PARTED = "\n\n"

SNIPPET_TOKENS = 160
"""Tokens of a passage that a search shows: most paragraphs whole, of a table its header and the rows that match."""

LEFT_OUT = "(The results of this turn are left out here to save room; read the node again when you need it.)"

_TOOLS = """Tools, several in one reply when they do not depend on each other:
- search: text = words to look for (think of other wordings). Brings snippets with pages and nodes.
- read: node = a number in [brackets]: a passage, table or whole section. Or text = "pages 12-14", a heading, "Note 7".
  With a node, text "around" brings what stands before and after it, "from row 41" goes on.
- list: node = a section; its parts with their sizes.
- calculate: text = an expression of numbers, such as "(840 - 800) / 800".
- note: text = a fact worth keeping, node = where it stands."""

_FORM = """Reply with one JSON object, nothing else: {"thought", "steps", "answer"}.
To look further: "steps" is a list of {"action": search|read|list|calculate|note, "node": number or null, "text": words
or null}, and "answer" is null. As soon as what you were shown settles the question, also in your very first reply:
"steps" is [] and "answer" is {"not_found", "claims", "value", "missing"}. Say "not_found" only after a search with
other words."""

_EXAMPLES = f"""Good replies, for another document. To look further:
{{"thought": "The notes may say it.", "steps": [{{"action": "search", "node": null, "text": "lease \
payments"}}, {{"action": "read", "node": 31, "text": null}}], "answer": null}}
To answer, where passage [31] has the row "Net sales | 840 | 800" under 2021 and 2020:
{{"thought": "Row Net sales has both years.", "steps": [], "answer": {ANSWER_EXAMPLE}}}"""


@dataclass(frozen=True, slots=True)
class _Shown:
    """Passages as text, and how many did not fit."""

    texts: tuple[str, ...]
    left_out: int


def first_messages(context: WalkContext, *, tokens: int = FIRST_TOKENS) -> tuple[Message, ...]:
    """Rules, outline, the passages nearest to the question, tools: what the model first chooses or answers from."""
    names = NodeNames([context.document.id])
    told = [_TOOLS, *explain_pictures(context.pictures)]
    # The question comes last: what stands before the document is the same for all, and servers read it once.
    head = "\n\n".join([ANSWER_RULES, *told, _FORM, _EXAMPLES])
    tail = f"Question: {context.plan.question}\n{_describe_rest(context)}"
    room = max(0, tokens - tokens_of(system_prompt()) - tokens_of(head) - tokens_of(tail) - 60)
    title = f"{context.document.title or context.document.name}, {_count(context.document.pages, 'page')}"
    outline = _outline(context, int(room * OUTLINE_SHARE))
    sections = "Document and outline ([node] title | pages | what it says):\n" + fence_text(
        f"{title}\n{outline}".strip()
    )
    shown = _nearest(context, names, room - tokens_of(sections))
    nearest = "Passages that come nearest to the question, the best first:"
    passages = _block("The whole document:" if is_whole_read(context) else nearest, shown)
    parts = [head, sections, passages, tail]
    return Message("system", system_prompt()), Message("user", "\n\n".join(part for part in parts if part))


def next_message(context: WalkContext, *, tokens: int = TURN_TOKENS) -> Message:
    """What the steps of the last turn brought, and what is left."""
    names, before = NodeNames([context.document.id]), [said.content for said in context.dialogue if said.role == "user"]
    room = max(200, tokens - 60)
    parts: list[str] = []
    for number, result in enumerate(context.results, 1):
        # What earlier results did not need is left to later ones.
        share = room // (len(context.results) - number + 1)
        text = _result(result, names, share, [*before, *parts])
        parts.append(f"{number}. {text}")
        room -= tokens_of(text)
    parts.append(_describe_rest(context))
    pictures = [picture for result in context.results for picture in result.pictures]
    return attach_pictures("\n\n".join(["Results:", *parts]), pictures, names)


def fitted_messages(messages: Sequence[Message], tokens: int) -> tuple[Message, ...]:
    """The conversation in so many tokens: the oldest results go first; rules, first message and last one stay."""
    kept = list(messages)
    size = sum(map(message_tokens, kept))
    for place in range(2, len(kept) - 1):
        if size <= tokens:
            break
        if kept[place].role == "user":
            size -= message_tokens(kept[place]) - tokens_of(LEFT_OUT)
            kept[place] = Message("user", LEFT_OUT)
    return tuple(kept)


def _outline(context: WalkContext, tokens: int) -> str:
    return context.reader.outline(tokens) if context.reader else context.outline


def _nearest(context: WalkContext, names: NodeNames, tokens: int) -> _Shown:
    """What was fetched already, then what comes nearest, then what was copied from, as far as it fits."""
    found = [passage for result in context.results for passage in result.passages]
    if context.reader and is_whole_read(context):
        whole = context.reader.whole()
        return _Room(names, tokens).show(whole, [tokens] * len(whole))
    if context.reader:
        found += context.reader.nearest()
        found += (context.reader.packed_node(fact.key) for fact in context.facts)
    once = {passage.key: passage for passage in found if passage.kind is not NodeKind.SECTION}
    sizes = [BEST_TOKENS if place < BEST else OTHER_TOKENS for place in range(len(once))]
    room = _Room(names, tokens, stems_asked(context.plan.question))
    return room.show(list(once.values()), sizes)


@dataclass(frozen=True, slots=True)
class _Room:
    """Tokens to show passages in, and the words that they are cut around."""

    names: NodeNames
    tokens: int
    wanted: frozenset[str] = frozenset()

    def show(self, passages: Sequence[PackedNode], sizes: Sequence[int], *, start: int = 0) -> _Shown:
        """As many passages as fit, in their order, each cut to its size; one that does not fit whole is cut shorter."""
        texts: list[str] = []
        left, above = self.tokens, ""
        for passage, size in zip(passages, sizes, strict=True):
            if left < SNIPPET_TOKENS // 2 and texts:
                break
            most = max(SNIPPET_TOKENS // 2, min(size, left - HEADING_TOKENS))
            text = passage_text(passage, self.names, tokens=most, wanted=self.wanted, start=start, above=above)
            above = section_of(passage)
            texts.append(text)
            left -= tokens_of(text) + PARTING
        return _Shown(tuple(texts), len(passages) - len(texts))


def _block(title: str, shown: _Shown) -> str:
    return f"{title}\n{fence_text(PARTED.join(shown.texts))}" if shown.texts else ""


def _result(result: ToolResult, names: NodeNames, tokens: int, before: Sequence[str]) -> str:
    """One result as text. What stands in full in the texts before it is not shown again."""
    arguments, observation = result.step.arguments, result.step.observation
    note = f"{observation['note']}\n" if "note" in observation else ""
    head = f"{note}{_describe_call(result)}"
    if "children" in observation:
        return f"{head}\n{fence_text(_list_children(observation))}"
    passages = [passage for passage in result.passages if passage.kind is not NodeKind.SECTION]
    again = [passage.key for passage in passages if _is_shown(passage, names, before)]
    new = [passage for passage in passages if passage.key not in again]
    query = str(arguments.get("look_up") or "")
    sizes = [SNIPPET_TOKENS if query else tokens for _ in new]
    start = arguments.get("start") or 0
    shown = _Room(names, tokens - tokens_of(head) - 30, stems_asked(query)).show(new, sizes, start=start)
    lines = (
        [f"Shown above already: {', '.join(names.name(names_of(passages), key) for key in again)}."] if again else []
    )
    if shown.left_out:
        rest = ", ".join(str(passage.key) for passage in new[-shown.left_out :][:12])
        lines.append(f"There was no room for {_count(shown.left_out, 'more passage')}: nodes {rest}.")
    return "\n".join([_block(head, shown) or head, *lines])


def names_of(passages: Sequence[PackedNode]) -> str:
    """The document that the passages of one walk are of."""
    return passages[0].document if passages else ""


def _describe_call(result: ToolResult) -> str:
    """What was called, and in one sentence what came of it; words of the document are taken out of fences' reach."""
    said = " ".join(result.step.say.split())
    quiet = fence_text(said).split("\n")[1]
    return f"{result.step.action}: {quiet}"


def _list_children(observation: Mapping[str, Any]) -> str:
    rows = [
        f"[{row['key']}] {row['title']} | {row['pages']} | {row['tokens']} tokens" for row in observation["children"]
    ]
    rest = observation.get("not_listed", 0)
    return "\n".join([*(" ".join(row.split()) for row in rows), *([f"({rest} more)"] if rest else [])])


def _is_shown(passage: PackedNode, names: NodeNames, texts: Sequence[str]) -> bool:
    """Whether a passage stands in full, below its name, in one of the texts."""
    name, whole = f"[{names.name(passage.document, passage.key)}] page", shown_text(passage)
    return any(name in text and whole in text for text in texts)


def _describe_rest(context: WalkContext) -> str:
    """What may still be done: steps and tokens."""
    if is_last_turn(context):
        return "Nothing is left for further steps: answer now, from what you were shown."
    steps = context.budget.steps - 1
    tokens = f"{max(0, context.budget.model_tokens) // 100 * 100:,}"
    left = f"Left: {_count(steps, 'step')} (each call of a tool is one), about {tokens} tokens."
    return f"{left} Choose the next steps, or answer."


def is_whole_read(context: WalkContext) -> bool:
    """Whether the first step read the whole document."""
    return any(step.action == "whole" for step in context.steps)


def is_last_turn(context: WalkContext) -> bool:
    """Whether the model has to answer now: no further step is left, or no tokens for one more turn."""
    if context.walks > 1 and context.budget.calls <= 1:
        return True
    spent = sum(map(message_tokens, context.dialogue))
    return context.budget.steps <= 1 or context.budget.model_tokens < 2 * (spent + TURN_TOKENS) + FIRST_TOKENS


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
