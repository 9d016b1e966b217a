"""What an agent sees: the columns of nodes and the pod that is next, as arrays of fixed shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gymnasium import spaces

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns

Floats = np.ndarray[Any, np.dtype[np.float32]]

RESOURCES: Final = ("cpu", "memory", "pods")
NODE_COLUMNS: Final = (
    *(f"{name}_free" for name in RESOURCES),
    *(f"{name}_size" for name in RESOURCES),
)
"""Of each node: what is free, as a share of what it has, and how large it is among all nodes."""
DEVICE_COLUMNS: Final = ("device_free", "device_largest")
"""With devices: what is free of all devices of a node, and of its least used one."""
POD_FIELDS: Final = ("cpu", "memory", "device_share", "device_number")
"""What the pod requests, as a share of the largest node; of devices, the share and the number."""
_MOST_DEVICES: Final = 16


def columns_of(columns: Columns) -> tuple[str, ...]:
    """The names of what is seen of each node."""
    return (*NODE_COLUMNS, *DEVICE_COLUMNS) if _devices(columns) else NODE_COLUMNS


def space(columns: Columns) -> spaces.Dict:
    """The space of observations over these nodes."""
    shape = (len(columns), len(columns_of(columns)))
    return spaces.Dict(
        {
            "nodes": spaces.Box(0.0, 1.0, shape, np.float32),
            "pod": spaces.Box(0.0, 1.0, (len(POD_FIELDS),), np.float32),
            "left": spaces.Box(0.0, 1.0, (1,), np.float32),
        }
    )


def observe(columns: Columns, pod: PodView | None, left: float) -> dict[str, Floats]:
    """The cluster and the pod; `left` is the share of pods that are still to come."""
    nodes = _nodes(columns)
    requested = np.zeros(len(POD_FIELDS), np.float32) if pod is None else _pod(columns, pod)
    return {"nodes": nodes, "pod": requested, "left": np.array([left], np.float32)}


def _nodes(columns: Columns) -> Floats:
    found = []
    sizes = []
    for name in RESOURCES:
        offered, taken = columns.allocatable_of(name), columns.requested_of(name)
        found.append((offered - taken) / np.maximum(offered, 1))
        sizes.append(offered / max(int(offered.max()), 1))
    found += sizes
    table = _devices(columns)
    if table is not None:
        whole = table.definition.whole
        found.append(table.free.sum(axis=1) / np.maximum(whole * table.count, 1))
        found.append(table.free.max(axis=1, initial=0) / whole)
    seen: Floats = np.clip(np.stack(found, axis=1), 0.0, 1.0).astype(np.float32)
    return seen


def _pod(columns: Columns, pod: PodView) -> Floats:
    largest = [max(int(columns.allocatable_of(name).max()), 1) for name in ("cpu", "memory")]
    requested = [pod.requests.milli_cpu / largest[0], pod.requests.memory / largest[1], 0.0, 0.0]
    table = _devices(columns)
    request = None if table is None else table.definition.request_of(pod)
    if table is not None and request is not None:
        requested[2:] = request.share / table.definition.whole, request.number / _MOST_DEVICES
    return np.clip(np.array(requested, np.float32), 0.0, 1.0)


def _devices(columns: Columns) -> Any:
    """The first devices that a plugin or measure has defined; None without any."""
    tables = {} if columns.own is None else columns.own.tables
    return next(iter(tables.values()), None)
