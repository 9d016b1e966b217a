"""Counts of pods by controller are those that counting all of them anew would give."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kubestage.measure.waits import pod_status
from kubestage.measure.waits.owned_pods import ControlledPods, controller_of
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

OWNERS = ["", "ReplicaSet/ns/r0", "ReplicaSet/ns/r1", "Job/ns/j"]
PHASES = ["Running", "Pending", "Unscheduled", "Failed"]
POD_EVENT = st.tuples(
    st.just("pod"), st.integers(0, 3), st.sampled_from(OWNERS), st.sampled_from([*PHASES, ""])
)
SET_EVENT = st.tuples(
    st.just("set"), st.integers(0, 1), st.sampled_from(["", "d0", "d1"]), st.booleans()
)


def replica_set(number: int, owner: str) -> Json:
    meta: Json = {"name": f"r{number}", "namespace": "ns"}
    if owner:
        meta["ownerReferences"] = [{"kind": "Deployment", "uid": owner, "controller": True}]
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta}


class World:
    """Pods and ReplicaSets, and what is remembered of those ReplicaSets that are gone."""

    def __init__(self) -> None:
        self.cluster = FakeCluster()
        self.index = ControlledPods(self.cluster)
        self.cluster.moments.run()
        self.owners: dict[str, str] = {}

    def happen(self, what: str, number: int, owner: str, more: Any) -> None:
        if what == "pod":
            self._put(pod(f"p{number}", owner=owner, phase=more or "Running"), is_there=bool(more))
        else:
            obj = replica_set(number, owner)
            uid = f"ReplicaSet/ns/r{number}"
            if more:
                self.owners[uid] = owner
            self._put(obj, is_there=more)
        self.cluster.moments.run()
        self._forget()

    def _put(self, obj: Json, *, is_there: bool) -> None:
        if is_there:
            self.cluster.put(obj)
        elif any(stored["metadata"]["name"] == obj["metadata"]["name"] for stored in self._all()):
            self.cluster.remove(obj)

    def _all(self) -> list[Json]:
        return list(self.cluster.objects.values())

    def _forget(self) -> None:
        """A ReplicaSet is remembered while it is there or has pods."""
        alive = {obj["metadata"]["uid"] for obj in self._all() if obj["kind"] == "ReplicaSet"}
        used = {controller_of(obj) for obj in self._all() if obj["kind"] == "Pod"}
        self.owners = {uid: owner for uid, owner in self.owners.items() if uid in alive | used}

    def counts(self, uid: str, *, via: bool) -> Counter[str]:
        """By counting anew."""
        sets = {each for each, owner in self.owners.items() if owner == uid} if via else {uid}
        pods = [obj for obj in self._all() if obj["kind"] == "Pod" and controller_of(obj) in sets]
        return Counter(pod_status.state_of(each) for each in pods)


@given(st.lists(POD_EVENT | SET_EVENT, max_size=40))
def test_counts_are_those_of_counting_anew(events: list[tuple[str, int, str, Any]]) -> None:
    world = World()
    watched = [("d0", True), ("d1", True), ("ReplicaSet/ns/r0", False), ("Job/ns/j", False)]
    for event in events:
        world.happen(*event)
        for uid, via in watched:
            pods = world.index.of(uid, via_replica_sets=via)
            expected = world.counts(uid, via=via)
            assert pods.total == expected.total()
            assert all(pods.count(state) == count for state, count in expected.items())
            assert Counter(map(pod_status.state_of, pods.all())) == expected


def test_nothing_is_kept_of_controllers_that_are_gone() -> None:
    world = World()
    world.happen("set", 0, "d0", True)
    world.happen("pod", 0, "ReplicaSet/ns/r0", "Running")
    world.happen("pod", 1, "Job/ns/j", "Running")
    pods = world.index.of("d0", via_replica_sets=True)
    told = list[int]()
    pods.listen(lambda: told.append(pods.total))
    world.happen("set", 0, "d0", False)
    assert pods.total == 1
    world.happen("pod", 0, "ReplicaSet/ns/r0", "")
    world.happen("pod", 1, "Job/ns/j", "")
    assert told[-1] == 0
    pods.leave()
    assert world.index._groups == {}
