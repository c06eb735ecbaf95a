"""Artefacts as another program might have written them."""

from vectorless_web.engine.documents import artefact
from vectorless_web.engine.documents.card import dump_json
from vectorless_web.engine.documents.container import join_directory, split_directory


def rewritten(data: bytes, **facts) -> bytes:
    """A sound artefact with other facts in its directory; None takes one out."""
    directory, body = split_directory(data)
    raw = dump_json({name: value for name, value in {**directory, **facts}.items() if value is not None})
    return join_directory(artefact._MAGIC, raw, body)
