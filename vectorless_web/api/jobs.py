"""Jobs of the API: posting an event."""

from vectorless_web import wiring
from vectorless_web.api.webhooks import services


def deliver(delivery_id: int) -> None:
    """Make the attempt that is due of one delivery."""
    services.deliver(delivery_id, post=wiring.post_event)
