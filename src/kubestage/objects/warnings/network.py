"""Advice about services, endpoints, ingresses and network policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field
from kubestage.objects.warnings import addresses

if TYPE_CHECKING:
    from collections.abc import Iterator

_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_MODE: Final = "service.kubernetes.io/topology-mode"
_CLASS: Final = "kubernetes.io/ingress.class"
# Who makes endpoints from services spells addresses right.
_SLICES: Final = "endpointslice.kubernetes.io/managed-by"
_SLICE_CONTROLLERS: Final = (
    "endpointslice-controller.k8s.io",
    "endpointslicemirroring-controller.k8s.io",
)
_ENDPOINTS: Final = ("endpoints.kubernetes.io/managed-by", "endpoint-controller")


def service(obj: dict[str, Any]) -> list[str]:
    """Fields that are ignored for the type of the service, or on their way out."""
    spec = obj.get("spec") or {}
    found: list[str] = []
    if _HINTS in (obj["metadata"].get("annotations") or {}):
        found.append(f"annotation {_HINTS} is deprecated, please use {_MODE} instead")
    if spec.get("clusterIP") not in (None, "", "None"):
        found += _each(spec.get("clusterIPs") or (), "spec.clusterIPs")
    is_headless = spec.get("type") == "ClusterIP" and spec.get("clusterIP") == "None"
    outside: list[str] = spec.get("externalIPs") or []
    if is_headless:
        found += _ignored_when_headless(spec)
    found += _each(outside, "spec.externalIPs")
    is_name = spec.get("type") == "ExternalName"
    if outside and not is_headless and not is_name:
        found.append(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
        )
    if spec.get("loadBalancerIP"):
        found += addresses.address(spec["loadBalancerIP"], "spec.loadBalancerIP")
    for index, value in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        found += addresses.block(value, f"spec.loadBalancerSourceRanges[{index}]")
    if is_name and outside:
        found.append('spec.externalIPs is ignored when spec.type is "ExternalName"')
    if not is_name and spec.get("externalName"):
        found.append('spec.externalName is ignored when spec.type is not "ExternalName"')
    if spec.get("trafficDistribution") == "PreferClose":
        found.append('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
    return found


def _ignored_when_headless(spec: dict[str, Any]) -> list[str]:
    fields = {
        "loadBalancerIP": bool(spec.get("loadBalancerIP")),
        "externalIPs": bool(spec.get("externalIPs")),
        "SessionAffinity": spec.get("sessionAffinity") != "None",
    }
    return [
        f"spec.{name} is ignored for headless services" for name, given in fields.items() if given
    ]


def _each(values: list[str] | tuple[str, ...], path: str) -> list[str]:
    return [
        warning
        for index, value in enumerate(values)
        for warning in addresses.address(value, f"{path}[{index}]")
    ]


def load_balancer(obj: dict[str, Any]) -> list[str]:
    """Addresses that a load balancer reports, of a service or an ingress."""
    points = ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
    return [
        warning
        for index, point in enumerate(points)
        for warning in addresses.address(
            point.get("ip") or "", f"status.loadBalancer.ingress[{index}]"
        )
    ]


def endpoints(obj: dict[str, Any]) -> list[str]:
    """Addresses of endpoints that somebody wrote by hand."""
    label, controller = _ENDPOINTS
    if (obj["metadata"].get("labels") or {}).get(label) == controller:
        return []
    return [
        warning
        for index, subset in enumerate(obj.get("subsets") or ())
        for key in ("addresses", "notReadyAddresses")
        for at, each in enumerate(subset.get(key) or ())
        for warning in addresses.address(each.get("ip") or "", f"subsets[{index}].{key}[{at}].ip")
    ]


def new_endpoint_slice(obj: dict[str, Any]) -> list[str]:
    """As for a changed slice, and that domain names are on their way out."""
    old = obj.get("addressType") == "FQDN"
    found = ["spec.addressType: FQDN endpoints are deprecated"] if old else []
    return found + endpoint_slice(obj)


def endpoint_slice(obj: dict[str, Any]) -> list[str]:
    """Addresses of a slice that somebody wrote by hand."""
    if (obj["metadata"].get("labels") or {}).get(_SLICES) in _SLICE_CONTROLLERS:
        return []
    return [
        warning
        for index, endpoint in enumerate(obj.get("endpoints") or ())
        for warning in _each(endpoint.get("addresses") or (), f"endpoints[{index}].addresses")
    ]


def ingress(obj: dict[str, Any]) -> list[str]:
    """The annotation that came before the class field."""
    annotated = _CLASS in (obj["metadata"].get("annotations") or {})
    if not annotated or (obj.get("spec") or {}).get("ingressClassName") is not None:
        return []
    shown = field.quote(_CLASS)
    return [f"annotation {shown} is deprecated, please use 'spec.ingressClassName' instead"]


def network_policy(obj: dict[str, Any]) -> list[str]:
    """Blocks of addresses."""
    return [
        warning
        for path, value in _blocks(obj.get("spec") or {})
        for warning in addresses.block(value, path)
    ]


def _blocks(spec: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for rules, peers in (("ingress", "from"), ("egress", "to")):
        for index, rule in enumerate(spec.get(rules) or ()):
            for at, peer in enumerate(rule.get(peers) or ()):
                path, block = f"spec.{rules}[{index}].{peers}[{at}].ipBlock", peer.get("ipBlock")
                if block is not None:
                    yield f"{path}.cidr", block.get("cidr") or ""
                    for nth, value in enumerate(block.get("except") or ()):
                        yield f"{path}.except[{nth}]", value
