"""Documents, their versions, and the headings, cards and edges kept for pages and search."""

import uuid
from dataclasses import dataclass

from django.conf import settings
from django.db import models

from vectorless_web.engine.documents.card import unread_pages
from vectorless_web.infra.limits import NAME_MAX, TITLE_MAX
from vectorless_web.infra.money import MoneyField
from vectorless_web.infra.queues.jobs import Hold
from vectorless_web.workspaces.models import ModelProvider, PeopleGroup, Workspace

USER = settings.AUTH_USER_MODEL


def new_lineage() -> str:
    """A name that is given once."""
    return uuid.uuid4().hex


class Folder(models.Model):
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="folders")
    name = models.CharField(max_length=NAME_MAX)
    restricted = models.BooleanField(default=False)
    """Whether its documents exist only for the people and groups that are named by its grants."""

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            # A restricted folder's name is not to be learned by trying it for a folder of one's own.
            models.UniqueConstraint(
                fields=["workspace", "name"], condition=models.Q(restricted=False), name="one_open_folder_of_a_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class FolderGrant(models.Model):
    """A person or a group for whom a restricted folder's documents exist, while they belong to the workspace."""

    folder = models.ForeignKey(Folder, on_delete=models.CASCADE, related_name="grants")
    user = models.ForeignKey(USER, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    group = models.ForeignKey(PeopleGroup, null=True, blank=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user=None, group__isnull=False) | models.Q(user__isnull=False, group=None),
                name="folder_grant_of_one",
            ),
            models.UniqueConstraint(fields=["folder", "user"], name="one_folder_grant_a_person"),
            models.UniqueConstraint(fields=["folder", "group"], name="one_folder_grant_a_group"),
        ]

    def __str__(self) -> str:
        return f"{self.group or self.user} may see {self.folder}"


@dataclass(frozen=True)
class QueuePlace:
    """A place in the line of waiting documents, from 1, and what keeps the whole line."""

    place: int
    hold: Hold | None = None


