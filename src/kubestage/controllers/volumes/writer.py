"""Writing claims and volumes: every change that the binder makes to either is one of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.volumes.storage_names import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    OLD_PROVISIONER,
    PROVISIONER,
)
from kubestage.objects import volume_fit
from kubestage.objects.views import storage

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.store import Store


def annotations_of(obj: Json) -> dict[str, str]:
    """An object's annotations."""
    found: dict[str, str] = obj["metadata"].get("annotations") or {}
    return found


def annotated(obj: Json, **annotations: str) -> Json:
    """An object with more annotations, given by the keys of a dict."""
    return with_metadata(obj, annotations={**annotations_of(obj), **annotations})


def with_metadata(obj: Json, **fields: Any) -> Json:
    """An object with other metadata; what is empty is left out."""
    metadata = {**obj["metadata"], **fields}
    for name, value in fields.items():
        if not value:
            del metadata[name]
    return {**obj, "metadata": metadata}


def reference_to(claim: Json) -> Json:
    """How a volume names the claim that it is bound to."""
    metadata = claim["metadata"]
    return {
        "kind": claim["kind"],
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "apiVersion": claim["apiVersion"],
        "resourceVersion": metadata["resourceVersion"],
    }


class VolumeWriter:
    """Keeps claims and volumes in step, in upstream's order of writing."""

    def __init__(self, store: Store, events: EventRecorder) -> None:
        self._store = store
        self._events = events

    def bind(self, volume: Json, claim: Json) -> None:
        """Bind the two to each other, the volume first; what is in place is not written again."""
        volume = self._bind_volume(volume, claim)
        volume = self.set_volume_phase(volume, "Bound")
        claim = self._bind_claim(claim, volume["metadata"]["name"])
        self.set_claim_phase(claim, "Bound", volume)

    def _bind_volume(self, volume: Json, claim: Json) -> Json:
        view, requested = storage.volume_of(volume), storage.claim_of(claim)
        bound = volume
        reference = view.claim
        if reference is None or (reference.get("uid") or "") != requested.uid:
            spec = {**volume["spec"], "claimRef": reference_to(claim)}
            bound = {**bound, "spec": spec}
        if not volume_fit.is_bound_to(
            view, requested
        ) and BOUND_BY_CONTROLLER not in annotations_of(volume):
            bound = annotated(bound, **{BOUND_BY_CONTROLLER: "yes"})
        return volume if bound is volume else self._store.update(bound)

    def _bind_claim(self, claim: Json, volume_name: str) -> Json:
        bound = claim
        if claim["spec"].get("volumeName") != volume_name:
            bound = {**claim, "spec": {**claim["spec"], "volumeName": volume_name}}
            if BOUND_BY_CONTROLLER not in annotations_of(claim):
                bound = annotated(bound, **{BOUND_BY_CONTROLLER: "yes"})
        if BIND_COMPLETED not in annotations_of(claim):
            bound = annotated(bound, **{BIND_COMPLETED: "yes"})
        return claim if bound is claim else self._store.update(bound)

    def unbind(self, volume: Json) -> None:
        """Free a volume that was bound by the controller; one that a person reserved stays so."""
        spec = dict(volume["spec"])
        annotations = annotations_of(volume)
        if BOUND_BY_CONTROLLER in annotations:
            del spec["claimRef"]
            remaining = {
                name: text for name, text in annotations.items() if name != BOUND_BY_CONTROLLER
            }
            free = with_metadata({**volume, "spec": spec}, annotations=remaining)
        else:
            reference = dict(spec["claimRef"])
            reference.pop("uid", None)
            free = {**volume, "spec": {**spec, "claimRef": reference}}
        self.set_volume_phase(self._store.update(free), "Available")

    def set_volume_phase(self, volume: Json, phase: str, message: str = "") -> Json:
        """Write a volume's phase."""
        status = volume.get("status") or {}
        if status.get("phase") == phase:
            return volume
        status = {**status, "phase": phase}
        status.pop("message", None)
        if message:
            status["message"] = message
        return self._store.update({**volume, "status": status}, subresource="status")

    def fail_volume(self, volume: Json, reason: str, message: str) -> None:
        """Say that a volume cannot be reclaimed, once."""
        if (volume.get("status") or {}).get("phase") != "Failed":
            failed = self.set_volume_phase(volume, "Failed", message)
            self._events.event(failed, "Warning", reason, message)

    def set_claim_phase(self, claim: Json, phase: str, volume: Json | None = None) -> Json:
        """Write a claim's phase, with what it has of its volume."""
        old = claim.get("status") or {}
        status = {**old, "phase": phase}
        for field in ("accessModes", "capacity", "currentVolumeAttributesClassName"):
            if volume is None:
                status.pop(field, None)
        if volume is not None:
            spec = volume["spec"]
            status["accessModes"] = spec["accessModes"]
            if old.get("phase") != phase:
                status["capacity"] = spec["capacity"]
                attributes_class = spec.get("volumeAttributesClassName")
                if old.get("phase") == "Pending" and attributes_class:
                    status["currentVolumeAttributesClassName"] = attributes_class
        if status == old:
            return claim
        return self._store.update({**claim, "status": status}, subresource="status")

    def lose_claim(self, claim: Json, reason: str, message: str) -> None:
        """Say that a claim has lost its volume, once."""
        if (claim.get("status") or {}).get("phase") != "Lost":
            lost = self.set_claim_phase(claim, "Lost")
            self._events.event(lost, "Warning", reason, message)

    def name_provisioner(self, claim: Json, provisioner: str) -> Json:
        """Write down who is to provision a volume for a claim."""
        if annotations_of(claim).get(PROVISIONER) == provisioner:
            return claim
        names = {PROVISIONER: provisioner, OLD_PROVISIONER: provisioner}
        return self._store.update(annotated(claim, **names))
