"""How far a model's answers are kept to their evidence: one that quotes the gold evidence, asked over all questions.

    python benchmarks/gold_model.py --questions FILE --pdfs DIR [--cache DIR] [--limit N]

The model is scripted and answers at once. It knows the gold evidence texts of its question. It reads the
prompt: when a passage of a gold page stands in it, it stops walking, else it searches for words of the
evidence. Its answer quotes, word for word as the prompt shows them, the rows and sentences of the
passages that stand in the evidence text, and copies one sentence beside each. Measured is what the
product makes of it: which citations stand on gold pages, and whether a sentence without support counts.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.agent.model.planner import model_walking
from vectorless_web.engine.agent.orchestrator import Orchestrator

from benchmarks.corpus import FolderCorpus
from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.events import CompleteEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.answers.claims import ClaimEvent, Support
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller, ModelCallRecord
from vectorless_web.engine.llm.model import Message, Reply

_PASSAGE = re.compile(r"^\[(?P<node>\w+)\] page (?P<page>\d+)[^\n]*\n(?P<text>.*?)(?=\n\n|\ndocument>>>)", re.M | re.S)
_WORD = re.compile(r"[^\W_]+")
MOST_CLAIMS, LEAST_WORDS = 4, 4
LEAST_SHARED = 0.9
"""Share of a line's words that the evidence holds when the line is quoted."""


class GoldModel:
    """Reads the prompt and quotes from it what its question's evidence says. It gives up after three searches."""

    name = "gold"

    def __init__(self, row: Mapping[str, Any]) -> None:
        self._pages = {evidence["evidence_page_num"] + 1 for evidence in row["evidence"]}
        self._evidence = " ".join(evidence["evidence_text"] for evidence in row["evidence"])
        self._words = set(_words(self._evidence))
        self._wanted = [*_words(row["question"]), *_words(row["answer"])]
        self._searches = 0

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """The reply that fits the prompt."""
        prompt = "\n".join(message.content for message in messages if message.role == "user")
        said: Mapping[str, Any] = {}
        if "Choose the next step" in prompt:
            said = self._step(prompt)
        elif "Write the answer" in prompt:
            said = self._answer(prompt)
        return ScriptedModel([said], name=self.name).complete(messages, schema=schema)

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The same in one piece."""
        yield self.complete(messages).text

    def _step(self, prompt: str) -> dict[str, Any]:
        self._searches += 1
        if self._searches > 3 or self._quotable(prompt):
            return {"thought": "The evidence was read.", "action": "synthesize"}
        words = " ".join(list(dict.fromkeys(_words(self._evidence)))[20 * self._searches :][:30])
        return {"thought": "Look for the evidence.", "action": "retrieve", "query": words}

    def _answer(self, prompt: str) -> dict[str, Any]:
        lines = self._quotable(prompt)
        ranked = sorted(lines, key=lambda line: -sum(word in line[1].lower() for word in self._wanted))[:MOST_CLAIMS]
        claims = [
            {"text": text, "quotes": [{"node": node, "quote": text}], "calculation": None} for node, text in ranked
        ]
        return {"thought": "", "not_found": not claims, "claims": claims, "value": None, "missing": []}

    def _quotable(self, prompt: str) -> list[tuple[str, str]]:
        """Lines of passages on gold pages that say what the evidence says."""
        return [
            (found["node"], line)
            for found in _PASSAGE.finditer(prompt)
            if int(found["page"]) in self._pages
            for line in found["text"].split("\n")
            if len(_words(line)) >= LEAST_WORDS and self._said(line)
        ]

    def _said(self, line: str) -> bool:
        words = _words(line)
        return sum(word in self._words for word in words) >= LEAST_SHARED * len(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def main() -> None:
    """Ask every question and print the figures."""
    options = arguments()
    rows = [json.loads(line) for line in Path(options.questions).read_text(encoding="utf-8").splitlines()]
    rows = rows[: options.limit]
    corpus = FolderCorpus(Path(options.pdfs), cache=Path(options.cache), names=sorted({r["doc_name"] for r in rows}))
    counts: Counter[str] = Counter()
    records: list[ModelCallRecord] = []
    for row in rows:
        counts.update(measured(row, corpus, records))
    cited = max(1, counts["cited"])
    print(f"{len(rows)} questions: {counts['by model']} answered by the model, {counts['by offline']} offline")
    print(f"citation precision: {counts['on a gold page'] / cited:.3f} ({counts['on a gold page']}/{cited})")
    print(f"questions with every citation on a gold page: {counts['all on gold pages']}/{counts['by model']}")
    print(f"sentences struck out: {counts['unsupported']}; of them counted in the answer: {counts['counted']}")
    print(
        f"calls {len(records)}, tokens {sum(r.tokens_in + r.tokens_out for r in records) / max(1, len(rows)):.0f} a run"
    )


def measured(row: Mapping[str, Any], corpus: FolderCorpus, records: list[ModelCallRecord]) -> Counter[str]:
    """What one run counts for."""
    caller = Caller(GoldModel(row), budget=ModelBudget(calls=40, tokens=60_000), on_call=records.append)
    reasoner = Orchestrator(walking=model_walking(caller, at_once=1))
    document = corpus.id_of(row["doc_name"])
    events = list(reasoner.run(row["question"], corpus.only(document), Limits()))
    done = events[-1]
    assert isinstance(done, CompleteEvent)
    if done.engine != GoldModel.name:
        return Counter({"by offline": 1})
    claims = [event for event in events if isinstance(event, ClaimEvent) and event.state == "checked"]
    struck = [claim for claim in claims if claim.support is Support.UNSUPPORTED]
    pages = {evidence["evidence_page_num"] for evidence in row["evidence"]}
    cited = [citation.page_index for claim in claims if claim not in struck for citation in claim.citations]
    on_gold = sum(page in pages for page in cited)
    return Counter(
        {
            "by model": 1,
            "cited": len(cited),
            "on a gold page": on_gold,
            "all on gold pages": int(bool(cited) and on_gold == len(cited)),
            "unsupported": len(struck),
            "counted": sum(claim.text in done.answer for claim in struck),
        }
    )


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--cache", default="var/benchmarks")
    parser.add_argument("--limit", type=int, default=None)
    return parser.parse_args()


if __name__ == "__main__":
    main()
