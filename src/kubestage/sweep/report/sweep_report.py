"""What a sweep says: every setting beside the reference, effects of axes, and the front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.results.analysis.table import Column, Kind, Table, columns
from kubestage.runs.notebook import TableResult
from kubestage.sweep.report import conditions, selection
from kubestage.sweep.report.options import ReportOptions
from kubestage.sweep.statistics import comparisons, effects, pareto, sequential
from kubestage.sweep.statistics.comparisons import ComparisonOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.sweep import rows
    from kubestage.sweep.statistics.comparisons import Cell
    from kubestage.sweep.statistics.effects import Interaction, MainEffect
    from kubestage.sweep.statistics.pareto import ParetoPoint

DEFAULTS: Final = ReportOptions()


class SweepReport(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """All figures of a sweep.

    >>> from kubestage.sweep import results
    >>> from kubestage.sweep.report import report
    >>> report(results.open("sweeps/nodes")).to_pandas()  # doctest: +SKIP
    """

    source: rows.Table
    settings: list[rows.Setting]
    reference: int
    """The place of the setting that the others are measured by."""
    options: ReportOptions
    comparison: ComparisonOptions
    looks: int = 0
    """How often results were looked at while seeds were added."""
    cells: dict[str, list[Cell]]
    """Every measure that is shown: a cell for each setting, in the order of the design."""
    main_effects: dict[str, list[MainEffect]]
    interactions: dict[str, list[Interaction]]
    front_of: list[str]
    front: list[ParetoPoint]
    failing: list[int]
    """The settings in which the condition of `ReportOptions.fail_if` holds."""

    @property
    def measures(self) -> list[str]:
        """The measures that are shown."""
        return list(self.cells)

    @property
    def seeds(self) -> int:
        """How many seeds there are."""
        return len({row.seed for row in self.source.rows})

    @property
    def failed(self) -> list[rows.Row]:
        """The runs that ended with an error."""
        return [row for row in self.source.rows if row.error is not None]

    @property
    def other_measures(self) -> list[str]:
        """The measures that are not shown."""
        return [each for each in self.source.measures if each not in self.cells]

    def headline(self) -> str:
        """How many settings and seeds there are."""
        return f"{len(self.settings)} settings, {self.seeds} seeds, {len(self.source.rows)} runs"

    def table(self) -> Table:
        """A row for each setting and measure."""
        axes = tuple(Column(axis, Kind.TEXT) for axis in self.source.axes)
        head = columns(
            setting=Kind.INT, measure=Kind.TEXT, unit=Kind.TEXT, seeds=Kind.INT, failed=Kind.INT,
            missing=Kind.INT, mean=Kind.FLOAT, low=Kind.FLOAT, high=Kind.FLOAT,
            deviation=Kind.FLOAT, difference=Kind.FLOAT, differenceLow=Kind.FLOAT,
            differenceHigh=Kind.FLOAT, differenceShare=Kind.FLOAT, pairs=Kind.INT,
            pValue=Kind.FLOAT, verdict=Kind.TEXT, moreSeeds=Kind.INT,
        )  # fmt: skip
        return Table((*axes, *head), list(self._rows()))

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for measure, cells in self.cells.items():
            unit = self.source.measures[measure].unit
            for at, (setting, cell) in enumerate(zip(self.settings, cells, strict=True)):
                values = (_text(setting.parameters.get(axis)) for axis in self.source.axes)
                yield (*values, at + 1, measure, unit, *_figures(cell))

    def to_dict(self) -> Json:
        """All that is known; docs/sweep-statistics.md describes it."""
        return {
            "axes": list(self.source.axes),
            "settings": [dict(each.parameters) for each in self.settings],
            "reference": self.reference + 1,
            "seeds": self.seeds,
            "level": self.options.confidence(),
            "looks": self.looks,
            "margin": str(self.comparison.margin),
            "correction": self.comparison.correction,
            "measures": {
                measure: {
                    "better": self.source.measures[measure].better,
                    "unit": self.source.measures[measure].unit,
                    "settings": [_cell_data(each) for each in cells],
                    "mainEffects": msgspec.to_builtins(self.main_effects[measure]),
                    "interactions": msgspec.to_builtins(self.interactions[measure]),
                }
                for measure, cells in self.cells.items()
            },
            "front": {
                "measures": list(self.front_of),
                "settings": [
                    {"setting": each.setting + 1, "status": each.status} for each in self.front
                ],
            },
            "failed": [
                {"parameters": dict(row.parameters), "seed": row.seed, "error": row.error}
                for row in self.failed
            ],
            "failIf": self.options.fail_if,
            "failing": [each + 1 for each in self.failing],
        }


def report(table: rows.Table, options: ReportOptions = DEFAULTS, *, looks: int = 0) -> SweepReport:
    """Compare the settings of a sweep.

    `looks` is how often results were looked at while seeds were added: the level is that of the
    last look then, so that the stated one holds for all of them.
    """
    settings = table.settings()
    if not settings:
        raise InputError("the sweep has no runs yet", fix="run it with --resume")
    shown = selection.measures(table, options)
    comparison = ComparisonOptions(
        against=selection.reference(settings, options.against),
        level=sequential.level_of_look(options.confidence(), looks),
        margin=options.difference_margin(),
        correction=options.correction,  # type: ignore[arg-type]
    )
    cells = comparisons.compare(table, shown, comparison)
    front_of = selection.front(table, options, shown)
    better = {each: table.measures[each].better or "less" for each in front_of}
    return SweepReport(
        source=table,
        settings=settings,
        reference=comparison.against,
        options=options,
        looks=looks,
        comparison=comparison,
        cells=cells,
        main_effects={each: effects.main_effects(table, each, comparison.level) for each in shown},
        interactions={each: effects.interactions(table, each, comparison.level) for each in shown},
        front_of=front_of,
        front=pareto.front(table, better, comparison) if front_of else [],
        failing=_failing(table, options.fail_if, comparison, cells),
    )


def _failing(
    table: rows.Table,
    text: str | None,
    comparison: ComparisonOptions,
    cells: dict[str, list[Cell]],
) -> list[int]:
    if text is None:
        return []
    condition = conditions.parse(text, table.measures)
    others = [each for each in condition.measures if each not in cells]
    known = {**cells, **comparisons.compare(table, others, comparison)}
    return condition.failing(table.settings(), known)


def _figures(cell: Cell) -> tuple[Any, ...]:
    sample, found = cell.sample, cell.estimate
    means = (len(sample.values), sample.failed, sample.missing, found.mean, found.low, found.high)
    difference, verdict = cell.difference, cell.verdict
    if difference is None or verdict is None:
        return (*means, found.deviation, *(None,) * 6, "reference", None)
    beside = difference.estimate
    return (
        *means, found.deviation, beside.mean, beside.low, beside.high, difference.share,
        beside.count, verdict.p_value, verdict.word, verdict.more_seeds,
    )  # fmt: skip


_FIELDS: Final = (
    "seeds", "failed", "missing", "mean", "low", "high", "deviation", "difference",
    "differenceLow", "differenceHigh", "differenceShare", "pairs", "pValue", "verdict", "moreSeeds",
)  # fmt: skip


def _cell_data(cell: Cell) -> Json:
    return dict(zip(_FIELDS, _figures(cell), strict=True))


def _text(value: rows.Scalar) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)
