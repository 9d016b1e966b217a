"""A trace is one that viewers accept: complete fields, slices that nest, names for all lanes."""

from __future__ import annotations

import collections
import math
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.results.history import perfetto
from kubestage.results.history.cluster_history import ClusterHistory
from kubestage.testing import make_job
from tests.results.history.pod_lives import lived, rows_of

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.results.history.perfetto import GroupBy

FIELDS = {
    "M": {"name", "pid", "tid", "args"},
    "X": {"name", "cat", "ts", "dur", "pid", "tid", "args"},
    "i": {"name", "cat", "ts", "pid", "tid", "args", "s"},
    "C": {"name", "ts", "pid", "tid", "args"},
    "s": {"name", "cat", "ts", "pid", "tid", "id"},
    "f": {"name", "cat", "ts", "pid", "tid", "id", "bp"},
}


def check(trace: dict[str, Any]) -> None:
    """What the Trace Event Format demands, and what Perfetto demands besides."""
    events = trace["traceEvents"]
    last = 0.0
    for event in events:
        assert event.keys() - {"ph"} == FIELDS[event["ph"]], event
        if event["ph"] != "M":
            assert last <= event["ts"] < math.inf
            last = event["ts"]
    for event in (each for each in events if each["ph"] == "X"):
        assert event["dur"] > 0
        assert event["name"]
    check_nesting(events)
    check_names(events)
    check_flows(events)
    for event in (each for each in events if each["ph"] == "C"):
        assert all(isinstance(value, (int, float)) for value in event["args"].values())


def check_nesting(events: list[dict[str, Any]]) -> None:
    """On each thread a slice lies within the one that is open, or begins after its end."""
    open_: dict[tuple[int, int], list[float]] = collections.defaultdict(list)
    for event in (each for each in events if each["ph"] == "X"):
        stack = open_[event["pid"], event["tid"]]
        begin, end = round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)
        while stack and stack[-1] <= begin:
            stack.pop()
        assert not stack or end <= stack[-1], event
        assert len(stack) < 2
        stack.append(end)


def check_names(events: list[dict[str, Any]]) -> None:
    processes = [each["pid"] for each in events if each["name"] == "process_name"]
    threads = [(each["pid"], each["tid"]) for each in events if each["name"] == "thread_name"]
    assert len(set(processes)) == len(processes)
    assert len({tid for _, tid in threads}) == len(threads)
    for event in events:
        assert event["pid"] in processes
        if event["ph"] in "Xisf":
            assert (event["pid"], event["tid"]) in threads


def check_flows(events: list[dict[str, Any]]) -> None:
    begun = [each["id"] for each in events if each["ph"] == "s"]
    ended = [each["id"] for each in events if each["ph"] == "f"]
    assert sorted(begun) == sorted(ended)
    assert len(set(begun)) == len(begun)
    for event in (each for each in events if each["ph"] in "sf"):
        # An arrow is drawn between slices: at its ends there has to be one.
        assert any(
            each["ph"] == "X"
            and (each["pid"], each["tid"]) == (event["pid"], event["tid"])
            and each["ts"] <= event["ts"] <= each["ts"] + each["dur"]
            for each in events
        )


@pytest.fixture(scope="module")
def rows() -> dict[str, Any]:
    return rows_of(lived()[1])


@pytest.mark.parametrize("group_by", perfetto.GROUPS)
def test_a_trace_is_accepted_by_viewers(rows: dict[str, Any], group_by: GroupBy) -> None:
    trace = perfetto.trace(rows, group_by)
    check(trace)
    assert trace["otherData"]["begin"] == rows["begin"]
    assert {each["ph"] for each in trace["traceEvents"]} == set(FIELDS)


def test_pods_that_finished_long_ago_need_no_lane() -> None:
    stage, _ = lived()
    history = ClusterHistory(stage.store, stage.clock)
    history.start()
    stage.apply([make_job("more", completions=4, parallelism=1, cpu="100m")])
    stage.run("2m")
    assert sum(pod["status"]["phase"] == "Succeeded" for pod in pods_of(stage)) >= 4
    trace = perfetto.trace(rows_of(history), "workload")
    check(trace)
    processes = named(trace, "process_name")
    lanes = {
        each["tid"]
        for each in trace["traceEvents"]
        if each["ph"] == "X" and processes[each["pid"]] == "batch/Job/default/more"
    }
    assert len(lanes) == 1


def pods_of(stage: Stage) -> list[dict[str, Any]]:
    return list(stage.store.read(("v1", "Pod")).values())


def named(trace: dict[str, Any], what: str) -> dict[int, str]:
    key = "pid" if what == "process_name" else "tid"
    events = [each for each in trace["traceEvents"] if each["name"] == what]
    return {each[key]: each["args"]["name"] for each in events}


def test_processes_are_nodes(rows: dict[str, Any]) -> None:
    trace = perfetto.trace(rows, "node")
    processes = named(trace, "process_name")
    assert list(processes.values()) == ["Cluster", "Pods without a node", "a", "b"]
    where = {
        (processes[each["pid"]], each["name"]) for each in trace["traceEvents"] if each["ph"] == "X"
    }
    assert ("Pods without a node", "huge") in where
    assert ("b", "cordoned") in where
    assert ("Pods without a node", "ready") not in where
    high = [each for each in trace["traceEvents"] if each["name"] == "high"]
    places = [processes[each["pid"]] for each in high]
    assert places[0] == "Pods without a node"
    assert places[1] in ("a", "b")
    assert high[1]["args"]["requested cpu"] == 1.5
    assert high[1]["args"]["priority"] == 100


def test_processes_are_workloads(rows: dict[str, Any]) -> None:
    trace = perfetto.trace(rows, "workload")
    processes = named(trace, "process_name")
    assert set(processes.values()) == {
        "Cluster",
        "Pods without a workload",
        "apps/Deployment/default/web",
        "batch/Job/default/task",
    }
    replicas = [each for each in trace["traceEvents"] if each["name"] == "replicas"]
    web = [each["args"] for each in replicas if "web" in processes[each["pid"]]]
    assert {"desired": 2, "ready": 2} in web


def test_attempts_have_their_result(rows: dict[str, Any]) -> None:
    events = perfetto.trace(rows)["traceEvents"]
    attempts = [each["args"] for each in events if each.get("cat") == "attempt"]
    results = collections.Counter(each["result"] for each in attempts)
    failed = sum(kind == "unschedulable" for _, kind, *_ in rows["instants"])
    assert results["unschedulable"] == failed > 1
    with_node = {pod for _, pod, _, node, *_ in rows["slices"] if node >= 0}
    assert results["scheduled"] == len(with_node)
    assert all(each["message"] for each in attempts if each["result"] == "unschedulable")


def test_counters_follow_the_cluster(rows: dict[str, Any]) -> None:
    trace = perfetto.trace(rows, "node")
    processes = named(trace, "process_name")
    counters: dict[tuple[str, str], list[float]] = collections.defaultdict(list)
    for each in trace["traceEvents"]:
        if each["ph"] == "C":
            (value,) = each["args"].values()
            counters[processes[each["pid"]], each["name"]].append(value)
    # The pod that fits nowhere waits, and after the loss of a node others do.
    assert counters["Cluster", "pending"][-1] >= 2
    shares = counters["a", "requested cpu"]
    assert 50 in shares
    assert max(shares) <= 100
    assert counters["b", "requested cpu"][-1] == 0
