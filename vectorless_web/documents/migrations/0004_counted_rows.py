from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0003_same_name")]

    operations = [
        migrations.RemoveIndex(model_name="document", name="document_list"),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(
                fields=["workspace", "deleted_at", "-id", "folder", "current_version", "quarantined_at"],
                name="document_list",
            ),
        ),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(fields=["workspace", "deleted_at", "title", "id"], name="document_titles"),
        ),
        migrations.AddIndex(
            model_name="documentversion",
            index=models.Index(fields=["document", "-number", "status"], name="version_newest"),
        ),
        migrations.AddIndex(
            model_name="documentversion",
            index=models.Index(fields=["status", "added_by", "id"], name="version_turns"),
        ),
    ]
