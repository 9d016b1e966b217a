"""What an object has more, less and otherwise than another, as sets of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.ownership import field_set, values
from kubestage.objects.ownership.values import ABSENT

if TYPE_CHECKING:
    from kubestage.objects.ownership.field_set import FieldSet
    from kubestage.objects.ownership.topology import Atom, List, Map

    Nodes = tuple[FieldSet | None, FieldSet | None, FieldSet | None]


class FieldComparison(NamedTuple):
    """The fields that were removed, modified and added on the way from one object to another."""

    removed: FieldSet
    modified: FieldSet
    added: FieldSet


_LEAF: Final = field_set.LEAF
_SAME: Final[Nodes] = (None, None, None)
_REMOVED: Final[Nodes] = (_LEAF, None, None)
_MODIFIED: Final[Nodes] = (None, _LEAF, None)
_ADDED: Final[Nodes] = (None, None, _LEAF)


def compare(atom: Atom, before: dict[str, Any], after: dict[str, Any]) -> FieldComparison:
    """How an object changed; repeated items of a list count as one piece."""
    removed, modified, added = _compare(atom, before, after)
    return FieldComparison(removed or {}, modified or {}, added or {})


def _compare(atom: Atom, before: Any, after: Any) -> Nodes:
    if before is after:
        return _SAME
    if after is ABSENT:
        return _as(values.form(atom, before), atom, before, after)
    how = values.form(atom, after)
    if before is not ABSENT:
        was = values.form(atom, before)
        if was != how:
            return _joined(_as(was, atom, before, after), _as(how, atom, before, after))
    return _as(how, atom, before, after)


def _as(how: values.Form, atom: Atom, before: Any, after: Any) -> Nodes:
    if how == "map":
        assert atom.map is not None
        return _maps(atom.map, before, after)
    if how == "list":
        assert atom.list is not None
        return _lists(atom.list, before, after)
    return _leaf(before, after)


def _joined(one: Nodes, other: Nodes) -> Nodes:
    joined = [
        right if left is None else left if right is None else field_set.union(left, right)
        for left, right in zip(one, other, strict=True)
    ]
    return joined[0], joined[1], joined[2]


def _leaf(before: Any, after: Any) -> Nodes:
    if before is ABSENT:
        return _ADDED
    if after is ABSENT:
        return _REMOVED
    return _SAME if values.equal(before, after) else _MODIFIED


def _nodes(before: Any, after: Any, parts: list[tuple[str, Nodes]]) -> Nodes:
    """The nodes of a field from those of its parts; one that is new or gone is a member, too."""
    removed = {element: nodes[0] for element, nodes in parts if nodes[0] is not None}
    modified = {element: nodes[1] for element, nodes in parts if nodes[1] is not None}
    added = {element: nodes[2] for element, nodes in parts if nodes[2] is not None}
    return (
        field_set.node(after is ABSENT, removed),
        modified or None,
        field_set.node(before is ABSENT, added),
    )


def _maps(shape: Map, before: Any, after: Any) -> Nodes:
    old = before if isinstance(before, dict) else {}
    new = after if isinstance(after, dict) else {}
    if shape.atomic or not (old or new):
        return _leaf(before, after)
    fields, element = shape.fields, shape.element
    parts: list[tuple[str, Nodes]] = []
    for key, value in old.items():
        other = new.get(key, ABSENT)
        if other is not value:
            atom = fields.get(key) or element
            if atom is not None:
                nodes = _compare(atom, value, other)
                if nodes is not _SAME:
                    parts.append((f"f:{key}", nodes))
    for key, value in new.items():
        if key not in old:
            atom = fields.get(key) or element
            if atom is not None:
                parts.append((f"f:{key}", _compare(atom, ABSENT, value)))
    if not parts and before is not ABSENT and after is not ABSENT:
        return _SAME
    return _nodes(before, after, parts)


def _lists(shape: List, before: Any, after: Any) -> Nodes:
    old = before if isinstance(before, list) else []
    new = after if isinstance(after, list) else []
    if shape.atomic or not (old or new):
        return _leaf(before, after)
    was, now = values.indexed(shape, old), values.indexed(shape, new)
    parts: list[tuple[str, Nodes]] = []
    for element in [*was, *(key for key in now if key not in was)]:
        nodes = _items(shape, was.get(element) or [], now.get(element) or [])
        if nodes is not _SAME:
            parts.append((element, nodes))
    if not parts and before is not ABSENT and after is not ABSENT:
        return _SAME
    return _nodes(before, after, parts)


def _items(shape: List, old: list[Any], new: list[Any]) -> Nodes:
    """Items of one path element; if there are several, they are one piece."""
    if len(old) <= 1 and len(new) <= 1:
        return _compare(shape.element, old[0] if old else ABSENT, new[0] if new else ABSENT)
    if len(old) > 1 and len(new) > 1:
        return _SAME if values.equal(old, new) else _MODIFIED
    if len(old) > 1:
        fresh = _compare(shape.element, ABSENT, new[0]) if new else _SAME
        return _joined(fresh, _REMOVED)
    removed = _compare(shape.element, old[0], ABSENT) if old else _SAME
    return _joined(removed, _ADDED)
