"""Lives as slices: every moment has the phase that the pod had then, however rows were read."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from kubestage.results.history import slices_phases, slices_stays
from kubestage.results.history.cluster_history import ClusterHistory, HistoryLimits
from kubestage.results.history.slices import Slices
from tests.results.history.pod_lives import as_json, lived, rows_of

LISTS = (
    "templates", "nodes", "workloads", "texts", "pods", "slices", "instants", "nodeStates",
    "replicas",
)  # fmt: skip


def phases_at(rows: dict[str, Any], ms: float) -> dict[str, tuple[str, str]]:
    """The phase and the node of each pod at a moment, by its key."""
    last = {}
    for at, pod, phase, node, *_ in rows["slices"]:
        if at <= ms:
            last[pod] = (rows["phases"][phase], "" if node < 0 else rows["nodes"][node])
    return {
        f"{rows['templates'][rows['pods'][pod][1]]['namespace']}/{rows['pods'][pod][0]}": found
        for pod, found in last.items()
        if found[0] != "gone"
    }


def phases_recorded(history: ClusterHistory, unix_ns: int) -> dict[str, tuple[str, str]]:
    pods = history.objects_at(unix_ns).get(("", "pods"), {})
    return {
        key: (
            slices_phases.PHASES[slices_phases.phase_of(pod)[0]],
            pod["spec"].get("nodeName") or "",
        )
        for key, pod in pods.items()
    }


def starting(phases: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The same without what only Events tell."""
    return {
        key: ("starting" if phase == "pulling" else phase, node)
        for key, (phase, node) in phases.items()
    }


def test_each_moment_has_the_phase_that_the_pod_had() -> None:
    _, history = lived()
    rows = rows_of(history)
    seen = set()
    for unix_ns in sorted({*history.times, history.end_ns}):
        ms = round((unix_ns - history.begin_ns) / 1e6, 6)
        found = phases_at(rows, ms)
        assert starting(found) == phases_recorded(history, unix_ns)
        seen |= {phase for phase, _ in found.values()}
    expected = {"unschedulable", "starting", "pulling", "ready", "terminating", "succeeded"}
    assert expected <= seen


def test_what_happened_at_an_instant_is_told_with_its_pods() -> None:
    _, history = lived()
    rows = rows_of(history)
    names = [name for name, _ in rows["pods"]]
    told = {(kind, names[pod]) for _, kind, pod, *_ in rows["instants"]}
    assert ("unschedulable", "huge") in told
    victim, by, text = next(
        (names[pod], names[other], rows["texts"][place])
        for _, kind, pod, place, other in rows["instants"]
        if kind == "preemption"
    )
    assert by == "high"
    assert text.startswith("Preempted by pod ")
    assert ("preemption", victim) in told
    evicted = [
        rows["texts"][place] for _, kind, _, place, _ in rows["instants"] if kind == "eviction"
    ]
    assert any(text.startswith("DeletionByPodGC") for text in evicted)


def test_nodes_and_workloads_have_their_own_rows() -> None:
    _, history = lived()
    rows = rows_of(history)
    states = {
        name: [state[:2] for _, node, *state in rows["nodeStates"] if rows["nodes"][node] == name]
        for name in rows["nodes"]
    }
    assert states == {"a": [[1, 0]], "b": [[1, 0], [1, 1], []]}
    web = rows["workloads"].index("apps/Deployment/default/web")
    counts = [tuple(row[2:]) for row in rows["replicas"] if row[1] == web]
    assert (2, 0) in counts
    assert (2, 2) in counts
    assert counts[-1][0] == 3
    owners = {each["workload"] for each in rows["templates"]}
    assert owners == {"", "apps/Deployment/default/web", "batch/Job/default/task"}


@pytest.mark.parametrize("stride", [1, 2, 5])
def test_rows_read_in_parts_are_the_rows_of_the_whole(stride: int) -> None:
    parts: list[dict[str, Any]] = []
    made: list[Slices] = []
    steps = 0

    def read(history: ClusterHistory) -> None:
        nonlocal steps
        steps += 1
        if steps % stride:
            return
        if not made:
            made.append(Slices(history))
        for _ in made[0].catch_up():
            pass
        after = parts[-1]["sequence"] if parts else None
        parts.append(as_json(made[0].answer(after)))

    _, history = lived(on_step=read)
    steps = stride - 1
    read(history)
    whole = rows_of(history)
    for name in LISTS:
        assert [row for part in parts for row in part[name]] == whole[name]
    assert parts[-1]["sequence"] == whole["sequence"]
    assert parts[-1]["end"] == whole["end"]


