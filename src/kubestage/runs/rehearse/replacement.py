"""Replacing nodes by new ones: with surge, in place, or blue/green."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

import msgspec

from kubestage.errors import NotFound
from kubestage.objects import distributions, gvk
from kubestage.runs.rehearse import node_copies, node_drain
from kubestage.runs.rehearse.node_drain import NodeDrain
from kubestage.runs.rehearse.settling import is_ready
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.runs.rehearse.node_drain import DrainSettings
    from kubestage.sim.timer import Timer
    from kubestage.stage import Stage
    from kubestage.store.log import Change


class ReplacementPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Which nodes are replaced, in which order, and how."""

    nodes: Sequence[str]
    settings: DrainSettings
    surge: int = 1
    max_unavailable: int = 0
    is_blue_green: bool = False
    parallel: int = 1
    soak_ns: int = 0
    startup: str | None = None


class Replacement:
    """Replaces the nodes of a plan; `on_step` is called with what is done to which node.

    Each of `surge` slots adds a new node, waits until it is ready, then drains an old one and
    removes it. Each of `max_unavailable` slots drains and removes first. A node that cannot be
    drained ends it all.
    """

    def __init__(
        self, stage: Stage, plan: ReplacementPlan, on_step: Callable[[str, str], None]
    ) -> None:
        self.stage = stage
        self.drains: list[NodeDrain] = []
        self.replaced: list[str] = []
        self.ended_ns: int | None = None
        self.peak_nodes = self.initial_nodes = len(stage.store.read(gvk.NODE))
        self._plan = plan
        self._on_step = on_step
        self._waiting = collections.deque(plan.nodes)
        self._timers: set[Timer] = set()
        self._coming: dict[str, Callable[[], None]] = {}
        self._busy = 0
        stage.store.subscribe(self._on_node, {("", "Node")})

    @property
    def is_over(self) -> bool:
        """Whether all nodes are replaced, or it was given up."""
        return self.ended_ns is not None

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a time of its own: a node that starts, or a soak."""
        return any(timer.is_set for timer in self._timers)

    def begin(self) -> None:
        """Start with the first nodes."""
        if self._plan.is_blue_green:
            _BlueGreen(self, self._plan).begin()
            return
        for _ in range(self._plan.surge):
            self._next(self._surge)
        for _ in range(self._plan.max_unavailable):
            self._next(self._in_place)

    def stop(self, why: str) -> None:
        """Give up."""
        self._waiting.clear()
        for drain in self.drains:
            if drain.ended_ns is None:
                drain.stop(why)
        self.end()

    def end(self) -> None:
        """It is over."""
        if self.ended_ns is None:
            self.ended_ns = self.stage.clock.now_ns
            self.stage.store.unsubscribe(self._on_node)
            for timer in self._timers:
                timer.set(None)

    def _next(self, turn: Callable[[str], None]) -> None:
        """Give a slot its next node; when none is left and all slots are idle, it is over."""
        if self._waiting and not self.is_over:
            self._busy += 1
            turn(self._waiting.popleft())
        elif not self._busy:
            self.end()

    def _done(self, old: str, turn: Callable[[str], None]) -> None:
        self.replaced.append(old)

        def go_on() -> None:
            self._busy -= 1
            self._next(turn)

        self.after(self._plan.soak_ns, f"soak after {old}", go_on)

    def _surge(self, old: str) -> None:
        def drain_old() -> None:
            self.drain(old, remove_old)

        def remove_old() -> None:
            self.remove(old)
            self._done(old, self._surge)

        self.add_successor(old, drain_old)

    def _in_place(self, old: str) -> None:
        node = self.stage.store.read(gvk.NODE)[old]

        def replace() -> None:
            self.remove(old)
            self.add_successor(old, lambda: self._done(old, self._in_place), node)

        self.drain(old, replace)

    def drain(self, node: str, then: Callable[[], None]) -> None:
        """Drain a node; if that fails, all is over."""

        def ended(drain: NodeDrain) -> None:
            if drain.is_done:
                then()
            else:
                self._waiting.clear()
                self.end()

        self._on_step(node, "drain begins")
        drain = NodeDrain(self.stage, node, self._plan.settings, ended)
        self.drains.append(drain)
        drain.begin()

    def add_successor(
        self, old: str, then: Callable[[], None], node: dict[str, object] | None = None
    ) -> None:
        """Have a new node like an old one start; go on when it is ready."""
        store = self.stage.store
        like = store.read(gvk.NODE)[old] if node is None else node
        name = node_copies.free_name(store, f"{old}-new")
        start_up = node_copies.start_up_time(store, like, self._plan.startup)
        stream = distributions.stream_of(self.stage.seed, "upgrade", name)

        def register() -> None:
            self._coming[name] = then
            store.create(node_copies.like(like, name))
            self.peak_nodes = max(self.peak_nodes, len(store.read(gvk.NODE)))

        self.after(start_up.sample_ns(stream), f"start of {name}", register)

    def remove(self, node: str) -> None:
        """Take a drained node away."""
        try:
            self.stage.store.delete(gvk.NODE, node)
        except NotFound:
            return
        self._on_step(node, "is removed")

    def after(self, span_ns: int, name: str, action: Callable[[], None]) -> None:
        """Do something when some time has passed."""
        timer = self.stage.environment.timer(name, action)
        self._timers = {each for each in self._timers if each.is_set} | {timer}
        timer.set(self.stage.clock.now_ns + span_ns)

    def _on_node(self, change: Change) -> None:
        if change.key in self._coming and change.type != DELETED and is_ready(change.new):
            self._coming.pop(change.key)()


class _BlueGreen:
    """Adds all new nodes, then drains all old ones, and removes them after the soak."""

    def __init__(self, replacement: Replacement, plan: ReplacementPlan) -> None:
        self._replacement = replacement
        self._plan = plan
        self._starting = len(plan.nodes)
        self._waiting = collections.deque(plan.nodes)
        self._active = 0

    def begin(self) -> None:
        """Have all new nodes start."""
        for old in self._plan.nodes:
            self._replacement.add_successor(old, self._started)

    def _started(self) -> None:
        self._starting -= 1
        if not self._starting:
            for old in self._plan.nodes:
                node_drain.cordon(self._replacement.stage, old)
            self._go_on()

    def _go_on(self) -> None:
        while self._waiting and self._active < self._plan.parallel:
            self._active += 1
            self._replacement.drain(self._waiting.popleft(), self._drained)

    def _drained(self) -> None:
        self._active -= 1
        if self._waiting:
            self._go_on()
        elif not self._active and not self._replacement.is_over:
            self._replacement.after(self._plan.soak_ns, "soak", self._remove_all)

    def _remove_all(self) -> None:
        for old in self._plan.nodes:
            self._replacement.remove(old)
            self._replacement.replaced.append(old)
        self._replacement.end()
