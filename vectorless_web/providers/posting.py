"""Sending events to addresses that owners chose: to allowed addresses alone, and without reading what comes back."""

from collections.abc import Mapping

import httpx2

from vectorless_web.providers.connections import make_transport

SECONDS = 15.0
"""How long a receiver may take to accept an event. Standard Webhooks advises 15 to 30 s; a job waits meanwhile."""


def post_event(
    address: str, body: bytes, headers: Mapping[str, str], *, private_allowed: tuple[str, ...] | None
) -> tuple[int, str]:
    """The status of the reply, and why there is none ("" when there is one). Redirects are not followed.

    `private_allowed` are the private hosts that may be reached; None allows every address.
    """
    transport = make_transport(private_allowed)
    try:
        with (
            httpx2.Client(transport=transport, timeout=SECONDS, trust_env=False) as client,
            client.stream("POST", address, content=body, headers=dict(headers)) as reply,
        ):
            return reply.status_code, ""
    except httpx2.TimeoutException:
        return 0, f"no answer within {SECONDS:.0f} seconds"
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return 0, "not reached: the name is unknown, the address is private, or nothing listens there"
