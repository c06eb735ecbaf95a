"""The one entry to the agent: a question, a corpus and limits in, events out."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from vectorless_web.engine.agent.conversation import Conversation
from vectorless_web.engine.agent.corpus import Corpus
from vectorless_web.engine.agent.events import ReasoningEvent
from vectorless_web.engine.agent.limits import Cancelling, Late, Limits
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.llm.embedding import Embedder
from vectorless_web.engine.questions.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Settings:
    """How a workspace or an ask wants the four systems to work; every field has a door in the product.

    `pilot`: balanced, high_quality, low_cost or algorithm_only. `strategy`: beam, greedy or mcts. `route_mode`: fast,
    balanced or precise. `fusion`: rrf, weighted_rrf or convex. `verify`: whether the second, independent call is made.
    `pictures`: pages that a model may look at. `context`: tokens that the model takes at once, 0 when unknown.
    `native_tools`: whether the model's self-test found native function calls.
    """

    pilot: str = "balanced"
    strategy: str = "beam"
    route_mode: str = "balanced"
    fusion: str = "rrf"
    verify: bool = True
    expand: bool = True
    pictures: int = 0
    context: int = 0
    native_tools: bool = False


def never_stop() -> bool:
    """Nobody asked the run to stop."""
    return False


class Reasoner:
    """Answers questions. Without a `caller` it works offline and shows evidence.

    `verifier` makes the second, independent call; None uses `caller`. `clock` gives seconds and may be a fake. A replay
    gives `late`, where time was up in the run it repeats, and is held up by no clock. `embedder` is the owner's embedding
    model, with which documents that have vectors are searched by meaning too.
    """

    def __init__(
        self,
        *,
        caller: Caller | None = None,
        verifier: Caller | None = None,
        settings: Settings = Settings(),  # noqa: B008 - frozen
        lexicon: Lexicon | None = None,
        clock: Callable[[], float] = time.monotonic,
        late: Collection[Late] | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.caller = caller
        self.verifier = verifier or caller
        self.settings = settings
        self.lexicon = lexicon
        self.clock = clock
        self.late = late
        self.embedder = embedder

    def run(
        self,
        question: str,
        corpus: Corpus,
        limits: Limits,
        *,
        cancelling: Cancelling = never_stop,
        conversation: Conversation = Conversation(),  # noqa: B008 - frozen
    ) -> Iterator[ReasoningEvent]:
        """Events of one run; the last is always a CompleteEvent with a stated outcome.

        Errors of the engine become the outcome `failed`; errors of the code are raised.
        """
        raise NotImplementedError
        yield
