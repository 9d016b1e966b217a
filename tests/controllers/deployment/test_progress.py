from __future__ import annotations

from typing import Any

from tests.controllers.deployment.rollouts import condition, deployment, roll_to, scale_to, started
from tests.controllers.fleet import DEPLOYMENT, Fleet
from tests.controllers.stages import events

_QUOTA = ("v1", "ResourceQuota")


def _name(fleet: Fleet) -> str:
    name: str = fleet.replica_sets()[-1]["metadata"]["name"]
    return name


def test_lack_of_progress_is_told_after_the_deadline_and_not_before() -> None:
    fleet = Fleet(deployment(replicas=1, progressDeadlineSeconds=60))
    fleet.stage.run("60s")
    assert condition(fleet, "Progressing") == (
        "True",
        "ReplicaSetUpdated",
        f'ReplicaSet "{_name(fleet)}" is progressing.',
    )
    fleet.stage.run("2s")
    assert condition(fleet, "Progressing") == (
        "False",
        "ProgressDeadlineExceeded",
        f'ReplicaSet "{_name(fleet)}" has timed out progressing.',
    )


def test_progress_puts_the_deadline_off() -> None:
    fleet = Fleet(deployment(replicas=2, progressDeadlineSeconds=60))
    fleet.stage.run("50s")
    fleet.start(fleet.pods()[0])
    fleet.stage.run("55s")
    assert (condition(fleet, "Progressing") or ("",))[0] == "True"
    fleet.stage.run("10s")
    assert (condition(fleet, "Progressing") or ("",))[0] == "False"


def test_a_rollout_that_gets_ready_late_succeeds_all_the_same() -> None:
    fleet = Fleet(deployment(replicas=1, progressDeadlineSeconds=5))
    fleet.stage.run("1m")
    fleet.start_all()
    assert (condition(fleet, "Progressing") or ("", ""))[1] == "NewReplicaSetAvailable"


def test_time_alone_does_not_make_a_complete_deployment_fail() -> None:
    fleet = started(deployment(replicas=1, progressDeadlineSeconds=5))
    fleet.stage.run("1h")
    fleet.start(fleet.pods()[0], ready=False)
    before = fleet.runner.syncs
    fleet.stage.run("1h")
    assert fleet.runner.syncs == before
    assert (condition(fleet, "Progressing") or ("", ""))[1] == "NewReplicaSetAvailable"
    assert condition(fleet, "Available") == (
        "False",
        "MinimumReplicasUnavailable",
        "Deployment does not have minimum availability.",
    )


def test_without_a_deadline_nothing_is_said_of_progress() -> None:
    fleet = started(deployment(replicas=1, progressDeadlineSeconds=2**31 - 1))
    assert condition(fleet, "Progressing") is None


def test_a_pause_is_told_holds_the_rollout_and_is_not_held_against_it() -> None:
    fleet = started(deployment(replicas=2, progressDeadlineSeconds=60))
    fleet.patch(DEPLOYMENT, "web", {"spec": {"paused": True}})
    assert condition(fleet, "Progressing") == (
        "Unknown",
        "DeploymentPaused",
        "Deployment is paused",
    )
    roll_to(fleet, "v2")
    scale_to(fleet, 4)
    assert fleet.sizes() == [4]
    fleet.stage.run("1h")
    fleet.patch(DEPLOYMENT, "web", {"spec": {"paused": False}})
    assert (condition(fleet, "Progressing") or ("", ""))[1] in (
        "NewReplicaSetCreated",
        "ReplicaSetUpdated",
    )
    fleet.start_all()
    assert fleet.sizes() == [0, 4]


def test_resuming_without_anything_to_do_is_told_until_there_is_progress() -> None:
    fleet = Fleet(deployment(replicas=1, progressDeadlineSeconds=60))
    fleet.patch(DEPLOYMENT, "web", {"spec": {"paused": True}})
    fleet.patch(DEPLOYMENT, "web", {"spec": {"paused": False}})
    assert condition(fleet, "Progressing") == (
        "Unknown",
        "DeploymentResumed",
        "Deployment is resumed",
    )
    fleet.stage.run("62s")
    assert (condition(fleet, "Progressing") or ("", ""))[1] == "ProgressDeadlineExceeded"


def _quota(**hard: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": hard},
    }


def test_a_failure_of_the_new_replica_set_becomes_the_deployments() -> None:
    fleet = Fleet(_quota(pods="0"))
    status = {"hard": {"pods": "0"}, "used": {"pods": "0"}}
    fleet.store.record_status(_QUOTA, "default/q", status)
    fleet.create(deployment(replicas=1))
    found = condition(fleet, "ReplicaFailure")
    assert found is not None
    assert found[:2] == ("True", "FailedCreate")
    fleet.store.delete(_QUOTA, "q", "default")
    fleet.stage.run("1m")
    assert condition(fleet, "ReplicaFailure") is None


def test_a_replica_set_that_is_refused_is_told_and_tried_again() -> None:
    hard = {"count/replicasets.apps": "0"}
    fleet = Fleet(_quota(**hard))
    fleet.store.record_status(_QUOTA, "default/q", {"hard": hard, "used": hard})
    fleet.create(deployment(replicas=1))
    found = condition(fleet, "Progressing")
    assert found is not None
    assert found[:2] == ("False", "ReplicaSetCreateError")
    assert found[2].startswith('Failed to create new replica set "web-')
    assert events(fleet.stage, "ReplicaSetCreateError")[0][1] == found[2]
    fleet.store.delete(_QUOTA, "q", "default")
    fleet.stage.run("1m")
    assert fleet.sizes() == [1]
