"""All tables of the app as one step; a database that took the earlier steps has taken this one."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("profiles", "0001_initial"),
        ("profiles", "0002_console_sign_on"),
        ("profiles", "0003_portraits_notices"),
        ("profiles", "0004_console_sign_on_group"),
    ]
    initial = True

    dependencies = [
        ("workspaces", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Portrait",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("jpeg", models.BinaryField()),
                ("digest", models.CharField(max_length=16)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Profile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("time_zone", models.CharField(blank=True, max_length=64)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="profile", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SignOnProvider",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.SlugField(max_length=40, unique=True, verbose_name="short name")),
                ("name", models.CharField(max_length=80, verbose_name="name on the button")),
                ("issuer", models.URLField(max_length=300, verbose_name="issuer")),
                ("client", models.CharField(max_length=200, verbose_name="client")),
                ("encrypted_secret", models.TextField(blank=True, editable=False)),
                ("domain", models.CharField(blank=True, max_length=253, verbose_name="for addresses at")),
                ("group", models.CharField(blank=True, max_length=200, verbose_name="for people of its group")),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "Viewer"), ("member", "Member"), ("editor", "Editor"), ("owner", "Owner")],
                        default="member",
                        max_length=10,
                        verbose_name="as",
                    ),
                ),
                ("enabled", models.BooleanField(default=True, verbose_name="in use")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "workspace",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
    ]