class Document(models.Model):
    """A document of a workspace. A deleted one is hidden at once (`deleted_at`) and purged after 30 days."""

    queue_place: "QueuePlace | None" = None
    """Where its newest version stands in the line of waiting ones; None where no selector filled it in."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="documents")
    folder = models.ForeignKey(Folder, null=True, blank=True, on_delete=models.SET_NULL, related_name="documents")
    title = models.CharField(max_length=TITLE_MAX)
    name = models.CharField(max_length=TITLE_MAX)
    """The file name as uploaded, without any folder."""
    tags = models.JSONField(default=list, blank=True)
    current_version = models.ForeignKey(
        "DocumentVersion", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The newest version that is ready; null until one is."""
    added_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    quarantined_at = models.DateTimeField(null=True, blank=True, db_index=True)
    """Since when an administrator or owner keeps it from answering: it is listed and shown, and no run reads it."""
    quarantine_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-pk"]
        # They hold all that counts of a large workspace ask for, so that none of its rows is read for one.
        indexes = [
            models.Index(
                fields=["workspace", "deleted_at", "-id", "folder", "current_version", "quarantined_at"],
                name="document_list",
            ),
            models.Index(fields=["workspace", "deleted_at", "title", "id"], name="document_titles"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def latest(self) -> "DocumentVersion | None":
        """The newest version, ready or not; versions that were fetched along are used."""
        return next(iter(self.versions.all()), None)


class DocumentVersion(models.Model):
    """One uploaded file. Immutable once ready."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Waiting"
        PARSING = "parsing", "Reading pages"
        SCANNING = "scanning", "Reading scanned pages"
        OUTLINING = "outlining", "Finding the outline"
        INDEXING = "indexing", "Indexing"
        UNPACKING = "unpacking", "Adding the files in it"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    class RepairReason(models.TextChoices):
        DAMAGED = "damaged", "Missing or damaged"
        OUTDATED = "outdated", "Made by another version of the program"
        ASKED = "asked", "Asked for"
        LATE = "late", "Only its first pages were read in the time of a first reading"

    ACTIVE = (Status.PARSING, Status.SCANNING, Status.OUTLINING, Status.INDEXING, Status.UNPACKING)
    BUSY = (Status.QUEUED, *ACTIVE)

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(default=1)
    file = models.FileField(upload_to="uploads/%Y/%m", max_length=300)
    sha256 = models.CharField(max_length=64, db_index=True)
    mime = models.CharField(max_length=100, blank=True)
    bytes = models.PositiveBigIntegerField()
    pages = models.PositiveIntegerField(default=0)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED, db_index=True)
    attempt = models.PositiveIntegerField(default=1)
    stage_done = models.PositiveIntegerField(default=0)
    stage_total = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    lease = models.CharField(max_length=64, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.TextField(blank=True)
    retryable = models.BooleanField(default=False)
    requeued = models.BooleanField(default=False)
    """Whether the version was lost once and given back to the queue; a second loss fails it."""
    waiting_since = models.DateTimeField(null=True, blank=True)
    """Since when it has waited for storage or database to come back; `error_message` tells which, `retry_at` when."""
    retry_at = models.DateTimeField(null=True, blank=True)
    """Not tried again before this moment."""
    outline_source = models.CharField(max_length=20, blank=True)
    coverage = models.FloatField(null=True, blank=True)
    """Share of the raw extraction's non-space characters that stand in exactly one node; 1.0 is all."""
    artefact = models.CharField(max_length=200, blank=True)
    """Name in default storage."""
    artefact_sha256 = models.CharField(max_length=64, blank=True)
    artefact_bytes = models.PositiveBigIntegerField(default=0)
    """Size of the compiled file; 0 for one that was made before sizes were noted."""
    engine_version = models.CharField(max_length=20, blank=True)
    """The compiler that made the artefact."""
    repair = models.CharField(max_length=10, choices=Status.choices, blank=True)
    """How compiling a ready version again stands: empty, a busy status, or failed. Lease, heartbeat, stage counts
    and error are shared with the first reading, which has ended."""
    repair_reason = models.CharField(max_length=10, choices=RepairReason.choices, blank=True)
    repair_tries = models.PositiveSmallIntegerField(default=0)
    """How often it was begun without coming to its end."""
    repair_after = models.DateTimeField(null=True, blank=True)
    """When a failed repair is tried again by itself; null when it is not."""
    report = models.JSONField(default=dict, blank=True)
    """Tree report: depth, nodes, sections, tables, widest, pages_without_text, warnings, seconds, peak_mb, verdict."""
    corrections = models.JSONField(default=list, blank=True)
    """Corrections of the outline by hand: [{key, act, title, depth}], all since the first version of this file."""
    added_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """Who uploaded the file or corrected the outline."""
    created_at = models.DateTimeField(auto_now_add=True)
    ready_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["document", "number"], name="one_version_of_a_number")]
        indexes = [
            models.Index(fields=["repair"], condition=~models.Q(repair=""), name="version_repair"),
            models.Index(fields=["document", "-number", "status"], name="version_newest"),
            models.Index(fields=["status", "added_by", "id"], name="version_turns"),
        ]

    def __str__(self) -> str:
        return f"{self.document} v{self.number}"

    @property
    def is_busy(self) -> bool:
        """Whether the version is waiting or being read."""
        return self.status in self.BUSY

    @property
    def is_being_repaired(self) -> bool:
        """Whether a ready version is waiting to be compiled again, or being compiled again."""
        return self.status == self.Status.READY and self.repair in self.BUSY

    @property
    def is_broken(self) -> bool:
        """Whether compiling a ready version again has failed, and not only to bring it up to date or read its rest."""
        sound = self.repair_reason in (self.RepairReason.OUTDATED, self.RepairReason.LATE)
        return self.status == self.Status.READY and self.repair == self.Status.FAILED and not sound

    @property
    def look(self) -> str:
        """What the list and the reader show it as: "repairing", "broken", or its status."""
        return "repairing" if self.is_being_repaired else "broken" if self.is_broken else self.status

    @property
    def unread_pages(self) -> int:
        """How many pages of a ready version are probably scanned: nothing on them was read. 0 for blank ones."""
        if "unread" in self.report:
            return len(self.report["unread"])
        return len(unread_pages(self.report.get("pages_without_text") or [], self.pages))

    @property
    def awaits_recognition(self) -> bool:
        """Whether pages were not read because text recognition or its languages were missing then."""
        return bool(self.report.get("awaits_recognition"))

    @property
    def was_late(self) -> bool:
        """Whether the time for reading pages was up before all were read."""
        return bool(self.report.get("late"))

    @property
    def is_long(self) -> bool:
        """Whether reading it again takes longer than a first reading may."""
        seconds: float = self.report.get("seconds") or 0.0
        took_long = self.was_late or seconds > settings.COMPILE_FIRST_SECONDS
        return self.status == self.Status.READY and took_long

    @property
    def recognised_pages(self) -> int:
        """How many pages were read by text recognition (OCR)."""
        return len(self.report.get("recognised") or [])

    @property
    def remarks(self) -> list[str]:
        """The report's warnings but for the one on pages without text, which the status says."""
        warnings: list[str] = self.report.get("warnings") or []
        return warnings[1:] if self.unread_pages else warnings  # The compiler puts that one first.

    @property
    def stage(self) -> str:
        """What it is at, be it the first reading or a later one: a status."""
        return self.repair if self.is_being_repaired else self.status

    @property
    def job_id(self) -> str:
        """The name of the job that compiles this attempt."""
        if self.status == self.Status.READY:
            return f"repair-{self.pk}-{self.repair_tries}"
        return f"version-{self.pk}-{self.attempt}"


