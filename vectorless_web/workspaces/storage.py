"""Secrets at rest: tokens as hashes, keys of model providers encrypted."""

import base64
import hashlib
import secrets

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
