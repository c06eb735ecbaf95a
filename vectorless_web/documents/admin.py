"""Documents in the admin site, to look at: what came in and how reading it went."""

from django.contrib import admin
from django.db.models import QuerySet

from vectorless_web.documents.models import (
    Card,
    Document,
    DocumentVersion,
    Edge,
    EmbeddingChoice,
    Enclosure,
    Folder,
    FolderGrant,
    Installation,
    PartialUpload,
    Section,
    SectionSummaries,
    SnapshotRow,
    SnapshotState,
    SummaryChoice,
    VectorFile,
    WaitingWords,
    WordBlock,
)
from vectorless_web.documents.selectors import closed_folders, open_to
from vectorless_web.infra.admin import LookedAt, MembersAdmin, ReadOnlyAdmin
from vectorless_web.workspaces.selectors import User, workspaces_of


class DocumentRowsAdmin(MembersAdmin):
    """Rows of documents that exist for the administrator, deleted ones among them."""

    def list_readable(self, user: User) -> QuerySet[Document]:
        """The documents of the administrator's workspaces, but for those that a folder closes to them."""
        return Document.objects.filter(open_to(user), workspace__in=workspaces_of(user))


class VersionRowsAdmin(DocumentRowsAdmin):
    """Rows of one version of such a document."""

    path = "version__document"
    list_select_related = [path]


class VersionInline(LookedAt):
    model = DocumentVersion
    fk_name = "document"
    fields = ["number", "status", "pages", "bytes", "error_code", "created_at"]
    show_change_link = True


@admin.register(Document)
class DocumentAdmin(DocumentRowsAdmin):
    list_display = ["title", "workspace", "folder", "added_by", "created_at", "deleted_at"]
    list_filter = ["workspace", "deleted_at"]
    search_fields = ["title", "name"]
    inlines = [VersionInline]


@admin.register(DocumentVersion)
class DocumentVersionAdmin(DocumentRowsAdmin):
    path = "document"
    list_display = [
        "document",
        "number",
        "status",
        "repair",
        "pages",
        "bytes",
        "coverage",
        "outline_source",
        "error_code",
    ]
    list_filter = ["status", "repair", "engine_version", "error_code", "outline_source", "mime"]
    search_fields = ["document__title", "sha256"]


@admin.register(Section)
class SectionAdmin(VersionRowsAdmin):
    list_display = ["title", "version", "depth", "page_start", "page_end", "token_count"]
    search_fields = ["title"]


admin.site.register(Card, VersionRowsAdmin, list_display=["title", "version"], search_fields=["title", "overview"])
admin.site.register(Edge, DocumentRowsAdmin, path="source", list_display=["source", "target", "weight"])


class FolderGrantInline(LookedAt):
    """Who is named for a restricted folder; owners name them on their page of folder access."""

    model = FolderGrant
    fields = ["user", "group"]


@admin.register(Enclosure)
class EnclosureAdmin(VersionRowsAdmin):
    list_display = ["name", "folder", "version", "document", "code"]
    list_filter = ["code"]
    search_fields = ["name"]


@admin.register(Folder)
class FolderAdmin(MembersAdmin):
    list_display = ["name", "workspace", "restricted"]
    list_filter = ["restricted", "workspace"]
    inlines = [FolderGrantInline]
    search_fields = ["name"]

    def list_readable(self, user: User) -> QuerySet[Folder]:
        """The folders of the administrator's workspaces that are open to them."""
        closed = closed_folders(user.pk).values("pk")
        return Folder.objects.filter(workspace__in=workspaces_of(user)).exclude(pk__in=closed)


admin.site.register(SnapshotState, ReadOnlyAdmin, list_display=["workspace", "number", "base_number", "file"])
admin.site.register(
    SnapshotRow, DocumentRowsAdmin, path="document", list_display=["document", "workspace", "number", "analyser"]
)
admin.site.register(WaitingWords, DocumentRowsAdmin, path="document", list_display=["document", "workspace"])
admin.site.register(WordBlock, ReadOnlyAdmin, list_display=["workspace", "number", "file", "sha256"])


@admin.register(EmbeddingChoice)
class EmbeddingChoiceAdmin(ReadOnlyAdmin):
    list_display = ["workspace", "model", "provider", "enabled", "dimensions", "pause_code"]
    list_filter = ["enabled"]


@admin.register(VectorFile)
class VectorFileAdmin(VersionRowsAdmin):
    list_display = ["version", "model", "status", "done", "total", "dimensions", "tokens", "cost_usd", "error_code"]
    list_filter = ["status", "error_code", "model"]


admin.site.register(
    SummaryChoice, ReadOnlyAdmin, list_display=["workspace", "enabled", "pause_code"], list_filter=["enabled"]
)


@admin.register(SectionSummaries)
class SectionSummariesAdmin(VersionRowsAdmin):
    list_display = ["version", "model", "status", "done", "total", "tokens", "cost_usd", "error_code"]
    list_filter = ["status", "error_code", "model"]


admin.site.register(
    Installation, ReadOnlyAdmin, list_display=["identity", "generation"], fields=["identity", "generation"]
)


@admin.register(PartialUpload)
class PartialUploadAdmin(MembersAdmin):
    list_display = ["name", "workspace", "user", "bytes", "created_at", "expires_at"]
    exclude = ["token"]

    def list_readable(self, user: User) -> QuerySet[PartialUpload]:
        """Files that the administrator sends: who sends one alone sees it on its way."""
        return PartialUpload.objects.filter(user=user.pk)
