"""Documents in the admin site: what came in and how reading it went; their content is not changed here.

Acts go through the services: deleting hides a document for 30 days, and everything is recorded.
"""

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from vectorless_web.documents import services
from vectorless_web.documents.line import JOB
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
from vectorless_web.documents.services import cancel_version, retry_version
from vectorless_web.infra.admin import ReadOnlyAdmin, ServiceAdmin, stop_jobs_by
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.selectors import User


class VersionInline(admin.TabularInline):
    model = DocumentVersion
    fk_name = "document"
    fields = ["number", "status", "pages", "bytes", "error_code", "created_at"]
    readonly_fields = ["number", "status", "pages", "bytes", "error_code", "created_at"]
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        return False


class DocumentForm(forms.ModelForm):
    """A document's title and folder."""

    class Meta:
        model = Document
        fields = ["title", "folder"]

    def clean_folder(self) -> Folder | None:
        """A folder of the document's own workspace."""
        folder: Folder | None = self.cleaned_data["folder"]
        if folder is not None and folder.workspace_id != self.instance.workspace_id:
            raise ValidationError("This folder belongs to another workspace.")
        return folder


@admin.register(Document)
class DocumentAdmin(ServiceAdmin):
    form = DocumentForm
    list_display = ["title", "workspace", "folder", "added_by", "created_at", "deleted_at"]
    list_filter = ["workspace", "deleted_at"]
    search_fields = ["title", "name"]
    fields = ["title", "name", "workspace", "folder", "tags", "added_by", "current_version", "created_at", "deleted_at"]
    readonly_fields = ["name", "workspace", "tags", "added_by", "current_version", "created_at", "deleted_at"]
    list_select_related = ["workspace", "folder", "added_by"]
    inlines = [VersionInline]
    actions = ["restore"]
    remove_notice = "Hidden at once. It is kept in the bin, where it can be restored; then it is removed for good."

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Document, form: forms.ModelForm, change: bool) -> None:
        """Rename the document, move it, or both."""
        if "title" in form.changed_data:
            services.rename_document(actor=request.user, document=obj, title=obj.title)
        if "folder" in form.changed_data:
            services.move_documents(actor=request.user, workspace=obj.workspace, documents=[obj], folder=obj.folder)

    def remove(self, request: HttpRequest, obj: Document) -> None:
        """Hide the document."""
        services.delete_document(actor=request.user, document=obj)

    @admin.action(description="Restore the chosen documents", permissions=["delete"])
    def restore(self, request: HttpRequest, chosen: QuerySet[Document]) -> None:
        """Undo deletions."""
        for document in chosen.select_related("workspace").exclude(deleted_at=None):
            try:
                services.restore_document(actor=request.user, document=document)
            except Problem as problem:
                self.message_user(request, problem.message, messages.ERROR)


