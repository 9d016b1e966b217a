"""Rules for what became of a claim: what was allocated to it, and to whom it is lent."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality
from kubestage.objects.validation import (
    addresses,
    affinity,
    conditions,
    field,
    internal_json,
    metadata,
    names,
)
from kubestage.objects.validation.devices import claims, configuration, device_names, lists

if TYPE_CHECKING:
    from kubestage.objects.validation.devices.claims import RequestNames
    from kubestage.objects.validation.field import FieldError

_ALLOCATION: Final = "*resource/v1.AllocationResult"
_MAX_CONSUMERS: Final = 256
_MAX_RESULTS: Final = 32
_MAX_CONDITIONS: Final = 8
_MAX_ADDRESSES: Final = 16
_SOURCES: Final = ("FromClaim", "FromClass")
_NETWORK_LIMITS: Final = (("interfaceName", 256), ("hardwareAddress", 128))
_IPV4_IN_IPV6_BITS: Final = 96
_IPV4_BITS: Final = 32


def validate_status_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A new report of a claim."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    status, before = new.get("status") or {}, old.get("status") or {}
    known = claims.request_names((new.get("spec") or {}).get("devices") or {})
    consumers = status.get("reservedFor") or []
    errors += lists.validate_set(
        consumers,
        _MAX_CONSUMERS,
        _validate_consumer,
        lambda consumer: consumer.get("uid") or "",
        "status.reservedFor",
        internal_json.text,
    )
    allocation = status.get("allocation")
    results = ((allocation or {}).get("devices") or {}).get("results") or ()
    allocated = frozenset(device_id(result) for result in results)
    errors += lists.validate_set(
        status.get("devices"),
        None,
        functools.partial(_validate_device, allocated=allocated),
        device_id,
        "status.devices",
        _shown_id,
    )
    errors += _validate_consumers(new, consumers, before, allocation)
    was = before.get("allocation")
    if allocation is None:
        return errors
    if was is None:
        return errors + _validate_allocation(allocation, "status.allocation", known)
    if not equality.semantic_equal(_ALLOCATION, allocation, was):
        shown = internal_json.render(_ALLOCATION, allocation)
        errors.append(field.invalid("status.allocation", shown, metadata.IMMUTABLE))
    return errors


def device_id(holder: dict[str, Any]) -> tuple[str, ...]:
    """Which device, or which share of one, is meant."""
    return tuple(holder.get(key) or "" for key in ("driver", "pool", "device", "shareID"))


def _shown_id(key: tuple[str, ...]) -> Any:
    return internal_json.text(dict(zip(("Driver", "Pool", "Device", "ShareID"), key, strict=True)))


def _validate_consumers(
    new: dict[str, Any], consumers: list[dict[str, Any]], before: dict[str, Any], allocation: Any
) -> list[FieldError]:
    if not consumers:
        return []
    path = "status.reservedFor"
    if allocation is None:
        return [field.forbidden(path, "may not be specified when `allocated` is not set")]
    known = before.get("reservedFor") or []
    if "deletionTimestamp" in new["metadata"] and any(each not in known for each in consumers):
        detail = (
            "new entries may not be added while `deallocationRequested` or `deletionTimestamp` "
            "are set"
        )
        return [field.forbidden(path, detail)]
    return []


def _validate_consumer(consumer: dict[str, Any], path: str) -> list[FieldError]:
    wanted = ("resource", "name", "uid")
    return [field.required(f"{path}.{key}") for key in wanted if not consumer.get(key)]


def _validate_allocation(
    allocation: dict[str, Any], path: str, known: RequestNames
) -> list[FieldError]:
    devices, at = allocation.get("devices") or {}, f"{path}.devices"
    errors = lists.validate_list(
        devices.get("results"),
        _MAX_RESULTS,
        functools.partial(_validate_result, known=known),
        f"{at}.results",
    )
    errors += lists.validate_list(
        devices.get("config"),
        2 * configuration.MAX_CONFIGURATIONS,
        functools.partial(_validate_configuration, known=known),
        f"{at}.config",
    )
    selector = allocation.get("nodeSelector")
    if selector is not None:
        errors += affinity.validate_node_selector(selector, f"{path}.nodeSelector")
    return errors


def _validate_result(result: dict[str, Any], path: str, known: RequestNames) -> list[FieldError]:
    request = result.get("request") or ""
    errors = claims.validate_request_reference(request, f"{path}.request", known)
    errors += _validate_device_id(result, path)
    errors += device_names.validate_binding_conditions(result, path)
    if result.get("shareID") is not None:
        errors += device_names.validate_uid(result["shareID"], f"{path}.shareID")
    return errors


def _validate_device_id(holder: dict[str, Any], path: str) -> list[FieldError]:
    errors = device_names.validate_driver(holder.get("driver") or "", f"{path}.driver")
    errors += device_names.validate_pool(holder.get("pool") or "", f"{path}.pool")
    return errors + device_names.validate_label(holder.get("device") or "", f"{path}.device")


def _validate_configuration(
    config: dict[str, Any], path: str, known: RequestNames
) -> list[FieldError]:
    source, at = config.get("source") or "", f"{path}.source"
    errors: list[FieldError] = []
    if not source:
        errors.append(field.required(at))
    elif source not in _SOURCES:
        errors.append(field.not_supported(at, internal_json.text(source), _SOURCES))
    requests = config.get("requests")
    errors += claims.validate_request_references(requests, f"{path}.requests", known)
    return errors + configuration.validate_configuration(config, path)


def _validate_device(
    device: dict[str, Any], path: str, allocated: frozenset[tuple[str, ...]]
) -> list[FieldError]:
    """What a driver says of a device that is in use."""
    errors = _validate_device_id(device, path)
    if device.get("shareID") is not None:
        errors += device_names.validate_uid(device["shareID"], f"{path}.shareID")
    key = device_id(device)
    if key not in allocated:
        detail = "must be an allocated device in the claim"
        errors.append(field.invalid(path, _shown_id(key), detail))
    told = device.get("conditions") or []
    if len(told) > _MAX_CONDITIONS:
        errors.append(field.too_many(f"{path}.conditions", len(told), _MAX_CONDITIONS))
    errors += conditions.validate_conditions(told, f"{path}.conditions")
    if device.get("data") is not None:
        errors += configuration.validate_raw(device["data"], f"{path}.data")
    network, at = device.get("networkData") or {}, f"{path}.networkData"
    for name, limit in _NETWORK_LIMITS:
        if names.size(network.get(name) or "") > limit:
            errors.append(field.too_long(f"{at}.{name}", limit))
    return errors + lists.validate_set(
        network.get("ips"), _MAX_ADDRESSES, _validate_address, lists.itself, f"{at}.ips"
    )


def _validate_address(value: str, path: str) -> list[FieldError]:
    """An address of an interface, with the size of its network."""
    parts = addresses.split_cidr(value)
    if parts is None:
        detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"
        return [field.invalid(path, value, detail)]
    address, bits = parts
    if addresses.is_mapped(address) and bits > _IPV4_BITS:
        bits -= _IPV4_IN_IPV6_BITS
    canonical = f"{addresses.canonical(address)}/{bits}"
    if value == canonical:
        return []
    return [field.invalid(path, value, f"must be in canonical form ({field.quote(canonical)})")]
