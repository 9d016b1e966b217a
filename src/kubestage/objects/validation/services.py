"""Rules for services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import service_reach
from kubestage.objects.validation import (
    addresses,
    endpoint_addresses,
    field,
    label_selectors,
    load_balancers,
    metadata,
    names,
    service_families,
    service_ports,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_MODE: Final = "service.kubernetes.io/topology-mode"
_SOURCES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES: Final = ("ClientIP", "None")
_DISTRIBUTIONS: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_DAY: Final = 86400
_TIMEOUT: Final = ".clientIP.timeoutSeconds"
_ONLY_BALANCED: Final = "may only be used when `type` is 'LoadBalancer'"


def validate_service(obj: dict[str, Any]) -> list[FieldError]:
    """A new service."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_label)
    return errors + _validate(obj, None)


def validate_service_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed service: its first address stays."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    errors += service_families.validate_changed_addresses(spec, before)
    errors += service_families.validate_changed_families(spec, before)
    errors += _validate_changed_class(spec, before)
    if service_reach.needs_health_check(spec) and service_reach.needs_health_check(before):
        path = "healthCheckNodePort"
        if (spec.get(path) or 0) != (before.get(path) or 0):
            errors.append(field.forbidden(f"spec.{path}", metadata.IMMUTABLE))
    return errors + _validate(new, old)


