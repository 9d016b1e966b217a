"""What cannot work is refused or told as upstream does, and nobody wears himself out over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import Invalid
from kubestage.testing import make_pod
from tests.controllers.worlds import manifests, reading
from tests.controllers.worlds.operations import DEPLOYMENT, KINDS, POD, REPLICA_SET
from tests.controllers.worlds.world import World
from tests.store.samples import config_map

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.stage import Stage


def _stage(*objects: Json) -> Stage:
    """A day's first hour on a stage with these objects."""
    stage = World().stage
    stage.apply(objects)
    stage.run("15m")
    return stage


def _assert_calm(stage: Stage, syncs_a_day: int) -> None:
    """Nothing is looked at much oftener than upstream's loops do after failures."""
    assert stage.controllers is not None
    stage.run("9h")
    before = stage.controllers.syncs
    stage.run("24h")
    assert stage.controllers.syncs - before <= syncs_a_day


def _told(stage: Stage, reason: str) -> list[str]:
    """The messages of the Events with a reason."""
    found = stage.store.list(("v1", "Event")).items
    return [each["message"] for each in found if each["reason"] == reason]


@pytest.mark.parametrize(
    "maker",
    [
        manifests.deployment,
        manifests.replica_set,
        manifests.replication_controller,
        manifests.stateful_set,
        manifests.daemon_set,
    ],
)
def test_a_selector_that_does_not_match_its_template_is_refused(
    maker: Callable[[str], Json],
) -> None:
    obj = maker("web")
    obj["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
    with pytest.raises(Invalid, match="`selector` does not match template `labels`"):
        _stage(obj)


@pytest.mark.parametrize(
    ("schedule", "why"),
    [
        ("every day", "expected exactly 5 fields, found 2: [every day]"),
        ("61 * * * *", "end of range (61) above maximum (59): 61"),
        ("@sometimes", "unrecognized descriptor: @sometimes"),
    ],
)
def test_a_schedule_that_cannot_be_read_is_refused(schedule: str, why: str) -> None:
    with pytest.raises(Invalid) as refusal:
        _stage(manifests.cron_job("tick", schedule))
    assert why in str(refusal.value)


def test_an_unknown_time_zone_is_refused() -> None:
    with pytest.raises(Invalid, match="unknown time zone Mars/Olympus"):
        _stage(manifests.cron_job("tick", timeZone="Mars/Olympus"))


def test_a_schedule_that_never_comes_costs_nothing() -> None:
    stage = _stage(manifests.cron_job("tick", "0 0 30 2 *"))
    assert stage.store.list(KINDS["job"]).items == []
    _assert_calm(stage, syncs_a_day=0)


def test_too_many_missed_starts_are_told_and_one_is_made_up_for() -> None:
    stage = _stage(manifests.cron_job("tick", "* * * * *", suspend=True))
    stage.run("4h")
    stage.store.patch(KINDS["cron_job"], "tick", {"spec": {"suspend": False}})
    stage.run("1s")
    (message,) = _told(stage, "TooManyMissedTimes")
    assert message.startswith("too many missed start times. Set or decrease")
    assert len(stage.store.list(KINDS["job"]).items) == 1


@pytest.mark.parametrize(
    ("storage", "reason", "message"),
    [
        ("none", "ProvisioningFailed", 'storageclass.storage.k8s.io "none" not found'),
        ("", "FailedBinding", "no persistent volumes available for this claim and no storage "),
        (manifests.LATE, "WaitForFirstConsumer", "waiting for first consumer to be created "),
    ],
)
def test_a_claim_that_cannot_be_bound_waits_and_says_why(
    storage: str, reason: str, message: str
) -> None:
    stage = _stage(manifests.claim("c1", storage))
    assert stage.store.get(KINDS["claim"], "c1")["status"] == {"phase": "Pending"}
    (told,) = _told(stage, reason)
    assert told.startswith(message)
    _assert_calm(stage, syncs_a_day=24 * 240 + 24 * 12)


def test_a_pod_without_its_claim_is_not_scheduled() -> None:
    stage = _stage(manifests.consumer("user", "c1"))
    told = _told(stage, "FailedScheduling")[0]
    assert 'persistentvolumeclaim "c1" not found' in told
    _assert_calm(stage, syncs_a_day=24 * 12)


def test_a_pod_that_no_node_fits_stays_pending_and_its_deployment_gives_up() -> None:
    stage = _stage(manifests.deployment("web", 1, cpu="64"))
    (pod,) = stage.store.list(POD).items
    assert pod["status"]["phase"] == "Pending"
    told = _told(stage, "FailedScheduling")[0]
    assert told.startswith("0/3 nodes are available: 3 Insufficient cpu.")
    assert _reason(stage.store.get(DEPLOYMENT, "web"), "Progressing") == "ProgressDeadlineExceeded"
    _assert_calm(stage, syncs_a_day=24 * 12)


def test_an_image_that_is_not_there_and_never_pulled_is_told_once() -> None:
    deployment = manifests.deployment("web", 1)
    deployment["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] = "Never"
    stage = _stage(deployment)
    (pod,) = stage.store.list(POD).items
    (status,) = pod["status"]["containerStatuses"]
    assert status["state"]["waiting"]["reason"] == "ErrImageNeverPull"
    expected = 'Container image "app:v1" is not present with pull policy of Never'
    assert _told(stage, "ErrImageNeverPull") == [expected]
    assert _reason(stage.store.get(DEPLOYMENT, "web"), "Progressing") == "ProgressDeadlineExceeded"
    _assert_calm(stage, syncs_a_day=24 * 12)


def test_a_quota_that_leaves_no_room_fails_the_replica_set() -> None:
    stage = _stage(manifests.quota("small", 0))
    stage.apply([manifests.deployment("web", 2)])
    stage.run("15m")
    (replica_set,) = stage.store.list(REPLICA_SET).items
    assert reading.status_of(replica_set, "ReplicaFailure") == "True"
    deployment = stage.store.get(DEPLOYMENT, "web")
    assert _reason(deployment, "ReplicaFailure") == "FailedCreate"
    assert _reason(deployment, "Progressing") == "ProgressDeadlineExceeded"
    why = "is forbidden: exceeded quota: small, requested: pods=1, used: pods=0, limited: pods=0"
    assert any(why in text for text in _told(stage, "FailedCreate"))
    _assert_calm(stage, syncs_a_day=24 * 20)


def test_a_job_whose_pods_always_fail_is_given_up() -> None:
    stage = _stage(manifests.job("try", exit_code=1))
    job = stage.store.get(KINDS["job"], "try")
    assert job["status"]["failed"] == 3
    assert _reason(job, "Failed") == "BackoffLimitExceeded"
    expected = "Job has reached the specified backoff limit"
    assert _told(stage, "BackoffLimitExceeded") == [expected]
    _assert_calm(stage, syncs_a_day=0)


def test_a_container_that_always_crashes_is_restarted_ever_more_seldom() -> None:
    notes = {manifests.RUN_DURATION: "1s", manifests.EXIT_CODE: "1"}
    stage = _stage(make_pod("crash", annotations=notes))
    (status,) = stage.store.get(POD, "crash")["status"]["containerStatuses"]
    assert status["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    before = status["restartCount"]
    stage.run("24h")
    (status,) = stage.store.get(POD, "crash")["status"]["containerStatuses"]
    assert status["restartCount"] - before <= 24 * 12
    assert len(_told(stage, "BackOff")) == 1


def test_a_stateful_set_whose_pod_is_somebody_elses_keeps_trying_at_ease() -> None:
    stage = _stage(make_pod("db-0"), manifests.stateful_set("db", 2))
    assert [pod["metadata"]["name"] for pod in stage.store.list(POD).items] == ["db-0"]
    # That a name is taken is the one failure of which upstream says nothing.
    assert _told(stage, "FailedCreate") == []
    _assert_calm(stage, syncs_a_day=24 * 20)


def test_a_dependent_of_an_owner_that_never_was_goes() -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody", "uid": "none"}
    stage = _stage(config_map("orphan", ownerReferences=[owner]))
    assert [
        each["metadata"]["name"] for each in stage.store.list(("v1", "ConfigMap"), "default").items
    ] == []
    _assert_calm(stage, syncs_a_day=0)


def test_a_budget_for_pods_that_cannot_be_scaled_says_so() -> None:
    stage = _stage(manifests.daemon_set("web"), manifests.budget("web", "maxUnavailable", 1))
    budget = stage.store.get(KINDS["budget"], "web")
    assert _reason(budget, "DisruptionAllowed") == "SyncFailed"
    (told,) = _told(stage, "CalculateExpectedPodCountFailed")
    assert told.endswith("daemonsets.apps does not implement the scale subresource")
    _assert_calm(stage, syncs_a_day=0)


def _reason(obj: Json, condition: str) -> str:
    found = [each for each in obj["status"]["conditions"] if each["type"] == condition]
    return str(found[0]["reason"])
