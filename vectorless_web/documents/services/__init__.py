"""What may be done to documents."""

from vectorless_web.documents.compiling.process import clear_stale_folders
from vectorless_web.documents.line import queue_repair
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.documents.services.embedding import (
    Estimate,
    choose_embedding,
    embed_version,
    estimate,
    remove_embedding,
    resume_embedding,
    retry_embedding,
    start_embedding_test,
    switch_off,
    switch_on,
    try_embedding,
)
from vectorless_web.documents.services.keeping.installation import watch_files
from vectorless_web.documents.services.keeping.quarantine import empty_overdue, quarantine_orphans
from vectorless_web.documents.services.lifecycle import (
    cancel_version,
    create_folder,
    delete_document,
    move_documents,
    purge_deleted,
    purge_document,
    rename_document,
    restore_document,
    retry_version,
    tag_documents,
)
from vectorless_web.documents.services.repairing import (
    ArtefactPatrol,
    RepairCounts,
    check_artefacts,
    failed_repairs,
    hand_back_version,
    queue_outdated,
    repair_counts,
    requeue_lost_versions,
    requeue_repairs,
)
from vectorless_web.documents.services.routing_rows import compact_overdue, compact_snapshot, refresh_rows
from vectorless_web.documents.services.samples import add_samples
from vectorless_web.documents.services.summarising import (
    resume_summaries,
    retry_summaries,
    summarise_version,
    switch_summaries_off,
    switch_summaries_on,
)
from vectorless_web.documents.services.uploads import (
    StoredUpload,
    add_document,
    add_version,
    check_corrections,
    correct_outline,
    may_be_heading,
)

__all__ = [
    "ArtefactPatrol",
    "Estimate",
    "RepairCounts",
    "StoredUpload",
    "add_document",
    "add_samples",
    "add_version",
    "cancel_version",
    "check_artefacts",
    "check_corrections",
    "choose_embedding",
    "clear_stale_folders",
    "compact_overdue",
    "compact_snapshot",
    "compile_version",
    "correct_outline",
    "create_folder",
    "delete_document",
    "embed_version",
    "empty_overdue",
    "estimate",
    "failed_repairs",
    "hand_back_version",
    "may_be_heading",
    "move_documents",
    "purge_deleted",
    "purge_document",
    "quarantine_orphans",
    "queue_outdated",
    "queue_repair",
    "refresh_rows",
    "remove_embedding",
    "rename_document",
    "repair_counts",
    "requeue_lost_versions",
    "requeue_repairs",
    "restore_document",
    "resume_embedding",
    "resume_summaries",
    "retry_embedding",
    "retry_summaries",
    "retry_version",
    "start_embedding_test",
    "summarise_version",
    "switch_off",
    "switch_on",
    "switch_summaries_off",
    "switch_summaries_on",
    "tag_documents",
    "try_embedding",
    "watch_files",
]
