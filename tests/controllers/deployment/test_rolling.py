from __future__ import annotations

from kubestage.controllers import pods
from tests.controllers.deployment.rollouts import condition, deployment, roll_to, scale_to, started
from tests.controllers.fleet import DEPLOYMENT, Fleet
from tests.controllers.stages import events


def _scalings(fleet: Fleet) -> list[str]:
    """Which revision was scaled from what to what, after the first."""
    names = {
        each["metadata"]["name"]: f"r{number}"
        for number, each in enumerate(fleet.replica_sets(), 1)
    }
    told = [text for _, text, _ in events(fleet.stage, "ScalingReplicaSet")]
    words = [text.split() for text in told]
    return [f"{names[word[-5]]} {word[-3]} {word[-1]}" for word in words if word[-5] in names][1:]


def test_without_room_below_the_new_come_first_one_by_one() -> None:
    fleet = started(deployment(replicas=2, surge=1, unavailable=0))
    roll_to(fleet, "v2")
    assert fleet.sizes() == [2, 1]
    fleet.start_all()
    assert fleet.sizes() == [0, 2]
    assert _scalings(fleet) == ["r2 0 1", "r1 2 1", "r2 1 2", "r1 1 0"]


def test_without_room_above_the_old_go_first() -> None:
    fleet = started(deployment(replicas=2, surge=0, unavailable=1))
    roll_to(fleet, "v2")
    assert fleet.sizes() == [1, 1]
    fleet.start_all()
    assert _scalings(fleet) == ["r1 2 1", "r2 0 1", "r1 1 0", "r2 1 2"]


def test_pods_that_are_not_available_anyway_go_first() -> None:
    fleet = started(deployment(replicas=4, surge=0, unavailable=2))
    bad = fleet.pods()[0]
    fleet.start(bad, ready=False)
    roll_to(fleet, "v2")
    assert bad["metadata"]["name"] not in {pod["metadata"]["name"] for pod in fleet.pods()}
    assert sum(map(pods.is_ready, fleet.pods())) == 2


def test_a_rollout_that_does_not_get_ready_stops_at_its_bounds() -> None:
    fleet = started(deployment(replicas=10, surge=3, unavailable=2))
    roll_to(fleet, "v2")
    fleet.end_terminating()
    assert fleet.sizes() == [8, 5]
    roll_to(fleet, "v3")
    fleet.end_terminating()
    assert fleet.sizes() == [8, 0, 5]


def test_a_new_size_is_shared_out_in_proportion() -> None:
    fleet = started(deployment(replicas=10, surge=3, unavailable=2))
    roll_to(fleet, "v2")
    fleet.end_terminating()
    scale_to(fleet, 15)
    assert fleet.sizes() == [11, 7]


def test_the_oldest_shrinks_first_when_sizes_are_equal() -> None:
    fleet = started(deployment(replicas=4, surge="100%", unavailable=0))
    roll_to(fleet, "v2")
    assert fleet.sizes() == [4, 4]
    scale_to(fleet, 3)
    assert sum(fleet.sizes()) == 6
    assert fleet.sizes()[0] <= fleet.sizes()[1]


def test_nothing_is_left_of_a_rollout_that_is_scaled_to_nothing() -> None:
    fleet = started(deployment(replicas=4, surge=2, unavailable=0))
    roll_to(fleet, "v2")
    scale_to(fleet, 0)
    assert fleet.sizes() == [0, 0]
    assert fleet.pods() == []


def test_progress_is_told_while_it_is_made() -> None:
    fleet = started(deployment(replicas=2, surge=1, unavailable=0))
    roll_to(fleet, "v2")
    name = fleet.replica_sets()[1]["metadata"]["name"]
    assert condition(fleet, "Progressing") == (
        "True",
        "ReplicaSetUpdated",
        f'ReplicaSet "{name}" is progressing.',
    )
    assert condition(fleet, "Available") == (
        "True",
        "MinimumReplicasAvailable",
        "Deployment has minimum availability.",
    )
    assert fleet.get(DEPLOYMENT, "web")["status"]["unavailableReplicas"] == 1
