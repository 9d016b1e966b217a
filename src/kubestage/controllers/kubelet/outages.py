"""Nodes that fail and recover: at random, as their annotations state, or by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from kubestage.controllers.kubelet.annotations import (
    FAILS_AFTER,
    HEARTBEAT,
    IMAGE_BANDWIDTH,
    RECOVERS_AFTER,
)  # fmt: skip
from kubestage.controllers.kubelet.events import WARNING
from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import distributions, quantity
from kubestage.sim.movement import Movement

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.stocks import NodeStock
    from kubestage.sim.environment import Environment


STOPPED: Final = "stopped"


class Stocks(Protocol):
    """Where nodes are."""

    ready: NodeStock
    silent: NodeStock


class Outages:
    """Moves nodes between speech and silence.

    Each recovery is a new start, from which the next failure counts.
    """

    def __init__(
        self, environment: Environment, seed: int, events: Events, stocks: Stocks, bandwidth: str
    ) -> None:
        self._environment = environment
        self._clock = environment.clock
        self._seed = seed
        self._events = events
        self._stocks = stocks
        self._bandwidth = bandwidth

    def read_annotations(self, node: Node) -> None:
        """Heed the annotations of a node, if they are not those that were heeded last."""
        notes = node.object["metadata"].get("annotations") or {}
        if notes == node.notes:
            return
        is_first, before = node.notes is None, node.notes or {}
        node.notes = notes
        if is_first or notes.get(IMAGE_BANDWIDTH) != before.get(IMAGE_BANDWIDTH):
            node.bandwidth = self._read_bandwidth(node, notes.get(IMAGE_BANDWIDTH))
        node.by_hand = self._is_stopped(node, notes)
        if is_first:
            return
        if any(notes.get(name) != before.get(name) for name in _OF_OUTAGES):
            self._settle(node)

    def began(self, node: Node) -> None:
        """A node is reachable: schedule its failure, if it has one."""
        if node.by_hand:
            self._move(node, "fail", self._clock.now_ns)
            return
        after_ns = self._draw_ns(node, FAILS_AFTER)
        if after_ns is not None:
            # Otherwise a node that fails and recovers in no time would stop the clock.
            least_ns = durations.SECOND if node.failures else 0
            self._move(node, "fail", self._clock.now_ns + max(after_ns, least_ns))

    def failed(self, node: Node) -> None:
        """A node is unreachable: schedule its recovery, if it has one."""
        if node.by_hand:
            return
        node.failed = True
        after_ns = self._draw_ns(node, RECOVERS_AFTER)
        if after_ns is not None:
            self._move(node, "recover", self._clock.now_ns + after_ns)

    def recovered(self, node: Node) -> None:
        """A node is reachable again."""
        node.failed = False
        node.failures += 1
        self.began(node)

    def forget(self, node: Node) -> None:
        """A node is gone."""
        self._cancel(node)
        if node.stock is not None:
            node.stock.remove(node)
            node.stock = None

    def _settle(self, node: Node) -> None:
        """The annotations changed: schedule failure or recovery again."""
        if node.stock is None:
            return
        self._cancel(node)
        is_silent = node.stock is self._stocks.silent
        if node.by_hand:
            node.failed = False
            if not is_silent:
                self._move(node, "fail", self._clock.now_ns)
        elif not is_silent:
            self.began(node)
        elif node.failed:
            self.failed(node)
        else:
            self._move(node, "recover", self._clock.now_ns)

    def _is_stopped(self, node: Node, notes: dict[str, str]) -> bool:
        """By hand, or as a recorded node that was unreachable."""
        if HEARTBEAT in notes:
            return notes[HEARTBEAT] == STOPPED
        if node.stock is not None:
            return False
        conditions = (node.object.get("status") or {}).get("conditions") or ()
        return any(each["type"] == "Ready" and each["status"] == "Unknown" for each in conditions)

    def _move(self, node: Node, kind: str, at_ns: int) -> None:
        self._cancel(node)
        stocks, stock = self._stocks, node.stock
        assert stock is not None
        to_stock = stocks.silent if kind == "fail" else stocks.ready
        at_ns = max(at_ns, self._environment.earliest_ns)
        node.movement = Movement(kind, at_ns, stock, to_stock, node)
        self._environment.add_to_schedule(node.movement)

    def _cancel(self, node: Node) -> None:
        if node.movement is not None and node.stock is not None:
            self._environment.cancel(node.movement)
            node.movement = None

    def _draw_ns(self, node: Node, name: str) -> int | None:
        text = (node.notes or {}).get(name)
        if text is None:
            return None
        try:
            distribution = distributions.parse(text)
        except InputError as error:
            self._warn(node, name, str(error))
            return None
        names = ("kubelet", "node", node.name, name, str(node.failures))
        return distribution.sample_ns(distributions.stream_of(self._seed, *names))

    def _read_bandwidth(self, node: Node, text: str | None) -> float:
        try:
            return float(quantity.parse(text or self._bandwidth).value)
        except ValueError as error:
            self._warn(node, IMAGE_BANDWIDTH, f"{text!r}: {error}")
            return float(quantity.parse(self._bandwidth).value)

    def _warn(self, node: Node, name: str, why: str) -> None:
        text = f"Annotation {name} is ignored: {why}"
        self._events.node(node, WARNING, "InvalidAnnotation", text)
        self._events.settle()


_OF_OUTAGES: Final = (HEARTBEAT, FAILS_AFTER, RECOVERS_AFTER)
