"""New nodes for plain pods: the same pods of the same NodePools always need the same nodes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim


class PlainNodes:
    """New nodes for pods in an order; others that are like them get the same nodes."""

    def __init__(
        self, claims: Sequence[NewNodeClaim], pods: Sequence[QueuedPod], placeholders: int
    ) -> None:
        position_of = {id(queued.pod): position for position, queued in enumerate(pods)}
        self._claims = [(claim, [position_of[id(pod)] for pod in claim.pods]) for claim in claims]
        self.placeholders = placeholders
        """How many names for new nodes were used up."""

    def for_pods(self, pods: Sequence[QueuedPod]) -> list[NewNodeClaim]:
        """The new nodes for these pods."""
        return [
            dataclasses.replace(claim, pods=[pods[position].pod for position in positions])
            for claim, positions in self._claims
        ]
