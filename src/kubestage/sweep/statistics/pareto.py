"""Settings that no other beats in all measures at once, as far as the noise lets one see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.results.statistics import differences, verdicts
from kubestage.sweep.statistics import comparisons, samples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from kubestage.results.statistics.intervals import Estimate
    from kubestage.sweep.rows import Table
    from kubestage.sweep.statistics.comparisons import ComparisonOptions

FRONT: Final = "front"
"""No setting has better means."""
UNCLEAR: Final = "unclear"
"""A setting of the front has better means, but it is not decided that it is better."""
DOMINATED: Final = "dominated"
"""A setting of the front is better in a measure and in none worse, decided for each."""


class ParetoPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A setting by its place in the design, its means, and where it stands."""

    setting: int
    estimates: tuple[Estimate, ...]
    status: str
    dominated_by: int | None = None


def front(
    table: Table,
    better: Mapping[str, str],
    options: ComparisonOptions = comparisons.DEFAULTS,
    among: Sequence[int] | None = None,
) -> list[ParetoPoint]:
    """Every setting that has all these measures; `better` has ``more`` or ``less`` for each.

    `among` restricts it to some settings, by their places.
    """
    cells = comparisons.compare(table, list(better), options)
    places = range(len(table.settings())) if among is None else among
    known = [at for at in places if all(cells[each][at].sample.values for each in better)]
    if not known:
        return []
    signs = np.array([1.0 if side == "less" else -1.0 for side in better.values()])
    means = np.array([[_mean(cells[each][at].estimate) for each in better] for at in known])
    best = _unbeaten(means * signs)
    leaders = [at for at, is_best in zip(known, best, strict=True) if is_best]
    judge = _Judge(table, better, options)
    points = []
    for at, is_best in zip(known, best, strict=True):
        by = None if is_best else next((each for each in leaders if judge.beats(each, at)), None)
        status = FRONT if is_best else UNCLEAR if by is None else DOMINATED
        found = tuple(cells[each][at].estimate for each in better)
        points.append(ParetoPoint(setting=at, estimates=found, status=status, dominated_by=by))
    return points


def _mean(estimate: Estimate) -> float:
    assert estimate.mean is not None
    return estimate.mean


def _unbeaten(costs: npt.NDArray[np.float64]) -> list[bool]:
    """Which rows no other row is at most as large as everywhere, and smaller somewhere."""
    return [
        not bool(((costs <= row).all(axis=1) & (costs < row).any(axis=1)).any()) for row in costs
    ]


class _Judge:
    """Decides whether a setting beats another, by pairs of seeds."""

    def __init__(self, table: Table, better: Mapping[str, str], options: ComparisonOptions) -> None:
        settings = table.settings()
        self._better = better
        self._options = options
        self._samples = {
            measure: [samples.sample(each, measure) for each in settings] for measure in better
        }
        self._depends = {measure: samples.varies(settings, measure) for measure in better}

    def beats(self, leader: int, other: int) -> bool:
        """Whether `leader` is decided to be better in a measure, and in no other worse."""
        words = []
        for measure, side in self._better.items():
            taken = self._samples[measure]
            found = differences.difference(
                taken[leader],
                taken[other],
                self._options.margin,
                self._options.level,
                depends_on_seed=self._depends[measure],
            )
            (verdict,) = verdicts.verdicts([found], [side], self._options.level)
            words.append(verdict.word)
        return verdicts.WORSE in words and set(words) <= {verdicts.WORSE, verdicts.SAME}
