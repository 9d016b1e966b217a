"""How far a clock goes that jumps from event to event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.kubelet import stocks
from kubestage.objects import timestamps
from kubestage.server.pacing_work import HORIZON_NS, LONGEST_NS, POLLS_NS, WorkAhead
from kubestage.stage import Stage
from kubestage.testing import (
    make_deployment,
    make_horizontal_pod_autoscaler,
    make_job,
    make_node,
    make_pod,
)
from kubestage.units import SECOND_NS
from tests.controllers.node_autoscaler.clusters import make_group

if TYPE_CHECKING:
    from kubestage.aliases import Json

POD = ("v1", "Pod")
FOREVER = 100_000


def _staged(*objects: Json) -> tuple[Stage, WorkAhead]:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    work = WorkAhead(stage)
    for each in objects:
        stage.store.create(each)
    work.wrote()
    return stage, work


def _jump(stage: Stage, work: WorkAhead) -> int:
    """Go on as a clock that jumps does; when it stands still."""
    for _ in range(FOREVER):
        goal_ns = work.goal_ns()
        if goal_ns is None:
            return stage.clock.now_ns
        stage.environment.run(until_ns=max(goal_ns, stage.clock.now_ns))
    raise AssertionError("the clock never stands still")


def _ends_after(duration: str, **more: Any) -> Json:
    return make_pod("p", annotations={"kubestage.dev/run-duration": duration}, **more)


def test_an_empty_cluster_needs_no_time() -> None:
    assert _jump(*_staged()) <= 1


def test_pods_come_up_and_go_down() -> None:
    stage, work = _staged(make_node("n1"), make_deployment("web", replicas=3))
    up_ns = _jump(stage, work)
    assert 0 < up_ns < 60 * SECOND_NS
    assert {pod["status"]["phase"] for pod in stage.store.list(POD).items} == {"Running"}
    stage.store.delete(("apps/v1", "Deployment"), "web")
    work.wrote()
    assert _jump(stage, work) > up_ns
    assert not stage.store.list(POD).items


def test_a_pod_that_fits_nowhere_is_not_waited_for() -> None:
    stage, work = _staged(make_node("n1"), make_pod("big", cpu="99"))
    assert _jump(stage, work) < 60 * SECOND_NS
    assert not stage.store.get(POD, "big")["spec"].get("nodeName")


def test_a_pod_that_fits_nowhere_is_not_waited_for_when_something_else_is_written_later() -> None:
    stage, work = _staged(make_node("n1"), make_pod("big", cpu="99"))
    _jump(stage, work)
    stage.run("100s")
    now_ns = stage.clock.now_ns
    work.wrote()
    assert _jump(stage, work) == now_ns


def test_a_pod_that_gets_further_is_progress() -> None:
    for is_told, phase in ((False, "Running"), (True, "Succeeded")):
        short = _ends_after("6m")
        short["spec"]["restartPolicy"] = "Never"
        stage, work = _staged(make_node("n1"), short, make_pod("other"))
        stage.run("2m")
        if is_told:
            ended = {"status": {"phase": "Failed"}}
            stage.store.patch(POD, "other", ended, subresource="status")
        _jump(stage, work)
        assert stage.store.get(POD, "p")["status"]["phase"] == phase


def test_a_job_that_ends_soon_is_waited_for_and_one_that_ends_late_is_not() -> None:
    def _job(duration: str) -> Json:
        return make_job("j", pod=_ends_after(duration))

    for duration, ended in (("4m", 1), ("20m", 0)):
        stage, work = _staged(make_node("n1"), _job(duration))
        _jump(stage, work)
        assert stage.store.get(("batch/v1", "Job"), "j")["status"].get("succeeded", 0) == ended


def test_jobs_one_after_the_other_go_on_beyond_the_horizon() -> None:
    job = make_job("j", pod=_ends_after("4m"))
    job["spec"] |= {"completions": 3, "parallelism": 1}
    stage, work = _staged(make_node("n1"), job)
    assert _jump(stage, work) > HORIZON_NS
    assert stage.store.get(("batch/v1", "Job"), "j")["status"]["succeeded"] == 3


def test_a_pod_that_crashes_again_and_again_is_left_alone() -> None:
    stage, work = _staged(make_node("n1"), _ends_after("1s"))
    assert _jump(stage, work) <= 2 * HORIZON_NS


def _cron_job(duration: str) -> Json:
    pod = _ends_after(duration)
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "c", "namespace": "default"},
        "spec": {"schedule": "* * * * *", "jobTemplate": make_job("j", pod=pod)},
    }


def test_a_cron_job_is_not_waited_for() -> None:
    stage, work = _staged(make_node("n1"), _cron_job("10s"))
    assert _jump(stage, work) < 60 * SECOND_NS
    assert not stage.store.list(("batch/v1", "Job")).items


def test_jobs_that_overlap_for_ever_are_followed_for_an_hour_at_most() -> None:
    stage, work = _staged(make_node("n1"), _cron_job("90s"))
    stage.run("61s")
    work.wrote()
    began_ns = stage.clock.now_ns
    stood_ns = _jump(stage, work)
    assert began_ns + LONGEST_NS - 2 * HORIZON_NS < stood_ns <= began_ns + LONGEST_NS


def test_an_autoscaler_has_a_minute_for_what_was_written() -> None:
    stage, work = _staged(
        make_node("n1"),
        make_deployment("web", pod=make_pod(cpu="100m")),
        make_horizontal_pod_autoscaler("web"),
    )
    stood_ns = _jump(stage, work)
    assert POLLS_NS - 20 * SECOND_NS < stood_ns <= POLLS_NS
    autoscaler = stage.store.get(("autoscaling/v2", "HorizontalPodAutoscaler"), "web")
    assert autoscaler["status"]["currentReplicas"] == 1


def test_a_node_is_bought_for_a_pod_that_waits() -> None:
    stage, work = _staged(make_group(), make_pod("p", cpu="1"))
    _jump(stage, work)
    assert stage.store.get(POD, "p")["status"]["phase"] == "Running"
    stage.run("1h")
    stage.store.create(make_pod("q", cpu="4"))
    work.wrote()
    _jump(stage, work)
    assert stage.store.get(POD, "q")["status"]["phase"] == "Running"


def test_a_node_group_alone_needs_no_time() -> None:
    stage, work = _staged(make_group(minSize=1), make_pod("p", cpu="1"))
    up_ns = _jump(stage, work)
    work.wrote()
    assert _jump(stage, work) == up_ns


def test_requests_flow_only_when_somebody_lets_them() -> None:
    traffic = {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "visitors", "namespace": "default"},
        "spec": {
            "target": {"kind": "Deployment", "name": "web"},
            "pattern": {"poisson": {"rps": 50}},
            "request": {"cpu": "20ms"},
        },
    }
    stage, work = _staged(make_node("n1"), make_deployment("web"), traffic)
    assert _jump(stage, work) < 60 * SECOND_NS


@pytest.mark.parametrize("name", [stocks.STARTING, stocks.ENDING])
def test_lives_of_pods_are_known_by_the_kind_of_their_stocks(name: str) -> None:
    """A stock of another kind would be passed over in silence."""
    assert stocks.PodStock(name, lambda pod: None).kind_stocked == "Pod"


def test_a_clock_that_keeps_up_with_the_wall_leaves_to_it_what_can_wait() -> None:
    hpa = make_horizontal_pod_autoscaler("web")
    stage, _ = _staged(make_node("n1"), make_deployment("web", cpu="100m"), hpa)
    work = WorkAhead(stage, keeps_up=True)
    assert _jump(stage, work) < 15 * SECOND_NS
    assert {pod["status"]["phase"] for pod in stage.store.list(POD).items} == {"Running"}


def test_who_announces_a_disruption_is_given_the_time_to_delete_the_pod() -> None:
    stage, work = _staged(make_node("n1"), make_pod("p"))
    up_ns = _jump(stage, work)
    pod = stage.store.get(POD, "p")
    told = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "PreemptionByScheduler",
        "lastTransitionTime": timestamps.format_time(stage.clock.unix_ns),
    }
    status = {**pod["status"], "conditions": [*pod["status"]["conditions"], told]}
    stage.store.update({**pod, "status": status}, subresource="status")
    work.wrote()
    assert _jump(stage, work) < up_ns + 60 * SECOND_NS
    conditions = stage.store.get(POD, "p")["status"]["conditions"]
    assert told["reason"] in [each.get("reason") for each in conditions]


def test_a_clock_that_keeps_up_with_the_wall_does_not_jump_to_pulls_that_fail_again() -> None:
    stage, work = _staged(make_node("n1"), make_pod("web", containers=[_unpullable()]))
    assert _jump(stage, work) > 100 * SECOND_NS
    stage, work = _staged(make_node("n1"), make_pod("web", containers=[_unpullable()]))
    work.close()
    keeping_up = WorkAhead(stage, keeps_up=True)
    keeping_up.wrote()
    assert _jump(stage, keeping_up) < 60 * SECOND_NS
    (status,) = stage.store.get(POD, "web")["status"]["containerStatuses"]
    assert status["state"]["waiting"]["reason"] in ("ErrImagePull", "ImagePullBackOff")


def _unpullable() -> Json:
    return {"name": "c", "image": "web:404"}
