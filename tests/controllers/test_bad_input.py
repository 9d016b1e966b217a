"""What cannot work is told in upstream's words, and nothing loops."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import Invalid
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node, make_pod
from tests.controllers.volumes.storage import claim

Json = dict[str, Any]

# A day of retries: more than this is a loop.
_MOST_SYNCS = 8_000


def _stage(*objects: Json) -> Stage:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply([make_node("n1", cpu="4")])
    stage.run("1s")
    stage.apply(objects)
    return stage


def _lived_a_day(*objects: Json) -> tuple[Stage, str]:
    """The stage a day later, and all that its Events said."""
    stage = _stage(*objects)
    told: list[str] = []
    stage.store.subscribe(
        lambda change: told.append(change.new["message"]) if change.kind.kind == "Event" else None
    )
    stage.run("24h")
    assert stage.controllers is not None
    assert stage.controllers.syncs < _MOST_SYNCS
    return stage, "\n".join(told)


def _job(**spec: Any) -> Json:
    template = {
        "metadata": {"annotations": {"kubestage.dev/exit-code": "3"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "job:1"}]},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "broken"},
        "spec": {"template": template, **spec},
    }


def _cron_job(**spec: Any) -> Json:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "tick"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": _job()["spec"]}, **spec},
    }


def test_a_selector_that_does_not_match_its_template_is_refused() -> None:
    web = make_deployment("web")
    web["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    with pytest.raises(Invalid, match="`selector` does not match template `labels`"):
        _stage(web)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"schedule": "61 * * * *"}, r"end of range \(61\) above maximum \(59\)"),
        ({"schedule": "hourly"}, "expected exactly 5 fields, found 1"),
        ({"timeZone": "Nowhere/City"}, "unknown time zone Nowhere/City"),
    ],
)
def test_a_schedule_that_cannot_be_read_is_refused(spec: Json, problem: str) -> None:
    with pytest.raises(Invalid, match=problem):
        _stage(_cron_job(**spec))


def test_a_recorded_schedule_that_cannot_be_read_is_told_once() -> None:
    stage = _stage()
    stage.store.load({**_cron_job(), "metadata": {"name": "tick", "namespace": "default"}})
    stored = stage.store.get(("batch/v1", "CronJob"), "tick")
    broken = {**stored, "metadata": dict(stored["metadata"])}
    broken["spec"] = {**stored["spec"], "schedule": "61 * * * *"}
    stage.store.put(stage.store.kind(("batch/v1", "CronJob")), "default/tick", broken)
    stage.store.settle()
    stage.run("24h")
    reasons = {each["reason"] for each in stage.store.list(("v1", "Event")).items}
    assert not stage.store.list(("batch/v1", "Job")).items
    assert stage.controllers is not None
    assert stage.controllers.syncs < _MOST_SYNCS
    assert "SuccessfulCreate" not in reasons


def test_a_claim_that_cannot_bind_keeps_its_pod_waiting() -> None:
    pod = make_pod("web")
    pod["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    stage, told = _lived_a_day(claim(storage_class="ghost"), pod)
    assert stage.store.get(("v1", "PersistentVolumeClaim"), "data")["status"]["phase"] == "Pending"
    assert 'storageclass.storage.k8s.io "ghost" not found' in told
    assert "pod has unbound immediate PersistentVolumeClaims" in told


def test_a_pod_that_no_node_fits_stays_pending() -> None:
    stage, told = _lived_a_day(make_pod("huge", cpu="64"))
    assert stage.store.get(("v1", "Pod"), "huge")["status"]["phase"] == "Pending"
    assert "0/1 nodes are available: 1 Insufficient cpu." in told


def test_an_image_that_is_never_pulled_is_told() -> None:
    pod = make_pod("web")
    pod["spec"]["containers"][0]["imagePullPolicy"] = "Never"
    stage, _ = _lived_a_day(pod)
    status = stage.store.get(("v1", "Pod"), "web")["status"]
    waiting = status["containerStatuses"][0]["state"]["waiting"]
    assert waiting["reason"] == "ErrImageNeverPull"


def test_a_quota_that_is_full_is_told_and_tried_ever_later() -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q"},
        "spec": {"hard": {"pods": "1"}},
    }
    stage = _stage(quota)
    stage.run("1s")
    stage.apply([make_deployment("web", replicas=3)])
    stage.run("24h")
    found = stage.store.get(("apps/v1", "Deployment"), "web")["status"]
    failure = next(each for each in found["conditions"] if each["type"] == "ReplicaFailure")
    assert failure["reason"] == "FailedCreate"
    assert "exceeded quota: q, requested: pods=1, used: pods=1" in failure["message"]
    progress = next(each for each in found["conditions"] if each["type"] == "Progressing")
    assert progress["reason"] == "ProgressDeadlineExceeded"
    assert stage.controllers is not None
    assert stage.controllers.syncs < _MOST_SYNCS


def test_a_job_whose_pods_always_fail_gives_up() -> None:
    stage, _ = _lived_a_day(_job(backoffLimit=3))
    status = stage.store.get(("batch/v1", "Job"), "broken")["status"]
    failed = next(each for each in status["conditions"] if each["type"] == "Failed")
    assert failed["reason"] == "BackoffLimitExceeded"
    assert status["failed"] == 4


def test_a_pod_that_always_crashes_waits_five_minutes_between_attempts() -> None:
    pod = make_pod("web")
    pod["metadata"]["annotations"] = {
        "kubestage.dev/run-duration": "1s",
        "kubestage.dev/exit-code": "1",
    }
    stage, _ = _lived_a_day(pod)
    (container,) = stage.store.get(("v1", "Pod"), "web")["status"]["containerStatuses"]
    assert 24 * 60 / 5 * 0.9 < container["restartCount"] < 24 * 60 / 5 * 1.1
