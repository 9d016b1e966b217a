"""EndpointSlices as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import ownership, pod_control
from kubestage.controllers.endpointslice import service_pods, service_ports, trigger_times

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.endpointslice.slice_group import SliceGroup


MANAGER: Final = "endpointslice-controller.k8s.io"
SERVICE_NAME: Final = "kubernetes.io/service-name"
MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_HEADLESS: Final = "service.kubernetes.io/headless"
_RESERVED: Final = frozenset((SERVICE_NAME, MANAGED_BY, _HEADLESS))


def fresh(group: SliceGroup, service: Json, endpoints: list[Json], trigger: str | None) -> Json:
    """A new slice of a group."""
    metadata: Json = {
        "generateName": pod_control.prefix(service["metadata"]["name"]),
        "namespace": service["metadata"]["namespace"],
        "labels": labels_for(service),
        "annotations": trigger_times.annotated(None, trigger),
        "ownerReferences": [ownership.controller_reference(service)],
    }
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {name: value for name, value in metadata.items() if value},
        "addressType": group.address_type,
        # Where there are none, the API's answers have null.
        "endpoints": endpoints or None,
        "ports": service_ports.written(group.ports) or None,
    }


def rewritten(
    old: Json, service: Json, endpoints: list[Json], ports: Json | None, trigger: str | None
) -> Json:
    """A slice with other endpoints, and with what the Service lends it as it is now."""
    metadata = {
        **old["metadata"],
        "labels": labels_for(service),
        "annotations": trigger_times.annotated(old["metadata"].get("annotations"), trigger),
        "generation": old["metadata"].get("generation", 0) + 1,
    }
    if not metadata["annotations"]:
        del metadata["annotations"]
    return {**old, "metadata": metadata, "endpoints": endpoints or None, "ports": ports}


def labels_for(service: Json) -> dict[str, str]:
    """The labels of a Service's slices: its own, but for those that mean something here."""
    found = _lent(service)
    if service_pods.is_headless(service):
        found[_HEADLESS] = ""
    return found | {SERVICE_NAME: service["metadata"]["name"], MANAGED_BY: MANAGER}


def is_outdated(slice_: Json, service: Json) -> bool:
    """Whether a slice does not have its Service's labels any more."""
    return _lent(slice_) != _lent(service)


def is_placeholder(slice_: Json, service: Json) -> bool:
    """Whether a slice is what a Service without endpoints has."""
    return (
        not slice_.get("endpoints")
        and not slice_.get("ports")
        and slice_["metadata"].get("labels") == labels_for(service)
    )


def _lent(obj: Json) -> dict[str, str]:
    held = ownership.labels_of(obj)
    return {key: value for key, value in held.items() if key not in _RESERVED}
