"""All tables of the app as one step; a database that took the earlier steps has taken this one."""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from vectorless_web.workspaces.storage import AUDIT_WORDS


def index_words(_apps, schema_editor):
    """Let words of the record be found: a full-text index of names and acts, each database's own."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"CREATE INDEX audit_words ON workspaces_auditevent USING gin ({AUDIT_WORDS})")
        return
    old = "INSERT INTO workspaces_auditwords(workspaces_auditwords, rowid, verb, object_name) "
    old += "VALUES ('delete', old.id, old.verb, old.object_name);"
    new = "INSERT INTO workspaces_auditwords(rowid, verb, object_name) VALUES (new.id, new.verb, new.object_name);"
    on = "ON workspaces_auditevent BEGIN"
    for statement in (
        "CREATE VIRTUAL TABLE workspaces_auditwords USING fts5("
        "verb, object_name, content='workspaces_auditevent', content_rowid='id', prefix='2 3')",
        "INSERT INTO workspaces_auditwords(workspaces_auditwords) VALUES ('rebuild')",
        f"CREATE TRIGGER audit_words_added AFTER INSERT {on} {new} END",
        f"CREATE TRIGGER audit_words_removed AFTER DELETE {on} {old} END",
        f"CREATE TRIGGER audit_words_changed AFTER UPDATE OF verb, object_name {on} {old} {new} END",
    ):
        schema_editor.execute(statement)


def forget_words(_apps, schema_editor):
    """Remove the index."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX audit_words")
        return
    for name in ("added", "removed", "changed"):
        schema_editor.execute(f"DROP TRIGGER audit_words_{name}")
    schema_editor.execute("DROP TABLE workspaces_auditwords")


