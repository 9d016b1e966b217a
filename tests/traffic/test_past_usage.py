"""CPU that was used stays used when the Traffic is gone, or a pod stops being ready for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.traffic import stages

if TYPE_CHECKING:
    from kubestage import Stage

CONSTANT = {"constant": {"rps": 5}}
HALF = 500_000_000


def looked_at(*objects: dict[str, Any]) -> Stage:
    stage = stages.living(*objects)
    assert stage.metrics is not None
    stage.metrics.require()
    return stage


def cpu(stage: Stage) -> list[int]:
    assert stage.metrics is not None
    pods = stage.metrics.board.pods("default").values()
    return [each.cpu_nanos for pod in pods for each in pod.containers.values()]


def fail_probes(stage: Stage, which: str | None) -> None:
    (key,) = stage.store.read(stages.POD)
    patch = {"metadata": {"annotations": {"kubestage.dev/failing-probes": which}}}
    stage.store.patch(stages.POD, key.partition("/")[2], patch, "default")


def test_requests_of_a_traffic_that_is_deleted_count_up_to_then_and_no_further() -> None:
    stage = looked_at(stages.deployment(1), stages.traffic(CONSTANT))
    stage.run("32s")
    assert cpu(stage) == [pytest.approx(HALF, rel=0.01)]
    stage.run("5500ms")
    stage.store.delete(stages.TRAFFIC, "load", "default")
    stage.run("9500ms")
    assert cpu(stage) == [pytest.approx(HALF / 2, rel=0.05)]
    stage.run("15s")
    assert cpu(stage) == [0]


def test_one_that_takes_its_place_adds_to_what_was_used() -> None:
    stage = looked_at(stages.deployment(1), stages.traffic(CONSTANT))
    stage.run("32s")
    stage.store.delete(stages.TRAFFIC, "load", "default")
    stage.apply([stages.traffic(CONSTANT)])
    stage.run("15s")
    assert cpu(stage) == [pytest.approx(HALF, rel=0.03)]
    stage.run("15s")
    assert cpu(stage) == [pytest.approx(HALF, rel=0.03)]


def test_what_was_used_in_a_former_life_of_the_container_does_not_count() -> None:
    stage = looked_at(
        stages.deployment(1, run_duration="40s", exit_code="1"), stages.traffic(CONSTANT)
    )
    stage.run("32s")
    stage.store.delete(stages.TRAFFIC, "load", "default")
    stage.run("15s")
    assert cpu(stage) == []
    stage.run("15s")
    assert cpu(stage) == [0]


def test_a_container_that_does_not_run_is_not_told_of() -> None:
    crashing = stages.deployment(1, run_duration="20s", exit_code="1")
    stage = looked_at(crashing, stages.traffic(CONSTANT))
    stage.run("47s")
    (found,) = stage.store.read(stages.POD).values()
    assert "waiting" in found["status"]["containerStatuses"][0]["state"]
    assert cpu(stage) == []


def test_a_replica_that_is_ready_again_is_as_busy_as_it_is_and_no_more() -> None:
    workload = stages.deployment(1)
    probe = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 1, "failureThreshold": 1}
    workload["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] = probe
    stage = looked_at(workload, stages.traffic(CONSTANT, startAfter="80s"))
    stage.run("100s")
    assert stage.traffic is not None
    fail_probes(stage, "readiness")
    stage.run("10s")
    assert stage.traffic.streams["default/load"].replicas.active.count == 0
    stage.traffic.utilisation()
    fail_probes(stage, None)
    stage.run("20s")
    (busy,) = stage.traffic.utilisation().values()
    assert 0.4 < busy < 0.51
    assert 0 < cpu(stage)[0] < HALF
