"""The clients of a load: calls go round robin over several, each with a limit of its own.

ClusterLoader2 makes one client for every hundred nodes, and each of them sends no more than 100
calls a second after a burst of 200. What a configuration asks for above that, it does not get.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from kubestage.cluster.token_bucket import TokenBucket

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import (
        Answer,
        Call,
        Cluster,
        Moments,
        Page,
        Seen,
        Selection,
        Subscription,
    )

QPS: Final = 100.0
BURST: Final = 200
NODES_PER_CLIENT: Final = 100


def number_for(nodes: int) -> int:
    """How many clients a cluster of this size is given, unless a person says otherwise."""
    return max(1, -(-nodes // NODES_PER_CLIENT))


class Clients:
    """A cluster, called through clients that hold back what is above their limits.

    Watches and raw pages are not held back. A client sends in the order in which it was asked.
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
        """How many calls wait for their turn."""
        return sum(len(client.waiting) for client in self._clients)

    def call(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Make a call by the client whose turn it is, as soon as its limit lets it go."""
        client = self._clients[self._next]
        self._next = (self._next + 1) % len(self._clients)
        client.call(call, done)

    def watch(self, selection: Selection, seen: Callable[[Seen], None]) -> Subscription:
        """Watch; that is not limited."""
        return self._cluster.watch(selection, seen)

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        """GET a raw path; that is not limited."""
        self._cluster.raw(path, done)


class _Client:
    """One client: its limit, and the calls that wait for it. One timer serves them all."""

    __slots__ = ("_bucket", "_cluster", "waiting")

    def __init__(self, cluster: Cluster, qps: float, burst: int) -> None:
        self._cluster = cluster
        self._bucket = TokenBucket(qps, burst)
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
