"""Six policies of GPU sharing, as plugins.

The rules are those of "Beware of Fragmentation" (USENIX ATC'23) and its authors' simulator.
"""

from __future__ import annotations

import csv
import pathlib
from typing import Any

import numpy as np

from kubestage.scheduler.fragmentation import PodShape, TypicalPods
from kubestage.scheduler.framework import SUCCESS, Devices, unschedulable

MAX_CPU, MAX_GPU, WHOLE = 128_000, 8_000, 1_000


class Sharing:
    """Filters nodes by their devices; shares go to the fullest device that has room."""

    devices = Devices()

    def __init__(self, args: Any, handle: Any) -> None:
        self.handle = handle

    def pod_key(self, pod: Any) -> Any:
        return pod.requests.milli_cpu, self.devices.request_of(pod)

    def filter(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        request = self.devices.request_of(pod)
        if request is None:
            return None
        fitting = columns.devices("gpu").fitting(request.share)[rows]
        return (fitting < request.number).astype(np.int32)

    def status(self, state: Any, pod: Any, code: Any) -> Any:
        return unschedulable("node(s) had too little room on GPUs")

    def free(self, columns: Any, rows: Any) -> Any:
        """Free CPU of nodes, and what is free of each GPU."""
        cpu = columns.allocatable_of("cpu")[rows] - columns.requested_of("cpu")[rows]
        return cpu, columns.devices("gpu").free[rows]

    def request(self, pod: Any) -> Any:
        """CPU, the share of a GPU, and the number of GPUs."""
        return pod.requests.milli_cpu, *(self.devices.request_of(pod) or (0, 0))


class Random(Sharing):
    """A random node, and a random device of those that have room."""

    name = "Random"

    def pre_score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        state[self.name] = rows[self.handle.stream.randrange(len(rows))]
        return SUCCESS

    def score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        return np.where(rows == state[self.name], 100, 0)

    def pick_devices(self, state: Any, pod: Any, node_name: Any, free: Any) -> Any:
        _, share, number = self.request(pod)
        fitting = (free >= share).nonzero()[0].tolist()
        return fitting[:number] if share == WHOLE else [self.handle.stream.choice(fitting)]


class DotProd(Sharing):
    """The smaller the product of what is free and what is requested, the better."""

    name = "DotProd"
    depends_on = "node"

    def score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        cpu, gpus = self.free(columns, rows)
        milli_cpu, share, number = self.request(pod)
        of_cpu = cpu / MAX_CPU * (milli_cpu / MAX_CPU)
        of_gpu = gpus.sum(axis=1) / MAX_GPU * (share * number / MAX_GPU)
        return (100 * (1 - (of_cpu + of_gpu) / 2)).astype(np.int64)


class GpuClustering(Sharing):
    """Pods of one sort together: with as many whole GPUs, or with shares."""

    name = "GpuClustering"
    depends_on = "node"

    def sort_of(self, pod: Any) -> Any:
        request = self.devices.request_of(pod)
        if request is None:
            return None
        return 0 if request.share < WHOLE else request.number

    def score_node(self, state: Any, pod: Any, node: Any) -> Any:
        sort = self.sort_of(pod)
        if sort is None:
            return 0
        sorts = {self.sort_of(each) for each in node.pods.values()} - {None}
        step = (3 if len(sorts) == 1 else 2) if sort in sorts else int(not sorts)
        left = int(node.devices["gpu"].sum())
        return 25 * (MAX_GPU - left) // MAX_GPU + 25 * step


class GpuPacking(Sharing):
    """GPUs in use first, then nodes in use."""

    name = "GpuPacking"
    depends_on = "node"

    def score_node(self, state: Any, pod: Any, node: Any) -> Any:
        _, share, number = self.request(pod)
        if not share:
            return 0
        free = node.devices["gpu"].tolist()
        unused = free.count(WHOLE)
        if unused == len(free):
            return max(33 - unused, unused)
        taken = sorted(each for each in free if each >= share)[:number]
        if WHOLE in taken:
            return max(50 - taken.count(WHOLE), 33)
        return max(100 - sum(each * 100 // WHOLE for each in taken) // 10, 50)


class BestFit(Sharing):
    """The least room left."""

    name = "BestFit"
    depends_on = "node"

    def score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        cpu, gpus = self.free(columns, rows)
        milli_cpu, share, number = self.request(pod)
        left = (cpu - milli_cpu) / MAX_CPU * 0.5
        left = left + (gpus.sum(axis=1) - share * number) / MAX_GPU * 0.5
        return ((1.0 - left) * 100).astype(np.int64)

    def normalize(self, state: Any, pod: Any, scores: Any, columns: Any, rows: Any) -> Any:
        least, most = scores.min(), scores.max()
        return (scores - least) * 100 // (most - least) if most > least else scores * 0


class FGD(Sharing):
    """The least growth of fragmentation, by what typical pods could not use."""

    name = "FGD"
    depends_on = "node"

    def __init__(self, args: Any, handle: Any) -> None:
        super().__init__(args, handle)
        columns = ("cpu_milli", "gpu_milli", "num_gpu")
        with pathlib.Path(args["trace"]).open() as file:
            rows = [[int(row[column]) for column in columns] for row in csv.DictReader(file)]
        self.typical = TypicalPods(PodShape(*row) for row in rows)

    def scores_by_device(self, cpu: Any, gpus: Any, pod: Any) -> Any:
        """A score for each device of each row that a share may go to; one for whole devices."""
        milli_cpu, share, number = self.request(pod)
        before = self.typical.fragmentation(cpu, gpus)
        if 0 < share < WHOLE:
            rows, at = (gpus >= share).nonzero()
            after = gpus[rows]
            after[np.arange(len(rows)), at] -= share
        else:
            rows, at = np.arange(len(gpus)), 0
            unused = gpus == WHOLE
            after = np.where(unused & (unused.cumsum(axis=1) <= number), 0, gpus)
        growth = self.typical.fragmentation(cpu[rows] - milli_cpu, after) - before[rows]
        scores = np.full(gpus.shape, -1, np.int64)
        scores[rows, at] = 100 / (1 + np.exp(growth / 1000))
        return scores

    def score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        cpu, gpus = self.free(columns, rows)
        return self.scores_by_device(cpu, gpus, pod).max(axis=1)

    def pick_devices(self, state: Any, pod: Any, node_name: Any, free: Any) -> Any:
        milli_cpu, share, number = self.request(pod)
        if share == WHOLE:
            return (free == WHOLE).nonzero()[0][:number]
        row = np.array([self.handle.columns.row_of[node_name]])
        cpu = self.free(self.handle.columns, row)[0] + milli_cpu
        return [int(self.scores_by_device(cpu, free[None, :], pod)[0].argmax())]
