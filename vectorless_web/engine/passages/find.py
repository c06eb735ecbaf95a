"""The passages that come closest to a question, in words and by vectors, best first, their best sentences lit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind, Row, Table
from vectorless_web.engine.documents.vectors import NodeVectors, clip_to_tokens
from vectorless_web.engine.errors import ArtefactDamaged, ModelError
from vectorless_web.engine.finding.ranking.ranker import RankedDocument, profile_of, rank_all
from vectorless_web.engine.index.scoring import Floats
from vectorless_web.engine.llm.embedding import RecordedEmbedder
from vectorless_web.engine.passages.sentences import (
    Candidate,
    Piece,
    collect_candidates,
    cut_node,
    find_lead_in,
    find_row,
    read_asked,
    score_candidates,
)
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import analyse, is_telling


@dataclass(frozen=True, slots=True)
class Passage:
    """A node that comes close to the question, shown whole.

    `text` is what is shown; of it the characters `lit_start` to `lit_end` (of `text`) are the best sentence, list item
    or table row. `start` and `end` are the same in the node's own text, which the highlight on the page needs. Of a
    table, `rows` are the rows shown as cells, the first one the column names; `lit_row` is the index of the lit one.
    `lead_in` announces a list. `path` are the headings above, outermost first. `holds` and `lacks` are words of the
    question, as asked, that the passage (with what is above it) says and does not say. `score` orders passages.
    """

    document: str
    key: int
    page_index: int
    kind: NodeKind
    path: tuple[str, ...]
    text: str
    lit_start: int
    lit_end: int
    start: int
    end: int
    score: float
    rows: tuple[tuple[str, ...], ...] = ()
    lit_row: int = -1
    lead_in: str = ""
    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    @property
    def lit(self) -> str:
        """The best sentence, list item or row, verbatim."""
        return self.text[self.lit_start : self.lit_end]


ROWS_SHOWN = 6
"""Body rows shown of a table, the best; its column names stand above them."""
LONGEST_SHOWN = 1800
"""Characters shown of a node, about 300 words; a longer one is cut at pieces around the lit one."""
Gate = Callable[[str, int], bool]
"""Whether a node, by its document's id and its key, may be found."""
_SAME = 0.9
"""Share of the words of two passages together, from which the later one says nothing new and is left out."""


def find_passages(
    plan: QueryPlan,
    documents: Mapping[str, CompiledDocument],
    *,
    most: int = 10,
    near: Mapping[str, Mapping[int, float]] | None = None,
    gate: Gate | None = None,
) -> tuple[Passage, ...]:
    """The passages that come closest to the question, at most `most`, best first.

    `documents` are the opened documents by their ids; words are weighed by their rarity in all of them. `near` are
    cosines of leaves that an embedding model found near, by document and key, which are looked at though they share no
    word with the question. What the `gate` refuses is left out before anything is cut off. Passages that say nearly the
    same are given once.
    """
    opened = list(documents.values())
    if not opened or not plan.terms:
        return ()
    ranked = rank_all(opened, plan)
    if near:
        ranked = tuple(_lift_near(one, near.get(name, {})) for name, one in zip(documents, ranked, strict=True))
    if gate is not None:
        ranked = tuple(_keep_admitted(one, name, gate) for name, one in zip(documents, ranked, strict=True))
    candidates = collect_candidates(ranked)
    scores = score_candidates(candidates, ranked, read_asked(ranked, plan))
    if near:
        ids = list(documents)
        cosines = [near.get(ids[each.place], {}).get(each.node.key, 0.0) for each in candidates]
        scores = lift_scores(scores, np.array(cosines), [(each.place, each.row) for each in candidates])
    by_node: dict[tuple[int, int], list[tuple[float, Candidate]]] = {}
    for score, candidate in zip(scores.tolist(), candidates, strict=True):
        by_node.setdefault((candidate.place, candidate.row), []).append((score, candidate))
    order = sorted(by_node, key=lambda place: -max(score for score, _ in by_node[place]))
    ids, asked, found = list(documents), words_of(plan), []
    seen: list[frozenset[str]] = []
    for place in order:
        passage = _show_node(ids[place[0]], opened[place[0]], by_node[place], asked)
        said = frozenset(analyse(passage.text))
        if any(_is_same(said, other) for other in seen):
            continue
        seen.append(said)
        found.append(passage)
        if len(found) == most:
            break
    return tuple(found)


