"""What a plugin of your own costs: a pod in milliseconds of CPU, and pods a second.

GPU sharing on 1,213 nodes: pods request a share of a device, a plugin keeps what is free of each
device and packs pods onto the fullest device that has room. Once it checks one node at a time,
once all nodes at once on columns; the second one also without the default plugins. Pods are
bound in the store. Run as ``python benchmarks/plugins.py [--pods N] [--profile CASE]``.
"""

# ruff: noqa: ARG002 the methods have the parameters of the contract
from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import time
from typing import Any, Final

import numpy as np

from kubestage import stage as stages
from kubestage.scheduler import config
from kubestage.scheduler.framework import SUCCESS, unschedulable
from kubestage.scheduler.scheduler import Scheduler
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from kubestage.testing import make_node, make_pod

NODES: Final = 1_213
KINDS: Final = 150
WHOLE: Final = 1_000
NO_ROOM: Final = unschedulable("node(s) had no device with room")
SHARE: Final = "gpu-milli"
DEVICES: Final = "gpus"


def share_of(pod: Any) -> int:
    """What a pod requests of one device, in thousandths."""
    return int(pod.annotations[SHARE])


class Scalar:
    """Packs shares of devices, one node at a time."""

    name = "Scalar"
    depends_on = "node"

    def __init__(self, args: Any, handle: Any) -> None:
        self.free: dict[str, list[int]] = {}
        self.taken: dict[str, int] = {}

    def pod_key(self, pod: Any) -> int:
        """Pods with the same share are the same to this plugin."""
        return share_of(pod)

    def pre_filter(self, state: Any, pod: Any, columns: Any) -> Any:
        state[self.name] = share_of(pod)
        return SUCCESS, None

    def filter_node(self, state: Any, pod: Any, node: Any) -> Any:
        return SUCCESS if max(self._devices(node)) >= state[self.name] else NO_ROOM

    def score_node(self, state: Any, pod: Any, node: Any) -> int:
        share: int = state[self.name]
        return 100 - min(free - share for free in self._devices(node) if free >= share) // 10

    def reserve(self, state: Any, pod: Any, node_name: str) -> Any:
        share, free = share_of(pod), self.free[node_name]
        self.taken[pod.uid] = at = min((each, at) for at, each in enumerate(free) if each >= share)[
            1
        ]
        free[at] -= share
        return SUCCESS

    def unreserve(self, state: Any, pod: Any, node_name: str) -> None:
        self.free[node_name][self.taken.pop(pod.uid)] += share_of(pod)

    def _devices(self, node: Any) -> list[int]:
        found = self.free.get(node.name)
        if found is None:
            found = self.free[node.name] = [WHOLE] * int(node.view.labels[DEVICES])
        return found


class OnColumns:
    """The same on columns."""

    name = "OnColumns"
    depends_on = "node"

    def pod_key(self, pod: Any) -> int:
        """Pods with the same share are the same to this plugin."""
        return share_of(pod)

    def __init__(self, args: Any, handle: Any) -> None:
        self.handle = handle
        self.free: Any = None
        self.taken: dict[str, int] = {}

    def pre_filter(self, state: Any, pod: Any, columns: Any) -> Any:
        if self.free is None:
            counts = np.array([int(each.view.labels[DEVICES]) for each in columns.infos])
            self.free = np.where(np.arange(8) < counts[:, None], WHOLE, -1)
        state[self.name] = share_of(pod)
        return SUCCESS, None

    def filter(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        return (self.free[rows].max(axis=1) < state[self.name]).astype(np.int32)

    def status(self, state: Any, pod: Any, code: int) -> Any:
        return NO_ROOM

    def score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        left = self.free[rows] - state[self.name]
        return 100 - np.where(left < 0, WHOLE, left).min(axis=1) // 10

    def reserve(self, state: Any, pod: Any, node_name: str) -> Any:
        free, share = self.free[self.handle.columns.row_of[node_name]], share_of(pod)
        self.taken[pod.uid] = at = int(np.where(free < share, WHOLE + 1, free).argmin())
        free[at] -= share
        return SUCCESS

    def unreserve(self, state: Any, pod: Any, node_name: str) -> None:
        row = self.handle.columns.row_of[node_name]
        self.free[row, self.taken.pop(pod.uid)] += share_of(pod)


CASES: Final[dict[str, tuple[Any, bool]]] = {
    "scalar": (Scalar, False),
    "columns": (OnColumns, False),
    "columns-alone": (OnColumns, True),
}


def _configuration(plugin: str, *, alone: bool) -> Any:
    points: dict[str, Any] = {"multiPoint": {"enabled": [{"name": plugin}]}}
    if alone:
        points["multiPoint"]["enabled"] += [
            {"name": name} for name in ("PrioritySort", "NodeResourcesFit", "DefaultBinder")
        ]
        points["multiPoint"]["disabled"] = [{"name": "*"}]
        points["score"] = {"disabled": [{"name": "NodeResourcesFit"}]}
    return config.from_dict(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "percentageOfNodesToScore": 100,
            "profiles": [{"plugins": points}],
        }
    )


def prepared(case: str, pods: int) -> Scheduler:
    """A scheduler with all pods in its queue."""
    plugin, alone = CASES[case]
    streams, shuffled = Streams(1), random.Random(1)
    store = Store(Clock(), streams, implicit_namespaces=True)
    for number in range(NODES):
        devices = shuffled.choice((2, 2, 4, 8, 8, 8))
        labels = {DEVICES: str(devices)}
        store.create(make_node(f"n{number}", cpu=str(12 * devices), labels=labels))
    scheduler = Scheduler(
        store, None, streams, _configuration(plugin.name, alone=alone),
        plugins={plugin.name: plugin}, recording="decisions", events=False,
    )  # fmt: skip
    kinds = [
        (shuffled.choice((100, 250, 470, 500, 810, 1000, 1000)), shuffled.randrange(1, 12))
        for _ in range(KINDS)
    ]
    for number in range(pods):
        # As in traces of such clusters, a few kinds make up most of the pods.
        share, cpu = kinds[min(int(shuffled.expovariate(0.1)), KINDS - 1)]
        annotations = {SHARE: str(share)}
        store.create(make_pod(f"p{number}", cpu=str(cpu), annotations=annotations))
    return scheduler


def measure(case: str, pods: int) -> None:
    """Print what a case costs."""
    prepared(case, min(pods, 50)).run_until_idle()
    scheduler = prepared(case, pods)
    started = time.process_time()
    # As in every run.
    with stages.few_collections():
        attempts = scheduler.run_until_idle()
    seconds = time.process_time() - started
    bound = sum(each.result == "scheduled" for each in scheduler.record.decisions)
    per_pod = 1_000 * seconds / attempts
    print(f"{case:<14} {per_pod:6.3f} ms/pod {attempts / seconds:8,.0f} pods/s  {bound} bound")


def main() -> None:
    """Measure each case, or profile one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, default=3_000)
    parser.add_argument("--profile", choices=CASES)
    options = parser.parse_args()
    if options.profile is None:
        for case in CASES:
            measure(case, options.pods)
        return
    scheduler = prepared(options.profile, options.pods)
    with cProfile.Profile() as profile:
        scheduler.run_until_idle()
    pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
