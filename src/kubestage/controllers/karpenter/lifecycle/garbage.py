"""NodeClaims whose machines are gone without Karpenter's doing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.lifecycle import initialization
from kubestage.controllers.karpenter.lifecycle.at_work import NODE_CLAIM, is_going
from kubestage.sim.periodic_timer import PeriodicTimer
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.sim.environment import Environment

_EVERY_NS: Final = 2 * MINUTE_NS


class Garbage:
    """Deletes such NodeClaims every two minutes, unless their nodes still report."""

    def __init__(self, at_work: AtWork, environment: Environment) -> None:
        self._at_work = at_work
        self._timer = PeriodicTimer(
            environment, "KarpenterGarbage", "karpenter_garbage", _EVERY_NS, self.collect
        )

    def start(self) -> None:
        """Look from now on."""
        self._timer.start()

    def collect(self) -> None:
        """Look once."""
        at_work = self._at_work
        for claim in at_work.lister.all(NODE_CLAIM):
            provider_id = (claim.get("status") or {}).get("providerID") or ""
            if is_going(claim) or not status.is_true(claim, "Registered"):
                continue
            if not provider_id.startswith("stage://") or at_work.cloud.exists(provider_id):
                continue
            node = at_work.node_of(claim)
            if node is None or not initialization.is_ready(node):
                at_work.give_up(claim, "its machine is gone")