NUDGE = 1e-6
"""What puts a lifted passage before one of the same score: small beside any difference that means something."""


def lift_scores(scores: Floats, cosines: Floats, nodes: Sequence[tuple[int, int]]) -> Floats:
    """Scores of which those of the n-th nearest node in meaning are no lower than those of the n-th best by words.

    `nodes` names each score's node. Within a lifted node its own scores still order its sentences.
    """
    best = sorted(_best_of_nodes(scores, nodes).values(), reverse=True)
    nearest = {node: cosine for node, cosine in _best_of_nodes(cosines, nodes).items() if cosine > 0}
    order = sorted(nearest, key=lambda node: (-nearest[node], node))
    least = {node: best[place] + NUDGE for place, node in enumerate(order)}
    own = _best_of_nodes(scores, nodes)
    lifts = [max(0.0, least[node] - own[node]) if node in least else 0.0 for node in nodes]
    return np.add(scores, np.array(lifts, dtype=np.float64), dtype=np.float64)


def _best_of_nodes(values: Floats, nodes: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    best: dict[tuple[int, int], float] = {}
    for node, value in zip(nodes, values.tolist(), strict=True):
        best[node] = max(value, best.get(node, value))
    return best


def _lift_near(one: RankedDocument, cosines: Mapping[int, float]) -> RankedDocument:
    """The document with the rows of near leaves scored no lower than their cosines."""
    rows = [cosines.get(key, 0.0) for key in one.profile.keys]
    return replace(one, rows=np.maximum(one.rows, rows)) if cosines else one


def _keep_admitted(one: RankedDocument, name: str, gate: Gate) -> RankedDocument:
    """The document with the rows of refused nodes scored 0."""
    rows = [
        score if score > 0 and gate(name, key) else 0.0
        for score, key in zip(one.rows.tolist(), one.profile.keys, strict=True)
    ]
    return replace(one, rows=np.array(rows, dtype=np.float64))


def show_leaf(plan: QueryPlan, document_id: str, document: CompiledDocument, key: int, score: float) -> Passage | None:
    """A leaf that was found by other means as a passage, its first piece lit; None where there is nothing to show."""
    node = document.tree.node(key)
    pieces = cut_node(node) if document.tree.is_leaf(key) else []
    if not pieces:
        return None
    return _show_node(document_id, document, [(score, Candidate(0, 0, node, pieces[0]))], words_of(plan))


def shorten_passage(plan: QueryPlan, passage: Passage, document: CompiledDocument, longest: int) -> Passage:
    """The passage with at most `longest` characters around its lit piece, which stays whole; a table keeps its rows."""
    if passage.rows or len(passage.text) <= longest:
        return passage
    node, lit = document.tree.node(passage.key), Piece(passage.lit, passage.start, passage.end)
    found = [(passage.score, Candidate(0, 0, node, lit))]
    return _show_node(passage.document, document, found, words_of(plan), longest)


def _is_same(said: frozenset[str], other: frozenset[str]) -> bool:
    return len(said & other) >= _SAME * max(1, len(said | other))


_CONTENT = frozenset({"content", "period", "entity", "lexicon", "statement", "operation"})
"""Roles of the words that a passage is looked through for; the others only ask, or chose the document."""


def words_of(plan: QueryPlan) -> dict[str, tuple[str, ...]]:
    """The question's content words, as asked, each once, with their terms."""
    found: dict[str, tuple[str, ...]] = {}
    for token in plan.tokens:
        if token.term and token.role in _CONTENT:
            found[token.text] = tuple(dict.fromkeys([*found.get(token.text, ()), token.term]))
    return found


LEAST_BEGINNING = 4
"""Letters that words of one stem have in common at least, in most languages; with two thirds of a longer word."""


def list_absent(plans: Iterable[QueryPlan], documents: Mapping[str, CompiledDocument]) -> tuple[str, ...]:
    """Words of questions, as written, that neither texts nor titles of these documents hold, nor one that begins alike.

    Words that tell nothing by themselves are passed over.
    """
    segments = [profile_of(document).segment for document in documents.values()]
    titles = {term for document in documents.values() for term in analyse(document.title)}

    def stands(term: str) -> bool:
        return term in titles or any(segment.document_frequency(term) for segment in segments)

    absent: dict[str, None] = {}
    for plan in plans:
        unknown = [word for word, terms in words_of(plan).items() if is_telling(word) and not any(map(stands, terms))]
        absent |= dict.fromkeys(plan.drop_function_words(unknown))
    beginnings = {w: [t[: max(LEAST_BEGINNING, -(-2 * len(t) // 3))] for t in analyse(w)] for w in absent}
    held = {w for w, some in beginnings.items() if any(s.has_beginning(one) for one in some for s in segments)}
    return tuple(word for word in absent if word not in held)


def _show_node(
    document_id: str,
    document: CompiledDocument,
    scored: Sequence[tuple[float, Candidate]],
    asked: Mapping[str, tuple[str, ...]],
    longest: int = LONGEST_SHOWN,
) -> Passage:
    """A node as a reader is shown it: whole, or the best part of it, with its best piece lit."""
    score, best = max(scored, key=lambda each: (each[0], -each[1].piece.start))
    node, tree = best.node, document.tree
    lead_in, path = find_lead_in(tree, node.key), tuple(tree.path(node.key))
    if node.table is not None and node.table.body:
        text, lit_start, rows, lit_row = _show_table(node.table, node.text, scored, best)
    else:
        text, lit_start = _show_text(node, best.piece, longest)
        rows, lit_row = (), -1
    headers = [column.header for column in node.table.columns] if node.table is not None else []
    said = frozenset(analyse("\n".join([text, lead_in, *path, *headers])))
    holds = {word: any(term in said for term in terms) for word, terms in asked.items()}
    row = find_row(node, best.piece.start)
    return Passage(
        document=document_id,
        key=node.key,
        page_index=row.page_index if row is not None else page_of(document, best),
        kind=node.kind,
        path=path,
        text=text,
        lit_start=lit_start,
        lit_end=lit_start + len(best.piece.text),
        start=best.piece.start,
        end=best.piece.end,
        score=round(score, 6),
        rows=rows,
        lit_row=lit_row,
        lead_in=lead_in,
        holds=tuple(word for word, is_held in holds.items() if is_held),
        lacks=tuple(word for word, is_held in holds.items() if not is_held),
    )


def page_of(document: CompiledDocument, candidate: Candidate) -> int:
    """The page (from 0) on which a candidate's piece begins."""
    spans = document.locate(candidate.node.key, candidate.piece.start, candidate.piece.end)
    return spans[0].page_index if spans else candidate.node.page_start


def _show_table(
    table: Table, text: str, scored: Sequence[tuple[float, Candidate]], best: Candidate
) -> tuple[str, int, tuple[tuple[str, ...], ...], int]:
    """The best rows in their order below the column names: as text, where the lit one begins in it, and as cells."""
    order = sorted(scored, key=lambda each: (-each[0], each[1].piece.start))[:ROWS_SHOWN]
    starts = {candidate.piece.start for _, candidate in order}
    chosen = _choose_rows(table, starts)
    lines = [text[row.offset : row.offset + row.length] for row in chosen]
    header = tuple(" ".join(column.path) for column in table.columns)
    lit_row = next(i for i, row in enumerate(chosen) if row.offset <= best.piece.start < row.offset + row.length)
    head = "\t".join(header)
    before = "".join(f"{line}\n" for line in ([head] if any(header) else []) + lines[:lit_row])
    inset = best.piece.start - chosen[lit_row].offset
    whole = "\n".join(([head] if any(header) else []) + lines)
    rows = (header, *(tuple(cell.text for cell in row.cells) for row in chosen))
    return whole, len(before) + inset, rows, lit_row + 1


def _choose_rows(table: Table, starts: AbstractSet[int]) -> list[Row]:
    """The rows that begin at these places, each under the row in the middle of the table that names its columns."""
    chosen: list[Row] = []
    head: Row | None = None
    body = {row.offset for row in table.body}
    first = min(body, default=0)
    for row in table.rows:
        if row.is_header or row.offset not in body:
            head = row if row.offset > first else None
        elif any(row.offset <= start < row.offset + max(row.length, 1) for start in starts):
            chosen += [head, row] if head else [row]
            head = None
    return chosen


def _show_text(node: Node, lit: Piece, longest: int) -> tuple[str, int]:
    """A node's text, cut to whole pieces around the lit ones where it is long, and where the lit ones begin in it."""
    if len(node.text) <= longest:
        return node.text, lit.start
    pieces = cut_node(node)
    first = next(number for number, piece in enumerate(pieces) if piece.end > lit.start)
    last = next(number for number, piece in enumerate(pieces) if piece.end >= lit.end)
    while True:
        longer = [
            (low, high)
            for low, high in ((first, last + 1), (first - 1, last))
            if low >= 0 and high < len(pieces) and pieces[high].end - pieces[low].start <= longest
        ]
        if not longer:
            return node.text[pieces[first].start : pieces[last].end], lit.start - pieces[first].start
        first, last = longer[0]


NO_VECTORS = "A document has not been embedded, so it was searched by its words and structure alone."
OTHER_LENGTH = "The stored vectors are of another length than the question's, so the vector lane was left out."
STANDING_OUT = 0.5
"""How far from the median cosine of a document's leaves to the best one a leaf must lie to count as near. Taken over
from the second edition, where it was chosen on its questions."""
MOST_TOKENS = 2000
"""Estimated tokens of a question that are embedded; small servers take no more."""


@dataclass(frozen=True, slots=True)
class NearLeaves:
    """Cosines of the leaves that stand out, by document and key, and what a step tells of the lane (`account`)."""

    cosines: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    account: Mapping[str, Any] = field(default_factory=dict)

    def as_observation(self) -> dict[str, Any]:
        """The account under `vectors`; nothing where the run has no embedding model."""
        return {"vectors": dict(self.account)} if self.account else {}


class NearnessSearch:
    """Finds near leaves with one embedding model; `vectors_of` gives a document's vectors, or None.

    Each text is embedded once, and a call that failed is not made again.
    """

    def __init__(self, embedder: RecordedEmbedder, vectors_of: Callable[[str], NodeVectors | None]) -> None:
        self._embedder, self._vectors_of = embedder, vectors_of
        self._embedded: dict[str, tuple[Sequence[float], str]] = {}

    def find(self, text: str, documents: Sequence[str]) -> NearLeaves:
        """The leaves of these documents nearest to a text; where there are none, a `note` of the account says why."""
        held = {name: vectors for name in documents if (vectors := self._open_vectors(name)) is not None}
        told: dict[str, Any] = {"model": self._embedder.name}
        note = NO_VECTORS if len(held) < len(documents) else ""
        cosines: dict[str, dict[int, float]] = {}
        if held:
            asked, problem = self._embed(text)
            told["nodes"] = sum(len(vectors.keys) for vectors in held.values())
            fitting = {name: one for name, one in held.items() if not problem and one.dimensions == len(asked)}
            cosines = {name: _measure_near(vectors, asked) for name, vectors in fitting.items()}
            note = problem or (OTHER_LENGTH if len(fitting) < len(held) else note)
        return NearLeaves(cosines, told | ({"note": note} if note else {}))

    def _open_vectors(self, document: str) -> NodeVectors | None:
        """Vectors of that document by this model; those that cannot be read count as none."""
        try:
            vectors = self._vectors_of(document)
        except ArtefactDamaged:
            return None
        return vectors if vectors is not None and vectors.keys and vectors.model == self._embedder.name else None

    def _embed(self, text: str) -> tuple[Sequence[float], str]:
        if text not in self._embedded:
            try:
                embedded = self._embedder.embed([clip_to_tokens(text, MOST_TOKENS)])
                self._embedded[text] = (embedded.vectors[0].tolist(), "")
            except ModelError as error:
                self._embedded[text] = ((), f"The vector lane was left out. {error.message}")
        return self._embedded[text]


def _measure_near(vectors: NodeVectors, asked: Sequence[float]) -> dict[int, float]:
    """Cosines, above 0, of the leaves that stand out from the others of their document."""
    vector = np.array(asked, dtype=np.float64)
    cosines = vectors.rows @ (vector / (np.linalg.norm(vector) or 1.0))
    median = float(np.median(cosines))
    least = max(median + STANDING_OUT * (float(cosines.max()) - median), 0.0)
    near = zip(vectors.keys, cosines.tolist(), strict=True)
    return {key: round(value, 6) for key, value in near if value >= least and value > 0}
