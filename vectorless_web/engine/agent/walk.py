"""The state of a run, what it has done and spent, and of each walk through one document in it."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from vectorless_web.engine.agent.context.reader import WalkReader
from vectorless_web.engine.agent.context.vector_lane import VectorLane
from vectorless_web.engine.agent.corpus import DocumentEntry, PagePictures, Selected
from vectorless_web.engine.agent.events import Checked, NodeRef, Rejected, StepEvent
from vectorless_web.engine.agent.limits import FURTHER, Cancelling, Deadline, Late, Limits, Place
from vectorless_web.engine.agent.planner import PictureOffer, PlannedStep, ToolResult, WalkBudget, WalkContext
from vectorless_web.engine.answers.claims import (
    AnswerDraft,
    ClaimEvent,
    Confidence,
    DraftQuote,
    Evidence,
    Fact,
    PackedNode,
)
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.errors import Cancelled, LimitReached
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.needs import figure_needs, is_free
from vectorless_web.engine.llm.embedding import NearnessLane
from vectorless_web.engine.llm.model import Message, Usage
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.passages.context import Reading as TextReading
from vectorless_web.engine.passages.extraction import CHANGES, places_asked
from vectorless_web.engine.passages.passage import Part, Passage
from vectorless_web.engine.questions.formulas.request import Request, request_of
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.questions.parts import read_parts
from vectorless_web.engine.questions.plan import FigureNeed, QueryPlan
from vectorless_web.engine.ranking.finder import Candidate, Finder
from vectorless_web.engine.relations.reading import Reading
from vectorless_web.engine.relations.rows import RowsRead
from vectorless_web.engine.retrieval import NodeAddress

STEP_COST = 5000
"""Tokens that a turn of a model takes, prompt and reply; at half of it long walks leave nothing for the answer."""

ANSWER_FACTOR = 1.5
"""Tokens that the answer's call is held to take, for each token of its context."""

LEAST_POINTED = 0.45
"""Least share of the question that a sentence says, with its headings, whose reference is worth following."""

