"""Note the size of each compiled file, for the limit of what a workspace may store."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0007_repair")]

    operations = [
        migrations.AddField("documentversion", "artefact_bytes", models.PositiveBigIntegerField(default=0)),
    ]
