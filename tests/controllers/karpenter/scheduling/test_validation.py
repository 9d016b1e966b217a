"""Pods that are left alone, and what is said about them."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.karpenter import labels
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.scheduling.passes import Pass, expression, pod, required


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            {"nodeSelector": {labels.HOSTNAME: "h"}},
            (
                "using label kubernetes.io/hostname is not allowed as it might interfere with the "
                "internal provisioning logic; specify a well known label: "
                "[karpenter.sh/capacity-type karpenter.sh/nodepool kubernetes.io/arch "
                "kubernetes.io/os node.kubernetes.io/instance-type "
                "node.kubernetes.io/windows-build topology.kubernetes.io/region "
                "topology.kubernetes.io/zone], or a custom label that "
                "does not use a restricted domain: [karpenter.sh]"
            ),
        ),
        (
            {"nodeSelector": {labels.CAPACITY_TYPE: "cheap"}},
            (
                "no valid values found in [cheap] for karpenter.sh/capacity-type, expected one of: "
                "map[on-demand:{} reserved:{} spot:{}], got: [cheap]"
            ),
        ),
        (
            {"affinity": required({"key": "cpu", "operator": "Gt", "values": ["many"]})},
            "key cpu with operator Gt must have a single positive integer value",
        ),
        (
            {"affinity": required({"key": "cpu", "operator": "Near", "values": ["1"]})},
            (
                "key cpu has an unsupported operator Near not in "
                "[DoesNotExist Exists Gt Gte In Lt Lte NotIn]"
            ),
        ),
        (
            {"affinity": required({"key": "cpu", "operator": "In"})},
            "key cpu with operator In must have a value defined",
        ),
    ],
)
def test_a_pod_that_asks_for_what_it_must_not_is_told_so(
    spec: dict[str, Any], message: str
) -> None:
    found = Pass([pod("p", **spec)])
    assert [event.message for event in found.events] == [f"Failed to schedule pod, {message}"]
    assert found.new == []
    assert found.errors == {}


def test_fields_of_nodes_cannot_be_selected_and_all_problems_are_given() -> None:
    bad = pod("p", nodeSelector={"karpenter.sh/x": "y"}, affinity=required())
    terms = bad["spec"]["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]
    terms.append({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]})
    message = Pass([bad]).events[0].message
    assert message.startswith("Failed to schedule pod, using label karpenter.sh/x is not allowed")
    assert message.endswith("; node selector term with matchFields is not supported")


def test_a_pod_that_avoids_karpenter_is_left_alone_in_silence() -> None:
    avoiding = pod("p", affinity=required(expression(labels.NODE_POOL, "DoesNotExist")))
    found = Pass([avoiding])
    assert (found.new, found.events) == ([], [])


def test_only_pods_that_the_scheduler_gave_up_on_are_looked_at() -> None:
    fresh, nominated, daemon = pod("fresh"), pod("nominated"), pod("daemon")
    fresh["status"]["conditions"] = []
    nominated["status"]["nominatedNodeName"] = "node-a"
    daemon["metadata"]["ownerReferences"][0]["kind"] = "DaemonSet"
    ending = pod("ending")
    ending["metadata"]["deletionTimestamp"] = objects.CREATED
    assert Pass([fresh, nominated, daemon, ending]).new == [["ending"]]
