"""The state of the zones of a cluster as their nodes fail: from normal to full disruption."""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Final

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.controllers.node_lifecycle.health import NodeHealth
    from kubestage.controllers.settings import Settings

PASS_NS: Final = 100_000_000
"""Upstream looks this often whether another node may be tainted."""


class ZoneState(enum.Enum):
    """How a zone is."""

    INITIAL = "Initial"
    NORMAL = "Normal"
    PARTIAL_DISRUPTION = "PartialDisruption"
    FULL_DISRUPTION = "FullDisruption"


def state_of(ready: int, not_ready: int, threshold: float) -> ZoneState:
    """How a zone is that has so many nodes; two ill ones alone do not make a disruption."""
    if not ready and not_ready:
        return ZoneState.FULL_DISRUPTION
    if not_ready > 2 and not_ready / (not_ready + ready) >= threshold:
        return ZoneState.PARTIAL_DISRUPTION
    return ZoneState.NORMAL


def rate_in(state: ZoneState, size: int, settings: Settings) -> float:
    """How many nodes a second may be emptied in a zone of some size."""
    if state is not ZoneState.PARTIAL_DISRUPTION:
        return settings.node_eviction_rate
    if size > settings.large_cluster_size_threshold:
        return settings.secondary_node_eviction_rate
    return 0.0


@dataclasses.dataclass(slots=True)
class Tainter:
    """The nodes of a zone that wait for their NoExecute taint, and how soon they may have it.

    A bucket of one token that fills at a rate; at a rate of nothing it never does.
    """

    rate: float
    full_at_ns: int = 0
    waiting: dict[str, None] = dataclasses.field(default_factory=dict)

    def allows(self, now_ns: int) -> bool:
        """Take the token if it is there."""
        if self.rate <= 0 or now_ns < self.full_at_ns:
            return False
        self.full_at_ns = now_ns + round(SECOND_NS / self.rate)
        return True

    def change_rate(self, rate: float, now_ns: int) -> None:
        """Continue at another rate; nodes that had to wait wait for the new bucket to fill."""
        if rate == self.rate:
            return
        was_empty = self.rate <= 0 or now_ns < self.full_at_ns
        self.rate = rate
        if rate > 0:
            self.full_at_ns = now_ns + round(SECOND_NS / rate) if was_empty else now_ns

    def next_pass_ns(self, now_ns: int) -> int | None:
        """When to try again; None if no node waits or the rate is zero."""
        if not self.waiting or self.rate <= 0:
            return None
        return -(-max(self.full_at_ns, now_ns) // PASS_NS) * PASS_NS


class ZoneCounts:
    """How many nodes of each zone are ready, and how many are not.

    NOTE: to count 1,000 nodes each time that one changes took 2 % of the time of an upgrade
    (benchmarks/rehearse.py).
    """

    __slots__ = ("_by_zone", "_counted")

    def __init__(self) -> None:
        self._counted: dict[str, tuple[str, bool]] = {}
        self._by_zone: dict[str, tuple[int, int]] = {}

    def update(
        self, healths: Mapping[str, NodeHealth], changed: Iterable[str]
    ) -> dict[str, tuple[int, int]]:
        """The counts by zone, after some nodes came, went or changed."""
        for name in changed:
            known = healths.get(name)
            before = self._counted.pop(name, None)
            if before is not None:
                self._count(*before, -1)
            if known is not None and known.counts:
                after = self._counted[name] = known.zone, known.ready == "True"
                self._count(*after, 1)
        return self._by_zone

    def _count(self, zone: str, is_ready: bool, number: int) -> None:
        ready, not_ready = self._by_zone.get(zone, (0, 0))
        found = (ready + number, not_ready) if is_ready else (ready, not_ready + number)
        if found == (0, 0):
            del self._by_zone[zone]
        else:
            self._by_zone[zone] = found


class DisruptionModes:
    """The state of every zone and, following from it, how fast its nodes are tainted.

    If no zone has a ready node, then more likely it is the controller that is disconnected: all
    taints are taken back and none is set until some node is ready again.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._states: dict[str, ZoneState] = {}
        self._tainters: dict[str, Tainter] = {}
        self._counts = ZoneCounts()

    def tainter(self, zone: str) -> Tainter:
        """Who taints the nodes of a zone."""
        found = self._tainters.get(zone)
        if found is None:
            found = self._tainters[zone] = Tainter(self._settings.node_eviction_rate)
            self._states.setdefault(zone, ZoneState.INITIAL)
        return found

    def zones_to_serve(self, now_ns: int) -> list[str]:
        """The zones with a node that may be tainted some time."""
        return [
            zone
            for zone, tainter in sorted(self._tainters.items())
            if tainter.next_pass_ns(now_ns) is not None
        ]

    def update(
        self, healths: Mapping[str, NodeHealth], changed: Iterable[str], now_ns: int
    ) -> list[str]:
        """Work out how the zones are; the nodes whose taints are to be taken back after all.

        `changed` are the nodes that came, went or changed since the last time.
        """
        counts = self._counts.update(healths, changed)
        threshold = self._settings.unhealthy_zone_threshold
        new = {zone: state_of(*count, threshold) for zone, count in counts.items()}
        for zone in new:
            self.tainter(zone)
            self._states.setdefault(zone, ZoneState.INITIAL)
        self._states = {zone: state for zone, state in self._states.items() if zone in new}
        are_down = all(state is ZoneState.FULL_DISRUPTION for state in new.values())
        were_down = all(state is ZoneState.FULL_DISRUPTION for state in self._states.values())
        if are_down and were_down:
            return []
        if are_down:
            for zone in new:
                self.tainter(zone).change_rate(0, now_ns)
            self._states = dict(new)
            return sorted(healths)
        if were_down:
            for known in healths.values():
                known.observed_ns = now_ns
        for zone, state in new.items():
            if were_down or state is not self._states[zone]:
                rate = rate_in(state, sum(counts[zone]), self._settings)
                self.tainter(zone).change_rate(rate, now_ns)
        self._states = new
        return []
