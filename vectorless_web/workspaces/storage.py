"""Secrets at rest: tokens as hashes, keys of model providers encrypted; the digests that chain the record."""

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping
from datetime import UTC
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

TOKEN_BYTES = 24
"""192 random bits: far beyond guessing."""


class SecretUnreadable(Exception):
    """Raised when a stored secret was encrypted with another key."""


def new_token() -> str:
    """A fresh, URL-safe token."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hash_token(token: str) -> str:
    """The SHA-256 of a token in hexadecimal; a long random token needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


def encrypt(secret: str) -> str:
    """`secret` as authenticated ciphertext (Fernet: AES-128-CBC with HMAC-SHA256); "" stays ""."""
    return _cipher().encrypt(secret.encode()).decode() if secret else ""


def decrypt(ciphertext: str) -> str:
    """The secret behind `encrypt`'s result; SecretUnreadable when the key has changed since."""
    if not ciphertext:
        return ""
    try:
        return _cipher().decrypt(ciphertext.encode()).decode()
    except InvalidToken as error:
        raise SecretUnreadable("The stored key cannot be read with this installation's encryption key.") from error


def _cipher() -> Fernet:
    source = getattr(settings, "ENCRYPTION_KEY", "") or settings.SECRET_KEY
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"vectorless-web model provider keys")
    return Fernet(base64.urlsafe_b64encode(kdf.derive(source.encode())))


CHAINED = ("actor_key", "verb", "object_type", "object_id", "object_name", "workspace_key", "address")
"""Columns of an event that its digest is made of, besides its time, its details and the digest before."""
SEALED = "object_name"
"""The one of them that may be hidden from a reader, as the details may: an event's seal stands for both."""


AUDIT_WORDS = (
    "to_tsvector('simple', regexp_replace("
    "workspaces_auditevent.verb || ' ' || workspaces_auditevent.object_name, '[^[:alnum:]]+', ' ', 'g'))"
)
"""What PostgreSQL's index of the record's words holds; a search has to name exactly this."""


def digest_event(before: str, event: Mapping[str, Any]) -> str:
    """The SHA-256, in hexadecimal, of an event and of the digest `before` it.

    `event` has the columns of CHAINED, `at` and `details`, and, but for those of earlier versions, a `salt`: its seal
    then stands for name and details. With a `seal` and no salt, name and details are not looked at.
    """
    at = event["at"].astimezone(UTC).isoformat()
    if seal := event.get("seal") or (seal_event(event) if event.get("salt") else ""):
        return _hash([before, *(event[name] for name in CHAINED if name != SEALED), at, seal])
    return _hash([before, *(event[name] for name in CHAINED), at, _write_alike(event["details"])])


def seal_event(event: Mapping[str, Any]) -> str:
    """The SHA-256, in hexadecimal, of an event's salt, name and details. Without the salt nobody guesses them from it.

    Numbers are written alike whether a database gave them back as 5 or 5.0.
    """
    return _hash([event["salt"], event[SEALED], _write_alike(event["details"])])


def _hash(values: list[Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _write_alike(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _write_alike(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_write_alike(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
