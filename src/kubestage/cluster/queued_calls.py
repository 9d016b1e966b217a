"""The calls in the queues of a priority level, and how many of one flow may be there.

kube-apiserver gives each flow a hand of a level's queues, so that one flow fills its hand and no
more. Which queues two flows share is left out.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple


class Queuing(NamedTuple):
    """How many queues a level has, how many of them a flow may use, and how long each may be."""

    queues: int
    hand_size: int
    length: int


class QueuedCalls:
    """Until when the calls of each flow are queued, in order of arrival."""

    __slots__ = ("_flows", "_most")

    def __init__(self, queuing: Queuing) -> None:
        self._most = queuing.hand_size * queuing.length
        self._flows: dict[str, deque[int]] = {}

    def is_full(self, flow: str, now_ns: int) -> bool:
        """Whether the queues of a flow take no more of its calls."""
        line = self._flows.get(flow)
        if line is None:
            return False
        while line and line[0] <= now_ns:
            line.popleft()
        if not line:
            del self._flows[flow]
        return len(line) >= self._most

    def add(self, flow: str, until_ns: int) -> None:
        """A call of a flow is queued until then."""
        self._flows.setdefault(flow, deque()).append(until_ns)
