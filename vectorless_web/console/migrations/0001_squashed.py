"""All tables of the app as one step; a database that took the earlier steps has taken this one."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("console", "0001_initial"),
        ("console", "0002_govern_backups_searches"),
    ]
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DayUsage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("workspace_key", models.BigIntegerField(default=0)),
                ("person_key", models.BigIntegerField(default=0)),
                ("model", models.CharField(blank=True, max_length=120)),
                ("runs", models.PositiveIntegerField(default=0)),
                ("answered", models.PositiveIntegerField(default=0)),
                ("partial", models.PositiveIntegerField(default=0)),
                ("not_found", models.PositiveIntegerField(default=0)),
                ("failed", models.PositiveIntegerField(default=0)),
                ("cancelled", models.PositiveIntegerField(default=0)),
                ("tokens", models.PositiveBigIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=6, default=0, max_digits=14)),
                ("pages", models.PositiveIntegerField(default=0)),
                ("bytes", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "verbose_name_plural": "usage by day",
                "ordering": ["-day", "pk"],
                "permissions": [
                    ("run_queues", "Can pause queues, drain workers and put jobs back"),
                    ("view_site_settings", "Can see how the site is set up"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("day", "workspace_key", "person_key", "model"), name="one_usage_a_day_and_place"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="BackupTask",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("act", models.CharField(choices=[("back_up", "Back up"), ("verify", "Verify")], max_length=10)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Under way"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("outcome", models.TextField(blank=True)),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("alive_at", models.DateTimeField(auto_now=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("status__in", ("queued", "running"))),
                        fields=("act",),
                        name="one_open_task_an_act",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedSearch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120)),
                ("filters", models.JSONField(default=dict)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "saved searches",
                "ordering": ["name"],
                "constraints": [models.UniqueConstraint(fields=("owner", "name"), name="one_saved_search_a_name")],
            },
        ),
    ]
