"""The rows made from a compiled document: headings, card, figures, and the router's rows, compacted now and then."""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from vectorless_web.documents.background import are_summaries_on, enrich_cards
from vectorless_web.documents.models import (
    Card,
    Document,
    DocumentVersion,
    Edge,
    Section,
    SectionSummaries,
    SnapshotRow,
    SnapshotState,
    WaitingWords,
    WordBlock,
)
from vectorless_web.documents.services.starters import answered_questions
from vectorless_web.documents.storage.files import (
    UNREADABLE,
    Stored,
    check_reachable,
    delete_stored,
    open_version,
    peek_at_version,
    store_bytes,
)
from vectorless_web.documents.storage.snapshots import current, open_block, snapshot_of
from vectorless_web.engine.documents.artefact import ENGINE_VERSION, CompiledDocument
from vectorless_web.engine.documents.card import Card as DocumentCard
from vectorless_web.engine.documents.card import card_from, dump_json
from vectorless_web.engine.documents.vectors import leaf_texts
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.finding.routing import card_row as routing_row
from vectorless_web.engine.finding.routing import links_for
from vectorless_web.engine.finding.routing.editions import read_edition, read_head
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.index.word_blocks import (
    BLOCK_DOCUMENTS,
    LAYOUT,
    block_of,
    encode_words,
    sketch_words,
    spread_words,
)
from vectorless_web.engine.index.word_blocks import WordBlock as Words
from vectorless_web.engine.llm.model import HeuristicEstimator
from vectorless_web.engine.text.analyser import ANALYSER
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.outages import StorageAway
from vectorless_web.infra.queues import jobs

STARTERS = 4
"""Questions to begin with that are kept of a document."""


def section_rows(version: DocumentVersion, document: CompiledDocument) -> Iterator[Section]:
    """One unsaved row for each heading, in reading order."""
    tree = document.tree
    for position, key in enumerate(tree.sections()):
        node = tree.node(key)
        yield Section(
            version=version,
            key=key,
            parent_key=node.parent,
            position=position,
            subtree_end=node.subtree_end,
            depth=node.depth,
            title=clean_for_database(node.title, 500),
            page_start=node.page_start,
            page_end=node.page_end,
            token_count=node.token_count,
        )


def starters_of(document: CompiledDocument) -> list[str]:
    """The first few questions on its figures and sections that the document answers without a model."""
    return list(islice(answered_questions(document), STARTERS))


def card_row(version: DocumentVersion, card: DocumentCard, starters: Sequence[str] = ()) -> Card:
    """The unsaved row of a document card; `data` is what `engine.documents.card.card_from` reads.

    `starters` are questions that the document was seen to answer: they alone are offered to readers.
    """
    data = _without_nulls(json.loads(dump_json(asdict(card))))
    return Card(
        version=version,
        title=data["title"][:TITLE_MAX],
        overview=data["overview"],
        topic_tags=data["topic_tags"],
        question_hints=[clean_for_database(question, TITLE_MAX) for question in starters],
        data=data,
    )


def version_facts(document: CompiledDocument, *, seconds: float, peak_mb: float) -> dict[str, Any]:
    """The fields of a version that its compiled document decides, the tree report among them."""
    report = document.report
    return {
        "engine_version": ENGINE_VERSION,
        "mime": document.media_type,
        "pages": report.pages,
        "coverage": report.coverage,
        "outline_source": report.outline_source,
        "report": {
            "depth": report.depth,
            "nodes": len(document.tree),
            "sections": report.sections,
            "leaves": report.leaves,
            "tables": report.tables,
            "widest": report.widest,
            "pages_without_text": list(report.empty_pages),
            "unread": list(report.unread_pages),
            "unread_because": report.because,
            "awaits_recognition": report.lacking,
            "late": report.late,
            "recognised": list(report.recognised),
            "warnings": list(report.warnings),
            "verdict": report.verdict,
            "seconds": seconds,
            "peak_mb": peak_mb,
            "embedding": embedding_size(document),
        },
    }


