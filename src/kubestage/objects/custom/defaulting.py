"""Defaults that the schema of a custom resource declares.

`default` works in place, on a copy that is the caller's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.custom import object_meta, pruning
from kubestage.objects.shape_values import copy_json

if TYPE_CHECKING:
    from kubestage.objects.custom.nodes import Node


def default(value: Any, node: Node | None) -> None:
    """Fill in what is absent, or null where it may not be; then what defaults themselves lack."""
    if node is None or not node.has_defaults:
        return
    if type(value) is dict:
        for name, child in node.properties.items():
            if child.default is not None and (
                name not in value or (value[name] is None and not child.nullable)
            ):
                value[name] = copy_json(child.default)
        for name, item in value.items():
            found = node.properties.get(name)
            if found is None:
                found = node.additional
                if item is None and found is not None and not found.nullable:
                    value[name] = copy_json(found.default)
            default(value[name], found)
    elif type(value) is list:
        items = node.items
        for index, item in enumerate(value):
            if item is None and items is not None and not items.nullable:
                value[index] = copy_json(items.default)
            default(value[index], items)


def prune_defaults(root: Node) -> None:
    """Take out of defaults, in the tree itself, what would be pruned from an object."""
    _prune_below(root, root, ())


def _prune_below(node: Node, root: Node, trail: tuple[str | int, ...]) -> None:
    if node.default is not None and trail:
        holder = surround(copy_json(node.default), trail)
        object_meta.coerce(holder, root, drops_invalid=True)
        pruning.prune(holder, root)
        node.default = _at(holder, trail)
    if node.additional is not None:
        _prune_below(node.additional, root, (*trail, "*"))
    if node.items is not None:
        _prune_below(node.items, root, (*trail, 0))
    for name, child in node.properties.items():
        _prune_below(child, root, (*trail, name))


def surround(value: Any, trail: tuple[str | int, ...]) -> Any:
    """The smallest object that holds the value at that place."""
    for step in reversed(trail):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _at(holder: Any, trail: tuple[str | int, ...]) -> Any:
    for step in trail:
        if not holder:
            return None
        holder = holder[step] if isinstance(step, int) else holder.get(step)
    return holder
