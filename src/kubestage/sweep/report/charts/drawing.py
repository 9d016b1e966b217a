"""All charts of a report, by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.results.charts import libraries

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.sweep.report.sweep_report import SweepReport

_EFFECTS: Final = 4
_MEASURES: Final = 8
_WORD: Final = re.compile(r"[^A-Za-z0-9]+")


def of_report(report: SweepReport) -> dict[str, ChartType]:
    """Every chart that there is something to show in; InputError without what draws them."""
    libraries.require()
    found: dict[str, ChartType] = {}
    for measure in report.measures[:_MEASURES]:
        found |= of_measure(report, measure)
    return found | of_front(report)


def of_measure(report: SweepReport, measure: str) -> dict[str, ChartType]:
    """The charts of one measure: settings, the strongest axes, and a heat map of two."""
    # They load a large library.
    from kubestage.sweep.report.charts import (  # noqa: PLC0415
        effect_chart,
        heat_chart,
        interval_chart,
    )
    from kubestage.sweep.statistics import heat  # noqa: PLC0415

    name = slug(measure)
    drawn: dict[str, ChartType | None] = {
        f"intervals-{name}": interval_chart.intervals(report, measure)
    }
    effects = report.main_effects[measure]
    for each in effects[:_EFFECTS]:
        drawn[f"effect-{name}-{slug(each.axis)}"] = effect_chart.effect(report, measure, each)
    if len(effects) > 1:
        axes = (effects[0].axis, effects[1].axis)
        data = heat.heat_map(report.source, measure, axes, report.comparison.level)
        drawn[f"heat-{name}"] = heat_chart.heat(report, data)
    return {key: chart for key, chart in drawn.items() if chart is not None}


def of_front(report: SweepReport) -> dict[str, ChartType]:
    """The chart of the front, if there is one."""
    from kubestage.sweep.report.charts import front_chart  # noqa: PLC0415

    chart = front_chart.front(report)
    return {} if chart is None else {"front": chart}


def slug(name: str) -> str:
    """A name as a part of an address or of a file."""
    return _WORD.sub("-", name).strip("-").lower()
