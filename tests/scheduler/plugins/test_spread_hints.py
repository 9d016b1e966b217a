from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventResource
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from tests.scheduler.plugins import clusters, crowds

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


PODS, NODES = PodTopologySpread(
    {"defaultingType": "System"}, clusters.handle()
).events_to_register()
IN_A = {crowds.ZONE: "a"}


def waiting(selector: Json | None = None, **parts: Any) -> PodView:
    constraint = {
        "topologyKey": crowds.ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "maxSkew": 1,
        "labelSelector": selector or crowds.app("web"),
        **parts,
    }
    return crowds.pod("waiting", topologySpreadConstraints=[constraint])


def other(app: str = "web", namespace: str = "red", node_name: str = "n") -> Json:
    return crowds.pod("other", namespace, {"app": app}, nodeName=node_name).raw


def node(labels: dict[str, str], *taints: Json) -> Json:
    return clusters.node("n", labels=labels, taints=list(taints))


def helps(change: Any, pod: PodView, old: Json | None, new: Json | None) -> bool:
    assert change.hint is not None
    return bool(change.hint(pod, old, new))


def test_pods_nodes_and_tolerations_are_waited_for() -> None:
    assert PODS.event == ClusterEvent(
        EventResource.POD,
        ActionType.ADD
        | ActionType.UPDATE_POD_LABEL
        | ActionType.UPDATE_POD_TOLERATION
        | ActionType.DELETE,
    )
    assert NODES.event == ClusterEvent(
        EventResource.NODE,
        ActionType.ADD
        | ActionType.DELETE
        | ActionType.UPDATE_NODE_LABEL
        | ActionType.UPDATE_NODE_TAINT,
    )


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (other(), True),
        (other("db"), False),
        (other(namespace="blue"), False),
        (other(node_name=""), False),
        ({**other(node_name=""), "status": {"nominatedNodeName": "n"}}, True),
    ],
)
def test_a_pod_that_comes_or_goes_helps_if_it_counts(pod: Json, expected: bool) -> None:
    assert helps(PODS, waiting(), None, pod) == expected
    assert helps(PODS, waiting(), pod, None) == expected


def test_new_labels_help_if_they_change_whether_a_pod_counts() -> None:
    assert helps(PODS, waiting(), other("db"), other("web"))
    assert helps(PODS, waiting(), other("web"), other("db"))
    assert not helps(PODS, waiting(), other("db"), other("cache"))
    assert not helps(PODS, waiting(), other("web"), other("web"))


@pytest.mark.parametrize(("policy", "expected"), [("Honor", True), ("Ignore", False)])
def test_a_new_toleration_helps_if_taints_are_honored(policy: str, expected: bool) -> None:
    pod = waiting(nodeTaintsPolicy=policy)
    tolerant = {**pod.raw["spec"], "tolerations": [{"key": "team", "operator": "Exists"}]}
    assert helps(PODS, pod, pod.raw, {**pod.raw, "spec": tolerant}) == expected


def test_what_cannot_be_read_is_tried_again() -> None:
    odd = waiting({"matchExpressions": [{"key": "app", "operator": "Odd"}]})
    assert helps(PODS, odd, None, other("db"))
    assert helps(NODES, odd, None, node({}))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, node(IN_A), True),
        (None, node({}), False),
        (node(IN_A), None, True),
        (node({}), None, False),
        (node(IN_A), node({}), True),
        (node({}), node(IN_A), True),
        (node(IN_A), node({crowds.ZONE: "b"}), True),
        (node(IN_A), node({**IN_A, "x": "y"}), False),
        (node(IN_A), node(IN_A, {"key": "team", "effect": "NoSchedule"}), True),
        (node({}), node({}, {"key": "team", "effect": "NoSchedule"}), False),
    ],
)
def test_a_node_helps_if_it_takes_part_in_the_spreading(
    old: Json | None, new: Json | None, expected: bool
) -> None:
    assert helps(NODES, waiting(), old, new) == expected
