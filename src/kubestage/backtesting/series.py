"""What was measured over time, as input of an autoscaler."""

from __future__ import annotations

import bisect
import functools
from typing import Final

import msgspec

from kubestage.units import SECOND_NS

UNNAMED: Final = ""
"""The metric of a CSV that does not say which one it is."""


class MetricSample(msgspec.Struct, frozen=True):
    """One pod, or one container of it, at one moment."""

    pod: str
    container: str
    values: dict[str, float]


class MetricFrame(msgspec.Struct, frozen=True):
    """What was measured at one moment: sums over all pods by metric, and single pods if known."""

    at_ns: int
    values: dict[str, float]
    samples: tuple[MetricSample, ...] = ()


class MetricSeries:
    """Frames in the order of their times; each holds until the next."""

    def __init__(self, frames: list[MetricFrame]) -> None:
        assert frames, "an empty CSV is refused when it is read"
        self.frames = frames
        self._times = [each.at_ns for each in frames]

    @property
    def start_ns(self) -> int:
        """When the first frame was measured."""
        return self._times[0]

    @property
    def end_ns(self) -> int:
        """When the last one was."""
        return self._times[-1]

    @functools.cached_property
    def metrics(self) -> list[str]:
        """The metrics that there are values of, in the order in which they come up."""
        return list(dict.fromkeys(name for frame in self.frames for name in frame.values))

    def at(self, at_ns: int) -> MetricFrame:
        """The newest frame of a moment; the first one for what was before."""
        return self.frames[max(bisect.bisect_right(self._times, at_ns) - 1, 0)]

    def seconds(self, at_ns: int) -> float:
        """How long after the first frame a moment is."""
        return (at_ns - self.start_ns) / SECOND_NS

    def called(self, metric: str) -> MetricSeries:
        """The same, with a name for the metric that has none."""

        def named(values: dict[str, float]) -> dict[str, float]:
            return {name or metric: value for name, value in values.items()}

        frames = [
            MetricFrame(
                frame.at_ns,
                named(frame.values),
                tuple(
                    MetricSample(each.pod, each.container, named(each.values))
                    for each in frame.samples
                ),
            )
            for frame in self.frames
        ]
        return MetricSeries(frames)
