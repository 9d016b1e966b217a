"""What becomes of the zones of a cluster as their nodes fail: from normal to nothing at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.node_lifecycle import zones
from kubestage.controllers.node_lifecycle.zones import Tainter, ZoneState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.controllers.node_lifecycle.health import Health
    from kubestage.controllers.settings import Settings


class DisruptionModes:
    """The state of every zone and, following from it, how fast its nodes are tainted.

    If no zone has a ready node, then more likely it is the controller that cannot hear them: all
    taints are taken back and none is set until some node is ready again.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._states: dict[str, ZoneState] = {}
        self._tainters: dict[str, Tainter] = {}

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

    def update(self, healths: Mapping[str, Health], now_ns: int) -> list[str]:
        """Work out how the zones are; the nodes whose taints are to be taken back after all."""
        counts = _counts(healths)
        threshold = self._settings.unhealthy_zone_threshold
        new = {zone: zones.state_of(*count, threshold) for zone, count in counts.items()}
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
                known.heard_ns = now_ns
        for zone, state in new.items():
            if were_down or state is not self._states[zone]:
                rate = zones.rate_in(state, sum(counts[zone]), self._settings)
                self.tainter(zone).change_rate(rate, now_ns)
        self._states = new
        return []


def _counts(healths: Mapping[str, Health]) -> dict[str, tuple[int, int]]:
    """How many nodes of each zone are ready, and how many are not."""
    counts: dict[str, tuple[int, int]] = {}
    for known in healths.values():
        if known.counts:
            ready, not_ready = counts.get(known.zone, (0, 0))
            is_ready = known.ready == "True"
            counts[known.zone] = (ready + is_ready, not_ready + (not is_ready))
    return counts
