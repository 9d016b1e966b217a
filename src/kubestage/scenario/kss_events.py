"""Events of a Scenario from objects of another cluster, as kube-scheduler-simulator hands them on.

Both of its formats hold objects that a cluster has stored: with uid, status and the marks of
controllers that are not there any more. Here is what both have to do about that.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


MERGE_PATCH: Final = "application/merge-patch+json"
RUN_DURATION: Final = "kubestage.dev/run-duration"
FOR_EVER: Final = "forever"
POD: Final = ("v1", "Pod")
CLAIM: Final = ("v1", "PersistentVolumeClaim")

# Written by the API server alone, or of no use elsewhere.
_BOOKKEEPING: Final = ("managedFields", "resourceVersion", "selfLink")
# Finalizers that a controller of a stage removes; any other would block deletion permanently.
_SERVED: Final = (
    "external-provisioner.volume.kubernetes.io/finalizer",
    "kubernetes.io/pv-controller",
    "kubernetes.io/pv-protection",
    "kubernetes.io/pvc-protection",
)


def type_of(obj: Json) -> tuple[str, str]:
    """The apiVersion and kind of an object."""
    return obj["apiVersion"], obj["kind"]


def part(value: Any, *path: str) -> Json:
    """The object at a path; an empty one where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def cleaned(obj: Json) -> Json:
    """A copy of an object that can exist in a cluster without its owners and controllers.

    Owners are not exported and not recorded, so the garbage collector would take what they own;
    only the claims of a pod's ephemeral volumes keep theirs, by which the pod knows them.
    Finalizers go with the controllers that would take them off. A pod that would end
    by itself runs on: how long it runs is not recorded.
    """
    metadata = {key: value for key, value in obj["metadata"].items() if key not in _BOOKKEEPING}
    if not is_ephemeral(obj):
        metadata.pop("ownerReferences", None)
    finalizers = metadata.pop("finalizers", None)
    if isinstance(finalizers, list):
        metadata["finalizers"] = [each for each in _SERVED if each in finalizers]
    if type_of(obj) == POD and ends_by_itself(obj) and not has_ended(obj):
        own = part(metadata, "annotations")
        metadata["annotations"] = {RUN_DURATION: FOR_EVER, **own}
    return {**obj, "metadata": metadata}


def is_ephemeral(obj: Json) -> bool:
    """Whether an object is the claim of a pod's ephemeral volume."""
    owners = obj["metadata"].get("ownerReferences")
    if type_of(obj) != CLAIM or not isinstance(owners, list):
        return False
    return any(part(each).get("kind") == "Pod" for each in owners)


def ends_by_itself(pod: Json) -> bool:
    """Whether a pod is one of those that run to completion."""
    return part(pod, "spec").get("restartPolicy") in ("Never", "OnFailure")


def has_ended(pod: Json) -> bool:
    """Whether a pod has run to completion, well or not."""
    return part(pod, "status").get("phase") in ("Succeeded", "Failed")


def is_recorded(obj: Json) -> bool:
    """Whether to store an object as it is; otherwise it is created again.

    A pod or claim that was never in a cluster has to be admitted: its priority and its storage
    class come from there.
    """
    kind = type_of(obj)
    if obj["metadata"].get("uid") or kind not in (POD, CLAIM):
        return True
    return bool(obj.get("status")) and (kind == CLAIM or "nodeName" in part(obj, "spec"))


def create(name: str, step: int, obj: Json) -> Json:
    """Put an object there: bound pods stay bound, what is pending is scheduled."""
    operation: Json = {"object": obj}
    if is_recorded(obj):
        operation["asRecorded"] = True
    return {"id": name, "step": step, "operation": "Create", "createOperation": operation}


def patch(name: str, step: int, obj: Json, change: Json) -> Json:
    """Change an object as it changed elsewhere; nothing is done if it is not there any more."""
    text = json.dumps(change, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    operation = {**_target(obj), "patch": text, "patchType": MERGE_PATCH}
    return {"id": name, "step": step, "operation": "Patch", "patchOperation": operation}


def delete(name: str, step: int, obj: Json) -> Json:
    """Have an object gone, if it is still there.

    A pod goes at once: its grace period was over when its end was recorded.
    """
    operation = _target(obj)
    if type_of(obj) == POD:
        operation["deleteOptions"] = {"gracePeriodSeconds": 0}
    return {"id": name, "step": step, "operation": "Delete", "deleteOperation": operation}


def _target(obj: Json) -> Json:
    api_version, kind = type_of(obj)
    metadata = {"name": obj["metadata"]["name"]}
    if obj["metadata"].get("namespace"):
        metadata["namespace"] = obj["metadata"]["namespace"]
    return {
        "typeMeta": {"apiVersion": api_version, "kind": kind},
        "objectMeta": metadata,
        "asRecorded": True,
    }


def scenario(name: str, events: Iterable[Json], last_step: int, **spec: Any) -> Json:
    """The Scenario that carries out these events and is done then."""
    done = {
        "id": "done",
        "step": last_step,
        "operation": "Done",
        "doneOperation": {"done": True},
    }
    return {
        "apiVersion": resource.API_VERSION,
        "kind": resource.KIND,
        "metadata": {"name": name},
        "spec": {**spec, "events": [*events, done]},
    }
