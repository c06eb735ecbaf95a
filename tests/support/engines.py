"""Engines for the tests: they tell a prepared story, at a chosen pace, in any process.

`VECTORLESS_ENGINE_FACTORY=tests.support.engines.build_slow` makes a worker use one.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

from vectorless_web.engine.agent.events import CompleteEvent, NodeRef, Outcome, ReasoningEvent, StepEvent, StepKind
from vectorless_web.engine.answers.claims import Check, ClaimEvent, Evidence, Maker, Support, Verdict
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.passages.find import Passage


@dataclass(frozen=True)
class StoryReasoner:
    """Yields the events of a story with a pause before each; notices a stop before each."""

    story: Callable[[str], Sequence[ReasoningEvent]]
    pause: float = 0.0

    def run(self, question, corpus, limits, *, cancelling=lambda: False, conversation=None) -> Iterator[ReasoningEvent]:
        for event in self.story(next((entry.id for entry in corpus.entries()), "1")):
            time.sleep(self.pause)
            if cancelling():
                yield CompleteEvent(Outcome.CANCELLED, "Stopped before it was done.")
                return
            yield event


@dataclass(frozen=True)
class TestEngine:
    __test__ = False
    reasoner: object
    name: str = "offline"
    model: str = ""
    facts: dict = field(default_factory=dict)


def step(number: int, document: str = "1", kind: StepKind = StepKind.RETRIEVE, walk: int = 1) -> StepEvent:
    """A step at a place of its own."""
    ref = NodeRef(document=document, key=number, title=f"Note {number}", page_start=0, page_end=0, role="read")
    return StepEvent(
        walk=walk,
        index=number,
        kind=kind,
        say=f"Read note {number}",
        refs=(ref,),
        documents=(document,),
        latency_ms=3.0,
    )


def claim(
    order: int, state: str = "checked", document: str = "1", text: str = "Revenue was 412 million."
) -> ClaimEvent:
    """A claim with one quote."""
    evidence = Evidence(
        marker=order + 1, document=document, key=1, page_index=0, quote="Revenue was 412 million", check=Check.EXACT
    )
    support = Support.SUPPORTED if state == "checked" else None
    return ClaimEvent(order, text, state, support, (evidence,), maker=Maker.LOOKUP)


def closest(marker: int, document: str = "1", **changes) -> Evidence:
    """A closest passage of three sentences, the second one lit."""
    text = "It was a good year. Revenue was 412 million. Costs fell."
    start = text.index("Revenue")
    values = {"path": ("Report", "Revenue"), "holds": ("revenue",), "lacks": ("penalty",), **changes}
    passage = Passage(document, marker, 0, NodeKind.PARAGRAPH, **_lit(text, start), **values)
    return Evidence(marker, document, marker, 0, passage.lit, passage=passage)


def _lit(text: str, start: int) -> dict:
    end = text.index(".", start) + 1
    return {"text": text, "lit_start": start, "lit_end": end, "start": start, "end": end, "score": 1.0}


def passages_story(document: str) -> list[ReasoningEvent]:
    """What the reasoner tells without a model: where it looked, and what comes closest."""
    shown = (closest(1, document), closest(2, document, rows=(("Year", "Revenue"), ("2024", "412")), lit_row=1))
    return [
        step(0, document, StepKind.ROUTE, walk=0),
        step(1, document),
        complete(Outcome.PASSAGES, passages=shown, unknown_words=("penalty",)),
    ]


def complete(outcome: Outcome = Outcome.ANSWERED, **values) -> CompleteEvent:
    """The end of a story."""
    texts = {"answer": "Revenue was 412 million. [1]", "value": "412 million"} if outcome is Outcome.ANSWERED else {}
    verdict = Verdict.EXACT if outcome is Outcome.ANSWERED else None
    return CompleteEvent(outcome, "It is in the documents.", grounded=True, **{"verdict": verdict, **texts, **values})


def long_story(document: str) -> list[ReasoningEvent]:
    """Route, many steps, two claims drafted and then checked, the end."""
    count = int(os.environ.get("STORY_STEPS", "12"))
    return [
        step(0, document, StepKind.ROUTE, walk=0),
        *(step(number, document) for number in range(count)),
        claim(0, "draft", document),
        claim(1, "draft", document, "It grew by 3 %."),
        claim(0, "checked", document),
        claim(1, "checked", document, "It grew by 3 %."),
        complete(),
    ]


def build_slow(_choice=None, _calls=None) -> TestEngine:
    """The long story, with the pause that STORY_PAUSE says, in seconds."""
    return TestEngine(StoryReasoner(long_story, pause=float(os.environ.get("STORY_PAUSE", "0.1"))))


def build_deaf(_choice=None, _calls=None) -> TestEngine:
    """A story that hangs for a minute and notices no stop."""

    def run(_question, corpus, *_args, **_values) -> Iterator[ReasoningEvent]:
        document = next((entry.id for entry in corpus.entries()), "1")
        yield step(0, document)
        time.sleep(60)
        yield from (step(1, document), complete())

    return TestEngine(SimpleNamespace(run=run))


def build_broken(_choice=None, _calls=None) -> TestEngine:
    """A reasoner with a bug."""

    def run(*_args, **_values) -> Iterator[ReasoningEvent]:
        yield step(0)
        raise RuntimeError("a bug")

    return TestEngine(SimpleNamespace(run=run))


FAULTS: list[Exception] = []
"""What `build_faulty` meets after its second step, one a try, before it tells its story to the end."""


def build_faulty(_choice=None, _calls=None) -> TestEngine:
    """The long story, broken off by each of FAULTS in turn."""

    def run(*args, **values) -> Iterator[ReasoningEvent]:
        for number, event in enumerate(StoryReasoner(long_story).run(*args, **values)):
            if number == 2 and FAULTS:
                raise FAULTS.pop(0)
            yield event

    return TestEngine(SimpleNamespace(run=run))
