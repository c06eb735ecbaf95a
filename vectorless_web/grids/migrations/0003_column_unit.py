from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("grids", "0002_links")]

    operations = [
        migrations.AddField("column", "unit", models.CharField(blank=True, max_length=20)),
    ]
