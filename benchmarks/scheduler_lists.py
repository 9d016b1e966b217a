"""Work for the scheduler that the real one has done too: recorded lists if there are any.

A list is named ``<shape>-<nodes>-<pods>``. Next to recorded ones lie the placements of the real
scheduler and its speed. Without a folder of them, lists of the same shapes are generated, and there
is nothing to compare with.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from kubestage.aliases import Json


NAMES: Final = (
    "basic-1000-5000",
    "basic-5000-10000",
    "affinity-1000-2000",
    "spread-1000-2000",
    "mixed-1000-2000",
)
ZONE: Final = "topology.kubernetes.io/zone"
HOST: Final = "kubernetes.io/hostname"
ZONES: Final = 3
PODS_A_NODE: Final = 110
_TEMPLATES: Final = 100


class Goal(NamedTuple):
    """The required and the targeted multiple of the real scheduler's speed."""

    target: float
    aim: float


_PLAIN, _HARD = Goal(100, 200), Goal(30, 100)
GOALS: Final = {"basic": _PLAIN, "affinity": _HARD, "spread": _HARD, "mixed": _HARD}


def objects(name: str, folder: pathlib.Path | None) -> list[Json]:
    """Nodes, then pods in the order in which they are to be scheduled."""
    if folder is not None:
        with gzip.open(folder / f"{name}.json.gz") as file:
            found: list[Json] = json.load(file)["objects"]
            return found
    shape, nodes, pods = name.split("-")
    return [*map(node, range(int(nodes))), *_pods(shape, int(pods))]


def placements(name: str, folder: pathlib.Path | None) -> list[list[Any]] | None:
    """For each pod the node that the real scheduler chose and how many it looked at."""
    path = None if folder is None else folder / f"{name}.placements.json.gz"
    if path is None or not path.exists():
        return None
    with gzip.open(path) as file:
        found: list[list[Any]] = json.load(file)
        return found


def real_figures(folder: pathlib.Path | None) -> dict[str, float]:
    """Pods a second of the real scheduler, by list."""
    if folder is None:
        return {}
    stated = json.loads((folder / "reference.json").read_text())
    found: dict[str, float] = stated["kube_scheduler_in_process_pods_per_second"]
    return found


def node(index: int) -> Json:
    """A node of 32 CPUs in one of three zones."""
    name, zone = f"node-{index:05d}", f"zone-{index % ZONES}"
    capacity = {"cpu": "32", "memory": "128Gi", "pods": str(PODS_A_NODE)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOST: name, ZONE: zone}},
        "status": {"capacity": capacity, "allocatable": capacity},
    }


def pod(index: int, **spec: Any) -> Json:
    """A pod of the basic template, with more in its spec."""
    requests = {"cpu": "100m", "memory": "128Mi"}
    container = {"name": "main", "image": "app:1", "resources": {"requests": requests}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"pod-{index:05d}", "namespace": "default"},
        "spec": {"containers": [container], **spec},
    }


def _pods(shape: str, count: int) -> Iterator[Json]:
    for index in range(count):
        kind = shape if shape != "mixed" else ("basic", "affinity", "spread")[index % 3]
        if kind == "basic":
            yield pod(index)
            continue
        app = f"app-{index % _TEMPLATES}"
        made = pod(index, **(_apart(app) if kind == "affinity" else _spread_out(app)))
        made["metadata"]["labels"] = {"app": app}
        yield made


def _apart(app: str) -> Json:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": HOST}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return {"affinity": {"podAntiAffinity": required}}


def _spread_out(app: str) -> Json:
    return {
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": key,
                "whenUnsatisfiable": when,
                "labelSelector": {"matchLabels": {"app": app}},
            }
            for key, when in ((ZONE, "DoNotSchedule"), (HOST, "ScheduleAnyway"))
        ]
    }
