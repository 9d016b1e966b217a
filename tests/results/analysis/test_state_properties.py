"""Sums that are kept equal sums that are made anew, at the end of every step of any story."""

from __future__ import annotations

import collections
from typing import Any

import hypothesis
from hypothesis import strategies as st

from kubestage.results import analysis
from tests.results.analysis.stories import Story

NODES = ("n0", "n1", "n2")
PODS = ("p0", "p1", "p2", "p3")
CORES = {"1": 1000, "500m": 500, "250m": 250, "3": 3000}

Operation = tuple[str, str, str, str]
operations = st.lists(
    st.tuples(
        st.sampled_from(
            ("node", "no node", "pod", "placed", "bind", "refuse", "preempt", "delete", "finish",
             "step")
        ),
        st.sampled_from(NODES),
        st.sampled_from(PODS),
        st.sampled_from(sorted(CORES)),
    ),
    max_size=60,
)  # fmt: skip


class Naive:
    """What there is, and nothing else; every sum is made when it is asked for."""

    def __init__(self) -> None:
        self.nodes: dict[str, int] = {}
        self.pods: dict[str, dict[str, Any]] = {}
        self.ends: list[tuple[Any, ...]] = []

    def end(self) -> None:
        taking = [pod for pod in self.pods.values() if not pod["over"]]
        placed = collections.Counter[str]()
        for pod in taking:
            if pod["node"] in self.nodes:
                placed[pod["node"]] += pod["cpu"]
        pending = {name for name, pod in self.pods.items() if not (pod["node"] or pod["over"])}
        self.ends.append(
            (
                sum(self.nodes.values()),
                placed.total(),
                {name: placed[name] for name in self.nodes},
                sum(1 for pod in taking if pod["node"] in self.nodes),
                pending,
                sorted(pod["cpu"] for pod in taking),
            )
        )


def _tell(told: list[Operation], uids: bool) -> tuple[Story, Naive]:
    story, naive, step = Story(uids=uids).step(0), Naive(), 0
    for operation, node, pod, cpu in told:
        known = naive.pods.get(pod)
        waits = known is not None and not known["node"] and not known["over"]
        if operation == "step":
            naive.end()
            step += 1
            story.step(step)
        elif operation == "node":
            story.node(node, cpu=cpu)
            naive.nodes[node] = CORES[cpu]
        elif operation == "no node":
            story.delete("Node", node)
            naive.nodes.pop(node, None)
        elif operation == "pod":
            story.pod(pod, cpu=cpu)
            naive.pods[pod] = {"cpu": CORES[cpu], "node": "", "over": False}
        elif operation == "placed":
            story.pod(pod, cpu=cpu, node_name=node)
            naive.pods[pod] = {"cpu": CORES[cpu], "node": node, "over": False}
        elif operation == "bind" and (known is None or waits):
            _bind(story, naive, pod, node, cpu)
        elif operation == "refuse" and waits:
            story.refuse(pod)
        elif operation == "preempt" and known is not None and not waits:
            story.preempt(pod, by="p9")
            del naive.pods[pod]
        elif operation == "delete":
            story.delete("Pod", pod)
            naive.pods.pop(pod, None)
        elif operation == "finish" and known is not None:
            story.finish(pod)
            known["over"] = True
    naive.end()
    return story, naive


def _bind(story: Story, naive: Naive, pod: str, node: str, cpu: str) -> None:
    if pod in naive.pods:
        story.bind(pod, node)
        naive.pods[pod]["node"] = node
    else:
        story.bind(pod, node, cpu=cpu)
        naive.pods[pod] = {"cpu": CORES[cpu], "node": node, "over": False}


@hypothesis.given(operations, st.booleans())
@hypothesis.settings(max_examples=300)
def test_kept_sums_equal_sums_made_anew(told: list[Operation], uids: bool) -> None:
    story, naive = _tell(told, uids)
    ends = [
        (
            state.allocatable.get("cpu", 0),
            state.requested.get("cpu", 0),
            {name: node.requested.get("cpu", 0) for name, node in state.nodes.items()},
            state.requested.get("pods", 0),
            {pod.key.removeprefix("default/") for pod in state.pending.values()},
            sorted(state.demand["cpu"].elements()),
        )
        for _, state in analysis.step_ends(story.status())
    ]
    assert ends == naive.ends


@hypothesis.given(operations, st.booleans())
def test_tables_agree_with_one_another(told: list[Operation], uids: bool) -> None:
    story, _ = _tell(told, uids)
    run = analysis.digest(story.status())
    summary = analysis.summary(run)
    counts = collections.Counter(analysis.table(run, "pods").column("status"))
    parts = (
        summary.scheduled + summary.finished + summary.pending + summary.gated,
        summary.preempted + summary.deleted,
    )
    assert sum(parts) == summary.pods == counts.total() == len(run.pods)
    steps = analysis.table(run, "steps")
    assert sum(steps.column("created")) == summary.pods
    assert sum(steps.column("preempted")) == summary.preempted
    assert steps.column("pending")[-1] == counts["Pending"]
    assert len(analysis.table(run, "preemptions").rows) == counts["Preempted"]
    requested: collections.Counter[tuple[int, str]] = collections.Counter()
    for row in analysis.table(run, "nodes").records():
        requested[row["step"], row["resource"]] += row["requested"]
    for row in analysis.table(run, "allocation").records():
        assert requested[row["step"], row["resource"]] == row["requested"]
    for row in analysis.table(run, "balance").records():
        assert row["nodes"] == 0 or row["min"] <= row["mean"] + 1e-9 <= row["max"] + 2e-9
    for row in analysis.table(run, "fragmentation").records():
        assert 0 <= row["stranded"] <= row["free"]


@hypothesis.given(operations, st.booleans())
def test_a_run_that_is_cut_off_is_the_beginning_of_the_run(
    told: list[Operation], uids: bool
) -> None:
    story, _ = _tell(told, uids)
    whole = analysis.digest(story.status()).steps
    middle = whole[len(whole) // 2].step
    cut = analysis.digest(analysis.until(story.status(), middle)).steps
    assert cut == whole[: len(cut)]
    assert cut[-1].step == middle
