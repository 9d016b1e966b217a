"""The state of a pod, and what is said of pods that do not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.measure.waits import pod_status
from tests.measure.making import pod

if TYPE_CHECKING:
    from kubestage.aliases import Json


@pytest.mark.parametrize(
    ("obj", "state"),
    [
        (pod("a"), "RunningAndReady"),
        (pod("a", ready=False), "RunningButNotReady"),
        (pod("a", phase="Pending"), "PendingScheduled"),
        (pod("a", phase="Unscheduled"), "PendingNotScheduled"),
        (pod("a", phase="Succeeded"), "Inactive"),
        (pod("a", phase="Failed"), "Inactive"),
        (pod("a", phase="Unknown"), "Unknown"),
        (pod("a", deletionTimestamp="2026-01-01T00:00:00Z"), "Terminating"),
        ({"metadata": {}}, "Unknown"),
        ({"metadata": {}, "status": {"phase": "Running"}}, "RunningButNotReady"),
    ],
)
def test_a_pod_is_in_one_state(obj: Json, state: str) -> None:
    assert pod_status.state_of(obj) == state


def test_the_summary_is_worded_as_clusterloader2_words_it() -> None:
    counts = {"Terminating": 1, "RunningAndReady": 2, "PendingNotScheduled": 3, "Inactive": 4}
    assert pod_status.summary(lambda state: counts.get(str(state), 0), 10, 5, 2) == (
        "Pods: 9 created, 5 desired, 2 running (2 updated), 0 pending scheduled, "
        "3 not scheduled, 4 inactive, 1 terminating, 0 unknown, 0 runningButNotReady "
    )


def with_status(name: str, **status: Any) -> Json:
    return {**pod(name), "status": {"phase": "Pending", **status}}


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (
            {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                             "message": "0/3 nodes"}]},
            "ns/a (PendingScheduled: Unschedulable 0/3 nodes)",
        ),
        (
            {"containerStatuses": [{"name": "c", "state": {"waiting": {
                "reason": "ImagePullBackOff"}}}]},
            "ns/a (PendingScheduled: container c: ImagePullBackOff)",
        ),
        ({"phase": "Failed", "reason": "Evicted", "message": "low"},
         "ns/a (Inactive: Evicted low)"),
        ({"reason": "x" * 300}, f"ns/a (PendingScheduled: {'x' * 197}...)"),
        ({}, "ns/a (PendingScheduled)"),
    ],
)  # fmt: skip
def test_a_bad_pod_is_named_with_what_the_cluster_says_of_it(status: Json, said: str) -> None:
    assert pod_status.describe([pod("fine"), with_status("a", **status)]) == said


def test_many_bad_pods_are_counted() -> None:
    said = pod_status.describe([pod(f"p{number:02}", phase="Pending") for number in range(12)])
    assert said.startswith("ns/p00 (PendingScheduled), ns/p01 ")
    assert said.endswith("ns/p09 (PendingScheduled), and 2 more")
    assert pod_status.describe([pod("a")]) == ""