class Migration(migrations.Migration):
    replaces = [
        ("workspaces", "0001_initial"),
        ("workspaces", "0002_lexicon_entries"),
        ("workspaces", "0003_accounts_encrypt_two_step"),
        ("workspaces", "0004_pictures_of_pages"),
        ("workspaces", "0005_creator_may_leave"),
        ("workspaces", "0006_audit_chain_console"),
        ("workspaces", "0007_people_groups"),
        ("workspaces", "0008_govern_site_settings"),
        ("workspaces", "0009_console"),
        ("workspaces", "0010_console_budgets_by_staff"),
        ("workspaces", "0011_console_audit_seals"),
    ]
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("count", models.PositiveBigIntegerField(default=0)),
                ("digest", models.CharField(blank=True, max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name="ModelHost",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("host", models.CharField(max_length=253, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["host"],
            },
        ),
        migrations.CreateModel(
            name="PeopleGroup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120, unique=True)),
                ("description", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "people",
                    models.ManyToManyField(blank=True, related_name="people_groups", to=settings.AUTH_USER_MODEL),
                ),
            ],
            options={
                "verbose_name": "group of people",
                "verbose_name_plural": "groups of people",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="SiteSetting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, unique=True)),
                ("value", models.JSONField(blank=True, default=dict)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "changed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Workspace",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120)),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("description", models.TextField(blank=True)),
                ("settings", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                ("max_bytes", models.PositiveBigIntegerField(blank=True, null=True, verbose_name="bytes it may store")),
                (
                    "max_documents",
                    models.PositiveIntegerField(blank=True, null=True, verbose_name="documents it may hold"),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=300)),
                ("begun_at", models.DateTimeField(auto_now_add=True)),
                ("ends_at", models.DateTimeField(db_index=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="visits", to="workspaces.workspace"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "Viewer"), ("member", "Member"), ("editor", "Editor"), ("owner", "Owner")],
                        default="member",
                        max_length=10,
                    ),
                ),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
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
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="TwoStepRule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("user", None), ("group", None), _connector="OR"),
                        name="two_step_rule_of_one",
                    ),
                    models.UniqueConstraint(
                        django.db.models.functions.comparison.Coalesce(
                            "user", 0, output_field=models.BigIntegerField()
                        ),
                        django.db.models.functions.comparison.Coalesce(
                            "group", 0, output_field=models.BigIntegerField()
                        ),
                        name="one_two_step_rule_each",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelProvider",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80)),
                ("base_url", models.CharField(max_length=300, verbose_name="address")),
                ("model", models.CharField(max_length=120)),
                ("encrypted_key", models.TextField(blank=True, editable=False)),
                (
                    "price_in",
                    models.DecimalField(
                        decimal_places=4, default=0, max_digits=10, verbose_name="price per million tokens in"
                    ),
                ),
                (
                    "price_out",
                    models.DecimalField(
                        decimal_places=4, default=0, max_digits=10, verbose_name="price per million tokens out"
                    ),
                ),
                ("context_size", models.PositiveIntegerField(default=128000, verbose_name="context size in tokens")),
                (
                    "pictures",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "As its test finds"),
                            ("yes", "Yes, it reads pictures"),
                            ("no", "No, send it text alone"),
                        ],
                        default="",
                        max_length=4,
                        verbose_name="pictures of pages",
                    ),
                ),
                ("capabilities", models.JSONField(blank=True, default=dict)),
                ("enabled", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "workspace",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="model_providers",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(fields=("workspace", "name"), name="one_provider_of_a_name")],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "Viewer"), ("member", "Member"), ("editor", "Editor"), ("owner", "Owner")],
                        default="member",
                        max_length=10,
                    ),
                ),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(fields=("workspace", "user"), name="one_membership_each")],
            },
        ),
        migrations.CreateModel(
            name="LexiconEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("concept", models.CharField(max_length=120, verbose_name="people ask for")),
                ("phrases", models.JSONField(default=list, verbose_name="documents say")),
                ("statement", models.CharField(blank=True, max_length=40, verbose_name="a figure of")),
                ("note", models.CharField(blank=True, max_length=300)),
                ("at", models.DateTimeField(auto_now=True, verbose_name="changed at")),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="lexicon_entries",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "lexicon entries",
                "ordering": [django.db.models.functions.text.Lower("concept"), "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("workspace"),
                        django.db.models.functions.text.Lower("concept"),
                        name="one_lexicon_entry_of_a_concept",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="GroupMembership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "Viewer"), ("member", "Member"), ("editor", "Editor"), ("owner", "Owner")],
                        default="member",
                        max_length=10,
                    ),
                ),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="workspaces.peoplegroup",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="group_memberships",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["group__name"],
                "constraints": [models.UniqueConstraint(fields=("workspace", "group"), name="one_membership_a_group")],
            },
        ),
        migrations.CreateModel(
            name="Budget",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("by_staff", models.BooleanField(default=False, verbose_name="set by administrators")),
                (
                    "period",
                    models.CharField(choices=[("day", "A day"), ("month", "A month")], default="month", max_length=8),
                ),
                ("limit_usd", models.DecimalField(decimal_places=4, max_digits=12)),
                (
                    "warn_percent",
                    models.PositiveSmallIntegerField(
                        default=80,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                        verbose_name="warn at percent",
                    ),
                ),
                ("spent_usd", models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ("reserved_usd", models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ("period_start", models.DateField()),
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
                (
                    "workspace",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="budgets",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.comparison.Coalesce(
                            "workspace", 0, output_field=models.BigIntegerField()
                        ),
                        django.db.models.functions.comparison.Coalesce(
                            "user", 0, output_field=models.BigIntegerField()
                        ),
                        models.F("by_staff"),
                        name="one_budget_of_a_place",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("verb", models.CharField(max_length=60)),
                ("object_type", models.CharField(blank=True, max_length=40)),
                ("object_id", models.CharField(blank=True, max_length=40)),
                ("object_name", models.CharField(blank=True, max_length=300)),
                ("details", models.JSONField(blank=True, default=dict)),
                ("address", models.CharField(blank=True, max_length=50)),
                ("actor_key", models.BigIntegerField(default=0)),
                ("workspace_key", models.BigIntegerField(default=0)),
                ("salt", models.CharField(blank=True, max_length=48, null=True)),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                (
                    "actor",
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
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(fields=["verb", "-id"], name="audit_verb"),
                    models.Index(fields=["actor", "-id"], name="audit_actor"),
                    models.Index(fields=["workspace", "-id"], name="audit_workspace"),
                ],
            },
        ),
        migrations.RunPython(index_words, forget_words),
    ]
