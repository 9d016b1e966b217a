"""Rules for CSI drivers and for what nodes report of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality
from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    volume_sources,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_GROUP_POLICIES: Final = ("File", "None", "ReadWriteOnceWithFSType")
_LIFECYCLES: Final = ("Persistent", "Ephemeral")
_NODE_ID_LIMIT: Final = 256
_SHORTEST_TOKEN_SECONDS: Final = 600
_LONGEST_TOKEN_SECONDS: Final = 1 << 32
_SHORTEST_UPDATE_SECONDS: Final = 10
_DRIVER: Final = "*storage/v1.CSINodeDriver"
# What must be set, and how messages call it.
_REQUIRED: Final = (
    ("attachRequired", "attachedRequired"),
    ("podInfoOnMount", "podInfoOnMount"),
    ("storageCapacity", "storageCapacity"),
)


def validate_csi_driver(obj: dict[str, Any]) -> list[FieldError]:
    """A new driver."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    return errors + _validate_spec(obj.get("spec") or {})


def validate_csi_driver_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed driver: how its volumes are attached and live does not change."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    errors += _validate_spec(spec)
    for key, path in (
        ("attachRequired", "spec.attachedRequired"),
        ("volumeLifecycleModes", "spec.volumeLifecycleModes"),
    ):
        shown = internal_json.text(spec.get(key))
        errors += metadata.validate_immutable(spec.get(key), before.get(key), path, shown)
    return errors


def _validate_spec(spec: dict[str, Any]) -> list[FieldError]:
    errors = [field.required(f"spec.{path}") for key, path in _REQUIRED if spec.get(key) is None]
    policy = spec.get("fsGroupPolicy")
    if policy is not None and policy not in _GROUP_POLICIES:
        shown = internal_json.text(policy)
        errors.append(field.not_supported("spec.fsGroupPolicy", shown, _GROUP_POLICIES))
    requests = spec.get("tokenRequests") or []
    errors += _validate_token_requests(requests, "spec.tokenRequests")
    for mode in spec.get("volumeLifecycleModes") or ():
        if mode not in _LIFECYCLES:
            shown = internal_json.text(mode)
            errors.append(field.not_supported("spec.volumeLifecycleModes", shown, _LIFECYCLES))
    if spec.get("seLinuxMount") is None:
        errors.append(field.required("spec.seLinuxMount"))
    period = spec.get("nodeAllocatableUpdatePeriodSeconds")
    if period is not None and period < _SHORTEST_UPDATE_SECONDS:
        detail = "must be greater than or equal to 10 seconds"
        errors.append(field.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, detail))
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not requests:
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        errors.append(field.invalid("spec.serviceAccountTokenInSecrets", in_secrets, detail))
    return errors


def _validate_token_requests(requests: list[dict[str, Any]], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    audiences: set[str] = set()
    for index, request in enumerate(requests):
        audience = request.get("audience") or ""
        if audience in audiences:
            errors.append(field.duplicate(f"{path}[{index}].audience", audience))
            continue
        audiences.add(audience)
        seconds, at = request.get("expirationSeconds"), f"{path}[{index}].expirationSeconds"
        if seconds is None:
            continue
        if seconds < _SHORTEST_TOKEN_SECONDS:
            detail = "may not specify a duration less than 10 minutes"
            errors.append(field.invalid(at, seconds, detail))
        if seconds > _LONGEST_TOKEN_SECONDS:
            detail = "may not specify a duration larger than 2^32 seconds"
            errors.append(field.invalid(at, seconds, detail))
    return errors


def validate_csi_node(obj: dict[str, Any]) -> list[FieldError]:
    """What a new node says of its drivers."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    seen: set[str] = set()
    for index, driver in enumerate(_drivers(obj)):
        errors += _validate_node_driver(driver, seen, f"spec.drivers[{index}]")
    return errors


def validate_csi_node_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """Drivers come and go; of one that stays only the number of volumes changes."""
    errors = validate_csi_node(new)
    for before in _drivers(old):
        for now in _drivers(new):
            if (before.get("name") or "") != (now.get("name") or ""):
                continue
            kept, was = ({**each, "allocatable": None} for each in (now, before))
            if not equality.semantic_equal(_DRIVER, kept, was):
                shown = internal_json.render(_DRIVER, kept)
                errors.append(field.invalid("spec.drivers", shown, metadata.IMMUTABLE))
    return errors


def _drivers(obj: dict[str, Any]) -> list[dict[str, Any]]:
    return (obj.get("spec") or {}).get("drivers") or []


def _validate_node_driver(driver: dict[str, Any], seen: set[str], path: str) -> list[FieldError]:
    name, node_id = driver.get("name") or "", driver.get("nodeID") or ""
    errors = volume_sources.validate_csi_driver_name(name, f"{path}.name")
    if not node_id:
        errors.append(field.required(f"{path}.nodeID"))
    if names.size(node_id) > _NODE_ID_LIMIT:
        detail = f"must be {_NODE_ID_LIMIT} characters or less"
        errors.append(field.invalid(f"{path}.nodeID", node_id, detail))
    count = (driver.get("allocatable") or {}).get("count")
    if count is not None and count < 0:
        errors.append(field.invalid(f"{path}.allocatable.count", count, names.NOT_NEGATIVE))
    if name in seen:
        errors.append(field.duplicate(f"{path}.name", name))
    seen.add(name)
    keys: set[str] = set()
    for key in driver.get("topologyKeys") or ():
        if not key:
            errors.append(field.required(path))
        if key in keys:
            errors.append(field.duplicate(path, key))
        keys.add(key)
        errors += label_selectors.validate_label_name(key, path)
    return errors
