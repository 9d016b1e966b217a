"""A provisioner that stands in for the CSI driver of any StorageClass.

It creates a volume some time after a claim requests one, and deletes a released volume that is not
to be kept, as the external-provisioner sidecar of a real driver does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.controllers.volumes.storage_names import (
    CLAIM,
    EXTERNAL_FINALIZER,
    IN_TREE,
    PROVISIONED_BY,
    PROVISIONER,
    SELECTED_NODE,
)
from kubestage.controllers.volumes.writer import annotations_of, reference_to, with_metadata
from kubestage.errors import InputError
from kubestage.objects import distributions, gvk
from kubestage.objects.views import storage
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


_LONGEST_DRIVER_NAME: Final = 63
_ZONE: Final = "topology.kubernetes.io/zone"
DELAY_ANNOTATION: Final = "kubestage.dev/provision-delay"
"""On a StorageClass: how long its driver takes, a duration or a distribution of durations."""


class ExternalProvisioner(Controller):
    """Provisions and deletes the volumes of all drivers that are not part of Kubernetes.

    The delay is the class's annotation ``kubestage.dev/provision-delay`` or the stage's setting.
    A volume for a pod whose node has a zone can be reached from that zone only.
    """

    name = "external-provisioner"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._random = cluster.streams.stream("controllers/external-provisioner")
        self._started: set[str] = set()

    def handlers(self) -> Handlers:
        """Claims that name a provisioner, and volumes that are released."""
        return {
            ("", "PersistentVolumeClaim"): self._on_claim,
            ("", "PersistentVolume"): self._on_volume,
        }

    def _on_claim(self, change: Change) -> None:
        claim = change.new
        if change.type == DELETED:
            self._started.discard(change.key)
            return
        provisioner = annotations_of(claim).get(PROVISIONER, IN_TREE)
        if provisioner.startswith(IN_TREE) or claim["spec"].get("volumeName"):
            return
        if change.key not in self._started:
            self._started.add(change.key)
            key = change.key
            text = f'External provisioner is provisioning volume for claim "{key}"'
            self.events.event(claim, NORMAL, "Provisioning", text)
            self.queue.add_after(key, self._delay_ns(claim))

    def _on_volume(self, change: Change) -> None:
        volume = change.new
        if change.type != DELETED and (volume.get("status") or {}).get("phase") == "Released":
            self.queue.add(change.key)

    def _delay_ns(self, claim: Json) -> int:
        found = self.lister.get(gvk.STORAGE_CLASS, storage.claim_of(claim).class_name)
        text = annotations_of(found).get(DELAY_ANNOTATION) if found is not None else None
        delay = distributions.parse(self.settings.provision_delay)
        if text is not None:
            try:
                delay = distributions.parse(text)
            except InputError as error:
                message = f"{DELAY_ANNOTATION}: {error}; the default holds"
                self.events.event(claim, WARNING, "InvalidAnnotation", message)
        return delay.sample_ns(self._random)

    def sync(self, key: str) -> None:
        """Make the volume of a claim (its key has a slash), or delete a volume."""
        if "/" in key:
            claim = self.lister.get(CLAIM, key)
            self._started.discard(key)
            if claim is not None and not claim["spec"].get("volumeName"):
                self._provision(claim)
        else:
            volume = self.lister.get(gvk.PERSISTENT_VOLUME, key)
            if volume is not None:
                self._delete(key, volume)

    def _provision(self, claim: Json) -> None:
        found = self.lister.get(gvk.STORAGE_CLASS, storage.claim_of(claim).class_name)
        name = f"pvc-{claim['metadata']['uid']}"
        if found is None or name in self.store.read(gvk.PERSISTENT_VOLUME):
            return
        self.store.create(self._volume(name, claim, found))
        text = f"Successfully provisioned volume {name}"
        self.events.event(claim, NORMAL, "ProvisioningSucceeded", text)

    def _volume(self, name: str, claim: Json, storage_class: Json) -> Json:
        annotations = annotations_of(claim)
        driver = annotations[PROVISIONER]
        policy = storage_class.get("reclaimPolicy") or "Delete"
        metadata: Json = {"name": name, "annotations": {PROVISIONED_BY: driver}}
        if policy == "Delete":
            metadata["finalizers"] = [EXTERNAL_FINALIZER]
        spec: Json = {
            "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
            "accessModes": claim["spec"].get("accessModes") or ["ReadWriteOnce"],
            "claimRef": reference_to(claim),
            "persistentVolumeReclaimPolicy": policy,
            "storageClassName": storage_class["metadata"]["name"],
            "volumeMode": claim["spec"].get("volumeMode") or "Filesystem",
            "csi": {"driver": _driver_name(driver), "volumeHandle": name},
        }
        if storage_class.get("mountOptions"):
            spec["mountOptions"] = storage_class["mountOptions"]
        zone = self._zone_of(annotations.get(SELECTED_NODE))
        if zone is not None:
            here = {"key": _ZONE, "operator": "In", "values": [zone]}
            terms = [{"matchExpressions": [here]}]
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
        return {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": metadata,
            "spec": spec,
        }

    def _zone_of(self, node_name: str | None) -> str | None:
        node = self.lister.get(gvk.NODE, node_name) if node_name else None
        zone: str | None = (
            None if node is None else (node["metadata"].get("labels") or {}).get(_ZONE)
        )
        return zone

    def _delete(self, key: str, volume: Json) -> None:
        provisioner = annotations_of(volume).get(PROVISIONED_BY, IN_TREE)
        if provisioner.startswith(IN_TREE):
            return
        if volume["spec"].get("persistentVolumeReclaimPolicy") != "Delete":
            return
        held = volume["metadata"].get("finalizers") or []
        if "deletionTimestamp" not in volume["metadata"]:
            self.store.delete(gvk.PERSISTENT_VOLUME, key)
        ended = self.lister.get(gvk.PERSISTENT_VOLUME, key)
        if ended is not None and EXTERNAL_FINALIZER in held:
            left = [each for each in ended["metadata"]["finalizers"] if each != EXTERNAL_FINALIZER]
            metadata = with_metadata(ended, finalizers=left)["metadata"]
            self.store.record_metadata(gvk.PERSISTENT_VOLUME, key, metadata)


def _driver_name(provisioner: str) -> str:
    """What a volume calls its driver: provisioners may have a slash in their names, drivers not."""
    return provisioner.replace("/", ".").replace("_", "-")[:_LONGEST_DRIVER_NAME].rstrip("-.")
