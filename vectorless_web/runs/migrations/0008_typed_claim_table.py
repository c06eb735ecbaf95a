"""A claim may announce a small table, as a comparison does."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Claims written before have none."""

    dependencies = [("runs", "0007_calibrated_confidence")]

    operations = [
        migrations.AddField(
            model_name="claim",
            name="table",
            field=models.JSONField(blank=True, default=list),
        )
    ]
