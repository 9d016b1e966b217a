"""A brief attempt ends as one that says why: same node, same counts, same calls of plugins."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from kubestage import Stage
from kubestage.scheduler import brief_filters
from kubestage.scheduler.framework import unschedulable
from kubestage.testing import make_node, make_pod

PROFILE = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
profiles:
- plugins:
    multiPoint:
      enabled: [ENABLED]
      DISABLED
"""
ALONE = "disabled: [{name: '*'}]"
FIRST = "{name: Even}, {name: PrioritySort}, {name: NodeResourcesFit}, {name: DefaultBinder}"
LAST = "{name: NodeResourcesFit}, {name: Even}, {name: PrioritySort}, {name: DefaultBinder}"
calls: list[Any] = []


class Even:
    """Rejects every third node for some pods, and scores by the pods on a node."""

    name = "Even"
    depends_on = "node"

    def __init__(self, args: Any, handle: Any) -> None: ...

    def pod_key(self, pod: Any) -> Any:
        """Half of the pods are alike."""
        return len(pod.name) % 2, pod.requests.milli_cpu

    def filter(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        """Note the rows."""
        calls.append(("filter", pod.name, rows.tolist()))
        if len(pod.name) % 2:
            return None
        return (rows % 3 == 0).astype(np.int32) + (columns.pod_count[rows] > 4)

    def status(self, state: Any, pod: Any, code: Any) -> Any:
        """Two reasons."""
        return unschedulable(f"reason {code}")

    def score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        """Note the rows."""
        calls.append(("score", pod.name, rows.tolist()))
        return columns.pod_count[rows] % 100


def _run(seed: int, profile: str, **options: Any) -> tuple[bytes, list[Any]]:
    chosen = random.Random(seed)
    stage = Stage(seed=seed)
    for at in range(chosen.choice((1, 7, 130))):
        taints = ["team=a:NoSchedule"] if chosen.random() < 0.2 else []
        stage.apply([make_node(f"n{at}", cpu=str(chosen.choice((2, 8))), taints=taints)])
    stage.add_scheduler(profile, plugins={"Even": Even}, **options)
    calls.clear()
    for at in range(40):
        stage.apply([make_pod(f"p{at}", cpu=chosen.choice(("500m", "1", "4")))])
        if at % 10 == 9:
            stage.run("1s")
    assert stage.scheduler is not None
    return stage.scheduler.record.lines(), list(calls)


@pytest.mark.parametrize("enabled", [FIRST, LAST, "{name: Even}"], ids=["first", "last", "default"])
@pytest.mark.parametrize("tie_break", ["heap", "first"])
def test_it_ends_as_an_attempt_in_full(
    enabled: str, tie_break: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    disabled = "" if enabled == "{name: Even}" else ALONE
    profile = PROFILE.replace("ENABLED", enabled).replace("DISABLED", disabled)
    used: list[str] = []
    found = brief_filters.feasible

    def noted(*args: Any) -> Any:
        used.append("brief")
        return found(*args)

    monkeypatch.setattr(brief_filters, "feasible", noted)
    for seed in range(6):
        brief = _run(seed, profile, recording="decisions", tie_break=tie_break)
        assert used
        used.clear()
        in_full = _run(seed, profile, recording="full", tie_break=tie_break)
        assert not used
        assert brief == in_full


def test_rows_come_from_a_row_on_and_then_around() -> None:
    chosen = np.array([True, False, True, True, False])
    assert [brief_filters.in_order(chosen, start).tolist() for start in (0, 1, 3, 4)] == [
        [0, 2, 3], [2, 3, 0], [3, 0, 2], [0, 2, 3],
    ]  # fmt: skip
