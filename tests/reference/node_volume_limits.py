"""NodeVolumeLimits, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.status import SUCCESS, Status, error, unresolvable, unschedulable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister

STORAGE = "storage.k8s.io/v1"
SUCCESSORS = {
    "awsElasticBlockStore": "ebs.csi.aws.com",
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "gcePersistentDisk": "pd.csi.storage.gke.io",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
}
UNCOUNTED = ("azureFile", "kubernetes.io/azure-file")

Pairs = set[tuple[str, str]]


def filter_node(lister: Lister, pod: PodView, node: str, there: Iterable[PodView]) -> Status:
    drivers = lister.get(STORAGE, "CSINode", node)
    try:
        wanted = _volumes(lister, pod, drivers is not None, is_new=True)
    except LookupError as problem:
        return unresolvable(problem.args[0])
    except ValueError as problem:
        return error(str(problem))
    limits = {
        driver["name"]: driver["allocatable"]["count"]
        for driver in (drivers or {"spec": {"drivers": []}})["spec"]["drivers"]
        if driver.get("allocatable", {}).get("count") is not None
    }
    if not wanted or not limits:
        return SUCCESS
    held: Pairs = set()
    for other in there:
        try:
            held |= _volumes(lister, other, True, is_new=False)
        except ValueError as problem:
            return error(str(problem))
    busy = held | _attached(lister, node)
    for driver, limit in limits.items():
        more = sum(1 for volume in wanted - held if volume[0] == driver)
        if more and more + sum(1 for volume in busy if volume[0] == driver) > limit:
            return unschedulable("node(s) exceed max volume count")
    return SUCCESS


def _volumes(lister: Lister, pod: PodView, on_csi_node: bool, *, is_new: bool) -> Pairs:
    found: Pairs = set()
    for volume in pod.raw["spec"].get("volumes", []):
        if "persistentVolumeClaim" in volume:
            name = volume["persistentVolumeClaim"]["claimName"]
        elif "ephemeral" in volume:
            name = f"{pod.name}-{volume['name']}"
        else:
            if on_csi_node:
                found |= _inline(volume)
            continue
        claim = lister.get("v1", "PersistentVolumeClaim", name, pod.namespace)
        if claim is None:
            if is_new:
                raise LookupError(
                    f'looking up PVC {pod.namespace}/{name}: persistentvolumeclaim "{name}" '
                    "not found"
                )
            continue
        owners = [each["uid"] for each in claim["metadata"].get("ownerReferences", [])]
        if "ephemeral" in volume and owners != [pod.uid]:
            raise ValueError(
                f"PVC {pod.namespace}/{name} was not created for pod {pod.key} (pod is not owner)"
            )
        found |= _behind(lister, claim, on_csi_node)
    return found


def _inline(volume: dict[str, Any]) -> Pairs:
    if "awsElasticBlockStore" in volume:
        return {("ebs.csi.aws.com", volume["awsElasticBlockStore"]["volumeID"])}
    if "gcePersistentDisk" in volume:
        disk = volume["gcePersistentDisk"]["pdName"]
        return {("pd.csi.storage.gke.io", f"projects/UNSPECIFIED/zones/UNSPECIFIED/disks/{disk}")}
    return set()


def _behind(lister: Lister, claim: dict[str, Any], on_csi_node: bool) -> Pairs:
    name = claim["spec"].get("volumeName", "")
    volume = lister.get("v1", "PersistentVolume", name) if name else None
    if volume is not None:
        spec = volume["spec"]
        if "csi" in spec:
            return {(spec["csi"]["driver"], spec["csi"]["volumeHandle"])}
        if on_csi_node and "awsElasticBlockStore" in spec:
            return {("ebs.csi.aws.com", spec["awsElasticBlockStore"]["volumeID"])}
        return set()
    found = lister.get(STORAGE, "StorageClass", claim["spec"].get("storageClassName", ""))
    if found is None or found["provisioner"] in UNCOUNTED:
        return set()
    driver = found["provisioner"]
    if driver in SUCCESSORS and not on_csi_node:
        return set()
    return {(SUCCESSORS.get(driver, driver), f"to be made for {claim['metadata']['name']}")}


def _attached(lister: Lister, node: str) -> Pairs:
    found: Pairs = set()
    for attachment in lister.list(STORAGE, "VolumeAttachment"):
        spec = attachment["spec"]
        volume = lister.get("v1", "PersistentVolume", spec["source"].get("persistentVolumeName"))
        if spec["nodeName"] == node and volume is not None and "csi" in volume["spec"]:
            found.add((spec["attacher"], volume["spec"]["csi"]["volumeHandle"]))
    return found
