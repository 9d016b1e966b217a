"""One measure of all settings and seeds as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from kubestage.results.statistics import intervals
from kubestage.results.statistics.samples import mean
from kubestage.sweep.statistics import samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from kubestage.results.statistics.intervals import Estimate
    from kubestage.sweep.rows import Setting, Table


class Grid:
    """The settings that have values of a measure: a row for each, a column for each seed.

    The inputs as they are, which have no value of an axis, are left out. Intervals are over the
    seeds that every setting has; means are over all values.
    """

    __slots__ = ("_complete", "means", "scale", "settings")

    def __init__(self, table: Table, measure: str) -> None:
        taken = [(each, samples.sample(each, measure).values) for each in table.settings()]
        kept = [
            (each, values)
            for each, values in taken
            if values and all(axis in each.parameters for axis in table.axes)
        ]
        self.settings: list[Setting] = [each for each, _ in kept]
        self.means = np.array([mean(list(values.values())) for _, values in kept])
        shared = sorted(set.intersection(*(set(values) for _, values in kept))) if kept else []
        self._complete = np.array([[values[seed] for seed in shared] for _, values in kept])
        self.scale = float(np.abs(self.means).max()) if kept else 0.0

    def mean(self, settings: Sequence[int]) -> float:
        """The mean of the means of some settings."""
        return float(self.means[list(settings)].mean())

    def by_seed(self, settings: Sequence[int]) -> npt.NDArray[np.float64]:
        """The mean of some settings in each seed that all have."""
        found: npt.NDArray[np.float64] = self._complete[list(settings)].mean(axis=0)
        return found

    def estimate(self, by_seed: npt.NDArray[np.float64], mean: float, level: float) -> Estimate:
        """A figure that was computed for each seed, around that of all values."""
        found = intervals.estimate([float(each) for each in by_seed], level, self.scale)
        return msgspec.structs.replace(found, mean=mean)

    def variation(self) -> float:
        """The sum of squares between the settings."""
        return float(((self.means - self.means.mean()) ** 2).sum())


def grid(table: Table, measure: str) -> Grid:
    """The grid of a measure."""
    return Grid(table, measure)
