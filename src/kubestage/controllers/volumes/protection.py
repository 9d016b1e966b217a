"""What is in use is not deleted: finalizers hold claims and volumes until they are unused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import pods
from kubestage.controllers.controller import Controller
from kubestage.controllers.ownership import is_controlled_by
from kubestage.controllers.volumes.pods_by_claim import (
    PodsByClaim,
    claims_of,
    ephemeral_claim_name,
)
from kubestage.controllers.volumes.storage_names import (
    ATTRIBUTES_CLASS,
    CLAIM,
    CLAIM_PROTECTION,
    CLASS_PROTECTION,
    VOLUME_PROTECTION,
)
from kubestage.objects import gvk
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


def _concerns(obj: Json, finalizer: str) -> bool:
    """Whether an object lacks its protection, or waits to be rid of it."""
    metadata = obj["metadata"]
    is_protected = finalizer in (metadata.get("finalizers") or ())
    return is_protected is ("deletionTimestamp" in metadata)


def _with_protection(obj: Json, finalizer: str) -> Json:
    """The metadata of an object with its protection."""
    metadata: Json = obj["metadata"]
    return {**metadata, "finalizers": [*(metadata.get("finalizers") or ()), finalizer]}


def _without_protection(obj: Json, finalizer: str) -> Json:
    metadata: Json = dict(obj["metadata"])
    left = [each for each in metadata["finalizers"] if each != finalizer]
    metadata["finalizers"] = left
    if not left:
        del metadata["finalizers"]
    return metadata


class PVProtectionController(Controller):
    """Holds volumes that are bound."""

    name = "pv-protection-controller"

    def handlers(self) -> Handlers:
        """Volumes."""
        return {("", "PersistentVolume"): self._on_volume}

    def _on_volume(self, change: Change) -> None:
        if change.type != DELETED and _concerns(change.new, VOLUME_PROTECTION):
            self.queue.add(change.key)

    def sync(self, key: str) -> None:
        """Protect a volume, or let it go."""
        volume = self.lister.get(gvk.PERSISTENT_VOLUME, key)
        if volume is None or not _concerns(volume, VOLUME_PROTECTION):
            return
        if "deletionTimestamp" not in volume["metadata"]:
            metadata = _with_protection(volume, VOLUME_PROTECTION)
        elif (volume.get("status") or {}).get("phase") == "Bound":
            return
        else:
            metadata = _without_protection(volume, VOLUME_PROTECTION)
        self.store.record_metadata(gvk.PERSISTENT_VOLUME, key, metadata)


class PVCProtectionController(Controller):
    """Holds claims that pods on nodes name."""

    name = "pvc-protection-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._users = PodsByClaim()

    def handlers(self) -> Handlers:
        """Claims, and the pods that name them."""
        return {
            ("", "PersistentVolumeClaim"): self._on_claim,
            ("", "Pod"): self._on_pod,
        }

    def _on_claim(self, change: Change) -> None:
        if change.type != DELETED and _concerns(change.new, CLAIM_PROTECTION):
            self.queue.add(change.key)

    def _on_pod(self, change: Change) -> None:
        if not change.new["spec"].get("volumes"):
            return
        self._users.on_pod(change)
        if change.type == DELETED or _is_shut_down(change.new) or pods.is_terminal(change.new):
            for claim in claims_of(change.new):
                self.queue.add(claim)

    def sync(self, key: str) -> None:
        """Protect a claim, or let it go."""
        claim = self.lister.get(CLAIM, key)
        if claim is None or not _concerns(claim, CLAIM_PROTECTION):
            return
        if "deletionTimestamp" not in claim["metadata"]:
            metadata = _with_protection(claim, CLAIM_PROTECTION)
        elif any(self._uses(pod, claim) for pod in self._users.get(key)):
            return
        else:
            metadata = _without_protection(claim, CLAIM_PROTECTION)
        self.store.record_metadata(CLAIM, key, metadata)

    def _uses(self, pod_key: str, claim: Json) -> bool:
        pod = self.lister.get(pods.POD, pod_key)
        if pod is None or not pod["spec"].get("nodeName"):
            return False
        name = claim["metadata"]["name"]
        for volume in pod["spec"].get("volumes") or ():
            source = volume.get("persistentVolumeClaim")
            if source is not None and source["claimName"] == name:
                return True
            if (
                volume.get("ephemeral") is not None
                and not _is_shut_down(pod)
                and ephemeral_claim_name(pod, volume) == name
                and is_controlled_by(claim, pod)
            ):
                return True
        return False


class VACProtectionController(Controller):
    """Holds VolumeAttributesClasses that claims or volumes have, or are to have."""

    name = "volumeattributesclass-protection-controller"

    def handlers(self) -> Handlers:
        """The classes, and who uses them."""
        return {
            ("storage.k8s.io", "VolumeAttributesClass"): self._on_class,
            ("", "PersistentVolumeClaim"): self._on_user,
            ("", "PersistentVolume"): self._on_user,
        }

    def _on_class(self, change: Change) -> None:
        if change.type != DELETED and _concerns(change.new, CLASS_PROTECTION):
            self.queue.add(change.key)

    def _on_user(self, change: Change) -> None:
        now = set() if change.type == DELETED else _classes_of(change.new)
        for name in sorted(_classes_of(change.old or change.new) - now):
            self.queue.add(name)

    def sync(self, key: str) -> None:
        """Protect a class, or let it go."""
        found = self.lister.get(ATTRIBUTES_CLASS, key)
        if found is None or not _concerns(found, CLASS_PROTECTION):
            return
        if "deletionTimestamp" not in found["metadata"]:
            metadata = _with_protection(found, CLASS_PROTECTION)
        elif any(key in _classes_of(each) for each in self._users()):
            return
        else:
            metadata = _without_protection(found, CLASS_PROTECTION)
        self.store.record_metadata(ATTRIBUTES_CLASS, key, metadata)

    def _users(self) -> Iterator[Json]:
        yield from self.lister.collection(gvk.PERSISTENT_VOLUME).objects.values()
        yield from self.lister.collection(CLAIM).objects.values()


def _classes_of(user: Json) -> set[str]:
    """The VolumeAttributesClasses that a claim or a volume has, or is to have."""
    status = user.get("status") or {}
    names = (
        user["spec"].get("volumeAttributesClassName"),
        status.get("currentVolumeAttributesClassName"),
        (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName"),
    )
    return {name for name in names if name}


def _is_shut_down(pod: Json) -> bool:
    """Whether the kubelet is done with a pod, or it was deleted by force."""
    metadata = pod["metadata"]
    return "deletionTimestamp" in metadata and metadata.get("deletionGracePeriodSeconds") == 0
