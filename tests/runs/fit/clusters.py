"""Small clusters with a pod that waits, and the application of an advice to them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from kubestage.objects import gvk, patches
from kubestage.stage import Stage
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.fit import FitAdvice, FitChange

NOW = DeleteOptions(grace_period_seconds=0)


def stage_with(*objects: Json, pods: tuple[Json, ...] = (), configuration: Any = None) -> Stage:
    """A stage with these objects as recorded, on which the pods were created and tried."""
    stage = Stage()
    stage.load(list(objects))
    scheduler = stage.add_scheduler(configuration)
    for pod in pods:
        stage.store.create(pod)
    scheduler.run_until_idle()
    return stage


def pod_on(stage: Stage, name: str, namespace: str = "default") -> Json:
    """A pod of a stage."""
    return stage.store.get(gvk.POD, name, namespace)


def is_placed_after(stage: Stage, pod: Json, change: FitChange) -> bool:
    """Whether the pod gets a node on this stage once a change is made by a client."""
    store, patch = stage.store, change.patch
    name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
    if pod["metadata"].get("uid"):
        store.delete(gvk.POD, name, namespace, NOW)
    for gone in patch.get("remove", ()):
        store.delete((gone["apiVersion"], gone["kind"]), gone["name"], gone.get("namespace"), NOW)
    stage.load(copy.deepcopy(patch.get("add", [])))
    for each in patch.get("change", ()):
        kind, where = (each["apiVersion"], each["kind"]), (each["name"], each.get("namespace"))
        changed = patches.apply(patches.PatchType.MERGE, store.get(kind, *where), each["patch"])
        store.update(changed)
        if "status" in each["patch"]:
            store.update({**store.get(kind, *where), "status": changed["status"]},
                         subresource="status")  # fmt: skip
    kept = ("name", "namespace", "labels", "annotations")
    metadata = {key: value for key, value in pod["metadata"].items() if key in kept}
    new = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod["spec"]}
    store.create(patches.apply(patches.PatchType.MERGE, new, patch.get("pod", {})))
    assert stage.scheduler is not None
    stage.scheduler.run_until_idle()
    # There is no kubelet that would end them.
    for victim in [each for each in store.read(gvk.POD).values() if _is_leaving(each)]:
        store.delete(gvk.POD, victim["metadata"]["name"], victim["metadata"]["namespace"], NOW)
    stage.run("10m")
    return bool(pod_on(stage, name, namespace)["spec"].get("nodeName"))


def _is_leaving(pod: Json) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def change_of(advice: FitAdvice, kind: str) -> FitChange:
    """The one change of a kind."""
    (found,) = [each for each in advice.changes if each.kind == kind]
    return found


def kinds(advice: FitAdvice) -> list[str]:
    """The kinds of all changes, in their order."""
    return [each.kind for each in advice.changes]
