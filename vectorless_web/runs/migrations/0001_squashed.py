"""All tables of the app as one step; a database that took the earlier steps has taken this one."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("runs", "0001_initial"),
        ("runs", "0002_asked_from"),
        ("runs", "0003_replay"),
        ("runs", "0004_factory"),
        ("runs", "0005_fairness_people"),
        ("runs", "0006_repair_passages"),
        ("runs", "0007_calibrated_confidence"),
        ("runs", "0008_typed_claim_table"),
        ("runs", "0009_ocr"),
        ("runs", "0010_people_private_runs"),
        ("runs", "0011_people_standing"),
    ]
    initial = True

    dependencies = [
        ("documents", "0001_squashed"),
        ("workspaces", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Claim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveIntegerField()),
                ("order", models.PositiveSmallIntegerField()),
                ("text", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "Draft"), ("checked", "Checked")], default="draft", max_length=8
                    ),
                ),
                ("support", models.CharField(blank=True, max_length=12)),
                ("calculation", models.JSONField(blank=True, null=True)),
                ("table", models.JSONField(blank=True, default=list)),
                ("because", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["run", "order"],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("question", models.TextField()),
                ("whole_workspace", models.BooleanField(default=True)),
                ("private", models.BooleanField(default=False)),
                (
                    "asked_how",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("follow_up", "Follow-up"),
                            ("again", "Asked again"),
                            ("newer", "Asked again of newer versions"),
                            ("deeper", "Asked to look deeper"),
                            ("edited", "Edited"),
                            ("answerer", "Asked of another"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Working"),
                            ("answered", "Answered"),
                            ("partial", "Answered in part"),
                            ("passages", "Closest passages"),
                            ("not_found", "Not in these documents"),
                            ("failed", "Failed"),
                            ("cancelled", "Stopped"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("phase", models.CharField(blank=True, max_length=20)),
                ("attempt", models.PositiveIntegerField(default=1)),
                ("cancel_requested", models.BooleanField(default=False)),
                ("lease", models.CharField(blank=True, max_length=64)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("engine", models.CharField(default="offline", max_length=20)),
                ("model", models.CharField(blank=True, max_length=120)),
                ("settings", models.JSONField(blank=True, default=dict)),
                ("corpus_fingerprint", models.CharField(blank=True, max_length=64)),
                ("reason", models.TextField(blank=True)),
                ("error_code", models.CharField(blank=True, max_length=40)),
                ("retryable", models.BooleanField(default=False)),
                ("checked", models.JSONField(blank=True, default=list)),
                ("step_count", models.PositiveIntegerField(default=0)),
                ("tokens", models.PositiveIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "asked_from",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="runs.run",
                    ),
                ),
                ("documents", models.ManyToManyField(blank=True, related_name="+", to="documents.document")),
                ("favoured_by", models.ManyToManyField(blank=True, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("folders", models.ManyToManyField(blank=True, related_name="+", to="documents.folder")),
                ("named", models.ManyToManyField(blank=True, related_name="+", to="documents.document")),
                ("shared_with", models.ManyToManyField(blank=True, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "stopped_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("versions", models.ManyToManyField(blank=True, related_name="+", to="documents.documentversion")),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="workspaces.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Replay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("identical", "Identical"),
                            ("different", "Different"),
                            ("impossible", "Cannot be replayed"),
                        ],
                        max_length=10,
                    ),
                ),
                ("difference", models.TextField(blank=True)),
                ("note", models.TextField(blank=True)),
                ("steps", models.PositiveIntegerField(default=0)),
                ("asked_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="replay", to="runs.run"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "claim",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="runs.claim",
                    ),
                ),
                ("mentions", models.ManyToManyField(blank=True, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="runs.run"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="claim",
            name="run",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="claims", to="runs.run"),
        ),
        migrations.CreateModel(
            name="Citation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("marker", models.PositiveSmallIntegerField()),
                ("document_title", models.CharField(blank=True, max_length=300)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("node_key", models.PositiveIntegerField()),
                ("page_index", models.PositiveIntegerField()),
                ("quote", models.TextField()),
                ("where", models.CharField(blank=True, max_length=300)),
                ("start", models.PositiveIntegerField(default=0)),
                ("end", models.PositiveIntegerField(default=0)),
                ("spans", models.JSONField(blank=True, default=list)),
                ("boxes", models.JSONField(blank=True, default=list)),
                ("check_result", models.CharField(max_length=12)),
                ("recognised", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="documents.documentversion",
                    ),
                ),
                (
                    "claim",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="citations",
                        to="runs.claim",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="citations", to="runs.run"
                    ),
                ),
            ],
            options={
                "ordering": ["run", "marker", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Answer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("markdown", models.TextField(blank=True)),
                ("value", models.CharField(blank=True, max_length=200)),
                ("confidence", models.FloatField(blank=True, null=True)),
                ("claims_held", models.FloatField(blank=True, null=True)),
                ("parts_covered", models.FloatField(blank=True, null=True)),
                ("evidence_fit", models.FloatField(blank=True, null=True)),
                (
                    "strength",
                    models.CharField(
                        blank=True,
                        choices=[("strong", "Strong"), ("moderate", "Moderate"), ("weak", "Weak")],
                        max_length=8,
                    ),
                ),
                ("signals", models.JSONField(blank=True, default=dict)),
                ("grounded", models.BooleanField(default=False)),
                ("abstained", models.BooleanField(default=False)),
                ("missing", models.JSONField(blank=True, default=list)),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answer", to="runs.run"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RunInputs",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("program", models.CharField(blank=True, max_length=64)),
                ("factory", models.CharField(blank=True, max_length=200)),
                ("lexicon", models.JSONField(blank=True, default=list)),
                ("previous", models.JSONField(blank=True, null=True)),
                ("reasoner", models.JSONField(blank=True, default=dict)),
                ("considered", models.PositiveIntegerField(default=0)),
                ("documents", models.JSONField(blank=True, default=dict)),
                ("routes", models.JSONField(blank=True, default=list)),
                ("late", models.JSONField(blank=True, default=list)),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="inputs", to="runs.run"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "run inputs",
            },
        ),
        migrations.CreateModel(
            name="Step",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveIntegerField()),
                ("walk", models.PositiveSmallIntegerField()),
                ("index", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(max_length=12)),
                ("say", models.TextField()),
                ("thought", models.TextField(blank=True)),
                ("action", models.CharField(blank=True, max_length=40)),
                ("arguments", models.JSONField(blank=True, default=dict)),
                ("observation", models.JSONField(blank=True, default=dict)),
                ("refs", models.JSONField(blank=True, default=list)),
                ("rejected", models.JSONField(blank=True, default=list)),
                ("confidence", models.FloatField(blank=True, null=True)),
                ("latency_ms", models.FloatField(default=0)),
                ("tokens", models.PositiveIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ("engine", models.CharField(default="offline", max_length=20)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "run",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="steps", to="runs.run"),
                ),
            ],
            options={
                "ordering": ["run", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="ModelCall",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("purpose", models.CharField(max_length=40)),
                ("request_hash", models.CharField(db_index=True, max_length=64)),
                ("prompt", models.JSONField(default=list)),
                ("reply", models.TextField(blank=True)),
                ("model", models.CharField(blank=True, max_length=120)),
                ("tokens_in", models.PositiveIntegerField(default=0)),
                ("tokens_out", models.PositiveIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ("latency_ms", models.FloatField(default=0)),
                ("cached", models.BooleanField(default=False)),
                ("error_code", models.CharField(blank=True, max_length=40)),
                ("error", models.TextField(blank=True)),
                ("walk", models.PositiveSmallIntegerField(default=0)),
                ("index", models.SmallIntegerField(default=-1)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="model_calls", to="runs.run"
                    ),
                ),
                (
                    "step",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="model_calls",
                        to="runs.step",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Thread",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="threads", to="workspaces.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.AddField(
            model_name="run",
            name="thread",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="runs.thread"),
        ),
        migrations.CreateModel(
            name="Verification",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="verifications", to="runs.run"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Feedback",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("good", models.BooleanField()),
                ("reason", models.CharField(blank=True, max_length=40)),
                ("comment", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="feedback", to="runs.run"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("run", "user"), name="one_feedback_each")],
            },
        ),
        migrations.AddConstraint(
            model_name="claim",
            constraint=models.UniqueConstraint(fields=("run", "order"), name="one_claim_of_an_order"),
        ),
        migrations.AddConstraint(
            model_name="step",
            constraint=models.UniqueConstraint(fields=("run", "sequence"), name="one_step_of_a_sequence"),
        ),
        migrations.AddConstraint(
            model_name="step",
            constraint=models.UniqueConstraint(fields=("run", "walk", "index", "kind"), name="one_step_of_a_place"),
        ),
        migrations.AddConstraint(
            model_name="verification",
            constraint=models.UniqueConstraint(fields=("run", "user"), name="one_verification_each"),
        ),
    ]