class Enclosure(models.Model):
    """A file that came within another: an attachment of a message, a member of an archive."""

    FOLDER_MAX = 300

    version = models.ForeignKey(DocumentVersion, on_delete=models.CASCADE, related_name="enclosures")
    """The message or archive."""
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=TITLE_MAX)
    folder = models.CharField(max_length=FOLDER_MAX, blank=True)
    """The folder of the archive that it stood in."""
    document = models.ForeignKey(Document, null=True, blank=True, on_delete=models.SET_NULL, related_name="enclosed_in")
    """What became of it; null when it was refused, or its document was deleted for good."""
    code = models.CharField(max_length=40, blank=True)
    """Why it was refused, or "already_here"."""
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["version", "position"]
        constraints = [models.UniqueConstraint(fields=["version", "position"], name="one_enclosure_of_a_position")]

    def __str__(self) -> str:
        return self.name


class PartialUpload(models.Model):
    """A large file that arrives in pieces. How much is here, the stored pieces say (`storage/pieces.py`)."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    """Who sends it; nobody else can."""
    folder = models.ForeignKey(Folder, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    token = models.CharField(max_length=32, unique=True, default=new_lineage)
    name = models.CharField(max_length=TITLE_MAX)
    bytes = models.PositiveBigIntegerField()
    """Size of the whole file, as told before the first piece."""
    ends_sha256 = models.CharField(max_length=64)
    """Of the file's first and last bytes: the same file again, after a reload, goes on where it stopped."""
    storing_since = models.DateTimeField(null=True, blank=True)
    """When a request began to store the whole file; null while pieces are missing."""
    version = models.ForeignKey(DocumentVersion, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    """What became of it; the answer may be lost on its way, and is asked for again."""
    same_name_as = models.ForeignKey(Document, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    """A whole file that waits until its sender says whether it is a new version of this document."""
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class Section(models.Model):
    """One heading of a version's outline; page numbers are indexes (from 0). The text lives in the artefact."""

    summary = ""
    """One line about the section, written by a model; "" until `add_summaries` sets it."""

    version = models.ForeignKey(DocumentVersion, on_delete=models.CASCADE, related_name="sections")
    key = models.PositiveIntegerField()
    parent_key = models.IntegerField()
    position = models.PositiveIntegerField()
    subtree_end = models.PositiveIntegerField()
    depth = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=500)
    page_start = models.PositiveIntegerField()
    page_end = models.PositiveIntegerField()
    token_count = models.PositiveIntegerField()

    class Meta:
        ordering = ["version", "position"]
        constraints = [models.UniqueConstraint(fields=["version", "key"], name="one_section_of_a_key")]

    def __str__(self) -> str:
        return self.title


class Card(models.Model):
    """The document card of a version (engine.documents.card.Card as JSON in `data`)."""

    version = models.OneToOneField(DocumentVersion, on_delete=models.CASCADE, related_name="card")
    title = models.CharField(max_length=TITLE_MAX)
    overview = models.TextField(blank=True)
    topic_tags = models.JSONField(default=list, blank=True)
    question_hints = models.JSONField(default=list, blank=True)
    data = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return self.title


class Edge(models.Model):
    """A link between two documents that share discriminating keywords."""

    source = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="edges_out")
    target = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="edges_in")
    weight = models.FloatField()
    keywords = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "target"], name="one_edge_each_way")]

    def __str__(self) -> str:
        return f"{self.source_id} to {self.target_id}"


