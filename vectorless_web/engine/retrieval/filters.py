"""Gates: which nodes may take part at all, by label, property, tenant and time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vectorless_web.engine.retrieval.corpus import CorpusNode, Link, PropertyValue

CREATED_AT = "mnem:created_at"
UPDATED_AT = "mnem:updated_at"
TENANT = "tenant"


@dataclass(frozen=True, slots=True)
class TemporalFilter:
    """Bounds in integer microseconds since 1970 on the properties created_at and updated_at.

    `*_after` is inclusive, `*_before` exclusive, None is no bound. A stamp that is
    missing, not an integer or negative passes: age unknown is not age refused.
    """

    created_after: int | None = None
    created_before: int | None = None
    updated_after: int | None = None
    updated_before: int | None = None

    def matches(self, properties: Mapping[str, PropertyValue]) -> bool:
        """Whether a node with these properties lies within all bounds."""
        created, updated = _stamp(properties.get(CREATED_AT)), _stamp(properties.get(UPDATED_AT))
        return _is_within(created, self.created_after, self.created_before) and _is_within(
            updated, self.updated_after, self.updated_before
        )


def _stamp(value: PropertyValue) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _is_within(stamp: int | None, after: int | None, before: int | None) -> bool:
    if stamp is None:
        return True
    return (after is None or stamp >= after) and (before is None or stamp < before)


def property_equals(properties: Mapping[str, PropertyValue], name: str, value: PropertyValue) -> bool:
    """Whether the property is present and strictly equal: 5, 5.0 and "5" differ, true is not 1, lists keep order."""
    return name in properties and same_value(properties[name], value)


def same_value(a: PropertyValue, b: PropertyValue) -> bool:
    """Equality that is strict in type, also inside lists and maps."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same_value(a[key], b[key]) for key in a)
    if _is_list(a) and _is_list(b):
        left, right = list(_items(a)), list(_items(b))
        return len(left) == len(right) and all(map(same_value, left, right))
    return type(a) is type(b) and a == b


def _is_list(value: PropertyValue) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _items(value: PropertyValue) -> Sequence[PropertyValue]:
    assert isinstance(value, Sequence) and not isinstance(value, str | bytes | Link)
    return value


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """Everything a node must satisfy. `wanted` are (name, value) properties, all of which must be equal."""

    label: str | None = None
    wanted: tuple[tuple[str, PropertyValue], ...] = ()
    tenant: str | None = None
    temporal: TemporalFilter | None = None

    @property
    def is_open(self) -> bool:
        """Whether every node passes."""
        return self == NodeFilter()

    @property
    def reads_properties(self) -> bool:
        """Whether the node itself must be read, beyond its label."""
        return bool(self.wanted) or self.tenant is not None or self.temporal is not None

    def admits(self, node: CorpusNode) -> bool:
        """Whether the node satisfies label, properties, tenant and time."""
        return self.admits_neighbour(node) and all(
            property_equals(node.properties, name, value) for name, value in self.wanted
        )

    def admits_neighbour(self, node: CorpusNode) -> bool:
        """The same without the properties: an edge may lead to the answer from a node that has them."""
        if self.label is not None and node.ntype != self.label:
            return False
        if self.tenant is not None and node.properties.get(TENANT) != self.tenant:
            return False
        return self.temporal is None or self.temporal.matches(node.properties)
