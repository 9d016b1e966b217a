"""The cluster of a world: its objects, in the order in which they were listed, and what is done
to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.lister import Lister
from kubestage.errors import NotFound, TooManyRequests
from kubestage.objects import defaulting, gvk, timestamps
from kubestage.objects.views import budget as budget_views
from kubestage.objects.views import pod as pod_views
from kubestage.replay.cluster_autoscaler.recorded_actions import (
    Bind,
    Create,
    Delete,
    GroupChange,
    NodeReady,
    Replace,
    Unschedulable,
)
from kubestage.stage import Stage
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.replay.cluster_autoscaler.recorded_actions import Action
    from kubestage.replay.cluster_autoscaler.recorded_provider import RecordedProvider
    from kubestage.store.core import KindRef
    from kubestage.store.deletion import DeleteOptions
    from kubestage.store.store import Store

START: Final = "2000-01-01T00:00:00Z"
_REFUSED: Final = "Cannot evict pod as it would violate the pod's disruption budget."


class ListingOrder(Lister):
    """Lists objects in the order in which they came."""

    def all(self, kind: KindRef, namespace: str | None = None) -> list[Json]:
        """All objects of a kind, or of a namespace."""
        found = self.collection(kind).objects.values()
        if namespace is None:
            return list(found)
        return [obj for obj in found if obj["metadata"].get("namespace") == namespace]

    def indexed(self, kind: KindRef, field: str, value: str) -> list[Json]:
        """The objects whose indexed field has a value."""
        keys = self.collection(kind).fields[field].get(value)
        return [obj for key, obj in self.collection(kind).objects.items() if key in keys]


class RecordedCluster:
    """A store without rules: what was recorded is taken as it is. It is the autoscaler's client.

    `evictions` are those that were requested since they were last taken.
    """

    def __init__(self) -> None:
        self.stage = Stage(start=START, garbage="manual")
        self._start_ns = self.stage.clock.unix_ns
        self.lister = ListingOrder(self.store)
        self.evictions: list[Json] = []

    @property
    def store(self) -> Store:
        """All objects."""
        return self.stage.store

    @property
    def now_ns(self) -> int:
        """The time of the calendar."""
        return self.stage.clock.unix_ns

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return seconds(self.now_ns - self._start_ns)

    def run_until(self, seconds: float) -> None:
        """Let time pass."""
        self.stage.environment.run(until_ns=round(seconds * SECOND_NS))

    def put(self, obj: Json) -> None:
        """Store an object, instead of one of its name."""
        stored = defaulting.stored(obj)
        metadata = stored["metadata"]
        name, namespace = metadata["name"], metadata.get("namespace")
        metadata = {"uid": f"{stored['kind']}/{namespace}/{name}", **metadata}
        key = f"{namespace}/{name}" if namespace else name
        self.store.put(self.store.kinds.of(stored), key, {**stored, "metadata": metadata})
        self.store.settle()

    def remove(self, kind: KindRef, key: str) -> None:
        """Take an object away, if it is there."""
        if key in self.store.read(kind):
            self.store.remove(self.store.kind(kind), key)
            self.store.settle()

    def remove_node(self, name: str) -> None:
        """A node goes, and the pods that are left on it."""
        self.remove(gvk.NODE, name)
        for pod in self.lister.indexed(gvk.POD, "spec.nodeName", name):
            self.remove(gvk.POD, f"{pod['metadata']['namespace']}/{pod['metadata']['name']}")

    def get(self, kind: tuple[str, str], name: str) -> Json:
        """An object of a kind without namespaces."""
        found = self.lister.get(kind, name)
        if found is None:
            raise NotFound(f'{kind[1]} "{name}" not found')
        return found

    def update(self, obj: Json) -> None:
        """Replace an object."""
        self.put(obj)

    def evict(self, name: str, namespace: str, options: DeleteOptions) -> None:
        """Have a pod go at once, if its budgets allow that, and take what it uses of them."""
        key = f"{namespace}/{name}"
        record = {
            "pod": key,
            "gracePeriodSeconds": options.grace_period_seconds,
            "t": self.seconds,
        }
        pod = self.lister.get(gvk.POD, key)
        if pod is None:
            raise NotFound(f'pods "{name}" not found')
        budgets = [each for each in self.lister.all(_BUDGET) if _covers(each, pod)]
        allowed = [(each.get("status") or {}).get("disruptionsAllowed") or 0 for each in budgets]
        if any(each < 1 for each in allowed):
            self.evictions.append({**record, "ok": False})
            raise TooManyRequests(_REFUSED)
        for each, left in zip(budgets, allowed, strict=True):
            self.put({**each, "status": {**each["status"], "disruptionsAllowed": left - 1}})
        self.remove(gvk.POD, key)
        self.evictions.append({**record, "ok": True})

    def take_evictions(self) -> list[Json]:
        """The evictions since the last call."""
        evictions, self.evictions = self.evictions, []
        return evictions

    def act(self, action: Action, provider: RecordedProvider) -> None:
        """Do what the outside world did; what ours has removed before is left alone."""
        match action:
            case Create() | Replace():
                self.put(action.object)
                if action.group:
                    provider.register(action.object)
            case Delete():
                kinds = [row for row in self.store.kinds if row.kind == action.kind]
                for kind in kinds[:1]:
                    self.remove(kind, _key(action.name, action.namespace))
            case GroupChange():
                provider.change(action)
            case NodeReady():
                self._set_ready(action.name, action.ready)
            case Bind():
                self._set_scheduled(_key(action.name, action.namespace), action.node)
            case Unschedulable():
                self._set_scheduled(_key(action.name, action.namespace), None)

    def _set_ready(self, name: str, is_ready: bool) -> None:
        node = self.lister.get(gvk.NODE, name)
        if node is None:
            return
        value = "True" if is_ready else "False"
        status = node.get("status") or {}
        conditions = status.get("conditions") or ()
        self.put({**node, "status": {**status, "conditions": [
            self._condition("Ready", value) if each["type"] == "Ready" else each
            for each in conditions
        ]}})  # fmt: skip

    def _set_scheduled(self, key: str, node_name: str | None) -> None:
        pod = self.lister.get(gvk.POD, key)
        if pod is None:
            return
        status = {**(pod.get("status") or {})}
        if node_name is None:
            status["conditions"] = [self._condition("PodScheduled", "False", "Unschedulable")]
            self.put({**pod, "status": status})
            return
        status |= {"phase": "Running", "conditions": [self._condition("PodScheduled", "True")]}
        self.put({**pod, "spec": {**pod["spec"], "nodeName": node_name}, "status": status})

    def _condition(self, kind: str, status: str, reason: str = "") -> Json:
        now = timestamps.format_time(self.now_ns)
        found: Json = {"type": kind, "status": status, "lastTransitionTime": now}
        return {**found, "reason": reason} if reason else found


_BUDGET: Final = ("policy/v1", "PodDisruptionBudget")


def seconds(duration_ns: int) -> float:
    """A duration in seconds, whole if it can be."""
    whole, rest = divmod(duration_ns, SECOND_NS)
    return whole if not rest else duration_ns / SECOND_NS


def _key(name: str, namespace: str) -> str:
    return f"{namespace}/{name}" if namespace else name


def _covers(budget: Json, pod: Json) -> bool:
    view = budget_views.of(budget)
    found = pod_views.of(pod)
    return view.namespace == found.namespace and view.selector.matches(found.labels)