def validate_service_status_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """What a load balancer reports."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    is_balanced = (new.get("spec") or {}).get("type") == "LoadBalancer"
    return errors + load_balancers.validate_service_status(new, old, is_balanced=is_balanced)


def _validate(obj: dict[str, Any], old: dict[str, Any] | None) -> list[FieldError]:
    spec = obj.get("spec") or {}
    before = None if old is None else old.get("spec") or {}
    errors = _validate_topology(obj["metadata"].get("annotations") or {})
    errors += _validate_type_fields(spec)
    errors += service_ports.validate_ports(spec)
    errors += label_selectors.validate_labels(spec.get("selector"), "spec.selector")
    errors += _validate_affinity(spec)
    errors += service_families.validate_addresses(spec, before)
    errors += _validate_external_ips(spec, before or {})
    errors += _validate_type(spec)
    errors += service_ports.validate_node_ports(spec)
    errors += service_ports.validate_distinct(spec)
    errors += _validate_source_ranges(obj, old)
    errors += _validate_balancer(spec)
    errors += _validate_class(spec)
    return errors + _validate_traffic(spec)


def _validate_topology(annotations: dict[str, str]) -> list[FieldError]:
    if _HINTS not in annotations or _MODE not in annotations:
        return []
    mode = annotations[_MODE]
    if mode == annotations[_HINTS]:
        return []
    detail = f"must match annotations[{_HINTS}] when both are specified"
    return [field.invalid(f"metadata.annotations[{_MODE}]", mode, detail)]


def _validate_type_fields(spec: dict[str, Any]) -> list[FieldError]:
    """What the type of a service asks for and what it excludes."""
    errors: list[FieldError] = []
    kind = spec.get("type") or ""
    headless = service_families.is_headless(spec)
    if not spec.get("ports") and not headless and kind != "ExternalName":
        errors.append(field.required("spec.ports"))
    if kind in ("LoadBalancer", "NodePort") and headless:
        detail = f"may not be set to 'None' for {kind} services"
        errors.append(field.invalid("spec.clusterIPs[0]", service_families.NONE, detail))
    if kind != "ExternalName":
        return errors
    errors += [
        field.forbidden(f"spec.{key}", "may not be set for ExternalName services")
        for key in ("clusterIPs", "ipFamilies", "ipFamilyPolicy")
        if spec.get(key) or (key == "ipFamilyPolicy" and spec.get(key) is not None)
    ]
    name = (spec.get("externalName") or "").removesuffix(".")
    if not name:
        return [*errors, field.required("spec.externalName")]
    return errors + field.invalids("spec.externalName", name, names.is_dns1123_subdomain(name))


def _validate_affinity(spec: dict[str, Any]) -> list[FieldError]:
    affinity = spec.get("sessionAffinity") or ""
    config = spec.get("sessionAffinityConfig")
    path = "spec.sessionAffinityConfig"
    if not affinity:
        return [field.required("spec.sessionAffinity")]
    if affinity == "None":
        detail = "must not be set when session affinity is None"
        return [] if config is None else [field.forbidden(path, detail)]
    if affinity not in _AFFINITIES:
        return [field.not_supported("spec.sessionAffinity", affinity, _AFFINITIES)]
    client = None if config is None else config.get("clientIP")
    seconds = None if client is None else client.get("timeoutSeconds")
    if seconds is None:
        below = "" if config is None else ".clientIP" if client is None else _TIMEOUT
        return [field.required(f"{path}{below}", "when session affinity type is ClientIP")]
    if 0 < seconds <= _DAY:
        return []
    detail = f"must be greater than 0 and less than {_DAY}"
    return [field.invalid(f"{path}{_TIMEOUT}", seconds, detail)]


def _validate_external_ips(spec: dict[str, Any], before: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    known = before.get("externalIPs") or ()
    for index, address in enumerate(spec.get("externalIPs") or ()):
        path = f"spec.externalIPs[{index}]"
        wrong = endpoint_addresses.validate_legacy(address, path, known)
        errors += wrong or endpoint_addresses.validate_endpoint_ip(address, path)
    return errors


def _validate_type(spec: dict[str, Any]) -> list[FieldError]:
    kind = spec.get("type") or ""
    if not kind:
        return [field.required("spec.type")]
    return [] if kind in _TYPES else [field.not_supported("spec.type", kind, _TYPES)]


def _validate_source_ranges(obj: dict[str, Any], old: dict[str, Any] | None) -> list[FieldError]:
    spec, annotations = obj.get("spec") or {}, obj["metadata"].get("annotations") or {}
    ranges = spec.get("loadBalancerSourceRanges")
    path = "spec.LoadBalancerSourceRanges" if ranges else f"metadata.annotations[{_SOURCES}]"
    if not ranges and _SOURCES not in annotations:
        return []
    errors: list[FieldError] = []
    if spec.get("type") != "LoadBalancer":
        errors.append(field.forbidden(path, _ONLY_BALANCED))
    if ranges:
        before = ((old or {}).get("spec") or {}).get("loadBalancerSourceRanges") or ()
        known = {value.strip() for value in before}
        for index, value in enumerate(ranges):
            if value.strip() not in known:
                errors += _validate_range(value.strip(), f"{path}[{index}]")
        return errors
    text = annotations[_SOURCES]
    if old is not None and (old["metadata"].get("annotations") or {}).get(_SOURCES) == text:
        return errors
    for value in text.strip().split(",") if text.strip() else ():
        errors += _validate_range(value.strip(), path)
    return errors


def _validate_range(value: str, path: str) -> list[FieldError]:
    return field.invalids(path, value, addresses.is_cidr_for_legacy_field(value))


def _validate_balancer(spec: dict[str, Any]) -> list[FieldError]:
    is_balanced, wanted = spec.get("type") == "LoadBalancer", "allocateLoadBalancerNodePorts"
    if is_balanced and spec.get(wanted) is None:
        return [field.required(wanted)]
    if not is_balanced and spec.get(wanted) is not None:
        return [field.forbidden(f"spec.{wanted}", _ONLY_BALANCED)]
    return []


def _validate_class(spec: dict[str, Any]) -> list[FieldError]:
    wanted, path = spec.get("loadBalancerClass"), "spec.loadBalancerClass"
    if wanted is None:
        return []
    if spec.get("type") != "LoadBalancer":
        return [field.forbidden(path, _ONLY_BALANCED)]
    return field.invalids(path, wanted, names.is_qualified_name(wanted))


def _validate_changed_class(spec: dict[str, Any], before: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    wanted = spec.get("loadBalancerClass")
    is_balanced = spec.get("type") == before.get("type") == "LoadBalancer"
    if is_balanced and wanted != before.get("loadBalancerClass"):
        detail = "may not change once set"
        errors.append(field.invalid("spec.loadBalancerClass", wanted, detail))
    return errors + _validate_class(spec)


def _validate_traffic(spec: dict[str, Any]) -> list[FieldError]:
    """Which endpoints traffic may go to."""
    errors = _validate_external_policy(spec) + _validate_health_port(spec)
    inside = spec.get("internalTrafficPolicy")
    path = "spec.internalTrafficPolicy"
    if inside is None and spec.get("type") in ("ClusterIP", "LoadBalancer", "NodePort"):
        errors.append(field.required(path))
    if inside is not None and inside not in ("Cluster", "Local"):
        errors.append(field.not_supported(path, inside, ("Cluster", "Local")))
    spread = spec.get("trafficDistribution")
    if spread is not None and spread not in _DISTRIBUTIONS:
        errors.append(field.not_supported("spec.trafficDistribution", spread, _DISTRIBUTIONS))
    return errors


def _validate_external_policy(spec: dict[str, Any]) -> list[FieldError]:
    policy, path = spec.get("externalTrafficPolicy") or "", "spec.externalTrafficPolicy"
    if not service_reach.is_externally_accessible(spec):
        detail = "may only be set for externally-accessible services"
        return [field.invalid(path, policy, detail)] if policy else []
    if not policy:
        return [field.required(path)]
    if policy in ("Cluster", "Local"):
        return []
    return [field.not_supported(path, policy, ("Cluster", "Local"))]


def _validate_health_port(spec: dict[str, Any]) -> list[FieldError]:
    port, path = spec.get("healthCheckNodePort") or 0, "spec.healthCheckNodePort"
    if service_reach.needs_health_check(spec):
        if not port:
            return [field.required(path)]
        return field.invalids(path, port, names.is_valid_port_num(port))
    if not port:
        return []
    detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    return [field.invalid(path, port, detail)]
