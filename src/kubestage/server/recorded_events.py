"""One write of a client as events of a Scenario.

Requests of clients are recorded; the reactions of components are not: neither
bindings, nor the status of pods, nor Events. A change is written as the difference that it made,
whatever the form of the request, so that it can be made again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kubestage.golang import integers
from kubestage.objects import kinds as kind_table
from kubestage.objects.patches import merge_patch
from kubestage.scenario.kss_events import MERGE_PATCH
from kubestage.server.live import REPORTS
from kubestage.store.collection import key_of
from kubestage.store.log import DELETED, MODIFIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.server.live import Write
    from kubestage.store.deletion import DeleteOptions
    from kubestage.store.log import Change, Log
    from kubestage.store.store import Store


# What schedulers and kubelets say of pods.
_BY_CONTROLLERS: Final = ("binding", "finalize", "approval", "token")
_WORKLOADS: Final = ("apps/", "batch/")
_CONTROLLER: Final = "ReplicationController"
# Written by the API server alone, or expressed in another way.
_NOT_SENT: Final = (
    "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generateName",
    "generation", "managedFields", "resourceVersion", "selfLink", "uid",
)  # fmt: skip


def is_reported(write: Write) -> bool:
    """Whether a write is a request to the cluster, and not a report."""
    if write.is_dry_run or write.kind.kind in REPORTS or write.subresource in _BY_CONTROLLERS:
        return False
    # Users state what a node offers; the status of a pod is computed.
    return write.subresource != "status" or write.kind.kind != "Pod"


def operations(store: Store, write: Write, since: int) -> Iterator[Json]:
    """What to do again: an operation for each object, without id and step.

    `since` is the version after the write before this one.
    """
    kind = kind_table.stored(write.kind)
    if write.verb == "deletecollection":
        for change in _deletions(store, kind, write.namespace, since):
            yield _delete(kind, change.key, write.body)
        return
    key = key_of((write.namespace or "default") if kind.namespaced else None, write.name)
    if write.verb == "delete":
        yield _delete(kind, key, write.body)
    elif write.subresource == "eviction":
        yield _delete(kind, key, None)
    else:
        made = _change(store, kind, write, since)
        if made is not None and made.old is None:
            yield create(_as_sent(write, made.new))
        elif made is not None:
            shown = _status if write.subresource == "status" else _desired_object
            yield from _difference(kind, key, shown(made.old or {}), shown(made.new))


def _as_sent(write: Write, made: Json) -> Json:
    """A new object as it was requested, under the name that it got."""
    sent = write.body
    if not isinstance(sent, dict) or not sent.get("kind"):
        return _desired_object(made)
    sent_metadata = sent.get("metadata") or {}
    metadata = {key: value for key, value in sent_metadata.items() if key not in _NOT_SENT}
    metadata["name"] = made["metadata"]["name"]
    if "namespace" in made["metadata"]:
        metadata["namespace"] = made["metadata"]["namespace"]
    return {**sent, "metadata": metadata}


def create(obj: Json) -> Json:
    """The operation that creates an object again."""
    return {"operation": "Create", "createOperation": {"object": obj}}


def beginning(obj: Json) -> Json | None:
    """What to do for an object that was there before; None for what others will make of it.

    Workloads are created again, and create their pods and all else that they own again. Objects
    without a controller are stored as they are.
    """
    metadata = obj["metadata"]
    owners = metadata.get("ownerReferences") or ()
    if any(each.get("controller") for each in owners):
        return None
    if owners or obj["apiVersion"].startswith(_WORKLOADS) or obj["kind"] == _CONTROLLER:
        desired = _desired_object(obj)
        desired["metadata"].pop("ownerReferences", None)
        return create(desired)
    return _load(obj)


def _load(obj: Json) -> Json:
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    whole = {**obj, "metadata": metadata}
    return {"operation": "Create", "createOperation": {"object": whole, "asRecorded": True}}


def _desired_object(obj: Json) -> Json:
    """What of an object a client may say."""
    metadata = {key: value for key, value in obj["metadata"].items() if key not in _NOT_SENT}
    return {key: value for key, value in obj.items() if key != "status"} | {"metadata": metadata}


def _status(obj: Json) -> Json:
    return {"status": obj.get("status") or {}}


def _difference(kind: Kind, key: str, old: Json, new: Json) -> Iterator[Json]:
    patch = merge_patch.two_way(old, new)
    if patch:
        text = json.dumps(patch, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        operation = {**_target(kind, key), "patch": text, "patchType": MERGE_PATCH}
        yield {"operation": "Patch", "patchOperation": operation}


def _delete(kind: Kind, key: str, desired: DeleteOptions | None) -> Json:
    operation = _target(kind, key)
    options: Json = {}
    if desired is not None:
        sent_metadata = {
            "gracePeriodSeconds": desired.grace_period_seconds,
            "propagationPolicy": desired.propagation_policy,
            "orphanDependents": desired.orphan_dependents,
        }
        options = {name: value for name, value in sent_metadata.items() if value is not None}
    if options:
        operation["deleteOptions"] = options
    return {"operation": "Delete", "deleteOperation": operation}


def _target(kind: Kind, key: str) -> Json:
    """Which object; nothing is done if things went another way, and it is not there."""
    namespace, _, name = key.rpartition("/")
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    type_meta = {"apiVersion": kind.api_version, "kind": kind.kind}
    return {"typeMeta": type_meta, "objectMeta": metadata, "asRecorded": True}


def _change(store: Store, kind: Kind, write: Write, since: int) -> Change | None:
    """The change that a write made; None if it made none."""
    version = ((write.result or {}).get("metadata") or {}).get("resourceVersion")
    revision = integers.parse(version or "0")
    if revision <= since:
        return None
    for change in _since(store.collection(kind).log, revision - 1):
        if change.revision == revision and change.type != DELETED:
            return change
    return None


def _deletions(store: Store, kind: Kind, namespace: str | None, since: int) -> Iterator[Change]:
    """The objects of a kind that are terminating, or deleted, since a version."""
    seen = set()
    for change in _since(store.collection(kind).log, since):
        metadata = change.new["metadata"]
        has_started = change.type == MODIFIED and "deletionTimestamp" in metadata
        is_here = namespace is None or metadata.get("namespace") == namespace
        if is_here and (has_started or change.type == DELETED) and change.key not in seen:
            seen.add(change.key)
            yield change


def _since(log: Log, revision: int) -> list[Change]:
    return log.since(log.position_after(max(revision, log.floor)))
