"""ClusterOOMsTracker tells kills during the test from those before it and those to be ignored."""

from __future__ import annotations

from typing import Any

from tests.measure.components.measured import Measured, document, pod

MESSAGE = "Killed process 42 (stress) total-vm:1024kB, anon-rss:1kB, file-rss:2kB, shmem-rss:0kB"
ON = {"clusterOOMsTrackerEnabled": True}


def event(name: str, time: str, message: str = MESSAGE, **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "default", "name": name},
        "reason": "OOMKilling",
        "involvedObject": {"kind": "Node", "name": "n1"},
        "firstTimestamp": time,
        "message": message,
        **more,
    }


def tracked(*, is_stage: bool = False, **params: Any) -> Measured:
    """Started a minute into the year."""
    measured = Measured("ClusterOOMsTracker", is_stage=is_stage)
    measured.cluster.put(event("before", "2026-01-01T00:00:30Z"))
    measured.cluster.moments.run(60)
    measured.perform("start", **ON, **params)
    return measured


def test_it_is_off_unless_it_is_switched_on() -> None:
    measured = Measured("ClusterOOMsTracker")
    assert measured.perform("start").skipped == "clusterOOMsTrackerEnabled is not set"
    assert not measured.cluster.watches


def test_a_kill_during_the_test_fails_it() -> None:
    measured = tracked()
    measured.cluster.put(event("e1", "2026-01-01T00:02:00Z"))
    measured.cluster.moments.run(60)
    outcome = measured.perform("gather", **ON)
    (error,) = outcome.errors
    assert error == (
        "OOMs recorded: [{Node:n1 Process:stress ProcessMemory:1024kB ProcessID:42 "
        "Time:2026-01-01 00:02:00 +0000 UTC}]"
    )
    row = {"node": "n1", "process": "stress", "memory": "1024kB", "pid": "42"}
    assert document(outcome) == {
        "failures": [{**row, "time": "2026-01-01T00:02:00Z"}],
        "ignored": [],
        "past": [{**row, "time": "2026-01-01T00:00:30Z"}],
    }


def test_a_kill_is_only_told_where_failure_is_switched_off() -> None:
    measured = tracked()
    measured.cluster.put(event("e1", "2026-01-01T00:02:00Z"))
    outcome = measured.perform("gather", clusterOOMsFailureEnabled=False, **ON)
    assert not outcome.errors
    assert outcome.warnings
    (verdict,) = outcome.verdicts
    assert not verdict.passed
    assert not verdict.is_enforced


def test_processes_can_be_ignored_by_name() -> None:
    measured = tracked(clusterOOMsIgnoredProcesses="a,stress")
    measured.cluster.put(event("e1", "2026-01-01T00:02:00Z"))
    measured.cluster.put(event("e2", "2026-01-01T00:02:00Z", "nobody knows"))
    outcome = measured.perform("gather", **ON)
    kinds = {kind: [row["process"] for row in rows] for kind, rows in document(outcome).items()}
    assert kinds == {"failures": [""], "ignored": ["stress"], "past": ["stress"]}


def test_an_unknown_message_is_not_ignored_where_nothing_is() -> None:
    measured = tracked()
    measured.cluster.put(event("e2", "2026-01-01T00:02:00Z", "nobody knows"))
    assert measured.perform("gather", **ON).errors


def test_the_time_of_an_event_with_fractions_comes_first() -> None:
    measured = tracked()
    exact = "2026-01-01T00:02:00.120000Z"
    measured.cluster.put(event("e1", "2026-01-01T00:00:00Z", eventTime=exact))
    (row,) = document(measured.perform("gather", **ON))["failures"]
    assert row["time"] == "2026-01-01T00:02:00.12Z"


def test_gathering_without_a_start_is_an_error() -> None:
    measured = Measured("ClusterOOMsTracker")
    outcome = measured.perform("gather", **ON)
    assert outcome.errors == ("measurement ClusterOOMsTracker has not been started",)


def killed(finished: str, *, is_last: bool) -> dict[str, Any]:
    ended = {"terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": finished}}
    status: dict[str, Any] = {"name": "app", "restartCount": 1 if is_last else 0}
    status |= {"lastState": ended, "state": {"running": {}}} if is_last else {"state": ended}
    shape: dict[str, Any] = {"containerStatuses": [status]}
    return pod("p1", namespace="ns", spec={"nodeName": "n7"}, status=shape)


def test_on_a_stage_killed_containers_count_each_once() -> None:
    measured = tracked(is_stage=True)
    measured.cluster.put(killed("2026-01-01T00:02:00Z", is_last=False))
    measured.cluster.put(killed("2026-01-01T00:02:00Z", is_last=True))
    measured.cluster.put(killed("2026-01-01T00:03:00Z", is_last=True))
    failures = document(measured.perform("gather", **ON))["failures"]
    assert [(row["node"], row["process"], row["time"]) for row in failures] == [
        ("n7", "app", "2026-01-01T00:02:00Z"),
        ("n7", "app", "2026-01-01T00:03:00Z"),
    ]


def test_on_a_real_cluster_pods_are_not_watched() -> None:
    measured = tracked(is_stage=False)
    assert [watch.selection.resource.kind for watch in measured.cluster.watches] == ["Event"]
    measured.measurements.dispose()
    assert all(watch.is_stopped for watch in measured.cluster.watches)


def test_an_event_that_is_told_again_counts_once() -> None:
    measured = tracked()
    told = measured.cluster.put(event("e1", "2026-01-01T00:02:00Z"))
    measured.cluster.moments.run()
    measured.cluster.watches[0].tell(told, measured.cluster.moments.now_ns, is_there=True)
    assert len(document(measured.perform("gather", **ON))["failures"]) == 1