class SnapshotState(models.Model):
    """How far the cards of a workspace have changed, and the file that holds all of them up to `base_number`."""

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, related_name="snapshot_state")
    lineage = models.CharField(max_length=32, default=new_lineage)
    """Tells this count of changes from that of any other workspace, a deleted one of the same number included."""
    number = models.PositiveBigIntegerField(default=0)
    """The number of the last change; anybody who writes a change holds this row until it commits."""
    base_number = models.PositiveBigIntegerField(default=0)
    """The last change that is in the file; 0 when there is none yet."""
    file = models.CharField(max_length=200, blank=True)
    """Name in default storage."""
    sha256 = models.CharField(max_length=64, blank=True)
    words_number = models.PositiveBigIntegerField(default=0)
    """Goes up when the words of a document are written, and when a block of words takes the place of another."""

    def __str__(self) -> str:
        return f"{self.workspace} at change {self.number}"


class SnapshotRow(models.Model):
    """The card of a document as the router reads it, or nothing once the document is gone."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="snapshot_rows")
    document = models.PositiveBigIntegerField()
    """Its primary key: no foreign key, because the news that it is gone outlives it."""
    number = models.PositiveBigIntegerField()
    """The change of the workspace that wrote the row last."""
    data = models.BinaryField(default=bytes, blank=True)
    """What `engine.finding.routing.card_row` gave; empty when the document is gone."""
    analyser = models.CharField(max_length=40, blank=True)
    """The analyser that cut its words; rows of another one are written again."""
    words_layout = models.CharField(max_length=60, blank=True)
    """What the document's words were kept as (`engine.index.word_blocks.LAYOUT`); others are made again. They stand in
    a WaitingWords row or in the WordBlock of the document."""
    sketch = models.BinaryField(default=bytes, blank=True)
    """What `engine.index.word_blocks.sketch_words` gave: documents of nearly the same words are told by it."""

    class Meta:
        ordering = ["workspace", "number"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "document"], name="one_snapshot_row_each"),
            models.UniqueConstraint(fields=["workspace", "number"], name="one_snapshot_row_a_change"),
        ]

    def __str__(self) -> str:
        return f"document {self.document} at change {self.number}"


class WaitingWords(models.Model):
    """The words of a document that stand in no block yet; of two rows of a document the later one counts."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="waiting_words")
    document = models.PositiveBigIntegerField()
    data = models.BinaryField()
    """What `engine.index.word_blocks.encode_words` gave."""

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "waiting words"

    def __str__(self) -> str:
        return f"words of document {self.document}"


