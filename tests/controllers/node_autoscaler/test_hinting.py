"""Where pods are tried: first where they fitted before, then behind the node found last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.node_autoscaler.hinting import HintingSimulator
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.what_if import WhatIf
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod, make_replica_set

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.what_if_snapshot import WhatIfSnapshot


def _pod(name: str, owner: str = "", **parts: Any) -> PodView:
    if owner:
        parts["owner"] = {**make_replica_set(owner), "metadata": {"name": owner, "uid": owner}}
    pod = make_pod(name, **{"cpu": "1", **parts})
    pod["metadata"]["uid"] = name
    return pod_views.of(pod)


class _Cluster:
    """Nodes that are looked at again and again."""

    def __init__(self, *names: str, cpu: str = "4") -> None:
        self._what_if = WhatIf(Stage())
        self._position = self._what_if.search_position()
        self._nodes = [make_node(name, cpu=cpu) for name in names]

    def snapshot(self, *without: str) -> WhatIfSnapshot:
        """The nodes as they are at another scan."""
        nodes = [node for node in self._nodes if node["metadata"]["name"] not in without]
        return self._what_if.snapshot(nodes, [], self._position)


def test_the_first_search_begins_with_the_second_node_and_the_next_goes_on() -> None:
    cluster = _Cluster("a", "b", "c")
    assert cluster.snapshot().place([_pod("x")]) == ["b"]
    assert cluster.snapshot().place([_pod("y")]) == ["c"]
    # What is remembered is a place in the list, whatever nodes are there now.
    assert cluster.snapshot("a").place([_pod("z")]) == ["c"]


def test_a_search_counts_even_if_one_node_may_be_found() -> None:
    cluster = _Cluster("a", "b", "c")
    assert cluster.snapshot().place([_pod("x")], ["c"]) == ["c"]
    assert cluster.snapshot().place([_pod("y")]) == ["a"]


def test_a_node_that_is_filled_was_not_searched_for() -> None:
    cluster = _Cluster("a", "b", "c")
    assert cluster.snapshot().fill([_pod("x"), _pod("y")], "c") == 2
    assert cluster.snapshot().place([_pod("z")]) == ["b"]


def test_pods_go_where_they_went_before_while_they_fit_there() -> None:
    cluster, simulator = _Cluster("a", "b", "c", cpu="2"), HintingSimulator()
    pods = [_pod("x"), _pod("y")]
    assert simulator.schedule(cluster.snapshot(), pods) == {"x": "b", "y": "c"}
    simulator.drop_old_hints()
    assert simulator.schedule(cluster.snapshot(), pods) == {"x": "b", "y": "c"}
    simulator.drop_old_hints()
    # A node has gone: the search for its pod goes on in the place where the last one ended.
    assert simulator.schedule(cluster.snapshot("b"), pods) == {"x": "c", "y": "c"}


def test_where_a_pod_went_is_forgotten_after_a_scan_without_it() -> None:
    cluster, simulator = _Cluster("a", "b", "c"), HintingSimulator()
    assert simulator.schedule(cluster.snapshot(), [_pod("x")]) == {"x": "b"}
    for _ in range(2):
        simulator.drop_old_hints()
    assert simulator.schedule(cluster.snapshot(), [_pod("x")]) == {"x": "c"}


def test_pods_like_one_that_fits_nowhere_are_left_out() -> None:
    cluster, simulator = _Cluster("a", "b", cpu="1"), HintingSimulator()
    first = [_pod(f"p{number}", "web") for number in range(2)]
    assert set(simulator.schedule(cluster.snapshot(), first)) == {"p0", "p1"}
    simulator.drop_old_hints()
    # The node of p0 is gone: a new pod takes the place of p1, and p0 finds none.
    pods = [_pod("new", "web"), *first]
    assert simulator.schedule(cluster.snapshot("b"), pods) == {"new": "a"}
    # Others of the same controller may be smaller, and are tried.
    small = _pod("small", "web", cpu="100m")
    fits = HintingSimulator().schedule(_Cluster("a", cpu="500m").snapshot(), [*first, small])
    assert fits == {"small": "a"}


def test_a_search_may_stop_at_the_first_pod_that_fits_nowhere() -> None:
    cluster, simulator = _Cluster("a", cpu="2"), HintingSimulator()
    pods = [_pod("large", cpu="3"), _pod("small")]
    assert simulator.schedule(cluster.snapshot(), pods, stops=True) == {}
    assert simulator.schedule(cluster.snapshot(), pods) == {"small": "a"}


def test_only_nodes_that_may_be_used_are_used() -> None:
    cluster, simulator = _Cluster("a", "b", "c"), HintingSimulator()
    assert simulator.schedule(cluster.snapshot(), [_pod("x")], {"a"}) == {"x": "a"}
    # The hint leads to a node that may not be used now.
    assert simulator.schedule(cluster.snapshot(), [_pod("x")], {"b"}) == {"x": "b"}
