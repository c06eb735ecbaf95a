"""What nodes are called in a prompt: [851], or [B851] when several documents are shown."""

import re
from collections.abc import Sequence
from string import ascii_uppercase

from vectorless_web.engine.retriever import parse_node_id

_SAID = re.compile(r"(?<![\w.])([A-Za-z]?)\s?(\d{1,9})(?![\w.]*\w)")


class NodeNames:
    """Short names for nodes of some documents, which are lettered in the order given."""

    def __init__(self, documents: Sequence[str]) -> None:
        self._documents = list(dict.fromkeys(documents))
        self._letters = dict(zip(self._documents, ascii_uppercase, strict=False)) if len(self._documents) > 1 else {}

    def name(self, document: str, key: int) -> str:
        """The name a node is shown by."""
        return f"{self._letters.get(document, '')}{key}"

    def letter(self, document: str) -> str:
        """The document's letter; "" when it stands alone."""
        return self._letters.get(document, "")

    def read(self, said: object) -> tuple[str, int]:
        """(document, key) of a name however it was written: 851, "[851]", "node 851", "B851", "1:851".

        A name that says no node is ("", -1); a bare number among several documents is the first one's.
        """
        text = str(said).strip().strip("[](){}<>\"'` ")
        whole = parse_node_id(text)
        if whole is not None and whole[0] in self._documents:
            return whole
        found = _SAID.search(text.rsplit(":", 1)[-1])
        if found is None:
            return "", -1
        letters = {letter: document for document, letter in self._letters.items()}
        document = letters.get(found.group(1).upper()) or next(iter(self._documents), "")
        return document, int(found.group(2))
