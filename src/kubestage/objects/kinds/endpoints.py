"""What the API does to an Endpoints object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import endpoint_addresses, field, metadata, names, service_ports
from kubestage.objects.warnings import addresses

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_SHOWN: Final = 3
_SUBSETS: Final = "[]core/v1.EndpointSubset"
_ENDPOINTS: Final = ("endpoints.kubernetes.io/managed-by", "endpoint-controller")


def _default(obj: Json) -> None:
    for subset in obj.get("subsets", ()):
        for port in subset.get("ports", ()):
            port.setdefault("protocol", "TCP")


def _validate(obj: Json) -> list[FieldError]:
    return _validate_subsets(obj, None)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """Subsets that stay as they were are not validated again."""
    errors = metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    return errors + _validate_subsets(new, old)


def _validate_subsets(obj: Json, old: Json | None) -> list[FieldError]:
    subsets: list[Json] = obj.get("subsets") or []
    if old is not None and equality.semantic_equal(_SUBSETS, old.get("subsets"), subsets):
        return []
    errors: list[FieldError] = []
    for index, subset in enumerate(subsets):
        errors += _validate_subset(subset, f"subsets[{index}]")
    return errors


def _validate_subset(subset: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        errors.append(field.required(path, "must specify `addresses` or `notReadyAddresses`"))
    for key in ("addresses", "notReadyAddresses"):
        for index, address in enumerate(subset.get(key) or ()):
            errors += _validate_address(address, f"{path}.{key}[{index}]")
    ports: list[Json] = subset.get("ports") or []
    for index, port in enumerate(ports):
        errors += _validate_port(port, f"{path}.ports[{index}]", len(ports) > 1)
    return errors


def _validate_address(address: Json, path: str) -> list[FieldError]:
    value: str = address.get("ip") or ""
    errors = endpoint_addresses.validate_legacy(value, f"{path}.ip")
    errors += markers.check("core/v1.EndpointAddress", address, path, "hostname")
    node = address.get("nodeName")
    if node is not None:
        errors += field.invalids(f"{path}.nodeName", node, names.is_dns1123_subdomain(node))
    return errors + endpoint_addresses.validate_endpoint_ip(value, f"{path}.ip")


def _validate_port(port: Json, path: str, needs_name: bool) -> list[FieldError]:
    errors = service_ports.validate_name(port.get("name") or "", f"{path}.name", needs_name)
    number = port.get("port") or 0
    errors += field.invalids(f"{path}.port", number, names.is_valid_port_num(number))
    errors += markers.check("core/v1.EndpointPort", port, path, "protocol")
    return errors + service_ports.validate_app_protocol(port, path)


def _warn(obj: Json) -> list[str]:
    """Odd addresses, unless the controller wrote them."""
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


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [cells.name(obj), _endpoint_text(cells.items(obj, "subsets")), cells.age(obj, now_ns)]


def _endpoint_text(subsets: list[Any]) -> str:
    if not subsets:
        return cells.NONE
    listed: list[str] = []
    for subset in subsets:
        addresses = [cells.text(address, "ip") for address in cells.items(subset, "addresses")]
        ports = cells.items(subset, "ports")
        if ports:
            numbers = [cells.number(port, "port") for port in ports]
            listed += [_host_port(address, each) for each in numbers for address in addresses]
        else:
            listed += addresses
    return cells.first_few(listed, _SHOWN)


def _host_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


KIND: Final = Kind(
    group="",
    version="v1",
    kind="Endpoints",
    plural="endpoints",
    short_names=("ep",),
    declared=Behavior(
        default=_default,
        validate=_validate,
        validate_update={"": _validate_update},
        warn=_warn,
        cells=_cells,
        create_on_update=True,
        storage_prefix="services/endpoints",
    ),
)
