"""The plugins that never see a node's columns: SchedulingGates, PrioritySort, DefaultBinder."""

from __future__ import annotations

import dataclasses

from kubestage import errors
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.default_binder import DefaultBinder
from kubestage.scheduler.plugins.priority_sort import PrioritySort
from kubestage.scheduler.plugins.scheduling_gates import SchedulingGates
from kubestage.scheduler.replay.cluster import ReplayCluster
from kubestage.scheduler.status import SUCCESS, error, unresolvable
from tests.scheduler.plugins import clusters


def test_a_gated_pod_waits_for_each_of_its_gates() -> None:
    gates = SchedulingGates({}, clusters.handle())
    gated = clusters.pod(schedulingGates=[{"name": "a"}, {"name": "b"}])
    assert gates.pre_enqueue(gated) == unresolvable("waiting for scheduling gates: [a b]")
    assert gates.pre_enqueue(clusters.pod()) == SUCCESS


def test_only_the_pod_whose_gates_went_is_helped() -> None:
    (event,) = SchedulingGates({}, clusters.handle()).events_to_register()
    assert event.hint is not None
    gated = clusters.pod(schedulingGates=[{"name": "a"}])
    assert event.hint(gated, gated.raw, clusters.pod().raw)
    assert not event.hint(gated, gated.raw, clusters.pod("other").raw)


def test_priority_comes_before_waiting() -> None:
    sort = PrioritySort({}, clusters.handle())
    waiting = [(clusters.pod("a", priority=1), 5), (clusters.pod("b", priority=1), 3)]
    waiting += [(clusters.pod("c", priority=9), 8), (clusters.pod("d"), 1)]
    ordered = sorted(waiting, key=lambda item: sort.sort_key(*item))
    assert [pod.name for pod, _ in ordered] == ["c", "b", "a", "d"]


def test_a_pod_is_bound_through_the_api() -> None:
    incoming = clusters.pod()
    cluster = ReplayCluster([incoming.raw], Cache())
    handle = dataclasses.replace(clusters.handle(), client=cluster)
    assert DefaultBinder({}, handle).bind(CycleState(), incoming, "n") == SUCCESS
    assert cluster.pod("default/incoming").node_name == "n"


class _Refusing(ReplayCluster):
    def bind(self, pod: object, node_name: str) -> None:
        raise errors.Conflict("pod incoming is already assigned to node")


def test_a_refused_binding_is_an_error() -> None:
    handle = dataclasses.replace(clusters.handle(), client=_Refusing([], Cache()))
    status = DefaultBinder({}, handle).bind(CycleState(), clusters.pod(), "n")
    assert status == error("pod incoming is already assigned to node")
