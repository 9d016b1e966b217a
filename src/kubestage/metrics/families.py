"""Counters, gauges and histograms as plain data, and their text form for Prometheus.

Nothing is global and nothing reads a clock: durations are passed in.
"""

from __future__ import annotations

import abc
import bisect
from typing import TYPE_CHECKING

from kubestage.golang import floats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Labels = tuple[str, ...]
"""The values of a family's labels, in the order in which it names them."""


def exponential_buckets(start: float, factor: float, count: int) -> tuple[float, ...]:
    """Upper bounds, each a factor above the one before."""
    bounds = []
    for _ in range(count):
        bounds.append(start)
        start *= factor
    return tuple(bounds)


class Family(abc.ABC):
    """All metrics of one name.

    One that `is_announced` is in the exposition even while it has no samples.
    """

    kind = ""
    is_announced = False

    def __init__(self, name: str, stability: str, text: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self.help = f"[{stability}] {text}"
        self.labels = tuple(labels)

    @abc.abstractmethod
    def samples(self) -> Iterator[tuple[str, list[tuple[str, str]], float]]:
        """Suffix of the name, labels and value of each line, in order."""

    def pairs(self, values: Labels) -> list[tuple[str, str]]:
        """Labels with their values, by name."""
        return sorted(zip(self.labels, values, strict=True))


class Counter(Family):
    """Numbers that only grow; those of `expected` labels are shown from zero on."""

    kind = "counter"

    def __init__(self, name: str, stability: str, text: str, labels: Sequence[str] = ()) -> None:
        super().__init__(name, stability, text, labels)
        self.values: dict[Labels, int] = {} if labels else {(): 0}
        self.expected: set[Labels] = set()

    def increase(self, *values: str, times: int = 1) -> None:
        """Count one more, or several."""
        self.values[values] = self.values.get(values, 0) + times

    def samples(self) -> Iterator[tuple[str, list[tuple[str, str]], float]]:
        """One line for each combination of labels."""
        for values in sorted(self.values.keys() | self.expected):
            yield "", self.pairs(values), self.values.get(values, 0)


class Gauge(Counter):
    """Numbers as they are now."""

    kind = "gauge"

    def put(self, values: Mapping[Labels, int]) -> None:
        """Replace all numbers."""
        self.values = dict(values)


class Distribution:
    """How often values fell into each bucket, and their sum."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float, times: int = 1) -> None:
        """Count a value."""
        self.counts[bisect.bisect_left(self.bounds, value)] += times
        self.total += value * times


class Histogram(Family):
    """Distributions over fixed buckets."""

    kind = "histogram"

    def __init__(
        self,
        name: str,
        stability: str,
        text: str,
        bounds: tuple[float, ...],
        labels: Sequence[str] = (),
    ) -> None:
        super().__init__(name, stability, text, labels)
        self.bounds = bounds
        self.distributions: dict[Labels, Distribution] = {}
        if not labels:
            self.distribution()

    def distribution(self, *values: str) -> Distribution:
        """The distribution of a combination of labels, to observe into."""
        found = self.distributions.get(values)
        if found is None:
            found = self.distributions[values] = Distribution(self.bounds)
        return found

    def samples(self) -> Iterator[tuple[str, list[tuple[str, str]], float]]:
        """The running count up to each bound, then sum and count."""
        for values in sorted(self.distributions):
            each, pairs, seen = self.distributions[values], self.pairs(values), 0
            for bound, count in zip((*each.bounds, float("inf")), each.counts, strict=True):
                seen += count
                yield "_bucket", [*pairs, ("le", floats.text(bound))], seen
            yield "_sum", pairs, each.total
            yield "_count", pairs, seen


class NumberFamily(Family):
    """Numbers by labels, whole or not, whose values are known elsewhere."""

    def __init__(
        self,
        name: str,
        text: str,
        labels: Sequence[str],
        values: Mapping[Labels, float],
        *,
        kind: str = "gauge",
        stability: str = "ALPHA",
    ) -> None:
        super().__init__(name, stability, text, labels)
        self.kind = kind
        self.values = values

    def samples(self) -> Iterator[tuple[str, list[tuple[str, str]], float]]:
        """One line for each combination of labels."""
        for values in sorted(self.values):
            yield "", self.pairs(values), self.values[values]


def number(name: str, text: str, value: float, *, kind: str = "gauge") -> NumberFamily:
    """One number without labels."""
    return NumberFamily(name, text, (), {(): value}, kind=kind)


def exposition(families: Iterable[Family]) -> str:
    """The text that a Prometheus server reads.

    Families without samples are left out, unless they are announced.
    """
    lines = []
    for family in sorted(families, key=lambda each: each.name):
        samples = [
            f"{family.name}{suffix}{_label_text(pairs)} {floats.text(value)}"
            for suffix, pairs, value in family.samples()
        ]
        if samples or family.is_announced:
            lines.append(f"# HELP {family.name} {family.help}")
            lines.append(f"# TYPE {family.name} {family.kind}")
            lines += samples
    return "".join(f"{line}\n" for line in lines)


def _label_text(pairs: list[tuple[str, str]]) -> str:
    if not pairs:
        return ""
    texts = [f'{name}="{_escaped(value)}"' for name, value in pairs]
    return "{" + ",".join(texts) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
