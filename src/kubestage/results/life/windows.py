"""Stretches of time, one after the other, to the nanosecond."""

from __future__ import annotations

from kubestage.units import SECOND_NS


class Windows:
    """When something was the case."""

    __slots__ = ("spans",)

    def __init__(self) -> None:
        self.spans: list[tuple[int, int]] = []

    def add(self, begin_ns: int, end_ns: int) -> None:
        """It was so from here to there; what follows at once continues the last stretch."""
        if self.spans and self.spans[-1][1] == begin_ns:
            begin_ns = self.spans.pop()[0]
        self.spans.append((begin_ns, end_ns))

    @property
    def total_ns(self) -> int:
        """How long it was so in sum."""
        return sum(end - begin for begin, end in self.spans)

    def seconds(self, begin_ns: int) -> list[list[float]]:
        """From and to of each stretch, in seconds since the beginning of the run."""
        return [[since(begin_ns, each) for each in span] for span in self.spans]


def since(begin_ns: int, at_ns: int) -> float:
    """Seconds since the beginning of the run, to the microsecond."""
    return (at_ns - begin_ns) // 1000 / 1_000_000


def seconds(length_ns: int) -> float:
    """A length in seconds, to the microsecond."""
    return round(length_ns / SECOND_NS, 6)
