"""Checking a backup, and restoring it into a site that has nothing yet."""

import os
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from vectorless_web.backups.databases import (
    CannotRehearse,
    applied_migrations,
    count_rows,
    list_named_files,
    vendor_of,
)
from vectorless_web.backups.folder import (
    NAME,
    BackupDamaged,
    BackupError,
    Bytes,
    KeptFile,
    Manifest,
    SiteNotEmpty,
    check_bytes,
    read_manifest,
    report_full_disk,
)
from vectorless_web.backups.making import KEY_FILE, Progress, Say, key_check, tell_nobody
from vectorless_web.documents.services.keeping.installation import mark_restored, stored_marks
from vectorless_web.documents.storage.files import delete_stored, present_files, stored_sha256

OF_EVERY_SITE = {"django_migrations", "django_content_type", "auth_permission", "documents_installation"} | {
    f"workspaces_auditwords_{part}" for part in ("data", "idx", "docsize", "config")
}
"""Tables that have rows as soon as `migrate` or the sweep has run; the last are parts of SQLite's full-text index."""
FULL_REMEDY = "Free space and run the same restore again: it goes on where it stopped."


def rehearse_restore(
    backup: Path, *, kept: Bytes | None = None, progress: Progress = tell_nobody
) -> tuple[Manifest, str]:
    """Check a backup whole, and restore its database into a temporary place to compare it with the manifest.

    Its manifest, and a sentence where the restore itself could not be tried. BackupDamaged names what is
    wrong. The site's own database and files are not touched.
    """
    kept = kept or Bytes(backup.parent)
    manifest = check_backup(backup, kept=kept, progress=progress)
    vendor = vendor_of(manifest.database.vendor)
    try:
        with vendor.rehearse(kept.fetch(backup, manifest.database.name)) as query:
            rows = count_rows(query, list(manifest.database.rows))
            migrations, named = applied_migrations(query), list_named_files(query)
    except CannotRehearse as error:
        return manifest, str(error)
    other = sorted(table for table, count in manifest.database.rows.items() if rows.get(table) != count)
    if other:
        raise BackupDamaged(f"The restored database differs from the manifest in {', '.join(other)}.")
    if migrations != [list(each) for each in manifest.database.migrations]:
        raise BackupDamaged("The restored database has other migrations than the manifest says.")
    lost = sorted(set(named) - {file.name for file in manifest.files} - set(manifest.missing))
    if lost:
        raise BackupDamaged(f"The restored database names {lost[0]}, which the backup does not hold.")
    return manifest, ""


def check_backup(backup: Path, *, kept: Bytes | None = None, progress: Progress = tell_nobody) -> Manifest:
    """Read every byte of a backup and open its database copy; its manifest. BackupDamaged names what is wrong."""
    kept = kept or Bytes(backup.parent)
    manifest = read_manifest(kept.fetch(backup, NAME).parent)
    database = manifest.database
    place = kept.fetch(backup, database.name)
    check_bytes(place, database.bytes, database.sha256, f"The database copy {place}")
    damaged = _problems(kept.check, manifest.files, progress)
    if damaged:
        raise BackupDamaged("\n".join(damaged))
    if manifest.secret_key and not kept.fetch(backup, KEY_FILE).is_file():
        raise BackupDamaged(f"{backup / KEY_FILE} is missing.")
    vendor_of(database.vendor).check(place)
    return manifest


def restore_backup(backup: Path, *, say: Say, kept: Bytes | None = None) -> Manifest:
    """Put a backup into this site; its manifest. Checks the backup and the site first, and changes nothing if wrong.

    Files first, the database last and in one step: a restore that was killed is run again.
    """
    kept = kept or Bytes(backup.parent)
    manifest = read_manifest(kept.fetch(backup, NAME).parent)
    _refuse_unfit(manifest)
    refuse_full_site({file.name for file in manifest.files})
    check_backup(backup, kept=kept)
    with report_full_disk(Path(settings.VAR), FULL_REMEDY):
        for file in manifest.files:
            _restore_file(kept, file)
        vendor_of(connection.vendor).restore(backup / manifest.database.name)
    for mark in stored_marks():
        delete_stored(mark.name)
    _compare_rows(manifest)
    call_command("migrate", interactive=False, verbosity=0)
    mark_restored()
    (Path(settings.VAR) / "demo_loaded").touch()
    _restore_secret(backup, manifest, say)
    return manifest


