"""Claims for the ephemeral volumes of pods: made with the pod, gone with the pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import pods
from kubestage.controllers.controller import Cluster, Controller, Retry
from kubestage.controllers.ownership import controller_reference, is_controlled_by
from kubestage.controllers.volumes.pods_by_claim import PodsByClaim, ephemeral_claim_name
from kubestage.controllers.volumes.storage_names import CLAIM
from kubestage.errors import ApiError
from kubestage.store.event_recorder import WARNING
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Handlers
    from kubestage.store.log import Change


class EphemeralVolumeController(Controller):
    """Makes the claims; the garbage collector removes them with their pods."""

    name = "ephemeral_volume"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._pods = PodsByClaim()

    def handlers(self) -> Handlers:
        """Pods, and claims that go while their pods are there."""
        return {("", "Pod"): self._on_pod, ("", "PersistentVolumeClaim"): self._on_claim}

    def _on_pod(self, change: Change) -> None:
        volumes = change.new["spec"].get("volumes")
        if not volumes:
            return
        self._pods.on_pod(change)
        if change.old is None and any(each.get("ephemeral") is not None for each in volumes):
            self.queue.add(change.key)

    def _on_claim(self, change: Change) -> None:
        if change.type == DELETED:
            for pod in self._pods.get(change.key):
                self.queue.add(pod)

    def sync(self, key: str) -> None:
        """See that every ephemeral volume of a pod has its claim."""
        pod = self.lister.get(pods.POD, key)
        if pod is None or pods.is_terminating(pod):
            return
        for volume in pod["spec"].get("volumes") or ():
            if volume.get("ephemeral") is None:
                continue
            problem = self._problem(pod, volume)
            if problem is not None:
                text = f"ephemeral volume {volume['name']}: {problem}"
                self.events.event(pod, WARNING, "FailedBinding", text)
                raise Retry(f"pod {key}, {text}")

    def _problem(self, pod: Json, volume: Json) -> str | None:
        """Make the claim of a volume; why that cannot be done."""
        name = ephemeral_claim_name(pod, volume)
        namespace = pod["metadata"]["namespace"]
        found = self.lister.get(CLAIM, f"{namespace}/{name}")
        if found is not None:
            if is_controlled_by(found, pod):
                return None
            return (
                f"PVC {namespace}/{name} was not created for pod "
                f"{namespace}/{pod['metadata']['name']} (pod is not owner)"
            )
        template = volume["ephemeral"]["volumeClaimTemplate"]
        described = template.get("metadata") or {}
        metadata: Json = {"name": name, "namespace": namespace}
        for field in ("annotations", "labels"):
            if described.get(field):
                metadata[field] = described[field]
        metadata["ownerReferences"] = [controller_reference(pod)]
        claim = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": metadata,
            "spec": template["spec"],
        }
        try:
            self.store.create(claim)
        except ApiError as error:
            return f"create PVC {name}: {error.message}"
        return None
