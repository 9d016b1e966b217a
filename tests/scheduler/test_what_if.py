from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.status import SUCCESS, unschedulable
from kubestage.scheduler.what_if import WhatIf
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.status import Status
    from kubestage.scheduler.what_if_snapshot import WhatIfSnapshot


_ANTI = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {
                "topologyKey": "kubernetes.io/hostname",
                "labelSelector": {"matchLabels": {"app": "web"}},
            }
        ]
    }
}
_SPREAD = [
    {
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
]
_KINDS: dict[str, Json] = {
    "plain": {},
    "anti": {"affinity": _ANTI},
    "spread": {"topology_spread_constraints": _SPREAD},
    "port": {"host_ports": [80]},
    "selector": {"node_selector": {"topology.kubernetes.io/zone": "z1"}},
}


def _snapshot(nodes: Sequence[Json], pods: Sequence[Json] = ()) -> WhatIfSnapshot:
    return WhatIf(Stage()).snapshot(nodes, [_view(pod) for pod in pods])


def _view(pod: Json) -> PodView:
    named = {**pod["metadata"], "uid": pod["metadata"].get("uid") or pod["metadata"]["name"]}
    return pod_views.of({**pod, "metadata": named})


def _pods(count: int, prefix: str = "p", **parts: Any) -> list[PodView]:
    parts = {"cpu": "1", "labels": {"app": "web"}, **parts}
    return [_view(make_pod(f"{prefix}{number}", **parts)) for number in range(count)]


def _nodes(*zones: str) -> list[Json]:
    return [make_node(f"n{number}", zone=zone) for number, zone in enumerate(zones)]


def _state(snapshot: WhatIfSnapshot) -> dict[str, list[str]]:
    return {name: sorted(pod.name for pod in snapshot.pods(name)) for name in snapshot.node_names}


def test_a_pod_is_put_on_a_node_if_it_fits_and_else_it_is_told_why() -> None:
    snapshot = _snapshot([make_node("a", cpu="1"), make_node("b")])
    one, other, third = _pods(3)
    assert snapshot.put(one, "a") is None
    assert snapshot.put(other, "a") == ("Insufficient cpu",)
    assert _state(snapshot) == {"a": ["p0"], "b": []}
    snapshot.fork()
    assert snapshot.put(other, "b") is None
    # A search begins where the last one ended, and this was none.
    assert snapshot.place([third]) == ["b"]
    snapshot.revert()
    assert _state(snapshot) == {"a": ["p0"], "b": []}


def test_a_search_of_one_node_does_not_move_where_the_next_one_begins() -> None:
    snapshot = _snapshot([make_node(name) for name in "abc"])
    one, other = _pods(2)
    assert snapshot.place([one], ["b"]) == ["b"]
    assert snapshot.place([other]) == ["a"]


def test_one_node_may_be_left_out_of_a_search() -> None:
    snapshot = _snapshot([make_node(name, cpu="1") for name in "abc"])
    assert snapshot.place(_pods(3), but="b") == ["a", "c"]


def test_pods_are_dealt_in_turn_until_one_fits_nowhere() -> None:
    snapshot = _snapshot([make_node("a", cpu="2"), make_node("b", cpu="1"), make_node("c")])
    assert snapshot.place(_pods(9)) == ["a", "b", "c", "a", "c", "c", "c"]
    assert snapshot.place(_pods(1, "q")) == []


def test_a_search_goes_on_behind_the_node_that_was_found_last() -> None:
    snapshot = _snapshot(_nodes("z1", "z1", "z1"))
    assert snapshot.place(_pods(1, "a")) == ["n0"]
    assert snapshot.place(_pods(1, "b")) == ["n1"]
    assert snapshot.place(_pods(2, "c"), ["n0", "n1"]) == ["n0", "n1"]
    assert snapshot.place(_pods(1, "d")) == ["n2"]


def test_only_some_nodes_may_be_used_and_closed_ones_never() -> None:
    nodes = [*_nodes("z1", "z1"), make_node("closed", unschedulable=True)]
    snapshot = _snapshot(nodes)
    assert snapshot.place(_pods(2), ["n1", "closed", "unknown"]) == ["n1", "n1"]


def test_the_reasons_are_those_of_the_scheduler() -> None:
    nodes = [make_node("small", cpu="1"), make_node("tainted", taints=["a=b:NoSchedule"])]
    snapshot = _snapshot(nodes)
    (pod,) = _pods(1, cpu="2")
    assert snapshot.reasons_against(pod, "small") == ("Insufficient cpu",)
    assert snapshot.reasons_against(pod, "tainted") == ("node(s) had untolerated taint(s)",)
    (pod,) = _pods(1)
    assert snapshot.reasons_against(pod, "small") is None


def test_pods_keep_their_distance_on_new_nodes_too() -> None:
    snapshot = _snapshot(_nodes("z1"))
    pods = _pods(3, affinity=_ANTI)
    assert snapshot.place(pods) == ["n0"]
    snapshot.add_node(make_node("new"))
    assert snapshot.place(pods[1:]) == ["new"]


def test_pods_are_spread_over_zones_as_nodes_come() -> None:
    snapshot = _snapshot(_nodes("z1", "z2"))
    pods = _pods(9, cpu="2", topology_spread_constraints=_SPREAD)
    assert snapshot.place(pods) == ["n0", "n1", "n0", "n1"]
    snapshot.add_node(make_node("new", zone="z1"))
    assert snapshot.place(pods[4:]) == ["new"]


def test_a_node_comes_with_its_pods() -> None:
    snapshot = _snapshot([])
    snapshot.add_node(make_node("new"), _pods(3, "d"))
    assert snapshot.place(_pods(3)) == ["new"]


def test_changes_of_a_node_hold_until_they_are_undone() -> None:
    snapshot = _snapshot(_nodes("z1"))
    node = snapshot.node("n0")
    assert node is not None
    snapshot.fork()
    taint = {"key": "a", "value": "b", "effect": "NoSchedule"}
    snapshot.change_node({**node, "spec": {"taints": [taint]}})
    assert snapshot.place(_pods(1)) == []
    snapshot.revert()
    assert snapshot.place(_pods(1)) == ["n0"]


def test_what_is_committed_inside_is_undone_outside() -> None:
    snapshot = _snapshot(_nodes("z1", "z1"), [make_pod("old", node_name="n0", cpu="1")])
    before = _state(snapshot)
    snapshot.fork()
    snapshot.fork()
    snapshot.place(_pods(2))
    snapshot.remove_node("n0")
    snapshot.commit()
    assert list(_state(snapshot)) == ["n1"]
    snapshot.revert()
    assert _state(snapshot) == before


@pytest.mark.parametrize(
    ("kind", "alike"),
    [("plain", True), ("anti", True), ("port", True), ("selector", True), ("spread", False)],
)
def test_who_fills_one_node_as_another(kind: str, alike: bool) -> None:
    (pod,) = _pods(1, **_KINDS[kind])
    assert _snapshot(_nodes("z1")).fills_nodes_alike(pod) is alike


def test_anti_affinity_over_zones_does_not_fill_nodes_alike() -> None:
    term = _ANTI["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]
    zonal = {**term, "topologyKey": "topology.kubernetes.io/zone"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [zonal]}}
    (pod,) = _pods(1, affinity=affinity)
    assert not _snapshot(_nodes("z1")).fills_nodes_alike(pod)


class OnlyEven:
    """A user's filter that knows pods by their names."""

    name = "OnlyEven"

    def __init__(self, args: Json, handle: Any) -> None:
        del args, handle

    def filter_node(self, state: Any, pod: PodView, node: Any) -> Status:
        del state, node
        return SUCCESS if int(pod.name[1:]) % 2 == 0 else unschedulable("odd")


def test_the_plugins_of_the_stages_scheduler_are_asked() -> None:
    stage = Stage()
    what_if = WhatIf(stage)
    assert len(what_if.snapshot(_nodes("z1"), []).place(_pods(2))) == 2
    configuration = (
        "apiVersion: kubescheduler.config.k8s.io/v1\n"
        "kind: KubeSchedulerConfiguration\n"
        "profiles: [{plugins: {filter: {enabled: [{name: OnlyEven}]}}}]\n"
    )
    stage.add_scheduler(configuration, plugins={"OnlyEven": OnlyEven})
    snapshot = what_if.snapshot(_nodes("z1"), [])
    assert snapshot.place(_pods(2)) == ["n0"]
    assert snapshot.reasons_against(_pods(2)[1], "n0") == ("odd",)


def _place_slowly(snapshot: WhatIfSnapshot, pods: list[PodView], start: int) -> list[str]:
    """One by one, each node asked for each pod."""
    names, found = snapshot.node_names, []
    for pod in pods:
        order = [*names[start:], *names[:start]]
        name = next((each for each in order if snapshot.reasons_against(pod, each) is None), None)
        if name is None:
            break
        assert snapshot.place([pod], [name]) == [name]
        found.append(name)
        start = (names.index(name) + 1) % len(names)
    return found


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(sorted(_KINDS)), count=st.integers(1, 12))
def test_pods_together_go_where_each_by_itself_would_go(seed: int, kind: str, count: int) -> None:
    luck = random.Random(seed)
    nodes = [
        make_node(f"n{number}", cpu=luck.choice("1248"), zone=luck.choice(["z1", "z2", "z3"]))
        for number in range(luck.randint(1, 6))
    ]
    there = [
        make_pod(
            f"old{number}",
            node_name=luck.choice(nodes)["metadata"]["name"],
            cpu="500m",
            labels={"app": luck.choice(["web", "db"])},
            affinity=luck.choice([None, _ANTI]),
        )
        for number in range(luck.randint(0, 5))
    ]
    pods = _pods(count, **_KINDS[kind])
    together, apart = _snapshot(nodes, there), _snapshot(nodes, there)
    before = _state(together)
    together.fork()
    assert together.place(pods) == _place_slowly(apart, pods, 0)
    assert _state(together) == _state(apart)
    together.revert()
    assert _state(together) == before


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_whatever_is_done_can_be_undone(seed: int) -> None:
    luck = random.Random(seed)
    snapshot = _snapshot(_nodes("z1", "z2", "z1"), [make_pod("old", node_name="n1", cpu="1")])
    probe = _pods(20, "probe", topology_spread_constraints=_SPREAD)

    def outlook() -> list[str]:
        snapshot.fork()
        found = sorted(snapshot.place(probe))
        snapshot.revert()
        return found

    before, expected = _state(snapshot), outlook()
    snapshot.fork()
    for step in range(luck.randint(1, 25)):
        if luck.random() < 0.5:
            snapshot.add_node(make_node(f"new{step}", zone=luck.choice(["z1", "z3"])))
        elif luck.random() < 0.3 and snapshot.node_names:
            snapshot.remove_node(luck.choice(snapshot.node_names))
        else:
            snapshot.place(_pods(luck.randint(1, 4), f"s{step}-"))
    snapshot.revert()
    assert _state(snapshot) == before
    assert len(outlook()) == len(expected)
