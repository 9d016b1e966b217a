"""Which old value a new one replaces: what did not change is not validated again.

A field is found again by its name, an element of a list by its keys if the list is a map; the
elements of other lists cannot be matched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kubestage.objects.custom.nodes import Node


def same(new: Any, old: Any) -> bool:
    """Whether two JSON values are equal, and of the same types throughout."""
    if type(new) is not type(old):
        return False
    if type(new) is dict:
        return len(new) == len(old) and all(
            name in old and same(item, old[name]) for name, item in new.items()
        )
    if type(new) is list:
        return len(new) == len(old) and all(map(same, new, old))
    return bool(new == old)


def map_key(item: Any, keys: list[str]) -> tuple[Any, ...] | None:
    """What identifies an element of a list that is a map; None if nothing does."""
    if type(item) is not dict:
        return None
    found = []
    for key in keys:
        value = item.get(key)
        if value is None or isinstance(value, (dict, list)):
            return None
        found.append((type(value), value))
    return tuple(found)


def old_items(node: Node, old: Any) -> dict[tuple[Any, ...], Any]:
    """The elements of an old list by key; none if the list is no map."""
    if type(old) is not list or node.list_type != "map" or not node.map_keys:
        return {}
    keyed: dict[tuple[Any, ...], Any] = {}
    for item in old:
        key = map_key(item, node.map_keys)
        if key is not None:
            keyed.setdefault(key, item)
    return keyed


class Correlated:
    """A value that has taken the place of an old one, and the schema of both."""

    __slots__ = ("_children", "_equal", "_old_items", "new", "node", "old")

    def __init__(self, new: Any, old: Any, node: Node) -> None:
        self.new = new
        self.old = old
        self.node = node
        self._equal: bool | None = None
        self._children: dict[str | int, Correlated] = {}
        self._old_items: dict[tuple[Any, ...], Any] | None = None

    def key(self, name: str) -> Correlated | None:
        """The field of that name, if both values have it and the schema knows it."""
        known = self._children.get(name)
        if known is not None:
            return known
        if type(self.new) is not dict or type(self.old) is not dict:
            return None
        child = self.node.field(name)
        if child is None or name not in self.new or name not in self.old:
            return None
        child_pair = self._children[name] = Correlated(self.new[name], self.old[name], child)
        return child_pair

    def index(self, at: int) -> Correlated | None:
        """The element at that place of the new list, if the old one had it."""
        known = self._children.get(at)
        if known is not None:
            return known
        node = self.node
        if type(self.new) is not list or at >= len(self.new) or node.items is None:
            return None
        if self._old_items is None:
            self._old_items = old_items(node, self.old)
        key = map_key(self.new[at], node.map_keys)
        found = self._old_items.get(key) if key is not None else None
        if found is None:
            return None
        child_pair = self._children[at] = Correlated(self.new[at], found, node.items)
        return child_pair

    @property
    def is_unchanged(self) -> bool:
        """Whether new and old are equal; a list that is a map may be in another order."""
        if self._equal is None:
            self._equal = self._compare()
        return self._equal

    def _compare(self) -> bool:
        new, old = self.new, self.old
        if type(new) is list and type(old) is list:
            if self.node.list_type != "map":
                return same(new, old)
            pairs = [self.index(at) for at in range(len(new))]
            if len(new) != len(old):
                return False
            return all(pair is not None and pair.is_unchanged for pair in pairs)
        if type(new) is dict and type(old) is dict:
            if len(new) != len(old):
                return False
            fields = (self.key(name) for name in new)
            return all(each is not None and each.is_unchanged for each in fields)
        return same(new, old)
