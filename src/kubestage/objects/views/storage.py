"""Volumes, claims, classes and drivers as the volume plugins read them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import labels as label_selectors
from kubestage.objects import node_selector, quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

STORAGE_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
BIND_COMPLETED_ANNOTATION: Final = "pv.kubernetes.io/bind-completed"
DEFAULT_CLASS_ANNOTATION: Final = "storageclass.kubernetes.io/is-default-class"
IMMEDIATE: Final = "Immediate"
WAIT_FOR_FIRST_CONSUMER: Final = "WaitForFirstConsumer"

_FILESYSTEM: Final = "Filesystem"
_EMPTY: Final[dict[str, Any]] = {}


class ClaimView(msgspec.Struct, frozen=True, dict=True, eq=False):
    """One version of a PersistentVolumeClaim."""

    raw: dict[str, Any]
    name: str
    namespace: str
    uid: str
    class_name: str
    volume_name: str
    volume_mode: str
    access_modes: tuple[str, ...]
    requested: int
    phase: str
    annotations: dict[str, str]

    @property
    def is_bound(self) -> bool:
        """Whether binding to a volume is complete."""
        return bool(self.volume_name) and BIND_COMPLETED_ANNOTATION in self.annotations

    @functools.cached_property
    def selector(self) -> label_selectors.Selector:
        """Which volumes may be bound; every one if the claim names none."""
        stated = (self.raw.get("spec") or _EMPTY).get("selector")
        return (
            label_selectors.EVERYTHING
            if stated is None
            else label_selectors.from_label_selector(stated)
        )


def claim_of(claim: dict[str, Any]) -> ClaimView:
    """The view of a PersistentVolumeClaim object."""
    metadata, spec, status = _parts(claim)
    annotations = metadata.get("annotations") or _EMPTY
    class_name = annotations.get(STORAGE_CLASS_ANNOTATION, spec.get("storageClassName"))
    requests = (spec.get("resources") or _EMPTY).get("requests") or _EMPTY
    return ClaimView(
        claim,
        metadata.get("name") or "",
        metadata.get("namespace") or "",
        metadata.get("uid") or "",
        class_name or "",
        spec.get("volumeName") or "",
        spec.get("volumeMode") or _FILESYSTEM,
        tuple(spec.get("accessModes") or ()),
        quantity.value_of(requests.get("storage")),
        status.get("phase") or "",
        annotations,
    )


class VolumeView(msgspec.Struct, frozen=True, dict=True, eq=False):
    """One version of a PersistentVolume."""

    raw: dict[str, Any]
    name: str
    labels: dict[str, str]
    class_name: str
    volume_mode: str
    access_modes: tuple[str, ...]
    capacity: int
    phase: str
    claim: dict[str, Any] | None
    driver: str
    handle: str

    @functools.cached_property
    def node_affinity(self) -> node_selector.NodeSelector | None:
        """Which nodes can reach the volume; None if all can."""
        stated = (self.raw.get("spec") or _EMPTY).get("nodeAffinity") or _EMPTY
        required = stated.get("required")
        return None if required is None else node_selector.lazy(required)


def volume_of(volume: dict[str, Any]) -> VolumeView:
    """The view of a PersistentVolume object."""
    metadata, spec, status = _parts(volume)
    annotations = metadata.get("annotations") or _EMPTY
    class_name = annotations.get(STORAGE_CLASS_ANNOTATION, spec.get("storageClassName"))
    csi = spec.get("csi") or _EMPTY
    return VolumeView(
        volume,
        metadata.get("name") or "",
        metadata.get("labels") or _EMPTY,
        class_name or "",
        spec.get("volumeMode") or _FILESYSTEM,
        tuple(spec.get("accessModes") or ()),
        quantity.value_of((spec.get("capacity") or _EMPTY).get("storage")),
        status.get("phase") or "",
        spec.get("claimRef"),
        csi.get("driver") or "",
        csi.get("volumeHandle") or "",
    )


class ClassView(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One version of a StorageClass; ``topologies`` are or-ed lists of labels with values."""

    raw: dict[str, Any]
    name: str
    provisioner: str
    binding_mode: str
    is_default: bool
    topologies: tuple[tuple[tuple[str, frozenset[str]], ...], ...]

    @property
    def waits_for_consumer(self) -> bool:
        """Whether a volume is chosen only when a pod needs it."""
        return self.binding_mode == WAIT_FOR_FIRST_CONSUMER

    def allows(self, node_labels: Mapping[str, str]) -> bool:
        """Whether a volume for a node with these labels can be provisioned."""
        if not self.topologies:
            return True
        for terms in self.topologies:
            if terms and all(node_labels.get(key) in values for key, values in terms):
                return True
        return False


def class_of(storage_class: dict[str, Any]) -> ClassView:
    """The view of a StorageClass object."""
    metadata, _, _ = _parts(storage_class)
    annotations = metadata.get("annotations") or _EMPTY
    topologies = tuple(
        tuple(
            (item.get("key") or "", frozenset(item.get("values") or ()))
            for item in term.get("matchLabelExpressions") or ()
        )
        for term in storage_class.get("allowedTopologies") or ()
    )
    return ClassView(
        storage_class,
        metadata.get("name") or "",
        storage_class.get("provisioner") or "",
        storage_class.get("volumeBindingMode") or IMMEDIATE,
        annotations.get(DEFAULT_CLASS_ANNOTATION) == "true",
        topologies,
    )


class CSINodeView(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One version of a CSINode: the drivers of a node, with how many volumes each may attach."""

    raw: dict[str, Any]
    name: str
    limits: dict[str, int | None]


def csi_node_of(csi_node: dict[str, Any]) -> CSINodeView:
    """The view of a CSINode object; a driver without a limit has None."""
    metadata, spec, _ = _parts(csi_node)
    limits = {
        item.get("name") or "": (item.get("allocatable") or _EMPTY).get("count")
        for item in spec.get("drivers") or ()
    }
    return CSINodeView(csi_node, metadata.get("name") or "", limits)


def _parts(obj: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    return (
        obj.get("metadata") or _EMPTY,
        obj.get("spec") or _EMPTY,
        obj.get("status") or _EMPTY,
    )
