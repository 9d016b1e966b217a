"""Rules for endpoints: the addresses and ports behind a service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality
from kubestage.objects.validation import (
    endpoint_addresses,
    field,
    metadata,
    names,
    service_ports,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_SUBSETS: Final = "[]core/v1.EndpointSubset"


def validate_endpoints(obj: dict[str, Any]) -> list[FieldError]:
    """New endpoints."""
    return _validate(obj, None)


def validate_endpoints_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """Changed endpoints; subsets that stay as they were are not judged again."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate(new, old)


def _validate(obj: dict[str, Any], old: dict[str, Any] | None) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    subsets: list[dict[str, Any]] = obj.get("subsets") or []
    wrong: list[FieldError] = []
    for index, subset in enumerate(subsets):
        wrong += _validate_subset(subset, f"subsets[{index}]")
    is_old = old is not None and equality.semantic_equal(_SUBSETS, old.get("subsets"), subsets)
    return errors if is_old else errors + wrong


def _validate_subset(subset: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        errors.append(field.required(path, "must specify `addresses` or `notReadyAddresses`"))
    for key in ("addresses", "notReadyAddresses"):
        for index, address in enumerate(subset.get(key) or ()):
            errors += _validate_address(address, f"{path}.{key}[{index}]")
    ports: list[dict[str, Any]] = subset.get("ports") or []
    for index, port in enumerate(ports):
        errors += _validate_port(port, f"{path}.ports[{index}]", len(ports) > 1)
    return errors


def _validate_address(address: dict[str, Any], path: str) -> list[FieldError]:
    value: str = address.get("ip") or ""
    errors = endpoint_addresses.validate_legacy(value, f"{path}.ip")
    host, node = address.get("hostname") or "", address.get("nodeName")
    if host:
        errors += field.invalids(f"{path}.hostname", host, names.is_dns1123_label(host))
    if node is not None:
        errors += field.invalids(f"{path}.nodeName", node, names.is_dns1123_subdomain(node))
    return errors + endpoint_addresses.validate_endpoint_ip(value, f"{path}.ip")


def _validate_port(port: dict[str, Any], path: str, needs_name: bool) -> list[FieldError]:
    errors = service_ports.validate_name(port.get("name") or "", f"{path}.name", needs_name)
    number = port.get("port") or 0
    errors += field.invalids(f"{path}.port", number, names.is_valid_port_num(number))
    errors += service_ports.validate_protocol(port, path)
    return errors + service_ports.validate_app_protocol(port, path)
