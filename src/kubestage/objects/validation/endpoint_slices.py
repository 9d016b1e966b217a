"""Rules for endpoint slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality
from kubestage.objects.validation import (
    addresses,
    endpoint_addresses,
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    service_ports,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.validation.field import FieldError

_TYPES: Final = ("FQDN", "IPv4", "IPv6")
_ENDPOINTS: Final = "[]discovery/v1.Endpoint"
_MOST_ENDPOINTS: Final = 1000
_MOST_ADDRESSES: Final = 100
_MOST_PORTS: Final = 20000
_MOST_HINTS: Final = 8
_MOST_TOPOLOGY: Final = 16
_ZONE: Final = "topology.kubernetes.io/zone"


def validate_endpoint_slice(obj: dict[str, Any]) -> list[FieldError]:
    """A new slice."""
    return _validate(obj, None)


def validate_endpoint_slice_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed slice; endpoints that stay as they were are not judged again."""
    kind = new.get("addressType") or ""
    errors = _validate(new, old)
    if kind != (old.get("addressType") or ""):
        shown = internal_json.text(kind)
        errors.append(field.invalid("addressType", shown, metadata.IMMUTABLE))
    return errors


def _validate(obj: dict[str, Any], old: dict[str, Any] | None) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    kind = obj.get("addressType") or ""
    if not kind:
        errors.append(field.required("addressType"))
    elif kind not in _TYPES:
        errors.append(field.not_supported("addressType", kind, _TYPES))
    errors += _validate_ports(obj.get("ports") or [])
    given: list[dict[str, Any]] = obj.get("endpoints") or []
    wrong = _validate_endpoints(given, kind)
    is_old = old is not None and equality.semantic_equal(_ENDPOINTS, old.get("endpoints"), given)
    return errors if is_old else errors + wrong


def _validate_ports(ports: list[dict[str, Any]]) -> list[FieldError]:
    if len(ports) > _MOST_PORTS:
        return [field.too_many("ports", len(ports), _MOST_PORTS)]
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, port in enumerate(ports):
        path, name = f"ports[{index}]", port.get("name") or ""
        errors += service_ports.validate_name(name, f"{path}.name", needs_name=False)
        if name in seen:
            errors.append(field.duplicate(f"{path}.name", name))
        seen.add(name)
        protocol = port.get("protocol")
        if protocol is None:
            errors.append(field.required(f"{path}.protocol"))
        elif protocol not in service_ports.PROTOCOLS:
            valid = service_ports.PROTOCOLS
            errors.append(field.not_supported(f"{path}.protocol", protocol, valid))
        errors += service_ports.validate_app_protocol(port, path)
    return errors


def _validate_endpoints(endpoints: list[dict[str, Any]], kind: str) -> list[FieldError]:
    if len(endpoints) > _MOST_ENDPOINTS:
        return [field.too_many("endpoints", len(endpoints), _MOST_ENDPOINTS)]
    errors: list[FieldError] = []
    for index, endpoint in enumerate(endpoints):
        path = f"endpoints[{index}]"
        errors += _validate_addresses(endpoint.get("addresses") or [], kind, f"{path}.addresses")
        node, host = endpoint.get("nodeName"), endpoint.get("hostname")
        if node is not None:
            errors += field.invalids(f"{path}.nodeName", node, names.is_dns1123_subdomain(node))
        errors += _validate_topology(endpoint, f"{path}.deprecatedTopology")
        if host is not None:
            errors += field.invalids(f"{path}.hostname", host, names.is_dns1123_label(host))
        errors += _validate_hints(endpoint.get("hints") or {}, f"{path}.hints")
    return errors


def _validate_addresses(given: list[str], kind: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not given:
        errors.append(field.required(path, "must contain at least 1 address"))
    elif len(given) > _MOST_ADDRESSES:
        errors.append(field.too_many(path, len(given), _MOST_ADDRESSES))
    rule = _ADDRESS_RULES.get(kind)
    if rule is not None:
        for index, address in enumerate(given):
            errors += rule(address, path, index)
    return errors


def _validate_ipv4(address: str, path: str, index: int) -> list[FieldError]:
    errors = endpoint_addresses.validate_legacy(address, f"{path}[{index}]")
    if errors:
        return errors
    if not endpoint_addresses.is_ipv4(address):
        errors.append(field.invalid(path, address, "must be an IPv4 address"))
    return errors + endpoint_addresses.validate_endpoint_ip(address, f"{path}[{index}]")


def _validate_ipv6(address: str, path: str, index: int) -> list[FieldError]:
    errors = field.invalids(f"{path}[{index}]", address, addresses.is_valid_ip(address))
    if errors:
        return errors
    if endpoint_addresses.is_ipv4(address):
        errors.append(field.invalid(path, address, "must be an IPv6 address"))
    return errors + endpoint_addresses.validate_endpoint_ip(address, f"{path}[{index}]")


def _validate_domain(address: str, path: str, index: int) -> list[FieldError]:
    path = f"{path}[{index}]"
    if not address:
        return [field.required(path)]
    name = address.removesuffix(".")
    problems = names.is_dns1123_subdomain(name)
    if problems:
        return [field.invalid(path, name, ",".join(problems))]
    labels = name.split(".")
    if len(labels) < 2:
        detail = "should be a domain with at least two segments separated by dots"
        return [field.invalid(path, name, detail)]
    for label in labels:
        problems = names.is_dns1123_label(label)
        if problems:
            return [field.invalid(path, label, ",".join(problems))]
    return []


_ADDRESS_RULES: Final[dict[str, Callable[[str, str, int], list[FieldError]]]] = {
    "IPv4": _validate_ipv4,
    "IPv6": _validate_ipv6,
    "FQDN": _validate_domain,
}


def _validate_topology(endpoint: dict[str, Any], path: str) -> list[FieldError]:
    topology = endpoint.get("deprecatedTopology") or {}
    errors: list[FieldError] = []
    if len(topology) > _MOST_TOPOLOGY:
        errors.append(field.too_many(path, len(topology), _MOST_TOPOLOGY))
    errors += label_selectors.validate_labels(topology, path)
    if _ZONE in topology:
        detail = "reserved key was not removed in conversion"
        errors.append(field.internal(f"{path}[{_ZONE}]", detail))
    return errors


def _validate_hints(hints: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key, rule in (
        ("forZones", names.is_valid_label_value),
        ("forNodes", names.is_dns1123_subdomain),
    ):
        given: list[dict[str, Any]] = hints.get(key) or []
        if len(given) > _MOST_HINTS:
            return [*errors, field.too_many(f"{path}.{key}", len(given), _MOST_HINTS)]
        seen: set[str] = set()
        for index, hint in enumerate(given):
            at, name = f"{path}.{key}[{index}].name", hint.get("name") or ""
            if name in seen:
                errors.append(field.duplicate(at, name))
            seen.add(name)
            errors += field.invalids(at, name, rule(name))
    return errors
