"""What an update may keep: rules that the older version of a pod or template already broke."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects.validation import (
    affinity,
    container_paths,
    label_selectors,
    pod_annotations,
    resources,
    security_context,
    spread,
    volume_projected,
)
from kubestage.objects.validation.pod_options import NEW_POD

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.pod_options import PodValidationOptions


def for_update(
    old_spec: Json,
    old_annotations: dict[str, str] | None = None,
    base: PodValidationOptions = NEW_POD,
) -> PodValidationOptions:
    """`base` (pods or templates), loosened where the older version needs it."""
    selinux_policy = (old_spec.get("securityContext") or {}).get("seLinuxChangePolicy")
    has_own_users = old_spec.get("hostUsers") is False
    return msgspec.structs.replace(
        base,
        allow_only_recursive_selinux_change_policy=selinux_policy is None,
        allow_taint_toleration_comparison_operators=_compares_taints(old_spec),
        allow_user_namespaces_host_network_support=(
            has_own_users and bool(old_spec.get("hostNetwork"))
        ),
        allow_invalid_pod_deletion_cost=not pod_annotations.has_valid_deletion_cost(
            old_annotations or {}
        ),
        allow_invalid_label_value_in_selector=any(
            affinity.validate_pod_term_selectors(term, "") for term in affinity.pod_terms(old_spec)
        ),
        allow_invalid_label_value_in_required_node_affinity=(
            affinity.has_invalid_required_node_value(old_spec)
        ),
        allow_invalid_topology_spread_constraint_label_selector=_has_invalid_spread_selector(
            old_spec
        ),
        allow_indivisible_huge_pages_values=_has_indivisible_huge_pages(old_spec),
        allow_non_local_projected_token_path=volume_projected.has_non_local_token_path(
            old_spec.get("volumes") or []
        ),
        allow_namespaced_sysctls_for_host_net_and_host_ipc=(
            security_context.has_host_sysctl(old_spec)
        ),
        allow_existing_restart_container_for_non_sidecar_init_container=(
            _restarts_init_containers(old_spec)
        ),
        allow_user_namespaces_with_volume_devices=has_own_users
        and any(container.get("volumeDevices") for container in container_paths.every(old_spec)),
        old_pod_violates_match_label_keys_validation=_has_invalid_match_label_keys(old_spec),
    )


def _compares_taints(spec: Json) -> bool:
    return any(
        toleration.get("operator") in ("Lt", "Gt") for toleration in spec.get("tolerations") or ()
    )


def _has_invalid_spread_selector(spec: Json) -> bool:
    return any(
        label_selectors.validate_label_selector(constraint.get("labelSelector"), "")
        for constraint in spec.get("topologySpreadConstraints") or ()
    )


def _has_invalid_match_label_keys(spec: Json) -> bool:
    return any(
        spread.validate_label_keys(
            "", constraint.get("matchLabelKeys") or (), (), constraint.get("labelSelector")
        )
        for constraint in spec.get("topologySpreadConstraints") or ()
    )


def _has_indivisible_huge_pages(spec: Json) -> bool:
    lists = [spec.get("overhead")]
    for container in container_paths.every(spec):
        requirements = container.get("resources") or {}
        lists += [requirements.get("limits"), requirements.get("requests")]
    return any(resources.has_indivisible_huge_pages(resource_list) for resource_list in lists)


def _restarts_init_containers(spec: Json) -> bool:
    return any(
        policy.get("restartPolicy") == "RestartContainer"
        for container in spec.get("initContainers") or ()
        if container.get("restartPolicy") != "Always"
        for policy in container.get("resizePolicy") or ()
    )
