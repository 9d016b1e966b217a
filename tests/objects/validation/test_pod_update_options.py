from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import pod_options, pod_update_options
from tests.objects.validation.pod_specs import container, spec

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
BAD = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b c"]}]}
DEVICES = [{"name": "v", "devicePath": "/dev/x"}]


def _changed(old: dict[str, Any], annotations: dict[str, str] | None = None) -> set[str]:
    """The switches that differ from those of a new pod."""
    options = pod_update_options.for_update(old, annotations)
    return {
        name
        for name in options.__struct_fields__
        if getattr(options, name) != getattr(pod_options.NEW_POD, name)
    }


def test_a_valid_pod_grants_nothing() -> None:
    assert _changed(spec()) == set()
    assert pod_update_options.for_update(spec()) == pod_options.NEW_POD


def test_templates_stay_templates() -> None:
    options = pod_update_options.for_update(spec(), None, pod_options.NEW_TEMPLATE)
    assert options == pod_options.NEW_TEMPLATE


@pytest.mark.parametrize(
    ("fields", "granted"),
    [
        (
            {"securityContext": {"seLinuxChangePolicy": "Recursive"}},
            {"allow_only_recursive_selinux_change_policy"},
        ),
        (
            {"tolerations": [{"key": "a", "operator": "Gt", "value": "1"}]},
            {"allow_taint_toleration_comparison_operators"},
        ),
        (
            {"hostUsers": False, "hostNetwork": True},
            {"allow_user_namespaces_host_network_support"},
        ),
        (
            {"hostUsers": False, "containers": [container(volumeDevices=DEVICES)]},
            {"allow_user_namespaces_with_volume_devices"},
        ),
        (
            {"affinity": {"podAffinity": {REQUIRED: [{"labelSelector": BAD}]}}},
            {"allow_invalid_label_value_in_selector"},
        ),
        (
            {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [BAD]}}}},
            {"allow_invalid_label_value_in_required_node_affinity"},
        ),
        (
            {"topologySpreadConstraints": [{"labelSelector": BAD}]},
            {"allow_invalid_topology_spread_constraint_label_selector"},
        ),
        (
            {"topologySpreadConstraints": [{"matchLabelKeys": ["a"]}]},
            {"old_pod_violates_match_label_keys_validation"},
        ),
        ({"overhead": {"hugepages-2Mi": "3Mi"}}, {"allow_indivisible_huge_pages_values"}),
        (
            {"containers": [container(resources={"requests": {"hugepages-2Mi": "1"}})]},
            {"allow_indivisible_huge_pages_values"},
        ),
        (
            {"volumes": [{"projected": {"sources": [{"serviceAccountToken": {"path": "/a"}}]}}]},
            {"allow_non_local_projected_token_path"},
        ),
        (
            {"hostNetwork": True, "securityContext": {"sysctls": [{"name": "net.a"}]}},
            {"allow_namespaced_sysctls_for_host_net_and_host_ipc"},
        ),
        (
            {
                "initContainers": [
                    container("i", resizePolicy=[{"restartPolicy": "RestartContainer"}])
                ]
            },
            {"allow_existing_restart_container_for_non_sidecar_init_container"},
        ),
    ],
)
def test_a_rule_that_was_broken_before_may_stay_broken(
    fields: dict[str, Any], granted: set[str]
) -> None:
    assert _changed(spec(**fields)) == granted


def test_an_invalid_deletion_cost_may_stay() -> None:
    annotations = {"controller.kubernetes.io/pod-deletion-cost": "much"}
    assert _changed(spec(), annotations) == {"allow_invalid_pod_deletion_cost"}
