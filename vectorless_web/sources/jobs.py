"""Jobs of sources, on the queue "background"."""

from vectorless_web import wiring
from vectorless_web.sources import services


def look(source_id: int) -> None:
    """Look at a source; a second delivery exits quietly."""
    services.look(source_id, open_place=wiring.open_place)
