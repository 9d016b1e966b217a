"""Sets written when a kind had another shape: what has become one piece is owned whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.ownership import field_set, topology

if TYPE_CHECKING:
    from kubestage.objects.ownership.field_set import FieldSet
    from kubestage.objects.ownership.topology import Atom


def reconcile(atom: Atom, fields: FieldSet) -> FieldSet:
    """The set by the shape of today; the same one if nothing changed."""
    changed: FieldSet = {}
    for element, below in fields.items():
        if below:
            inner = _below(atom, element)
            now = below if inner is None else _reconcile(inner, below)
            if now is not below:
                changed[element] = now
    return {**fields, **changed} if changed else fields


def _below(atom: Atom, element: str) -> Atom | None:
    if atom.map is not None:
        if atom.map.element is topology.DEDUCED and not atom.map.fields:
            return None
        declared = atom.map.fields.get(element[2:]) if element[0] == "f" else None
        return declared or atom.map.element
    return None if atom.list is None else atom.list.element


def _reconcile(atom: Atom, below: FieldSet) -> FieldSet:
    """A node that has children: in a piece it is a leaf."""
    if atom.map is not None:
        if atom.map.element is topology.DEDUCED and not atom.map.fields:
            return below
        if atom.map.atomic:
            return field_set.LEAF
    elif atom.list is None:
        return below
    elif atom.list.atomic:
        return field_set.LEAF
    return reconcile(atom, below)
