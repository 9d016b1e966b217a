"""The timeline of a node: its pods, conditions and taints, and how much of it is requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import resource_totals
from kubestage.results.history import object_timeline
from kubestage.results.history.object_timeline import ObjectTimeline, Series
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.resource_totals import Resource
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.results.history.mark_rules import Severity
    from kubestage.store.log import Change

CONDITION: Final = "condition"
TAINT: Final = "taint"
CORDON: Final = "cordon"
_NAMES: Final = ("requested cpu", "requested memory", "pods")


class NodeTimeline(ObjectTimeline):
    """What happened to a node."""

    def __init__(self, history: ClusterHistory, name: str) -> None:
        super().__init__(history)
        self.series = [Series(each, []) for each in _NAMES]
        self.was_there = False
        self._name = name
        self._subject = f"node/{name}"
        self._offered = resource_totals.total_of(None)
        self._pods: dict[str, Resource] = {}

    def begin(self, history: ClusterHistory) -> None:
        """Take in the first state."""
        node = history.first("", "nodes").get(self._name)
        if node is not None:
            self._offer(node)
        for key, pod in history.first("", "pods").items():
            if object_timeline.place(pod) == self._name:
                self._pods[key] = resource_totals.fit_request(pod)
        if self.was_there or self._pods:
            self._measure(history.begin_ns)

    def take(self, unix_ns: int, change: Change) -> None:
        """Take in a change."""
        kind = change.kind
        if kind.group:
            return
        if kind.kind == "Pod":
            self._take_pod(unix_ns, change)
        elif kind.kind == "Node" and change.key == self._name:
            self._take_node(unix_ns, change)
        elif kind.kind == "Event":
            about = change.new.get("involvedObject") or {}
            if about.get("kind") == "Node" and about.get("name") == self._name:
                self.add_event(unix_ns, change)

    def _take_pod(self, unix_ns: int, change: Change) -> None:
        before, after = object_timeline.moved(change)
        if self._name not in (before, after):
            return
        subject = f"pod/{change.key}"
        if after == self._name:
            self._pods[change.key] = resource_totals.fit_request(change.new)
            if before != after:
                text = f"pod {change.key} placed here"
                self.add(unix_ns, object_timeline.POD, subject, text)
        else:
            self._pods.pop(change.key, None)
            text = f"pod {change.key} left: {object_timeline.departure(change)}"
            self.add(unix_ns, object_timeline.POD, subject, text)
        self._measure(unix_ns)

    def _take_node(self, unix_ns: int, change: Change) -> None:
        if change.type == ADDED:
            self.add(unix_ns, object_timeline.CREATED, self._subject, "the node was added")
        elif change.type == DELETED:
            self.add(unix_ns, object_timeline.DELETED_ENTRY, self._subject, "the node was removed")
        else:
            assert change.old is not None
            self._compare(unix_ns, change.old, change.new)
        self._offer(change.new)
        self._measure(unix_ns)

    def _compare(self, unix_ns: int, old: Json, new: Json) -> None:
        was, now = _conditions(old), _conditions(new)
        for name, (status, reason) in now.items():
            before = was.get(name, ("", ""))[0]
            if status != before:
                is_good = (name == "Ready") == (status == "True")
                change = f"{before} → {status}" if before else status
                text = f"{name}: {change}{f' ({reason})' if reason else ''}"
                severity: Severity = "info" if is_good else "bad"
                self.add(unix_ns, CONDITION, self._subject, text, severity)
        before_taints, taints = _taints(old), _taints(new)
        for taint in taints - before_taints:
            self.add(unix_ns, TAINT, self._subject, f"taint {taint} added", "warning")
        for taint in before_taints - taints:
            self.add(unix_ns, TAINT, self._subject, f"taint {taint} removed")
        if _is_cordoned(old) != _is_cordoned(new):
            text = "cordoned" if _is_cordoned(new) else "uncordoned"
            self.add(unix_ns, CORDON, self._subject, text)

    def _offer(self, node: Json) -> None:
        self.was_there = True
        self._offered = resource_totals.total_of((node.get("status") or {}).get("allocatable"))

    def _measure(self, unix_ns: int) -> None:
        offered, there = self._offered, self._pods.values()
        cpu = _share(sum(each.milli_cpu for each in there), offered.milli_cpu)
        memory = _share(sum(each.memory for each in there), offered.memory)
        for series, value in zip(self.series, (cpu, memory, float(len(there))), strict=True):
            series.add(unix_ns, value)


def _share(amount: int, whole: int) -> float:
    return round(amount / whole, 6) if whole else 0.0


def _conditions(node: Json) -> dict[str, tuple[str, str]]:
    found: Iterable[Any] = (node.get("status") or {}).get("conditions") or ()
    return {each["type"]: (each.get("status") or "", each.get("reason") or "") for each in found}


def _taints(node: Json) -> set[str]:
    return {
        f"{each['key']}{'=' + each['value'] if each.get('value') else ''}:{each['effect']}"
        for each in (node.get("spec") or {}).get("taints") or ()
    }


def _is_cordoned(node: Json) -> bool:
    return bool((node.get("spec") or {}).get("unschedulable"))
