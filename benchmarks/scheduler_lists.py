"""Work for the scheduler: recorded lists if there are any, else generated ones of their shapes.

A list is named ``<shape>-<nodes>-<pods>``. Next to recorded ones lie the placements of the real
scheduler, its speed, and a measure of how fast this machine is against the one it ran on. Those
in which nothing fits are always generated.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterator

Json = dict[str, Any]

NAMES = (
    "basic-1000-5000",
    "basic-5000-10000",
    "affinity-1000-2000",
    "spread-1000-2000",
    "mixed-1000-2000",
)
FAILING = ("full-1000-200", "outranked-1000-200", "evicting-1000-50")
"""Nodes without room: nobody may be evicted, too little would be gained, or it is done."""

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


def objects(name: str, folder: pathlib.Path | None) -> list[Json]:
    """Nodes, then pods in the order in which they are to be scheduled."""
    if name in FAILING:
        return _without_room(*name.split("-"))
    if folder is not None:
        with gzip.open(folder / f"{name}.json.gz") as file:
            found: list[Json] = json.load(file)["objects"]
            return found
    shape, nodes, pods = name.split("-")
    return [*map(_node, range(int(nodes))), *_pods(shape, int(pods))]


def placements(name: str, folder: pathlib.Path | None) -> list[list[Any]] | None:
    """For each pod the node that the real scheduler chose and how many it looked at."""
    path = None if folder is None else folder / f"{name}.placements.json.gz"
    if path is None or not path.exists():
        return None
    with gzip.open(path) as file:
        found: list[list[Any]] = json.load(file)
        return found


def reference(folder: pathlib.Path | None) -> dict[str, float]:
    """Pods a second of the real scheduler, by list."""
    if folder is None:
        return {}
    stated = json.loads((folder / "reference.json").read_text())
    found: dict[str, float] = stated["kube_scheduler_in_process_pods_per_second"]
    return found


class Calibration:
    """How fast this machine is, 1.0 being the one of the reference.

    Machines are shared and their speed changes from one moment to the next, so a piece of known
    work is done in between the work to be measured, again and again.
    """

    def __init__(self, folder: pathlib.Path | None) -> None:
        self._work: Callable[[], None] | None = None
        self._rounds, self._spent, self._per_second = 0, 0.0, 1.0
        if folder is None:
            return
        spec = importlib.util.spec_from_file_location("calibrate", folder / "calibrate.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self._work = module.work
        stated = json.loads((folder / "reference.json").read_text())
        self._per_second = stated["calibration_rounds_per_second"]

    def take(self) -> None:
        """Do the work once."""
        if self._work is not None:
            started = time.process_time()
            self._work()
            self._spent += time.process_time() - started
            self._rounds += 1

    @property
    def speed(self) -> float | None:
        """The mean over all that was done."""
        return self._rounds / self._spent / self._per_second if self._rounds else None


def _node(index: int) -> Json:
    name, zone = f"node-{index:05d}", f"zone-{index % 3}"
    capacity = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOST: name, ZONE: zone}},
        "status": {"capacity": capacity, "allocatable": capacity},
    }


def _without_room(shape: str, nodes: str, pods: str) -> list[Json]:
    """Nodes that are full, and pods that need a quarter of one."""
    classes = {"low": 0, "middle": 10}
    found: list[Json] = [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
        }
        for name, value in classes.items()
    ]
    found += map(_node, range(int(nodes)))
    weaker = {"full": (), "outranked": (8, 9), "evicting": range(10)}[shape]
    for number in range(int(nodes)):
        for index in range(10):
            rank = "low" if index in weaker else "middle"
            placed = _ranked(f"placed-{number:05d}-{index}", "3", rank, classes)
            placed["spec"]["nodeName"] = f"node-{number:05d}"
            placed["status"] = {"phase": "Running", "startTime": f"2026-01-01T00:{index:02d}:00Z"}
            found.append(placed)
    found += (_ranked(f"pod-{index:05d}", "9", "middle", classes) for index in range(int(pods)))
    return found


def _ranked(name: str, cpu: str, rank: str, classes: dict[str, int]) -> Json:
    container = {"name": "main", "image": "app:1", "resources": {"requests": {"cpu": cpu}}}
    spec = {"containers": [container], "priorityClassName": rank, "priority": classes[rank]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }


def _pods(shape: str, count: int) -> Iterator[Json]:
    for index in range(count):
        app = f"app-{index % 100}"
        extra: Json = {}
        kind = shape if shape != "mixed" else ("basic", "affinity", "spread")[index % 3]
        if kind == "affinity":
            term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": HOST}
            required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
            extra["affinity"] = {"podAntiAffinity": required}
        elif kind == "spread":
            extra["topologySpreadConstraints"] = [
                _spread(app, ZONE, "DoNotSchedule"),
                _spread(app, HOST, "ScheduleAnyway"),
            ]
        requests = {"cpu": "100m", "memory": "128Mi"}
        container = {"name": "main", "image": "app:1", "resources": {"requests": requests}}
        labels = {} if kind == "basic" else {"app": app}
        yield {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"pod-{index:05d}", "namespace": "default", "labels": labels},
            "spec": {"containers": [container], **extra},
        }


def _spread(app: str, topology_key: str, when: str) -> Json:
    return {
        "maxSkew": 1,
        "topologyKey": topology_key,
        "whenUnsatisfiable": when,
        "labelSelector": {"matchLabels": {"app": app}},
    }
