"""All tables of the app as one step; a database that took the earlier steps has taken this one."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("notices", "0001_initial"),
        ("notices", "0002_console_site_notices"),
    ]
    initial = True

    dependencies = [
        ("workspaces", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Mute",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("run_ended", "A question of yours was answered after you left its page"),
                            ("mentioned", "Somebody mentioned you in a comment"),
                            ("commented", "Somebody commented on a question of yours"),
                            ("verified", "Somebody verified an answer to a question of yours"),
                            ("document_failed", "A document that you uploaded could not be read"),
                            ("budget", "A budget that you set, or that limits you, is nearly or wholly used up"),
                            ("invitation_accepted", "Somebody joined by an invitation of yours"),
                            ("role_changed", "Your role in a workspace changed"),
                            ("link_expiring", "A share link of yours is about to end"),
                        ],
                        max_length=24,
                    ),
                ),
                ("channel", models.CharField(choices=[("bell", "In the bell"), ("mail", "By mail")], max_length=8)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(fields=("user", "kind", "channel"), name="one_mute_of_a_kind")],
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("run_ended", "A question of yours was answered after you left its page"),
                            ("mentioned", "Somebody mentioned you in a comment"),
                            ("commented", "Somebody commented on a question of yours"),
                            ("verified", "Somebody verified an answer to a question of yours"),
                            ("document_failed", "A document that you uploaded could not be read"),
                            ("budget", "A budget that you set, or that limits you, is nearly or wholly used up"),
                            ("invitation_accepted", "Somebody joined by an invitation of yours"),
                            ("role_changed", "Your role in a workspace changed"),
                            ("link_expiring", "A share link of yours is about to end"),
                        ],
                        max_length=24,
                    ),
                ),
                ("about", models.BigIntegerField()),
                ("details", models.JSONField(blank=True, default=dict)),
                ("once", models.CharField(blank=True, max_length=60)),
                ("listed", models.BooleanField(default=True)),
                ("mail_after", models.DateTimeField(blank=True, null=True)),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notices", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(fields=["user", "-id"], name="notices_of_person"),
                    models.Index(
                        condition=models.Q(("mail_after__isnull", False)),
                        fields=["mail_after"],
                        name="notices_to_be_mailed",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("once", ""), _negated=True),
                        fields=("user", "once"),
                        name="one_notice_of_what_is_told_once",
                    )
                ],
            },
        ),
    ]
