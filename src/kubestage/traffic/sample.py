"""An even sample of requests: every so many-th one, ever fewer as there are more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_KEPT: Final = 4_096


class Sample:
    """Keeps requests whose number is a multiple of `every`; that doubles when there are too many.

    What is kept in the end depends on which requests there were, not on their order.
    """

    def __init__(self) -> None:
        self.every = 1
        self._sampled = np.zeros((0, 3), np.int64)

    def add(
        self,
        numbers: NDArray[np.int64],
        arrived_ns: NDArray[np.int64],
        response_ns: NDArray[np.int64],
        is_completed: NDArray[np.bool_],
    ) -> None:
        """Consider those that are completed."""
        # NOTE: a power of two, so this is a tenth of the time that a division takes.
        chosen = ((numbers & (self.every - 1)) == 0) & is_completed
        new = np.stack([numbers[chosen], arrived_ns[chosen], response_ns[chosen]], axis=1)
        self._sampled = np.concatenate([self._sampled, new])
        while len(self._sampled) > MOST_KEPT:
            self.every *= 2
            self._sampled = self._sampled[self._sampled[:, 0] % self.every == 0]

    def rows(self) -> list[tuple[int, int]]:
        """Arrival and response time of those kept, in the order of their numbers."""
        ordered = self._sampled[np.argsort(self._sampled[:, 0], kind="stable")]
        return [(arrived_ns, response_ns) for _, arrived_ns, response_ns in ordered.tolist()]
