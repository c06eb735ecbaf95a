"""All tables of the app as one step; a database that took the earlier steps has taken this one."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("sharing", "0001_initial"),
        ("sharing", "0002_limits_and_labels"),
    ]
    initial = True

    dependencies = [
        ("runs", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ShareLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("password_hash", models.CharField(blank=True, max_length=128)),
                ("redact", models.BooleanField(default=False)),
                ("hide_trace", models.BooleanField(default=False)),
                ("label", models.CharField(blank=True, max_length=60)),
                ("views_max", models.PositiveIntegerField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
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
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="share_links", to="runs.run"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="ShareView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("ip_prefix", models.CharField(blank=True, max_length=50)),
                ("agent", models.CharField(blank=True, max_length=200)),
                ("pages", models.JSONField(blank=True, default=list)),
                (
                    "link",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="views", to="sharing.sharelink"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
    ]
