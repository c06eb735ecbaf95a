"""The one entry to the agent: a question, a corpus and limits in, events out."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from vectorless_web.engine.agent.corpus import Corpus
from vectorless_web.engine.agent.events import Outcome, ReasoningEvent, StepKind
from vectorless_web.engine.agent.limits import Cancelling, Limits
from vectorless_web.engine.agent.loop import converse
from vectorless_web.engine.agent.offline import run_offline
from vectorless_web.engine.agent.routing import Routed, route_documents
from vectorless_web.engine.agent.state import OUTSIDE_WALK, Conversation, Means, RunState, Settings
from vectorless_web.engine.agent.wording import join_names, shorten_title
from vectorless_web.engine.answers.quotes import Quotes
from vectorless_web.engine.errors import ArtefactDamaged, Cancelled, EngineError, InvalidInput
from vectorless_web.engine.questions.plan import check_question, drop_terms, merge_plans, strip_steering

__all__ = ["Reasoner", "Settings"]


@dataclass(kw_only=True, eq=False)
class Reasoner(Means):
    """Answers questions. Without a `caller` it works offline and shows evidence."""

    def run(
        self,
        question: str,
        corpus: Corpus,
        limits: Limits,
        *,
        cancelling: Cancelling = lambda: False,
        conversation: Conversation = Conversation(),  # noqa: B008 - frozen
    ) -> Iterator[ReasoningEvent]:
        """Events of one run; the last is always a CompleteEvent with a stated outcome.

        Errors of the engine become the outcome `failed`; errors of the code are raised.
        """
        means = {part.name: getattr(self, part.name) for part in fields(Means)}
        asked = " ".join(question.split())
        state = RunState(asked, corpus, limits, conversation=conversation, cancelling=cancelling, **means)
        try:
            yield from _answer(state)
        except Cancelled:
            quotes = Quotes(state.corpus.open)
            found = tuple(quotes.cite_passage(passage) for passage in state.found)
            yield state.make_end(Outcome.CANCELLED, "Stopped before it was done.", passages=found)
        except EngineError as error:
            yield state.make_end(Outcome.FAILED, error.message, error_code=error.code, retryable=error.retryable)


def _answer(state: RunState) -> Iterator[ReasoningEvent]:
    state.stop_if_asked()
    check_question(state.question)
    if not state.corpus.size:
        raise InvalidInput("There is no document to read. Add one, then ask again.", code="no_documents")
    plan = state.understand(state.question)
    # A follow-up may lean on the question before: the router looks for its words too.
    earlier = [state.understand(row.question) for row in state.conversation.exchanges[-1:]]
    routed, result = route_documents(state, merge_plans(plan, earlier))
    yield state.make_step(StepKind.ROUTE, result, walk=OUTSIDE_WALK)
    if routed.left_out and not routed.documents:
        raise _explain_left_out(routed)
    # What chose the documents ("the latest 10-K") need not stand in their text.
    left = drop_terms(strip_steering(plan), routed.steering)
    plan = left if left.terms else plan
    if state.caller is None:
        yield from run_offline(state, plan, routed)
    else:
        yield from converse(state, plan, routed)


def _explain_left_out(routed: Routed) -> ArtefactDamaged:
    """Why there is nothing to read: every document that is about the question is being repaired."""
    titles = [shorten_title(document.entry.called) for document in routed.left_out]
    verb = "is" if len(titles) == 1 else "are"
    error = ArtefactDamaged(
        f"{join_names(titles)} {verb} being read again and cannot be asked now. Ask again in a moment."
    )
    error.retryable = True
    return error
