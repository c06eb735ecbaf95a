from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("api", "0003_admin_scope"),
    ]

    operations = [
        migrations.AlterField(
            model_name="delivery",
            name="kind",
            field=models.CharField(
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
    ]
