"""The state of one walk through one document, and what planners are shown of it."""

from dataclasses import dataclass, field
from functools import cached_property

from vectorless_web.engine.agent.context.outline import outline_text
from vectorless_web.engine.agent.context.vector_lane import VectorLane
from vectorless_web.engine.agent.corpus import DocumentEntry
from vectorless_web.engine.agent.events import Checked, NodeRef, Rejected, StepEvent, StepKind
from vectorless_web.engine.agent.limits import Deadline, Limits, Place
from vectorless_web.engine.agent.planner import WalkBudget, WalkContext
from vectorless_web.engine.answers.claims import Fact, PackedNode
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.needs import figure_needs, is_free
from vectorless_web.engine.questions.plan import FigureNeed, QueryPlan
from vectorless_web.engine.ranking.finder import Candidate, Finder
from vectorless_web.engine.retrieval import NodeAddress
from vectorless_web.engine.retrieval.packing import SUMMARY_CAP, clip

OUTLINE_TOKENS = 900
"""Size of the tree summary a planner is shown."""

STEP_COST = 3000
"""Tokens that a step planned by a model takes, prompt and reply."""

ANSWER_FACTOR = 1.5
"""Tokens that the answer's call is held to take, for each token of its context."""

BEGINNINGS = frozenset({"reuse", "opening", "sweep"})
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
    lane: VectorLane | None = None
    """Compares the question with the document's vectors; None when the run has no embedding model."""

    @cached_property
    def outline(self) -> str:
        """The tree summary that planners are shown; it does not change while walking."""
        return outline_text(self.document.tree, self.finder.best_below, max_tokens=OUTLINE_TOKENS)

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
            ),
        )

    @property
    def calls_left(self) -> int:
        """Steps that a model may still plan: a fixed share of what the run's tokens leave beside its answer.

        Shared out beforehand, so that no walk depends on how fast another is.
        """
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
        needs = figure_needs(self.plan)
        if needs and not is_free(self.plan):
            found = {fact.need for fact in self.facts if isinstance(fact, Figure)}
            return tuple(_need_words(need) for index, need in enumerate(needs) if index not in found)
        return () if self.facts else (self.plan.focus,)

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
        """The node as a prompt shows it, its text cut where the Retriever cuts it."""
        tree = self.document.tree
        node = tree.node(key)
        path = (self.entry.title or self.entry.name, *tree.path(key))
        return PackedNode(self.entry.id, key, node.page_start, node.kind, path, clip(node.text, SUMMARY_CAP))

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