class WordBlock(models.Model):
    """The file with the words of the documents whose ids lie in one block (`engine.index.word_blocks.block_of`)."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="word_blocks")
    number = models.PositiveBigIntegerField()
    file = models.CharField(max_length=200)
    """Name in default storage."""
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["workspace", "number"], name="one_word_block_each")]

    def __str__(self) -> str:
        return f"words of {self.workspace}, block {self.number}"


class EmbeddingChoice(models.Model):
    """The embedding model that a workspace has chosen to search by meaning with; nothing is sent to it while it is off.

    It is reached at a provider's address with that provider's key. While it is on, provider
    and model stay as they are: vectors of two models do not compare.
    """

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, related_name="embedding")
    provider = models.ForeignKey(ModelProvider, on_delete=models.CASCADE, related_name="+")
    model = models.CharField(max_length=120)
    price = models.DecimalField("price per million tokens", max_digits=10, decimal_places=4, default=0)
    max_tokens = models.PositiveIntegerField("tokens of one passage at most", default=2000)
    enabled = models.BooleanField(default=False)
    dimensions = models.PositiveIntegerField(null=True, blank=True)
    """Numbers in a vector, once the first has come."""
    found = models.JSONField(default=dict, blank=True)
    """What its self-test found out."""
    paused_until = models.DateTimeField(null=True, blank=True)
    """After trouble with the server no document is begun before this moment; `pause_message` says which trouble."""
    pause_code = models.CharField(max_length=40, blank=True)
    pause_message = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.model} for {self.workspace}"

    def say_use(self) -> str:
        """What ends with the provider."""
        return f"Search by meaning in {self.workspace} uses its address and key"


class VectorFile(models.Model):
    """The vectors of one document version by one embedding model: a file in storage, and how making it stands."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Waiting"
        WORKING = "working", "Being embedded"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    choice = models.ForeignKey(EmbeddingChoice, on_delete=models.CASCADE, related_name="files")
    version = models.ForeignKey(DocumentVersion, on_delete=models.CASCADE, related_name="vector_files")
    model = models.CharField(max_length=120)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED, db_index=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.TextField(blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """Passages."""
    dimensions = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = MoneyField(max_digits=12, decimal_places=6, default=0)
    file = models.CharField(max_length=200, blank=True)
    """Name in default storage."""
    sha256 = models.CharField(max_length=64, blank=True)
    attempt = models.PositiveIntegerField(default=1)
    lease = models.CharField(max_length=64, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ready_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["choice", "version"], name="one_vector_file_each")]

    def __str__(self) -> str:
        return f"{self.version} by {self.model}"

    @property
    def job_id(self) -> str:
        """The name of the job that makes it, in this attempt."""
        return f"vectors-{self.pk}-{self.attempt}"


class SummaryChoice(models.Model):
    """Whether a workspace has its model summarise the sections of its documents; nothing is sent while it is off."""

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, related_name="summary_choice")
    enabled = models.BooleanField(default=False)
    paused_until = models.DateTimeField(null=True, blank=True)
    """After trouble with the server no document is begun before this moment; `pause_message` says which trouble."""
    pause_code = models.CharField(max_length=40, blank=True)
    pause_message = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"section summaries for {self.workspace}"


class SectionSummaries(models.Model):
    """One line on each section of a version, written by a model, and how writing them stands.

    Kept as long as the version, also when they are switched off: runs that showed them can then be replayed.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", "Waiting"
        WORKING = "working", "Being summarised"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    version = models.OneToOneField(DocumentVersion, on_delete=models.CASCADE, related_name="summaries")
    artefact = models.CharField(max_length=64, blank=True)
    """Hash of the compiled file whose sections the lines are about."""
    lines = models.JSONField(default=dict, blank=True)
    """{key of the section: line}."""
    model = models.CharField(max_length=120, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED, db_index=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.TextField(blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """Sections."""
    tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = MoneyField(max_digits=12, decimal_places=6, default=0)
    attempt = models.PositiveIntegerField(default=1)
    lease = models.CharField(max_length=64, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ready_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "section summaries"

    def __str__(self) -> str:
        return f"summaries of {self.version}"

    @property
    def job_id(self) -> str:
        """The name of the job that writes them, in this attempt."""
        return f"summaries-{self.pk}-{self.attempt}"


class Installation(models.Model):
    """The one row that ties this database to the files in storage, which carry a mark of the same identity."""

    identity = models.CharField(max_length=32, default=new_lineage)
    generation = models.PositiveBigIntegerField(default=1)
    """Counts up while the site runs, here first and then in the files' mark: a lower count here than there means
    that this database is older than the files."""
    watched = models.JSONField(default=list)
    """When a sweep with this database looked on: [[since, until], ...], seconds since 1970, oldest first.
    The rows of files that were written at other times may be in a newer copy of this database."""

    def __str__(self) -> str:
        return f"installation {self.identity}, generation {self.generation}"
