"""Rules for the status of a pod: what kubelets and schedulers may report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.validation import (
    addresses,
    container_statuses,
    field,
    internal_json,
    metadata,
    names,
    pod_annotations,
    pod_options,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


def validate_claim_statuses(status: Json, spec: Json) -> list[FieldError]:
    """Claims created for the pod, for its extended resources, and of node resources."""
    errors = _validate_statuses(status, spec)
    extended = status.get("extendedResourceClaimStatus")
    if extended is not None:
        errors += _validate_extended(extended, spec, "status.extendedResourceClaimStatus")
    for index, entry in enumerate(status.get("nodeAllocatableResourceClaimStatuses") or ()):
        path = f"status.nodeAllocatableResourceClaimStatuses[{index}]"
        errors += _validate_node_allocatable(entry, status, spec, path)
    return errors


def _validate_statuses(status: Json, spec: Json) -> list[FieldError]:
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


def _validate_extended(status: Json, spec: Json, path: str) -> list[FieldError]:
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
    entry: Json, status: Json, spec: Json, path: str
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


_SYSTEM_CONDITIONS: Final = ("PodScheduled", "Ready", "Initialized")
_NOT_NEGATIVE: Final = "must be a non-negative integer"


def validate_pod_status_update(
    new: Json, old: Json, options: pod_options.PodValidationOptions
) -> list[FieldError]:
    """A status that replaces an older one."""
    errors = pod_annotations.validate_pod_annotations_update(new, old, options)
    status, old_status = new.get("status") or {}, old.get("status") or {}
    spec, old_spec = new["spec"], old["spec"]
    errors += _validate_conditions(status.get("conditions") or [])
    if (spec.get("nodeName") or "") != (old_spec.get("nodeName") or ""):
        errors.append(field.forbidden("status.nodeName", "may not be changed directly"))
    errors += _validate_nominated_node(status, old_status, old_spec)
    observed = status.get("observedGeneration") or 0
    if observed < 0:
        errors.append(field.invalid("status.observedGeneration", observed, _NOT_NEGATIVE))
    qos, old_qos = status.get("qosClass") or "", old_status.get("qosClass") or ""
    errors += metadata.validate_immutable(qos, old_qos, "status.qosClass", internal_json.text(qos))
    errors += container_statuses.validate_transitions(status, old_status, old_spec)
    errors += validate_claim_statuses(status, spec)
    errors += _validate_pod_ips(status, old_status)
    errors += _validate_host_ips(status, old_status)
    return errors + container_statuses.validate_reports(status, spec)


def _validate_conditions(conditions: list[Json]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, condition in enumerate(conditions):
        path = f"status.conditions[{index}]"
        observed = condition.get("observedGeneration") or 0
        if observed < 0:
            errors.append(field.invalid(f"{path}.observedGeneration", observed, _NOT_NEGATIVE))
        kind = condition.get("type") or ""
        if kind not in _SYSTEM_CONDITIONS:
            errors += field.invalids(f"{path}.Type", kind, names.is_qualified_name(kind))
    return errors


def _validate_nominated_node(status: Json, old: Json, old_spec: Json) -> list[FieldError]:
    path = "status.nominatedNodeName"
    node = status.get("nominatedNodeName") or ""
    if not node or node == (old.get("nominatedNodeName") or ""):
        return []
    errors = field.invalids(path, node, names.is_dns1123_subdomain(node))
    if old_spec.get("nodeName"):
        detail = "may not be set on pods that are already bound to a node"
        errors.append(field.forbidden(path, detail))
    return errors


def _validate_pod_ips(status: Json, old: Json) -> list[FieldError]:
    entries = status.get("podIPs") or []
    known = {entry.get("ip") or "" for entry in old.get("podIPs") or ()}
    return _validate_ips(entries, known, "status.podIPs", "[]core/v1.PodIP")


def _validate_host_ips(status: Json, old: Json) -> list[FieldError]:
    entries = status.get("hostIPs") or []
    if not entries:
        return []
    errors: list[FieldError] = []
    first = entries[0].get("ip") or ""
    if (status.get("hostIP") or "") != first:
        errors.append(field.invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"))
    known = {entry.get("ip") or "" for entry in old.get("hostIPs") or ()}
    return errors + _validate_ips(entries, known, "status.hostIPs", "[]core/v1.HostIP")


def _validate_ips(
    entries: list[Json], known: Collection[str], path: str, expression: str
) -> list[FieldError]:
    """Addresses: valid unless known before, at most one of each family."""
    errors: list[FieldError] = []
    ips = [entry.get("ip") or "" for entry in entries]
    for index, ip in enumerate(ips):
        if ip not in known:
            problems = addresses.is_valid_ip_for_legacy_field(ip)
            errors += field.invalids(f"{path}[{index}]", ip, problems)
    if len(ips) < 2:
        return errors
    problem = addresses.dual_stack_problem(ips)
    if problem is not None:
        detail = f"failed to check for dual stack with error:{problem}"
        errors.append(field.internal(path, detail))
    both = problem is None and addresses.has_both_families(map(addresses.parse_sloppy, ips))
    if not both or len(ips) > 2:
        shown = internal_json.render(expression, entries)
        detail = "may specify no more than one IP for each IP family"
        errors.append(field.invalid(path, shown, detail))
    return errors
