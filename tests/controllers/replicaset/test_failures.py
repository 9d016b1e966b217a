from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.testing import make_replica_set
from tests.controllers.fleet import REPLICA_SET, Fleet
from tests.controllers.stages import events

if TYPE_CHECKING:
    from kubestage.aliases import Json

_QUOTA = ("v1", "ResourceQuota")


def _fleet_with_room_for(limit: int) -> Fleet:
    hard = {"pods": str(limit)}
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": hard},
    }
    fleet = Fleet(quota)
    fleet.store.record_status(_QUOTA, "default/q", {"hard": hard, "used": {"pods": "0"}})
    return fleet


def _condition(fleet: Fleet) -> Json | None:
    status = fleet.get(REPLICA_SET, "web").get("status") or {}
    conditions = status.get("conditions") or [None]
    found: Json | None = conditions[0]
    return found


def _failures(fleet: Fleet) -> int:
    return sum(count for _, _, count in events(fleet.stage, "FailedCreate"))


def test_a_batch_is_tried_to_its_end_and_the_next_is_not_begun() -> None:
    fleet = _fleet_with_room_for(4)
    fleet.store.create(make_replica_set("web", replicas=20))
    before = fleet.runner.syncs
    while fleet.runner.syncs == before:
        fleet.stage.environment.step()
    # One, two and then four at a time: of the four, one was let through.
    assert len(fleet.pods()) == 4
    assert _failures(fleet) == 3


def test_the_first_refusal_is_told_as_a_condition() -> None:
    fleet = _fleet_with_room_for(0)
    fleet.create(make_replica_set("web"))
    condition = _condition(fleet)
    assert condition is not None
    assert (condition["type"], condition["status"]) == ("ReplicaFailure", "True")
    assert condition["reason"] == "FailedCreate"
    assert condition["message"].endswith(
        "is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0"
    )
    told = [message for _, message, _ in events(fleet.stage, "FailedCreate")]
    assert f"Error creating: {condition['message']}" in told


def test_it_is_tried_again_with_patience_and_the_condition_goes() -> None:
    fleet = _fleet_with_room_for(0)
    fleet.create(make_replica_set("web"))
    fleet.stage.run("6s")
    # At once, when the status has changed, and then after 5 ms, 20 ms, 40 ms and so on.
    assert _failures(fleet) == 11
    fleet.store.delete(_QUOTA, "q", "default")
    fleet.stage.run("10s")
    assert len(fleet.pods()) == 1
    assert _condition(fleet) is None


def test_a_change_of_any_pod_is_a_reason_to_try_again() -> None:
    fleet = _fleet_with_room_for(1)
    fleet.create(make_replica_set("web", replicas=2))
    fleet.stage.run("6s")
    fleet.store.delete(_QUOTA, "q", "default")
    fleet.bind(fleet.pods()[0])
    assert len(fleet.pods()) == 2
