"""How long a priority level asks clients to wait whose calls it refused.

As in kube-apiserver: doubled while many are refused, and one second less when few are.
"""

from __future__ import annotations

from collections import deque
from typing import Final

_LONGEST: Final = 32
_MANY: Final = 3


class RefusedCalls:
    """The calls that a level refused in each of the last seconds."""

    __slots__ = ("_counts", "_raised", "retry_after", "total")

    def __init__(self) -> None:
        self.total = 0
        self.retry_after = 1
        self._raised = 0
        self._counts: deque[tuple[int, int]] = deque()

    def add(self, second: int) -> None:
        """A call is refused in a second, which is none before the last."""
        self.total += 1
        counts = self._counts
        if counts and counts[-1][0] == second:
            counts[-1] = (second, counts[-1][1] + 1)
            return
        self._adjust(second)
        counts.append((second, 1))

    def _adjust(self, second: int) -> None:
        """Judge by what was refused in the last `retry_after` seconds."""
        counts, seconds = self._counts, self.retry_after
        while counts and second - counts[0][0] > _LONGEST:
            counts.popleft()
        refused = sum(count for at, count in counts if second - at <= seconds)
        if refused >= _MANY * seconds and second - self._raised >= seconds:
            self.retry_after = min(2 * seconds, _LONGEST)
            self._raised = second
        elif refused < seconds and seconds > 1:
            self.retry_after = seconds - 1
