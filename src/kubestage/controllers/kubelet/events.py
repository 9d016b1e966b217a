"""The Events of kubelets, which name their host and the container that they are about.

The rules are those of `store.event_writer`. What they need to know of earlier Events is stored
with the pod or node itself: a real kubelet remembers its own pods only, and one cache for the pods
of all nodes would be too small for any.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import gvk
from kubestage.store.event_writer import (
    COMBINED,
    NORMAL,
    SIMILAR_EVENTS,
    SIMILAR_FOR_NS,
    WARNING,
    EventWriter,
    SpamFilter,
)
from kubestage.store.outlines import outline

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.store.store import Store

__all__ = ["NORMAL", "WARNING", "Events", "History"]

Key = tuple[str, str, str]

_INVOLVED: Final = outline(
    {"kind": "Pod", "namespace": "", "name": "", "uid": "", "apiVersion": "v1",
     "resourceVersion": ""},
    ("fieldPath",),
)  # fmt: skip


class Reported(msgspec.Struct, gc=False):
    """One Event about an object: what it says, how often, since when, and when last.

    `key` is its container, reason and message, for the type goes with the reason. `number` is what
    its name ends with, 0 if it was never written.

    NOTE: there are three for every pod; with a dict of tuples and the Event's name they took twice
    the memory (benchmarks/load.py).
    """

    key: Key
    count: int
    first: str
    number: int
    last_ns: int


class History(SpamFilter):
    """What was reported about one object, in order; `number` is that of the latest Event.

    It is the filter, too, that holds back what is too much about the object.
    """

    __slots__ = ("number", "reported")

    def __init__(self) -> None:
        super().__init__()
        self.number = 0
        self.reported: list[Reported] = []

    def find(self, key: Key) -> Reported | None:
        """What was reported of a container with this reason and message."""
        for each in self.reported:
            if each.key == key:
                return each
        return None

    def is_one_of_many(self, key: Key, now_ns: int) -> bool:
        """Whether too many different messages give the same reason within ten minutes."""
        if self.find(key) is not None:
            return False
        reason = key[1]
        similar = [
            each
            for each in self.reported
            if each.key[1] == reason and each.key[2] and now_ns - each.last_ns <= SIMILAR_FOR_NS
        ]
        return len(similar) >= SIMILAR_EVENTS - 1


def _involved(pod: Pod) -> Json:
    """A pod as Events refer to it: by the version in which its node got it."""
    involved = _INVOLVED.copy()
    involved["namespace"], involved["name"] = pod.namespace, pod.pod_name
    involved["uid"] = pod.uid
    involved["resourceVersion"] = pod.admitted_version
    return involved


@functools.lru_cache(maxsize=4096)
def _shared(key: Key) -> Key:
    """One and the same key for all objects of which the same is reported."""
    return key


class Events:
    """Writes Events to the store."""

    def __init__(self, store: Store) -> None:
        self._writer = EventWriter(store)
        # The store lists its collections in the order of first use: that of kubelets is now.
        store.read(gvk.EVENT)
        store.read(gvk.NAMESPACE)
        self._is_unsettled = False

    def pod(
        self, pod: Pod, kind: str, reason: str, message: str, container: Container | None = None
    ) -> None:
        """Report that something happened to a pod, or to a container of it."""
        node = pod.node
        assert node is not None
        if pod.history is None:
            pod.history = History()
        path = ""
        if container is not None:
            path = container.plan.path
            involved = container.involved
            if involved is None:
                involved = container.involved = _involved(pod)
                involved["fieldPath"] = path
        else:
            involved = _involved(pod)
        about = (pod.namespace, pod.pod_name)
        self._record(pod.history, about, involved, node.source, kind, (path, reason, message))

    def node(self, node: Node, kind: str, reason: str, message: str) -> None:
        """Report that something happened to a node."""
        if node.history is None:
            node.history = History()
        involved = {"kind": "Node", "name": node.name, "apiVersion": "v1"}
        about = ("default", node.name)
        self._record(node.history, about, involved, node.source, kind, ("", reason, message))

    def _record(
        self,
        history: History,
        about: tuple[str, str],
        involved: Json,
        source: Json,
        kind: str,
        key: Key,
    ) -> None:
        writer = self._writer
        now_ns = writer.clock.now_ns
        path, reason, message = key
        if len(history.reported) >= SIMILAR_EVENTS - 1 and history.is_one_of_many(key, now_ns):
            key, message = (path, reason, ""), COMBINED + message
        stamp = writer.stamp()
        known = history.find(key) or Reported(_shared(key), 0, stamp, 0, now_ns)
        is_allowed = history.allow(now_ns)
        namespace, name = about
        if is_allowed and writer.namespace(namespace) is None:
            return
        if not known.count:
            history.reported.append(known)
        known.count, known.last_ns = known.count + 1, now_ns
        if not is_allowed:
            return
        changed = {"message": message, "count": known.count, "lastTimestamp": stamp}
        if not (known.number and writer.change(f"{namespace}/{name}.{known.number:x}", **changed)):
            known.number, written = writer.free_key(namespace, name, history.number + 1)
            history.number = known.number
            writer.add_core(
                namespace,
                written,
                involved,
                kind,
                reason,
                message,
                count=known.count,
                first=known.first,
                source=source,
            )
        self._is_unsettled = True

    def stamp(self) -> str:
        """Now, as objects write it."""
        return self._writer.stamp()

    def settle(self) -> None:
        """Deliver the Events to those who watch: once for all of a pod's turn."""
        if self._is_unsettled:
            self._is_unsettled = False
            self._writer.store.settle()
