"""The Events of kubelets, which tell their host and the container that they are about.

The rules are those of the correlator in `controllers.event_recorder`. What it remembers is kept
with the pod or node itself: a real kubelet keeps it for its own pods only, and one memory for the
pods of all nodes would be too short for any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.event_recorder import NORMAL, WARNING
from kubestage.objects import names, timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.store.store import Store

__all__ = ["NORMAL", "WARNING", "Events", "History"]

Key = tuple[str, str, str]

_SIMILAR: Final = 10
_SIMILAR_FOR_NS: Final = 600 * 1_000_000_000
_COMBINED: Final = "(combined from similar events): "
_BURST: Final = 25
_REFILL_NS: Final = 300 * 1_000_000_000


class History:
    """What was told of one object: the count, time and name of each Event, and how many may come.

    `seen` is by container, reason and message, for the type goes with the reason.
    """

    __slots__ = ("at_ns", "number", "seen", "tokens")

    def __init__(self, now_ns: int) -> None:
        self.tokens: float = _BURST
        self.at_ns = now_ns
        self.number = 0
        self.seen: dict[Key, tuple[int, str, str, int]] = {}

    def may_pass(self, now_ns: int) -> bool:
        """One Event in five minutes, and 25 in hand."""
        if now_ns != self.at_ns:
            grown = self.tokens + (now_ns - self.at_ns) / _REFILL_NS
            self.tokens, self.at_ns = min(grown, _BURST), now_ns
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    def is_one_of_many(self, key: Key, now_ns: int) -> bool:
        """Whether too many different messages give the same reason within ten minutes."""
        if key in self.seen:
            return False
        reason = key[1]
        alike = [
            seen
            for seen, (_, _, _, last_ns) in self.seen.items()
            if seen[1] == reason and seen[2] and now_ns - last_ns <= _SIMILAR_FOR_NS
        ]
        return len(alike) >= _SIMILAR - 1


class Events:
    """Writes Events to the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kind = store.kind(("v1", "Event"))
        self._events = store.read(self._kind)
        self._namespaces = store.read(("v1", "Namespace"))
        self._is_unsettled = False
        self._stamped_ns = -1
        self._stamp = ""

    def pod(
        self, pod: Pod, kind: str, reason: str, message: str, container: Container | None = None
    ) -> None:
        """Tell that something happened to a pod, or to a container of it."""
        involved, node = pod.involved, pod.node
        assert involved is not None
        assert node is not None
        if pod.history is None:
            pod.history = History(self._store.clock.now_ns)
        path = ""
        if container is not None:
            path = container.plan.path
            if container.involved is None:
                container.involved = {**involved, "fieldPath": path}
            involved = container.involved
        about = (pod.namespace, pod.pod_name)
        self._tell(pod.history, about, involved, node.source, kind, (path, reason, message))

    def node(self, node: Node, kind: str, reason: str, message: str) -> None:
        """Tell that something happened to a node."""
        if node.history is None:
            node.history = History(self._store.clock.now_ns)
        involved = {"kind": "Node", "name": node.name, "apiVersion": "v1"}
        about = ("default", node.name)
        self._tell(node.history, about, involved, node.source, kind, ("", reason, message))

    def _tell(
        self,
        history: History,
        about: tuple[str, str],
        involved: Json,
        source: Json,
        kind: str,
        key: Key,
    ) -> None:
        store = self._store
        now_ns = store.clock.now_ns
        path, reason, message = key
        if len(history.seen) >= _SIMILAR - 1 and history.is_one_of_many(key, now_ns):
            key, message = (path, reason, ""), _COMBINED + message
        stamp = self.stamp()
        seen = history.seen.get(key)
        count, first, name = (seen[0] + 1, seen[1], seen[2]) if seen else (1, stamp, "")
        if not history.may_pass(now_ns):
            history.seen[key] = (count, first, name, now_ns)
            return
        namespace, of = about
        within = self._namespaces.get(namespace)
        if within is None or "deletionTimestamp" in within["metadata"]:
            return
        found = self._events.get(f"{namespace}/{name}") if name else None
        if found is None:
            name = self._fresh_name(history, namespace, of)
            event: Json = {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {
                    "name": name,
                    "namespace": namespace,
                    "uid": names.uid(store.uid_stream),
                    "creationTimestamp": stamp,
                },
                "involvedObject": involved,
                "reason": reason,
                "message": message,
                "source": source,
                "firstTimestamp": first,
                "lastTimestamp": stamp,
                "count": count,
                "type": kind,
                "eventTime": None,
                "reportingComponent": source["component"],
                "reportingInstance": source["host"],
            }
        else:
            event = {**found, "metadata": dict(found["metadata"]), "message": message}
            event["count"], event["lastTimestamp"] = count, stamp
        history.seen[key] = (count, first, name, now_ns)
        # NOTE: written as it is stored, which passes every rule for Events: there are several of
        # them for every pod (benchmarks/controllers.py).
        store.put(self._kind, f"{namespace}/{name}", event)
        self._is_unsettled = True

    def settle(self) -> None:
        """Have everybody hear of the Events: once for all of a pod's turn."""
        if self._is_unsettled:
            self._is_unsettled = False
            self._store.settle()

    def stamp(self) -> str:
        """Now, as objects write it."""
        clock = self._store.clock
        if clock.now_ns != self._stamped_ns:
            self._stamped_ns = clock.now_ns
            self._stamp = timestamps.format_time(clock.unix_ns)
        return self._stamp

    def _fresh_name(self, history: History, namespace: str, name: str) -> str:
        """Named by the time, as upstream; several of one instant count on."""
        number = max(self._store.clock.unix_ns, history.number + 1)
        events = self._events
        while f"{namespace}/{name}.{number:x}" in events:
            number += 1
        history.number = number
        return f"{name}.{number:x}"
