"""Opaque, stable names of nodes for a model: it can neither count them nor confuse them with positions."""

import hashlib
from collections.abc import Iterable

from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.pilot.decision import NodeId

_SHORT, _LONG = 3, 12


def candidate_key(tree: Tree, key: NodeId, *, size: int = _SHORT) -> str:
    """A name made of the node's content and place: the same in every call, different for equal contents."""
    node = tree.node(key)
    return hashlib.blake2b(f"{node.content_hash}/{node.key}".encode(), digest_size=size).hexdigest()


class KeyBook:
    """Names of the candidates of one call, and back. Nodes whose short names collide get long ones."""

    def __init__(self, tree: Tree, keys: Iterable[NodeId]) -> None:
        self._names: dict[NodeId, str] = {}
        self._nodes: dict[str, NodeId] = {}
        for key in keys:
            name = candidate_key(tree, key)
            if name in self._nodes:
                name = candidate_key(tree, key, size=_LONG)
            self._names[key] = name
            self._nodes[name] = key

    def name(self, key: NodeId) -> str:
        """The node's name in this call."""
        return self._names[key]

    def node(self, name: object) -> NodeId | None:
        """The node of that name; None for a name not given out in this call."""
        return self._nodes.get(name.strip()) if isinstance(name, str) else None
