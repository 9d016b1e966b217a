"""Emptying what is about to end: a namespace of its contents, a definition of its instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import ApiError
from kubestage.store import definitions, deletion, namespaces
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


def delete(core: Core, kind: Kind, key: str, policy: str = "Background") -> None:
    """Delete an object that may be terminating already; what may not be deleted stays."""
    metadata = core.ledger.collection(kind).objects[key]["metadata"]
    if "deletionTimestamp" in metadata:
        return
    request = DeleteOptions(propagation_policy=policy, uid=metadata["uid"])
    try:
        deletion.delete(core, kind, key, metadata["name"], request)
    except ApiError:
        # A collector has no caller to report to; the object is tried again when it changes.
        return


def purge_namespace(core: Core, name: str) -> None:
    """Delete all that a namespace holds, and the namespace itself once it holds nothing."""
    for collection, key in namespaces.contents(core, name):
        delete(core, collection.kind, key)
    if name in core.read(namespaces.NAMESPACE) and namespaces.is_empty(core, name):
        namespaces.finish(core, name)


def purge_instances(core: Core, name: str) -> None:
    """Delete all objects of a definition, and the definition once there are none."""
    found = core.read(definitions.DEFINITION).get(name)
    if found is None or definitions.FINALIZER not in (found["metadata"].get("finalizers") or ()):
        return
    row = definitions.instances_kind(core, found)
    if row is not None:
        collection = core.ledger.collection(row)
        for key in collection.keys(None):
            delete(core, row, key)
        if collection.objects:
            return
    definitions.finish(core, name)
