"""Signatures after the Standard Webhooks convention (standardwebhooks.com): HMAC-SHA256 over id, time and body."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """A fresh secret, as receivers' libraries take it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign(message: str, at: int, body: bytes, *, keys: Iterable[str]) -> dict[str, str]:
    """The headers of a message sent at `at` (seconds since 1970), with a signature by each of the secrets."""
    signed = b".".join((message.encode(), str(at).encode(), body))
    made = [
        base64.b64encode(hmac.digest(base64.b64decode(key.removeprefix(PREFIX)), signed, hashlib.sha256)).decode()
        for key in keys
    ]
    return {
        "webhook-id": message,
        "webhook-timestamp": str(at),
        "webhook-signature": " ".join(f"v1,{each}" for each in made),
    }
