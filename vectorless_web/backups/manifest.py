"""What a backup consists of: one JSON file, written last, that carries a checksum of itself."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vectorless_web.backups.errors import BackupDamaged

NAME = "manifest.json"
FORMAT = 1


@dataclass(frozen=True)
class KeptFile:
    """One stored file: its name in storage, and its bytes by SHA-256 and size."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class DatabaseFile:
    """The copy of the database: `vendor` is sqlite or postgresql, `name` the file beside the manifest."""

    vendor: str
    version: str
    """Of the server, or of the SQLite library."""
    name: str
    sha256: str
    bytes: int
    rows: dict[str, int]
    """How many rows each table has."""
    migrations: list[list[str]]
    """[app, name] of each migration that the database has."""


@dataclass(frozen=True)
class Manifest:
    """Everything a backup holds."""

    format: int
    made_at: str
    """ISO 8601, UTC."""
    engine_version: str
    installation: str
    generation: int
    database: DatabaseFile
    files: list[KeptFile]
    missing: list[str]
    """Names of files that the database names and the storage no longer had."""
    altered: list[str]
    """Names of files whose bytes were not those that the database expects; they are kept as they were."""
    key_check: str
    """Tells whether a site has the encryption key that this backup's secrets were encrypted with."""
    secret_key: bool
    """Whether the file with the installation's secret key is part of the backup."""


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest into a backup's folder and have it reach the disk."""
    content = asdict(manifest)
    content["checksum"] = _checksum(content)
    path = folder / NAME
    with path.open("x", encoding="utf-8") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup; BackupDamaged when it is missing, cut off, altered or of another format."""
    try:
        content = json.loads((folder / NAME).read_text(encoding="utf-8"))
        checksum = content.pop("checksum")
    except FileNotFoundError as error:
        raise BackupDamaged(f"{folder} has no {NAME}: this backup was never finished.") from error
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise BackupDamaged(f"{folder / NAME} is cut off or damaged. Use another backup.") from error
    if checksum != _checksum(content):
        raise BackupDamaged(f"{folder / NAME} was altered: its checksum does not fit. Use another backup.")
    if content["format"] != FORMAT:
        raise BackupDamaged(
            f"{folder / NAME} has format {content['format']}, this program reads {FORMAT}. "
            "Use the version of the program that made the backup."
        )
    database = DatabaseFile(**content.pop("database"))
    files = [KeptFile(**file) for file in content.pop("files")]
    return Manifest(**content, database=database, files=files)


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
