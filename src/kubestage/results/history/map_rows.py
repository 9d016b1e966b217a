"""Nodes and pods as a map shows them, and each change that alters what it shows."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import gvk, node_pools, resource_totals
from kubestage.results.life import node_groups, workloads
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.store.log import Change

_ZONE: Final = "topology.kubernetes.io/zone"
_POD: Final = gvk.POD[1]
_NODE: Final = gvk.NODE[1]
# Pods that come and go leave templates behind; beyond this many more, all begins again.
_SPARE_TEMPLATES: Final = 20_000
_PIECE: Final = 32


class PodRow(NamedTuple):
    """A pod: the index of its template, its node and its phase."""

    template: int
    node: str
    phase: str


class RowChange(NamedTuple):
    """A change of what is shown; `row` is None where the pod or node is gone."""

    number: int
    unix_ns: int
    is_pod: bool
    key: str
    row: PodRow | Json | None


class MapPart(NamedTuple):
    """What an answer has: all rows at the beginning, if it is whole, and changes since."""

    templates: list[Json]
    nodes: dict[str, Json] | None
    pods: dict[str, PodRow] | None
    changes: list[RowChange]


class MapRows:
    """The rows of a history; `catch_up` reads what has happened since it was last called.

    `end` is the number of the next change. Changes can be had from `floor` on, for before that
    templates had other indices, and from what the history still has.
    """

    def __init__(self, history: ClusterHistory) -> None:
        self._history = history
        self.floor = self.end = -1
        self._clear()

    def _clear(self) -> None:
        self._templates: list[Json] = []
        # The number of the change that brought each template.
        self._since: list[int] = []
        self._index: dict[tuple[Any, ...], int] = {}
        self._first_pods: dict[str, PodRow] = {}
        self._first_nodes: dict[str, Json] = {}
        self._pods: dict[str, PodRow] = {}
        self._nodes: dict[str, Json] = {}
        self._changes: list[RowChange] = []

    def catch_up(self) -> Iterator[None]:
        """Read all changes up to now, a few at a time; changes may go on meanwhile."""
        history = self._history
        while self.end != history.end or self._is_overgrown:
            if not history.forgotten <= self.end <= history.end or self._is_overgrown:
                yield from self._begin()
            for unix_ns, change in history.since(self.end):
                self._take(self.end, unix_ns, change)
                self.end += 1
                if self.end % _PIECE == 0:
                    yield
        yield from self._fold()

    def part(self, after: int | None = None) -> MapPart:
        """The rows that are known by now: all, or what is new since a number."""
        if after is None:
            return MapPart(
                self._templates[:], self._first_nodes.copy(), self._first_pods.copy(),
                self._changes[:],
            )  # fmt: skip
        new = bisect.bisect_left(self._since, after)
        at = bisect.bisect_left(self._changes, after, key=_number)
        return MapPart(self._templates[new:], None, None, self._changes[at:])

    @property
    def _is_overgrown(self) -> bool:
        used = len(self._pods) + len(self._changes)
        return len(self._templates) > used + _SPARE_TEMPLATES

    def _begin(self) -> Iterator[None]:
        """Start from the first state that the history has, and read all that it has now."""
        history = self._history
        self._clear()
        # If the caller stops half way, all begins again.
        self.end, number = -1, history.forgotten
        pods, nodes = history.first("", "pods").copy(), history.first("", "nodes").copy()
        news = history.since(number)
        for name, node in nodes.items():
            self._first_nodes[name] = node_row(node)
        for at, (key, pod) in enumerate(pods.items()):
            self._first_pods[key] = self._pod_row(pod)
            if at % _PIECE == 0:
                yield
        self._nodes, self._pods = self._first_nodes.copy(), self._first_pods.copy()
        for at, (unix_ns, change) in enumerate(news, number):
            self._take(at, unix_ns, change)
            number = at + 1
            if at % _PIECE == 0:
                yield
        self.floor = self.end = number

    def _fold(self) -> Iterator[None]:
        """Put rows of changes that the history has folded into the first ones."""
        old = bisect.bisect_left(self._changes, self._history.forgotten, key=_number)
        for at, change in enumerate(self._changes[:old]):
            first: dict[str, Any] = self._first_pods if change.is_pod else self._first_nodes
            if change.row is None:
                first.pop(change.key, None)
            else:
                first[change.key] = change.row
            if at % _PIECE == 0:
                yield
        del self._changes[:old]

    def _take(self, number: int, unix_ns: int, change: Change) -> None:
        kind = change.kind
        if kind.group or kind.kind not in (_POD, _NODE):
            return
        is_pod, key = kind.kind == _POD, change.key
        rows: dict[str, Any] = self._pods if is_pod else self._nodes
        before = rows.get(key)
        if change.type == DELETED:
            if rows.pop(key, None) is not None:
                self._changes.append(RowChange(number, unix_ns, is_pod, key, None))
            return
        row = self._changed_pod(change, before, number) if is_pod else node_row(change.new)
        if row != before:
            rows[key] = row
            self._changes.append(RowChange(number, unix_ns, is_pod, key, row))

    def _changed_pod(self, change: Change, before: PodRow | None, number: int) -> PodRow:
        new, old = change.new, change.old
        if before is None or old is None or not _has_same_template(new, old):
            return self._pod_row(new, number)
        return PodRow(before.template, *_state(new))

    def _pod_row(self, pod: Json, number: int = -1) -> PodRow:
        metadata, spec = pod["metadata"], pod["spec"]
        requests = resource_totals.fit_request(pod)
        labels: dict[str, str] = metadata.get("labels") or {}
        namespace, owner, priority = metadata["namespace"], _owner(pod), spec.get("priority") or 0
        profile = spec.get("schedulerName") or ""
        amounts = (requests.milli_cpu, requests.memory)
        key = (namespace, owner, priority, profile, tuple(labels.items()), amounts)
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self._templates)
            self._since.append(number)
            self._templates.append(
                {
                    "namespace": namespace,
                    "owner": owner,
                    "priority": priority,
                    "profile": profile,
                    "labels": labels,
                    "requests": {"cpu": amounts[0] / 1000, "memory": amounts[1]},
                }
            )
        return PodRow(index, *_state(pod))


def node_row(node: Json) -> Json:
    """A node as a map shows it."""
    labels = node["metadata"].get("labels") or {}
    offered = resource_totals.total_of((node.get("status") or {}).get("allocatable"))
    return {
        "zone": labels.get(_ZONE, ""),
        "pool": node_pools.of(node),
        "labels": labels,
        "allocatable": {
            "cpu": offered.milli_cpu / 1000,
            "memory": offered.memory,
            "pods": offered.allowed_pod_number,
        },
        "isReady": node_groups.is_ready(node),
        "isCordoned": bool((node.get("spec") or {}).get("unschedulable")),
    }


def _state(pod: Json) -> tuple[str, str]:
    """The node and the phase of a pod."""
    if pod["metadata"].get("deletionTimestamp"):
        phase = "Terminating"
    else:
        phase = (pod.get("status") or {}).get("phase") or "Pending"
    return pod["spec"].get("nodeName") or "", phase


def _has_same_template(new: Json, old: Json) -> bool:
    """Whether nothing of two versions of a pod differs that its template has; quick, not exact."""
    spec, was = new["spec"], old["spec"]
    metadata, before = new["metadata"], old["metadata"]
    if metadata.get("labels") is not before.get("labels"):
        return False
    if metadata.get("ownerReferences") is not before.get("ownerReferences"):
        return False
    return spec is was or all(spec.get(name) is was.get(name) for name in _TEMPLATE_FIELDS)


_TEMPLATE_FIELDS: Final = (
    "containers", "initContainers", "resources", "overhead", "priority", "schedulerName",
)  # fmt: skip


def _owner(pod: Json) -> str:
    owner = workloads.controller(pod)
    return "" if owner is None else f"{owner['kind']}/{owner['name']}"


def _number(change: RowChange) -> int:
    return change.number
