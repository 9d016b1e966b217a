"""Rules for what a pod's status says about resource claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import quantity
from kubestage.objects.validation import field, internal_json, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError


def validate_claim_statuses(status: dict[str, Any], spec: dict[str, Any]) -> list[FieldError]:
    """Claims made for the pod, for its extended resources, and of node resources."""
    errors = _validate_statuses(status, spec)
    extended = status.get("extendedResourceClaimStatus")
    if extended is not None:
        errors += _validate_extended(extended, spec, "status.extendedResourceClaimStatus")
    for index, entry in enumerate(status.get("nodeAllocatableResourceClaimStatuses") or ()):
        path = f"status.nodeAllocatableResourceClaimStatuses[{index}]"
        errors += _validate_node_allocatable(entry, status, spec, path)
    return errors


def _validate_statuses(status: dict[str, Any], spec: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    known = {claim.get("name") or "" for claim in spec.get("resourceClaims") or ()}
    seen: set[str] = set()
    for index, entry in enumerate(status.get("resourceClaimStatuses") or ()):
        path = f"status.resourceClaimStatuses[{index}]"
        name = entry.get("name") or ""
        if name not in known:
            detail = "must match the name of an entry in `spec.resourceClaims`"
            errors.append(field.invalid(f"{path}.name", name, detail))
        if name in seen:
            errors.append(field.duplicate(f"{path}.name", name))
        seen.add(name)
        claim = entry.get("resourceClaimName")
        if claim is not None:
            problems = names.is_dns1123_subdomain(claim)
            errors += field.invalids(
                f"{path}.resourceClaimName", internal_json.text(claim), problems
            )
    return errors


def _validate_extended(status: dict[str, Any], spec: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    mappings = status.get("requestMappings") or []
    if not mappings:
        detail = "at least one request mapping is required"
        errors.append(field.required(f"{path}.requestMappings", detail))
    requests = {
        container.get("name"): (container.get("resources") or {}).get("requests") or {}
        for kind in ("initContainers", "containers")
        for container in spec.get(kind) or ()
    }
    seen: set[tuple[str, ...]] = set()
    for index, mapping in enumerate(mappings):
        at = f"{path}.requestMappings[{index}]"
        keys = ("containerName", "resourceName", "requestName")
        container, resource, request = entry = tuple(mapping.get(key) or "" for key in keys)
        if container not in requests:
            detail = (
                "must match the name of an entry in spec.initContainers.name or "
                "spec.containers.name"
            )
            errors.append(field.invalid(f"{at}.containerName", container, detail))
        elif resource not in requests[container]:
            detail = (
                "must match the extended resource name of an entry in "
                "spec.initContainers.resources.requests or spec.containers.resources.requests"
            )
            errors.append(field.invalid(f"{at}.resourceName", resource, detail))
        problems = names.is_dns1123_label(request)
        errors += field.invalids(f"{path}.requestName", request, problems)
        if entry in seen:
            pairs = zip(keys, entry, strict=True)
            errors += [field.duplicate(f"{at}.{key}", value) for key, value in pairs]
        seen.add(entry)
    name = status.get("resourceClaimName") or ""
    if not name:
        errors.append(field.required(f"{path}.resourceClaimName"))
    else:
        problems = names.is_dns1123_subdomain(name)
        errors += field.invalids(f"{path}.resourceClaimName", name, problems)
    return errors


def _validate_node_allocatable(
    entry: dict[str, Any], status: dict[str, Any], spec: dict[str, Any], path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    claim = entry.get("resourceClaimName") or ""
    if not claim:
        errors.append(field.required(f"{path}.resourceClaimName", "must not be empty"))
    references = [*(spec.get("resourceClaims") or ()), *(status.get("resourceClaimStatuses") or ())]
    if all(reference.get("resourceClaimName") != claim for reference in references):
        detail = "no mapping found in pod reference"
        errors.append(field.invalid(f"{path}.resourceClaimName", claim, detail))
    amounts = entry.get("resources") or {}
    errors += [
        field.required(f"{path}.{key}", "must not be empty")
        for key in ("containers", "resources")
        if not entry.get(key)
    ]
    for name, amount in amounts.items():
        at = f"{path}.resources[{name}]"
        if "/" in name and "kubernetes.io/" not in name:
            detail = "must be a node allocatable resource name"
            errors.append(field.invalid(at, internal_json.text(name), detail))
        parsed = quantity.of(amount)
        if parsed.sign < 0:
            errors.append(field.invalid(at, str(parsed), "must be non-negative"))
    return errors
