"""All tables of the app as one step; a database that took the earlier steps has taken this one."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("api", "0001_initial"),
        ("api", "0002_webhooks"),
        ("api", "0003_admin_scope"),
        ("api", "0004_more_events"),
    ]

    initial = True

    dependencies = [
        ("workspaces", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120)),
                ("prefix", models.CharField(max_length=12)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("read", "Read documents, runs and settings; search and route"),
                            ("ask", "Ask questions, too"),
                            ("write", "Upload, change and delete documents, too"),
                            ("admin", "See and set what owners govern, too"),
                        ],
                        default="read",
                        max_length=8,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("workspaces", models.ManyToManyField(blank=True, related_name="+", to="workspaces.workspace")),
            ],
            options={
                "verbose_name": "API token",
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="KeptReply",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=200)),
                ("request_hash", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField(default=0)),
                ("body", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                (
                    "token",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="api.apitoken"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("token", "key"), name="one_reply_a_key")],
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.CharField(max_length=500)),
                ("events", models.JSONField(default=list)),
                ("encrypted_secret", models.TextField(editable=False)),
                ("encrypted_old_secret", models.TextField(blank=True, editable=False)),
                ("old_secret_until", models.DateTimeField(blank=True, null=True)),
                ("enabled", models.BooleanField(default=True)),
                ("failing_since", models.DateTimeField(blank=True, null=True)),
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="workspaces.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("message", models.CharField(max_length=60, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("run.finished", "A question was answered, stopped, or failed"),
                            ("document.ready", "A document, or a version of one, was read"),
                            ("document.failed", "A document could not be read"),
                            ("grid.finished", "A grid has no cell under way any more"),
                            ("evaluation.finished", "An evaluation has asked all its questions"),
                        ],
                        max_length=30,
                    ),
                ),
                ("payload", models.JSONField()),
                (
                    "status",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("delivered", "delivered"), ("failed", "failed")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("reply", models.PositiveSmallIntegerField(default=0)),
                ("error", models.CharField(blank=True, max_length=200)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="api.webhook"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "deliveries",
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(condition=models.Q(("status", "waiting")), fields=["due_at"], name="deliveries_due")
                ],
            },
        ),
    ]
