"""Rules for the status of a pod: what kubelets and schedulers may report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import (
    addresses,
    container_statuses,
    field,
    internal_json,
    metadata,
    names,
    pod_annotations,
    pod_claim_statuses,
    pod_options,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.objects.validation.field import FieldError

_SYSTEM_CONDITIONS: Final = ("PodScheduled", "Ready", "Initialized")
_NOT_NEGATIVE: Final = "must be a non-negative integer"


def validate_pod_status_update(
    new: dict[str, Any], old: dict[str, Any], options: pod_options.PodValidationOptions
) -> list[FieldError]:
    """A status that replaces an older one."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    errors += pod_annotations.validate_pod_annotations_update(new, old, options)
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
    errors += pod_claim_statuses.validate_claim_statuses(status, spec)
    errors += _validate_pod_ips(status, old_status)
    errors += _validate_host_ips(status, old_status)
    return errors + container_statuses.validate_reports(status, spec)


def _validate_conditions(conditions: list[dict[str, Any]]) -> list[FieldError]:
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


def _validate_nominated_node(
    status: dict[str, Any], old: dict[str, Any], old_spec: dict[str, Any]
) -> list[FieldError]:
    path = "status.nominatedNodeName"
    node = status.get("nominatedNodeName") or ""
    if not node or node == (old.get("nominatedNodeName") or ""):
        return []
    errors = field.invalids(path, node, names.is_dns1123_subdomain(node))
    if old_spec.get("nodeName"):
        detail = "may not be set on pods that are already bound to a node"
        errors.append(field.forbidden(path, detail))
    return errors


def _validate_pod_ips(status: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    entries = status.get("podIPs") or []
    known = {entry.get("ip") or "" for entry in old.get("podIPs") or ()}
    return _validate_ips(entries, known, "status.podIPs", "[]core/v1.PodIP")


def _validate_host_ips(status: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
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
    entries: list[dict[str, Any]], known: Collection[str], path: str, expression: str
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
