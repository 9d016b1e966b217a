"""SystemPodMetrics counts restarts of system containers between start and gather."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.measure.components import system_pods
from tests.measure.components.measured import Measured, document, pod

ON: dict[str, Any] = {"systemPodMetricsEnabled": True}
CHECKED: dict[str, Any] = {**ON, "enableRestartCountCheck": True}


def put(measured: Measured, restarts: int, name: str = "dns", **status: Any) -> None:
    each = {"name": "c1", "image": "sha256:abc", "restartCount": restarts, **status}
    spec = {"containers": [{"name": "c1", "image": "registry.k8s.io/coredns/coredns:v1.11"}]}
    measured.cluster.put(pod(name, spec=spec, status={"containerStatuses": [each]}))


def counted(before: int, after: int) -> Measured:
    measured = Measured("SystemPodMetrics")
    put(measured, before)
    measured.cluster.put(pod("other", namespace="default", status={}))
    measured.perform("start", **ON)
    put(measured, after)
    return measured


def test_it_is_off_unless_it_is_switched_on() -> None:
    measured = Measured("SystemPodMetrics")
    assert measured.perform("gather").skipped == "systemPodMetricsEnabled is not set"


def test_only_restarts_during_the_test_are_told() -> None:
    outcome = counted(4, 5).perform("gather", **ON)
    assert outcome.summaries[0].content == (
        '{\n  "pods": [\n    {\n      "name": "dns",\n      "containers": [\n        {\n'
        '          "name": "c1",\n          "image": "coredns/coredns",\n'
        '          "restartCount": 1,\n          "lastRestartReason": ""\n        }\n'
        "      ]\n    }\n  ]\n}\n"
    )
    assert not outcome.verdicts


def test_a_pod_that_came_meanwhile_counts_from_nothing() -> None:
    measured = counted(4, 4)
    put(measured, 3, "new")
    pods = document(measured.perform("gather", **ON))["pods"]
    assert {each["name"]: each["containers"][0]["restartCount"] for each in pods} == {
        "dns": 0,
        "new": 3,
    }


@pytest.mark.parametrize(
    ("overrides", "is_fine"),
    [
        ("", False),
        ("c1: 2", True),
        ("c1: 1", False),
        ("default: 2", True),
        ("default: 2\nc1: 1", False),
        ("other: 9", False),
        ("{c1: 2}", True),
    ],
)
def test_restarts_are_judged_by_container_or_by_default(overrides: str, is_fine: bool) -> None:
    measured = counted(0, 2)
    outcome = measured.perform("gather", restartCountThresholdOverrides=overrides, **CHECKED)
    limit = 1 if "c1: 1" in overrides else 0
    error = f"restart counts violation: RestartCount(dns, c1)=2, want <= {limit}"
    assert outcome.errors == (() if is_fine else (error,))
    assert [verdict.passed for verdict in outcome.verdicts] == [is_fine]


def test_failures_can_be_switched_off() -> None:
    outcome = counted(0, 2).perform("gather", systemPodsFailureEnabled=False, **CHECKED)
    assert not outcome.errors
    assert outcome.warnings == ("restart counts violation: RestartCount(dns, c1)=2, want <= 0",)


def test_what_happens_in_a_pause_does_not_count() -> None:
    measured = counted(0, 1)
    measured.perform("pause")
    put(measured, 5)
    measured.perform("unpause")
    put(measured, 6)
    (found,) = document(measured.perform("gather", **ON))["pods"]
    assert found["containers"][0]["restartCount"] == 1


def test_a_pause_before_the_start_means_nothing() -> None:
    measured = Measured("SystemPodMetrics")
    assert not measured.perform("unpause").errors
    assert measured.perform("gather", **ON).errors == ("start needs to be executed before gather",)


def test_how_a_container_ended_is_told_in_the_words_of_the_api() -> None:
    measured = counted(0, 0)
    ended = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-01-01T00:00:05Z"}
    put(measured, 1, lastState={"terminated": ended})
    (found,) = document(measured.perform("gather", **ON))["pods"]
    assert found["containers"][0]["lastRestartReason"] == (
        "&ContainerStateTerminated{ExitCode:137,Signal:0,Reason:OOMKilled,Message:,"
        "StartedAt:0001-01-01 00:00:00 +0000 UTC,FinishedAt:2026-01-01 00:00:05 +0000 UTC,"
        "ContainerID:,}"
    )


@pytest.mark.parametrize("overrides", ["- c1", "c1: many", "c1: true", "c1", "c1: [", "2020-99-99"])
def test_overrides_that_are_no_numbers_are_refused(overrides: str) -> None:
    outcome = counted(0, 1).perform("gather", restartCountThresholdOverrides=overrides, **CHECKED)
    (error,) = outcome.errors
    assert "params.restartCountThresholdOverrides" in error


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("registry.k8s.io/dns/node-cache:1.22.0", "dns/node-cache"),
        ("host.example:5000/tool:tag", "tool"),
        ("example.com/a/b/tool@sha256:12345", "a/b/tool"),
        ("busybox", "busybox"),
        ("", ""),
        ("team/tool:tag", "team/tool"),
    ],
)
def test_images_are_told_without_registry_tag_and_digest(image: str, name: str) -> None:
    assert system_pods.image_name(image) == name


def test_without_a_system_pod_there_is_no_sample() -> None:
    measured = Measured("SystemPodMetrics")
    measured.perform("start", **ON)
    (verdict,) = measured.perform("gather", **ON).verdicts
    assert (verdict.name, verdict.is_empty) == ("SystemPodMetrics", True)
