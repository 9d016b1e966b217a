"""The record of who wrote what: managedFields after an update, and after an apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.ownership import (
    conflicts,
    field_set,
    last_applied,
    managers,
    topology,
    updating,
)
from kubestage.objects.ownership.managers import Owned

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.ownership.field_set import FieldSet
    from kubestage.objects.ownership.managers import Managers
    from kubestage.objects.ownership.topology import Atom
    from kubestage.objects.ownership.updating import OwnershipView


_BEFORE_FIRST_APPLY: Final = "before-first-apply"
# The identity of an object and what the server writes have no owner.
_SYSTEM: Final = field_set.of_paths(
    ("f:apiVersion",),
    ("f:kind",),
    ("f:metadata",),
    *(
        ("f:metadata", f"f:{name}")
        for name in (
            "name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName",
            "generation", "managedFields", "resourceVersion",
        )
    ),
)  # fmt: skip


class Writer(NamedTuple):
    """Who writes, through which subresource, and when (RFC 3339)."""

    manager: str
    subresource: str
    now: str


class ApplyResult(NamedTuple):
    """The result of an apply: the object, None if it stays as it is, and its managedFields."""

    object: Json | None
    entries: list[Json]


def without_entries(obj: Json) -> Json:
    """The object without its managedFields."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return obj
    rest = {name: value for name, value in metadata.items() if name != "managedFields"}
    return {**obj, "metadata": rest}


def entries_of(obj: Json) -> list[Json]:
    """The managedFields of an object."""
    metadata = obj.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    return entries if isinstance(entries, list) else []


def updated(
    view: OwnershipView,
    live: Json,
    new: Json,
    writer: Writer,
    *,
    sent: Any = None,
    fresh: bool = False,
) -> list[Json]:
    """The managedFields after an update.

    `sent` are those in the request, which may set or reset them. An object that has none is not
    tracked, unless it is `fresh`: `live` is then an empty one.
    """
    before = _before(view, live, sent, writer)
    if not before and not fresh:
        return []
    return managers.encode(_updated(view, live, without_entries(new), before, writer))


def _before(view: OwnershipView, live: Json, sent: Any, writer: Writer) -> Managers:
    """The managers that a write starts from: those in the request, if it makes sense, else ours."""
    if sent is not None and not writer.subresource:
        if managers.is_reset(sent):
            return {}
        if sent != entries_of(live):
            try:
                found = managers.decode(sent)
            except ValueError:
                found = {}
            if found:
                return _reconciled(view, found)
    return _stored(view, live)


def _stored(view: OwnershipView, live: Json) -> Managers:
    found = managers.stored(entries_of(live))
    return found if view.stable else _reconciled(view, found)


def _reconciled(view: OwnershipView, found: Managers) -> Managers:
    """The managers with sets by the shape of today."""
    out: Managers = {}
    for who, owned in found.items():
        atom = view.shape(owned.api_version)
        fields = owned.fields if atom is None else reconcile(atom, owned.fields)
        is_same = fields is owned.fields
        out[who] = owned if is_same else owned._replace(fields=fields, entry=None)
    return out


def _updated(
    view: OwnershipView, live: Json, new: Json, before: Managers, writer: Writer
) -> Managers:
    left, changed = updating.update(view, live, new, before)
    mine = field_set.difference(changed, _SYSTEM)
    if mine:
        who = managers.identify(
            writer.manager or "unknown", managers.UPDATE, view.api_version, writer.subresource
        )
        previous = left.get(who)
        if previous is not None:
            mine = field_set.union(mine, previous.fields)
        left[who] = Owned(mine, view.api_version, writer.now)
    return managers.capped(left)


def applied(
    view: OwnershipView, live: Json, config: Json, empty: Json, writer: Writer, *, force: bool
) -> ApplyResult:
    """The object after an apply.

    `empty` is what an object of the kind is before it says anything. Raises the refusal that lists
    what is in conflict.
    """
    before = _stored(view, live)
    bare = without_entries(live)
    if not before:
        first = writer._replace(manager=_BEFORE_FIRST_APPLY)
        before = _updated(view, empty, bare, {}, first)
    who = managers.identify(writer.manager, managers.APPLY, view.api_version, writer.subresource)
    try:
        applied, left = updating.apply(view, bare, config, before, who, force=force)
    except conflicts.InConflict as found:
        if writer.manager != last_applied.KUBECTL:
            raise conflicts.refusal(found.conflicts) from None
        rest = last_applied.not_allowed(view, bare, found.conflicts)
        if rest:
            raise conflicts.refusal(rest) from None
        applied, left = updating.apply(view, bare, config, before, who, force=True)
    mine = left.pop(who, None)
    if mine is not None:
        fields = field_set.difference(mine.fields, _SYSTEM)
        time = mine.time if applied is None else writer.now
        if fields:
            left[who] = Owned(fields, mine.api_version, time)
    if writer.manager == last_applied.KUBECTL:
        applied = last_applied.synced(bare, applied, config)
    return ApplyResult(applied, managers.encode(left))


def reconcile(atom: Atom, fields: FieldSet) -> FieldSet:
    """A set that was written for an older shape of its kind, by the shape of today.

    What has become atomic since is owned whole. The same set is returned if nothing changed.
    """
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
