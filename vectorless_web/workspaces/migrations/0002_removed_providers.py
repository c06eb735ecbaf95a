from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workspaces", "0001_squashed")]

    operations = [
        migrations.AddField(
            model_name="modelprovider",
            name="removed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RemoveConstraint(model_name="modelprovider", name="one_provider_of_a_name"),
        migrations.AddConstraint(
            model_name="modelprovider",
            constraint=models.UniqueConstraint(
                condition=models.Q(removed_at=None), fields=("workspace", "name"), name="one_provider_of_a_name"
            ),
        ),
    ]
