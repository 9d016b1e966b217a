"""Pods by who controls them, counted by state as they change.

One watch on all pods and one on all ReplicaSets serve every measurement of a test that waits for
controllers. The wait for one of them is notified when its pods change, and reads counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.measure.informer import Informer, key_of
from kubestage.measure.waits import pod_status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.cluster.access import Cluster


_PODS: Final = Selection(Resource("v1", "Pod"))
_REPLICA_SETS: Final = Selection(Resource("apps/v1", "ReplicaSet"))


class Group:
    """The pods of one controller: their states by key, and how many are in each."""

    __slots__ = ("children", "counts", "is_gone", "listeners", "parent", "states", "uid")

    def __init__(self, uid: str) -> None:
        self.uid = uid
        self.states: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        self.parent: Group | None = None
        self.children: dict[str, Group] = {}
        self.listeners: list[Callable[[], None]] = []
        self.is_gone = False

    def set(self, key: str, state: str | None) -> None:
        """The state of a pod; None for one that is no longer here."""
        before = self.states.pop(key, None)
        if before is not None:
            self.counts[before] -= 1
        if state is not None:
            self.states[key] = state
            self.counts[state] = self.counts.get(state, 0) + 1

    def notify(self) -> None:
        """The pods changed: notify the waits for this controller and the one above it."""
        for listeners in list(self.listeners):
            listeners()
        if self.parent is not None:
            self.parent.notify()


class Pods:
    """The pods of one controller, for a wait.

    Those of a Deployment are those of its ReplicaSets.
    """

    def __init__(self, index: ControlledPods, group: Group, *, via_replica_sets: bool) -> None:
        self._index = index
        self._group = group
        self._via = via_replica_sets
        self._changed: Callable[[], None] | None = None

    def listen(self, changed: Callable[[], None]) -> None:
        """Set the callback for changes."""
        self._changed = changed
        self._group.listeners.append(changed)

    def leave(self) -> None:
        """Remove the callback."""
        if self._changed is not None:
            self._group.listeners.remove(self._changed)
            self._changed = None
            self._index.forget(self._group)

    @property
    def total(self) -> int:
        """How many there are in all."""
        return sum(len(group.states) for group in self._groups())

    def count(self, state: Any) -> int:
        """How many are in a state."""
        return sum(group.counts.get(state, 0) for group in self._groups())

    def in_state(self, state: str) -> Iterator[Json]:
        """The pods that are in a state."""
        objects = self._index.objects
        for group in self._groups():
            for key, each in group.states.items():
                if each == state:
                    yield objects[key]

    def all(self) -> list[Json]:
        """All of them."""
        objects = self._index.objects
        return [objects[key] for group in self._groups() for key in group.states]

    def _groups(self) -> list[Group]:
        return list(self._group.children.values()) if self._via else [self._group]


class ControlledPods:
    """All pods of the cluster that have a controller.

    A ReplicaSet that was deleted is remembered as long as it has pods, so that a wait for the
    deletion of a Deployment sees the last of them.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._groups: dict[str, Group] = {}
        self._pods = Informer(cluster, _PODS, self._pod_changed)
        self._replica_sets = Informer(cluster, _REPLICA_SETS, self._replica_set_changed)

    @property
    def objects(self) -> dict[str, Json]:
        """All pods by key."""
        return self._pods.objects

    @property
    def is_synced(self) -> bool:
        """Whether all objects that existed at the start are known."""
        return self._pods.is_synced and self._replica_sets.is_synced

    def of(self, uid: str, *, via_replica_sets: bool) -> Pods:
        """The pods of a controller."""
        return Pods(self, self._group(uid), via_replica_sets=via_replica_sets)

    def dispose(self) -> None:
        """Stop watching."""
        self._pods.stop()
        self._replica_sets.stop()

    def forget(self, group: Group) -> None:
        """Drop a group that is empty and that nothing waits for."""
        is_used = group.states or group.children or group.listeners
        if is_used or (group.parent is not None and not group.is_gone):
            return
        parent, group.parent = group.parent, None
        self._groups.pop(group.uid, None)
        if parent is not None:
            parent.children.pop(group.uid, None)
            self.forget(parent)

    def _group(self, uid: str) -> Group:
        group = self._groups.get(uid)
        if group is None:
            group = self._groups[uid] = Group(uid)
        return group

    def _pod_changed(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        del at_ns
        pod = new if new is not None else old
        assert pod is not None
        key = key_of(pod)
        before = "" if old is None else controller_of(old)
        after = "" if new is None else controller_of(new)
        if before and before != after:
            group = self._group(before)
            group.set(key, None)
            group.notify()
            self.forget(group)
        if after and new is not None:
            group = self._group(after)
            state = pod_status.state_of(new)
            if group.states.get(key) != state:
                group.set(key, state)
            elif old is None or old.get("spec") == new.get("spec"):
                return
            group.notify()

    def _replica_set_changed(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        del at_ns
        replica_set = new if new is not None else old
        assert replica_set is not None
        group = self._group(str(replica_set["metadata"].get("uid", "")))
        group.is_gone = new is None
        owner = controller_of(replica_set)
        parent = self._group(owner) if owner else None
        if group.parent is not parent:
            before, group.parent = group.parent, parent
            if before is not None:
                before.children.pop(group.uid, None)
                before.notify()
                self.forget(before)
            if parent is not None:
                parent.children[group.uid] = group
                parent.notify()
        if group.is_gone:
            self.forget(group)


def controller_of(obj: Json) -> str:
    """The uid of an object's controller, empty if it has none."""
    for owner in (obj.get("metadata") or {}).get("ownerReferences") or ():
        if owner.get("controller"):
            return str(owner.get("uid", ""))
    return ""
