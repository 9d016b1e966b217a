"""What the API does to an EndpointSlice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import equality, markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    addresses,
    endpoint_addresses,
    field,
    label_selectors,
    metadata,
    names,
    service_ports,
)
from kubestage.objects.warnings import addresses as address_warnings

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_SHOWN: Final = 3
_TOPOLOGY: Final = "deprecatedTopology"
_HOSTNAME: Final = "kubernetes.io/hostname"
_SLICE: Final = "discovery/v1.EndpointSlice"
_ENDPOINTS: Final = "[]discovery/v1.Endpoint"
_MOST_ENDPOINTS: Final = 1000
_MOST_ADDRESSES: Final = 100
_MOST_PORTS: Final = 20000
_MOST_HINTS: Final = 8
_MOST_TOPOLOGY: Final = 16
_ZONE: Final = "topology.kubernetes.io/zone"
# Controllers that write well-formed addresses.
_SLICES: Final = "endpointslice.kubernetes.io/managed-by"
_SLICE_CONTROLLERS: Final = (
    "endpointslice-controller.k8s.io",
    "endpointslicemirroring-controller.k8s.io",
)


def _default(obj: Json) -> None:
    for port in obj["ports"] or ():
        port.setdefault("name", "")
        port.setdefault("protocol", "TCP")


def _prepare_create(obj: Json, _: str | None) -> None:
    """The deprecated topology is not stored."""
    _drop_topology(obj, frozenset())


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """As on creation, but the name of a node that was stored in the topology stays."""
    if new.get("endpoints") != old.get("endpoints"):
        known = ((each.get(_TOPOLOGY) or {}).get(_HOSTNAME) for each in old.get("endpoints") or ())
        _drop_topology(new, frozenset(filter(None, known)))


def _drop_topology(obj: Json, known: frozenset[str]) -> None:
    endpoints = obj.get("endpoints")
    if not endpoints or not any(_TOPOLOGY in each for each in endpoints):
        return
    rest = []
    for each in endpoints:
        endpoint = {key: value for key, value in each.items() if key != _TOPOLOGY}
        node = (each.get(_TOPOLOGY) or {}).get(_HOSTNAME)
        if node in known:
            endpoint.setdefault("nodeName", node)
        rest.append(endpoint)
    obj["endpoints"] = rest


def _validate(obj: Json) -> list[FieldError]:
    return _validate_slice(obj, None)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """Endpoints that stay as they were are not validated again."""
    errors = metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    errors += _validate_slice(new, old)
    return errors + markers.check_update(_SLICE, new, old, "")


def _validate_slice(obj: Json, old: Json | None) -> list[FieldError]:
    errors = markers.check(_SLICE, obj, "") + _validate_ports(obj.get("ports") or [])
    endpoints: list[Json] = obj.get("endpoints") or []
    if old is not None and equality.semantic_equal(_ENDPOINTS, old.get("endpoints"), endpoints):
        return errors
    return errors + _validate_endpoints(endpoints, obj.get("addressType") or "")


def _validate_ports(ports: list[Json]) -> list[FieldError]:
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
        errors += markers.check("discovery/v1.EndpointPort", port, path)
        errors += service_ports.validate_app_protocol(port, path)
    return errors


def _validate_endpoints(endpoints: list[Json], kind: str) -> list[FieldError]:
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


def _validate_addresses(listed: list[str], kind: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not listed:
        errors.append(field.required(path, "must contain at least 1 address"))
    elif len(listed) > _MOST_ADDRESSES:
        errors.append(field.too_many(path, len(listed), _MOST_ADDRESSES))
    rule = _ADDRESS_RULES.get(kind)
    if rule is not None:
        for index, address in enumerate(listed):
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


def _validate_topology(endpoint: Json, path: str) -> list[FieldError]:
    topology = endpoint.get("deprecatedTopology") or {}
    errors: list[FieldError] = []
    if len(topology) > _MOST_TOPOLOGY:
        errors.append(field.too_many(path, len(topology), _MOST_TOPOLOGY))
    errors += label_selectors.validate_labels(topology, path)
    if _ZONE in topology:
        detail = "reserved key was not removed in conversion"
        errors.append(field.internal(f"{path}[{_ZONE}]", detail))
    return errors


def _validate_hints(hints: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key, rule in (
        ("forZones", names.is_valid_label_value),
        ("forNodes", names.is_dns1123_subdomain),
    ):
        listed: list[Json] = hints.get(key) or []
        if len(listed) > _MOST_HINTS:
            return [*errors, field.too_many(f"{path}.{key}", len(listed), _MOST_HINTS)]
        seen: set[str] = set()
        for index, hint in enumerate(listed):
            at, name = f"{path}.{key}[{index}].name", hint.get("name") or ""
            if name in seen:
                errors.append(field.duplicate(at, name))
            seen.add(name)
            errors += field.invalids(at, name, rule(name))
    return errors


def _warn_create(obj: Json) -> list[str]:
    """As for a changed slice, and domain names are deprecated."""
    old = obj.get("addressType") == "FQDN"
    found = ["spec.addressType: FQDN endpoints are deprecated"] if old else []
    return found + _warn(obj)


def _warn(obj: Json) -> list[str]:
    """Odd addresses, unless a controller wrote them."""
    if (obj["metadata"].get("labels") or {}).get(_SLICES) in _SLICE_CONTROLLERS:
        return []
    return [
        warning
        for index, endpoint in enumerate(obj.get("endpoints") or ())
        for warning in address_warnings.warn_each(
            endpoint.get("addresses") or (), f"endpoints[{index}].addresses"
        )
    ]


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    addresses = [
        address
        for endpoint in cells.items(obj, "endpoints")
        for address in cells.items(endpoint, "addresses")
    ]
    ports = [_slice_port(port) for port in cells.items(obj, "ports")]
    return [
        cells.name(obj),
        cells.text(obj, "addressType"),
        cells.first_few(ports, _SHOWN) or cells.UNSET,
        cells.first_few(addresses, _SHOWN) or cells.UNSET,
        cells.age(obj, now_ns),
    ]


def _slice_port(port: Json) -> str:
    if port.get("port") is not None:
        return str(port["port"])
    return "*" if port.get("name") is None else cells.text(port, "name")


KIND: Final = Kind(
    group="discovery.k8s.io",
    version="v1",
    kind="EndpointSlice",
    plural="endpointslices",
    old_versions=("discovery.k8s.io/v1beta1",),
    declared=Behavior(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update={"": _prepare_update},
        generation_fields=("addressType", "endpoints", "ports"),
        generation_metadata="labels",
        empty_lists=(("endpoints",), ("ports",)),
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=("",),
        warn=_warn,
        warn_create=_warn_create,
        cells=_cells,
    ),
)
