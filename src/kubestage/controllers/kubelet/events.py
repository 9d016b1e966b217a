"""The Events of kubelets, which name their host and the container that they are about.

The rules are those of `store.event_writer`. What they need to know of earlier Events is stored
with the pod or node itself: a real kubelet remembers its own pods only, and one cache for the pods
of all nodes would be too small for any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.store.store import Store

__all__ = ["NORMAL", "WARNING", "Events", "History"]

Key = tuple[str, str, str]


class History:
    """What was reported about one object: the count, time and key of each Event.

    `observed` is by container, reason and message, for the type goes with the reason.
    """

    __slots__ = ("number", "observed", "spam_filter")

    def __init__(self) -> None:
        self.spam_filter = SpamFilter()
        self.number = 0
        self.observed: dict[Key, tuple[int, str, str, int]] = {}

    def is_one_of_many(self, key: Key, now_ns: int) -> bool:
        """Whether too many different messages give the same reason within ten minutes."""
        if key in self.observed:
            return False
        reason = key[1]
        similar = [
            observed
            for observed, (_, _, _, last_ns) in self.observed.items()
            if observed[1] == reason and observed[2] and now_ns - last_ns <= SIMILAR_FOR_NS
        ]
        return len(similar) >= SIMILAR_EVENTS - 1


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
        involved, node = pod.involved, pod.node
        assert involved is not None
        assert node is not None
        if pod.history is None:
            pod.history = History()
        path = ""
        if container is not None:
            path = container.plan.path
            if container.involved is None:
                container.involved = {**involved, "fieldPath": path}
            involved = container.involved
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
        if len(history.observed) >= SIMILAR_EVENTS - 1 and history.is_one_of_many(key, now_ns):
            key, message = (path, reason, ""), COMBINED + message
        stamp = writer.stamp()
        known = history.observed.get(key)
        count, first, written = (known[0] + 1, known[1], known[2]) if known else (1, stamp, "")
        if not history.spam_filter.allow(now_ns):
            history.observed[key] = (count, first, written, now_ns)
            return
        namespace, name = about
        if writer.namespace(namespace) is None:
            return
        if not (
            written and writer.change(written, message=message, count=count, lastTimestamp=stamp)
        ):
            history.number, written = writer.free_key(namespace, name, history.number + 1)
            writer.add_core(
                namespace,
                written,
                involved,
                kind,
                reason,
                message,
                count=count,
                first=first,
                source=source,
            )
        history.observed[key] = (count, first, written, now_ns)
        self._is_unsettled = True

    def stamp(self) -> str:
        """Now, as objects write it."""
        return self._writer.stamp()

    def settle(self) -> None:
        """Deliver the Events to those who watch: once for all of a pod's turn."""
        if self._is_unsettled:
            self._is_unsettled = False
            self._writer.store.settle()
