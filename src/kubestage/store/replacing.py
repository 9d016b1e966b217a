"""Putting a new version of an object in the place of the old one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.store.sharing import share

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


def write(core: Core, kind: Kind, key: str, new: Json, *, dry_run: bool = False) -> Json:
    """Store a new version; one that equals the old one changes nothing."""
    old = core.ledger.collection(kind).objects[key]
    shared: Json = share(_under_version_of(new, old), old)
    if dry_run or (shared is old and not _is_unread(core, old)):
        return shared
    return core.put(kind, key, {**shared, "metadata": dict(shared["metadata"])})


def put(core: Core, kind: Kind, key: str, new: Json, *, dry_run: bool = False) -> Json:
    """As `write`, of a version that shares with the old one already what is the same in both."""
    old = core.ledger.collection(kind).objects[key]
    if dry_run or new is old:
        return new
    return core.put(kind, key, _under_version_of(new, old))


def _is_unread(core: Core, old: Json) -> bool:
    """Whether a version was stored without what reading it adds: any write then stores that."""
    metadata = old["metadata"]
    return bool(core.unread) and (
        core.unread.pop(metadata["uid"], None) == metadata["resourceVersion"]
    )


def replace(core: Core, kind: Kind, key: str, new: Json, *, dry_run: bool = False) -> Json:
    """As `write`, but an object that was only waiting for its finalizers goes with the last one.

    It is then returned as the request would have it, under its old version.
    """
    old = core.ledger.collection(kind).objects[key]
    if not _is_released(kind, new, old):
        return write(core, kind, key, new, dry_run=dry_run)
    if not dry_run:
        core.remove(kind, key)
    return _under_version_of(new, old)


def _under_version_of(new: Json, old: Json) -> Json:
    version = old["metadata"]["resourceVersion"]
    return {**new, "metadata": {**new["metadata"], "resourceVersion": version}}


def _is_released(kind: Kind, new: Json, old: Json) -> bool:
    before = old["metadata"]
    if "deletionTimestamp" not in before or before.get("deletionGracePeriodSeconds"):
        return False
    if kind.kind == "Namespace" and not kind.group and new["spec"].get("finalizers"):
        return False
    return not new["metadata"].get("finalizers")


def record_status(
    core: Core, kind: Kind, key: str, status: Json, *, is_reworded: bool = False
) -> Json:
    """Give a stored object another status; one that is equal changes nothing.

    This is for the cluster's components, which write what is right by construction: it is not
    defaulted and validated again, and must be in canonical form, with no field that is empty.
    `is_reworded` is passed on to those who receive the change.
    """
    old = core.ledger.collection(kind).objects[key]
    if old.get("status") == status:
        return old
    # NOTE: a twentieth of the cost of an update of the status, and every pod is written several
    # times in its life (benchmarks/controllers.py).
    new = old.copy()
    new["metadata"], new["status"] = old["metadata"].copy(), status
    return core.put(kind, key, new, is_reworded=is_reworded)


def record_message(core: Core, key: str, status: Json) -> None:
    """Give a stored pod that waits for a node a status that has but another message, likewise."""
    pods = core.pods
    old = pods.objects[key]
    new = old.copy()
    new["metadata"], new["status"] = old["metadata"].copy(), status
    core.ledger.reword(pods, key, new, old)


def record_metadata(core: Core, kind: Kind, key: str, metadata: Json) -> Json:
    """Give a stored object other labels, annotations, owners or finalizers, likewise.

    As with any update, an object that is being deleted goes with its last finalizer.
    """
    old = core.ledger.collection(kind).objects[key]
    if old["metadata"] == metadata:
        return old
    return replace(core, kind, key, {**old, "metadata": metadata})
