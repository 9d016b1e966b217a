"""Unknown fields of a custom resource go, and so do nulls where nothing may be null.

The functions work in place, on a copy that is the caller's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.custom.nodes import Node

META: Final = frozenset({"apiVersion", "kind", "metadata"})


def prune(value: Any, node: Node) -> list[str]:
    """Remove what the schema does not have; the paths of what went, in order.

    Fields of the type and of metadata stay wherever a resource begins.
    """
    removed: list[str] = []
    _prune(value, node, "", removed)
    removed.sort()
    return removed


def _prune(value: Any, node: Node | None, path: str, removed: list[str]) -> None:
    kind = type(value)
    if kind is dict:
        _prune_object(value, node, path, removed)
    elif kind is list:
        items = None if node is None else node.items
        if node is not None and node.preserves:
            for index, item in enumerate(value):
                _prune_below(item, items, f"{path}[{index}]", removed)
        else:
            for index, item in enumerate(value):
                if type(item) is dict or type(item) is list:
                    _prune(item, items, f"{path}[{index}]", removed)


def _prune_object(value: Json, node: Node | None, path: str, removed: list[str]) -> None:
    unknown = []
    for name, item in value.items():
        if node is None:
            unknown.append(name)
            continue
        if node.is_embedded and name in META:
            continue
        child = node.properties.get(name)
        if child is None and not node.has_additional:
            if not node.preserves:
                unknown.append(name)
            continue
        if type(item) is dict or type(item) is list:
            below = node.additional if child is None else child
            _prune(item, below, f"{path}.{name}" if path else name, removed)
    for name in unknown:
        if path or name not in META:
            removed.append(f"{path}.{name}" if path else name)
        del value[name]


def _prune_below(value: Any, node: Node | None, path: str, removed: list[str]) -> None:
    """What lies in a list that keeps unknown fields is looked through, not thinned out."""
    if node is None:
        return
    if type(value) is list:
        for index, item in enumerate(value):
            _prune_below(item, node.items, f"{path}[{index}]", removed)
    elif type(value) is dict:
        for name, item in value.items():
            if node.is_embedded and name in META:
                continue
            child = node.properties.get(name)
            if child is not None or node.has_additional:
                below = node.additional if child is None else child
                _prune(item, below, f"{path}.{name}" if path else name, removed)


def drop_nulls(value: Any, node: Node | None) -> None:
    """Remove nulls that are neither allowed nor have a default to take their place."""
    if type(value) is list:
        items = None if node is None else node.items
        for item in value:
            if type(item) is dict or type(item) is list:
                drop_nulls(item, items)
    elif type(value) is dict:
        empty = []
        for name, item in value.items():
            child = None if node is None else node.field(name)
            if item is None:
                if child is not None and not child.nullable and child.default is None:
                    empty.append(name)
            elif type(item) is dict or type(item) is list:
                drop_nulls(item, child)
        for name in empty:
            del value[name]


def settle_numbers(value: Any) -> None:
    """Whole numbers become integers: so they are read again after ``1.0`` was stored as ``1``."""
    entries = value.items() if type(value) is dict else enumerate(value)
    whole = []
    for key, item in entries:
        kind = type(item)
        if kind is dict or kind is list:
            settle_numbers(item)
        elif kind is float and item.is_integer() and abs(item) < _EXACT:
            whole.append(key)
    for key in whole:
        value[key] = int(value[key])


_EXACT: Final = 1 << 53
