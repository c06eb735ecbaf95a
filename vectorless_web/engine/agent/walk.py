"""The state of one walk through one document, and what planners are shown of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from vectorless_web.engine.agent.context.outline import outline_text
from vectorless_web.engine.agent.context.reader import WalkReader
from vectorless_web.engine.agent.context.vector_lane import VectorLane
from vectorless_web.engine.agent.corpus import DocumentEntry, PagePictures
from vectorless_web.engine.agent.events import Checked, NodeRef, Rejected, StepEvent, StepKind
from vectorless_web.engine.agent.limits import Deadline, Limits, Place
from vectorless_web.engine.agent.planner import PictureOffer, PlannedStep, ToolResult, WalkBudget, WalkContext
from vectorless_web.engine.answers.claims import AnswerDraft, Fact, PackedNode
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.needs import figure_needs, is_free
from vectorless_web.engine.llm.model import Message
from vectorless_web.engine.llm.nearness import NearnessLane
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.passages.passage import Passage
from vectorless_web.engine.questions.plan import FigureNeed, QueryPlan
from vectorless_web.engine.ranking.finder import Candidate, Finder
from vectorless_web.engine.relations.reading import Reading
from vectorless_web.engine.relations.rows import RowsRead
from vectorless_web.engine.retrieval import NodeAddress

OUTLINE_TOKENS = 900
"""Size of the tree summary a planner is shown."""

STEP_COST = 5000
"""Tokens that a turn of a model takes, prompt and reply; at half of it long walks leave nothing for the answer."""

ANSWER_FACTOR = 1.5
"""Tokens that the answer's call is held to take, for each token of its context."""

BEGINNINGS = frozenset({"reuse", "opening", "sweep", "whole"})
"""Actions of the first steps, which no model plans."""


