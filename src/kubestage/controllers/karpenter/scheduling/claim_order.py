"""Future nodes in the order in which they are tried: those with the fewest pods first."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Final

from kubestage.golang import sort

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.scheduling.node_claims import NodeClaim

_STABLE: Final = 12
"""Up to this length Go's sort keeps the order of equals."""

_SHIFTING: Final = 50
"""From this length on Go's sort first moves the few items that are out of place."""


class ClaimOrder:
    """The future nodes; between two sorts one of them has gained a pod, or is new."""

    def __init__(self) -> None:
        self.claims: list[NodeClaim] = []
        self._counts: list[int] = []
        self._changed: int | None = None

    def append(self, claim: NodeClaim) -> None:
        """A new node, with its first pod."""
        self._changed = len(self.claims)
        self.claims.append(claim)
        self._counts.append(1)

    def gained(self, position: int) -> None:
        """The node in this place has one pod more."""
        self._changed = position
        self._counts[position] += 1

    def restore(self) -> None:
        """Sort as Go does, which is not stable.

        NOTE: where Go's sort only moves the one item that is out of place, so does this; a sort of
        1,000 nodes for each pod would take longer than all the rest (benchmarks/karpenter.py).
        """
        changed, self._changed = self._changed, None
        if changed is None or self._is_in_place(changed):
            return
        if self._is_moved_only(changed):
            count, claim = self._counts.pop(changed), self.claims.pop(changed)
            # Among equals it comes last if it was moved up, and stays last if it was added.
            place = bisect.bisect_right if count == 1 else bisect.bisect_left
            position = place(self._counts, count)
            self._counts.insert(position, count)
            self.claims.insert(position, claim)
            return
        counts = self._counts
        order = sort.in_order(range(len(counts)), lambda i, j: counts[i] < counts[j])
        self.claims = [self.claims[position] for position in order]
        self._counts = [counts[position] for position in order]

    def _is_in_place(self, changed: int) -> bool:
        counts = self._counts
        is_low = changed == 0 or counts[changed - 1] <= counts[changed]
        return is_low and (changed + 1 == len(counts) or counts[changed] <= counts[changed + 1])

    def _is_moved_only(self, changed: int) -> bool:
        """Whether Go's sort moves nothing else: unless its samples show the wrong order."""
        length = len(self._counts)
        if length <= _STABLE:
            return True
        samples = (length // 4 * quarter for quarter in (1, 2, 3))
        return length >= _SHIFTING and not any(
            sample - 1 <= changed <= sample for sample in samples
        )
