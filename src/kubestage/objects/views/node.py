"""A node as the scheduler and the controllers read it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import resource_totals
from kubestage.objects.taints import Taint, taint_of

if TYPE_CHECKING:
    from kubestage.objects.resource_totals import Resource

ZONE_LABEL: Final = "topology.kubernetes.io/zone"
REGION_LABEL: Final = "topology.kubernetes.io/region"

_OLD_ZONE_LABEL: Final = "failure-domain.beta.kubernetes.io/zone"
_OLD_REGION_LABEL: Final = "failure-domain.beta.kubernetes.io/region"
ZONE_LABELS: Final = (ZONE_LABEL, _OLD_ZONE_LABEL)
"""The labels that name the zone of a node; the first that it has counts."""
_EMPTY: Final[dict[str, Any]] = {}


class NodeView(msgspec.Struct, frozen=True, dict=True, eq=False):
    """One version of a node."""

    raw: dict[str, Any]
    name: str
    uid: str
    labels: dict[str, str]
    unschedulable: bool
    taints: tuple[Taint, ...]
    allocatable: Resource

    @property
    def allowed_pods(self) -> int:
        """How many pods the node takes."""
        return self.allocatable.allowed_pod_number

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations, empty if there are none."""
        return (self.raw.get("metadata") or _EMPTY).get("annotations") or _EMPTY

    @functools.cached_property
    def images(self) -> dict[str, int]:
        """Sizes in bytes of the images on the node, by each of their names."""
        return {
            name: image.get("sizeBytes") or 0
            for image in (self.raw.get("status") or _EMPTY).get("images") or ()
            for name in image.get("names") or ()
        }

    @functools.cached_property
    def conditions(self) -> dict[str, str]:
        """The status of each condition, by its type."""
        return {
            item.get("type") or "": item.get("status") or ""
            for item in (self.raw.get("status") or _EMPTY).get("conditions") or ()
        }

    @property
    def is_ready(self) -> bool:
        """Whether the node reports that it can run pods."""
        return self.conditions.get("Ready") == "True"

    @functools.cached_property
    def declared_features(self) -> frozenset[str]:
        """The features that the node declares."""
        return frozenset((self.raw.get("status") or _EMPTY).get("declaredFeatures") or ())

    @property
    def zone(self) -> str:
        """The zone, by the old label before the new one, as the scheduler reads it."""
        return _first(self.labels, _OLD_ZONE_LABEL, ZONE_LABEL)

    @property
    def region(self) -> str:
        """The region, by the old label before the new one."""
        return _first(self.labels, _OLD_REGION_LABEL, REGION_LABEL)

    @property
    def zone_key(self) -> str:
        """Region and zone as one key; empty if the node has neither."""
        region, zone = self.region, self.zone
        return f"{region}:\x00:{zone}" if region or zone else ""


def _first(labels: dict[str, str], *keys: str) -> str:
    for key in keys:
        if key in labels:
            return labels[key]
    return ""


def of(node: dict[str, Any]) -> NodeView:
    """The view of a Node object, which must not change afterwards."""
    metadata = node.get("metadata") or _EMPTY
    spec = node.get("spec") or _EMPTY
    status = node.get("status") or _EMPTY
    return NodeView(
        node,
        metadata.get("name") or "",
        metadata.get("uid") or "",
        metadata.get("labels") or _EMPTY,
        bool(spec.get("unschedulable")),
        tuple(map(taint_of, spec.get("taints") or ())),
        resource_totals.total_of(status.get("allocatable")),
    )
