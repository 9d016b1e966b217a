"""Rules for how a service is reached: affinity, external IPs, load balancers, traffic policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers, service_reach
from kubestage.objects.validation import addresses, endpoint_addresses, field, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_SPEC: Final = "core/v1.ServiceSpec"
_SOURCES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
_DAY: Final = 86400
_TIMEOUT: Final = ".clientIP.timeoutSeconds"
_ONLY_BALANCED: Final = "may only be used when `type` is 'LoadBalancer'"


def validate_affinity(spec: Json) -> list[FieldError]:
    """Session affinity, and how long it lasts."""
    affinity = spec.get("sessionAffinity") or ""
    config = spec.get("sessionAffinityConfig")
    path = "spec.sessionAffinityConfig"
    if affinity == "None":
        detail = "must not be set when session affinity is None"
        return [] if config is None else [field.forbidden(path, detail)]
    if affinity != "ClientIP":
        return markers.check(_SPEC, spec, "spec", "sessionAffinity")
    client = None if config is None else config.get("clientIP")
    seconds = None if client is None else client.get("timeoutSeconds")
    if seconds is None:
        below = "" if config is None else ".clientIP" if client is None else _TIMEOUT
        return [field.required(f"{path}{below}", "when session affinity type is ClientIP")]
    if 0 < seconds <= _DAY:
        return []
    detail = f"must be greater than 0 and less than {_DAY}"
    return [field.invalid(f"{path}{_TIMEOUT}", seconds, detail)]


def validate_external_ips(spec: Json, before: Json) -> list[FieldError]:
    """External IPs: those that the old service has are not checked again."""
    errors: list[FieldError] = []
    known = before.get("externalIPs") or ()
    for index, address in enumerate(spec.get("externalIPs") or ()):
        path = f"spec.externalIPs[{index}]"
        wrong = endpoint_addresses.validate_legacy(address, path, known)
        errors += wrong or endpoint_addresses.validate_endpoint_ip(address, path)
    return errors


def validate_source_ranges(obj: Json, old: Json | None) -> list[FieldError]:
    """Who may reach a load balancer: the field, or else the annotation."""
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


def validate_balancer(spec: Json) -> list[FieldError]:
    """Fields that only services with a load balancer have."""
    key, value = "allocateLoadBalancerNodePorts", spec.get("allocateLoadBalancerNodePorts")
    errors: list[FieldError] = []
    if spec.get("type") == "LoadBalancer":
        if value is None:
            errors.append(field.required(key))
    elif value is not None:
        errors.append(field.forbidden(f"spec.{key}", _ONLY_BALANCED))
    return errors + _validate_class(spec)


def _validate_class(spec: Json) -> list[FieldError]:
    name, path = spec.get("loadBalancerClass"), "spec.loadBalancerClass"
    if name is None:
        return []
    if spec.get("type") != "LoadBalancer":
        return [field.forbidden(path, _ONLY_BALANCED)]
    return field.invalids(path, name, names.is_qualified_name(name))


def validate_changed_class(spec: Json, before: Json) -> list[FieldError]:
    """The class of a load balancer does not change."""
    errors: list[FieldError] = []
    name = spec.get("loadBalancerClass")
    is_balanced = spec.get("type") == before.get("type") == "LoadBalancer"
    if is_balanced and name != before.get("loadBalancerClass"):
        detail = "may not change once set"
        errors.append(field.invalid("spec.loadBalancerClass", name, detail))
    return errors + _validate_class(spec)


def validate_traffic(spec: Json) -> list[FieldError]:
    """Which endpoints traffic may go to."""
    errors = _validate_external_policy(spec) + _validate_health_port(spec)
    internal = spec.get("internalTrafficPolicy")
    if internal is None and spec.get("type") in ("ClusterIP", "LoadBalancer", "NodePort"):
        errors.append(field.required("spec.internalTrafficPolicy"))
    return errors + markers.check(
        _SPEC, spec, "spec", "internalTrafficPolicy", "trafficDistribution"
    )


def _validate_external_policy(spec: Json) -> list[FieldError]:
    policy, path = spec.get("externalTrafficPolicy") or "", "spec.externalTrafficPolicy"
    if not service_reach.is_externally_accessible(spec):
        detail = "may only be set for externally-accessible services"
        return [field.invalid(path, policy, detail)] if policy else []
    return markers.check(_SPEC, spec, "spec", "externalTrafficPolicy")


def _validate_health_port(spec: Json) -> list[FieldError]:
    port, path = spec.get("healthCheckNodePort") or 0, "spec.healthCheckNodePort"
    if service_reach.needs_health_check(spec):
        if not port:
            return [field.required(path)]
        return field.invalids(path, port, names.is_valid_port_num(port))
    if not port:
        return []
    detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    return [field.invalid(path, port, detail)]
