from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0002_late_reading")]

    operations = [
        migrations.AddField(
            model_name="partialupload",
            name="same_name_as",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=models.deletion.CASCADE,
                related_name="+",
                to="documents.document",
            ),
        ),
    ]
