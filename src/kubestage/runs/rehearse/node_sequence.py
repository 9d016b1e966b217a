"""Draining several nodes, some at a time, one after the other."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from kubestage.runs.rehearse import node_drain
from kubestage.runs.rehearse.node_drain import NodeDrain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.runs.rehearse.node_drain import DrainSettings
    from kubestage.sim.timer import Timer
    from kubestage.stage import Stage


class NodeSequence:
    """Drains nodes in their order, so many at a time.

    As by kubectl, all are cordoned before the first is drained. If it `is_rolling`, each is
    cordoned when its turn comes, is away for `away_ns`, and is uncordoned before another one's
    turn. `on_begin` and `on_end` are called with each drain.
    """

    def __init__(
        self,
        stage: Stage,
        nodes: Sequence[str],
        settings: DrainSettings,
        *,
        parallel: int = 1,
        is_rolling: bool = False,
        away_ns: int = 0,
        on_begin: Callable[[NodeDrain], None] | None = None,
        on_end: Callable[[NodeDrain], None] | None = None,
    ) -> None:
        self.drains: list[NodeDrain] = []
        """All that were started, in order."""
        self.ended_ns: int | None = None
        self._stage = stage
        self._settings = settings
        self._parallel = parallel
        self._is_rolling = is_rolling
        self._away_ns = away_ns
        self._on_begin = on_begin
        self._on_end = on_end
        self._nodes = tuple(nodes)
        self._waiting = collections.deque(nodes)
        self._active: list[NodeDrain] = []
        self._away: dict[str, Timer] = {}

    @property
    def is_over(self) -> bool:
        """Whether all nodes had their turn."""
        return self.ended_ns is not None

    @property
    def is_waiting(self) -> bool:
        """Whether a node is away for a time that was requested."""
        return bool(self._away)

    def begin(self) -> None:
        """Start with the first nodes."""
        if not self._is_rolling:
            for node in self._nodes:
                node_drain.cordon(self._stage, node)
        self._go_on()

    def stop(self, why: str) -> None:
        """Give up the nodes that are being drained; the others have no turn."""
        self._waiting.clear()
        for drain in tuple(self._active):
            drain.stop(why)

    def _go_on(self) -> None:
        while self._waiting and len(self._active) + len(self._away) < self._parallel:
            drain = NodeDrain(self._stage, self._waiting.popleft(), self._settings, self._ended)
            self.drains.append(drain)
            self._active.append(drain)
            if self._on_begin is not None:
                self._on_begin(drain)
            drain.begin()
        if not (self._waiting or self._active or self._away) and self.ended_ns is None:
            self.ended_ns = self._stage.clock.now_ns

    def _ended(self, drain: NodeDrain) -> None:
        self._active.remove(drain)
        if self._on_end is not None:
            self._on_end(drain)
        if not self._is_rolling:
            self._go_on()
            return

        def come_back() -> None:
            del self._away[drain.node]
            node_drain.uncordon(self._stage, drain.node)
            self._go_on()

        away_ns = self._away_ns if drain.is_done else 0
        timer = self._stage.environment.timer(f"maintenance of {drain.node}", come_back)
        self._away[drain.node] = timer
        timer.set(self._stage.clock.now_ns + away_ns)
