import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0005_fairness_people"),
    ]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="status",
            field=models.CharField(
                choices=[
                    ("queued", "Waiting"),
                    ("running", "Working"),
                    ("answered", "Answered"),
                    ("partial", "Answered in part"),
                    ("passages", "Closest passages"),
                    ("not_found", "Not in these documents"),
                    ("failed", "Failed"),
                    ("cancelled", "Stopped"),
                ],
                db_index=True,
                default="queued",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="citation",
            name="claim",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="citations",
                to="runs.claim",
            ),
        ),
    ]
