"""Carries out the calls of a model's tools over the documents of a run; a wrong call is told with a remedy."""

import json
import re
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vectorless_web.engine.agent.corpus import SecondPass
from vectorless_web.engine.agent.events import NodeRef, PlannedStep, ReasoningEvent, StepKind, StepResult
from vectorless_web.engine.agent.model.calculation import evaluate_ids
from vectorless_web.engine.agent.model.excerpts import (
    Excerpts,
    join_excerpts,
    merge_excerpts,
    stems_of,
    write_excerpts,
    write_nodes,
    write_outline,
)
from vectorless_web.engine.agent.model.prompts import Told
from vectorless_web.engine.agent.model.tables import TABLE_TOKENS, work_table
from vectorless_web.engine.agent.model.tools import Tool
from vectorless_web.engine.agent.model.view import DocumentView, LibraryView, clean_text, count_tokens, shorten_text
from vectorless_web.engine.agent.routing import route_documents
from vectorless_web.engine.agent.search import search_document, search_nodes, take_turns
from vectorless_web.engine.agent.state import CONVERSATION, RunState
from vectorless_web.engine.agent.wording import say_count, say_pages
from vectorless_web.engine.documents.changes import VersionSentence, find_changes
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import ArtefactDamaged, InvalidInput, PictureUnavailable
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.llm.picture import Picture
from vectorless_web.engine.llm.replies import fit_to_schema, problem_with
from vectorless_web.engine.passages.find import list_absent
from vectorless_web.engine.passages.sentences import find_lead_in

READ_TOKENS, SNIPPET_TOKENS, OUTLINE_TOKENS = 1800, 130, 700
"""Most tokens of a reading, of one hit of a search and of an outline. A reading of 1,800 is about three pages; twice as
much pays twice for pages that are mostly not cited, half as much cuts notes in the middle."""
QUOTING, REFUSED = ("table", "calculate"), "That cannot be carried out:"
"""Tools whose refusals quote the document, so that they are told as its text, between fences."""
MOST_HITS = 6
"""New hits that a search shows for all its queries."""
NAMED = 30
"""Tokens of a node that is shown once more; a longer one that stands above already is only named."""
CHANGES_TOKENS = 1500
"""Tokens of the differences that one call shows."""
MOST_SENTENCES = 3000
"""Sentences of each version that are compared, those of about 150 pages; matching takes a second or two for as many."""
FIND_TOKENS, MOST_IN_NODE = 1200, 6
"""Tokens of places that `find` shows, and the most places of one node."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call came to: what the model is told, the pictures it is shown, and the step for the trace."""

    told: Told
    result: StepResult
    pictures: tuple[Picture, ...] = ()


Child = Callable[[str, Sequence[DocumentView], int], Generator[ReasoningEvent, None, ToolOutcome]]
"""Asks one question of several documents, each in a conversation of its own; their rows may take so many tokens."""


