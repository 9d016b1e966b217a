"""Nodes that cannot be reached: their usage is not read, and requests get no answer from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class SilentNodes:
    """The names of silent nodes, and those who are notified when that changes.

    A silent node whose object is deleted stays silent: its machine does not come back by that.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._observers: list[Callable[[str], None]] = []

    def __contains__(self, node: str) -> bool:
        return node in self._names

    def subscribe(self, call: Callable[[str], None]) -> None:
        """Call this with the name of each node that falls silent or is reachable again."""
        self._observers.append(call)

    def add(self, node: str) -> None:
        """A node has fallen silent."""
        if node not in self._names:
            self._names.add(node)
            self._notify(node)

    def discard(self, node: str) -> None:
        """A node is reachable."""
        if node in self._names:
            self._names.discard(node)
            self._notify(node)

    def _notify(self, node: str) -> None:
        for call in self._observers:
            call(node)
