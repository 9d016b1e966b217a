"""Putting a new version of an object in the place of the old one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.store.sharing import share

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


def write(
    core: Core, kind: Kind, key: str, new: dict[str, Any], *, dry_run: bool = False
) -> dict[str, Any]:
    """Store a new version; a version that says nothing new is none, and changes nothing."""
    old = core.ledger.collection(kind).objects[key]
    shared: dict[str, Any] = share(_under_version_of(new, old), old)
    if dry_run or (shared is old and not _is_unread(core, old)):
        return shared
    return core.put(kind, key, {**shared, "metadata": dict(shared["metadata"])})


def put(
    core: Core, kind: Kind, key: str, new: dict[str, Any], *, dry_run: bool = False
) -> dict[str, Any]:
    """As `write`, of a version that shares with the old one already what is the same in both."""
    old = core.ledger.collection(kind).objects[key]
    if dry_run or new is old:
        return new
    return core.put(kind, key, _under_version_of(new, old))


def _is_unread(core: Core, old: dict[str, Any]) -> bool:
    """Whether a version was stored without what reading it adds: any write then stores that."""
    metadata = old["metadata"]
    return bool(core.unread) and (
        core.unread.pop(metadata["uid"], None) == metadata["resourceVersion"]
    )


def replace(
    core: Core, kind: Kind, key: str, new: dict[str, Any], *, dry_run: bool = False
) -> dict[str, Any]:
    """As `write`, but an object that was only waiting for its finalizers goes with the last one.

    It is then returned as the request would have it, under its old version.
    """
    old = core.ledger.collection(kind).objects[key]
    if not _is_released(kind, new, old):
        return write(core, kind, key, new, dry_run=dry_run)
    if not dry_run:
        core.remove(kind, key)
    return _under_version_of(new, old)


def _under_version_of(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    version = old["metadata"]["resourceVersion"]
    return {**new, "metadata": {**new["metadata"], "resourceVersion": version}}


def _is_released(kind: Kind, new: dict[str, Any], old: dict[str, Any]) -> bool:
    before = old["metadata"]
    if "deletionTimestamp" not in before or before.get("deletionGracePeriodSeconds"):
        return False
    if kind.kind == "Namespace" and not kind.group and new["spec"].get("finalizers"):
        return False
    return not new["metadata"].get("finalizers")
