"""Health check of the file storage, as `/health/ready` tells it."""

from django.db import DatabaseError

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.storage.files import check_reachable
from vectorless_web.infra.outages import StorageAway
from vectorless_web.infra.web.health_checks import Finding, Level, ok


def check_storage() -> Finding:
    """Whether the folder of stored files is there, once the database names a file in it."""
    try:
        if DocumentVersion.objects.exclude(file="").exists():
            check_reachable()
    except StorageAway as error:
        return Finding(Level.UNAVAILABLE, f"Uploads and documents cannot be read: {error}.")
    except DatabaseError as error:
        return Finding(Level.UNAVAILABLE, f"The database does not say which files there are: {error}")
    return ok()
