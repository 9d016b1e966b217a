"""The clients of a load: calls go round robin over several, each with a limit of its own.

ClusterLoader2 creates one client for every hundred nodes, and each of them sends no more than 100
calls a second after a burst of 200. A configuration that requests more does not get it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from kubestage.golang.rate import Limiter

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import (
        Answer,
        Call,
        Cluster,
        Moments,
        Page,
        Selection,
        Subscription,
        WatchEvent,
    )

QPS: Final = 100.0
BURST: Final = 200
NODES_PER_CLIENT: Final = 100


def number_for(nodes: int) -> int:
    """How many clients a cluster of this size has by default."""
    return max(1, -(-nodes // NODES_PER_CLIENT))


class Clients:
    """A cluster, called through clients that delay what is above their limits.

    Watches and raw pages are not limited. A client sends calls in the order of the requests.
    """

    def __init__(self, cluster: Cluster, number: int, qps: float = QPS, burst: int = BURST) -> None:
        assert number > 0, number
        self.moments: Moments = cluster.moments
        self.is_stage = cluster.is_stage
        self._cluster = cluster
        self._clients = [_Client(cluster, qps, burst) for _ in range(number)]
        self._next = 0

    @property
    def held_back(self) -> int:
        """How many calls are waiting for the limit."""
        return sum(len(client.waiting) for client in self._clients)

    def call(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Make a call by the next client, as soon as its limit allows it."""
        client = self._clients[self._next]
        self._next = (self._next + 1) % len(self._clients)
        client.call(call, done)

    def watch(self, selection: Selection, on_event: Callable[[WatchEvent], None]) -> Subscription:
        """Watch; that is not limited."""
        return self._cluster.watch(selection, on_event)

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        """GET a raw path; that is not limited."""
        self._cluster.raw(path, done)


class _Client:
    """One client: its limit, and the calls that wait for it. One timer serves them all."""

    __slots__ = ("_bucket", "_cluster", "waiting")

    def __init__(self, cluster: Cluster, qps: float, burst: int) -> None:
        self._cluster = cluster
        self._bucket = Limiter(qps, burst)
        self.waiting: deque[tuple[int, Call, Callable[[Answer], None]]] = deque()

    def call(self, call: Call, done: Callable[[Answer], None]) -> None:
        moments = self._cluster.moments
        at_ns = self._bucket.reserve(moments.now_ns)
        if self.waiting:
            self.waiting.append((at_ns, call, done))
        elif at_ns > moments.now_ns:
            self.waiting.append((at_ns, call, done))
            moments.at(at_ns, self._send)
        else:
            self._cluster.call(call, done)

    def _send(self) -> None:
        """Send what is due; in real time that may be more than one."""
        now_ns = self._cluster.moments.now_ns
        while self.waiting and self.waiting[0][0] <= now_ns:
            _, call, done = self.waiting.popleft()
            self._cluster.call(call, done)
        if self.waiting:
            self._cluster.moments.at(self.waiting[0][0], self._send)