@admin.register(DocumentVersion)
class DocumentVersionAdmin(ReadOnlyAdmin):
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
    actions = ["stop", "read_again"]

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whoever may change versions may stop their reading and have them read again."""
        return request.user.has_perm("documents.change_documentversion")

    @admin.action(description="Stop reading the chosen files", permissions=["act"])
    def stop(self, request: HttpRequest, chosen: QuerySet[DocumentVersion]) -> None:
        """End the reading of files that wait or are being read."""
        stopped = sum(cancel_version(actor=request.user, version=version) for version in chosen)
        self.message_user(request, f"{stopped} stopped.", messages.SUCCESS)

    @admin.action(description="Read the chosen failed files again", permissions=["act"])
    def read_again(self, request: HttpRequest, chosen: QuerySet[DocumentVersion]) -> None:
        """Queue failed files again where trying again can help."""
        failed = chosen.filter(status=DocumentVersion.Status.FAILED, retryable=True)
        for version in failed:
            retry_version(actor=request.user, version=version)
        self.message_user(request, f"{len(failed)} wait to be read again.", messages.SUCCESS)

    def get_queryset(self, request: HttpRequest) -> QuerySet[DocumentVersion]:
        return super().get_queryset(request).select_related("document")


def _stop_reading(user: User, pk: int) -> bool:
    version = DocumentVersion.objects.select_related("document__workspace").filter(pk=pk).first()
    return version is not None and cancel_version(actor=user, version=version)


stop_jobs_by(JOB, _stop_reading)


@admin.register(Section)
class SectionAdmin(ReadOnlyAdmin):
    list_display = ["title", "version", "depth", "page_start", "page_end", "token_count"]
    search_fields = ["title"]
    list_select_related = ["version__document"]


@admin.register(Card)
class CardAdmin(ReadOnlyAdmin):
    list_display = ["title", "version"]
    search_fields = ["title", "overview"]
    list_select_related = ["version__document"]


@admin.register(Edge)
class EdgeAdmin(ReadOnlyAdmin):
    list_display = ["source", "target", "weight"]
    list_select_related = ["source", "target"]


class FolderGrantInline(admin.TabularInline):
    """Who is named for a restricted folder; owners name them on their page of folder access."""

    model = FolderGrant
    extra = 0
    can_delete = False
    readonly_fields = ["user", "group"]

    def has_add_permission(self, request: HttpRequest, obj: Folder | None = None) -> bool:
        return False


@admin.register(Enclosure)
class EnclosureAdmin(ReadOnlyAdmin):
    list_display = ["name", "folder", "version", "document", "code"]
    list_filter = ["code"]
    search_fields = ["name"]
    list_select_related = ["version__document", "document"]


@admin.register(Folder)
class FolderAdmin(ReadOnlyAdmin):
    list_display = ["name", "workspace", "restricted"]
    list_filter = ["restricted", "workspace"]
    list_select_related = ["workspace"]
    inlines = [FolderGrantInline]
    search_fields = ["name"]


@admin.register(SnapshotState)
class SnapshotStateAdmin(ReadOnlyAdmin):
    list_display = ["workspace", "number", "base_number", "file"]
    list_select_related = ["workspace"]


@admin.register(SnapshotRow)
class SnapshotRowAdmin(ReadOnlyAdmin):
    list_display = ["document", "workspace", "number", "analyser"]
    list_select_related = ["workspace"]
    fields = ["workspace", "document", "number", "analyser"]


@admin.register(WaitingWords)
class WaitingWordsAdmin(ReadOnlyAdmin):
    list_display = ["document", "workspace"]
    list_select_related = ["workspace"]
    fields = ["workspace", "document"]


@admin.register(WordBlock)
class WordBlockAdmin(ReadOnlyAdmin):
    list_display = ["workspace", "number", "file", "sha256"]
    list_select_related = ["workspace"]


@admin.register(EmbeddingChoice)
class EmbeddingChoiceAdmin(ReadOnlyAdmin):
    list_display = ["workspace", "model", "provider", "enabled", "dimensions", "pause_code"]
    list_filter = ["enabled"]
    list_select_related = ["workspace", "provider"]


@admin.register(VectorFile)
class VectorFileAdmin(ReadOnlyAdmin):
    list_display = ["version", "model", "status", "done", "total", "dimensions", "tokens", "cost_usd", "error_code"]
    list_filter = ["status", "error_code", "model"]
    list_select_related = ["version__document"]


@admin.register(SummaryChoice)
class SummaryChoiceAdmin(ReadOnlyAdmin):
    list_display = ["workspace", "enabled", "pause_code"]
    list_filter = ["enabled"]
    list_select_related = ["workspace"]


@admin.register(SectionSummaries)
class SectionSummariesAdmin(ReadOnlyAdmin):
    list_display = ["version", "model", "status", "done", "total", "tokens", "cost_usd", "error_code"]
    list_filter = ["status", "error_code", "model"]
    list_select_related = ["version__document"]


@admin.register(Installation)
class InstallationAdmin(ReadOnlyAdmin):
    list_display = ["identity", "generation"]
    fields = ["identity", "generation"]


@admin.register(PartialUpload)
class PartialUploadAdmin(ReadOnlyAdmin):
    list_display = ["name", "workspace", "user", "bytes", "created_at", "expires_at"]
    list_select_related = ["workspace", "user"]
    exclude = ["token"]
