"""Jobs of the queue "documents"."""

from vectorless_web.documents import services


def compile_version(version_id: int) -> None:
    """Read one uploaded file; a second delivery exits quietly."""
    services.compile_version(version_id)


def compact_snapshot(workspace_id: int) -> None:
    """Write the cards of a workspace into one file; a second delivery changes nothing."""
    services.compact_snapshot(workspace_id)
