"""How much of something there was over time, to the nanosecond."""

from __future__ import annotations

from typing import Final

from kubestage.units import HOUR_NS

LASTING_NS: Final = 1_000_000_000


class Integral:
    """A whole number that changes now and then, its sum over time, and its extremes.

    Extremes are those of levels that lasted for a second: while things are set up, or replaced,
    there may be none for a moment.
    """

    __slots__ = ("_changed_ns", "_highest", "_lowest", "_since_ns", "level", "total_ns")

    def __init__(self, now_ns: int, level: int = 0) -> None:
        self.level = level
        self.total_ns = 0
        self._since_ns = now_ns
        self._changed_ns = now_ns
        self._lowest: int | None = None
        self._highest: int | None = None

    def add(self, change: int, now_ns: int) -> None:
        """The number is higher or lower from now on."""
        self.reach(now_ns)
        self.level += change
        self._changed_ns = now_ns

    def reach(self, now_ns: int) -> None:
        """Count until now."""
        self.total_ns += self.level * (now_ns - self._since_ns)
        self._since_ns = now_ns
        if now_ns - self._changed_ns >= LASTING_NS:
            known = self.level if self._lowest is None else self._lowest
            self._lowest = min(known, self.level)
            self._highest = max(self._highest or 0, self.level)

    @property
    def lowest(self) -> int:
        """The lowest level that lasted."""
        return self.level if self._lowest is None else self._lowest

    @property
    def highest(self) -> int:
        """The highest level that lasted."""
        return self.level if self._highest is None else self._highest

    @property
    def hours(self) -> float:
        """The sum in hours, as far as it was counted."""
        return self.total_ns / HOUR_NS
