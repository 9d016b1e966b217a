"""Which pods go when one controller has several ReplicaSets."""

from __future__ import annotations

from kubestage.controllers import ownership
from kubestage.testing import make_pod, make_replica_set
from tests.controllers.fleet import POD, REPLICA_SET, Fleet
from tests.store.samples import config_map


def _fleet(*, has_boss: bool = True) -> Fleet:
    """Pods a1, a2 and b1 share a node; b2, which has been restarted, has one to itself."""
    fleet = Fleet()
    boss = fleet.create(config_map("boss"))
    for name in ("a", "b"):
        made = make_replica_set(name, replicas=2)
        if has_boss:
            made["metadata"]["ownerReferences"] = [ownership.controller_reference(boss)]
        for number in (1, 2):
            node = "n2" if (name, number) == ("b", 2) else "n1"
            pod = make_pod(f"{name}{number}", labels={"app": name}, node_name=node)
            fleet.create(pod)
        fleet.create(made)
    restarted = {"name": "app", "restartCount": 5}
    status = fleet.get(POD, "b2")["status"]
    fleet.store.record_status(POD, "default/b2", {**status, "containerStatuses": [restarted]})
    fleet.react()
    return fleet


def _shrink(fleet: Fleet, name: str, replicas: int) -> None:
    fleet.store.patch(REPLICA_SET, name, {"spec": {"replicas": replicas}})


def _left(fleet: Fleet) -> list[str]:
    return [pod["metadata"]["name"] for pod in fleet.pods()]


def test_a_pod_goes_that_shares_its_node_with_pods_of_a_sibling() -> None:
    fleet = _fleet()
    _shrink(fleet, "b", 1)
    fleet.react()
    assert sorted(_left(fleet)) == ["a1", "a2", "b2"]


def test_without_a_common_controller_neighbours_do_not_count() -> None:
    fleet = _fleet(has_boss=False)
    _shrink(fleet, "b", 1)
    fleet.react()
    assert sorted(_left(fleet)) == ["a1", "a2", "b1"]


def test_neighbours_that_are_to_go_do_not_count_once_that_is_known() -> None:
    fleet = _fleet()
    _shrink(fleet, "a", 0)
    fleet.react()
    _shrink(fleet, "b", 1)
    fleet.react()
    assert _left(fleet) == ["b1"]


def test_of_neighbours_that_go_in_the_same_moment_nothing_is_known() -> None:
    fleet = _fleet()
    _shrink(fleet, "a", 0)
    _shrink(fleet, "b", 1)
    fleet.react()
    assert _left(fleet) == ["b2"]
