"""The spec of a pod, alone or inside the template of another object.

Rules run in upstream's order. A plain pod has few fields, so each rule looks first whether there
is anything to validate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import (
    affinity,
    container_env,
    container_paths,
    containers,
    dns,
    field,
    label_selectors,
    metadata,
    names,
    pod_annotations,
    pod_claims,
    pod_host,
    profiles,
    resources,
    security_context,
    spread,
    tolerations,
    volumes,
    windows_options,
)
from kubestage.objects.validation.pod_options import NEW_POD, NEW_TEMPLATE
from kubestage.objects.validation.pod_options import PodValidationOptions as PodValidationOptions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_POD_SPEC: Final = "core/v1.PodSpec"
_MAX_INT32: Final = 2**31 - 1


def validate_pod_spec(
    spec: Json,
    meta: Json | None = None,
    path: str = "spec",
    options: PodValidationOptions = NEW_POD,
) -> list[FieldError]:
    """A PodSpec; `meta` is the metadata of the pod it belongs to, None for a template."""
    errors: list[FieldError] = []
    grace_period = spec.get("terminationGracePeriodSeconds")
    if grace_period is None:
        errors.append(field.required(f"{path}.terminationGracePeriodSeconds"))
    scope = _validate_volumes_and_claims(spec, meta or {}, path, options, errors)
    errors += containers.validate_containers(
        spec.get("containers") or [], f"{path}.containers", scope
    )
    if spec.get("initContainers"):
        errors += containers.validate_init_containers(spec, f"{path}.initContainers", scope)
    if spec.get("ephemeralContainers"):
        at = f"{path}.ephemeralContainers"
        errors += containers.validate_ephemeral_containers(spec, at, scope)
    if spec.get("resources") is not None:
        errors += resources.validate_pod_resources(
            spec,
            scope.claim_names,
            f"{path}.resources",
            allow_indivisible_huge_pages=options.allow_indivisible_huge_pages_values,
        )
    errors += _validate_policies(spec, path, options)
    errors += _validate_placement(spec, path, options)
    errors += _validate_names(spec, path, options)
    errors += _validate_class_and_os(spec, path, options)
    return errors


def validate_pod_template_spec(
    template: Json, path: str, options: PodValidationOptions = NEW_TEMPLATE
) -> list[FieldError]:
    """A PodTemplateSpec inside another object."""
    meta, spec = template.get("metadata") or {}, template.get("spec") or {}
    annotations = meta.get("annotations") or {}
    errors = label_selectors.validate_labels(meta.get("labels"), f"{path}.labels")
    errors += metadata.validate_annotations(annotations, f"{path}.annotations")
    errors += pod_annotations.validate_pod_annotations(
        annotations, spec, f"{path}.annotations", options
    )
    errors += validate_pod_spec(spec, None, f"{path}.spec", options)
    if annotations:
        errors += validate_profile_agreement(annotations, spec, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        detail = "ephemeral containers not allowed in pod template"
        errors.append(field.forbidden(f"{path}.spec.ephemeralContainers", detail))
    return errors


def validate_profile_agreement(
    annotations: dict[str, str], spec: Json, path: str
) -> list[FieldError]:
    """Profiles in annotations and in fields must be the same."""
    context = spec.get("securityContext") or {}
    holders = list(container_paths.with_paths(spec, path))
    errors = profiles.validate_seccomp_agreement(annotations, context, holders, path)
    if (spec.get("os") or {}).get("name") != "windows":
        errors += profiles.validate_apparmor_agreement(annotations, context, holders)
    return errors


def _validate_volumes_and_claims(
    spec: Json,
    meta: Json,
    path: str,
    options: PodValidationOptions,
    errors: list[FieldError],
) -> containers.PodScope:
    """Validate what containers refer to, and collect it for them."""
    valid: dict[str, Json] = {}
    if spec.get("volumes"):
        valid, found = volumes.validate_volumes(
            spec["volumes"], meta.get("name") or "", f"{path}.volumes", options
        )
        errors += found
    claims = spec.get("resourceClaims") or ()
    if claims:
        errors += pod_claims.validate_resource_claims(claims, meta, f"{path}.resourceClaims")
    return containers.PodScope(
        volumes=valid,
        claim_names={claim["name"] for claim in claims if claim.get("name")},
        grace_period=spec.get("terminationGracePeriodSeconds"),
        restart_policy=spec.get("restartPolicy") or "",
        os_name=None if spec.get("os") is None else spec["os"].get("name") or "",
        host_users=spec.get("hostUsers") is not False,
        options=options,
    )


def _validate_policies(spec: Json, path: str, options: PodValidationOptions) -> list[FieldError]:
    """Host network, restarts, DNS policy, node labels, security."""
    errors: list[FieldError] = []
    if spec.get("hostNetwork"):
        errors += pod_host.validate_host_network_ports(spec, f"{path}.containers", options)
    if spec.get("restartPolicy") != "Always":
        errors += markers.check(_POD_SPEC, spec, path, "restartPolicy")
    dns_policy = spec.get("dnsPolicy") or ""
    if dns_policy != "ClusterFirst":
        errors += markers.check(_POD_SPEC, spec, path, "dnsPolicy")
    if selector := spec.get("nodeSelector"):
        errors += label_selectors.validate_labels(selector, f"{path}.nodeSelector")
    if spec.get("securityContext") or spec.get("hostPID"):
        at = f"{path}.securityContext"
        errors += security_context.validate_pod_security_context(spec, at, options)
    if terms := spec.get("affinity"):
        errors += affinity.validate_affinity(terms, f"{path}.affinity", options)
    config = spec.get("dnsConfig")
    if config is not None or dns_policy == "None":
        errors += dns.validate_dns_config(config, dns_policy, f"{path}.dnsConfig")
    return errors


def _validate_placement(spec: Json, path: str, options: PodValidationOptions) -> list[FieldError]:
    """Gates, spreading, Windows host processes, user namespaces."""
    errors: list[FieldError] = []
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        kind = gate.get("conditionType") or ""
        at = f"{path}.readinessGates[{index}].conditionType"
        errors += field.invalids(at, kind, names.is_qualified_name(kind))
    if gates := spec.get("schedulingGates"):
        errors += _validate_scheduling_gates(gates, f"{path}.schedulingGates")
    if constraints := spec.get("topologySpreadConstraints"):
        at = f"{path}.topologySpreadConstraints"
        errors += spread.validate_spread_constraints(constraints, at, options)
    errors += windows_options.validate_host_process(spec, path)
    if spec.get("hostUsers") is False:
        errors += pod_host.validate_user_namespace(spec, path, options)
    return errors


def _validate_scheduling_gates(gates: list[Json], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name = gate.get("name") or ""
        errors += field.invalids(f"{path}[{index}]", name, names.is_qualified_name(name))
        if name in seen:
            errors.append(field.duplicate(f"{path}[{index}]", name))
        seen.add(name)
    return errors


def _validate_names(spec: Json, path: str, options: PodValidationOptions) -> list[FieldError]:
    """Names the pod has and names it refers to, deadline, tolerations, host aliases."""
    errors: list[FieldError] = []
    if spec.get("hostnameOverride") is not None:
        errors += dns.validate_hostname_override(spec, f"{path}.hostnameOverride")
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        problems = names.is_dns1123_subdomain(account)
        errors += field.invalids(f"{path}.serviceAccountName", account, problems)
    if node := spec.get("nodeName"):
        errors += field.invalids(f"{path}.nodeName", node, names.is_dns1123_subdomain(node))
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None:
        problems = names.is_in_range(deadline, 1, _MAX_INT32)
        errors += field.invalids(f"{path}.activeDeadlineSeconds", deadline, problems)
    for key in ("hostname", "subdomain"):
        if label := spec.get(key):
            errors += field.invalids(f"{path}.{key}", label, names.is_dns1123_label(label))
    if tolerated := spec.get("tolerations"):
        allow = options.allow_taint_toleration_comparison_operators
        errors += tolerations.validate_tolerations(
            tolerated, f"{path}.tolerations", allow_comparisons=allow
        )
    if aliases := spec.get("hostAliases"):
        errors += dns.validate_host_aliases(aliases, f"{path}.hostAliases")
    return errors


def _validate_class_and_os(
    spec: Json, path: str, options: PodValidationOptions
) -> list[FieldError]:
    """Priority, runtime class, overhead, operating system, scheduling group."""
    errors: list[FieldError] = []
    if name := spec.get("priorityClassName"):
        errors += field.invalids(
            f"{path}.priorityClassName", name, names.is_dns1123_subdomain(name)
        )
    if (name := spec.get("runtimeClassName")) is not None:
        errors += field.invalids(f"{path}.runtimeClassName", name, names.is_dns1123_subdomain(name))
    if spec.get("preemptionPolicy") is not None:
        errors += markers.check(_POD_SPEC, spec, path, "preemptionPolicy")
    if overhead := spec.get("overhead"):
        errors += resources.validate_requirements(
            {"limits": overhead},
            (),
            f"{path}.overhead",
            allow_indivisible_huge_pages=options.allow_indivisible_huge_pages_values,
        )
    if spec.get("os") is not None:
        errors += pod_host.validate_os(spec, path)
    if (group := spec.get("schedulingGroup")) is not None:
        errors += _validate_scheduling_group(group, f"{path}.schedulingGroup.podGroupName")
    return errors + container_env.validate_file_key_volumes(spec, path)


def _validate_scheduling_group(group: Json, path: str) -> list[FieldError]:
    name = group.get("podGroupName")
    if name is None:
        return [field.invalid(path, None, "must specify one of: `podGroupName`")]
    return field.invalids(path, name, names.is_dns1123_subdomain(name))
