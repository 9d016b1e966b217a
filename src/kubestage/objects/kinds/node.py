"""What the API does to a Node."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects.defaulting import resources as resource_defaults
from kubestage.objects.defaulting import round_trip
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.strategy import fields
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    addresses,
    field,
    internal_json,
    metadata,
    names,
    node_config,
    resources,
    tolerations,
)
from kubestage.objects.warnings import addresses as address_warnings

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError


_feature_name: Final = re.compile("[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*").fullmatch
_FEATURE_NAME_LIMIT: Final = 253
_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE_LABEL: Final = "kubernetes.io/role"


def _default(obj: Json, sent: Json, _: str | None) -> None:
    """All of the capacity is allocatable, unless an `allocatable` was sent, even an empty one."""
    status = obj["status"]
    capacity = status.get("capacity")
    if capacity and (sent.get("status") or {}).get("allocatable") is None:
        status["allocatable"] = dict(capacity)
    resource_defaults.round_up(capacity)
    resource_defaults.round_up(status.get("allocatable"))


def _round_trip(obj: Json) -> None:
    """Both fields for the pod CIDR agree."""
    spec = obj["spec"]
    block, blocks = spec.get("podCIDR"), spec.get("podCIDRs")
    if block and (not blocks or blocks[0] != block):
        spec["podCIDRs"] = [block]
    elif blocks and not block:
        round_trip.set_or_drop(spec, "podCIDR", blocks[0])


def _prepare_create(node: Json, _: str | None) -> None:
    """A kubelet registers its node with a status; dynamic configuration was removed."""
    fields.drop(node, "spec", "configSource")
    fields.drop(node, "status", "config")


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """Dynamic configuration stays only where it was."""
    if (old.get("spec") or {}).get("configSource") is None:
        fields.drop(new, "spec", "configSource")


def _prepare_status(new: Json, old: Json, _: str | None) -> None:
    """Dynamic configuration stays only where it was."""
    if (old.get("status") or {}).get("config") is None:
        fields.drop(new, "status", "config")


def _validate(node: Json) -> list[FieldError]:
    meta = node["metadata"]
    spec, status = node.get("spec") or {}, node.get("status") or {}
    errors = node_config.validate_annotations(meta.get("annotations") or {})
    errors += tolerations.validate_taints(spec.get("taints") or [], "metadata.taints")
    errors += _validate_resources(status)
    swap = ((status.get("nodeInfo") or {}).get("swap") or {}).get("capacity")
    if swap is not None and swap <= 0:
        at = "metadata.nodeSwapStatus.capacity"
        errors.append(field.invalid(at, swap, resources.NOT_POSITIVE))
    errors += _validate_declared_features(status.get("declaredFeatures") or [])
    errors += _validate_pod_cidrs(spec.get("podCIDRs") or [])
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta(new["metadata"], False, names.name_is_dns_subdomain)
    errors += _validate(new)
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate_change(new, old)


def _validate_change(new: Json, old: Json) -> list[FieldError]:
    """What holds for any change of a node, of its status too."""
    meta = new["metadata"]
    spec, status = new.get("spec") or {}, new.get("status") or {}
    old_spec = old.get("spec") or {}
    errors = node_config.validate_annotations(meta.get("annotations") or {})
    errors += _validate_resources(status)
    errors += _validate_declared_features(status.get("declaredFeatures") or [])
    errors += _validate_addresses(status.get("addresses") or [])
    errors += _validate_kept(spec, old_spec)
    if spec.get("configSource") is not None:
        errors += node_config.validate_source_spec(spec["configSource"], "spec.configSource")
    if status.get("config") is not None:
        errors += node_config.validate_status(status["config"], "status.config")
    errors += tolerations.validate_taints(spec.get("taints") or [], "metadata.taints")
    if (spec.get("externalID") or "") != (old_spec.get("externalID") or ""):
        errors.append(field.forbidden("spec.externalID", "may not be updated"))
    return errors


def _validate_kept(spec: Json, old: Json) -> list[FieldError]:
    """CIDRs and provider, once set, stay."""
    errors: list[FieldError] = []
    cidrs, old_cidrs = spec.get("podCIDRs") or [], old.get("podCIDRs") or []
    problem = field.forbidden(
        "spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'
    )
    if old_cidrs and len(old_cidrs) != len(cidrs):
        errors.append(problem)
    elif old_cidrs:
        errors += [problem for was, now in zip(old_cidrs, cidrs, strict=True) if was != now]
    provider = old.get("providerID")
    if provider and provider != spec.get("providerID"):
        detail = 'node updates may not change providerID except from "" to valid'
        errors.append(field.forbidden("spec.providerID", detail))
    return errors


def _validate_resources(status: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    for kind in ("capacity", "allocatable"):
        for name, amount in (status.get(kind) or {}).items():
            errors += resources.validate_quantity_value(name, amount, f"status.{kind}.{name}")
    return errors


def _validate_declared_features(features: list[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    path = "status.declaredFeatures"
    for index, feature in enumerate(features):
        problem = _feature_problem(feature)
        if problem:
            detail = f"invalid feature name {field.quote(feature)}: {problem}"
            errors.append(field.invalid(f"{path}[{index}]", feature, detail))
        if index + 1 == len(features):
            break
        following = features[index + 1]
        at = f"{path}[{index + 1}]"
        if feature == following:
            errors.append(field.duplicate(at, following))
        elif feature > following:
            errors.append(field.invalid(at, following, "list must be sorted alphabetically"))
    return errors


def _feature_problem(feature: str) -> str:
    if names.size(feature) > _FEATURE_NAME_LIMIT:
        return names.max_len_error(_FEATURE_NAME_LIMIT)
    if _feature_name(feature):
        return ""
    return (
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
        "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters "
        "and slashes"
    )


def _validate_pod_cidrs(cidrs: list[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    path = "spec.podCIDRs"
    for index, cidr in enumerate(cidrs):
        errors += field.invalids(f"{path}[{index}]", cidr, addresses.is_cidr_for_legacy_field(cidr))
    if len(cidrs) < 2:
        return errors
    problem = addresses.dual_stack_cidr_problem(cidrs)
    if problem is not None:
        detail = f"invalid PodCIDRs. failed to check with dual stack with error:{problem}"
        errors.append(field.internal(path, detail))
    parts = [addresses.split_cidr(cidr) for cidr in cidrs]
    both = problem is None and addresses.has_both_families(part and part[0] for part in parts)
    if not both or len(cidrs) > 2:
        detail = "may specify no more than one CIDR for each IP family"
        errors.append(field.invalid(path, internal_json.text(cidrs), detail))
    return errors


def _validate_addresses(node_addresses: list[Json]) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for index, address in enumerate(node_addresses):
        entry = (address.get("type") or "", address.get("address") or "")
        if entry in seen:
            shown = internal_json.render("core/v1.NodeAddress", address)
            errors.append(field.duplicate(f"status.addresses[{index}]", shown))
        seen.add(entry)
    return errors


def _warn(obj: Json) -> list[str]:
    """Fields that are not used any more, and odd CIDRs."""
    spec = obj.get("spec") or {}
    found: list[str] = []
    if spec.get("configSource") is not None:
        found.append("spec.configSource: the feature is removed")
    if spec.get("externalID"):
        found.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, cidr in enumerate(spec.get("podCIDRs") or ()):
        found += address_warnings.block(cidr, f"spec.podCIDRs[{index}]")
    return found


def _cells(node: Json, now_ns: int) -> list[Cell]:
    info = cells.part(node, "status", "nodeInfo")
    kernel = cells.text(info, "kernelVersion") or cells.UNKNOWN
    architecture = cells.text(info, "architecture")
    return [
        cells.name(node),
        _status(node),
        ",".join(_roles(node)) or cells.NONE,
        cells.age(node, now_ns),
        cells.text(info, "kubeletVersion"),
        _address(node, "InternalIP"),
        _address(node, "ExternalIP"),
        cells.text(info, "osImage") or cells.UNKNOWN,
        f"{kernel} ({architecture})" if architecture else kernel,
        cells.text(info, "containerRuntimeVersion") or cells.UNKNOWN,
    ]


def _status(node: Json) -> str:
    ready = "Unknown"
    for condition in cells.items(node, "status", "conditions"):
        if condition.get("type") == "Ready":
            ready = "Ready" if condition.get("status") == "True" else "NotReady"
    unschedulable = cells.part(node, "spec").get("unschedulable")
    return f"{ready},SchedulingDisabled" if unschedulable else ready


def _roles(node: Json) -> list[str]:
    """The roles that the labels of a node name."""
    found: set[str] = set()
    for key, value in cells.part(node, "metadata", "labels").items():
        if key.startswith(_ROLE_PREFIX):
            found.add(key.removeprefix(_ROLE_PREFIX))
        elif key == _ROLE_LABEL:
            found.add(value)
    return sorted(found - {""})


def _address(node: Json, address_type: str) -> str:
    for address in cells.items(node, "status", "addresses"):
        if address.get("type") == address_type:
            return cells.text(address, "address")
    return cells.NONE


KIND: Final = Kind(
    group="",
    version="v1",
    kind="Node",
    plural="nodes",
    namespaced=False,
    short_names=("no",),
    subresources=frozenset({"proxy", "status"}),
    declared=Behavior(
        default_from_sent=_default,
        round_trip=_round_trip,
        prepare_create=_prepare_create,
        prepare_update={"": _prepare_update, "status": _prepare_status},
        clears_status=False,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_change},
        validates_metadata=("",),
        warn=_warn,
        cells=_cells,
        storage_prefix="minions",
    ),
)
