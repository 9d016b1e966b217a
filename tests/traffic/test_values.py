"""What becomes known of requests: rates, concurrency and response times, by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.objects import labels
from tests.traffic import stages

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json

TARGET = "deployments.apps"


def looked_at(*objects: Json) -> Stage:
    stage = stages.living(*objects)
    assert stage.metrics is not None
    stage.metrics.require()
    return stage


def named(name: str, traffic: Json) -> Json:
    return {**traffic, "metadata": {**traffic["metadata"], "name": name}}


def values(stage: Stage, kind: str, metric: str) -> dict[str, int]:
    assert stage.metrics is not None
    found = stage.metrics.board.values("default", kind, metric)
    return {name: sample.value_milli for name, sample in found.items()}


def outside(stage: Stage, metric: str) -> dict[str, int]:
    assert stage.metrics is not None
    found = stage.metrics.board.external("default", metric, labels.EVERYTHING)
    return {sample.labels["traffic"]: sample.value_milli for sample in found}


def test_rates_concurrency_and_response_times_are_those_of_the_last_window() -> None:
    request = {"cpu": "100ms", "io": "300ms"}
    steady = stages.traffic({"constant": {"rps": 10}}, request=request)
    stage = looked_at(stages.deployment(2), steady)
    stage.run("46s")
    assert values(stage, TARGET, "requests_per_second") == {"web": 10_000}
    assert values(stage, TARGET, "failures_per_second") == {"web": 0}
    assert values(stage, TARGET, "concurrent_requests") == {"web": 4_000}
    assert values(stage, TARGET, "response_time_seconds") == {"web": 400}
    assert values(stage, TARGET, "response_time_p95_seconds")["web"] == pytest.approx(400, abs=2)
    assert list(values(stage, "pods", "requests_per_second").values()) == [5_000, 5_000]
    assert list(values(stage, "pods", "concurrent_requests").values()) == [2_000, 2_000]
    assert list(values(stage, "pods", "response_time_seconds").values()) == [400, 400]
    assert outside(stage, "requests_per_second") == {"load": 10_000}
    assert values(stage, "pods", "failures_per_second") == {}


def test_a_target_of_two_traffics_is_told_with_the_requests_of_both() -> None:
    quick = stages.traffic({"constant": {"rps": 6}}, request={"cpu": "0s", "io": "100ms"})
    slow = stages.traffic({"constant": {"rps": 2}}, request={"cpu": "0s", "io": "500ms"})
    stage = looked_at(stages.deployment(1), quick, named("slow", slow))
    stage.run("46s")
    assert values(stage, TARGET, "requests_per_second") == {"web": 8_000}
    assert list(values(stage, "pods", "requests_per_second").values()) == [8_000]
    assert values(stage, TARGET, "response_time_seconds") == {"web": 200}
    assert list(values(stage, "pods", "response_time_seconds").values()) == [200]
    assert values(stage, TARGET, "response_time_p50_seconds")["web"] == pytest.approx(100, abs=1)
    assert values(stage, TARGET, "response_time_p95_seconds")["web"] == pytest.approx(500, abs=4)
    assert outside(stage, "requests_per_second") == {"load": 6_000, "slow": 2_000}


def test_response_times_are_not_known_when_nobody_was_answered() -> None:
    brief = stages.traffic({"constant": {"rps": 10}}, duration="40s")
    stage = looked_at(stages.deployment(1), brief)
    stage.run("46s")
    assert values(stage, TARGET, "response_time_seconds") == {"web": 100}
    stage.run("30s")
    assert values(stage, TARGET, "requests_per_second") == {"web": 0}
    for metric in ("response_time_seconds", "response_time_p99_seconds"):
        assert values(stage, TARGET, metric) == {}
        assert outside(stage, metric) == {}
    assert values(stage, "pods", "response_time_seconds") == {}


def test_of_a_traffic_that_is_gone_nothing_is_known_once_looks_have_arrived() -> None:
    stage = looked_at(stages.deployment(1), stages.traffic({"constant": {"rps": 10}}))
    stage.run("30500ms")
    stage.store.delete(stages.TRAFFIC, "load", "default")
    stage.run("1s")
    assert values(stage, TARGET, "requests_per_second") == {"web": 10_000}
    stage.run("15s")
    for metric in ("requests_per_second", "concurrent_requests", "response_time_seconds"):
        assert values(stage, TARGET, metric) == {}
        assert values(stage, "pods", metric) == {}
        assert outside(stage, metric) == {}


def test_a_pod_of_the_same_name_begins_anew() -> None:
    workload = stages.deployment(1)
    workload["kind"] = "StatefulSet"
    workload["spec"]["serviceName"] = "web"
    requests = stages.traffic({"step": {"rps": 10, "after": "25s"}}, target="StatefulSet")
    stage = looked_at(workload, requests)
    stage.run("32s")
    assert values(stage, "pods", "requests_per_second")["web-0"] == pytest.approx(3_333, abs=100)
    stage.store.delete(stages.POD, "web-0", "default")
    stage.run("15s")
    assert values(stage, "pods", "requests_per_second") == {}
    stage.run("15s")
    assert values(stage, "pods", "requests_per_second") == {"web-0": 10_000}
