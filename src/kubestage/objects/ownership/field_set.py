"""Sets of fields, as FieldsV1 writes them, and their algebra.

A set is a tree of path elements. A node that is empty or holds ``"."`` is a member; the rest of
its keys lead to its children. The root is no member of anything, and an empty root is the empty
set. Sets are never changed: what an operation leaves alone is shared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.ownership import path_element

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.objects.ownership.topology import Atom

FieldSet = dict[str, Any]
Path = tuple[str, ...]

SELF: Final = "."
LEAF: Final[FieldSet] = {}
EMPTY: Final[FieldSet] = {}


def is_member(node: FieldSet) -> bool:
    """Whether the field of a node is in the set itself, not only fields below it."""
    return not node or SELF in node


def node(member: bool, children: FieldSet) -> FieldSet | None:
    """The node of a field with these children; None if it is empty."""
    if not children:
        return LEAF if member else None
    return {SELF: LEAF, **children} if member else children


def children(of: FieldSet) -> FieldSet:
    """What lies below a node."""
    if SELF not in of:
        return of
    return {element: below for element, below in of.items() if element != SELF}


def union(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in either set."""
    if not one or one is other:
        return other
    if not other:
        return one
    out = dict(one)
    for element, below in other.items():
        mine = out.get(element)
        out[element] = below if mine is None else _union_node(mine, below)
    return out


def _union_node(one: FieldSet, other: FieldSet) -> FieldSet:
    if one is other:
        return one
    if not one:
        return other if is_member(other) else {SELF: LEAF, **other}
    if not other:
        return one if is_member(one) else {SELF: LEAF, **one}
    return union(one, other)


def intersection(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in both sets."""
    out: FieldSet = {}
    for element, mine in one.items():
        theirs = other.get(element)
        if theirs is None:
            continue
        if mine is theirs:
            out[element] = mine
            continue
        below = intersection(children(mine), children(theirs))
        both = node(is_member(mine) and is_member(theirs), below)
        if both is not None:
            out[element] = both
    return out


def difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in the first set and not in the second; fields below a field stay."""
    return _without(one, other, difference, recursive=False)


def recursive_difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """The first set without the members of the second and all that lies below them."""
    return _without(one, other, recursive_difference, recursive=True)


def _without(
    one: FieldSet,
    other: FieldSet,
    below: Callable[[FieldSet, FieldSet], FieldSet],
    *,
    recursive: bool,
) -> FieldSet:
    """The first set if it loses nothing, else a new one."""
    if not other or not one:
        return one
    changed: dict[str, FieldSet | None] = {}
    for element, theirs in other.items():
        mine = one.get(element)
        if mine is None or element == SELF:
            continue
        is_taken = is_member(theirs)
        if is_taken and recursive:
            changed[element] = None
            continue
        inner = children(mine)
        left = below(inner, children(theirs))
        if left is not inner or (is_taken and is_member(mine)):
            changed[element] = node(is_member(mine) and not is_taken, left)
    if not changed:
        return one
    merged = {**one, **changed}
    return {element: value for element, value in merged.items() if value is not None}


def has(fields: FieldSet, path: Path) -> bool:
    """Whether the field at a path is a member."""
    at: FieldSet | None = fields
    for element in path:
        at = at.get(element) if at else None
        if at is None:
            return False
    return at is not None and bool(path) and is_member(at)


def of_paths(*paths: Path) -> FieldSet:
    """The set of these fields."""
    out: FieldSet = EMPTY
    for path in paths:
        single: FieldSet = LEAF
        for element in reversed(path):
            single = {element: single}
        out = union(out, single)
    return out


def paths(fields: FieldSet, prefix: Path = ()) -> Iterator[Path]:
    """Every member in order: those of a level first, then what lies below them."""
    ordered = sorted(children(fields), key=path_element.order)
    for element in ordered:
        if is_member(fields[element]):
            yield (*prefix, element)
    for element in ordered:
        if fields[element]:
            yield from paths(fields[element], (*prefix, element))


def with_named_fields(fields: FieldSet, atom: Atom | None) -> FieldSet:
    """The set with every declared field on the way to a member as a member, too."""
    map_ = None if atom is None else atom.map
    out: FieldSet = {}
    for element, below in fields.items():
        if not below or element == SELF:
            out[element] = below
            continue
        inner, member = None, SELF in below
        if element[0] == "f" and map_ is not None:
            declared = map_.fields.get(element[2:])
            inner, member = (
                map_.element if declared is None else declared,
                (member or declared is not None),
            )
        elif element[0] == "k" and atom is not None and atom.list is not None:
            inner = atom.list.element
        out[element] = node(member, with_named_fields(children(below), inner))
    return out


def in_order(fields: FieldSet) -> FieldSet:
    """The same set, written in the order in which the API server writes it."""
    if len(fields) < 2:
        return {element: in_order(below) if below else below for element, below in fields.items()}
    return {
        element: in_order(fields[element]) if fields[element] else LEAF
        for element in sorted(fields, key=path_element.order)
    }


def decode(written: Any) -> FieldSet:
    """The set that a client wrote; steps of unknown form are dropped.

    ValueError if it is not a set.
    """
    if written is None:
        return EMPTY
    if not isinstance(written, dict):
        raise ValueError("a set of fields must be an object")
    out: FieldSet = {}
    for element, below in written.items():
        if element == SELF:
            out[SELF] = LEAF
            continue
        known = path_element.canonical(element)
        if known is not None:
            out[known] = decode(below)
    return out if len(out) > 1 or SELF not in out else LEAF