def embedding_size(document: CompiledDocument) -> dict[str, int]:
    """How many passages a document has for an embedding model, and of how many tokens, estimated."""
    estimate = HeuristicEstimator().estimate
    sizes = [estimate(leaf.text) for leaf in leaf_texts(document)]
    return {"passages": len(sizes), "tokens": sum(sizes)}


def clean_for_database(text: str, length: int | None = None) -> str:
    """Text as a database takes it: no null characters, at most `length` characters."""
    return text.replace("\0", "")[:length]


def _without_nulls(value: Any) -> Any:
    """The JSON value without the null characters that damaged PDFs contain: PostgreSQL's jsonb refuses them."""
    match value:
        case str():
            return clean_for_database(value)
        case dict():
            return {clean_for_database(key): _without_nulls(item) for key, item in value.items()}
        case list():
            return [_without_nulls(item) for item in value]
        case _:
            return value


logger = logging.getLogger(__name__)

COMPACT_AFTER = 2_000
"""Changes after which a new file is written."""
ROWS = f"3:{ANALYSER}"
"""Names what rows hold and how they are linked; rows of another name are written again."""
BLOCK_AFTER = 64
"""Lists of words that wait, from which they are put into blocks. Each process that searches reads those that wait: 64
of 150 pages are 4.6 MB. Half of it rewrites blocks twice as often."""
REFRESH_AT_ONCE = 50
"""Documents whose rows are written in one transaction. Half of it lays changes over the snapshot twice as often; twice
of it keeps other writers waiting twice as long, 0.4 s."""
LINK_AGAIN_AT = frozenset(2**power for power in range(3, 11))
"""Numbers of documents, 8 to 1,024, at which all links of a workspace are found anew: what was rare among its first
documents may be common now. Each document is linked twice on average. Beyond, shares hardly change."""

Link = tuple[int, float, list[str]]
"""Document id, weight, shared keywords."""


@dataclass(frozen=True, slots=True)
class Linked:
    """A card with its links to the documents that are there already, and the words of its document."""

    card: DocumentCard
    links: Sequence[Link] = ()
    words: bytes = b""
    """What `engine.index.word_blocks.encode_words` gave; empty leaves those that are stored."""
    head: str = ""
    """The beginning of the document, in which its edition is looked for."""


def link_card(document: Document, compiled: CompiledDocument) -> Linked:
    """The card with its links, found in the workspace's newest snapshot; outside of any transaction that writes."""
    card = compiled.card
    return Linked(card, _find_links(document, card), list_words(compiled), read_head(compiled))


def _find_links(document: Document, card: DocumentCard) -> list[Link]:
    return links_for(card, snapshot_of(document.workspace_id), doc_id=document.pk, keywords=document.tags)


def list_words(compiled: CompiledDocument) -> bytes:
    """The words of a compiled document as the workspace keeps them."""
    return encode_words(spread_words(Segment(compiled.segment)))


def show_to_router(document: Document, card: Linked) -> None:
    """Write the document's row, words and links; in the transaction that makes it readable."""
    show_many(document.workspace_id, {document: card})
    _write_edges(document, card.links)
    shown = SnapshotRow.objects.filter(workspace=document.workspace_id).exclude(data=b"")
    if shown.values("pk")[: max(LINK_AGAIN_AT) + 1].count() in LINK_AGAIN_AT:
        shown.update(analyser="")  # The next pass of `refresh_rows` writes them anew.


def show_many(workspace_id: int, cards: Mapping[Document, Linked]) -> None:
    """Write rows and words of several documents of a workspace, with the links that are given."""
    rows = {document.pk: _encode_card(document, card) for document, card in cards.items()}
    _write(workspace_id, rows, words={document.pk: card.words for document, card in cards.items() if card.words})


def hide_from_router(document: Document) -> None:
    """Write that the document is gone; in the transaction that hides it."""
    if SnapshotRow.objects.filter(workspace=document.workspace_id, document=document.pk).exclude(data=b"").exists():
        _write(document.workspace_id, {document.pk: b""})


def show_again(documents: Iterable[Document]) -> None:
    """Write the rows of documents whose title or tags have changed, or that came back; others are let be."""
    _write_shown(_read_again(documents))


