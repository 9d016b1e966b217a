"""What the API does to a ResourceClaim."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, markers
from kubestage.objects.defaulting import devices
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.quota import devices as devices_quota
from kubestage.objects.strategy import status
from kubestage.objects.tables import cells
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
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.devices.claims import RequestNames
    from kubestage.objects.validation.field import FieldError

_ALLOCATION: Final = "*resource/v1.AllocationResult"
_MAX_CONSUMERS: Final = 256
_MAX_RESULTS: Final = 32
_MAX_CONDITIONS: Final = 8
_MAX_ADDRESSES: Final = 16
_SOURCES: Final = ("FromClaim", "FromClass")
_IPV4_IN_IPV6_BITS: Final = 96
_IPV4_BITS: Final = 32


def _default(obj: Json) -> None:
    devices.claim_spec(obj["spec"])
    allocation = obj["status"].get("allocation")
    if allocation is not None:
        for result in allocation["devices"].get("results", ()):
            devices.tolerations(result)


def _prepare_status(new: Json, old: Json, _: str | None) -> None:
    """Metadata stays; the status of devices that are released is dropped."""
    status.reset_metadata(new, old)
    report = new.get("status") or {}
    devices = report.get("devices")
    if devices is None:
        return
    released = _allocated(old) - _allocated(new)
    retained = [device for device in devices if _device_id(device) not in released]
    new["status"] = {key: value for key, value in report.items() if key != "devices"}
    if retained:
        new["status"]["devices"] = retained


def _allocated(claim: Json) -> set[tuple[str, ...]]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    return {_device_id(result) for result in (allocation.get("devices") or {}).get("results") or ()}


def _validate(obj: Json) -> list[FieldError]:
    return claims.validate_claim_spec(obj.get("spec") or {}, "spec")


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The spec of a claim does not change."""
    errors = metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + claims.validate_same_spec(new, old, "resource/v1.ResourceClaimSpec")


def _validate_status(new: Json, old: Json) -> list[FieldError]:
    status, before = new.get("status") or {}, old.get("status") or {}
    known = claims.request_names((new.get("spec") or {}).get("devices") or {})
    consumers = status.get("reservedFor") or []
    errors = lists.validate_set(
        consumers,
        _MAX_CONSUMERS,
        _validate_consumer,
        lambda consumer: consumer.get("uid") or "",
        "status.reservedFor",
        internal_json.text,
    )
    allocation = status.get("allocation")
    results = ((allocation or {}).get("devices") or {}).get("results") or ()
    allocated = frozenset(_device_id(result) for result in results)
    errors += lists.validate_set(
        status.get("devices"),
        None,
        functools.partial(_validate_device, allocated=allocated),
        _device_id,
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


def _device_id(holder: Json) -> tuple[str, ...]:
    """Identifies a device, or a share of one."""
    return tuple(holder.get(key) or "" for key in ("driver", "pool", "device", "shareID"))


def _shown_id(key: tuple[str, ...]) -> Any:
    return internal_json.text(dict(zip(("Driver", "Pool", "Device", "ShareID"), key, strict=True)))


def _validate_consumers(
    new: Json, consumers: list[Json], before: Json, allocation: Any
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


def _validate_consumer(consumer: Json, path: str) -> list[FieldError]:
    return markers.check("resource/v1.ResourceClaimConsumerReference", consumer, path)


def _validate_allocation(allocation: Json, path: str, known: RequestNames) -> list[FieldError]:
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


def _validate_result(result: Json, path: str, known: RequestNames) -> list[FieldError]:
    request = result.get("request") or ""
    errors = claims.validate_request_reference(request, f"{path}.request", known)
    errors += _validate_device_id(result, path)
    errors += device_names.validate_binding_conditions(result, path)
    if result.get("shareID") is not None:
        errors += device_names.validate_uid(result["shareID"], f"{path}.shareID")
    return errors


def _validate_device_id(holder: Json, path: str) -> list[FieldError]:
    errors = device_names.validate_driver(holder.get("driver") or "", f"{path}.driver")
    errors += device_names.validate_pool(holder.get("pool") or "", f"{path}.pool")
    return errors + device_names.validate_label(holder.get("device") or "", f"{path}.device")


def _validate_configuration(config: Json, path: str, known: RequestNames) -> list[FieldError]:
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
    device: Json, path: str, allocated: frozenset[tuple[str, ...]]
) -> list[FieldError]:
    """The status of an allocated device."""
    errors = _validate_device_id(device, path)
    if device.get("shareID") is not None:
        errors += device_names.validate_uid(device["shareID"], f"{path}.shareID")
    key = _device_id(device)
    if key not in allocated:
        detail = "must be an allocated device in the claim"
        errors.append(field.invalid(path, _shown_id(key), detail))
    reported = device.get("conditions") or []
    if len(reported) > _MAX_CONDITIONS:
        errors.append(field.too_many(f"{path}.conditions", len(reported), _MAX_CONDITIONS))
    errors += conditions.validate_conditions(reported, f"{path}.conditions")
    if device.get("data") is not None:
        errors += configuration.validate_raw(device["data"], f"{path}.data")
    network, at = device.get("networkData") or {}, f"{path}.networkData"
    errors += markers.check("resource/v1.NetworkDeviceData", network, at)
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


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    deleted = cells.is_deleted(obj)
    status = cells.part(obj, "status")
    states = ["deleted"] if deleted else []
    if status.get("allocation") is not None:
        states.append("allocated")
        if cells.items(status, "reservedFor"):
            states.append("reserved")
    elif not deleted:
        states.append("pending")
    return [cells.name(obj), ",".join(states), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceClaim",
    plural="resourceclaims",
    subresources=frozenset({"status"}),
    old_versions=("resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"),
    declared=Behavior(
        default=_default,
        prepare_update={"status": _prepare_status},
        empty_lists=(("spec", "devices", "requests"), ("status", "devices", "*", "conditions")),
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        validates_metadata=("",),
        cells=_cells,
        status_resets_metadata=True,
        quota=devices_quota.EVALUATOR,
    ),
)
