"""Nodes and their pods as columns that follow every change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import labels
from kubestage.objects.affinity import AffinityTerm
from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.columns import Columns
from kubestage.scheduler.pod_counters import Question
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import ValueColumn

_HEAVY = AffinityTerm(
    labels.selector_from_set({"heavy": "true"}), frozenset({"default"}), labels.NOTHING, ""
)


def _allocatable_of(view: node_views.NodeView) -> int:
    return view.allocatable.milli_cpu


def _node(name: str, zone: str = "", cpu: str = "4") -> node_views.NodeView:
    return node_views.of(make_node(name, cpu=cpu, zone=zone or None))


def _pod(name: str, node: str, cpu: str = "500m") -> pod_views.PodView:
    pod = make_pod(name, node_name=node, cpu=cpu, labels={"heavy": str(cpu > "1").lower()})
    pod["metadata"]["uid"] = name
    return pod_views.of(pod)


def test_nodes_are_listed_a_zone_in_turn() -> None:
    cache = Cache()
    for name, zone in (("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b"), ("c1", "c")):
        cache.add_node(_node(name, zone))
    assert cache.columns.names == ["a1", "b1", "c1", "a2", "a3"]


def test_a_node_that_changes_its_zone_goes_to_the_end_of_the_new_one() -> None:
    cache = Cache()
    for name, zone in (("a1", "a"), ("a2", "a"), ("b1", "b")):
        cache.add_node(_node(name, zone))
    cache.add_node(_node("a1", "b"))
    assert cache.columns.names == ["a2", "b1", "a1"]


def test_a_pod_may_come_before_its_node_and_outlive_it() -> None:
    cache = Cache()
    cache.add_pod(_pod("p", "n1"))
    assert len(cache.columns) == 0
    cache.add_node(_node("n1"))
    assert cache.columns.requested_of("cpu").tolist() == [500]
    cache.remove_node("n1")
    cache.add_node(_node("n1"))
    assert cache.columns.requested_of("cpu").tolist() == [500]


def test_a_pod_counts_once_however_often_it_is_told() -> None:
    cache = Cache()
    cache.add_node(_node("n1"))
    cache.add_node(_node("n2"))
    cache.add_pod(_pod("p", "n1"))
    cache.add_pod(_pod("p", "n1", cpu="1"))
    assert cache.columns.requested_of("cpu").tolist() == [1000, 0]
    assert cache.node_of("p") == "n1"
    cache.remove_pod("p")
    cache.remove_pod("p")
    assert cache.columns.pod_count.tolist() == [0, 0]


_NODES = st.sampled_from(["n0", "n1", "n2"])
_STEPS = st.one_of(
    st.tuples(st.just("node"), _NODES, st.sampled_from(["", "a", "b"]), st.sampled_from("248")),
    st.tuples(st.just("gpu"), _NODES),
    st.tuples(st.just("gone"), _NODES),
    st.tuples(st.just("pod"), st.sampled_from(["p", "q", "r"]), _NODES, st.sampled_from("123")),
    st.tuples(st.just("off"), st.sampled_from(["p", "q", "r"])),
    st.tuples(st.just("look")),
)


@given(st.lists(_STEPS, max_size=40))
def test_patched_columns_equal_columns_made_anew(steps: list[tuple[Any, ...]]) -> None:
    cache, nodes = Cache(), set()
    for step, *details in steps:
        if step == "node":
            cache.add_node(_node(*details))
            nodes.add(details[0])
        elif step == "gpu":
            cache.add_node(node_views.of(make_node(details[0], resources={"example.com/gpu": "2"})))
            nodes.add(details[0])
        elif step == "gone" and details[0] in nodes:
            cache.remove_node(details[0])
            nodes.remove(details[0])
        elif step == "pod":
            cache.add_pod(_pod(*details))
        elif step == "off":
            cache.remove_pod(details[0])
        elif step == "look":
            _told(cache.columns)
    patched = cache.columns
    anew = Columns([info.copy() for info in patched.infos])
    assert set(patched.names) == nodes
    for resource in ("cpu", "memory"):
        assert patched.allocatable_of(resource).tolist() == anew.allocatable_of(resource).tolist()
        assert patched.requested_of(resource).tolist() == anew.requested_of(resource).tolist()
    assert patched.pod_count.tolist() == anew.pod_count.tolist()
    assert _told(patched) == _told(anew)


def _told(columns: Columns) -> dict[str, Any]:
    """What columns tell of every resource, and of pods by selector; a look is remembered."""
    resources, told = columns.resources, dict[str, Any]()
    for resource in ("cpu", "memory", "ephemeral-storage", "example.com/gpu"):
        line = resources.line(resource)
        for name in ("allocatable", "requested", "nonzero", "free"):
            told[f"{name} {resource}"] = getattr(resources, name)[line].tolist()
    for key in (None, "topology.kubernetes.io/zone"):
        counter = columns.counters.answer(Question((_HEAVY,), key))
        # Values of a label are numbered as they come up, which may be in another order.
        told[f"heavy by {key}"] = counter.counts.tolist() if key is None else counter.placed
    for key in ("topology.kubernetes.io/zone", "kubernetes.io/hostname"):
        told[key] = _read(columns.label(key))
    told["amounts"] = _read(columns.groups(_allocatable_of))
    return told


def _read(column: ValueColumn[Any]) -> list[Any]:
    return [column.values[code] if code >= 0 else None for code in column.codes.tolist()]


@given(st.lists(_STEPS, max_size=20))
def test_columns_that_follow_others_number_values_as_new_ones(steps: list[tuple[Any, ...]]) -> None:
    cache = Cache()
    for name in ("n0", "n1", "n2"):
        cache.add_node(_node(name, zone=name[-1]))
    _told(cache.columns)
    for step, *details in steps:
        if step == "node":
            # One that comes back is another one: the order of rows changes each time.
            cache.remove_node(details[0])
            cache.add_node(_node(*details))
            found = cache.columns.label("topology.kubernetes.io/zone")
            anew = Columns(cache.columns.infos).label("topology.kubernetes.io/zone")
            assert found.codes.tolist() == anew.codes.tolist()
            assert (found.values, found.code_of) == (anew.values, anew.code_of)
