"""The router's rows of documents: written with what changes a document, compacted now and then."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F, Q, QuerySet

from vectorless_web.documents.models import Card as StoredCard
from vectorless_web.documents.models import Document, DocumentVersion, Edge, SnapshotRow, SnapshotState
from vectorless_web.documents.storage.files import delete_stored, stream_sha256
from vectorless_web.documents.storage.snapshots import current, snapshot_of, store_snapshot
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.documents.serialise import card_from
from vectorless_web.engine.routing import card_row, links_for
from vectorless_web.engine.text.analyser import ANALYSER
from vectorless_web.infra.queues import jobs
from vectorless_web.workspaces.models import Workspace

COMPACT_AFTER = 2_000
"""Changes after which a new file is written."""
REFRESH_AT_ONCE = 200
"""Documents whose rows are written in one transaction."""

Link = tuple[int, float, list[str]]
"""Document id, weight, shared keywords."""


@dataclass(frozen=True, slots=True)
class Linked:
    """A card with its links to the documents that are there already."""

    card: Card
    links: Sequence[Link] = ()


def link_card(document: Document, card: Card) -> Linked:
    """The card with its links, found in the workspace's newest snapshot; outside of any transaction that writes."""
    found = links_for(card, snapshot_of(document.workspace_id), doc_id=document.pk, keywords=document.tags)
    return Linked(card, found)


def show_to_router(document: Document, card: Linked) -> None:
    """Write the document's row and links; in the transaction that makes it readable."""
    _write(document.workspace_id, {document.pk: _encode_card(document, card)})
    _write_edges(document, card.links)


def show_many(workspace: Workspace, cards: Mapping[Document, Linked]) -> None:
    """Write the rows of several documents of a workspace, none of which has links yet."""
    _write(workspace.pk, {document.pk: _encode_card(document, card) for document, card in cards.items()})


def hide_from_router(document: Document) -> None:
    """Write that the document is gone; in the transaction that hides it."""
    if SnapshotRow.objects.filter(workspace=document.workspace_id, document=document.pk).exclude(data=b"").exists():
        _write(document.workspace_id, {document.pk: b""})


def show_again(documents: Iterable[Document]) -> None:
    """Write the rows of documents whose title or tags have changed, or that came back; others are let be."""
    rows = _select_readable_documents().filter(pk__in=[document.pk for document in documents])
    by_workspace: dict[int, dict[int, bytes]] = {}
    for document in rows:
        encoded = _encode_card(document, Linked(_card_of(document), _stored_links(document)))
        by_workspace.setdefault(document.workspace_id, {})[document.pk] = encoded
    for workspace_id, encoded_rows in by_workspace.items():
        _write(workspace_id, encoded_rows)


def refresh_rows() -> int:
    """Write the rows that are missing or were made by another analyser, portion by portion; how many."""
    kept = SnapshotRow.objects.filter(analyser=ANALYSER).values("document")
    written = 0
    while stale := list(_select_readable_documents().exclude(pk__in=kept).order_by("pk")[:REFRESH_AT_ONCE]):
        with transaction.atomic():
            show_again(stale)
        written += len(stale)
    return written


def compact_overdue() -> int:
    """Queue the compaction of workspaces whose job was lost; how many."""
    overdue = SnapshotState.objects.filter(number__gte=F("base_number") + COMPACT_AFTER)
    lost = [state for state in overdue if not jobs.exists(_job_id(state), queue="documents")]
    for state in lost:
        _enqueue(state)
    return len(lost)


def compact_snapshot(workspace_id: int) -> None:
    """Write a file of all cards and let it take the old one's place; a second delivery changes nothing."""
    kept = current(workspace_id)
    state = SnapshotState.objects.filter(workspace=workspace_id, lineage=kept.lineage).first()
    if state is None or state.base_number >= kept.number:
        return
    name = store_snapshot(state, kept.number, kept.snapshot.compact_rows())
    if not _replace_file(state, kept.number, name):
        delete_stored(name)


@transaction.atomic
def _replace_file(state: SnapshotState, number: int, name: str) -> bool:
    with default_storage.open(name) as file:
        digest = stream_sha256(file)
    replaced = SnapshotState.objects.filter(pk=state.pk, base_number=state.base_number).update(
        base_number=number, file=name, sha256=digest
    )
    if replaced:
        # Those of before the last file: a process may still be reading the rows after it.
        rows = SnapshotRow.objects.filter(workspace=state.workspace_id, number__lte=state.base_number)
        rows.filter(data=b"").delete()
        transaction.on_commit(lambda: delete_stored(state.file))
    return bool(replaced)


def _write(workspace_id: int, encoded: Mapping[int, bytes]) -> None:
    """Give each row the next number. Whoever else writes waits here until this transaction has ended."""
    SnapshotState.objects.get_or_create(workspace_id=workspace_id)
    SnapshotState.objects.filter(workspace=workspace_id).update(number=F("number") + len(encoded))
    state = SnapshotState.objects.get(workspace=workspace_id)
    first = state.number - len(encoded) + 1
    rows = [
        SnapshotRow(workspace_id=workspace_id, document=pk, number=number, data=data, analyser=ANALYSER)
        for number, (pk, data) in enumerate(encoded.items(), start=first)
    ]
    SnapshotRow.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["workspace", "document"],
        update_fields=["number", "data", "analyser"],
    )
    if state.number - state.base_number >= COMPACT_AFTER:
        _enqueue(state)


def _enqueue(state: SnapshotState) -> None:
    jobs.enqueue(
        "vectorless_web.documents.jobs.compact_snapshot",
        state.workspace_id,
        queue="documents",
        job_id=_job_id(state),
    )


def _job_id(state: SnapshotState) -> str:
    return f"snapshot-{state.pk}-{state.base_number}"


def _select_readable_documents() -> QuerySet[Document]:
    rows = Document.objects.filter(deleted_at=None, current_version__status=DocumentVersion.Status.READY)
    return rows.filter(~Q(current_version__card=None)).select_related("current_version__card")


def _card_of(document: Document) -> Card:
    stored: StoredCard = document.current_version.card  # type: ignore[union-attr]
    return card_from(stored.data)


def _encode_card(document: Document, card: Linked) -> bytes:
    titled = replace(card.card, title=document.title)
    edges = [(other, weight) for other, weight, _ in card.links]
    return card_row(document.pk, titled, document.tags, name=document.name, edges=edges)


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
