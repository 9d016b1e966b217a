"""What is kept about weaker pods is what counting them anew tells."""

from __future__ import annotations

from typing import Any

import hypothesis
import numpy as np
from hypothesis import strategies as st

from kubestage.scheduler.lower_priority_pods import LowerPriorityPods
from tests.scheduler.plugins import clusters

GPU = clusters.GPU
PRIORITIES = (-5, 0, 10, 50)
AMOUNTS: Any = st.fixed_dictionaries(
    {},
    optional={
        "cpu": st.sampled_from(["100m", "2"]),
        "memory": st.just("1Gi"),
        "ephemeral-storage": st.just("2Gi"),
        GPU: st.sampled_from(["1", "3"]),
        "example.com/fpga": st.just("2"),
    },
)


def _counted(over: Any, priority: int) -> list[dict[str, int]]:
    """The pods below a priority and what they take up, node by node."""
    found = []
    for info in over.infos:
        lower_priority = [pod for pod in info.pods.values() if pod.priority < priority]
        amounts = {"pods": len(lower_priority)}
        for pod in lower_priority:
            for resource, amount in pod.requests.items():
                amounts[resource] = amounts.get(resource, 0) + amount
        found.append(amounts)
    return found


def _kept(over: Any, priority: int, rows: list[int]) -> list[dict[str, int]]:
    numbers = np.array(rows, np.int64)
    table = over.lower_priority_pods.share(priority, numbers)
    lines = {"pods": 0, **over.resources.line_of}
    told = [
        {name: int(table[line, row]) for name, line in lines.items() if table[line, row]}
        for row in rows
    ]
    assert len(table) == len(over.resources.requested)
    return [{"pods": 0, **each} for each in told]


@hypothesis.given(st.data())
def test_the_answers_follow_pods_that_come_and_go(data: Any) -> None:
    over = clusters.columns([clusters.node(f"node-{number}") for number in range(3)])
    where: dict[str, int] = {}
    for number in range(data.draw(st.integers(1, 12))):
        if where and data.draw(st.booleans()):
            uid = data.draw(st.sampled_from(sorted(where)))
            over.remove_pod(where.pop(uid), uid)
        else:
            priority = data.draw(st.sampled_from(PRIORITIES))
            pod = clusters.pod(f"pod-{number}", data.draw(AMOUNTS), priority=priority)
            where[pod.uid] = data.draw(st.integers(0, 2))
            over.add_pod(where[pod.uid], pod)
        if data.draw(st.booleans()):
            asked = data.draw(st.sampled_from(PRIORITIES))
            wanted = _counted(over, asked)
            rows = data.draw(st.lists(st.integers(0, 2), unique=True))
            holding = over.lower_priority_pods.are_on(asked).tolist()
            assert holding == [each["pods"] > 0 for each in wanted]
            assert _kept(over, asked, rows) == [wanted[row] for row in rows]


def test_a_node_without_pods_holds_nobody_weaker_than_anybody() -> None:
    over = clusters.columns([clusters.node("node")])
    assert over.lower_priority_pods.are_on(2_000_001_000).tolist() == [False]


def test_more_priorities_than_are_kept_are_counted_again() -> None:
    over = clusters.columns([clusters.node("node")])
    for priority in range(40):
        over.add_pod(0, clusters.pod(f"pod-{priority}", {"cpu": "1"}, priority=priority))
    lower_priority, rows = LowerPriorityPods(over), np.array([0])
    for _ in range(2):
        assert [int(lower_priority.share(each, rows)[0, 0]) for each in range(41)] == list(
            range(41)
        )
