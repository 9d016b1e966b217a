"""The persistentvolume-controller: claims and volumes find each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.controller import Controller, Retry
from kubestage.controllers.volumes import matching
from kubestage.controllers.volumes.pods_by_claim import PodsByClaim
from kubestage.controllers.volumes.provisioning import Provisioning
from kubestage.controllers.volumes.reclaiming import Reclaiming
from kubestage.controllers.volumes.storage_names import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    CLAIM,
    EXTERNAL_FINALIZER,
    IN_TREE,
    IN_TREE_FINALIZER,
    PROVISIONED_BY,
    SELECTED_NODE,
)
from kubestage.controllers.volumes.writer import VolumeWriter, annotations_of, with_metadata
from kubestage.objects import gvk, volume_fit
from kubestage.objects.views import storage
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.store.field_values import CLAIM_NAME
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


# One line for both: a volume's name has no slash.
_OVER: Final = ("Released", "Failed")


class PersistentVolumeController(Controller):
    """Binds, provisions and reclaims.

    Upstream syncs everything again every fifteen seconds; here a key is synced again only while it
    waits for something that it is not notified of.
    """

    name = "persistentvolume-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._pods = PodsByClaim()
        self._writer = VolumeWriter(self.store, self.events)
        self._provisioning = Provisioning(self, self._writer)
        self._reclaiming = Reclaiming(self, self._writer, self._pods)

    def handlers(self) -> Handlers:
        """Claims and volumes; pods, for who uses a claim."""
        return {
            ("", "PersistentVolumeClaim"): self._on_claim,
            ("", "PersistentVolume"): self._on_volume,
            ("", "Pod"): self._pods.on_pod,
        }

    def _on_claim(self, change: Change) -> None:
        if change.type != DELETED:
            self.queue.add(change.key)
        elif change.new["spec"].get("volumeName"):
            self.queue.add(change.new["spec"]["volumeName"])

    def _on_volume(self, change: Change) -> None:
        if change.type != DELETED:
            self.queue.add(change.key)
        elif change.new["spec"].get("claimRef"):
            reference = change.new["spec"]["claimRef"]
            self.queue.add(f"{reference['namespace']}/{reference['name']}")

    def sync(self, key: str) -> None:
        """Sync a claim (its key has a slash) or a volume."""
        if "/" in key:
            claim = self.lister.get(CLAIM, key)
            if claim is not None:
                self._sync_claim(key, claim)
        else:
            volume = self.lister.get(gvk.PERSISTENT_VOLUME, key)
            if volume is not None:
                self._sync_volume(key, volume)

    def requeue_after(self, key: str) -> None:
        """Sync a key again after upstream's resync period."""
        self.queue.add_after(key, self.settings.pvclaimbinder_sync_period_ns)

    def _sync_claim(self, key: str, claim: Json) -> None:
        if BIND_COMPLETED in annotations_of(claim):
            self._sync_bound_claim(claim)
        elif claim["spec"].get("volumeName"):
            self._sync_claim_of_volume(key, claim)
        else:
            self._sync_unbound_claim(key, claim)

    def _sync_unbound_claim(self, key: str, claim: Json) -> None:
        """A claim that takes any volume that will do."""
        view = storage.claim_of(claim)
        delays = self._delays_binding(view.class_name)
        volumes = [
            storage.volume_of(each)
            for each in self._not_of_others(view.name)
            if matching.may_be_had(each, view)
        ]
        found = matching.best(view, volumes, delays_binding=delays)
        if found is not None:
            self._writer.bind(found.raw, claim)
            return
        if self._provisioning.assign_default_class(claim):
            return
        self.requeue_after(key)
        if delays and SELECTED_NODE not in view.annotations:
            self._report_waiting(key, claim)
        elif view.class_name:
            self._provisioning.provision(key, claim)
            return
        else:
            text = "no persistent volumes available for this claim and no storage class is set"
            self.events.event(claim, NORMAL, "FailedBinding", text)
        self._writer.set_claim_phase(claim, "Pending")

    def _not_of_others(self, claim: str) -> list[Json]:
        """The volumes that are spoken for by no claim, or by one of this name; in order.

        NOTE: most volumes are other claims', and each new claim looked at all of them, which was a
        fortieth of a load with 5,000 nodes (benchmarks/load.py).
        """
        indexed = self.lister.indexed
        free = indexed(gvk.PERSISTENT_VOLUME, CLAIM_NAME, "")
        named = indexed(gvk.PERSISTENT_VOLUME, CLAIM_NAME, claim)
        return sorted([*free, *named], key=_name) if named else free

    def _delays_binding(self, class_name: str) -> bool:
        found = self.lister.get(gvk.STORAGE_CLASS, class_name) if class_name else None
        return found is not None and storage.class_of(found).waits_for_consumer

    def _report_waiting(self, key: str, claim: Json) -> None:
        named = (self.lister.get(pods.POD, pod) for pod in self._pods.get(key))
        names = [
            pod["metadata"]["name"]
            for pod in named
            if pod is not None and not pods.is_terminal(pod) and not pod["spec"].get("nodeName")
        ]
        reason = "WaitForPodScheduled"
        if not names:
            reason = "WaitForFirstConsumer"
            text = "waiting for first consumer to be created before binding"
        elif len(names) == 1:
            text = f"waiting for pod {names[0]} to be scheduled"
        else:
            text = f"waiting for pods {','.join(names)} to be scheduled"
        self.events.event(claim, NORMAL, reason, text)

    def _sync_claim_of_volume(self, key: str, claim: Json) -> None:
        """A claim that requests one volume by name."""
        name = claim["spec"]["volumeName"]
        volume = self.lister.get(gvk.PERSISTENT_VOLUME, name)
        if volume is None:
            self.requeue_after(key)
            self._writer.set_claim_phase(claim, "Pending")
            return
        view, requested = storage.volume_of(volume), storage.claim_of(claim)
        if view.claim is None:
            problem = matching.mismatch(view, requested)
            if problem is None:
                self._writer.bind(volume, claim)
                return
            text = f'Cannot bind to requested volume "{name}": {problem}'
            self.events.event(claim, WARNING, "VolumeMismatch", text)
        elif volume_fit.is_bound_to(view, requested):
            self._writer.bind(volume, claim)
            return
        else:
            text = f'volume "{name}" already bound to a different claim.'
            self.events.event(claim, WARNING, "FailedBinding", text)
            if BOUND_BY_CONTROLLER in annotations_of(claim):
                other = f"{view.claim['namespace']}/{view.claim['name']}"
                raise Retry(
                    f'invalid binding of claim "{key}" to volume "{name}": '
                    f'volume already claimed by "{other}"'
                )
        self.requeue_after(key)
        self._writer.set_claim_phase(claim, "Pending")

    def _sync_bound_claim(self, claim: Json) -> None:
        name = claim["spec"].get("volumeName")
        volume = self.lister.get(gvk.PERSISTENT_VOLUME, name) if name else None
        if volume is None:
            what = "its PersistentVolume" if name else "reference to PersistentVolume"
            text = f"Bound claim has lost {what}. Data on the volume is lost!"
            self._writer.lose_claim(claim, "ClaimLost", text)
            return
        reference = volume["spec"].get("claimRef")
        if reference is None or reference.get("uid") == claim["metadata"]["uid"]:
            self._writer.bind(volume, claim)
        else:
            text = "Two claims are bound to the same volume, this one is bound incorrectly"
            self._writer.lose_claim(claim, "ClaimMisbound", text)

    def _sync_volume(self, key: str, volume: Json) -> None:
        volume = self._with_right_finalizers(volume)
        reference = volume["spec"].get("claimRef")
        if reference is None or not reference.get("uid"):
            self._writer.set_volume_phase(volume, "Available")
            return
        claim_key = f"{reference['namespace']}/{reference['name']}"
        claim = self.lister.get(CLAIM, claim_key)
        if claim is None or claim["metadata"]["uid"] != reference["uid"]:
            self._release(key, volume)
        elif not claim["spec"].get("volumeName"):
            self._hand_to_claim(volume, claim_key, claim)
        elif claim["spec"]["volumeName"] == key:
            self._writer.set_volume_phase(volume, "Bound")
        elif (
            PROVISIONED_BY in annotations_of(volume)
            and volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete"
        ):
            self._release(key, volume)
        else:
            self._writer.unbind(volume)

    def _release(self, key: str, volume: Json) -> None:
        if (volume.get("status") or {}).get("phase") not in _OVER:
            volume = self._writer.set_volume_phase(volume, "Released")
        self._reclaiming.reclaim(key, volume)

    def _hand_to_claim(self, volume: Json, claim_key: str, claim: Json) -> None:
        """The claim is bound in its own turn, unless it cannot be."""
        view, requested = storage.volume_of(volume), storage.claim_of(claim)
        if view.volume_mode == requested.volume_mode:
            self.queue.add(claim_key)
            return
        what = "due to incompatible volumeMode."
        named = f'PersistentVolume to requested PersistentVolumeClaim "{requested.name}"'
        self.events.event(volume, WARNING, "VolumeMismatch", f"Cannot bind {named} {what}")
        named = f'PersistentVolume "{view.name}" to requested PersistentVolumeClaim'
        self.events.event(claim, WARNING, "VolumeMismatch", f"Cannot bind {named} {what}")

    def _with_right_finalizers(self, volume: Json) -> Json:
        """In-tree volumes that are to be deleted with their claims are held until they are."""
        provisioner = annotations_of(volume).get(PROVISIONED_BY)
        if provisioner is None or not provisioner.startswith(IN_TREE):
            return volume
        if "deletionTimestamp" in volume["metadata"]:
            return volume
        before = volume["metadata"].get("finalizers") or []
        after = [each for each in before if each != EXTERNAL_FINALIZER]
        if volume["spec"].get("persistentVolumeReclaimPolicy") != "Delete":
            after = [each for each in after if each != IN_TREE_FINALIZER]
        elif IN_TREE_FINALIZER not in after:
            after.append(IN_TREE_FINALIZER)
        if after == before:
            return volume
        return self.store.update(with_metadata(volume, finalizers=after))


def _name(obj: Json) -> str:
    name: str = obj["metadata"]["name"]
    return name
