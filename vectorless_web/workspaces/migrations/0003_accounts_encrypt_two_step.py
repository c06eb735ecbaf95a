"""Encrypts the secrets of two-step sign-in that earlier versions stored in clear."""

from django.db import migrations

from vectorless_web.workspaces.accounts.adapters import ENCRYPTED
from vectorless_web.workspaces.storage import encrypt


def _encrypted(value):
    return value if value.startswith(ENCRYPTED) else f"{ENCRYPTED}{encrypt(value)}"


def encrypt_secrets(apps, schema_editor):
    for row in apps.get_model("mfa", "Authenticator").objects.using(schema_editor.connection.alias).iterator():
        for name in ("secret", "seed"):
            if isinstance(row.data.get(name), str):
                row.data[name] = _encrypted(row.data[name])
        if "migrated_codes" in row.data:
            row.data["migrated_codes"] = [_encrypted(code) for code in row.data["migrated_codes"]]
        row.save(update_fields=["data"])


class Migration(migrations.Migration):
    dependencies = [
        ("workspaces", "0002_lexicon_entries"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [migrations.RunPython(encrypt_secrets, migrations.RunPython.noop)]
