"""The lives of pods as slices in time, with what happens to their nodes and workloads.

Everything is rows that are only appended, so that a reader who has all up to a change asks for the
rest: a slice begins with its row, and ends with the next row of its pod.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import times
from kubestage.objects import resource_totals
from kubestage.results.history import slices_phases
from kubestage.results.history.slices_names import Numbered, Rows, Templates, workload_name
from kubestage.results.history.slices_pods import PodSlices
from kubestage.results.life import node_groups
from kubestage.results.life.workloads import controller, desired
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.results.history.cluster_history import ClusterHistory

_NS_IN_MS: Final = 1_000_000
# So many changes are read between two turns of others.
_PIECE: Final = 64
# A history that is not long is not read again for a few forgotten changes.
_SPARE: Final = 10_000
_WORKLOADS: Final = {
    ("apps", "deployments"): "Deployment",
    ("apps", "replicasets"): "ReplicaSet",
    ("apps", "statefulsets"): "StatefulSet",
    ("apps", "daemonsets"): "DaemonSet",
    ("batch", "jobs"): "Job",
    ("", "replicationcontrollers"): "ReplicationController",
}
_NODES: Final = ("", "nodes")
_PODS: Final = ("", "pods")
_EVENTS: Final = (("", "events"), ("events.k8s.io", "events"))


class Slices:
    """The rows of a history, which `catch_up` brings up to date.

    `end` is the number of the next change; rows can be had from changes from `floor` on. They may
    reach back further than the history does: they are made again, and readers begin again, when
    that has forgotten as much as it has kept.
    """

    def __init__(self, history: ClusterHistory) -> None:
        self._history = history
        self.floor = self.end = -1
        self._clear()

    def _clear(self) -> None:
        history = self._history
        self.begin_ns = self._end_ns = history.begin_ns
        self._is_whole = not history.forgotten
        self.nodes, self.workloads, self.texts = Numbered(), Numbered(), Numbered()
        self.pods = PodSlices(Templates(), self.nodes, self.texts)
        self.node_states, self.replicas = Rows(), Rows()
        self._node_rows: dict[int, Any] = {}
        self._replica_rows: dict[int, tuple[int, int]] = {}

    def catch_up(self) -> Iterator[None]:
        """Read all changes up to now, a few at a time; one caller after the other."""
        history = self._history
        if self._is_outdated():
            yield from self._begin()
        while self.end < history.end:
            for unix_ns, change in history.since(self.end):
                place = (change.kind.group, change.kind.plural)
                ms = round((unix_ns - self.begin_ns) / _NS_IN_MS, 6)
                self._take(self.end, ms, place, change.type, change.new, change.old)
                self.end += 1
                if self.end % _PIECE == 0:
                    yield
        self._end_ns = history.end_ns

    def _is_outdated(self) -> bool:
        """Whether rows have to be made again: some are missing, wrong, or very old."""
        history = self._history
        is_continued = history.forgotten <= self.end <= history.end
        is_set_back = history.end_ns < self._end_ns
        age = history.forgotten - self.floor
        return not is_continued or is_set_back or age > max(len(history.changes), _SPARE)

    def _begin(self) -> Iterator[None]:
        """Take in the first state; owners come before pods, whose templates name them."""
        # Whoever leaves half way must not be taken for one who is done.
        self.floor = self.end = -1
        self._clear()
        number = self._history.forgotten
        for place in (*_WORKLOADS, _NODES, _PODS):
            first = self._history.first(*place).copy()
            for count, obj in enumerate(first.values(), 1):
                self._take(number - 1, 0, place, ADDED, obj, None)
                if count % _PIECE == 0:
                    yield
        self.floor = self.end = number

    def answer(self, after: int | None = None) -> Json:
        """All rows, or those that follow from changes from a number on."""
        pods = self.pods
        return {
            "begin": times.rfc3339_nano(self.begin_ns),
            "end": times.rfc3339_nano(self._end_ns),
            "sequence": self.end,
            "isWhole": self._is_whole,
            "phases": slices_phases.PHASES,
            "templates": pods.templates.since(after),
            "nodes": self.nodes.since(after),
            "workloads": self.workloads.since(after),
            "texts": self.texts.since(after),
            "pods": pods.pods.since(after),
            "slices": pods.slices.since(after),
            "instants": pods.instants.since(after),
            "nodeStates": self.node_states.since(after),
            "replicas": self.replicas.since(after),
        }

    def _take(
        self,
        number: int,
        ms: float,
        place: tuple[str, str],
        type_: str,
        new: Json,
        old: Json | None,
    ) -> None:
        if place == _PODS:
            self.pods.on_pod(number, ms, type_, new, old)
        elif place in _EVENTS:
            if type_ != DELETED:
                self.pods.on_event(number, ms, new)
        elif place == _NODES:
            self._on_node(number, ms, new, is_gone=type_ == DELETED)
        elif place in _WORKLOADS:
            self._on_workload(number, ms, _WORKLOADS[place], new, is_gone=type_ == DELETED)

    def _on_node(self, number: int, ms: float, node: Json, *, is_gone: bool) -> None:
        place = self.nodes.place(number, node["metadata"]["name"])
        row = () if is_gone else _node_row(node)
        if row != self._node_rows.get(place):
            self.node_states.add(number, (ms, place, *row))
            self._node_rows[place] = row

    def _on_workload(self, number: int, ms: float, kind: str, obj: Json, *, is_gone: bool) -> None:
        if not is_gone:
            self.pods.templates.learn(kind, obj)
        if controller(obj) is not None:
            return
        metadata = obj["metadata"]
        name = workload_name(obj["apiVersion"], kind, metadata["namespace"], metadata["name"])
        place = self.workloads.place(number, name)
        row = (0, 0) if is_gone else (desired(obj) or 0, _ready(obj))
        if row != self._replica_rows.get(place):
            self.replicas.add(number, (ms, place, *row))
            self._replica_rows[place] = row


def _node_row(node: Json) -> tuple[float, ...]:
    """Whether a node is ready and cordoned, and the cores, bytes and pods that it has room for."""
    room = resource_totals.total_of((node.get("status") or {}).get("allocatable"))
    is_cordoned = bool((node.get("spec") or {}).get("unschedulable"))
    is_ready = node_groups.is_ready(node)
    amounts = (room.milli_cpu / 1000, room.memory, room.allowed_pod_number)
    return (int(is_ready), int(is_cordoned), *amounts)


def _ready(obj: Json) -> int:
    status = obj.get("status") or {}
    return int(status.get("readyReplicas") or status.get("numberReady") or status.get("ready") or 0)
