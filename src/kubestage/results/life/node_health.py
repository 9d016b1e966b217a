"""When nodes were not Ready, from the moment at which each was Ready for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.life import windows
from kubestage.results.life.windows import Windows

if TYPE_CHECKING:
    from kubestage.aliases import Json


class NodeReadiness:
    """One node: since when it is as it is, and when it was not Ready."""

    __slots__ = ("ever_ready", "is_ready", "not_ready", "since_ns")

    def __init__(self, now_ns: int, *, is_ready: bool) -> None:
        self.is_ready = is_ready
        self.ever_ready = is_ready
        self.not_ready = Windows()
        self.since_ns = now_ns

    def reach(self, now_ns: int) -> None:
        """Count until now."""
        if not self.is_ready and now_ns > self.since_ns:
            self.not_ready.add(self.since_ns, now_ns)
        self.since_ns = now_ns


class NodeHealth:
    """All nodes that there were."""

    def __init__(self) -> None:
        self._there: dict[str, NodeReadiness] = {}
        self._gone: list[tuple[str, NodeReadiness]] = []

    def update(self, name: str, now_ns: int, *, is_ready: bool) -> bool:
        """A node is, or is not, Ready; whether it failed or came back by that."""
        node = self._there.get(name)
        if node is None:
            self._there[name] = NodeReadiness(now_ns, is_ready=is_ready)
            return False
        if node.is_ready == is_ready:
            return False
        if node.ever_ready:
            node.reach(now_ns)
        node.since_ns = now_ns
        was_known, node.is_ready = node.ever_ready, is_ready
        node.ever_ready = True
        return was_known

    def remove(self, name: str, now_ns: int) -> None:
        """A node is gone; what it was meanwhile is kept."""
        node = self._there.pop(name, None)
        if node is not None:
            node.reach(now_ns)
            self._gone.append((name, node))

    def forget(self, most: int) -> None:
        """Keep the nodes that went last, so many, and the newest stretches of those there."""
        del self._gone[:-most]
        for each in self._there.values():
            del each.not_ready.spans[:-most]

    def in_short(self, begin_ns: int, now_ns: int) -> list[Json]:
        """The rows of nodes that were not Ready, by name; one that never was has all its time."""
        for each in self._there.values():
            each.reach(now_ns)
        rows = [
            {
                "node": name,
                "seconds": windows.seconds(each.not_ready.total_ns),
                "windows": each.not_ready.seconds(begin_ns),
                "everReady": each.ever_ready,
            }
            for name, each in (*self._gone, *self._there.items())
            if each.not_ready.spans
        ]
        return sorted(rows, key=lambda row: (str(row["node"]), row["windows"]))