@dataclass
class Walk:
    """One document being walked. Handlers change it; planners see `context()` only."""

    number: int
    plan: QueryPlan
    entry: DocumentEntry
    document: CompiledDocument
    limits: Limits
    finder: Finder
    deadline: Deadline
    turn: tuple[int, int] = (0, 1)
    """Its place among the walks that were chosen together, from 0, and how many they are."""
    foreign: tuple[str, ...] = ()
    is_about: bool = True
    """Whether its text speaks of one of these all the same: enough for words, not for figures, which have an owner."""
    """Names of the question, when the document is not about any of them: evidence must name one itself."""
    known: tuple[int, ...] = ()
    """Nodes that the run before in the thread read."""
    position: int = 0
    steps: list[StepEvent] = field(default_factory=list)
    queue: list[Candidate] = field(default_factory=list)
    structure: list[Candidate] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    packed: list[PackedNode] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    checked: list[Checked] = field(default_factory=list)
    followed: set[int] = field(default_factory=set)
    tokens_used: int = 0
    pending: list[PlannedStep] = field(default_factory=list)
    """Steps that the model planned in its last turn and that are still to be taken."""
    dialogue: tuple[Message, ...] = ()
    """The conversation with the model, up to its last reply."""
    results: list[ToolResult] = field(default_factory=list)
    """What was done since the model's last reply."""
    noted: list[int] = field(default_factory=list)
    """Nodes that hold the facts which the model chose to keep."""
    draft: AnswerDraft | None = None
    """The answer that the model ended the walk with."""
    is_whole: bool = False
    """Whether the whole document was read."""
    summaries: Mapping[int, str] = field(default_factory=dict)
    """One-line summaries of sections that a model wrote beforehand."""
    pictures: PagePictures | None = None
    """Draws the document's pages; None for a model that reads no images and for a document without drawn pages."""
    most_pictures: int = 0
    """Pages that may be looked at as pictures."""
    seen: list[Picture] = field(default_factory=list)
    """Pages that were drawn for the model."""
    shown: set[tuple[str, int]] = field(default_factory=set)
    """Those of them, as (document, page index), that stood in a conversation to which the model replied."""
    lane: VectorLane | None = None
    """Compares the question with the document's vectors; None when the run has no embedding model."""
    nearness: NearnessLane | None = None
    """Measures how near sentences come to the question in meaning; None without a local model."""

    @cached_property
    def outline(self) -> str:
        """The tree summary that planners are shown; it does not change while walking."""
        return outline_text(self.document.tree, self.finder.best_below, max_tokens=OUTLINE_TOKENS)

    @cached_property
    def reader(self) -> WalkReader:
        """The document as a model is shown it."""
        return WalkReader(self.entry, self.finder, self.summaries)

    def context(self) -> WalkContext:
        """What a planner may know now."""
        return WalkContext(
            plan=self.plan,
            document=self.entry,
            outline=self.outline,
            position=self.position,
            steps=tuple(self.steps),
            queue=tuple(candidate for candidate in self.queue if candidate.key not in self.read),
            read=tuple(self.read),
            facts=tuple(self.facts),
            rejected=tuple(f"{rejected.label}: {rejected.reason}" for rejected in self.rejected),
            gaps=self.gaps(),
            references=self.references(),
            passages=tuple(self.packed),
            known=self.known,
            budget=WalkBudget(
                self.steps_left,
                max(0, self.limits.token_budget - self.tokens_used),
                self.deadline.seconds_left(),
                calls=self.calls_left,
                answer=self.limits.token_budget,
                model_tokens=self.limits.model_tokens // self.turn[1] - sum(step.tokens for step in self.steps),
            ),
            walks=self.turn[1],
            dialogue=self.dialogue,
            results=tuple(self.results),
            reader=self.reader,
            pictures=self._offer_pictures(),
        )

    def _offer_pictures(self) -> PictureOffer | None:
        if self.pictures is None:
            return None
        return PictureOffer(max(0, self.most_pictures - len(self.seen)), self.document.report.empty_pages)

    @property
    def calls_left(self) -> int:
        """Turns that a model may still take: a fixed share of what the run's tokens leave beside its answer.

        Shared out beforehand, so that no walk depends on how fast another is. A walk that is alone
        ends with the answer itself, and the tokens it has left decide.
        """
        if self.turn[1] == 1:
            return self.steps_left
        left = self.limits.model_tokens - self.limits.token_budget * ANSWER_FACTOR
        allowed = max(1, int(left / STEP_COST / self.turn[1]))
        return allowed - sum(step.action not in BEGINNINGS for step in self.steps)

    @property
    def steps_left(self) -> int:
        """Steps this walk may still take."""
        return self.limits.max_steps - len(self.steps)

    def address(self, key: int) -> NodeAddress:
        """The address of a node among those of all walks.

        Written out it is counted among the tokens, so the walk's number stands for the document: a
        primary key may be longer, and longer ones would leave room for less.
        """
        return NodeAddress(self.number, key)

    @property
    def place(self) -> Place:
        """Where the walk is: its number and the index of the next step."""
        return Place(self.number, len(self.steps))

    @property
    def is_late(self) -> bool:
        """Whether there is no time for another step."""
        return self.deadline.is_up(self.place)

    def gaps(self) -> tuple[str, ...]:
        """What the question still lacks: figures without a value, else a passage that answers."""
        if any(isinstance(fact, Reading | RowsRead) for fact in self.facts):
            return ()
        needs = figure_needs(self.plan)
        if needs and not is_free(self.plan):
            found = {fact.need for fact in self.facts if isinstance(fact, Figure)}
            lacking = (need for index, need in enumerate(needs) if index not in found and not need.optional)
            return tuple(_need_words(need) for need in lacking)
        is_told = any(not isinstance(fact, Passage) or fact.suffices for fact in self.facts)
        return () if is_told else (self.plan.focus,)

    def references(self) -> tuple[tuple[str, int], ...]:
        """References made in the nodes read and not followed yet: the words and the target's key."""
        tree = self.document.tree
        found: list[tuple[str, int]] = []
        for key in self.read:
            text = tree.node(key).text
            for reference in tree.references(key):
                if reference.target not in self.followed and reference.target not in self.read:
                    found.append((text[reference.offset : reference.offset + reference.length], reference.target))
        return tuple(dict.fromkeys(found))

    def count_taken(self, kind: StepKind) -> int:
        """How many steps of that kind the walk has taken."""
        return sum(step.kind is kind for step in self.steps)

    def ref(self, key: int, role: str = "walked") -> NodeRef:
        """A reference to a node of this document, for events."""
        return node_ref(self.entry.id, self.document.tree.node(key), self.title_of(key), role)

    def packed_node(self, key: int) -> PackedNode:
        """The node as a prompt shows it."""
        return self.reader.packed_node(key)

    def title_of(self, key: int) -> str:
        """What a reader calls the node: its title, else the title of the section it stands in."""
        tree = self.document.tree
        title = tree.node(key).title
        return title or (tree.path(key) or [self.entry.title])[-1]


def node_ref(document: str, node: Node, title: str, role: str) -> NodeRef:
    """A NodeRef with the node's pages."""
    return NodeRef(document, node.key, title, node.page_start, node.page_end, role)


def _need_words(need: FigureNeed) -> str:
    period = f" for {need.period.text or need.period.year}" if need.period else ""
    return f"{need.concept}{period}"
