"""What each axis does by itself, and what two of them do together beyond that."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.results.statistics import intervals
from kubestage.sweep.statistics.axis_levels import AxisLevel, levels
from kubestage.sweep.statistics.grids import Grid, grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from kubestage.results.statistics.intervals import Estimate
    from kubestage.sweep.rows import Table

_NOTHING: Final = 1e-24


class LevelEffect(msgspec.Struct, frozen=True):
    """The mean of all settings with one value of an axis, over seeds."""

    level: AxisLevel
    estimate: Estimate
    settings: int


class MainEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What an axis does to a measure, all other axes averaged.

    `span` is the highest mean of a level minus the lowest, seed by seed. `share` is the part of
    the variance between the settings that the axis explains by itself; None if they do not vary.
    """

    axis: str
    levels: tuple[LevelEffect, ...]
    span: Estimate
    share: float | None


class Interaction(msgspec.Struct, frozen=True, kw_only=True):
    """What two axes do together beyond the sum of their own effects.

    `share` is of the variance between settings; `strongest` is the pair of levels that is
    furthest from the sum, and `beyond` by how much.
    """

    axes: tuple[str, str]
    share: float | None
    strongest: tuple[str, str]
    beyond: Estimate


def main_effects(table: Table, measure: str, level: float = intervals.LEVEL) -> list[MainEffect]:
    """The effect of each axis with two values or more, the strongest first."""
    found = grid(table, measure)
    effects = [
        _main(axis, found, there, level)
        for axis in table.axes
        if len(there := levels(found.settings, axis)) > 1
    ]
    return sorted(effects, key=lambda each: -(each.share or 0.0))


def interactions(table: Table, measure: str, level: float = intervals.LEVEL) -> list[Interaction]:
    """Pairs of axes that were crossed evenly: each pair of values in equally many settings."""
    found = grid(table, measure)
    axes = {axis: levels(found.settings, axis) for axis in table.axes}
    varied = [(axis, there) for axis, there in axes.items() if len(there) > 1]
    effects = [
        effect
        for one, other in itertools.combinations(varied, 2)
        if (effect := _interaction(one, other, found, level)) is not None
    ]
    return sorted(effects, key=lambda each: -(each.share or 0.0))


def _main(axis: str, found: Grid, there: Sequence[AxisLevel], level: float) -> MainEffect:
    by_seed = [found.by_seed(each.settings) for each in there]
    means = [found.mean(each.settings) for each in there]
    sizes = [len(each.settings) for each in there]
    high, low = int(np.argmax(means)), int(np.argmin(means))
    return MainEffect(
        axis=axis,
        levels=tuple(
            LevelEffect(each, found.estimate(values, mean, level), size)
            for each, values, mean, size in zip(there, by_seed, means, sizes, strict=True)
        ),
        span=found.estimate(by_seed[high] - by_seed[low], means[high] - means[low], level),
        share=_share(np.array(means), np.array(sizes), found),
    )


def _share(
    means: npt.NDArray[np.float64], sizes: npt.NDArray[np.int64], found: Grid
) -> float | None:
    total = found.variation()
    centre = float(found.means.mean())
    if total <= _NOTHING * max(1.0, centre * centre):
        return None
    return float((sizes * (means - centre) ** 2).sum() / total)


def _interaction(
    one: tuple[str, Sequence[AxisLevel]],
    other: tuple[str, Sequence[AxisLevel]],
    found: Grid,
    level: float,
) -> Interaction | None:
    pairs = list(itertools.product(one[1], other[1]))
    cells = [tuple(sorted(set(a.settings) & set(b.settings))) for a, b in pairs]
    if len({len(each) for each in cells}) != 1 or not cells[0]:
        return None
    everything = tuple(range(len(found.settings)))

    def beyond(of: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
        cell, first, second, whole = of
        return cell - first - second + whole

    by_seed, means = [], []
    for (first, second), cell in zip(pairs, cells, strict=True):
        groups = (cell, first.settings, second.settings, everything)
        by_seed.append(beyond([found.by_seed(each) for each in groups]))
        means.append(float(beyond([np.array(found.mean(each)) for each in groups])))
    strongest = int(np.argmax(np.abs(means)))
    sizes = np.array([len(each) for each in cells])
    centre = float(found.means.mean())
    share = _share(np.array(means) + centre, sizes, found)
    return Interaction(
        axes=(one[0], other[0]),
        share=share,
        strongest=(pairs[strongest][0].label, pairs[strongest][1].label),
        beyond=found.estimate(by_seed[strongest], means[strongest], level),
    )
