"""All tables of the app as one step; a database that took the earlier steps has taken this one."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import vectorless_web.documents.models


class Migration(migrations.Migration):
    replaces = [
        ("documents", "0001_initial"),
        ("documents", "0002_corrections"),
        ("documents", "0003_snapshots"),
        ("documents", "0004_embeddings"),
        ("documents", "0005_storage_installation"),
        ("documents", "0006_outages"),
        ("documents", "0007_repair"),
        ("documents", "0008_artefact_bytes"),
        ("documents", "0009_section_summaries"),
        ("documents", "0010_library_words"),
        ("documents", "0011_enclosures"),
        ("documents", "0012_pieces_of_uploads"),
        ("documents", "0013_ocr"),
        ("documents", "0014_people_folder_access"),
        ("documents", "0015_console"),
    ]
    initial = True

    dependencies = [
        ("workspaces", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Installation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("identity", models.CharField(default=vectorless_web.documents.models.new_lineage, max_length=32)),
                ("generation", models.PositiveBigIntegerField(default=1)),
                ("watched", models.JSONField(default=list)),
            ],
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=300)),
                ("name", models.CharField(max_length=300)),
                ("tags", models.JSONField(blank=True, default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                ("quarantined_at", models.DateTimeField(blank=True, db_index=True, null=True)),
                ("quarantine_reason", models.CharField(blank=True, max_length=300)),
                (
                    "added_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="documents", to="workspaces.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="DocumentVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(default=1)),
                ("file", models.FileField(max_length=300, upload_to="uploads/%Y/%m")),
                ("sha256", models.CharField(db_index=True, max_length=64)),
                ("mime", models.CharField(blank=True, max_length=100)),
                ("bytes", models.PositiveBigIntegerField()),
                ("pages", models.PositiveIntegerField(default=0)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("parsing", "Reading pages"),
                            ("scanning", "Reading scanned pages"),
                            ("outlining", "Finding the outline"),
                            ("indexing", "Indexing"),
                            ("unpacking", "Adding the files in it"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("attempt", models.PositiveIntegerField(default=1)),
                ("stage_done", models.PositiveIntegerField(default=0)),
                ("stage_total", models.PositiveIntegerField(default=0)),
                ("heartbeat_at", models.DateTimeField(blank=True, null=True)),
                ("lease", models.CharField(blank=True, max_length=64)),
                ("error_code", models.CharField(blank=True, max_length=40)),
                ("error_message", models.TextField(blank=True)),
                ("retryable", models.BooleanField(default=False)),
                ("requeued", models.BooleanField(default=False)),
                ("waiting_since", models.DateTimeField(blank=True, null=True)),
                ("retry_at", models.DateTimeField(blank=True, null=True)),
                ("outline_source", models.CharField(blank=True, max_length=20)),
                ("coverage", models.FloatField(blank=True, null=True)),
                ("artefact", models.CharField(blank=True, max_length=200)),
                ("artefact_sha256", models.CharField(blank=True, max_length=64)),
                ("artefact_bytes", models.PositiveBigIntegerField(default=0)),
                ("engine_version", models.CharField(blank=True, max_length=20)),
                (
                    "repair",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("queued", "Waiting"),
                            ("parsing", "Reading pages"),
                            ("scanning", "Reading scanned pages"),
                            ("outlining", "Finding the outline"),
                            ("indexing", "Indexing"),
                            ("unpacking", "Adding the files in it"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "repair_reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("damaged", "Missing or damaged"),
                            ("outdated", "Made by another version of the program"),
                            ("asked", "Asked for"),
                        ],
                        max_length=10,
                    ),
                ),
                ("repair_tries", models.PositiveSmallIntegerField(default=0)),
                ("repair_after", models.DateTimeField(blank=True, null=True)),
                ("report", models.JSONField(blank=True, default=dict)),
                ("corrections", models.JSONField(blank=True, default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ready_at", models.DateTimeField(blank=True, null=True)),
                (
                    "added_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="documents.document"
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.AddField(
            model_name="document",
            name="current_version",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="documents.documentversion",
            ),
        ),
        migrations.CreateModel(
            name="Card",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=300)),
                ("overview", models.TextField(blank=True)),
                ("topic_tags", models.JSONField(blank=True, default=list)),
                ("question_hints", models.JSONField(blank=True, default=list)),
                ("data", models.JSONField(blank=True, default=dict)),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="card", to="documents.documentversion"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Edge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("weight", models.FloatField()),
                ("keywords", models.JSONField(blank=True, default=list)),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="edges_out", to="documents.document"
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="edges_in", to="documents.document"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="EmbeddingChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("model", models.CharField(max_length=120)),
                (
                    "price",
                    models.DecimalField(
                        decimal_places=4, default=0, max_digits=10, verbose_name="price per million tokens"
                    ),
                ),
                ("max_tokens", models.PositiveIntegerField(default=2000, verbose_name="tokens of one passage at most")),
                ("enabled", models.BooleanField(default=False)),
                ("dimensions", models.PositiveIntegerField(blank=True, null=True)),
                ("found", models.JSONField(blank=True, default=dict)),
                ("paused_until", models.DateTimeField(blank=True, null=True)),
                ("pause_code", models.CharField(blank=True, max_length=40)),
                ("pause_message", models.TextField(blank=True)),
                (
                    "provider",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="workspaces.modelprovider"
                    ),
                ),
                (
                    "workspace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="embedding", to="workspaces.workspace"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Enclosure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=300)),
                ("folder", models.CharField(blank=True, max_length=300)),
                ("code", models.CharField(blank=True, max_length=40)),
                ("reason", models.TextField(blank=True)),
                (
                    "document",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="enclosed_in",
                        to="documents.document",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="enclosures",
                        to="documents.documentversion",
                    ),
                ),
            ],
            options={
                "ordering": ["version", "position"],
            },
        ),
        migrations.CreateModel(
            name="Folder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120)),
                ("restricted", models.BooleanField(default=False)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="folders", to="workspaces.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["name", "pk"],
            },
        ),
        migrations.AddField(
            model_name="document",
            name="folder",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="documents",
                to="documents.folder",
            ),
        ),
        migrations.CreateModel(
            name="FolderGrant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "folder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="grants", to="documents.folder"
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="workspaces.peoplegroup",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="PartialUpload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "token",
                    models.CharField(default=vectorless_web.documents.models.new_lineage, max_length=32, unique=True),
                ),
                ("name", models.CharField(max_length=300)),
                ("bytes", models.PositiveBigIntegerField()),
                ("ends_sha256", models.CharField(max_length=64)),
                ("storing_since", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "folder",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="documents.folder",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="documents.documentversion",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="workspaces.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Section",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.PositiveIntegerField()),
                ("parent_key", models.IntegerField()),
                ("position", models.PositiveIntegerField()),
                ("subtree_end", models.PositiveIntegerField()),
                ("depth", models.PositiveSmallIntegerField()),
                ("title", models.CharField(max_length=500)),
                ("page_start", models.PositiveIntegerField()),
                ("page_end", models.PositiveIntegerField()),
                ("token_count", models.PositiveIntegerField()),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sections",
                        to="documents.documentversion",
                    ),
                ),
            ],
            options={
                "ordering": ["version", "position"],
            },
        ),
        migrations.CreateModel(
            name="SectionSummaries",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("artefact", models.CharField(blank=True, max_length=64)),
                ("lines", models.JSONField(blank=True, default=dict)),
                ("model", models.CharField(blank=True, max_length=120)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("working", "Being summarised"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("error_code", models.CharField(blank=True, max_length=40)),
                ("error_message", models.TextField(blank=True)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("tokens", models.PositiveBigIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ("attempt", models.PositiveIntegerField(default=1)),
                ("lease", models.CharField(blank=True, max_length=64)),
                ("heartbeat_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ready_at", models.DateTimeField(blank=True, null=True)),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="summaries",
                        to="documents.documentversion",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "section summaries",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="SnapshotRow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("document", models.PositiveBigIntegerField()),
                ("number", models.PositiveBigIntegerField()),
                ("data", models.BinaryField(blank=True, default=bytes)),
                ("analyser", models.CharField(blank=True, max_length=40)),
                ("words_layout", models.CharField(blank=True, max_length=60)),
                ("sketch", models.BinaryField(blank=True, default=bytes)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="snapshot_rows",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["workspace", "number"],
            },
        ),
        migrations.CreateModel(
            name="SnapshotState",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("lineage", models.CharField(default=vectorless_web.documents.models.new_lineage, max_length=32)),
                ("number", models.PositiveBigIntegerField(default=0)),
                ("base_number", models.PositiveBigIntegerField(default=0)),
                ("file", models.CharField(blank=True, max_length=200)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("words_number", models.PositiveBigIntegerField(default=0)),
                (
                    "workspace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="snapshot_state",
                        to="workspaces.workspace",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SummaryChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("enabled", models.BooleanField(default=False)),
                ("paused_until", models.DateTimeField(blank=True, null=True)),
                ("pause_code", models.CharField(blank=True, max_length=40)),
                ("pause_message", models.TextField(blank=True)),
                (
                    "workspace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="summary_choice",
                        to="workspaces.workspace",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="VectorFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("model", models.CharField(max_length=120)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("working", "Being embedded"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("error_code", models.CharField(blank=True, max_length=40)),
                ("error_message", models.TextField(blank=True)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("dimensions", models.PositiveIntegerField(default=0)),
                ("tokens", models.PositiveBigIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ("file", models.CharField(blank=True, max_length=200)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("attempt", models.PositiveIntegerField(default=1)),
                ("lease", models.CharField(blank=True, max_length=64)),
                ("heartbeat_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ready_at", models.DateTimeField(blank=True, null=True)),
                (
                    "choice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="documents.embeddingchoice",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="vector_files",
                        to="documents.documentversion",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="WaitingWords",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("document", models.PositiveBigIntegerField()),
                ("data", models.BinaryField()),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="waiting_words",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "waiting words",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="WordBlock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveBigIntegerField()),
                ("file", models.CharField(max_length=200)),
                ("sha256", models.CharField(max_length=64)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="word_blocks",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.AddIndex(
            model_name="documentversion",
            index=models.Index(
                condition=models.Q(("repair", ""), _negated=True), fields=["repair"], name="version_repair"
            ),
        ),
        migrations.AddConstraint(
            model_name="documentversion",
            constraint=models.UniqueConstraint(fields=("document", "number"), name="one_version_of_a_number"),
        ),
        migrations.AddConstraint(
            model_name="edge",
            constraint=models.UniqueConstraint(fields=("source", "target"), name="one_edge_each_way"),
        ),
        migrations.AddConstraint(
            model_name="enclosure",
            constraint=models.UniqueConstraint(fields=("version", "position"), name="one_enclosure_of_a_position"),
        ),
        migrations.AddConstraint(
            model_name="folder",
            constraint=models.UniqueConstraint(
                condition=models.Q(("restricted", False)),
                fields=("workspace", "name"),
                name="one_open_folder_of_a_name",
            ),
        ),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(fields=["workspace", "deleted_at", "-id"], name="document_list"),
        ),
        migrations.AddConstraint(
            model_name="foldergrant",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("group__isnull", False), ("user", None)),
                    models.Q(("group", None), ("user__isnull", False)),
                    _connector="OR",
                ),
                name="folder_grant_of_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="foldergrant",
            constraint=models.UniqueConstraint(fields=("folder", "user"), name="one_folder_grant_a_person"),
        ),
        migrations.AddConstraint(
            model_name="foldergrant",
            constraint=models.UniqueConstraint(fields=("folder", "group"), name="one_folder_grant_a_group"),
        ),
        migrations.AddConstraint(
            model_name="section",
            constraint=models.UniqueConstraint(fields=("version", "key"), name="one_section_of_a_key"),
        ),
        migrations.AddConstraint(
            model_name="snapshotrow",
            constraint=models.UniqueConstraint(fields=("workspace", "document"), name="one_snapshot_row_each"),
        ),
        migrations.AddConstraint(
            model_name="snapshotrow",
            constraint=models.UniqueConstraint(fields=("workspace", "number"), name="one_snapshot_row_a_change"),
        ),
        migrations.AddConstraint(
            model_name="vectorfile",
            constraint=models.UniqueConstraint(fields=("choice", "version"), name="one_vector_file_each"),
        ),
        migrations.AddConstraint(
            model_name="wordblock",
            constraint=models.UniqueConstraint(fields=("workspace", "number"), name="one_word_block_each"),
        ),
    ]
