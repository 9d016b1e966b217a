"""The one clock: whole nanoseconds since the simulation began."""

from __future__ import annotations

EPOCH_2026_NS = 1_767_225_600 * 1_000_000_000
"""2026-01-01T00:00:00Z, where simulated calendars start by default."""

NEVER_NS = 2**63 - 1
"""Later than any moment of a simulation; also the largest integer a trace file can hold."""


class Clock:
    """Simulated time, shared by everyone who must agree on it and advanced by the Environment.

    ``now_ns`` counts from the simulation's own zero. ``epoch_ns`` is the moment of the
    calendar that zero is, so that timestamps can be written without asking the wall clock.
    """

    __slots__ = ("_first_epoch_ns", "epoch_ns", "now_ns")

    def __init__(self, epoch_ns: int = EPOCH_2026_NS, now_ns: int = 0) -> None:
        self.epoch_ns = self._first_epoch_ns = epoch_ns
        self.now_ns = now_ns

    @property
    def unix_ns(self) -> int:
        """Now as nanoseconds since 1970-01-01T00:00:00Z."""
        return self.epoch_ns + self.now_ns

    @property
    def elapsed_ns(self) -> int:
        """How far the calendar is from where it first began, however often the clock restarted."""
        return self.unix_ns - self._first_epoch_ns

    def restart(self, epoch_ns: int) -> None:
        """Count from zero again, at this moment of the calendar."""
        self.epoch_ns, self.now_ns = epoch_ns, 0

    def __repr__(self) -> str:
        return f"Clock(epoch_ns={self.epoch_ns}, now_ns={self.now_ns})"
