"""Living runs of several seeds: means, and the differences of runs that have the same seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.results.statistics import differences, samples, verdicts
from kubestage.results.statistics.differences import Margin
from kubestage.results.statistics.samples import Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.comparison.measures import Measure


class PairedDifference(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How much more a run has of a measure than the first, seed by seed.

    `low` and `high` are the ends of the interval of `level` confidence; None if every seed has the
    same difference. `verdict` is one of `kubestage.results.statistics.verdicts`.
    """

    measure: str
    run: str
    mean: float
    low: float | None
    high: float | None
    level: float
    seeds: int
    verdict: str
    p_value: float | None


def means(flat: Sequence[Measure], runs: int) -> list[Measure]:
    """The mean over seeds of each measure, whose values are those of all seeds, run by run."""
    return [
        msgspec.structs.replace(each, values=tuple(map(_mean, chunks(each.values, runs))))
        for each in flat
    ]


def compared(
    names: Sequence[str], seeds: Sequence[int], flat: Sequence[Measure]
) -> list[PairedDifference]:
    """The differences of all runs to the first, where chance plays a part or runs differ."""
    found: list[PairedDifference] = []
    for measure in flat:
        taken = [
            Sample(
                {seed: value for seed, value in zip(seeds, part, strict=True) if value is not None}
            )
            for part in chunks(measure.values, len(names))
        ]
        found += _of_measure(measure, names, taken)
    return found


def chunks(values: Sequence[float | None], runs: int) -> list[Sequence[float | None]]:
    """The values of each run."""
    size = len(values) // runs
    return [values[at : at + size] for at in range(0, len(values), size)]


def _of_measure(
    measure: Measure, names: Sequence[str], taken: Sequence[Sample]
) -> list[PairedDifference]:
    reference, *others = taken
    varies = any(
        len(each.values) > 1 and samples.deviation(list(each.values.values())) > 0 for each in taken
    )
    made = [
        differences.difference(reference, each, Margin(), depends_on_seed=varies) for each in others
    ]
    judged = verdicts.verdicts(
        made, [measure.better] * len(made), made[0].estimate.level if made else 0.0
    )
    return [
        PairedDifference(
            measure=measure.key,
            run=name,
            mean=each.estimate.mean,
            low=each.estimate.low,
            high=each.estimate.high,
            level=each.estimate.level,
            seeds=each.estimate.count,
            verdict=verdict.word,
            p_value=verdict.p_value,
        )
        for name, each, verdict in zip(names[1:], made, judged, strict=True)
        if each.estimate.mean is not None
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    if not known:
        return None
    return known[0] if len(set(known)) == 1 else samples.mean(known)
