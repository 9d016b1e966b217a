"""The part of the controller that binds volumes and has them made, as recorded cases have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.views import storage

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.objects.views.storage import ClaimView
    from kubestage.scheduler.replay.cluster import ReplayCluster


_SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
_BOUND: Final = {"phase": "Bound"}


def selected_claims(cluster: ReplayCluster, pod: PodView) -> frozenset[str]:
    """The claims of a pod for which a node was chosen in an earlier attempt.

    To be called before the scheduler writes its own choice.
    """
    return frozenset(
        claim.name for claim in _claims(cluster, pod) if _SELECTED_NODE in claim.annotations
    )


def finish_binding(
    cluster: ReplayCluster, pod: PodView, selected_before: frozenset[str] = frozenset()
) -> list[str]:
    """Bind the claims for which the scheduler chose a volume or a node to make one for.

    Returns ``namespace/claim=volume`` of each, in the scheduler's order: first those with a volume
    of their own, then those to make one for, by size unless they were `selected_before`.
    """
    chosen: list[tuple[ClaimView, Json]] = []
    provisioned: list[tuple[ClaimView, Json]] = []
    for claim in _claims(cluster, pod):
        volume = _chosen_volume(cluster, claim)
        if volume is not None:
            chosen.append((claim, volume))
        elif _SELECTED_NODE in claim.annotations:
            provisioned.append((claim, _new_volume(cluster, claim)))
    chosen.sort(key=lambda item: item[0].requested)
    provisioned.sort(key=lambda item: -1 if item[0].name in selected_before else item[0].requested)
    bound = []
    for claim, volume in chosen + provisioned:
        name = volume["metadata"]["name"]
        cluster.update({**volume, "status": {**(volume.get("status") or {}), **_BOUND}})
        cluster.update(_bound(claim, name))
        bound.append(f"{claim.namespace}/{claim.name}={name}")
    return bound


def _claims(cluster: ReplayCluster, pod: PodView) -> list[ClaimView]:
    """The claims of a pod that are not bound, each once."""
    names = dict.fromkeys(stated.name for stated in pod.volume_claims)
    found = (cluster.get("v1", "PersistentVolumeClaim", name, pod.namespace) for name in names)
    claims = (storage.claim_of(each) for each in found if each is not None)
    return [claim for claim in claims if not claim.is_bound]


def _chosen_volume(cluster: ReplayCluster, claim: ClaimView) -> Json | None:
    """The volume that refers to the claim."""
    for volume in cluster.list("v1", "PersistentVolume"):
        reference = volume["spec"].get("claimRef") or {}
        if (reference.get("uid"), reference.get("name"), reference.get("namespace")) == (
            claim.uid, claim.name, claim.namespace,
        ):  # fmt: skip
            return volume
    return None


def _new_volume(cluster: ReplayCluster, claim: ClaimView) -> Json:
    """A volume of the size that the claim requests, within reach of every node."""
    name = f"pv-{claim.namespace}-{claim.name}"
    provisioned_by = cluster.get("storage.k8s.io/v1", "StorageClass", claim.class_name)
    assert provisioned_by is not None, "a claim without a class is not provisioned"
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": f"persistentvolume--{name}"},
        "spec": {
            "capacity": {"storage": claim.raw["spec"]["resources"]["requests"]["storage"]},
            "accessModes": list(claim.access_modes),
            "volumeMode": claim.volume_mode,
            "storageClassName": claim.class_name,
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": claim.namespace,
                "name": claim.name,
                "uid": claim.uid,
            },
            "csi": {"driver": provisioned_by["provisioner"], "volumeHandle": name},
        },
    }


def _bound(claim: ClaimView, volume: str) -> Json:
    raw = claim.raw
    annotations = {
        **claim.annotations,
        storage.BIND_COMPLETED_ANNOTATION: "yes",
        _BY_CONTROLLER: "yes",
    }
    return {
        **raw,
        "metadata": {**raw["metadata"], "annotations": annotations},
        "spec": {**raw["spec"], "volumeName": volume},
        "status": {**(raw.get("status") or {}), **_BOUND},
    }
