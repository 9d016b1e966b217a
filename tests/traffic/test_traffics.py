"""Traffic objects at work: replicas that are pods, and what becomes of their requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.traffic import stages

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.traffic.traffics import Traffics

CONSTANT = {"constant": {"rps": 10}}


def streams(stage: Stage) -> Traffics:
    assert stage.traffic is not None
    return stage.traffic


def counts(stage: Stage) -> tuple[int, int, int]:
    replicas = streams(stage).streams["default/load"].replicas
    return replicas.launching.count, replicas.active.count, replicas.terminating.count


def failed(stage: Stage) -> dict[str, int]:
    found: dict[str, int] = streams(stage).records()["default/load"].summary()["failed"]
    return {reason: count for reason, count in found.items() if count}


def test_a_replica_is_launching_until_its_pod_is_ready() -> None:
    stage = stages.living(stages.deployment(3, launch_delay="10s"), stages.traffic(CONSTANT))
    stage.run("9s")
    assert counts(stage) == (3, 0, 0)
    stage.run("10s")
    assert counts(stage) == (0, 3, 0)


def test_a_pod_that_fits_no_node_stays_launching() -> None:
    stage = stages.living(stages.deployment(65), stages.traffic(CONSTANT))
    stage.run("60s")
    assert counts(stage) == (1, 64, 0)


def test_requests_fail_while_there_is_no_replica() -> None:
    stage = stages.living(stages.deployment(1, launch_delay="10s"), stages.traffic(CONSTANT))
    stage.run("30s")
    assert set(failed(stage)) == {"NoReplica"}
    assert 100 <= failed(stage)["NoReplica"] <= 130


def test_a_replica_that_is_to_go_gets_no_more_and_ends_what_it_has() -> None:
    requests = {"cpu": "100ms", "io": "800ms"}
    stage = stages.living(
        stages.deployment(2, terminate_delay="5s"), stages.traffic(CONSTANT, request=requests)
    )
    stage.run("20s")
    lost = failed(stage)
    stages.scale(stage, 1)
    stage.run("10ms")
    assert counts(stage) == (0, 1, 1)
    stage.run("10s")
    assert counts(stage) == (0, 1, 0)
    assert failed(stage) == lost


def test_what_a_replica_has_not_ended_when_its_pod_is_gone_is_lost() -> None:
    requests = {"cpu": "100ms", "io": "8s"}
    stage = stages.living(
        stages.deployment(2, terminate_delay="1s"), stages.traffic(CONSTANT, request=requests)
    )
    stage.run("20s")
    stages.scale(stage, 1)
    stage.run("10s")
    assert 30 <= failed(stage)["Interrupted"] <= 40


def test_a_container_that_is_killed_loses_its_requests_and_serves_again() -> None:
    crashing = stages.deployment(1, run_duration="20s", exit_code="1")
    requests = {"cpu": "50ms", "io": "2s"}
    stage = stages.living(crashing, stages.traffic(CONSTANT, request=requests))
    stage.run("19s")
    assert counts(stage) == (0, 1, 0)
    stage.run("21s")
    assert failed(stage)["Interrupted"] >= 15
    stage.run("30s")
    record = streams(stage).records()["default/load"]
    assert record.completed > 200


def test_a_service_stands_for_the_pods_that_it_selects() -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"app": "other"}, "ports": [{"port": 80}]},
    }
    stage = stages.living(stages.deployment(2), service, stages.traffic(CONSTANT, target="Service"))
    stage.run("20s")
    assert counts(stage) == (0, 0, 0)
    patch = {"spec": {"selector": {"app": "web"}}}
    stage.store.patch(("v1", "Service"), "web", patch, "default")
    stage.run("1s")
    assert counts(stage) == (0, 2, 0)
    back = {"spec": {"selector": {"app": "other"}}}
    stage.store.patch(("v1", "Service"), "web", back, "default")
    stage.run("1s")
    assert counts(stage) == (0, 0, 2)
    stage.store.patch(("v1", "Service"), "web", patch, "default")
    stage.run("1s")
    assert counts(stage) == (0, 2, 0)


def test_the_limit_of_a_pod_is_how_fast_it_is() -> None:
    slow = stages.deployment(1)
    slow["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "500m"
    slow["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "500m"
    one_a_second = {"constant": {"rps": 1}}
    stage = stages.living(slow, stages.traffic(one_a_second, startAfter="10s"))
    stage.run("30s")
    assert streams(stage).records()["default/load"].summary()["response_ms"]["max"] == 200


def test_without_a_limit_a_request_has_a_core_to_itself() -> None:
    free = stages.deployment(1)
    del free["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    crowd = {"constant": {"rps": 40}}
    stage = stages.living(free, stages.traffic(crowd, startAfter="10s"))
    stage.run("30s")
    assert streams(stage).records()["default/load"].summary()["response_ms"]["max"] == 100


def test_what_replicas_used_is_the_utilisation_law() -> None:
    stage = stages.living(stages.deployment(4), stages.traffic({"constant": {"rps": 20}}))
    stage.run("20s")
    streams(stage).utilisation()
    stage.run("100s")
    (busy,) = streams(stage).utilisation().values()
    assert busy == pytest.approx(20 * 0.1 / 4, rel=0.01)


def test_a_patch_of_the_pattern_holds_from_then_on() -> None:
    stage = stages.living(stages.deployment(2), stages.traffic(CONSTANT))
    stage.run("30s")
    before = streams(stage).records()["default/load"].arrived
    patch = {"spec": {"pattern": {"constant": {"rps": 2}}}}
    stage.store.patch(stages.TRAFFIC, "load", patch, "default")
    stage.run("30s")
    assert before == pytest.approx(300, abs=1)
    assert streams(stage).records()["default/load"].arrived - before == pytest.approx(60, abs=1)


@pytest.mark.parametrize("traces", [False, True])
@pytest.mark.parametrize(
    "pattern",
    [{"ramp": {"delta": 1, "max": 40}}, {"poisson": {"rps": 20}}, {"constant": {"rps": 10}}],
)
def test_a_patch_of_the_costs_leaves_the_arrivals_as_they_were(
    pattern: dict[str, Any], traces: bool
) -> None:
    arrived, busy = [], []
    for costs in ({}, {"cpu": "20ms"}):
        stage = stages.living(stages.deployment(8), stages.traffic(pattern), traces=traces)
        for _ in range(2):
            stage.run("20s")
            stage.store.patch(stages.TRAFFIC, "load", {"spec": {"request": costs}}, "default")
            streams(stage).utilisation()
        stage.run("20s")
        arrived.append(streams(stage).records()["default/load"].table()["arrived"])
        busy.append(streams(stage).utilisation()["default/load"])
    assert arrived[0] == arrived[1]
    assert busy[1] == pytest.approx(busy[0] / 5, rel=0.1)


def test_nothing_arrives_after_the_object_is_deleted() -> None:
    stage = stages.living(stages.deployment(2), stages.traffic(CONSTANT))
    stage.run("30s")
    stage.store.delete(stages.TRAFFIC, "load", "default")
    stage.run("30s")
    record = streams(stage).records()["default/load"]
    assert record.arrived == pytest.approx(300, abs=1)
    assert streams(stage).streams == {}


def test_one_that_is_created_again_has_a_record_of_its_own() -> None:
    stage = stages.living(stages.deployment(2), stages.traffic(CONSTANT))
    stage.run("30s")
    stage.store.delete(stages.TRAFFIC, "load", "default")
    stage.apply([stages.traffic(CONSTANT)])
    stage.run("10s")
    records = streams(stage).records()
    assert records["default/load"].arrived == pytest.approx(300, abs=1)
    assert records["default/load (2)"].arrived == pytest.approx(100, abs=1)


def test_the_status_says_how_it_stands() -> None:
    stage = stages.living(stages.deployment(2), stages.traffic(CONSTANT))
    stage.run("31s")
    status = stage.store.get(stages.TRAFFIC, "load", "default")["status"]
    assert status["replicas"] == {"launching": 0, "active": 2, "terminating": 0}
    assert status["requests"]["arrived"] == pytest.approx(300, abs=1)
    assert status["conditions"][0]["status"] == "True"


def test_a_target_that_is_not_there_is_told_and_may_come_later() -> None:
    stage = stages.living(stages.traffic(CONSTANT))
    stage.run("16s")
    condition = stage.store.get(stages.TRAFFIC, "load", "default")["status"]["conditions"][0]
    assert condition["message"] == 'there is no Deployment "web" in namespace default'
    stage.apply([stages.deployment(1)])
    stage.run("30s")
    condition = stage.store.get(stages.TRAFFIC, "load", "default")["status"]["conditions"][0]
    assert condition["status"] == "True"
    assert counts(stage) == (0, 1, 0)


def test_a_fork_goes_on_identically() -> None:
    poisson = {"poisson": {"rps": 30}}
    stage = stages.living(stages.deployment(4), stages.traffic(poisson))
    stage.run("20s")
    copy = stage.fork()
    stage.run("60s")
    copy.run("60s")
    mine, theirs = (streams(each).records()["default/load"] for each in (stage, copy))
    assert mine.table() == theirs.table()
    assert mine.summary() == theirs.summary()
    assert mine.arrived > 2_000