class Toolbox:
    """Carries out the calls of one conversation over the documents of a library view."""

    def __init__(
        self,
        state: RunState,
        library: LibraryView,
        tools: Sequence[Tool],
        *,
        walk: int = CONVERSATION,
        ask_each: Child | None = None,
    ) -> None:
        self.state, self.library = state, library
        self.tools = {tool.name: tool for tool in tools if ask_each is not None or tool.name != "for_each"}
        self._walk, self._ask_each = walk, ask_each
        self._made: set[str] = set()
        self._pictures_left = state.settings.pictures
        self.room = READ_TOKENS
        """Tokens that the next call may bring."""
        self.looked: list[NodeRef] = []
        """What was opened or looked at, for the account of a run that found nothing."""

    def carry_out(
        self, name: str, given: Mapping[str, Any], planned: PlannedStep
    ) -> Generator[ReasoningEvent, None, ToolOutcome]:
        """Carry out one call; yields its steps and returns what came of it. What goes wrong is told, never raised."""
        tool = self.tools.get(name)
        kind = tool.kind if tool else StepKind.SYNTHESIZE
        try:
            arguments = self._check_call(name, given, tool)
            if self._ask_each is not None and name == "for_each":
                views = self._find_views(arguments.get("documents"))
                outcome = yield from self._ask_each(arguments["question"], views, self.room)
            else:
                outcome = getattr(self, f"_{name}")(arguments)
        except (ArtefactDamaged, InvalidInput, PictureUnavailable) as error:
            told = Told(REFUSED, error.message) if name in QUOTING else Told(error.message)
            outcome = ToolOutcome(told, StepResult(error.message, {"error": error.message}))
        self.looked += outcome.result.refs
        kept = {str(key)[:40]: value[:2000] if isinstance(value, str) else value for key, value in given.items()}
        planned = replace(planned, action=name, arguments=kept)
        yield self.state.make_step(kind, outcome.result, walk=self._walk, planned=planned)
        return outcome

    def _check_call(self, name: str, said: Mapping[str, Any], tool: Tool | None) -> dict[str, Any]:
        if name == "answer":
            raise InvalidInput("answer has to be called alone.")
        if tool is None:
            raise InvalidInput(f"There is no tool {shorten_text(name, 40)}. Tools are {', '.join(self.tools)}.")
        arguments = fit_to_schema(dict(said), tool.parameters)
        problem = problem_with(arguments, tool.parameters, name)
        given = {} if problem else {key: value for key, value in arguments.items() if value not in ("", [], None)}
        lacking = [key for key in tool.parameters["required"] if key not in given and key != "claims"]
        problem = problem or (f"{name} lacks {lacking[0]}" if lacking else "")
        if problem:
            raise InvalidInput(f"{problem}. Call it as {tool.name}({tool.arguments}).")
        print_of_call = f"{name} {sorted(given.items(), key=str)}"
        if print_of_call in self._made:
            raise InvalidInput("You made this very call before; its result stands above. Ask for something else.")
        self._made.add(print_of_call)
        return given

    def _find_views(self, said: Sequence[str] | None) -> list[DocumentView]:
        if not said:
            return self.library.documents
        return [self._find_view(one) for one in said]

    def _find_view(self, said: object) -> DocumentView:
        """The document named; one that was announced only is opened now."""
        entry = self.library.find_entry(said)
        if entry is None:
            names = ", ".join(view.name for view in self.library.documents)
            named = shorten_text(str(said), 60) or "(none named)"
            raise InvalidInput(f"There is no document {named}. Open are {names}.")
        return self.library.open(entry, self.state.corpus)

    def _find_node(self, said: str) -> tuple[DocumentView, int, str]:
        """Document, node and piece of an id, or of a section's title; InvalidInput when there is none."""
        pointer = self.library.resolve(said)
        if pointer is None or pointer.key < 0:
            if titled := self.library.find_titled(said):
                return (*titled, "")
            named = shorten_text(said, 40)
            raise InvalidInput(f"There is no node {named}; ids look like D1.12 and stand in [brackets].")
        piece = re.search(r"\.(r?\d+)\]?$", said.strip()) if said.count(".") > 1 else None
        return self.library[pointer.document], pointer.key, piece[1] if piece else ""

    def _refs(self, view: DocumentView, keys: Iterable[int], role: str) -> tuple[NodeRef, ...]:
        return self.state.refer(view.id, list(keys)[:40], role)

    @property
    def _most_hits(self) -> int:
        return max(1, min(MOST_HITS, self.room // SNIPPET_TOKENS))

    def _show(self, hits: Sequence[tuple[DocumentView, int]], wanted: frozenset[str]) -> str:
        """Nodes as snippets, which stand before the model from now on."""
        shown = Excerpts()
        for view, key in hits:
            excerpts = write_excerpts(view, key, wanted=wanted, tokens=SNIPPET_TOKENS)
            shown = merge_excerpts(shown, view.id, excerpts)
            self.library.mark_shown(view.id, [excerpt.key for excerpt in excerpts])
        return join_excerpts(list(shown.values()))

    def _search(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        views = self._find_views(arguments.get("documents"))
        queries: list[str] = arguments["queries"]
        plans = [self.state.understand(query) for query in queries]
        wanted = frozenset().union(*(stems_of(query) for query in queries))
        documents = {view.id: view.document for view in views}
        found = [search_nodes(self.state, plan, documents, most=3 * MOST_HITS) for plan in plans]
        hits = [(self.library[name], key) for name, key in take_turns([nodes for nodes, _ in found])]
        new = [hit for hit in hits if not self.library.was_shown(hit[0].id, hit[1])][: self._most_hits]
        known = [hit for hit in hits[:MOST_HITS] if hit not in new]
        text = self._show(new, wanted)
        absent = list_absent(plans, documents)
        told = [f"{len(new)} new {'hit' if len(new) == 1 else 'hits'}."]
        told += [f"Shown before: {', '.join(f'{view.name}.{key}' for view, key in known)}."] if known else []
        told += [f"In none of these documents: {', '.join(absent)}."] if absent else []
        told += self._say_unopened(arguments)
        refs = tuple(ref for view, key in new for ref in self._refs(view, [key], "looked"))
        asked = ", ".join(f"“{shorten_text(query, 60)}”" for query in queries)
        say = f"Searched {say_count(len(views), 'document')} for {asked}: {told[0]}"
        row = {"queries": queries, "hits": [[view.id, key] for view, key in new], "absent": list(absent)}
        row |= {"retrieval": [account for _, account in found]}
        result = StepResult(say, row, refs, documents=tuple(view.id for view in views))
        return ToolOutcome(Told(" ".join(told), text), result)

    def _outline(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        if arguments.get("node"):
            view, start, _ = self._find_node(arguments["node"])
        else:
            view, start = self._find_view(arguments["document"]), 0
        shown = write_outline(view, tokens=OUTLINE_TOKENS, start=start, depth=max(1, arguments.get("depth") or 99))
        name = view.write_path(start) or view.title
        told = f"Sections of {view.name}{f'.{start}' if start else ''}:"
        words = told if shown.text else "It has no sections below it."
        say = f"Listed {say_count(len(shown.keys), 'section')} of {shorten_text(name, 70)}"
        self.library.mark_shown(view.id, shown.keys)
        result = StepResult(say, {"at": start, "sections": list(shown.keys)}, self._refs(view, shown.keys, "looked"))
        return ToolOutcome(Told(words, shown.text), replace(result, documents=(view.id,)))

    def _navigate(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        start = 0
        if arguments.get("from"):
            view, start, _ = self._find_node(arguments["from"])
        else:
            view = self._find_view(arguments["document"])
        goal = arguments["goal"]
        plan = self.state.understand(goal)
        scorer = DocumentScorer(view.document, plan)
        told, result = search_document(
            self.state, view.entry, scorer, start=start, walk=self._walk, caller=self.state.caller
        )
        ranked = [found for found in told.ranked if found.score > 0]
        leaves = dict.fromkeys(leaf for found in ranked for leaf in found.leaves or (found.key,))
        shown = [(view, leaf) for leaf in leaves if view.list_pieces(leaf)]
        text = self._show(shown[: self._most_hits], stems_of(goal))
        entered = [f"entered {view.name}.{found.key}: {found.reason}" for found in ranked[:MOST_HITS]]
        passed = [f"put aside {row.label}: {row.reason}" for row in result.rejected[:MOST_HITS]]
        way = "\n".join(shorten_text(line, 160) for line in (*entered, *passed))
        words = f"Entered {say_count(len(ranked), 'section')}." if entered else "No section speaks of that."
        text = "\n\n".join(filter(None, (way, text)))
        return ToolOutcome(Told(words, text), replace(result, observation={"goal": goal, **result.observation}))

    def _read(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        view, keys, piece = self._choose_reading(arguments)
        if not keys:
            look = "; page_image shows a page as it looks" if self._pictures_left else ""
            raise InvalidInput(f"There is no text there{look}.")
        known = {k for k in keys if (view.id, k) in self.library.whole and view.tree.node(k).token_count > NAMED}
        if known.issuperset(k for k in keys if view.tree.is_leaf(k)):
            behind = next((leaf for leaf in view.list_leaves(0) if leaf > keys[-1]), None)
            going = f'; to go on behind it: read {{"from": "{view.name}.{behind}"}}' if behind else ""
            raise InvalidInput(f"All of that was shown above{going}.")
        shown = write_nodes(view, keys, tokens=min(READ_TOKENS, self.room), start=piece, known=known)
        self.library.mark_shown(view.id, shown.keys, shown.whole)
        nodes = [view.tree.node(k) for k in shown.keys]
        pages = say_pages(min(n.page_start for n in nodes), max(n.page_start for n in nodes))
        call = json.dumps({**arguments, "from": shown.goes_on}, ensure_ascii=False)
        end = "to the end" if arguments.get("from") else "in full"
        running = sum(view.tree.kind(k) is NodeKind.RUNNING for k in range(shown.keys[0], shown.keys[-1]))
        left_out = f" ({say_count(running, 'line')} of page headers and footers left out)" if running else ""
        words = f"cut; to go on: read {call}" if shown.goes_on else f"{end}{left_out}."
        say = f"Read {pages} of {shorten_text(view.title, 70)}"
        row = {"keys": list(shown.keys), "goes_on": shown.goes_on}
        result = StepResult(say, row, self._refs(view, shown.keys, "read"))
        is_node = arguments.get("node") and not arguments.get("pages")
        name = f"[{view.name}.{self._find_node(arguments['node'])[1]}]" if is_node else view.name
        return ToolOutcome(Told(f"{name}, {pages}, {words}", shown.text), result)

    def _choose_reading(self, arguments: Mapping[str, Any]) -> tuple[DocumentView, list[int], str]:
        """The document, what of it is to be read, and the piece of the first node to begin with.

        That are pages, a node with all below it, or a section; of these what stands from a place on, if one is named.
        """
        start, node, piece = arguments.get("from"), arguments.get("node"), ""
        if start or (node and not arguments.get("pages")):
            view, key, piece = self._find_node(start or node or "")
            keys = view.list_readable(key if not start else view.tree.section_of(key))
            named = self._find_node(node) if start and node else None
            keys = view.list_readable(named[1]) if named and not view.tree.is_leaf(named[1]) else keys
        elif arguments.get("pages"):
            view, key, keys = self._find_view(arguments.get("document")), 0, []
        else:
            raise InvalidInput('read needs a node ("D1.12"), or a document and pages ("12-14").')
        if arguments.get("pages"):
            numbers = [int(number) for number in re.findall(r"\d{1,6}", arguments["pages"])][:2]
            if not numbers or not 0 < numbers[0] <= len(view.document.pages):
                raise InvalidInput(f"{view.name} has the pages 1 to {len(view.document.pages)}.")
            keys = view.list_on_pages(numbers[0] - 1, min(numbers[-1], len(view.document.pages)) - 1)
        if start:
            return view, [k for k in keys if k >= key] or view.list_readable(key), piece
        is_announced = bool(keys and find_lead_in(view.tree, keys[0]))
        return view, [view.find_before(keys[0]), *keys] if is_announced else keys, piece

    def _find(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        text, views = arguments["text"], self._find_views(arguments.get("documents"))
        # A space at the end stands for the end of a word.
        found = {view: view.find_literally(text, whole=text[-1].isspace()) for view in views}
        holding = [view for view in views if found[view]]
        words, shown, refs = list[str](), list[str](), list[NodeRef]()
        for view in holding:
            said, lines = self._write_places(view, found[view], min(FIND_TOKENS, self.room) // len(holding))
            words.append(said)
            shown += lines.values()
            refs += self._refs(view, lines, "looked")
        lacking = ", ".join(view.name for view in views if not found[view])
        if lacking:
            words.append(f"“{shorten_text(text, 60)}” stands nowhere in {lacking}; search takes other words too.")
        words += self._say_unopened(arguments)
        places = {view.id: at[:40] for view, at in found.items()}
        count = say_count(sum(map(len, found.values())), "place")
        of = shorten_text(views[0].title, 60) if len(views) == 1 else say_count(len(views), "document")
        say = f"Found “{shorten_text(text, 60)}” at {count} of {of}"
        result = StepResult(say, {"places": places}, tuple(refs), documents=tuple(view.id for view in views))
        return ToolOutcome(Told(" ".join(words), "\n\n".join(shown)), result)

    def _say_unopened(self, arguments: Mapping[str, Any]) -> list[str]:
        """A sentence on the documents that a search of all passed over, since they are not open."""
        left = [] if arguments.get("documents") else self.library.unopened
        return [f"Not open and not searched: {', '.join(left)}."] if left else []

    def _write_places(
        self, view: DocumentView, places: Sequence[tuple[int, int]], tokens: int
    ) -> tuple[str, dict[int, str]]:
        """How often a text stands in a document and where else, and the nodes that are shown, marked so."""
        lines: dict[int, str] = {}
        for key in dict.fromkeys(key for key, _ in places):
            at = [number for place, number in places if place == key and number >= 0]
            # A head that holds the text says nothing without rows.
            at = at or list(range(len(view.list_pieces(key))))
            body = view.write_leaf(key, at[:MOST_IN_NODE]) if view.tree.is_leaf(key) else view.write_heading(key)
            left = len(at) - MOST_IN_NODE
            body += f' ({left} more in it: read {{"node": "{view.name}.{key}"}})' if left > 0 else ""
            lines[key] = f"{view.name} p. {view.tree.node(key).page_start + 1} | {view.write_path(key)}\n{body}"
        # Contents repeat headings, and what is looked for stands behind those.
        contents = {key for key in lines if view.lists_sections(key)}
        keys = self._choose_lines(lines, contents, tokens)
        self.library.mark_shown(view.id, keys)
        words = f"{view.name}: {say_count(len(places), 'place')} in {say_count(len(lines), 'node')}."
        pages = dict.fromkeys(view.tree.node(key).page_start + 1 for key in lines if key not in keys)
        if pages:
            words += f" Shown are those with most words of the question. Others: p. {', '.join(map(str, pages))}."
        return words, {key: lines[key] for key in keys}

    def _choose_lines(self, lines: Mapping[int, str], last: Collection[int], tokens: int) -> list[int]:
        """The keys of the lines that fit, in their order: those that say most of the question's words first.

        Lines of the `last` keys come behind all others.
        """
        asked = stems_of(self.state.question)
        left, kept = tokens, list[int]()
        for key in sorted(lines, key=lambda key: (key in last, -len(asked & stems_of(lines[key])), key)):
            left -= count_tokens(lines[key])
            if kept and left < 0:
                break
            kept.append(key)
        return sorted(kept, key=lambda key: (key in last, key))

    def _table(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        view, key, _ = self._find_node(arguments["node"])
        relation = view.find_relation(key)
        if relation is None:
            raise InvalidInput(f"{view.name}.{key} is no table; read shows it.")
        told, result = work_table(view, relation, arguments, tokens=min(TABLE_TOKENS, self.room))
        self.library.mark_shown(view.id, [key])
        return ToolOutcome(told, replace(result, refs=self._refs(view, [key], "read")))

    def _changes(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        older, newer = self._find_view(arguments["from"]), self._find_view(arguments["to"])
        if older is newer:
            raise InvalidInput("from and to are the same document.")
        told, *shown = compare_documents(self.library, older, newer, arguments.get("part") or "")
        refs: list[NodeRef] = []
        for view, keys in zip((older, newer), shown, strict=True):
            self.library.mark_shown(view.id, keys)
            refs += self._refs(view, dict.fromkeys(keys), "read")
        ids = (older.id, newer.id)
        result = StepResult(f"Compared two documents. {told.words}", {"told": told.words}, tuple(refs), documents=ids)
        return ToolOutcome(told, result)

    def _calculate(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        worked = evaluate_ids(arguments["expression"], self.library)
        rows = [f"{a.id} = {a.write()} ({a.words})" for a in worked.amounts]
        operands = [[a.id, a.words] for a in worked.amounts]
        row = {"expression": worked.expression, "result": worked.result, "operands": operands}
        nodes = dict.fromkeys((a.pointer.document, a.pointer.key) for a in worked.amounts)
        refs = tuple(ref for document, key in nodes for ref in self.state.refer(document, [key], "read"))
        shown = worked.as_calculation({}).expression
        result = StepResult(f"Worked out {shorten_text(shown, 80)} = {worked.result}", row, refs)
        return ToolOutcome(Told(f"= {worked.result}", "\n".join(rows)), result)

    def _page_image(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        view, page = self._find_view(arguments["document"]), arguments["page"]
        if not 0 < page <= len(view.document.pages):
            raise InvalidInput(f"{view.name} has the pages 1 to {len(view.document.pages)}.")
        if self._pictures_left < 1 or not self.state.corpus.has_pictures(view.id):
            raise InvalidInput("No picture can be shown of it; go by its text.")
        picture = self.state.corpus.picture(view.id, page - 1)
        self._pictures_left -= 1
        words = f"The picture of page {page} of {view.name} follows; cite it as {view.name}.p{page}."
        say = f"Looked at page {page} of {shorten_text(view.title, 70)}"
        result = StepResult(say, {"picture": picture.reference()}, documents=(view.id,))
        self.library.mark_shown(view.id, [-page])
        return ToolOutcome(Told(words), result, pictures=(picture,))

    def _route(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        plan = self.state.understand(arguments["query"])
        known = [view.id for view in self.library.documents]
        asked = self.state.understand(self.state.question, expand=False)
        gaps = list_absent([asked], self.library.compiled)
        gave = list(dict.fromkeys(ref.document for ref in self.looked))
        after = SecondPass(known, gaps, gave)
        routed, result = route_documents(self.state, plan, after=after, walk=self._walk)
        texts = []
        for document in routed.documents:
            view = self.library.open(document.entry, self.state.corpus)
            hits = [(view, key) for _, key in search_nodes(self.state, plan, {view.id: view.document}, most=2)[0]]
            reason = shorten_text(document.reason, 90)
            texts.append(f"[{view.name}] {shorten_text(view.title, 90)} | {view.entry.name} | {reason}")
            texts.append(self._show(hits, stems_of(arguments["query"])))
        number = len(routed.documents)
        words = f"Opened {say_count(number, 'other document')}." if number else "No other document speaks of that."
        return ToolOutcome(Told(words, "\n\n".join(filter(None, texts))), result)


def compare_documents(
    library: LibraryView, older: DocumentView, newer: DocumentView, part: str
) -> tuple[Told, list[int], list[int]]:
    """What differs between two documents, or the part of that heading in both, and the nodes shown of each.

    InvalidInput when one has no such part.
    """
    first, second = _list_sentences(older, part), _list_sentences(newer, part)
    changes = find_changes(first[:MOST_SENTENCES], second[:MOST_SENTENCES])
    lines: list[str] = []
    left = CHANGES_TOKENS
    for change in changes:
        before, after = (_write_sentence(library, *side) for side in ((older, change.older), (newer, change.newer)))
        both = f"put otherwise: {before}\n  now: {after}"
        lines.append(both if before and after else f"new: {after}" if after else f"gone: {before}")
        left -= count_tokens(lines[-1])
        if left < 0 and len(lines) > 1:
            lines.pop()
            break
    new, gone = sum(change.older is None for change in changes), sum(change.newer is None for change in changes)
    words = f"From {older.name} to {newer.name}: {len(changes) - new - gone} put otherwise, {new} new, {gone} gone."
    if len(lines) < len(changes):
        words += f" The first {len(lines)} are shown; name a part to see others."
    if max(len(first), len(second)) > MOST_SENTENCES:
        words += f" Only the first {MOST_SENTENCES} sentences of each were compared."
    shown = changes[: len(lines)]
    told = Told(words, "\n".join(lines))
    return told, [c.older.key for c in shown if c.older], [c.newer.key for c in shown if c.newer]


def _list_sentences(view: DocumentView, part: str) -> list[VersionSentence]:
    """The sentences, items and rows of the section of that heading, else the first whose heading holds the words."""
    wanted = clean_text(part).casefold()
    titles = {key: clean_text(view.tree.columns.titles[key]).casefold() for key in view.tree.sections()}
    found = [key for key, title in titles.items() if title == wanted] or [k for k, t in titles.items() if wanted in t]
    if wanted and not found:
        raise InvalidInput(f"{view.name} has no section called {part!r}; outline lists its sections.")
    return [
        VersionSentence(clean_text(piece.text.replace("\t", " | ")), leaf, piece.start, piece.end)
        for leaf in view.list_leaves(found[0] if wanted else 0)
        for piece in view.list_pieces(leaf)
    ]


def _write_sentence(library: LibraryView, view: DocumentView, sentence: VersionSentence | None) -> str:
    return f"[{library.write_id(view.id, sentence.key, sentence.start)}] {sentence.text}" if sentence else ""
