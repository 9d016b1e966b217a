from __future__ import annotations

from typing import Any

from kubestage.testing import make_deployment, make_pod
from tests.controllers.deployment.rollouts import roll_to, scale_to, started


def _deployment(**spec: Any) -> dict[str, Any]:
    made = make_deployment(
        "web", replicas=2, pod=make_pod(image="v1"), strategy={"type": "Recreate"}
    )
    made["spec"] |= spec
    return made


def test_new_pods_come_when_the_last_old_one_is_gone() -> None:
    fleet = started(_deployment())
    roll_to(fleet, "v2")
    assert fleet.sizes() == [0]
    assert fleet.pods() == []
    fleet.end_terminating()
    assert fleet.sizes() == [0, 2]
    assert len(fleet.pods()) == 2


def test_old_pods_that_ended_are_not_waited_for() -> None:
    fleet = started(_deployment())
    for pod in fleet.pods()[:2]:
        fleet.end(pod, "Succeeded")
    fleet.start_all()
    scale_to(fleet, 0)
    fleet.end_terminating()
    roll_to(fleet, "v2")
    scale_to(fleet, 1)
    assert fleet.sizes() == [0, 1]


def test_the_new_one_takes_the_whole_size_and_the_old_are_cleaned_up() -> None:
    fleet = started(_deployment(revisionHistoryLimit=0))
    roll_to(fleet, "v2")
    fleet.end_terminating()
    fleet.start_all()
    assert fleet.sizes() == [2]
    scale_to(fleet, 3)
    assert fleet.sizes() == [3]
