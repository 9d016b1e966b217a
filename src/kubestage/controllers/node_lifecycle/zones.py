"""How fast the nodes of a zone may be emptied: the more of them are ill, the slower."""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Final

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
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
        """Go on at another rate; whoever had to wait waits for the new bucket to fill."""
        if rate == self.rate:
            return
        was_empty = self.rate <= 0 or now_ns < self.full_at_ns
        self.rate = rate
        if rate > 0:
            self.full_at_ns = now_ns + round(SECOND_NS / rate) if was_empty else now_ns

    def next_pass_ns(self, now_ns: int) -> int | None:
        """When it is worth trying again; None if nobody waits or it is not."""
        if not self.waiting or self.rate <= 0:
            return None
        return -(-max(self.full_at_ns, now_ns) // PASS_NS) * PASS_NS
