"""A pod as an endpoint of a Service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.endpointslice import service_pods

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json


_ZONE: Final = "topology.kubernetes.io/zone"
_HINT_MODES: Final = (
    "service.kubernetes.io/topology-aware-hints",
    "service.kubernetes.io/topology-mode",
)
_CLOSE: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")


def address_types(service: Json) -> tuple[str, ...]:
    """The kinds of addresses that a Service has slices for."""
    spec = service["spec"]
    families = spec.get("ipFamilies")
    if families:
        return tuple(dict.fromkeys(families))
    # The API sets the families; the default of a cluster is IPv4.
    return ("IPv6",) if ":" in (spec.get("clusterIP") or "") else ("IPv4",)


def addresses(pod: Json, address_type: str) -> list[str]:
    """The addresses of a pod of one kind."""
    wants_colon = address_type == "IPv6"
    found = (pod.get("status") or {}).get("podIPs") or ()
    return [each["ip"] for each in found if (":" in each["ip"]) is wants_colon]


def endpoint_of(pod: Json, node: Json | None, service: Json, address_type: str) -> Json | None:
    """The endpoint of a pod; None if it has no address of the kind."""
    found = addresses(pod, address_type)
    if not found:
        return None
    metadata, spec = pod["metadata"], pod["spec"]
    serving, terminating = pods.is_ready(pod), "deletionTimestamp" in metadata
    published = bool(service["spec"].get("publishNotReadyAddresses"))
    ready = published or (serving and not terminating)
    endpoint: Json = {
        "addresses": sorted(found),
        "conditions": {"ready": ready, "serving": serving, "terminating": terminating},
    }
    if service_pods.sets_hostname(pod, service):
        endpoint["hostname"] = spec["hostname"]
    endpoint["targetRef"] = {
        "kind": "Pod",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }
    if spec.get("nodeName"):
        endpoint["nodeName"] = spec["nodeName"]
    zone = None if node is None else (node["metadata"].get("labels") or {}).get(_ZONE)
    if zone:
        endpoint["zone"] = zone
    hints = _hints(endpoint, distribution(service)) if ready else None
    if hints:
        endpoint["hints"] = hints
    return endpoint


def distribution(service: Json) -> str | None:
    """Whether traffic is to stay close, in a way that makes endpoints carry hints."""
    if _uses_topology_mode(service["metadata"].get("annotations") or {}):
        return None
    desired: str | None = service["spec"].get("trafficDistribution")
    return desired if desired in _CLOSE else None


def _uses_topology_mode(annotations: Mapping[str, str]) -> bool:
    mode = next((annotations[key] for key in _HINT_MODES if key in annotations), "")
    return mode in ("Auto", "auto")


def _hints(endpoint: Json, desired: str | None) -> Json | None:
    """Who should use a ready endpoint first."""
    if desired is None:
        return None
    hints: Json = {}
    if "zone" in endpoint:
        hints["forZones"] = [{"name": endpoint["zone"]}]
    if desired == "PreferSameNode" and "nodeName" in endpoint:
        hints["forNodes"] = [{"name": endpoint["nodeName"]}]
    return hints
