"""The state of a scenario's objects as recordings show it: selected fields, in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import root_ca_publisher
from kubestage.replay import comparison, pod_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.replay.record import StepRecord
    from kubestage.store.store import Store


_KINDS: Final = (
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("v1", "ReplicationController"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "ControllerRevision"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("v1", "Pod"),
    ("v1", "PersistentVolume"),
    ("v1", "PersistentVolumeClaim"),
    ("policy/v1", "PodDisruptionBudget"),
    ("discovery.k8s.io/v1", "EndpointSlice"),
    ("v1", "ResourceQuota"),
    ("v1", "ConfigMap"),
    ("v1", "Namespace"),
    ("v1", "Node"),
)
_SPEC_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "Deployment": (
        "replicas", "strategy", "revisionHistoryLimit", "progressDeadlineSeconds",
        "minReadySeconds", "paused",
    ),
    "ReplicaSet": ("replicas", "minReadySeconds", "selector"),
    "ReplicationController": ("replicas", "minReadySeconds", "selector"),
    "StatefulSet": (
        "minReadySeconds", "ordinals", "persistentVolumeClaimRetentionPolicy",
        "podManagementPolicy", "replicas", "revisionHistoryLimit", "updateStrategy",
    ),
    "DaemonSet": ("updateStrategy", "revisionHistoryLimit", "minReadySeconds"),
    "Job": (
        "activeDeadlineSeconds", "backoffLimit", "backoffLimitPerIndex", "completionMode",
        "completions", "managedBy", "manualSelector", "maxFailedIndexes", "parallelism",
        "podFailurePolicy", "podReplacementPolicy", "selector", "successPolicy", "suspend",
        "ttlSecondsAfterFinished",
    ),
    "CronJob": (
        "concurrencyPolicy", "failedJobsHistoryLimit", "schedule", "startingDeadlineSeconds",
        "successfulJobsHistoryLimit", "suspend", "timeZone",
    ),
    "PersistentVolume": (
        "accessModes", "capacity", "persistentVolumeReclaimPolicy", "storageClassName",
        "volumeMode",
    ),
    "PersistentVolumeClaim": (
        "accessModes", "resources", "selector", "storageClassName", "volumeMode", "volumeName",
    ),
    "PodDisruptionBudget": (
        "maxUnavailable", "minAvailable", "selector", "unhealthyPodEvictionPolicy",
    ),
    "ResourceQuota": ("hard", "scopes", "scopeSelector"),
    "Namespace": ("finalizers",),
}  # fmt: skip


def state(store: Store, record: StepRecord, namespace: str) -> dict[str, list[tuple[str, Json]]]:
    """The objects of each kind with their names, as a recording has them."""
    found = {}
    for kind in _KINDS:
        objects = _scope(store.read(kind).values(), namespace)
        shown = [(each, _show(kind[1], each, record)) for each in objects]
        present = [
            (record.naming.text(obj["metadata"]["name"]), record.naming.value(view))
            for obj, view in shown
            if view is not None
        ]
        if present:
            found[kind[1]] = present
    return found


def _scope(objects: Iterable[Json], namespace: str) -> list[Json]:
    return [
        each
        for each in objects
        if each["metadata"].get("namespace", namespace) == namespace
        and (each["kind"] != "Namespace" or each["metadata"]["name"] == namespace)
    ]


def _show(kind: str, obj: Json, record: StepRecord) -> Json | None:
    if kind == "Node":
        return _node(obj)
    if kind == "ConfigMap" and obj["metadata"]["name"] == root_ca_publisher.NAME:
        # In every namespace, and in no recording.
        return None
    view = _metadata(obj)
    if kind != "Namespace":
        view["created_in_step"] = record.created_in[obj["metadata"]["uid"]]
    special = _SPECIAL.get(kind)
    if special is not None:
        view.update(special(obj, record))
        return view
    spec = {name: obj["spec"][name] for name in _SPEC_FIELDS[kind] if name in obj["spec"]}
    if "template" in obj["spec"]:
        spec["template"] = _template(obj["spec"]["template"])
    if "claimRef" in obj["spec"]:
        spec["claimRef"] = _claim(obj["spec"]["claimRef"])
    view["spec"] = spec
    status = _status(obj)
    if status:
        view["status"] = status
    return view


def _metadata(obj: Json) -> Json:
    metadata = obj["metadata"]
    names = ("labels", "annotations", "generation", "deletionTimestamp")
    view = {name: metadata[name] for name in names if metadata.get(name)}
    if metadata.get("finalizers"):
        view["finalizers"] = sorted(metadata["finalizers"])
    if metadata.get("ownerReferences"):
        view["ownerReferences"] = [
            {
                "kind": each["kind"],
                "name": each["name"],
                "controller": each.get("controller", False),
                "blockOwnerDeletion": each.get("blockOwnerDeletion", False),
            }
            for each in metadata["ownerReferences"]
        ]
    return view


def _status(obj: Json) -> Json:
    status = dict(obj.get("status") or {})
    if status.get("active") and isinstance(status["active"], list):
        status["active"] = [_unversioned(each) for each in status["active"]]
    if status.get("conditions"):
        shown = [
            {key: value for key, value in each.items() if key != "lastProbeTime"}
            for each in status["conditions"]
        ]
        status["conditions"] = sorted(shown, key=_type)
    return status


def _unversioned(reference: Json) -> Json:
    return {key: value for key, value in reference.items() if key != "resourceVersion"}


def _type(condition: Json) -> str:
    found: str = condition["type"]
    return found


def _template(template: Json) -> Json:
    metadata = template.get("metadata") or {}
    view = {name: metadata[name] for name in ("labels", "annotations") if metadata.get(name)}
    return {**view, "images": [each["image"] for each in template["spec"]["containers"]]}


def _claim(reference: Json) -> Json:
    return {
        "namespace": reference.get("namespace"),
        "name": reference.get("name"),
        "uid_set": bool(reference.get("uid")),
    }


def _node(node: Json) -> Json | None:
    """A node is shown only if something is wrong with it."""
    spec = node.get("spec") or {}
    conditions = (node.get("status") or {}).get("conditions") or ()
    ready = next((each for each in conditions if each["type"] == "Ready"), None)
    taints = spec.get("taints") or []
    if not taints and not spec.get("unschedulable") and ready and ready["status"] == "True":
        return None
    view: Json = {}
    if taints:
        shown = [{key: each[key] for key in each if key != "timeAdded"} for each in taints]
        view["taints"] = sorted(shown, key=lambda each: (each["key"], each["effect"]))
    if spec.get("unschedulable"):
        view["unschedulable"] = True
    fields = ("type", "status", "lastTransitionTime", "reason", "message")
    conditions = [{key: ready[key] for key in fields if key in ready}] if ready else []
    return {"spec": view, "status": {"conditions": conditions}}


def _pod(pod: Json, record: StepRecord) -> Json:
    is_random = record.naming.is_random(pod["metadata"]["name"])
    return pod_view.show(pod, is_random)


def _revision(obj: Json, record: StepRecord) -> Json:
    del record
    return {"revision": obj["revision"], "data": obj.get("data")}


def _endpoint_slice(obj: Json, record: StepRecord) -> Json:
    endpoints = [pod_view.endpoint(each, record.naming) for each in obj.get("endpoints") or ()]
    return {
        "addressType": obj["addressType"],
        "ports": obj.get("ports"),
        "endpoints": comparison.by_content(endpoints),
    }


def _nothing(obj: Json, record: StepRecord) -> Json:
    del obj, record
    return {}


_SPECIAL: Final[dict[str, Callable[[Json, StepRecord], Json]]] = {
    "Pod": _pod,
    "ControllerRevision": _revision,
    "EndpointSlice": _endpoint_slice,
    "ConfigMap": _nothing,
}
