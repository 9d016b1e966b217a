"""The set of all fields that an object has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.ownership import field_set, values

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.ownership.field_set import FieldSet
    from kubestage.objects.ownership.topology import Atom, List, Map


def fields_of(atom: Atom, obj: Json) -> FieldSet:
    """Every field of an object: leaves, items, and the keys of maps that no type declares."""
    return _node(atom, obj, member=False) or {}


def _node(atom: Atom, value: Any, *, member: bool) -> FieldSet | None:
    how = values.form(atom, value)
    if how == "map":
        assert atom.map is not None
        if atom.map.atomic:
            return field_set.LEAF
        return field_set.node(member, _of_map(atom.map, value) if isinstance(value, dict) else {})
    if how == "list":
        assert atom.list is not None
        if atom.list.atomic:
            return field_set.LEAF
        return field_set.node(member, _of_list(atom.list, value) if isinstance(value, list) else {})
    return field_set.LEAF


def _of_map(shape: Map, value: Json) -> FieldSet:
    found: FieldSet = {}
    fields = shape.fields
    for key, item in value.items():
        atom = fields.get(key) or shape.element
        if atom is None:
            continue
        empty = item is None or (isinstance(item, dict) and not item)
        node = _node(atom, item, member=empty or key not in fields)
        if node is not None:
            found[f"f:{key}"] = node
    return found


def _of_list(shape: List, value: list[Any]) -> FieldSet:
    found: FieldSet = {}
    for element, items in values.indexed(shape, value).items():
        if len(items) > 1:
            found[element] = field_set.LEAF
        else:
            node = _node(shape.element, items[0], member=True)
            assert node is not None
            found[element] = node
    return found