def refuse_full_site(coming: set[str]) -> None:
    """SiteNotEmpty when the database has rows, or the storage has files other than the `coming` ones."""
    for table in sorted(set(connection.introspection.table_names()) - OF_EVERY_SITE):
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a table's name
            (count,) = cursor.fetchone()
        if count:
            raise SiteNotEmpty(
                f"This site is not empty: its table {table} has {count} rows. Restore into a new database and a new "
                "folder (DATABASE_URL, VECTORLESS_VAR), before the first start."
            )
    other = next((name for name in present_files() if name not in coming), None)
    if other is not None:
        raise SiteNotEmpty(
            f"This site is not empty: its storage holds {other}, which the backup does not. Restore into a new folder "
            "(VECTORLESS_VAR)."
        )


def _refuse_unfit(manifest: Manifest) -> None:
    if manifest.database.vendor != connection.vendor:
        raise BackupError(
            f"This backup is of a {manifest.database.vendor} database and this site's is {connection.vendor}. "
            "Set DATABASE_URL to a database of the same kind."
        )
    steps = MigrationLoader(None).disk_migrations
    # A database of the second edition names the steps that one squashed migration stands for.
    known = {*steps, *(replaced for step in steps.values() for replaced in step.replaces)}
    newer = [f"{app}.{name}" for app, name in manifest.database.migrations if (app, name) not in known]
    if newer:
        raise BackupError(
            f"This backup was made by a newer version of the program (it has the migration {newer[0]}). "
            "Restore with that version."
        )


def _restore_file(kept: Bytes, file: KeptFile) -> None:
    if default_storage.exists(file.name):
        if stored_sha256(file.name) == file.sha256:
            return
        delete_stored(file.name)  # Half of it, of a restore that was killed.
    with kept.open(file.sha256) as source:
        saved = default_storage.save(file.name, File(source))
    if saved != file.name or stored_sha256(saved) != file.sha256:
        raise BackupError(f"The storage did not keep {file.name} as it was given (as {saved}). Look at its disk.")


def _compare_rows(manifest: Manifest) -> None:
    def query(statement: str) -> list[tuple]:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    here = count_rows(query, connection.introspection.table_names())
    other = {table for table, count in manifest.database.rows.items() if here.get(table) != count}
    if other:
        raise BackupError(f"The restored database differs from the backup in {', '.join(sorted(other))}.")


def _restore_secret(backup: Path, manifest: Manifest, say: Say) -> None:
    own = Path(settings.VAR) / KEY_FILE
    comes_from_file = own.exists() and own.read_text() == settings.SECRET_KEY
    key = settings.ENCRYPTION_KEY
    if manifest.secret_key and comes_from_file:
        secret = (backup / KEY_FILE).read_text()
        beside = own.with_name(f"{KEY_FILE}.restoring")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secret)
        os.replace(beside, own)
        say(f"The secret key was restored to {own}.")
        key = secret if key == settings.SECRET_KEY else key
    if key_check(key) != manifest.key_check:
        say(
            "Warning: this site's key is not the one that the backup's secrets were encrypted with. Set SECRET_KEY "
            "(and VECTORLESS_ENCRYPTION_KEY, if it was set) to what the old site had, or copy its var/secret_key, "
            "before the first start; otherwise keys of model providers must be entered again and everybody signs in "
            "again."
        )


def _problems(check: Callable[[KeptFile], None], files: list[KeptFile], progress: Progress) -> list[str]:
    found = []
    for number, file in enumerate(files, 1):
        progress(number, len(files))
        try:
            check(file)
        except BackupDamaged as error:
            found.append(str(error))
    return found
