from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.controllers.node_autoscaler import equivalence, estimator, groups, templates
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.what_if import WhatIf
from kubestage.stage import Stage
from kubestage.testing import make_daemon_set, make_pod, make_replica_set
from tests.controllers.node_autoscaler.clusters import make_group

if TYPE_CHECKING:
    from kubestage.aliases import Json

_HOST_SPREAD = [
    {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "a"}},
    }
]


def _replicas(name: str, count: int, cpu: str, **parts: Any) -> list[pod_views.PodView]:
    owner = make_replica_set(name)
    owner["metadata"]["uid"] = f"rs-{name}"
    found = []
    for number in range(count):
        pod = make_pod(f"{name}{number}", cpu=cpu, labels={"app": name}, owner=owner, **parts)
        pod["metadata"]["uid"] = f"{name}{number}"
        found.append(pod_views.of(pod))
    return found


def _estimate(
    *pods: list[pod_views.PodView], most: int = 100, daemons: tuple[Json, ...] = (), **group: Any
) -> estimator.Estimate:
    snapshot = WhatIf(Stage()).snapshot([], [])
    template = templates.of_description(groups.read_group(make_group(**group)), list(daemons))
    alike = equivalence.groups_of([pod for each in pods for pod in each])
    found = estimator.estimate(snapshot, alike, template, most)
    assert snapshot.node_names == []
    return found


def test_the_largest_pods_are_packed_first() -> None:
    # First fit in the order given would take three nodes: 1+1+1, 3, 3.
    found = _estimate(_replicas("a", 2, "1"), _replicas("b", 2, "3"))
    assert (found.node_count, len(found.pods)) == (2, 4)


def test_pods_that_fit_no_empty_node_open_none() -> None:
    found = _estimate(_replicas("a", 3, "5"), _replicas("b", 2, "1"))
    assert (found.node_count, [pod.name for pod in found.pods]) == (1, ["b0", "b1"])


def test_no_more_nodes_are_opened_than_may_be() -> None:
    found = _estimate(_replicas("a", 20, "1"), most=3)
    assert (found.node_count, len(found.pods)) == (3, 12)
    found = _estimate(_replicas("a", 20, "2"), _replicas("b", 20, "1"), most=3)
    assert (found.node_count, len(found.pods)) == (3, 6)
    assert _estimate(_replicas("a", 1, "1"), most=0).node_count == 0


def test_daemons_take_room_on_every_node() -> None:
    daemon_set = make_daemon_set("agent", cpu="2")
    daemon_set["metadata"]["uid"] = "ds"
    assert _estimate(_replicas("a", 4, "1"), daemons=(daemon_set,)).node_count == 2


def test_pods_that_keep_their_distance_take_a_node_each() -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    pods = _replicas("a", 5, "1", affinity={"podAntiAffinity": required})
    # Others fill what is left between them.
    found = _estimate(pods, _replicas("b", 15, "1"))
    assert (found.node_count, len(found.pods)) == (5, 20)


def test_pods_that_are_spread_over_nodes_are_dealt_to_all_of_them() -> None:
    pods = _replicas("a", 7, "1", topology_spread_constraints=_HOST_SPREAD)
    found = _estimate(pods, _replicas("b", 3, "3"))
    assert (found.node_count, len(found.pods)) == (5, 10)


def test_pods_of_two_templates_of_one_controller_are_told_apart() -> None:
    pods = [*_replicas("a", 2, "1"), *_replicas("a", 2, "2")]
    assert [len(each.pods) for each in equivalence.groups_of(pods)] == [2, 2]


def test_pods_without_a_controller_are_each_by_themselves() -> None:
    pods = [pod_views.of(make_pod(f"p{number}")) for number in range(3)]
    assert [len(each.pods) for each in equivalence.groups_of(pods)] == [1, 1, 1]


def _first_fit(sizes: list[tuple[int, int]], room: int, most: int) -> tuple[int, int]:
    """How many nodes and pods it comes to, pod by pod: sizes and counts, the largest first."""
    free: list[int] = []
    start = packed = 0
    for size, count in sorted(sizes, key=lambda each: -each[0]):
        left = count
        while left:
            order = [*range(start, len(free)), *range(min(start, len(free)))]
            at = next((each for each in order if free[each] >= size), None)
            if at is None:
                break
            free[at] -= size
            start, left, packed = at + 1, left - 1, packed + 1
        while left:
            if not free or free[-1] < size:
                if len(free) == most or size > room:
                    break
                free.append(room)
            free[-1] -= size
            start, left, packed = len(free), left - 1, packed + 1
    return len(free), packed


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_plain_pods_take_what_first_fit_decreasing_takes(seed: int) -> None:
    luck = random.Random(seed)
    sizes = [(size, luck.randint(1, 12)) for size in luck.sample(range(1, 41), luck.randint(1, 5))]
    pods = [_replicas(f"g{size}", count, f"{size * 100}m") for size, count in sizes]
    most = luck.randint(1, 12)
    found = _estimate(*pods, most=most)
    assert (found.node_count, len(found.pods)) == _first_fit(sizes, 40, most)
