"""A small cluster with more pods than it has room for, in a file."""

from __future__ import annotations

import json
import pathlib
import random

from kubestage.testing import make_node, make_pod

COUNT, SHARE = "alibabacloud.com/gpu-count", "alibabacloud.com/gpu-milli"
SHARING = """
import numpy as np
from kubestage.scheduler.framework import Devices, unschedulable

class Sharing:
    name = "Sharing"
    devices = Devices()

    def __init__(self, args, handle): ...

    def filter(self, state, pod, columns, rows):
        request = self.devices.request_of(pod)
        return (columns.devices("gpu").fitting(request.share)[rows] < 1).astype(np.int32)

    def status(self, state, pod, code):
        return unschedulable("no GPU")
"""
SHARING_PROFILE = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {enabled: [{name: Sharing}]}}}]
"""


def write(nodes: int = 4, pods: int = 20, *, path: str = "cluster.json") -> str:
    """Nodes with 8 CPUs, one of them closed, and pods with 1 to 4."""
    chosen = random.Random(1)
    objects = [
        make_node(f"n{at}", cpu="8", memory="16Gi", labels={COUNT: "2"}) for at in range(nodes)
    ]
    objects.append(make_node("closed", cpu="8", memory="16Gi", unschedulable=True))
    for at in range(pods):
        cpu, memory = chosen.choice((1, 2, 4)), chosen.choice((1, 2, 4))
        share = {SHARE: str(chosen.choice((300, 500, 1000)))}
        objects.append(make_pod(f"p{at}", cpu=str(cpu), memory=f"{memory}Gi", annotations=share))
    listed = {"apiVersion": "v1", "kind": "List", "items": objects}
    pathlib.Path(path).write_text(json.dumps(listed))
    return path


def write_trace(path: str = "trace.csv") -> str:
    """Pods of two sorts, whose order another seed changes."""
    rows = [f"pod-{at},{1 + at % 4},{2 + at % 3}" for at in range(16)]
    pathlib.Path(path).write_text("\n".join(["name,cores,gib", *rows]) + "\n")
    return path
