"""Nodes that are replaced, with answers that were computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage import InputError
from kubestage.runs import rehearse
from kubestage.runs.rehearse import UpgradeOptions, upgrading
from kubestage.testing import make_node, make_pod_disruption_budget
from tests.runs.rehearse.clusters import cluster, nodes, pod_on, spread


def test_with_surge_a_node_takes_its_start_and_its_drain() -> None:
    result = rehearse.upgrade(cluster(*nodes(4), spread("web", 3)), "all")
    # Sixty seconds until a node registers, two for its predecessor's pod, four times.
    assert result.seconds == 4 * (60 + 2)
    assert result.peak_extra_nodes == 1
    assert result.replaced == ["n1", "n2", "n3", "n4"]
    (web,) = result.effects.workloads
    assert web.windows == [(60, 62), (122, 124), (184, 186), (246, 248)]
    assert web.ready_lowest == 2


def test_in_place_there_is_no_extra_node() -> None:
    options = UpgradeOptions(max_unavailable=1)
    result = rehearse.upgrade(cluster(*nodes(4), spread("web", 3)), "all", options)
    assert result.peak_extra_nodes == 0
    assert result.seconds == 4 * (2 + 60)
    assert result.effects.workloads[0].windows[0] == (0, 2)


def test_two_at_a_time_take_half_as_long() -> None:
    options = UpgradeOptions(surge=2, startup="30s", soak="1m")
    result = rehearse.upgrade(cluster(*nodes(4), spread("web", 3)), "all", options)
    assert result.peak_extra_nodes == 2
    assert result.seconds == 2 * (30 + 2 + 60)


def test_blue_green_adds_all_and_then_removes_all() -> None:
    options = UpgradeOptions(blue_green=True, soak="5m")
    made = cluster(*nodes(4), spread("web", 3))
    result = rehearse.upgrade(made, "all", options)
    assert result.peak_extra_nodes == 4
    # One start for all, a drain of each of three, and the soak.
    assert result.seconds == 60 + 3 * 2 + 300


def test_a_budget_without_room_ends_the_upgrade() -> None:
    budget = make_pod_disruption_budget("web", min_available=3)
    result = rehearse.upgrade(cluster(*nodes(4), spread("web", 3), budget), "all")
    assert result.replaced == []
    assert result.blocked[0].budget == "default/web"
    assert result.answer.startswith("The upgrade stopped after 16m0s: 0 of 4 nodes replaced")
    assert result.effects.workloads[0].ready_lowest == 3


def test_a_pool_is_what_the_labels_of_its_provider_say() -> None:
    old = [make_node(f"n{each}", labels={"eks.amazonaws.com/nodegroup": "old"}) for each in (1, 2)]
    made = cluster(*old, make_node("n3"))
    assert rehearse.upgrade(made, "old").replaced == ["n1", "n2"]
    with pytest.raises(InputError, match=r'there is no pool "odl".*did you mean old'):
        rehearse.upgrade(made, "pool/odl")


def _group(size: int) -> dict[str, Any]:
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "NodeGroup",
        "metadata": {"name": "small"},
        "spec": {
            "minSize": 1,
            "maxSize": 4,
            "initialSize": size,
            "provisionDelay": "90s",
            "template": {"capacity": {"cpu": "1", "memory": "4Gi"}},
        },
    }


def test_nodes_of_groups_start_as_their_group_says() -> None:
    result = rehearse.upgrade(cluster(_group(1), spread("web", 1)), "small")
    assert result.seconds == 90 + 2


def test_with_surge_the_autoscaler_has_nothing_to_do() -> None:
    result = rehearse.upgrade(cluster(_group(3), spread("web", 3)), "small")
    assert (result.seconds, result.peak_extra_nodes) == (3 * (90 + 2), 1)
    assert result.effects.pending_peak == 0


def test_in_place_the_autoscaler_adds_a_node_for_a_pod_that_waits() -> None:
    options = UpgradeOptions(max_unavailable=1)
    result = rehearse.upgrade(cluster(_group(3), spread("web", 3)), "small", options)
    assert (result.seconds, result.peak_extra_nodes) == (3 * (2 + 90), 1)
    # The autoscaler looks every ten seconds; its node comes after ninety, and is enough from then.
    assert result.effects.workloads[0].windows == [(0, 10 + 90 + 2), (184, 186)]


def test_blue_green_of_a_group() -> None:
    options = UpgradeOptions(blue_green=True, soak="5m", parallel=3)
    result = rehearse.upgrade(cluster(_group(3), spread("web", 3)), "small", options)
    assert (result.seconds, result.peak_extra_nodes) == (90 + 2 + 300, 3)
    assert result.effects.workloads[0].ready_lowest == 0


def test_surge_and_unavailable_nodes_together() -> None:
    options = UpgradeOptions(surge=1, max_unavailable=1)
    result = rehearse.upgrade(cluster(*nodes(4), spread("web", 3)), "all", options)
    # Two slots with two nodes each: one starts with the new node, one with the drain.
    assert result.seconds == 2 * (60 + 2)
    assert sorted(result.replaced) == ["n1", "n2", "n3", "n4"]
    # After 62 seconds, one slot's new node registers just before the other's old one goes.
    assert result.peak_extra_nodes == 1


def test_the_order_is_as_requested() -> None:
    zones = [make_node(f"n{each}", zone="ba"[each % 2]) for each in range(4)]
    stage = cluster(*zones).stage
    names = ["n3", "n1", "n0", "n2"]
    assert upgrading.in_order(stage, names, "name") == ["n0", "n1", "n2", "n3"]
    assert upgrading.in_order(stage, names, "zone") == ["n1", "n3", "n0", "n2"]


def test_the_emptiest_and_the_oldest_come_first() -> None:
    made = cluster(*nodes(3), pod_on("n1", "a"), pod_on("n1", "b"), pod_on("n2", "c"))
    made.stage.store.create(make_node("n0"))
    names = ["n0", "n1", "n2", "n3"]
    assert upgrading.in_order(made.stage, names, "emptiest") == ["n0", "n3", "n2", "n1"]
    assert upgrading.in_order(made.stage, names, "oldest") == ["n1", "n2", "n3", "n0"]
    assert upgrading.in_order(made.stage, names, "newest")[0] == "n0"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (UpgradeOptions(blue_green=True, surge=1), "--blue-green"),
        (UpgradeOptions(parallel=2), "--parallel"),
        (UpgradeOptions(surge=0), "--surge"),
        (UpgradeOptions(startup="soon"), "--startup"),
    ],
)
def test_what_contradicts_itself_is_refused(options: UpgradeOptions, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        rehearse.upgrade(None, "all", options)
