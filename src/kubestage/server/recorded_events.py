"""One write from outside as events of a Scenario.

What was asked of the cluster is recorded; what others will do about it is left to them: neither
bindings, nor the status of pods, nor Events. A change is written as the difference that it made,
whatever form it was asked in, so that it can be made again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

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
_BY_OTHERS: Final = ("binding", "finalize", "approval", "token")
_WORKLOADS: Final = ("apps/", "batch/")
_CONTROLLER: Final = "ReplicationController"
# Written by the API server alone, or said otherwise.
_NOT_SENT: Final = (
    "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generateName",
    "generation", "managedFields", "resourceVersion", "selfLink", "uid",
)  # fmt: skip


def is_told(write: Write) -> bool:
    """Whether a write is something that was asked of the cluster."""
    if write.is_dry_run or write.kind.kind in REPORTS or write.subresource in _BY_OTHERS:
        return False
    # What a node offers is for people to say; how a pod fares is not.
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
            shown = _status if write.subresource == "status" else _asked
            yield from _difference(kind, key, shown(made.old or {}), shown(made.new))


def _as_sent(write: Write, made: Json) -> Json:
    """A new object as it was asked for, under the name that it got."""
    sent = write.body
    if not isinstance(sent, dict) or not sent.get("kind"):
        return _asked(made)
    given = sent.get("metadata") or {}
    metadata = {key: value for key, value in given.items() if key not in _NOT_SENT}
    metadata["name"] = made["metadata"]["name"]
    if "namespace" in made["metadata"]:
        metadata["namespace"] = made["metadata"]["namespace"]
    return {**sent, "metadata": metadata}


def create(obj: Json) -> Json:
    """Ask for an object anew."""
    return {"operation": "Create", "createOperation": {"object": obj}}


def beginning(obj: Json) -> Json | None:
    """What to do for an object that was there before; None for what others will make of it.

    Workloads are asked for anew, and make their pods and all else that they own anew. What nobody
    looks after is put there as it is.
    """
    metadata = obj["metadata"]
    owners = metadata.get("ownerReferences") or ()
    if any(each.get("controller") for each in owners):
        return None
    if owners or obj["apiVersion"].startswith(_WORKLOADS) or obj["kind"] == _CONTROLLER:
        asked = _asked(obj)
        asked["metadata"].pop("ownerReferences", None)
        return create(asked)
    return _load(obj)


def _load(obj: Json) -> Json:
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    whole = {**obj, "metadata": metadata}
    return {"operation": "Create", "createOperation": {"object": whole, "asRecorded": True}}


def _asked(obj: Json) -> Json:
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


def _delete(kind: Kind, key: str, asked: DeleteOptions | None) -> Json:
    operation = _target(kind, key)
    options: Json = {}
    if asked is not None:
        given = {
            "gracePeriodSeconds": asked.grace_period_seconds,
            "propagationPolicy": asked.propagation_policy,
            "orphanDependents": asked.orphan_dependents,
        }
        options = {name: value for name, value in given.items() if value is not None}
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
    revision = int(version or 0)
    if revision <= since:
        return None
    for change in _since(store.ledger.collection(kind).log, revision - 1):
        if change.revision == revision and change.type != DELETED:
            return change
    return None


def _deletions(store: Store, kind: Kind, namespace: str | None, since: int) -> Iterator[Change]:
    """The objects of a kind whose end has begun, or come, since a version."""
    seen = set()
    for change in _since(store.ledger.collection(kind).log, since):
        metadata = change.new["metadata"]
        is_begun = change.type == MODIFIED and "deletionTimestamp" in metadata
        is_here = namespace is None or metadata.get("namespace") == namespace
        if is_here and (is_begun or change.type == DELETED) and change.key not in seen:
            seen.add(change.key)
            yield change


def _since(log: Log, revision: int) -> list[Change]:
    return log.since(log.position_after(max(revision, log.floor)))
