"""Every setting of a table beside one of them, measure by measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from kubestage.results.statistics import differences, intervals, verdicts
from kubestage.results.statistics.differences import Difference, Margin
from kubestage.sweep.statistics import samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.statistics.intervals import Estimate
    from kubestage.results.statistics.samples import Sample
    from kubestage.results.statistics.verdicts import Verdict
    from kubestage.sweep.rows import Table

Correction = Literal["measure", "all", "none"]
"""The comparisons that Holm's correction takes together: those of one measure, all, or none."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """A measure in one setting; the reference itself has no difference."""

    sample: Sample
    estimate: Estimate
    difference: Difference | None = None
    verdict: Verdict | None = None


class ComparisonOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How settings are compared."""

    against: int = 0
    """The place of the setting that the others are measured by."""

    level: float = intervals.LEVEL
    margin: Margin = Margin()
    correction: Correction = "measure"


DEFAULTS: Final = ComparisonOptions()


def compare(
    table: Table, measures: Sequence[str], options: ComparisonOptions = DEFAULTS
) -> dict[str, list[Cell]]:
    """The cells of each measure, setting by setting in the order of the design."""
    settings = table.settings()
    found: dict[str, list[Cell]] = {}
    for measure in measures:
        taken = [samples.sample(each, measure) for each in settings]
        depends = samples.varies(settings, measure)
        found[measure] = [
            Cell(
                sample=each,
                estimate=intervals.estimate(list(each.values.values()), options.level),
                difference=None
                if at == options.against
                else differences.difference(
                    taken[options.against],
                    each,
                    options.margin,
                    options.level,
                    depends_on_seed=depends,
                ),
            )
            for at, each in enumerate(taken)
        ]
    return _judged(table, found, options)


def _judged(
    table: Table, cells: dict[str, list[Cell]], options: ComparisonOptions
) -> dict[str, list[Cell]]:
    measures = list(cells)
    families = [measures] if options.correction == "all" else [[each] for each in measures]
    judged: dict[str, list[Cell]] = {}
    for family in families:
        places = [
            (measure, cell.difference)
            for measure in family
            for cell in cells[measure]
            if cell.difference is not None
        ]
        words = iter(
            verdicts.verdicts(
                [each for _, each in places],
                [table.measures[measure].better for measure, _ in places],
                options.level,
                corrected=options.correction != "none",
            )
        )
        for measure in family:
            judged[measure] = [
                cell
                if cell.difference is None
                else msgspec.structs.replace(cell, verdict=next(words))
                for cell in cells[measure]
            ]
    return judged
