"""What happens while a command waits for its validation may make it void."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.karpenter import labels
from kubestage.units import SECOND_NS
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.disruption.clusters import bench, machine, names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.controllers.karpenter.disruption.clusters import Bench


def _protected_pod(cluster: Bench) -> None:
    pod = objects.pod("new", "a", "100m", annotations={labels.DO_NOT_DISRUPT: "true"})
    cluster.context.cluster.update(pod)


def _blocking_budget(cluster: Bench) -> None:
    cluster.context.cluster.update(objects.budget("b", 0))


def _nomination(cluster: Bench) -> None:
    state = cluster.context.cluster
    state.nominate("sim://a", state.now_ns + 20 * SECOND_NS)


def _unready_neighbour(cluster: Bench) -> None:
    node = objects.node("full", objects.labels("m.2"), "2", "8Gi")
    node["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    cluster.context.cluster.update(node)


def _larger_pods(cluster: Bench) -> None:
    cluster.context.cluster.update(objects.pod("new", "a", "12"))


def _nothing(cluster: Bench) -> None:
    del cluster


@pytest.mark.parametrize(
    ("meanwhile", "reason"),
    [
        (_nothing, None),
        (_protected_pod, "churn"),
        (_blocking_budget, "churn"),
        (_nomination, "churn"),
        (_unready_neighbour, "budget"),
        (_larger_pods, "scheduling"),
    ],
)
def test_a_single_node_is_kept_for_a_reason(
    meanwhile: Callable[[Bench], None], reason: str | None
) -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["budgets"] = [{"nodes": "1"}]
    cluster = bench(pool, *machine("a", "m.16", 3), *machine("full", "m.2", 2))
    found = cluster.round(lambda: meanwhile(cluster))
    assert names(found) == ([] if reason else [["a"]])
    rejected = [each for each in cluster.messages if "rejected" in each]
    assert rejected == (
        [
            (
                f"Consolidation rejected: replace: [a] -> [1 replacement], reason: {reason} "
                "(savings: $0.60)"
            )
        ]
        if reason
        else []
    )


def test_several_nodes_are_kept_without_a_word_and_single_ones_are_tried() -> None:
    cluster = bench(*machine("a", "m.16", 3), *machine("b", "m.16", 3))
    changed: list[bool] = []

    def hold_one() -> None:
        if not changed:
            changed.append(True)
            _protected_pod(cluster)

    found = cluster.round(hold_one)
    assert names(found) == [["b"]]
    assert found.commands[0].consolidation_type == "single"
    assert not any("rejected" in message for message in cluster.messages)
    assert cluster.context.now_ns == objects.START_NS + 30 * SECOND_NS


def test_of_empty_nodes_those_that_still_are_go() -> None:
    cluster = bench(*machine("a"), *machine("b"))

    def arrive() -> None:
        cluster.context.cluster.update(objects.pod("new", "a"))

    assert names(cluster.round(arrive)) == [["b"]]


def test_a_better_choice_during_the_validation_is_left_for_the_next_round() -> None:
    """The pods would fit an existing node now: so there is no need for a new one any more."""
    pool = objects.node_pool()
    pool["spec"]["disruption"]["budgets"] = [{"nodes": "1"}]
    cluster = bench(pool, *machine("a", "m.16", 3), *machine("full", "m.4", 4))

    def leave() -> None:
        for number in range(4):
            cluster.context.cluster.delete("Pod", f"full-{number}", "default")

    found = cluster.round(leave)
    assert found.commands == []
    assert "reason: scheduling" in cluster.messages[-1]
