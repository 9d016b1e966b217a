"""Rules for one device: what it is, what it can do, and where it can be used."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import equality
from kubestage.objects.validation import affinity, field, internal_json, names
from kubestage.objects.validation.devices import (
    configuration,
    device_names,
    lists,
    request_policies,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_MAX_PROPERTIES: Final = 32
_MAX_VALUES: Final = 48
_MAX_VALUE: Final = 64
_MAX_TAINTS: Final = 16
_MAX_COUNTER_SETS: Final = 2
_MAX_COUNTERS: Final = 32
_MAX_COUNTER_NAME: Final = 63
_TAINTS: Final = "[]resource/v1.DeviceTaint"
_ATTRIBUTE: Final = "resource/v1.DeviceAttribute"
_VALUES: Final = ("int", "bool", "string", "version")
_NUMBER: Final = r"(0|[1-9]\d*)"
_MARK: Final = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD: Final = "[0-9a-zA-Z-]+"
_is_version: Final = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_MARK}(\.{_MARK})*)?(\+{_BUILD}(\.{_BUILD})*)?", re.ASCII
).fullmatch
_OWN_PLACE: Final = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
    "`perDeviceNodeSelection` is set to true in the ResourceSlice spec"
)
_NO_OWN_PLACE: Final = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set "
    "to true in the ResourceSlice spec"
)


def validate_device(
    device: Json,
    path: str,
    before: Mapping[str, Json],
    *,
    own_place: bool,
) -> list[FieldError]:
    """One device of a slice; `before` are the older ones by name."""
    name = lists.name_of(device)
    errors = device_names.validate_label(name, f"{path}.name")
    errors += _validate_properties(device, path)
    taints, old = device.get("taints"), before.get(name)
    if old is None or not equality.semantic_equal(_TAINTS, old.get("taints"), taints):
        errors += lists.validate_list(
            taints, _MAX_TAINTS, configuration.validate_taint, f"{path}.taints"
        )
    errors += lists.validate_set(
        device.get("consumesCounters"),
        _MAX_COUNTER_SETS,
        functools.partial(validate_counters, key="counterSet"),
        lambda consumption: consumption.get("counterSet") or "",
        f"{path}.consumesCounters",
    )
    if own_place:
        errors += _validate_place(device, path)
    elif any(device.get(key) is not None for key in ("nodeName", "nodeSelector", "allNodes")):
        errors.append(field.invalid(path, None, _NO_OWN_PLACE))
    return errors + device_names.validate_binding_conditions(device, path)


def _validate_properties(device: Json, path: str) -> list[FieldError]:
    attributes, capacity = device.get("attributes") or {}, device.get("capacity") or {}
    errors: list[FieldError] = []
    for count, limit, what in (
        (len(attributes) + len(capacity), _MAX_PROPERTIES, "attributes and capacities"),
        (len(attributes), _MAX_VALUES, "attribute values"),
    ):
        if count > limit:
            detail = f"the total number of {what} must not exceed {limit}"
            errors.append(field.invalid(path, count, detail))
    shared = device.get("allowMultipleAllocations") is True
    of_capacity = request_policies.validate_shared if shared else request_policies.validate_single
    for key, entries, rule in (
        ("attributes", attributes, _validate_attribute),
        ("capacity", capacity, of_capacity),
    ):
        errors += lists.validate_map(
            entries,
            None,
            device_names.MAX_QUALIFIED,
            device_names.validate_qualified,
            rule,
            f"{path}.{key}",
        )
    return errors


def _validate_attribute(attribute: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    text, version = attribute.get("string"), attribute.get("version")
    if text is not None and names.size(text) > _MAX_VALUE:
        errors.append(field.too_long(f"{path}.string", _MAX_VALUE))
    if version is not None:
        if not _is_version(version):
            detail = "must be a string compatible with semver.org spec 2.0.0"
            errors.append(field.invalid(f"{path}.version", version, detail))
        if names.size(version) > _MAX_VALUE:
            errors.append(field.too_long(f"{path}.version", _MAX_VALUE))
    values = sum(attribute.get(key) is not None for key in _VALUES)
    if values != 1:
        shown = internal_json.render(_ATTRIBUTE, attribute) if values else ""
        errors.append(field.invalid(path, shown, "exactly one value must be specified"))
    return errors


def validate_counters(holder: Json, path: str, key: str) -> list[FieldError]:
    """A set of counters, or what a device takes of one; `key` is the field with its name."""
    name = holder.get(key) or ""
    if not name:
        errors = [field.required(f"{path}.{key}")]
    else:
        errors = device_names.validate_label(name, f"{path}.{key}")
    counters = holder.get("counters")
    if not counters:
        return [*errors, field.required(f"{path}.counters")]
    return errors + lists.validate_map(
        counters,
        _MAX_COUNTERS,
        _MAX_COUNTER_NAME,
        device_names.validate_label,
        _validate_counter,
        f"{path}.counters",
    )


def _validate_counter(_counter: Json, _path: str) -> list[FieldError]:
    """Any amount will do."""
    return []


def _validate_place(device: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    selected: list[str] = []
    node, selector, everywhere = (
        device.get(key) for key in ("nodeName", "nodeSelector", "allNodes")
    )
    if node:
        selected.append("`nodeName`")
        errors += device_names.validate_node_name(node, f"{path}.nodeName")
    elif node is not None:
        errors.append(field.invalid(f"{path}.nodeName", node, "must not be empty"))
    if selector is not None:
        selected.append("`nodeSelector`")
        errors += affinity.validate_node_selector(selector, f"{path}.nodeSelector")
    if everywhere:
        selected.append("`allNodes`")
    elif everywhere is not None:
        detail = "must be either unset or set to true"
        errors.append(field.invalid(f"{path}.allNodes", everywhere, detail))
    if not selected:
        errors.append(field.required(path, _OWN_PLACE))
    elif len(selected) > 1:
        errors.append(field.invalid(path, f"{{{', '.join(selected)}}}", _OWN_PLACE))
    return errors
