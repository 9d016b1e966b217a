"""What a paced loop's client lets it write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.sim.rate import Rate

if TYPE_CHECKING:
    from kubestage.controllers.pacing import Client
    from kubestage.sim.clock import Clock

_GRAIN_PER_SECOND: Final = 100
"""A loop that has to wait for its client goes on so many times a second at most."""


class Budget:
    """Calls that a loop may make now; it may overdraw them, and then waits.

    `is_short` says that the look under way was granted less than it wanted.
    """

    def __init__(self, client: Client, clock: Clock) -> None:
        self._clock = clock
        self._rate = Rate(client.qps, client.burst)
        self._per_write = client.calls_per_write
        grain = round(client.qps / _GRAIN_PER_SECOND / client.calls_per_write)
        self._grain = max(min(grain, client.burst), 1)
        self._granted = 0
        self.is_short = False

    @property
    def due_ns(self) -> int:
        """When there is a call to be made; that may be now."""
        return self._rate.next_ns(self._clock.now_ns)

    def begin(self) -> None:
        """A look at a key begins."""
        self._granted, self.is_short = 0, False

    def grant(self, wanted: int) -> int:
        """How many of the writes that a loop wants it may make now: one at least, of any."""
        at_hand = self._rate.at_hand(self._clock.now_ns) // self._per_write - self._granted
        granted = min(wanted, max(at_hand, 1))
        self._granted += granted
        self.is_short = self.is_short or granted < wanted
        return granted

    def end(self, writes: int) -> int:
        """A look is over that has written so often; when the next may begin to spend.

        What upstream does in one long look is several short ones here: what is written only
        because of that costs nothing.
        """
        spent = self._granted if self.is_short else writes
        self._rate.take(self._clock.now_ns, spent * self._per_write)
        if not self.is_short:
            return self._clock.now_ns
        return self._rate.next_ns(self._clock.now_ns, self._grain * self._per_write)
