"""Why a pod was evicted or resized is told: in Events, in a trace, in the log, in decisions."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.vpa import update_reasons
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.results.life.recorder import LifeRecorder
from kubestage.sim.clock import Clock
from kubestage.sim.recorder import MemoryRecorder
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.controllers.vpa import worlds
from tests.controllers.vpa.test_priority import _HOUR, _NOW, _pod, _vpa

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


def _reason(vpa: Json, pod: Json, after_ns: int = _HOUR) -> str:
    store = Store(Clock(), Streams(0))
    return update_reasons.reason(store, vpa, pod, VpaSettings(), _NOW + after_ns)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("49m", "cpu request 49m of container app is below the lower bound 50m (target 100m)"),
        ("1200m", "cpu request 1200m of container app is above the upper bound 1 (target 100m)"),
    ],
)
def test_a_request_out_of_bounds_is_named_with_the_bound(request_: str, expected: str) -> None:
    assert _reason(_vpa(), _pod(cpu=request_)) == expected


def test_a_request_that_is_missing_is_named() -> None:
    pod = _pod()
    del pod["spec"]["containers"][0]["resources"]["requests"]["cpu"]
    assert _reason(_vpa(), pod) == "container app requests no cpu (target 100m)"


def test_a_kill_soon_after_the_start_is_told() -> None:
    ended = {
        "reason": "OOMKilled",
        "startedAt": "2026-01-01T00:00:00Z",
        "finishedAt": "2026-01-01T00:01:30Z",
    }
    statuses = [{"name": "app", "lastState": {"terminated": ended}}]
    pod = _pod(status={"containerStatuses": statuses})
    assert _reason(_vpa(cpu="120m"), pod) == "container app was OOM-killed 1m30s after its start"


def test_an_old_pod_that_is_off_is_told_with_its_age() -> None:
    told = _reason(_vpa(cpu="150m"), _pod(), 13 * _HOUR)
    assert told == "requests differ from the target by 50% and the pod has run for 13h0m0s"


def _world() -> Stage:
    requests = {"cpu": "100m", "memory": "100Mi"}
    return worlds.alive(worlds.deployment(replicas=2, requests=requests), worlds.autoscaler())


def _events(stage: Stage, reason: str) -> list[Json]:
    return [e for e in stage.store.list(("v1", "Event")).items if e["reason"] == reason]


def test_events_keep_upstreams_words_and_carry_the_reason() -> None:
    stage = _world()
    stage.run("90s")
    (event,) = _events(stage, "EvictedByVPA")
    assert event["message"] == "Pod was evicted by VPA Updater to apply resource recommendation."
    assert event["metadata"]["annotations"][update_reasons.ANNOTATION].startswith("memory request")
    (event,) = _events(stage, "EvictedPod")
    assert event["metadata"]["annotations"][update_reasons.ANNOTATION].startswith("memory request")


def test_the_evicted_pod_says_who_disrupts_it() -> None:
    stage = _world()
    stage.run("60s")
    stage.run(2)
    ending = [pod for pod in worlds.pods(stage) if "deletionTimestamp" in pod["metadata"]]
    conditions = [
        (each["status"], each["reason"])
        for pod in ending
        for each in pod["status"]["conditions"]
        if each["type"] == "DisruptionTarget"
    ]
    assert conditions == [("True", "EvictionByEvictionAPI")]


def test_the_trace_and_the_log_have_the_decision(caplog: pytest.LogCaptureFixture) -> None:
    stage = _world()
    stage.environment.recorder = kept = MemoryRecorder()
    with caplog.at_level(logging.INFO, "kubestage.sim"):
        stage.run("90s")
    moved = {each.movement.kind: each.movement for each in kept.completed_movements}
    assert moved["evict"].notes.startswith("VPA default/web: memory request 100Mi of container app")
    assert moved["terminate"].notes == "EvictionByEvictionAPI"
    (logged,) = [each for each in caplog.messages if each.startswith("VPA")]
    assert ": evict of pod default/web-" in logged
    assert "is below the lower bound" in logged


def test_decisions_of_a_run_have_the_reason() -> None:
    stage = _world()
    recorder = LifeRecorder(stage.store, stage.environment, 10**10, stage)
    recorder.start()
    stage.run("90s")
    life = recorder.end(version="0", seed=0)
    reasons = [row["reason"] for row in life.rows("decisions") if row["decision"] == "eviction"]
    assert len(reasons) == 1
    assert reasons[0].startswith("memory request 100Mi of container app is below the lower bound")


def test_a_resize_has_its_reason_too() -> None:
    requests = {"cpu": "100m", "memory": "100Mi"}
    vpa = worlds.autoscaler(mode="InPlaceOrRecreate")
    stage = worlds.alive(worlds.deployment(replicas=2, requests=requests), vpa)
    stage.run("90s")
    (event, *_) = _events(stage, "InPlaceResizedByVPA")
    assert event["metadata"]["annotations"][update_reasons.ANNOTATION].startswith("memory request")
