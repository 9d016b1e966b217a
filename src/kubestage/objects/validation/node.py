"""Rules for nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import (
    addresses,
    field,
    internal_json,
    json_annotations,
    label_selectors,
    metadata,
    names,
    node_config,
    resources,
    tolerations,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

TAINTS_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/taints"
AVOID_PODS_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"

_feature_name: Final = re.compile("[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*").fullmatch
_FEATURE_NAME_LIMIT: Final = 253


def validate_node(node: dict[str, Any]) -> list[FieldError]:
    """A new node; its status is optional, but not free."""
    meta = node["metadata"]
    spec, status = node.get("spec") or {}, node.get("status") or {}
    errors = metadata.validate_object_meta(meta, False, names.name_is_dns_subdomain)
    errors += _validate_annotations(meta.get("annotations") or {})
    errors += validate_taints(spec.get("taints") or [], "metadata.taints")
    errors += _validate_resources(status)
    swap = ((status.get("nodeInfo") or {}).get("swap") or {}).get("capacity")
    if swap is not None and swap <= 0:
        at = "metadata.nodeSwapStatus.capacity"
        errors.append(field.invalid(at, swap, resources.NOT_POSITIVE))
    errors += _validate_declared_features(status.get("declaredFeatures") or [])
    errors += _validate_pod_cidrs(spec.get("podCIDRs") or [])
    return errors


def validate_node_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """What holds for any change of a node, of its status too."""
    meta = new["metadata"]
    spec, status = new.get("spec") or {}, new.get("status") or {}
    old_spec = old.get("spec") or {}
    errors = metadata.validate_object_meta_update(meta, old["metadata"])
    errors += _validate_annotations(meta.get("annotations") or {})
    errors += _validate_resources(status)
    errors += _validate_declared_features(status.get("declaredFeatures") or [])
    errors += _validate_addresses(status.get("addresses") or [])
    errors += _validate_kept(spec, old_spec)
    if spec.get("configSource") is not None:
        errors += node_config.validate_source_spec(spec["configSource"], "spec.configSource")
    if status.get("config") is not None:
        errors += node_config.validate_status(status["config"], "status.config")
    errors += validate_taints(spec.get("taints") or [], "metadata.taints")
    if (spec.get("externalID") or "") != (old_spec.get("externalID") or ""):
        errors.append(field.forbidden("spec.externalID", "may not be updated"))
    return errors


def _validate_kept(spec: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
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


def validate_taints(taints: list[dict[str, Any]], path: str) -> list[FieldError]:
    """Taints: well-formed, and unique by key and effect."""
    errors: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        at = f"{path}[{index}]"
        key, effect = taint.get("key") or "", taint.get("effect") or ""
        errors += label_selectors.validate_label_name(key, f"{at}.key")
        value = taint.get("value") or ""
        problems = names.is_valid_label_value(value)
        if problems:
            errors.append(field.invalid(f"{at}.value", value, ";".join(problems)))
        errors += tolerations.validate_taint_effect(effect, f"{at}.effect", required=True)
        if (key, effect) in seen:
            shown = internal_json.render("core/v1.Taint", taint)
            detail = "taints must be unique by key and effect pair"
            errors.append(field.FieldError(field.ErrorType.DUPLICATE, at, shown, detail))
        seen.add((key, effect))
    return errors


def _validate_annotations(annotations: dict[str, str]) -> list[FieldError]:
    text = annotations.get(TAINTS_ANNOTATION)
    errors: list[FieldError] = []
    path = "metadata.annotations"
    if text:
        taints, problem = json_annotations.read_list(text, "Taint")
        if problem is not None:
            errors.append(field.invalid(path, TAINTS_ANNOTATION, problem))
        errors += validate_taints(taints, f"{path}.{TAINTS_ANNOTATION}")
    if annotations.get(AVOID_PODS_ANNOTATION):
        errors += node_config.validate_avoid_pods(
            annotations[AVOID_PODS_ANNOTATION], AVOID_PODS_ANNOTATION, path
        )
    return errors


def _validate_resources(status: dict[str, Any]) -> list[FieldError]:
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


def _validate_addresses(node_addresses: list[dict[str, Any]]) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for index, address in enumerate(node_addresses):
        entry = (address.get("type") or "", address.get("address") or "")
        if entry in seen:
            shown = internal_json.render("core/v1.NodeAddress", address)
            errors.append(field.duplicate(f"status.addresses[{index}]", shown))
        seen.add(entry)
    return errors
