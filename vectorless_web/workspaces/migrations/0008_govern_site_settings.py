import django.db.models.deletion
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
    dependencies = [
        ("workspaces", "0007_people_groups"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            options={"ordering": ["name"]},
        ),
        migrations.RunPython(index_words, forget_words),
    ]
