"""Restore: a store goes on where an earlier one ended.

Nothing is admitted, defaulted or numbered again: objects come back exactly as they were, under the
versions they had, and subscribers are not notified. What happens next has newer versions than any
that the earlier store ever showed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.objects.kinds import Kind
from kubestage.store import definitions
from kubestage.store.log import ADDED, Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.store.core import Core

_DEFINITIONS: Final = ("apiextensions.k8s.io", "customresourcedefinitions")


class ObjectKey(NamedTuple):
    """Where an object is kept: the key in the collection of its kind."""

    group: str
    plural: str
    key: str


class Past(msgspec.Struct, frozen=True):
    """The state of an earlier store.

    `objects` are in the order of their creation, `garbage` is what the garbage collector had yet
    to look at. `revision` is the newest version that anybody may have seen, `unix_ns` the virtual
    time then, and `boot` counts how often the store has been restored.
    """

    revision: int
    unix_ns: int
    boot: int
    objects: Iterable[tuple[ObjectKey, dict[str, Any]]] = ()
    garbage: Sequence[ObjectKey] = ()


def restore(core: Core, past: Past) -> None:
    """Put everything back; the store must be empty, and of the version of the past."""
    # What was there before, and when, is not remembered.
    core.ledger.void = -1
    for collection in core.ledger.collections():
        collection.log.void = -1
    others: list[tuple[ObjectKey, dict[str, Any]]] = []
    for place, obj in past.objects:
        if place[:2] == _DEFINITIONS:
            change = _put(core, place, obj)
            definitions.observe(core, change)
        else:
            others.append((place, obj))
    # Kinds must be known before objects of them can be put anywhere.
    for place, obj in others:
        _put(core, place, obj)
    for definition in core.read(definitions.DEFINITION).values():
        definitions.reread(core, definition)
    for place in past.garbage:
        found = core.ledger.collection(_row(core, place, {}))
        if place.key in found.objects:
            core.garbage.notice(found.kind, place.key)


def _put(core: Core, place: ObjectKey, obj: dict[str, Any]) -> Change:
    kind = _row(core, place, obj)
    collection = core.ledger.collection(kind)
    assert place.key not in collection.objects
    collection.put(place.key, obj, None)
    revision = int(obj["metadata"]["resourceVersion"])
    return Change(revision, ADDED, kind, place.key, obj, None)


def _row(core: Core, place: ObjectKey, obj: dict[str, Any]) -> Kind:
    """The row of the version that an object is of, or of another that is served."""
    group, _, version = obj.get("apiVersion", "").rpartition("/")
    row = core.kinds.by_plural(place.group, version, place.plural)
    if row is not None:
        return row
    for each in core.kinds:
        if (each.group, each.plural) == place[:2]:
            return each
    # Its definition serves no version at all, and may again.
    name = obj.get("kind", "")
    namespaced = "namespace" in obj.get("metadata", {})
    return Kind(group or place.group, version, name, place.plural, name.lower(), namespaced)