def test_a_reader_who_left_half_way_leaves_no_half_rows() -> None:
    _, history = lived(HistoryLimits(most_changes=40))
    slices = Slices(history)
    next(slices.catch_up(), None)
    for _ in slices.catch_up():
        pass
    assert as_json(slices.answer()) == rows_of(history)


def test_a_short_history_begins_with_the_state_that_it_has() -> None:
    _, history = lived(HistoryLimits(most_changes=40))
    assert history.forgotten
    rows = rows_of(history)
    assert not rows["isWhole"]
    assert starting(phases_at(rows, 0)) == phases_recorded(history, history.begin_ns)
    assert starting(phases_at(rows, 1e12)) == phases_recorded(history, history.end_ns)


def test_rows_begin_again_when_changes_were_forgotten_unread() -> None:
    stage, history = lived(HistoryLimits(most_changes=40))
    slices = Slices(history)
    for _ in slices.catch_up():
        pass
    floor = slices.floor
    for number in range(20):
        stage.store.patch(("v1", "Node"), "a", {"metadata": {"labels": {"n": str(number)}}})
    for number in range(80):
        labels = {"metadata": {"labels": {"n": str(number)}}}
        stage.store.patch(("v1", "Pod"), "huge", labels, namespace="default")
    for _ in slices.catch_up():
        pass
    assert slices.floor > floor
    assert as_json(slices.answer()) == rows_of(history)


def test_lanes_are_as_many_as_pods_at_once_and_never_shared() -> None:
    _, history = lived()
    rows = rows_of(history)
    stays = [
        each
        for each in slices_stays.stays(slices_stays.lives(rows), lambda segment: segment.node)
        if each.group == rows["nodes"].index("b")
    ]
    lanes = slices_stays.put_on_lanes(stays)
    # Three pods of the Job followed one another beside the others.
    moments = {each.begin_ms for each in stays}
    at_once = max(sum(s.begin_ms <= ms < s.busy_ms for s in stays) for ms in moments)
    assert lanes == at_once < len(stays)
    for lane in range(lanes):
        there = sorted((s.begin_ms, s.end_ms) for s in stays if s.lane == lane)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(there))


def pod(**parts: Any) -> dict[str, Any]:
    return {"metadata": parts.pop("metadata", {}), "spec": {"nodeName": parts.pop("node", "a")}} | {
        "status": parts
    }


def container(**state: Any) -> list[dict[str, Any]]:
    return [{"name": "c", "restartCount": 2, "state": state}]


@pytest.mark.parametrize(
    ("found", "phase", "reason"),
    [
        (pod(node="", phase="Pending"), "waiting", ""),
        (
            pod(
                node="",
                conditions=[
                    {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
                ],
            ),
            "waiting",
            "SchedulingGated",
        ),
        (
            pod(phase="Pending", containerStatuses=container(waiting={"reason": "ErrImagePull"})),
            "starting",
            "ErrImagePull",
        ),
        (
            pod(phase="Pending", initContainerStatuses=container(running={})),
            "initializing",
            "",
        ),
        (
            pod(
                phase="Running", containerStatuses=container(waiting={"reason": "CrashLoopBackOff"})
            ),
            "crashing",
            "CrashLoopBackOff",
        ),
        (
            pod(
                phase="Running",
                conditions=[
                    {"type": "Ready", "status": "False", "reason": "ContainersNotReady"},
                ],
            ),
            "running",
            "ContainersNotReady",
        ),
        (pod(phase="Failed", reason="Evicted"), "failed", "Evicted"),
        (pod(metadata={"deletionTimestamp": "x"}, phase="Running"), "terminating", ""),
    ],
)
def test_phases_and_their_reasons(found: dict[str, Any], phase: str, reason: str) -> None:
    number, text = slices_phases.phase_of(found)
    assert (slices_phases.PHASES[number], text) == (phase, reason)


def test_restarts_are_instants() -> None:
    stage, history = lived()
    statuses = [{"name": "c", "restartCount": 3, "ready": True, "image": "a", "imageID": ""}]
    key = next(key for key in stage.store.read(("v1", "Pod")) if "web" in key)
    changed = stage.store.read(("v1", "Pod"))[key]
    status = {**changed["status"], "containerStatuses": statuses}
    stage.store.update({**changed, "status": status}, subresource="status")
    rows = rows_of(history)
    _, kind, number, text, _ = rows["instants"][-1]
    assert (kind, rows["texts"][text]) == ("restart", "restart 3")
    assert rows["pods"][number][0] == key.partition("/")[2]
