"""Deletion: what the request does to the object at once, and what it leaves to finalizers.

The rules are those of the API server. Only pods have a grace period; any kind may have
finalizers, and the propagation policy is itself written down as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import kinds, timestamps
from kubestage.objects.validation import field, status
from kubestage.store import definitions, listing, namespaces, refusals, replacing
from kubestage.store.admission import caller as callers
from kubestage.store.admission import dynamic, node_restriction
from kubestage.store.collection import key_of
from kubestage.store.listing import ListOptions
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core
    from kubestage.store.listing import ObjectList
    from kubestage.store.selection import Selection

ORPHAN: Final = "orphan"
FOREGROUND: Final = "foregroundDeletion"
_POLICIES: Final = ("Foreground", "Background", "Orphan")
_SYSTEM_CLASSES: Final = frozenset({"system-node-critical", "system-cluster-critical"})


class DeleteOptions(msgspec.Struct, frozen=True):
    """The options of a deletion, as the API has them; `uid` and `resource_version` are
    preconditions.
    """

    grace_period_seconds: int | None = None
    propagation_policy: str | None = None
    orphan_dependents: bool | None = None
    uid: str | None = None
    resource_version: str | None = None
    dry_run: bool = False


BACKGROUND: Final = DeleteOptions(propagation_policy="Background")
"""Dependents are left to the garbage collector."""


class Deletion(msgspec.Struct, frozen=True):
    """What became of the object: its last state, and whether it is gone."""

    object: dict[str, Any]
    removed: bool


def check(request: DeleteOptions) -> None:
    """Refuse what the API refuses before it looks at the object."""
    policy, path = request.propagation_policy, "propagationPolicy"
    problems = []
    if policy is not None:
        if request.orphan_dependents is not None:
            text = "orphanDependents and deletionPropagation cannot be both set"
            problems.append(field.invalid(path, policy, text))
        if policy not in _POLICIES:
            problems.append(field.not_supported(path, policy, (*_POLICIES, "nil")))
    if problems:
        raise refusals.bad_options("DeleteOptions", problems)


def delete(core: Core, kind: Kind, key: str, name: str, request: DeleteOptions) -> Deletion:
    """Delete one object as far as a request can."""
    check(request)
    _check_protected(kind, name)
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        raise status.not_found(kind, name)
    node_restriction.check_deletion(core, kind, existing)
    dynamic.check_deletion(core, kind, existing, dry_run=request.dry_run)
    if kind.kind == "Namespace" and not kind.group:
        taken = namespaces.terminate(core, kind, existing, request)
        if taken is not None:
            return Deletion(taken, removed=False)
    check_preconditions(kind, existing, request)
    if definitions.is_definition(kind):
        taken = definitions.terminate(core, kind, existing, request)
        if taken is not None:
            return Deletion(taken, removed=False)
    return _delete(core, kind, key, existing, request)


def delete_collection(
    core: Core, kind: Kind, selected: Selection, request: DeleteOptions
) -> ObjectList:
    """Delete what a list would show; what is gone by the time it is reached is passed over."""
    check(request)
    found = _listed(core, kind, selected)
    is_events = core.ledger.collection(kind) is core.events
    if is_events and request == BACKGROUND and callers.current() is None:
        _drop_events(core, found.items)
        return found
    for obj in found.items:
        _delete_listed(core, kind, obj, request)
    return found


def expire_events(core: Core, keys: Iterable[str], newest: int) -> None:
    """Delete those Events that are there in no version after `newest`.

    NOTE: half of all changes of a load are Events that come and go (benchmarks/load.py).
    """
    objects = core.events.objects
    found = (objects[key] for key in keys if key in objects)
    ended = (each for each in found if int(each["metadata"]["resourceVersion"]) <= newest)
    _drop_events(core, ended)


def _drop_events(core: Core, found: Iterable[Json]) -> None:
    """Delete Events, for which nothing is to be considered but finalizers.

    NOTE: with a namespace of a load tens of thousands of them go (benchmarks/load.py).
    """
    collection = core.events
    for event in found:
        metadata = event["metadata"]
        if metadata.get("finalizers"):
            _delete_listed(core, collection.kind, event, BACKGROUND)
        else:
            key = key_of(metadata["namespace"], metadata["name"])
            core.drop(collection, key, collection.objects[key])


def delete_in_steps(
    core: Core,
    kind: Kind,
    selected: Selection,
    request: DeleteOptions,
    listed: ObjectList | None = None,
) -> Generator[None, None, ObjectList]:
    """The same, one object at each step; others may change the store in between."""
    check(request)
    found = _listed(core, kind, selected) if listed is None else listed
    for obj in found.items:
        try:
            _delete_listed(core, kind, obj, request)
        finally:
            core.settle()
        yield
    return found


def _listed(core: Core, kind: Kind, selected: Selection) -> ObjectList:
    collection = core.ledger.collection(kind)
    return listing.read(collection, selected, ListOptions(), core.ledger.revision)


def _delete_listed(core: Core, kind: Kind, obj: dict[str, Any], request: DeleteOptions) -> None:
    metadata = obj["metadata"]
    key = key_of(metadata.get("namespace"), metadata["name"])
    if key in core.ledger.collection(kind).objects:
        delete(core, kind, key, metadata["name"], request)


def _delete(
    core: Core, kind: Kind, key: str, existing: dict[str, Any], request: DeleteOptions
) -> Deletion:
    metadata: dict[str, Any] = dict(existing["metadata"])
    graceful = _graceful(kind, existing, metadata, request, core.clock.unix_ns)
    if graceful is None:
        return Deletion(existing, removed=False)
    _set_finalizers(kind, metadata, request)
    pending = bool(metadata.get("finalizers"))
    if not graceful and pending:
        mark_as_deleting(metadata, core.clock.unix_ns)
        update = {**existing, "metadata": metadata}
        marked = replacing.write(core, kind, key, update, dry_run=request.dry_run)
        return Deletion(marked, removed=False)
    if graceful:
        update = {**existing, "metadata": metadata}
        existing = replacing.write(core, kind, key, update, dry_run=request.dry_run)
        if pending or metadata["deletionGracePeriodSeconds"] > 0:
            return Deletion(existing, removed=False)
    if request.dry_run:
        return Deletion(existing, removed=True)
    return Deletion(core.remove(kind, key), removed=True)


def _check_protected(kind: Kind, name: str) -> None:
    if kind.kind == "Namespace" and not kind.group and name in namespaces.PROTECTED:
        raise status.forbidden(kind, name, "this namespace may not be deleted")
    if kind.group == "scheduling.k8s.io" and name in _SYSTEM_CLASSES:
        why = "this is a system priority class and cannot be deleted"
        raise status.forbidden(kind, name, why)


def check_preconditions(kind: Kind, obj: dict[str, Any], request: DeleteOptions) -> None:
    """Refuse if the object is another one than the request means, or another version."""
    metadata = obj["metadata"]
    uid, version = metadata["uid"], metadata["resourceVersion"]
    why = None
    if request.uid is not None and request.uid != uid:
        why = (
            f"the UID in the precondition ({request.uid}) does not match the UID in record "
            f"({uid}). The object might have been deleted and then recreated"
        )
    elif request.resource_version is not None and request.resource_version != version:
        why = (
            f"the ResourceVersion in the precondition ({request.resource_version}) does not match "
            f"the ResourceVersion in record ({version}). The object might have been modified"
        )
    if why is not None:
        raise refusals.conflict_on(kind.kind, kinds.stored(kind), metadata["name"], why)


def _graceful(
    kind: Kind,
    obj: dict[str, Any],
    metadata: dict[str, Any],
    request: DeleteOptions,
    now_ns: int,
) -> bool | None:
    """Set a grace period if the kind has one: True if set, None if one is running already."""
    if kind.kind != "Pod" or kind.group:
        return False
    seconds = request.grace_period_seconds
    if seconds is not None and seconds < 0:
        seconds = 1
    if "deletionTimestamp" in metadata:
        return _shorten(metadata, seconds, now_ns)
    spec, phase = obj["spec"], obj.get("status", {}).get("phase")
    period = seconds if seconds is not None else spec.get("terminationGracePeriodSeconds") or 0
    if not spec.get("nodeName") or phase in ("Failed", "Succeeded"):
        period = 0
    period = 1 if period < 0 else period
    metadata["deletionTimestamp"] = timestamps.format_time(now_ns + period * SECOND_NS)
    metadata["deletionGracePeriodSeconds"] = period
    if metadata.get("generation"):
        metadata["generation"] += 1
    return True


def _shorten(metadata: dict[str, Any], seconds: int | None, now_ns: int) -> bool | None:
    """A running grace period can only become shorter."""
    running = metadata.get("deletionGracePeriodSeconds")
    if not running:
        return False
    if seconds is None or seconds >= running:
        return None
    until_ns = timestamps.parse_time(metadata["deletionTimestamp"])
    moved_ns = until_ns + (seconds - running) * SECOND_NS
    if moved_ns < now_ns:
        moved_ns = now_ns
        seconds = 1 if seconds else 0
    metadata["deletionTimestamp"] = timestamps.format_time(moved_ns)
    metadata["deletionGracePeriodSeconds"] = seconds
    return True


def mark_as_deleting(metadata: dict[str, Any], now_ns: int) -> None:
    """Write down, in metadata of the caller's own, that finalizers are all that is waited for."""
    at = metadata.get("deletionTimestamp")
    if at is None and metadata.get("generation"):
        metadata["generation"] += 1
    if at is None or timestamps.parse_time(at) > now_ns:
        metadata["deletionTimestamp"] = timestamps.format_time(now_ns)
    metadata["deletionGracePeriodSeconds"] = 0


def _set_finalizers(kind: Kind, metadata: dict[str, Any], request: DeleteOptions) -> None:
    """Write the propagation policy into the finalizers."""
    before = metadata.get("finalizers") or []
    after = [each for each in before if each not in (ORPHAN, FOREGROUND)]
    if kind.behavior.has_dependents:
        finalizer = _propagation_finalizer(kind, before, request)
        if finalizer is not None:
            after.append(finalizer)
    if set(after) == set(before):
        return
    metadata["finalizers"] = after
    if not after:
        del metadata["finalizers"]


def _propagation_finalizer(kind: Kind, before: list[str], request: DeleteOptions) -> str | None:
    """The finalizer that stands for the policy: the request's, the object's or the kind's."""
    if request.orphan_dependents is not None:
        return ORPHAN if request.orphan_dependents else None
    if request.propagation_policy is not None:
        return {"Orphan": ORPHAN, "Foreground": FOREGROUND}.get(request.propagation_policy)
    default = ORPHAN if kind.behavior.orphans_dependents else None
    return next((each for each in before if each in (ORPHAN, FOREGROUND)), default)
