"""Jobs of exports, on the queue "long"."""

from vectorless_web.backups import services


def pack_workspace(export_id: int) -> None:
    """Pack a workspace for its owner; a second delivery exits quietly."""
    services.pack_workspace(export_id)