def _read_again(documents: Iterable[Document], *, link: bool = False) -> dict[Document, Linked]:
    """Those of the documents that can be read, with what the router is shown of them.

    With `link` their links are found anew, which nobody may ask who has written cards in this transaction.
    """
    rows = list(_select_readable_documents().filter(pk__in=[document.pk for document in documents]))
    kept = SnapshotRow.objects.filter(document__in=[row.pk for row in rows], words_layout=LAYOUT)
    known = set(kept.values_list("document", flat=True))
    found: dict[Document, Linked] = {}
    for row in rows:
        words = b"" if row.pk in known else _read_words(row)
        compiled = peek_at_version(row.current_version) if row.current_version else None
        card = _card_of(row)
        links = _find_links(row, card) if link else _stored_links(row)
        found[row] = Linked(card, links, words, read_head(compiled) if compiled else "")
    return found


def _write_shown(found: Mapping[Document, Linked]) -> None:
    by_workspace: dict[int, dict[Document, Linked]] = {}
    for row, shown in found.items():
        by_workspace.setdefault(row.workspace_id, {})[row] = shown
    for workspace_id, cards in by_workspace.items():
        show_many(workspace_id, cards)


@transaction.atomic
def _write_refreshed(found: Mapping[Document, Linked]) -> set[int]:
    """Write the rows and links of those of these documents that are still what was read; which.

    All reading is done by now: SQLite lets nobody else write meanwhile.
    """
    rows = _select_readable_documents().filter(pk__in=[row.pk for row in found]).order_by("pk")
    facts = attrgetter("pk", "title", "tags", "name", "current_version_id")
    here = [facts(row) for row in rows.select_for_update(of=("self",))]
    same = {row: shown for row, shown in found.items() if facts(row) in here}
    _write_shown(same)
    for row, shown in same.items():
        _write_edges(row, shown.links)
    return {row.pk for row in same}


def _read_words(document: Document) -> bytes:
    """The words of the compiled file; none when it cannot be read, since its repair writes them.

    Empty while the storage is away: `refresh_rows` writes them later.
    """
    assert document.current_version is not None
    try:
        return list_words(open_version(document.current_version))
    except ArtefactDamaged:
        return encode_words({})
    except StorageAway:
        return b""


def refresh_rows() -> int:
    """Write the rows and words that are missing, lost or of another analyser, portion by portion; how many."""
    _forget_lost_blocks()
    kept = SnapshotRow.objects.filter(analyser=ROWS, words_layout=LAYOUT).values("document")
    written = 0
    while stale := list(_select_readable_documents().exclude(pk__in=kept).order_by("pk")[:REFRESH_AT_ONCE]):
        done = _write_refreshed(_read_again(stale, link=True))
        written += len(done)
        if stale[0].pk in done and not SnapshotRow.objects.filter(document=stale[0].pk, words_layout=LAYOUT).exists():
            break  # The storage is away; the next pass goes on.
    return written


def renew_summarised_rows(workspace_id: int) -> None:
    """Have the rows of documents with summaries written anew by the next pass: they are shown now, or no longer."""
    summarised = SectionSummaries.objects.filter(status=SectionSummaries.Status.READY)
    documents = summarised.values("version__document")
    SnapshotRow.objects.filter(workspace=workspace_id, document__in=documents).exclude(data=b"").update(analyser="")


def compact_overdue() -> int:
    """Queue the compaction of workspaces whose job was lost; how many."""
    overdue = SnapshotState.objects.filter(number__gte=F("base_number") + COMPACT_AFTER)
    waiting = WaitingWords.objects.order_by().values("workspace").annotate(lists=Count("pk"))
    wanted = [_snapshot_job(state) for state in overdue]
    wanted += [_words_job(row["workspace"]) for row in waiting if row["lists"] >= BLOCK_AFTER]
    lost = [job for job in wanted if not jobs.exists(job.id, queue="documents")]
    for job in lost:
        job.enqueue()
    return len(lost)


def compact_words(workspace_id: int) -> None:
    """Put the words that wait into the blocks of their documents; a second delivery finds nothing to do."""
    waiting = WaitingWords.objects.filter(workspace=workspace_id).order_by("pk")
    by_block: dict[int, list[tuple[int, int]]] = {}
    for pk, document in waiting.values_list("pk", "document"):
        by_block.setdefault(block_of(document), []).append((pk, document))
    for number, found in by_block.items():
        _rewrite_block(workspace_id, number, [pk for pk, _ in found])


