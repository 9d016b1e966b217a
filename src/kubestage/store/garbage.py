"""The garbage collector: what happens to dependents when their owners go.

It checks every change, queues the objects to look at, and works on them in `collect` in that order.
What empties namespaces and definitions (`purging`) is driven from here, too.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Protocol

from kubestage.store import definitions, namespaces, purging, replacing
from kubestage.store.collection import key_of
from kubestage.store.deletion import FOREGROUND, ORPHAN
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core
    from kubestage.store.log import Change

    Item = tuple[Kind, str]

_SOLID: Final = "solid"
DANGLING: Final = "dangling"
_WAITING: Final = "waiting"


class Collector(Protocol):
    """Decides when garbage is collected, instead of the store at once."""

    def noticed(self) -> None:
        """There is something to look at."""


class Emptier(Protocol):
    """Empties namespaces that are terminating, instead of the store at once."""

    def left(self, namespace: str) -> None:
        """An object has left a namespace that is ending."""


class Garbage:
    """The objects to look at, each once, in the order in which they were noticed: the `queue`.

    While there is a `collector`, the store leaves the work to it; so it is with namespaces and
    an `emptier`. Definitions are emptied by the API server itself, at once.
    """

    def __init__(self) -> None:
        self.queue: OrderedDict[Item, None] = OrderedDict()
        self.collector: Collector | None = None
        self.emptier: Emptier | None = None
        self.definitions: dict[str, None] = {}

    def notice(self, kind: Kind, key: str) -> None:
        """Put an object on the list."""
        if definitions.is_definition(kind):
            self.definitions[key] = None
        was_empty = not self.queue
        self.queue.setdefault((kind, key))
        if was_empty and self.collector is not None:
            self.collector.noticed()

    def observe(self, core: Core, change: Change) -> None:
        """Note what a change means for others."""
        old, metadata = change.old, change.new["metadata"]
        if old is None:
            if "ownerReferences" in metadata:
                self._observe_owners(core, change, ())
            return
        before = old["metadata"].get("ownerReferences")
        if change.type == DELETED:
            self._observe_removal(core, change)
            if before:
                self._observe_owners(core, change, before)
            return
        if "deletionTimestamp" in metadata:
            self._observe_ending(core, old, change)
        if before is not metadata.get("ownerReferences"):
            self._observe_owners(core, change, before or ())

    def _observe_removal(self, core: Core, change: Change) -> None:
        metadata = change.new["metadata"]
        # NOTE: Events by the hundred thousand own nothing (benchmarks/karpenter_day.py).
        if metadata["uid"] in core.ledger.owning:
            self._notice_dependents(core, metadata["uid"])
        namespace = metadata.get("namespace")
        if namespace:
            found = core.namespaces.objects.get(namespace)
            ending = found is not None and "deletionTimestamp" in found["metadata"]
            if ending and self.emptier is not None:
                self.emptier.left(namespace)
            elif ending and namespaces.is_empty(core, namespace):
                self.notice(core.kind(namespaces.NAMESPACE), namespace)
        kind = change.kind
        if kind.definition is not None and not core.ledger.collection(kind).objects:
            self._observe_last_instance(core, kind)

    def _observe_last_instance(self, core: Core, kind: Kind) -> None:
        name = f"{kind.plural}.{kind.group}"
        found = core.read(definitions.DEFINITION).get(name)
        if found is not None and "deletionTimestamp" in found["metadata"]:
            self.notice(core.kind(definitions.DEFINITION), name)

    def _observe_ending(self, core: Core, old: Json, change: Change) -> None:
        """An object is terminating, or one of its finalizers is done."""
        metadata = change.new["metadata"]
        if "deletionTimestamp" not in old["metadata"] and _is_waiting(metadata):
            self._notice_dependents(core, metadata["uid"])
        self.notice(change.kind, change.key)

    def _notice_dependents(self, core: Core, uid: str) -> None:
        for kind, key in dependents(core, uid):
            self.notice(kind, key)

    def _observe_owners(self, core: Core, change: Change, before: Iterable[Json]) -> None:
        """Owners may have waited for this dependent, or begin to."""
        metadata = change.new["metadata"]
        namespace = metadata.get("namespace")
        for reference in before:
            owner = _waiting_owner(core, reference, namespace)
            if owner is not None and not _is_blocked(core, reference["uid"]):
                self.notice(*owner)
        if change.type != DELETED:
            for reference in metadata.get("ownerReferences") or ():
                state = _state(core, reference, namespace)
                if state == _WAITING or (state == DANGLING and self.collector is not None):
                    self.notice(change.kind, change.key)

    def empty_definitions(self, core: Core) -> None:
        """Delete the objects of definitions that are ending, and those that have none left."""
        while self.definitions:
            name = next(iter(self.definitions))
            del self.definitions[name]
            purging.purge_instances(core, name)
            definitions.wait_for_instances(core, name)

    def collect(self, core: Core) -> None:
        """Work until nothing is left to do."""
        while self.queue:
            self.collect_one(core)

    def collect_one(self, core: Core) -> bool:
        """Look at one object; whether more are to be looked at."""
        if self.queue:
            (kind, key), _ = self.queue.popitem(last=False)
            obj = core.ledger.collection(kind).objects.get(key)
            if obj is not None:
                _process(core, kind, key, obj)
        return bool(self.queue)


def collect(core: Core) -> None:
    """Do what the garbage collector would do by now."""
    core.garbage.collect(core)
    core.settle()


def sweep(core: Core) -> None:
    """As `collect`, after a look at every object: also those whose owners never existed."""
    for collection in core.ledger.by_name():
        for key in collection.keys(None):
            metadata = collection.objects[key]["metadata"]
            if "ownerReferences" in metadata or "deletionTimestamp" in metadata:
                core.garbage.notice(collection.kind, key)
    collect(core)


def dependents(core: Core, uid: str) -> Iterator[Item]:
    """The objects that name an owner, by kind and key."""
    for collection, by_owner in core.ledger.owners() if uid in core.ledger.owning else ():
        if uid in by_owner:
            yield from [(collection.kind, key) for key in sorted(by_owner[uid])]


def resolve(core: Core, reference: Json, namespace: str | None) -> Item | str:
    """The owner that a reference means: where it is, or how it fails to be."""
    row = core.kinds.get(reference["apiVersion"], reference["kind"])
    if row is None or (row.namespaced and not namespace):
        return _SOLID
    key = key_of(namespace if row.namespaced else None, reference["name"])
    owner = core.ledger.collection(row).objects.get(key)
    if owner is None or owner["metadata"]["uid"] != reference["uid"]:
        return DANGLING
    return row, key


def _process(core: Core, kind: Kind, key: str, obj: Json) -> None:
    metadata = obj["metadata"]
    if "deletionTimestamp" not in metadata:
        _settle_dependent(core, kind, key, obj)
        return
    finalizers = metadata.get("finalizers") or ()
    if ORPHAN in finalizers:
        _orphan(core, metadata["uid"])
        _remove_finalizer(core, kind, key, ORPHAN)
    elif FOREGROUND in finalizers and not _is_blocked(core, metadata["uid"]):
        _remove_finalizer(core, kind, key, FOREGROUND)
    if kind.kind == "Namespace" and not kind.group:
        if core.garbage.emptier is None:
            purging.purge_namespace(core, key)
    elif definitions.is_definition(kind):
        purging.purge_instances(core, key)


def _settle_dependent(core: Core, kind: Kind, key: str, obj: Json) -> None:
    """Delete an object whose owners are all gone or going, or cut its ties to those that are."""
    metadata = obj["metadata"]
    references = metadata.get("ownerReferences") or []
    states = [_state(core, each, metadata.get("namespace")) for each in references]
    if not references or all(state == _SOLID for state in states):
        return
    if _SOLID in states:
        remaining = [
            each for each, state in zip(references, states, strict=True) if state == _SOLID
        ]
        _set_references(core, kind, key, obj, remaining)
        return
    policy = "Background"
    finalizers = metadata.get("finalizers") or ()
    if ORPHAN in finalizers:
        policy = "Orphan"
    elif FOREGROUND in finalizers or (_WAITING in states and _has_dependents(core, metadata)):
        policy = "Foreground"
    if policy == "Foreground" and _WAITING in states:
        _unblock_cycles(core, kind, key)
    purging.delete(core, kind, key, policy)


def _state(core: Core, reference: Json, namespace: str | None) -> str:
    if _waiting_owner(core, reference, namespace) is not None:
        return _WAITING
    return DANGLING if resolve(core, reference, namespace) == DANGLING else _SOLID


def _waiting_owner(core: Core, reference: Json, namespace: str | None) -> Item | None:
    """The owner that a reference means, if it is only waiting for its dependents."""
    found = resolve(core, reference, namespace)
    if isinstance(found, str):
        return None
    kind, key = found
    return found if _is_waiting(core.ledger.collection(kind).objects[key]["metadata"]) else None


def _is_waiting(metadata: Json) -> bool:
    """Whether an object ends in the foreground: as soon as its dependents are gone."""
    return "deletionTimestamp" in metadata and FOREGROUND in (metadata.get("finalizers") or ())


def _has_dependents(core: Core, metadata: Json) -> bool:
    return next(dependents(core, metadata["uid"]), None) is not None


def _unblock_cycles(core: Core, kind: Kind, key: str) -> None:
    """Owners that own each other would wait without end: the references stop blocking."""
    obj = core.ledger.collection(kind).objects[key]
    for other, other_key in dependents(core, obj["metadata"]["uid"]):
        metadata = core.ledger.collection(other).objects[other_key]["metadata"]
        if _is_waiting(metadata):
            references = obj["metadata"].get("ownerReferences") or []
            unblocked = [{**each, "blockOwnerDeletion": False} for each in references]
            _set_references(core, kind, key, obj, unblocked)
            return


def _is_blocked(core: Core, uid: str) -> bool:
    """Whether a dependent blocks its owner; called at each removal, so the first one will do."""
    return any(
        each["uid"] == uid and each.get("blockOwnerDeletion")
        for collection in core.ledger.by_name()
        for key in collection.owners.get(uid)
        for each in collection.objects[key]["metadata"]["ownerReferences"]
    )


def _orphan(core: Core, uid: str) -> None:
    for kind, key in dependents(core, uid):
        obj = core.ledger.collection(kind).objects[key]
        references = obj["metadata"]["ownerReferences"]
        _set_references(core, kind, key, obj, [each for each in references if each["uid"] != uid])


def _set_references(core: Core, kind: Kind, key: str, obj: Json, references: list[Json]) -> None:
    metadata = {**obj["metadata"], "ownerReferences": references}
    if not references:
        del metadata["ownerReferences"]
    replacing.write(core, kind, key, {**obj, "metadata": metadata})


def _remove_finalizer(core: Core, kind: Kind, key: str, finalizer: str) -> None:
    obj = core.ledger.collection(kind).objects[key]
    metadata = dict(obj["metadata"])
    metadata["finalizers"] = [each for each in metadata["finalizers"] if each != finalizer]
    if not metadata["finalizers"]:
        del metadata["finalizers"]
    replacing.replace(core, kind, key, {**obj, "metadata": metadata})
