"""Laying an applied configuration over an object, and taking fields out of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.ownership import field_set, values
from kubestage.objects.ownership.values import ABSENT

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.ownership.field_set import FieldSet
    from kubestage.objects.ownership.topology import Atom, List, Map


def merge(atom: Atom, live: Json, config: Json) -> Json:
    """The live object with everything of the configuration."""
    merged = _merge(atom, live, config)
    return merged if isinstance(merged, dict) else {}


def _merge(atom: Atom, live: Any, config: Any) -> Any:
    if config is ABSENT:
        return live
    if live is ABSENT:
        return config
    how = values.form(atom, config)
    if how == "map":
        assert atom.map is not None
        return _merge_maps(atom.map, live, config)
    if how == "list":
        assert atom.list is not None
        return _merge_lists(atom.list, live, config)
    return config


def _merge_maps(shape: Map, live: Any, config: Any) -> Any:
    old = live if isinstance(live, dict) else {}
    new = config if isinstance(config, dict) else {}
    if shape.atomic or not (old or new):
        return config
    merged = dict(old)
    fields = shape.fields
    for key, value in new.items():
        atom = fields.get(key) or shape.element
        below = value if atom is None else _merge(atom, old.get(key, ABSENT), value)
        if below is ABSENT:
            merged.pop(key, None)
        else:
            merged[key] = below
    return merged or ABSENT


def _merge_lists(shape: List, live: Any, config: Any) -> Any:
    old = live if isinstance(live, list) else []
    new = config if isinstance(config, list) else []
    if shape.atomic or not (old or new):
        return config
    return _Lists(shape, old, new).merged() or ABSENT


class _Lists:
    """Two lists on their way to one: items in the configuration's order, others where they were."""

    def __init__(self, shape: List, old: list[Any], new: list[Any]) -> None:
        self._shape = shape
        self._left = [(values.element_of(shape, item), item) for item in old]
        self._right = [(values.element_of(shape, item), item) for item in new]
        self._old = values.indexed(shape, old)
        self._new = values.indexed(shape, new)
        # What both have, in the order of the configuration, last first.
        self._shared = [element for element, _ in self._right if element in self._old][::-1]
        self._out: list[Any] = []
        self._done: set[str] = set()

    def merged(self) -> list[Any]:
        """One list of all items."""
        left, right, shared, done = self._left, self._right, self._shared, self._done
        at, to = 0, 0
        while at < len(left) or to < len(right):
            if at < len(left) and to < len(right):
                element = left[at][0]
                if element == right[to][0]:
                    self._take(element)
                    at, to = at + 1, to + 1
                    continue
                if element in self._new and shared and shared[-1] != element:
                    # It comes later in the configuration.
                    at += 1
                    continue
            if at < len(left):
                element, item = left[at]
                if element not in self._new:
                    self._out.append(item)
                    at += 1
                    continue
                if element in done:
                    at += 1
            if to < len(right):
                self._take(right[to][0])
                to += 1
        return self._out

    def _take(self, element: str) -> None:
        """Merge the item of the configuration with the one that was there, if it was one."""
        self._done.add(element)
        if self._shared and self._shared[-1] == element:
            self._shared.pop()
        before = self._old.get(element) or [ABSENT]
        live = before[0] if len(before) == 1 else None
        item = _merge(self._shape.element, live, self._new[element][0])
        if item is not ABSENT:
            self._out.append(item)


def remove(atom: Atom, value: Any, fields: FieldSet) -> Any:
    """A value without these fields; None where nothing is left."""
    how = values.form(atom, value)
    if how == "map":
        assert atom.map is not None
        return _remove_from_map(atom.map, value, fields)
    if how == "list":
        assert atom.list is not None
        return _remove_from_list(atom.list, value, fields)
    return value


def _remove_from_map(shape: Map, value: Any, fields: FieldSet) -> Any:
    if not isinstance(value, dict) or not value or shape.atomic:
        return None
    remaining: Json = {}
    declared = shape.fields
    for key, item in value.items():
        node = fields.get(f"f:{key}")
        if node is None:
            remaining[key] = item
        elif not field_set.is_member(node):
            atom = declared.get(key) or shape.element
            remaining[key] = item if atom is None else remove(atom, item, node)
    return remaining or None


def _remove_from_list(shape: List, value: Any, fields: FieldSet) -> Any:
    if not isinstance(value, list) or not value or shape.atomic:
        return None
    remaining: list[Any] = []
    for item in value:
        try:
            node = fields.get(values.element_of(shape, item))
        except values.NoElement:
            node = None
        if node is None:
            remaining.append(item)
        elif not field_set.is_member(node):
            remaining.append(remove(shape.element, item, node))
    return remaining or None