def _rewrite_block(workspace_id: int, number: int, waiting: Sequence[int]) -> None:
    """Store the block with these lists in it, without documents that are gone, in the place of the old one."""
    held = WordBlock.objects.filter(workspace=workspace_id, number=number).first()
    rows = WaitingWords.objects.filter(pk__in=waiting).order_by("pk").values_list("document", "data")
    lists: dict[int, bytes | None] = {document: bytes(data) for document, data in rows}
    try:
        block = open_block(held.file, held.sha256) if held else Words.empty()
    except UNREADABLE:
        return  # `refresh_rows` makes its words again.
    span = range(number * BLOCK_DOCUMENTS, (number + 1) * BLOCK_DOCUMENTS)
    shown = SnapshotRow.objects.filter(workspace=workspace_id, words_layout=LAYOUT).exclude(data=b"")
    here = set(shown.filter(document__range=(span[0], span[-1])).values_list("document", flat=True))
    lists |= dict.fromkeys({*block.ids.tolist(), *lists} - here)
    stored = store_bytes(block.with_lists(lists), f"words/{workspace_id}/{number}")
    if not _replace_block(workspace_id, number, held, stored, waiting):
        delete_stored(stored.name)


@transaction.atomic
def _replace_block(
    workspace_id: int, number: int, held: WordBlock | None, stored: Stored, waiting: Sequence[int]
) -> bool:
    """Name the new file unless another process was quicker; the lists that are in it wait no longer."""
    SnapshotState.objects.filter(workspace=workspace_id).update(words_number=F("words_number") + 1)
    here = WordBlock.objects.filter(workspace=workspace_id, number=number)
    if held is None:
        if here.exists():
            return False
        WordBlock.objects.create(workspace_id=workspace_id, number=number, file=stored.name, sha256=stored.sha256)
    elif not here.filter(file=held.file).update(file=stored.name, sha256=stored.sha256):
        return False
    WaitingWords.objects.filter(pk__in=waiting).delete()
    if held is not None:
        transaction.on_commit(lambda: delete_stored(held.file))
    return True


def _forget_lost_blocks() -> None:
    """Drop blocks that cannot be read, so that the words of their documents are made again."""
    for held in WordBlock.objects.all():
        try:
            open_block(held.file, held.sha256)
        except StorageAway:
            return  # It says nothing about any file.
        except UNREADABLE as error:
            check_reachable()
            logger.warning("the words of %s are made again: %s", held, error)
            first = held.number * BLOCK_DOCUMENTS
            rows = SnapshotRow.objects.filter(workspace=held.workspace_id, document__gte=first)
            rows.filter(document__lt=first + BLOCK_DOCUMENTS).update(words_layout="")
            held.delete()
            SnapshotState.objects.filter(workspace=held.workspace_id).update(words_number=F("words_number") + 1)
            delete_stored(held.file)


def compact_snapshot(workspace_id: int) -> None:
    """Write a file of all cards and let it take the old one's place; a second delivery changes nothing."""
    kept = current(workspace_id)
    state = SnapshotState.objects.filter(workspace=workspace_id, lineage=kept.lineage).first()
    if state is None or state.base_number >= kept.number:
        return
    stored = store_bytes(kept.snapshot.compact_rows(), f"snapshots/{state.lineage}/{kept.number}")
    if not _replace_file(state, kept.number, stored):
        delete_stored(stored.name)


@transaction.atomic
def _replace_file(state: SnapshotState, number: int, stored: Stored) -> bool:
    replaced = SnapshotState.objects.filter(pk=state.pk, base_number=state.base_number).update(
        base_number=number, file=stored.name, sha256=stored.sha256
    )
    if replaced:
        # Those of before the last file: a process may still be reading the rows after it.
        rows = SnapshotRow.objects.filter(workspace=state.workspace_id, number__lte=state.base_number)
        rows.filter(data=b"").delete()
        transaction.on_commit(lambda: delete_stored(state.file))
    return bool(replaced)


