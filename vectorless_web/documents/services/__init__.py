"""What may be done to documents."""

from vectorless_web.documents.compiling.process import clear_stale_folders
from vectorless_web.documents.services.compiled_rows import (
    compact_overdue,
    compact_snapshot,
    compact_words,
    refresh_rows,
)
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.documents.services.embedding import (
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
    ArtefactPatrol,
    RepairCounts,
    cancel_version,
    check_artefacts,
    create_folder,
    delete_document,
    delete_folder,
    failed_repairs,
    hand_back_version,
    move_documents,
    open_folder,
    purge_deleted,
    purge_document,
    quarantine_document,
    queue_outdated,
    queue_outdated_in,
    queue_scanned,
    release_document,
    rename_document,
    rename_folder,
    renew_titles,
    repair_counts,
    requeue_lost_versions,
    requeue_repairs,
    restore_document,
    restrict_folder,
    retry_version,
    set_tags,
    tag_documents,
)
from vectorless_web.documents.services.summarising import (
    resume_summaries,
    retry_summaries,
    summarise_version,
    switch_summaries_off,
    switch_summaries_on,
)
from vectorless_web.documents.services.uploads import (
    SameName,
    SameNameHere,
    StoredUpload,
    add_document,
    add_piece,
    add_version,
    begin_partial_upload,
    cancel_partial_upload,
    check_corrections,
    clear_partial_uploads,
    correct_outline,
    finish_partial_upload,
    hold_upload,
    may_be_heading,
)
from vectorless_web.documents.storage.files import forget_purged_copies
