"""VolumeZone, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.status import SKIP, SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister

OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
OLD_REGION = "failure-domain.beta.kubernetes.io/region"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"


def pre_filter(lister: Lister, pod: PodView) -> tuple[Status, list[tuple[str, list[str]]]]:
    wanted: list[tuple[str, list[str]]] = []
    for volume in pod.raw["spec"].get("volumes", []):
        if "persistentVolumeClaim" not in volume:
            continue
        name = volume["persistentVolumeClaim"]["claimName"]
        claim = lister.get("v1", "PersistentVolumeClaim", name, pod.namespace)
        if claim is None:
            return unresolvable(f'persistentvolumeclaim "{name}" not found'), []
        volume_name = claim["spec"].get("volumeName", "")
        if not volume_name:
            problem = _problem_of_unbound(lister, claim)
            if problem:
                return unresolvable(problem), []
            continue
        bound = lister.get("v1", "PersistentVolume", volume_name)
        if bound is None:
            return unresolvable(f'persistentvolume "{volume_name}" not found'), []
        for key in (OLD_ZONE, OLD_REGION, ZONE, REGION):
            value = bound["metadata"].get("labels", {}).get(key)
            if value is not None and "" not in value.split("__"):
                wanted.append((key, value.split("__")))
    return (SUCCESS if wanted else SKIP), wanted


def _problem_of_unbound(lister: Lister, claim: dict[str, Any]) -> str:
    name = claim["spec"].get("storageClassName", "")
    if not name:
        return "PersistentVolumeClaim had no pv name and storageClass name"
    found = lister.get("storage.k8s.io/v1", "StorageClass", name)
    if found is None:
        return f'storageclass.storage.k8s.io "{name}" not found'
    waits = found["volumeBindingMode"] == "WaitForFirstConsumer"
    return "" if waits else "PersistentVolume had no name"


def filter_node(wanted: list[tuple[str, list[str]]], node: NodeView) -> Status:
    if not any(key in node.labels for key in (OLD_ZONE, OLD_REGION, ZONE, REGION)):
        return SUCCESS
    for key, values in wanted:
        newer = {OLD_ZONE: ZONE, OLD_REGION: REGION}.get(key, key)
        if node.labels.get(key, node.labels.get(newer)) not in values:
            return unresolvable("node(s) had no available volume zone")
    return SUCCESS