FEW_TABLES, MOST_TABLES = 20, 40
"""Tables that are all brought to a question about figures; of more at most so many, the best that hold a word of it.
Measured on filings, which have up to 300: 30 bring the same answers as all of them, in a sixth less time."""

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
    opened: dict[int, int] = field(default_factory=dict)
    """Nodes that steps brought, each with the index of the step that brought it first: all that may be copied from."""
    read: list[int] = field(default_factory=list)
    compared: set[int] = field(default_factory=set)
    """Tables that were read as relations."""
    facts: list[Fact] = field(default_factory=list)
    packed: list[PackedNode] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    checked: list[Checked] = field(default_factory=list)
    followed: set[int] = field(default_factory=set)
    idle: set[str] = field(default_factory=set)
    """Actions that would have changed nothing, so that they were not taken."""
    led: dict[int, Part] = field(default_factory=dict)
    """Leaves to which a reference led, each with the sentence that says nothing but that."""
    _pointers: dict[int, list[tuple[str, int, float]]] = field(default_factory=dict)
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
    def sections(self) -> int:
        """How many sections the document has."""
        return sum(1 for _ in self.document.tree.sections())

    @cached_property
    def reader(self) -> WalkReader:
        """The document as a model is shown it."""
        return WalkReader(self.entry, self.finder, self.summaries)

    @cached_property
    def request(self) -> Request | None:
        """What the question asks of tables."""
        return request_of(self.plan)

    @cached_property
    def tables(self) -> tuple[int, ...]:
        """The tables likeliest to state what is asked, in reading order."""
        tree = self.document.tree
        keys = [key for key in tree.leaves() if tree.kind(key) is NodeKind.TABLE]
        if len(keys) <= FEW_TABLES:
            return tuple(keys)
        best = sorted((-round(fit, 9), key) for key, fit in self.finder.fits(keys).items() if fit > 0)
        asked = set(self.reader.asked).intersection(keys)
        return tuple(sorted({*asked, *(key for _, key in best[:MOST_TABLES])}))

    @cached_property
    def parts(self) -> Mapping[str, "Walk"]:
        """Of a question that puts several together a walk for each of them, by its words, through the same nodes.

        What is read for a part is kept there; none for a question that asks one thing.
        """
        return {part.words: self._turn_to(part.plan) for part in read_parts(self.plan, self.finder.lexicon)}

    def _turn_to(self, plan: QueryPlan) -> "Walk":
        lane = self.nearness.narrow() if self.nearness is not None else None
        finder = Finder(self.document, plan, lexicon=self.finder.lexicon)
        new: dict[str, Any] = {"facts": [], "read": [], "checked": [], "compared": set(), "_pointers": {}}
        return replace(self, plan=plan, finder=finder, nearness=lane, **new)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The nodes in which documents say what is asked for, whatever their words."""
        return tuple(places_asked(self.finder, self.text_reader))

    @cached_property
    def text_reader(self) -> TextReading:
        """The document's sentences in their context, all of them: what belongs to a node is brought along with it."""
        return TextReading(self.document.tree)

    def open(self, keys: Iterable[int]) -> list[int]:
        """Note that the step under way brings these nodes; those that no step had brought before."""
        new = [key for key in dict.fromkeys(keys) if key not in self.opened]
        self.opened.update(dict.fromkeys(new, len(self.steps)))
        return new

    def open_with_context(self, keys: Iterable[int]) -> list[int]:
        """The same with what belongs to them: a list's lead-in and items, an exception, a clause referred to."""
        leaves = list(dict.fromkeys(keys))
        return self.open([*leaves, *(other for key in leaves for other in self.text_reader.reach(key))])

    def context(self) -> WalkContext:
        """What a planner may know now."""
        return WalkContext(
            plan=self.plan,
            document=self.entry,
            sections=self.sections,
            position=self.position,
            steps=tuple(self.steps),
            queue=tuple(candidate for candidate in self.queue if candidate.key not in self.read),
            read=tuple(self.read),
            facts=tuple(self.facts),
            rejected=tuple(f"{rejected.label}: {rejected.reason}" for rejected in self.rejected),
            gaps=self.gaps(),
            references=self.pointers(),
            passages=tuple(self.packed),
            known=self.known,
            tables=self._list_uncompared(),
            unopened_tables=sum(key not in self.opened for key in self.tables),
            places=tuple(key for key in self.places if key not in self.opened),
            idle=frozenset(self.idle),
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
        if any(isinstance(fact, Passage) and fact.place == CHANGES for fact in self.facts):
            return ()
        needs = figure_needs(self.plan)
        if needs and not is_free(self.plan):
            found = {fact.need for fact in self.facts if isinstance(fact, Figure)}
            lacking = (need for index, need in enumerate(needs) if index not in found and not need.optional)
            return tuple(_need_words(need) for need in lacking)
        is_told = any(not isinstance(fact, Passage) or fact.suffices for fact in self.facts)
        return () if is_told and not self._only_refers() else (self.plan.focus,)

    def _only_refers(self) -> bool:
        """Whether the passage that says most only names the place of the answer, which nobody went to yet."""
        passages = [fact for fact in self.facts if isinstance(fact, Passage)]
        best = max(passages, key=lambda passage: passage.said, default=None)
        return best is not None and best.refers > 0 and best.refers not in self.followed

    def references(self) -> tuple[tuple[str, int], ...]:
        """References made in the nodes read and not followed yet: the words and the target's key."""
        tree = self.document.tree
        found: list[tuple[str, int]] = []
        for key in self.read:
            text = tree.node(key).text
            for reference in tree.references(key):
                if reference.target not in self.followed:
                    found.append((text[reference.offset : reference.offset + reference.length], reference.target))
        return tuple(dict.fromkeys(found))

    def pointers(self) -> tuple[tuple[str, int], ...]:
        """The references whose sentence speaks of the question, the one that says most of it first.

        There are none while nothing is missing.
        """
        found: dict[int, tuple[float, str]] = {}
        for key in self.read if self.gaps() else ():
            for words, target, said in self._list_pointers(key):
                if target not in self.followed and said > found.get(target, (LEAST_POINTED, ""))[0]:
                    found[target] = (said, words)
        return tuple((words, target) for target, (_, words) in sorted(found.items(), key=lambda row: -row[1][0]))

    def _list_pointers(self, key: int) -> list[tuple[str, int, float]]:
        """The references of a node: their words, their target, and how much of the question their sentence says."""
        if key not in self._pointers:
            tree, told = self.document.tree, list[tuple[str, int, float]]()
            text, path = tree.node(key).text, " ".join(tree.path(key))
            for reference in tree.references(key) if tree.kind(key) is not NodeKind.TABLE else ():
                sentence = self._sentence_at(key, reference.offset)
                said = self.finder.coverage(sentence.quote, path) if sentence else 0.0
                words = text[reference.offset : reference.offset + reference.length]
                told.append((words, reference.target, round(said, 9)))
            self._pointers[key] = told
        return self._pointers[key]

    def find_pointer(self, target: int) -> Part | None:
        """The first sentence read that refers to a node."""
        tree = self.document.tree
        for key in self.read:
            for reference in tree.references(key):
                if reference.target == target:
                    return self._sentence_at(key, reference.offset)
        return None

    def _sentence_at(self, key: int, offset: int) -> Part | None:
        pieces = (piece for piece in self.text_reader.pieces(key) if piece.start <= offset < piece.end)
        page = self.document.tree.node(key).page_start
        return next((Part(key, page, piece.text, piece.start) for piece in pieces), None)

    def _list_uncompared(self) -> tuple[int, ...]:
        """Tables that steps brought for what is asked of tables, and that were not compared with it yet."""
        tree = self.document.tree
        led = (key for key in self.led if self.tables and tree.kind(key) is NodeKind.TABLE)
        wanted = sorted({*self.tables, *led})
        return tuple(key for key in wanted if key in self.opened and key not in self.compared)

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


@dataclass(frozen=True, slots=True)
class Lead:
    """A sentence that was read, the name it gives, and what is asked of the documents of that name (`targets`).

    `title` is of the document that says it. `before` are the sentences that led to that document, first to last.
    """

    quote: DraftQuote
    page_index: int
    title: str
    name: str
    plan: QueryPlan
    targets: tuple[str, ...]
    before: tuple[DraftQuote, ...] = ()
    is_place: bool = False
    """Whether the sentence only points to the place of the answer."""

    @property
    def chain(self) -> tuple[DraftQuote, ...]:
        """All sentences that lead from the question to where it is asked."""
        return (*self.before, self.quote)


@dataclass
class RunState:
    """The state of a run. Only the orchestrator's own thread changes it."""

    limits: Limits
    clock: Callable[[], float]
    cancelling: Cancelling
    engine: str
    spent: Callable[[], Usage]
    lexicon: Lexicon | None = None
    expand: bool = True
    """Whether documents' other wordings were looked for too."""
    walks: list[Walk] = field(default_factory=list)
    passed_over: list[Selected] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """Titles, by id, of documents that could not be opened because their compiled file is damaged."""
    claims: list[ClaimEvent] = field(default_factory=list)
    draft: AnswerDraft = field(default_factory=AnswerDraft)
    passages: tuple[Evidence, ...] = ()
    """What comes nearest to the question, when a model found no answer or none of its sentences holds."""
    taken_over: bool = False
    """Whether the offline reasoner answers because no call of the model brought anything in the whole run."""
    struck: int = 0
    """Sentences of a model that do not hold and that it did not withdraw."""
    unwritten: str = ""
    """Why the model that was to answer wrote no answer; "" when it did."""
    confidence: Confidence | None = None
    read_as: str = ""
    """A follow-up as it was completed; "" for a question that stands by itself."""
    each: QueryPlan | None = None
    """What is asked of every document by itself, when the question wants one answer of each."""
    unread: tuple[str, ...] = ()
    """Titles of documents that such a question is about, too, and that were not opened."""
    leads: list[Lead] = field(default_factory=list)
    """What documents said that took the question on to others, in the order followed."""
    is_rerouted: bool = False
    """Whether documents were looked for by what a model's answer lacked."""
    known: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Nodes read by the run before in the thread, by document."""
    steps: int = 0
    outside: int = 0
    started: float = 0.0
    late: Collection[Late] | None = None
    """Of a replay: where time was up in the run that is replayed."""

    def __post_init__(self) -> None:
        self.started = self.clock()
        self.deadline = Deadline(self.clock, self.limits.wall_seconds, told=self.late)

    def seconds(self) -> float:
        """Seconds since the run began."""
        return self.clock() - self.started

    def stop_if_asked(self) -> None:
        """Cancelled when somebody asked for it."""
        if self.cancelling():
            raise Cancelled("The run was stopped.")

    def checkpoint(self) -> None:
        """Before every step of walks that go one after the other: Cancelled when asked to, LimitReached without steps.

        Time is asked for by each walk itself.
        """
        self.stop_if_asked()
        if self.steps >= self.limits.max_run_steps:
            raise LimitReached(f"The run has taken its {self.limits.max_run_steps} steps.", limit="steps")

    def may_go_on(self, place: Place = FURTHER) -> bool:
        """Whether steps and time are left, asked at a place of the run of its own."""
        return self.steps < self.limits.max_run_steps and not self.deadline.is_up(place)

    def tokens_left(self) -> int:
        """Tokens of models that the run has left."""
        spent = self.spent()
        return self.limits.model_tokens - spent.tokens_in - spent.tokens_out

    def allowance(self, walks: int) -> int:
        """Steps that each of so many walks side by side may take.

        Shared out beforehand: what one walk may do must not depend on how fast another is.
        """
        return max(1, min(self.limits.max_steps, (self.limits.max_run_steps - self.steps) // max(1, walks)))

    def count_step(self, step: StepEvent) -> StepEvent:
        """Count a finished step; one outside a walk gets its index."""
        if step.walk == 0:
            step = replace(step, index=self.outside)
            self.outside += 1
        else:
            self.steps += 1
        return step

    def gaps(self) -> tuple[str, ...]:
        """What no walk has found yet: figures needed, else the question itself while there is no fact at all."""
        if not self.walks:
            return ()
        missing = [set(walk.gaps()) for walk in self.walks]
        return tuple(gap for gap in self.walks[0].gaps() if all(gap in gaps for gaps in missing))

    def list_fruitful_documents(self) -> tuple[str, ...]:
        """Documents that brought evidence."""
        return tuple(walk.entry.id for walk in self.walks if walk.facts)

    def list_checked(self) -> tuple[Checked, ...]:
        """Sections that were looked at and did not answer, in the order of the walks."""
        return tuple(checked for walk in self.walks for checked in walk.checked)
