"""How strictly a pod is validated: options that differ between pods, templates and updates.

The defaults validate a new pod as Kubernetes v1.36 does. Upstream has more options; those that are
fixed in v1.36 are not options here.
"""

from __future__ import annotations

from typing import Final

import msgspec


class PodValidationOptions(msgspec.Struct, frozen=True):
    """What to let pass; the names are upstream's."""

    resource_is_pod: bool = True
    """The spec belongs to a Pod, not to a template inside another object."""

    allow_only_recursive_selinux_change_policy: bool = True
    allow_taint_toleration_comparison_operators: bool = False
    allow_user_namespaces_host_network_support: bool = False

    # What follows is granted only to updates of objects that broke the rule before.
    allow_invalid_pod_deletion_cost: bool = False
    allow_invalid_label_value_in_selector: bool = False
    allow_invalid_label_value_in_required_node_affinity: bool = False
    allow_invalid_topology_spread_constraint_label_selector: bool = False
    allow_indivisible_huge_pages_values: bool = False
    allow_non_local_projected_token_path: bool = False
    allow_namespaced_sysctls_for_host_net_and_host_ipc: bool = False
    allow_existing_restart_container_for_non_sidecar_init_container: bool = False
    allow_user_namespaces_with_volume_devices: bool = False
    old_pod_violates_match_label_keys_validation: bool = False


NEW_POD: Final = PodValidationOptions()
"""A pod that is being created."""

NEW_TEMPLATE: Final = PodValidationOptions(resource_is_pod=False)
"""The pod template of an object that is being created."""
