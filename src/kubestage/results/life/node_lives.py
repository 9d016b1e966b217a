"""Each node of a living cluster: what it is, what it costs, from when to when, and why."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import node_pools, prices
from kubestage.objects.views.node import ZONE_LABELS
from kubestage.results.life import windows
from kubestage.results.life.wording import plural
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.costs import CostMeter
    from kubestage.results.life.tables import LifeRows
    from kubestage.store.log import Change

_NOMINATED: Final = re.compile(r"nodeclaim/([^,\s]+)")
_GROWTH: Final = re.compile(r"\{(\S+) (\d+)->(\d+)")
# Reasons of Events about a node that is to go. Karpenter's says why in its message.
_DISRUPTED: Final = "DisruptionTerminating"
_LEAVING: Final = ("ScaleDown", "SpotInterrupted")


@dataclasses.dataclass(slots=True)
class _Growth:
    """A scale-up of a NodeGroup: from and to which size, and the pods that it was for."""

    at_ns: int
    size: int
    target: int
    pods: set[str]


@dataclasses.dataclass(slots=True)
class NodeLife:
    """One node; `to_ns` is None as long as it is there, reasons are empty if none is known."""

    name: str
    from_ns: int
    pool: str = ""
    instance_type: str = ""
    capacity_type: str = ""
    zone: str = ""
    price: float | None = None
    to_ns: int | None = None
    why_added: str = ""
    why_removed: str = ""


class NodeLives:
    """All nodes that are or were there, in the order in which they came."""

    def __init__(self, costs: CostMeter, now_ns: int) -> None:
        self.all: list[NodeLife] = []
        self._costs = costs
        self._begin_ns = now_ns
        self._there: dict[str, NodeLife] = {}
        self._pods_of: dict[str, set[str]] = {}
        self._nominations: dict[str, str] = {}
        self._removals: dict[str, str] = {}
        self._launches: dict[str, str] = {}
        self._growths: dict[str, list[_Growth]] = {}

    def begin(self, begin_ns: int) -> None:
        """What is there was received, and is no news."""
        self._begin_ns = begin_ns

    @property
    def is_moving(self) -> bool:
        """Whether any node came or went."""
        return any(each.to_ns is not None or each.from_ns > self._begin_ns for each in self.all)

    def on_node(self, change: Change, now_ns: int) -> None:
        """Take in a node that came, changed or went."""
        life = self._there.get(change.key)
        if change.type == DELETED:
            if life is not None:
                life.to_ns = now_ns
                life.why_removed = self._removals.pop(life.name, "")
                del self._there[life.name]
            return
        if life is None:
            life = self._there[change.key] = NodeLife(change.key, now_ns)
            self.all.append(life)
        elif change.old is not None and _labels(change.old) == _labels(change.new):
            return
        self._describe(life, change.new)

    def on_event(self, change: Change, now_ns: int) -> None:
        """Take in an Event that may say why nodes come or go."""
        event = change.new
        about: Json = event.get("involvedObject") or {}
        kind, name = about.get("kind"), str(about.get("name") or "")
        reason, message = str(event.get("reason") or ""), str(event.get("message") or "")
        if change.type == DELETED:
            return
        if kind == "Pod":
            pod = f"{about.get('namespace')}/{name}"
            if reason == "Nominated":
                self._nominated(pod, message)
            elif reason == "TriggeredScaleUp":
                self._grows(pod, message, now_ns)
        elif kind == "Node" and reason == _DISRUPTED:
            self._removals[name] = message.rpartition(": ")[2]
        elif kind == "Node" and reason in _LEAVING:
            self._removals[name] = reason
        elif kind == "NodeClaim" and reason == "DisruptionLaunching":
            self._launches[name] = message.rpartition(": ")[2]

    def write(self, rows: LifeRows) -> None:
        """Add a row for each node."""
        for each in self.all:
            begin, end = (
                None if at is None else windows.since(self._begin_ns, at)
                for at in (each.from_ns, each.to_ns)
            )
            rows.add(
                "lifetimes", each.name, each.pool, each.instance_type, each.capacity_type,
                each.zone, each.price, begin, end, each.why_added, each.why_removed,
            )  # fmt: skip

    def reason(self, node: str, *, removed: bool, at_ns: int) -> str:
        """Why a node came or went at a moment."""
        for each in self.all:
            if each.name == node and (each.to_ns == at_ns if removed else each.from_ns <= at_ns):
                return each.why_removed if removed else each.why_added
        return ""

    def _nominated(self, pod: str, message: str) -> None:
        names = _NOMINATED.findall(message)
        if not names:
            return
        # A pod may be nominated again, for another node, while it waits for the first.
        before = self._nominations.get(pod)
        if before is not None:
            self._pods_of[before].discard(pod)
        self._nominations[pod] = names[0]
        self._pods_of.setdefault(names[0], set()).add(pod)

    def _grows(self, pod: str, message: str, now_ns: int) -> None:
        for group, size, target in _GROWTH.findall(message):
            growths = self._growths.setdefault(group, [])
            if not growths or (growths[-1].at_ns, growths[-1].target) != (now_ns, int(target)):
                growths.append(_Growth(now_ns, int(size), int(target), set()))
            growths[-1].pods.add(pod)

    def _describe(self, life: NodeLife, node: Json) -> None:
        labels = _labels(node)
        life.pool = node_pools.of(node)
        life.instance_type = instance_type(node)
        life.capacity_type = prices.capacity_type(labels)
        life.zone = next((labels[name] for name in ZONE_LABELS if labels.get(name)), "")
        life.price = self._costs.prices.of_node(node)
        life.why_added = life.why_added or self._why(life)

    def _why(self, life: NodeLife) -> str:
        """For whom a node was added: it replaces others, or pods were waiting for it."""
        launched = self._launches.get(life.name)
        if launched:
            return f"replaces nodes: {launched}"
        pods = self._pods_of.get(life.name) or self._grown_for(life.pool)
        return f"for {plural(len(pods), 'pod')}" if pods else ""

    def _grown_for(self, pool: str) -> set[str]:
        """The pods of the scale-up that brings a pool to the size that it has now."""
        size = sum(each.pool == pool for each in self._there.values())
        for growth in reversed(self._growths.get(pool, [])):
            if growth.size < size <= growth.target:
                return growth.pods
        return set()


def instance_type(node: Json) -> str:
    """The instance type that labels state; empty if none does."""
    labels = _labels(node)
    return next((labels[name] for name in prices.INSTANCE_TYPES if labels.get(name)), "")


def _labels(node: Json) -> Json:
    return (node.get("metadata") or {}).get("labels") or {}