def _write(workspace_id: int, encoded: Mapping[int, bytes], *, words: Mapping[int, bytes] | None = None) -> None:
    """Give each row the next number, and keep the words given. Whoever else writes waits until this transaction ends.

    A row without words keeps those it has; one without data loses them.
    """
    given = words or {}
    SnapshotState.objects.get_or_create(workspace_id=workspace_id)
    SnapshotState.objects.filter(workspace=workspace_id).update(
        number=F("number") + len(encoded), words_number=F("words_number") + len(given)
    )
    state = SnapshotState.objects.get(workspace=workspace_id)
    first = state.number - len(encoded) + 1
    rows = [
        SnapshotRow(
            workspace_id=workspace_id,
            document=pk,
            number=number,
            data=data,
            analyser=ROWS,
            words_layout=LAYOUT if pk in given else "",
            sketch=sketch_words(given[pk]) if pk in given else b"",
        )
        for number, (pk, data) in enumerate(encoded.items(), start=first)
    ]
    _store_rows([row for row in rows if row.data and row.document not in given], ["number", "data", "analyser"])
    told = [row for row in rows if not row.data or row.document in given]
    _store_rows(told, ["number", "data", "analyser", "words_layout", "sketch"])
    if given:
        WaitingWords.objects.filter(workspace=workspace_id, document__in=given).delete()
        WaitingWords.objects.bulk_create(
            WaitingWords(workspace_id=workspace_id, document=pk, data=data) for pk, data in given.items()
        )
        if WaitingWords.objects.filter(workspace=workspace_id).count() >= BLOCK_AFTER:
            _words_job(workspace_id).enqueue()
    if state.number - state.base_number >= COMPACT_AFTER:
        _snapshot_job(state).enqueue()


def _store_rows(rows: Sequence[SnapshotRow], changed: Sequence[str]) -> None:
    SnapshotRow.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["workspace", "document"], update_fields=changed
    )


@dataclass(frozen=True, slots=True)
class _Compaction:
    """A job that compacts what a workspace keeps."""

    act: str
    workspace_id: int
    id: str

    def enqueue(self) -> None:
        jobs.enqueue(f"vectorless_web.documents.jobs.{self.act}", self.workspace_id, queue="documents", job_id=self.id)


def _words_job(workspace_id: int) -> _Compaction:
    return _Compaction("compact_words", workspace_id, f"words-{workspace_id}")


def _snapshot_job(state: SnapshotState) -> _Compaction:
    return _Compaction("compact_snapshot", state.workspace_id, f"snapshot-{state.pk}-{state.base_number}")


def _select_readable_documents() -> QuerySet[Document]:
    rows = Document.objects.filter(deleted_at=None, current_version__status=DocumentVersion.Status.READY)
    return rows.filter(~Q(current_version__card=None)).select_related("current_version__card")


def _card_of(document: Document) -> DocumentCard:
    """The card, with what a model wrote of its sections where the workspace has switched that on."""
    stored: Card = document.current_version.card  # type: ignore[union-attr]
    card = card_from(stored.data)
    if not are_summaries_on(document.workspace_id):
        return card
    return enrich_cards({stored.version_id: card})[stored.version_id]


def _encode_card(document: Document, card: Linked) -> bytes:
    titled = replace(card.card, title=document.title)
    edges = [(other, weight) for other, weight, _ in card.links]
    edition = read_edition(title=document.title, name=document.name, card=titled, head=card.head)
    return routing_row(document.pk, titled, document.tags, name=document.name, edges=edges, edition=edition)


def _stored_links(document: Document) -> list[Link]:
    rows = Edge.objects.filter(source=document).values_list("target", "weight", "keywords")
    return [(target, weight, keywords) for target, weight, keywords in rows]


def _write_edges(document: Document, links: Sequence[Link]) -> None:
    Edge.objects.filter(source=document).delete()
    here = set(Document.objects.filter(pk__in=[target for target, _, _ in links]).values_list("pk", flat=True))
    Edge.objects.bulk_create(
        Edge(source=document, target_id=target, weight=weight, keywords=keywords)
        for target, weight, keywords in links
        if target in here
    )
