"""Metrics whose values are known elsewhere, and are put into words when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.metric_families import Family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.scheduler.metric_families import Labels


class Numbers(Family):
    """Numbers by labels, whole or not."""

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


def number(name: str, text: str, value: float, *, kind: str = "gauge") -> Numbers:
    """One number without labels."""
    return Numbers(name, text, (), {(): value}, kind=kind)
