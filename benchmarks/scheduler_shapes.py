"""Work that the real scheduler was not measured with: harder, or done in another way.

All of it is generated, except for the plain lists that are scheduled in another way. How fast the
real scheduler is on a plain list with as many nodes is the most that it can do on these.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Final

import scheduler_lists
import scheduler_volumes
from scheduler_measuring import Work

from kubestage.scheduler.framework import MAX_NODE_SCORE, SUCCESS, unschedulable
from kubestage.scheduler.record import Recording

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import CycleState, NodeInfo, Status
    from kubestage.scheduler.handle import Handle


FAILING: Final = {
    "full-1000-200": "no pod may be evicted",
    "outranked-1000-200": "evictions would not free enough",
    "evicting-1000-50": "pods are evicted, and terminate gracefully",
}
"""Nodes without room, and what comes of looking for pods to evict."""

_RANKS: Final = {"low": 0, "middle": 10}
_WEAKER: Final = {"full": (), "outranked": (8, 9), "evicting": range(10), "preempting": range(10)}
_PLACED: Final = 10


@dataclasses.dataclass(frozen=True)
class Shape:
    """Work by its name, what it is, and the list of the real scheduler to hold it against."""

    what: str
    real: str
    work: Callable[[pathlib.Path | None], Work]
    is_recorded: bool = False
    """Whether its first pods must go where those of the list went."""


class QuietNodes:
    """A plugin as people write them: Python, one node at a time."""

    name = "QuietNodes"

    def __init__(self, args: Json, handle: Handle) -> None:
        del args, handle

    def filter_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> Status:
        del state, pod
        if len(node.pods) >= scheduler_lists.PODS_A_NODE:
            return unschedulable("node(s) are too busy")
        return SUCCESS

    def score_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> int:
        del state, pod
        return MAX_NODE_SCORE - min(MAX_NODE_SCORE, len(node.pods))


def without_room(shape: str, nodes: int, pods: int) -> Iterator[Json]:
    """Nodes that are full, and pods that need a quarter of one."""
    for name, value in _RANKS.items():
        metadata = {"name": name}
        kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
        yield {**kind, "metadata": metadata, "value": value}
    yield from map(scheduler_lists.node, range(nodes))
    for number in range(nodes):
        for index in range(_PLACED):
            rank = "low" if index in _WEAKER[shape] else "middle"
            placed = _ranked(f"placed-{number:05d}-{index}", "3", rank)
            placed["spec"]["nodeName"] = f"node-{number:05d}"
            placed["status"] = {"phase": "Running", "startTime": f"2026-01-01T00:{index:02d}:00Z"}
            if shape == "preempting":
                # Gone as soon as it is told to, so that the pod that displaced it is bound.
                placed["spec"]["terminationGracePeriodSeconds"] = 0
            yield placed
    for index in range(pods):
        yield _ranked(f"pod-{index:05d}", "9", "middle")


def failing(name: str) -> Work:
    """The work of a list in which nothing fits."""
    shape, nodes, pods = name.split("-")
    return Work(without_room(shape, int(nodes), int(pods)))


def _ranked(name: str, cpu: str, rank: str) -> Json:
    container = {"name": "main", "image": "app:1", "resources": {"requests": {"cpu": cpu}}}
    spec = {"containers": [container], "priorityClassName": rank, "priority": _RANKS[rank]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }


def _preempting(folder: pathlib.Path | None) -> Work:
    del folder
    return Work(without_room("preempting", 1000, 500))


def _volumes(folder: pathlib.Path | None) -> Work:
    del folder
    return Work(scheduler_volumes.objects(1000, 2000))


def _full_recording(folder: pathlib.Path | None) -> Work:
    # The story of an attempt at a thousand nodes is half a megabyte, so not all five thousand.
    found = scheduler_lists.objects(_BASIC, folder)
    return Work(found[: 1000 + 1000], recording=Recording.FULL)


def _user_plugin(folder: pathlib.Path | None) -> Work:
    return Work(
        scheduler_lists.objects(_BASIC, folder),
        enabled={"multiPoint": {"enabled": [{"name": QuietNodes.name}]}},
        plugins={QuietNodes.name: QuietNodes},
    )


def _without_numba(folder: pathlib.Path | None) -> Work:
    # As if it were not installed.
    sys.modules["numba"] = None  # type: ignore[assignment]  # what Python documents for this
    return Work(scheduler_lists.objects(_BASIC, folder))


_BASIC: Final = "basic-1000-5000"
SHAPES: Final = {
    "preempting-1000-500": Shape(
        "full nodes; every pod evicts three and is bound in a second attempt", _BASIC, _preempting
    ),
    "volumes-1000-2000": Shape(
        "a claim each: half bound in a zone, a quarter to be matched, a quarter to be made",
        _BASIC,
        _volumes,
    ),
    "full-recording-1000-1000": Shape(
        "`basic`, with full recording", _BASIC, _full_recording, is_recorded=True
    ),
    "user-plugin-1000-5000": Shape(
        "`basic`, with a plugin in Python that filters and scores one node at a time",
        _BASIC,
        _user_plugin,
    ),
    "without-numba-1000-5000": Shape(
        "`basic`, in plain NumPy", _BASIC, _without_numba, is_recorded=True
    ),
}
