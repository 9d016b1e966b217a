"""What a paced loop's client lets it write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang.rate import Limiter

if TYPE_CHECKING:
    from kubestage.controllers.pacing import Client
    from kubestage.sim.clock import Clock

_GRAIN_PER_SECOND: Final = 100
"""A loop that has to wait for its client goes on so many times a second at most."""


class Budget:
    """Calls that a loop may make now; it may overdraw them, and then waits.

    `is_short` is true if the present sync was granted less than it requested.
    """

    def __init__(self, client: Client, clock: Clock) -> None:
        self._clock = clock
        self._limiter = Limiter(client.qps, client.burst)
        self._per_write = client.calls_per_write
        grain = round(client.qps / _GRAIN_PER_SECOND / client.calls_per_write)
        self._grain = max(min(grain, client.burst), 1)
        self._granted = 0
        self.is_short = False

    @property
    def due_ns(self) -> int:
        """When there is a call to be made; that may be now."""
        return self._limiter.ready_ns(self._clock.now_ns)

    def begin(self) -> None:
        """A sync of a key starts."""
        self._granted, self.is_short = 0, False

    def grant(self, requested: int) -> int:
        """How many of the requested writes a loop may make now: at least one, if any."""
        at_hand = self._limiter.available(self._clock.now_ns) // self._per_write - self._granted
        granted = min(requested, max(at_hand, 1))
        self._granted += granted
        self.is_short = self.is_short or granted < requested
        return granted

    def end(self, writes: int) -> int:
        """A sync is over that made so many writes; returns when the next one may spend.

        What upstream does in one long sync is several short ones here: what is written only
        because of that costs nothing.
        """
        spent = self._granted if self.is_short else writes
        self._limiter.charge(self._clock.now_ns, spent * self._per_write)
        if not self.is_short:
            return self._clock.now_ns
        return self._limiter.ready_ns(self._clock.now_ns, self._grain * self._per_write)
