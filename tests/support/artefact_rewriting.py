"""Artefacts as another program might have written them."""

import hashlib
import json

from vectorless_web.engine.documents import artefact
from vectorless_web.engine.documents.serialise import dump_json


def rewritten(data: bytes, **facts) -> bytes:
    """A sound artefact with other facts in its directory; None takes one out."""
    head = artefact._HEAD
    _, length, _ = head.unpack(data[: head.size])
    start = head.size + length
    directory = {**json.loads(data[head.size : start]), **facts}
    raw = dump_json({name: value for name, value in directory.items() if value is not None})
    raw += b" " * (-(head.size + len(raw)) % artefact._ALIGN)
    return head.pack(artefact._MAGIC, len(raw), hashlib.sha256(raw).digest()) + raw + data[start:]
